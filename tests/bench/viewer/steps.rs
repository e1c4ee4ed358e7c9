//! Steps through the versions of files, in a pseudo-terminal.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
    time::{Duration, Instant},
};

use super::{
    SIZE,
    harness::session::{Session, TIMEOUT},
    milliseconds, quantile,
    terminal::{for_each_file, is_done, quit, start},
};

const STEPS: usize = 100;
/// Between two keys, so that the blame of each version has begun.
const PAUSE: Duration = Duration::from_millis(5);

/// Steps from the newest version back, and forward again.
pub fn measure_steps(lists: &[OsString]) {
    println!("{}×{}, {STEPS} steps each way.\n", SIZE.0, SIZE.1);
    println!("| file | versions | first row ms | list ms | key to frame: median | 99 % | most |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for_each_file(lists, measure_file);
}

/// Which version is shown, as the scale says.
fn place(screen: &vt100::Screen) -> Option<String> {
    let row = screen.rows(0, SIZE.0).nth(usize::from(SIZE.1) - 3)?;
    let (before, count) = row.trim_end().rsplit_once(" of ")?;
    let at = before.rsplit(' ').next()?;
    count
        .chars()
        .all(|c| c.is_ascii_digit() || c == ',')
        .then(|| at.to_owned())
}

fn head(screen: &vt100::Screen) -> String {
    screen.rows(0, SIZE.0).next().unwrap_or_default()
}

fn measure_file(repository: &Path, file: &OsStr) {
    let mut session = start(repository, &["HEAD".as_ref(), "--".as_ref(), file]);
    session
        .wait_until(TIMEOUT, is_done)
        .expect("the blame ends");
    let begun = Instant::now();
    session.press("F");
    let first = session.wait_until(TIMEOUT, |screen| head(screen).contains(" version"));
    let first = first.expect("a version") - begun;
    let all = session.wait_until(TIMEOUT, |screen| {
        let head = head(screen);
        head.contains(" versions") && !head.contains('…')
    });
    let all = all.expect("all versions") - begun;
    let versions = head(session.screen());
    let versions = versions
        .split_whitespace()
        .rev()
        .nth(1)
        .unwrap_or_default()
        .to_owned();
    session.press("\u{1b}");
    session.wait_until(TIMEOUT, is_done).expect("the file");
    let mut times = Vec::new();
    for key in ["(", ")"] {
        for _ in 0..STEPS {
            times.extend(step(&mut session, key));
        }
    }
    quit(session);
    println!(
        "| {} | {versions} | {:.0} | {:.0} | {:.1} | {:.1} | {:.1} |",
        file.display(),
        milliseconds(first),
        milliseconds(all),
        milliseconds(quantile(&mut times, 0.5)),
        milliseconds(quantile(&mut times, 0.99)),
        milliseconds(quantile(&mut times, 1.0)),
    );
}

/// The time of a step, unless it is beyond the end of the list.
fn step(session: &mut Session, key: &str) -> Option<Duration> {
    let before = place(session.screen());
    let begun = Instant::now();
    session.press(key);
    let wait = Duration::from_secs(2);
    let stepped = session.wait_until(wait, |screen| {
        let now = place(screen);
        now.is_some() && now != before
    })?;
    session.wait_until(PAUSE, |_| false);
    Some(stepped - begun)
}
