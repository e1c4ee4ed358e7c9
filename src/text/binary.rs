//! Whether contents are text, by git's rule.

/// How far is looked for a NUL, in bytes.
const PROBE_LEN: usize = 8000;

/// True if there is a NUL near the start: git's rule for files whose attributes do not say.
pub(crate) fn is_binary(contents: &[u8]) -> bool {
    let start = &contents[..contents.len().min(PROBE_LEN)];
    memchr::memchr(0, start).is_some()
}
