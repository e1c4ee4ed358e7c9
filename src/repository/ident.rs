//! Authors and committers, read from commits as `git blame` reads them.

use bstr::{BStr, BString, ByteSlice};
use memchr::memchr_iter;

use super::texts::Ident;
use crate::objects::oid;

const UNKNOWN: &str = "(unknown)";

/// The ident of the first line of `commit` that starts with `role` (`author` or `committer`).
///
/// Whatever is missing or malformed reads as git has it: without such a line, or without angle
/// brackets in it, nothing is known; without a readable date and zone, they are not.
pub fn ident(commit: &[u8], role: &str) -> Ident {
    value(commit, role).map_or_else(unknown, |line| parse(line.as_bstr()))
}

/// What follows `key` in the first line that starts with it, but for the very first line.
fn value<'a>(commit: &'a [u8], key: &str) -> Option<&'a [u8]> {
    let mut rest = commit;
    while let Some(lf) = rest.find_byte(b'\n') {
        rest = &rest[lf + 1..];
        let value = rest.strip_prefix(key.as_bytes());
        if let Some(value) = value.and_then(|rest| rest.strip_prefix(b" ")) {
            return Some(&value[..value.find_byte(b'\n').unwrap_or(value.len())]);
        }
    }
    None
}

fn unknown() -> Ident {
    Ident {
        name: UNKNOWN.into(),
        mail: UNKNOWN.into(),
        time: 0,
        zone: UNKNOWN.into(),
    }
}

fn parse(line: &BStr) -> Ident {
    let Some(open) = line.find_byte(b'<') else {
        return unknown();
    };
    let Some(close) = line[open..].find_byte(b'>').map(|at| open + at) else {
        return unknown();
    };
    let name = line[..open].trim_ascii_end();
    let (time, zone) = line
        .rfind_byte(b'>')
        .and_then(|last| date(&line[last + 1..]))
        .unwrap_or((0, UNKNOWN.into()));
    Ident {
        name: name.into(),
        mail: line[open..=close].into(),
        time,
        zone,
    }
}

/// Seconds and zone, if both are there.
fn date(text: &[u8]) -> Option<(u64, BString)> {
    let text = text.trim_ascii_start();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return None;
    }
    let zone = text[digits..].trim_ascii_start();
    if !matches!(zone.first(), Some(b'+' | b'-')) {
        return None;
    }
    let zone_digits = zone[1..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if zone_digits == 0 {
        return None;
    }
    let time = text[..digits].iter().fold(0u64, |time, &digit| {
        time.saturating_mul(10)
            .saturating_add(u64::from(digit - b'0'))
    });
    Some((time, zone[..=zone_digits].into()))
}

/// The message of a commit: what follows the first empty line.
pub fn message(commit: &[u8]) -> &BStr {
    match header_end(commit) {
        Some(at) => commit[at + 2..].as_bstr(),
        None => BStr::new(b""),
    }
}

/// Where the first empty line is, less the line feed before it.
fn header_end(commit: &[u8]) -> Option<usize> {
    memchr_iter(b'\n', commit).find(|lf| commit.get(lf + 1) == Some(&b'\n'))
}

/// The first line of `message` that is not blank, or `id` in parentheses.
pub fn summary(message: &BStr, id: &oid) -> BString {
    let first = message
        .split(|&byte| byte == b'\n')
        .find(|line| !blank(line));
    match first {
        Some(line) => line.into(),
        None => format!("({id})").into(),
    }
}

fn blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

/// The encoding that a commit's header declares.
pub fn declared_encoding(commit: &[u8]) -> Option<&BStr> {
    let header = &commit[..header_end(commit).unwrap_or(commit.len())];
    match header.strip_prefix(b"encoding ") {
        Some(rest) => rest.split(|&byte| byte == b'\n').next(),
        None => value(header, "encoding"),
    }
    .map(ByteSlice::as_bstr)
}

/// The header of a commit and the first line of its message that is not blank, if `start` has all
/// of that and nothing is unusual about it. Such a part tells the same of idents, encoding and
/// summary as the whole.
pub fn title(start: &[u8]) -> Option<&[u8]> {
    let mut at = header_end(start)?;
    let header = &start[..at];
    value(header, "author").and(value(header, "committer"))?;
    at += 2;
    loop {
        let line = at;
        at += start[line..].find_byte(b'\n')? + 1;
        if !blank(&start[line..at]) {
            // Whatever follows a NUL does not count.
            return start[..at].find_byte(0).is_none().then_some(&start[..at]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::{HashKind, ObjectId};

    fn read(line: &str) -> (String, String, u64, String) {
        let ident = ident(format!("tree x\nauthor {line}\n\nm").as_bytes(), "author");
        (
            ident.name.to_string(),
            ident.mail.to_string(),
            ident.time,
            ident.zone.to_string(),
        )
    }

    fn expect(name: &str, mail: &str, time: u64, zone: &str) -> (String, String, u64, String) {
        (name.into(), mail.into(), time, zone.into())
    }

    #[test]
    fn idents_of_all_shapes() {
        assert_eq!(
            read("A B <a@b> 15 +0100"),
            expect("A B", "<a@b>", 15, "+0100")
        );
        assert_eq!(read("<a@b> 15 +0100"), expect("", "<a@b>", 15, "+0100"));
        assert_eq!(
            read("nobody 15 +0100"),
            expect(UNKNOWN, UNKNOWN, 0, UNKNOWN)
        );
        assert_eq!(read("A <a@b>"), expect("A", "<a@b>", 0, UNKNOWN));
        assert_eq!(read("A <a@b> -5 +0000"), expect("A", "<a@b>", 0, UNKNOWN));
        assert_eq!(read("A <a@b> 5"), expect("A", "<a@b>", 0, UNKNOWN));
        assert_eq!(read("Dup <<a@b>> 5 +05"), expect("Dup", "<<a@b>", 5, "+05"));
        assert_eq!(
            read("Two <a@b> <c@d> 5 -0000"),
            expect("Two", "<a@b>", 5, "-0000")
        );
        assert_eq!(
            read("A <> 99999999999999999999999 +0000"),
            expect("A", "<>", u64::MAX, "+0000")
        );
    }

    #[test]
    fn a_missing_line_may_be_found_in_the_message() {
        assert_eq!(
            ident(b"tree x\n\nm\nauthor M <m@x> 1 +0000\n", "author").name,
            "M"
        );
        assert_eq!(ident(b"tree x\n\nm", "author"), unknown());
    }

    #[test]
    fn summaries() {
        let id = ObjectId::null(HashKind::Sha1);
        let summary = |text: &str| summary(message(text.as_bytes()), &id).to_string();
        assert_eq!(summary("tree x\n\n\n  \n  one \r\ntwo"), "  one \r");
        assert_eq!(summary("tree x\n\n \n"), format!("({id})"));
        assert_eq!(summary("tree x"), format!("({id})"));
    }

    /// However much more there is, a title and what is before it are the same.
    #[test]
    fn a_title_is_as_in_the_whole() {
        let header = "tree x\nauthor A <a@b> 1 +0000\ncommitter C <c@d> 2 +0100\n";
        let odd = "tree x\nauthor A <a@b> 1 +0000\n";
        for (whole, expected) in [
            (format!("{header}\none\n\ntwo\n"), Some("one\n")),
            (
                format!("{header}gpgsig x\n y\n\n \n\none\ntwo"),
                Some("one\n"),
            ),
            (format!("{header}encoding x\n\none\ntwo\0"), Some("one\n")),
            (format!("{header}\none"), None),
            (format!("{header}\n \n"), None),
            (format!("{header}\no\0ne\n"), None),
            (format!("{odd}\none\ncommitter C <c@d> 2 +0100\n"), None),
            (header.to_owned(), None),
        ] {
            let whole = whole.as_bytes();
            let titles = (0..=whole.len()).filter_map(|len| title(&whole[..len]));
            let titles: Vec<&[u8]> = titles.collect();
            assert_eq!(titles.is_empty(), expected.is_none(), "{}", whole.as_bstr());
            for start in titles {
                assert!(start.ends_with(expected.expect("a title").as_bytes()));
                for role in ["author", "committer"] {
                    assert_eq!(ident(start, role), ident(whole, role));
                }
                assert_eq!(declared_encoding(start), declared_encoding(whole));
                let id = ObjectId::null(HashKind::Sha1);
                assert_eq!(summary(message(start), &id), summary(message(whole), &id));
            }
        }
    }

    #[test]
    fn the_encoding_is_a_header() {
        assert_eq!(
            declared_encoding(b"tree x\nencoding latin1\n\nm"),
            Some("latin1".into())
        );
        assert_eq!(declared_encoding(b"tree x\n\nencoding y\n"), None);
    }
}
