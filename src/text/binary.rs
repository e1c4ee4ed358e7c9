//! Whether contents are text, by git's rule.

/// How far is looked for a NUL, in bytes.
const PROBE_LEN: usize = 8000;

/// True if there is a NUL near the start: git's rule for files whose attributes do not say.
pub(crate) fn is_binary(contents: &[u8]) -> bool {
    are_binary(std::iter::once(contents))
}

/// [`is_binary`] of contents in pieces.
pub(crate) fn are_binary<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut left = PROBE_LEN;
    for piece in pieces {
        let start = &piece[..piece.len().min(left)];
        if memchr::memchr(0, start).is_some() {
            return true;
        }
        left -= start.len();
        if left == 0 {
            break;
        }
    }
    false
}
