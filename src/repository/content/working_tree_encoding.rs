//! The attribute `working-tree-encoding`: files that are stored in UTF-8 and checked out in another
//! encoding.

use bstr::{BStr, BString};

use crate::{error::noted, repository::commits::encoding};

const UTF_8: &str = "UTF-8";

/// True if `contents` in the encoding `name` are stored as they are.
fn is_stored_form(name: &BStr, contents: &[u8]) -> bool {
    name.is_empty() || contents.is_empty() || encoding::is_same(name, UTF_8.into())
}

/// Converts `contents` of the file `path` from the encoding `name` to UTF-8. Contents that are not
/// in that encoding stay as they are; the reason is added to `notes`, in git's words.
pub(super) fn to_utf8(
    path: &BStr,
    name: &BStr,
    contents: Vec<u8>,
    notes: &mut Vec<BString>,
) -> Vec<u8> {
    if is_stored_form(name, &contents) {
        return contents;
    }
    if let Some([hint, error]) = wrong_mark(path, name, &contents) {
        notes.extend([hint, error]);
        return contents;
    }
    encoding::reencode(&contents, name, UTF_8.into()).unwrap_or_else(|| {
        notes.push(noted(line(&[
            b"error: failed to encode '",
            path,
            b"' from ",
            name,
            b" to UTF-8",
        ])));
        contents
    })
}

/// Converts `contents` of the file `path` from UTF-8 to the encoding `name`. Contents that cannot
/// be converted stay as they are; the reason is added to `notes`, in git's words.
pub(super) fn from_utf8(
    path: &BStr,
    name: &BStr,
    contents: Vec<u8>,
    notes: &mut Vec<BString>,
) -> Vec<u8> {
    if is_stored_form(name, &contents) {
        return contents;
    }
    encoding::reencode(&contents, UTF_8.into(), name).unwrap_or_else(|| {
        notes.push(noted(line(&[
            b"error: failed to encode '",
            path,
            b"' from UTF-8 to ",
            name,
        ])));
        contents
    })
}

/// Advice and error if UTF-16 or UTF-32 lacks the byte order mark that it must have, or has one
/// that the name of the byte order forbids.
fn wrong_mark(path: &BStr, name: &BStr, contents: &[u8]) -> Option<[BString; 2]> {
    let variant = encoding::after_utf(name)?.to_ascii_lowercase();
    let (digits, marks, required): (_, [&[u8]; 2], _) = match variant.as_slice() {
        b"16" | b"16le" | b"16be" => ("16", [b"\xff\xfe", b"\xfe\xff"], variant.len() == 2),
        b"32" | b"32le" | b"32be" => {
            let marks = [&b"\xff\xfe\0\0"[..], b"\0\0\xfe\xff"];
            ("32", marks, variant.len() == 2)
        }
        _ => return None,
    };
    if marks.iter().any(|mark| contents.starts_with(mark)) == required {
        return None;
    }
    let (state, problem, instead) = if required {
        let orders = format!(
            "UTF-{digits}BE or UTF-{digits}LE (depending on the byte order) as \
                 working-tree-encoding."
        );
        ("is missing", "required", orders)
    } else {
        let unordered = format!("UTF-{digits} as working-tree-encoding.");
        ("contains", "prohibited", unordered)
    };
    let hint = line(&[
        b"hint: The file '",
        path,
        format!("' {state} a byte order mark (BOM). Please use {instead}").as_bytes(),
    ]);
    let error = line(&[
        format!("error: BOM is {problem} in '").as_bytes(),
        path,
        b"' if encoded as ",
        name,
    ]);
    Some([hint, error])
}

fn line(parts: &[&[u8]]) -> BString {
    parts.concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_that_cannot_be_converted_stay() {
        let converted = |name: &str, contents: &[u8]| {
            let mut notes = Vec::new();
            let text = to_utf8("f".into(), name.into(), contents.into(), &mut notes);
            (BString::from(text), notes.len())
        };
        assert_eq!(converted("UTF-16", b"\xff\xfea\0"), ("a".into(), 0));
        assert_eq!(converted("utf16", b"a\0"), (b"a\0".into(), 2));
        assert_eq!(converted("UTF-16LE", b"a\0"), ("a".into(), 0));
        assert_eq!(
            converted("UTF-16LE", b"\xff\xfea\0"),
            (b"\xff\xfea\0".into(), 2)
        );
        assert_eq!(converted("UTF-16LE-BOM", b"\xff\xfea\0"), ("a".into(), 0));
        assert_eq!(
            converted("UTF-16BE-BOM", b"\xfe\xff\0a"),
            (b"\xfe\xff\0a".into(), 1)
        );
        assert_eq!(converted("UTF-32", b"\0\0\xfe\xff\0\0\0a"), ("a".into(), 0));
        assert_eq!(converted("CP932", b"\x93\xfa"), ("\u{65e5}".into(), 0));
        assert_eq!(converted("CP932", b"\xff"), (b"\xff".into(), 1));
        assert_eq!(converted("no-such", b"a"), ("a".into(), 1));
        assert_eq!(converted("utf8", b"\xff"), (b"\xff".into(), 0));
    }
}
