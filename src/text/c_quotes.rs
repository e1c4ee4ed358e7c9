//! Text in double quotes with C escapes, as git writes paths.

/// The text of `rest` up to the closing quote, and the length with that quote; `None` if it is not
/// valid.
pub(crate) fn unquote(rest: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut out = Vec::with_capacity(rest.len());
    let mut bytes = rest.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return Some((out, rest.len() - bytes.len())),
            b'\\' => out.push(match bytes.next()? {
                b'a' => 7,
                b'b' => 8,
                b'f' => 12,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'v' => 11,
                high @ b'0'..=b'3' => {
                    let mut value = high - b'0';
                    for _ in 0..2 {
                        match bytes.next()? {
                            digit @ b'0'..=b'7' => value = value * 8 + (digit - b'0'),
                            _ => return None,
                        }
                    }
                    value
                }
                literal @ (b'"' | b'\\') => literal,
                _ => return None,
            }),
            byte => out.push(byte),
        }
    }
    None
}
