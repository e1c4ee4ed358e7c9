//! CPU time of threads.

use std::{thread, time::Duration};

/// CPU time used by the calling thread; `None` on systems without `/proc`.
pub fn of_thread() -> Option<Duration> {
    // Linux accounts time when a thread stops running; until then the file lags by up to a tick.
    thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_ascii_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn work_takes_cpu_time_and_sleep_does_not() {
        let Some(before) = of_thread() else { return };
        thread::sleep(Duration::from_millis(20));
        let slept = of_thread().expect("it was there before");
        assert!(slept - before < Duration::from_millis(15));
        let mut sum = 0_u64;
        while of_thread().expect("it was there before") < slept + Duration::from_millis(2) {
            sum = std::hint::black_box(sum + 1);
        }
    }
}
