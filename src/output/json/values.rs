//! Values of JSON. Text that is not UTF-8 is written as `{"base64": "…"}` instead of a string, so
//! that no byte is lost.

use std::ops::Range;

use crate::{
    engine::VersionLines,
    objects::ObjectId,
    output::buffer::{HexId, OutputBuffer},
    repository::commits::commit_text::{CommitText, Ident},
    text::base64,
};

/// Appends an id as a string.
pub(crate) fn push_id(out: &mut OutputBuffer<'_>, id: &ObjectId) {
    out.byte(b'"');
    out.bytes(HexId::new(id).as_bytes());
    out.byte(b'"');
}

/// Appends what `push` writes of a value, or null without one.
pub(crate) fn push_or_null<T>(
    out: &mut OutputBuffer<'_>,
    key: &str,
    value: Option<T>,
    push: impl FnOnce(&mut OutputBuffer<'_>, T),
) {
    push_key(out, key);
    match value {
        Some(value) => push(out, value),
        None => out.bytes(b"null"),
    }
}

pub(crate) fn push_key(out: &mut OutputBuffer<'_>, key: &str) {
    out.bytes(b",\"");
    out.bytes(key.as_bytes());
    out.bytes(b"\":");
}

pub(crate) fn push_number(out: &mut OutputBuffer<'_>, key: &str, number: u64) {
    push_key(out, key);
    out.number(number);
}

pub(crate) fn push_signed(out: &mut OutputBuffer<'_>, key: &str, number: i64) {
    push_key(out, key);
    out.bytes(number.to_string().as_bytes());
}

pub(crate) fn push_flag(out: &mut OutputBuffer<'_>, key: &str, flag: bool) {
    push_key(out, key);
    out.bytes(if flag { b"true" } else { b"false" });
}

/// Appends a key and a list; `push` appends an item.
pub(crate) fn push_list<T>(
    out: &mut OutputBuffer<'_>,
    key: &str,
    items: impl IntoIterator<Item = T>,
    push: impl Fn(&mut OutputBuffer<'_>, T),
) {
    push_key(out, key);
    out.byte(b'[');
    for (nth, item) in items.into_iter().enumerate() {
        if nth > 0 {
            out.byte(b',');
        }
        push(out, item);
    }
    out.byte(b']');
}

pub(crate) fn push_ident(out: &mut OutputBuffer<'_>, key: &str, ident: &Ident) {
    push_key(out, key);
    out.bytes(b"{\"name\":");
    push_text(out, &ident.name);
    out.bytes(b",\"mail\":");
    let mail = ident.mail.strip_prefix(b"<");
    match mail.and_then(|mail| mail.strip_suffix(b">")) {
        Some(mail) => push_text(out, mail),
        None => out.bytes(b"null"),
    }
    push_number(out, "time", ident.time);
    out.bytes(b",\"zone\":");
    push_text(out, &ident.zone);
    out.byte(b'}');
}

/// Appends the keys `author`, `committer` and `summary` of a commit.
pub(crate) fn push_commit_text(out: &mut OutputBuffer<'_>, text: &CommitText) {
    push_ident(out, "author", &text.author);
    push_ident(out, "committer", &text.committer);
    push_key(out, "summary");
    push_text(out, &text.summary);
}

/// Appends the key `ranges` with ranges of lines and their contents.
pub(crate) fn push_ranges(
    out: &mut OutputBuffer<'_>,
    ranges: &[Range<u32>],
    version: VersionLines<'_>,
) {
    push_range_list(out, "ranges", ranges, |out, range| {
        push_list(out, "lines", range.clone(), |out, line| {
            let text = version.line(line);
            push_text(out, text.strip_suffix(b"\n").unwrap_or(text));
        });
    });
}

/// Appends a key and ranges of lines (0-based, half-open) without their contents.
pub(crate) fn push_line_numbers(out: &mut OutputBuffer<'_>, key: &str, ranges: &[Range<u32>]) {
    push_range_list(out, key, ranges, |_, _| {});
}

/// Appends a key and a list of ranges; `push_rest` appends further keys of one.
fn push_range_list(
    out: &mut OutputBuffer<'_>,
    key: &str,
    ranges: &[Range<u32>],
    push_rest: impl Fn(&mut OutputBuffer<'_>, &Range<u32>),
) {
    push_list(out, key, ranges, |out, range| {
        out.bytes(b"{\"startLine\":");
        out.number(u64::from(range.start) + 1);
        push_number(out, "endLine", u64::from(range.end));
        push_rest(out, range);
        out.byte(b'}');
    });
}

/// Appends a commit, whose key was written, and the path of a file in it.
pub(crate) fn push_place(out: &mut OutputBuffer<'_>, commit: &ObjectId, path: &[u8]) {
    push_id(out, commit);
    push_key(out, "path");
    push_text(out, path);
}

/// Appends a string, or an object with base64 if it is not UTF-8.
pub(crate) fn push_text(out: &mut OutputBuffer<'_>, text: &[u8]) {
    if std::str::from_utf8(text).is_err() {
        out.bytes(b"{\"base64\":\"");
        out.bytes(base64::encoded(text).as_bytes());
        out.bytes(b"\"}");
        return;
    }
    out.byte(b'"');
    let mut unescaped_from = 0;
    for (at, &byte) in text.iter().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' && byte != 0x7f {
            continue;
        }
        out.bytes(&text[unescaped_from..at]);
        unescaped_from = at + 1;
        match byte {
            b'"' => out.bytes(b"\\\""),
            b'\\' => out.bytes(b"\\\\"),
            b'\t' => out.bytes(b"\\t"),
            b'\n' => out.bytes(b"\\n"),
            b'\r' => out.bytes(b"\\r"),
            _ => {
                const DIGITS: &[u8; 16] = b"0123456789abcdef";
                out.bytes(b"\\u00");
                out.byte(DIGITS[usize::from(byte >> 4)]);
                out.byte(DIGITS[usize::from(byte & 15)]);
            }
        }
    }
    out.bytes(&text[unescaped_from..]);
    out.byte(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_or_in_base64() {
        for (text, expected) in [
            (&b"two\t\x01\"\\\x7f"[..], r#""two\t\u0001\"\\\u007f""#),
            ("ü".as_bytes(), "\"ü\""),
            (b"\xff\xfe\xfd\xfc", r#"{"base64":"//79/A=="}"#),
            (b"\xffa", r#"{"base64":"/2E="}"#),
            (b"\xffab", r#"{"base64":"/2Fi"}"#),
        ] {
            let mut written = Vec::new();
            let mut out = OutputBuffer::new(&mut written);
            push_text(&mut out, text);
            out.flush().expect("a vector takes everything");
            drop(out);
            assert_eq!(String::from_utf8(written).expect("JSON is UTF-8"), expected);
        }
    }
}
