//! Checks before large allocations. An allocation that fails ends the process; one whose size a
//! repository or a file determines is tried first, so that it fails with an error.

/// Smaller allocations are made without a check.
const LARGE: usize = 1 << 20;

/// The bytes that must be left for everything small.
const RESERVE: usize = 16 << 20;

/// Bytes of tables for each line of a text: tokens, ends, hashes, and the offsets of the output.
const BYTES_OF_LINE: usize = 32;

/// True if `bytes` can be allocated now, and as much more as everything small needs.
pub(crate) fn is_available(bytes: usize) -> bool {
    if is_refused_for_test() {
        return false;
    }
    if bytes < LARGE {
        return true;
    }
    // Untouched memory of this size costs two system calls.
    let mut tried = Vec::<u8>::new();
    tried
        .try_reserve_exact(bytes.saturating_add(RESERVE))
        .is_ok()
}

/// True if the tables of the lines of `text` can be allocated beside it, and `copies` copies of it.
pub(crate) fn is_available_for_lines(text: &[u8], copies: usize) -> bool {
    if text.len() < LARGE {
        return is_available(text.len());
    }
    let lines = memchr::memchr_iter(b'\n', text).count();
    let copies = text.len().saturating_mul(copies);
    is_available(copies.saturating_add(lines.saturating_mul(BYTES_OF_LINE)))
}

/// True if a test wants this check to fail: the variable `TBLAME_TEST_OUT_OF_MEMORY` is the number
/// of the check, a blank, and a file to make when it fails. Every check counts, however few bytes
/// it is for. Without the feature `internals`, which only this package's tests and benches have,
/// none fails.
#[inline]
fn is_refused_for_test() -> bool {
    #[cfg(feature = "internals")]
    {
        use std::{
            path::PathBuf,
            sync::{
                LazyLock,
                atomic::{AtomicU64, Ordering},
            },
        };
        static CHOSEN: LazyLock<Option<(u64, PathBuf)>> = LazyLock::new(|| {
            let chosen = std::env::var("TBLAME_TEST_OUT_OF_MEMORY").ok()?;
            let (number, file) = chosen.split_once(' ')?;
            Some((number.parse().ok()?, file.into()))
        });
        static COUNT: AtomicU64 = AtomicU64::new(0);
        if let Some((number, file)) = &*CHOSEN
            && COUNT.fetch_add(1, Ordering::Relaxed) + 1 == *number
        {
            return std::fs::write(file, b"").is_ok();
        }
    }
    false
}
