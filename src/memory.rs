//! Checks before large allocations. An allocation that fails ends the process; one whose size a repository or a file
//! determines is tried first, so that it fails with an error.

/// Smaller allocations are made without a check.
const LARGE: usize = 1 << 20;

/// What must be left for everything small.
const RESERVE: usize = 16 << 20;

/// Bytes of tables for each line of a text: tokens, ends, hashes, and the offsets of the output.
const BYTES_OF_LINE: usize = 32;

/// Whether `bytes` can be allocated now, and as much more as everything small needs.
pub(crate) fn is_available(bytes: usize) -> bool {
    if bytes < LARGE {
        return true;
    }
    // Untouched memory of this size costs two system calls.
    let mut tried = Vec::<u8>::new();
    tried
        .try_reserve_exact(bytes.saturating_add(RESERVE))
        .is_ok()
}

/// Whether the tables of the lines of `text` can be allocated beside it, and `copies` copies of it.
pub(crate) fn is_available_for_lines(text: &[u8], copies: usize) -> bool {
    if text.len() < LARGE {
        return true;
    }
    let lines = memchr::memchr_iter(b'\n', text).count();
    let copies = text.len().saturating_mul(copies);
    is_available(copies.saturating_add(lines.saturating_mul(BYTES_OF_LINE)))
}
