//! Whitespace rules of git's line diff: what `-w` ignores, and how indents are measured.

/// A line's indent in columns (0 to 200); `None` for a blank line.
pub type Indent = Option<u8>;

const MAX_INDENT: u8 = 200;
const TAB_WIDTH: u8 = 8;

/// Tab, LF, CR and space. Form feed and vertical tab are content.
pub(crate) fn is_whitespace(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | b' ')
}

/// Replaces `out` with the line without any whitespace.
pub(crate) fn strip(line: &[u8], out: &mut Vec<u8>) {
    out.clear();
    out.extend(line.iter().copied().filter(|&byte| !is_whitespace(byte)));
}

/// True if `line` without whitespace equals `stripped`.
pub(crate) fn strips_to(line: &[u8], stripped: &[u8]) -> bool {
    line.iter()
        .filter(|&&byte| !is_whitespace(byte))
        .eq(stripped.iter())
}

/// The indent of a line.
///
/// A line that reaches column 200 is not blank even if only whitespace follows.
pub(crate) fn indent(line: &[u8]) -> Indent {
    let mut column = 0;
    for &byte in line {
        match byte {
            b' ' => column += 1,
            b'\t' => column += TAB_WIDTH - column % TAB_WIDTH,
            b'\r' | b'\n' => {}
            _ => return Some(column),
        }
        if column >= MAX_INDENT {
            return Some(MAX_INDENT);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indents() {
        for (line, expected) in [
            ("a\n", Some(0)),
            ("  a\n", Some(2)),
            (" \ta\n", Some(8)),
            ("\t a", Some(9)),
            ("", None),
            ("\n", None),
            (" \t\r\n", None),
            ("\x0c\n", Some(0)),
            (" \x0b\n", Some(1)),
            ("\0", Some(0)),
            ("\r a", Some(1)),
        ] {
            assert_eq!(indent(line.as_bytes()), expected, "{line:?}");
        }
        assert_eq!(indent(&[b' '; 199]), None);
        assert_eq!(indent(&[b' '; 200]), Some(200));
        assert_eq!(indent(&[b'\t'; 25]), Some(200));
        assert_eq!(indent(&[b'\t'; 1000]), Some(200));
    }

    #[test]
    fn stripping() {
        let mut out = vec![b'x'];
        strip(b" a\tb \r\n\x0c", &mut out);
        assert_eq!(out, b"ab\x0c");
        assert!(strips_to(b"a b\x0c\n", &out));
        assert!(!strips_to(b"a b\n", &out));
        assert!(!strips_to(b"a b\x0c\n c", &out));
    }
}
