//! Parsing of commit headers and messages as `git blame` does it.

use bstr::{BStr, BString, ByteSlice};

use crate::repository::commits::{commit_text::Ident, trailers};

/// The longest change id, in characters: Gerrit's have 41, jj's 32, or 64 for SHA-256.
const MAX_CHANGE_ID: usize = 64;

const UNKNOWN: &str = "(unknown)";

/// The ident of the first line of `commit` that starts with `role` (`author` or `committer`).
///
/// Malformed lines are read as git reads them: without such a line, or without angle brackets in
/// it, every field is unknown; without a readable date and zone, these two are.
pub fn ident(commit: &[u8], role: &str) -> Ident {
    let mut lines = memchr::memchr_iter(b'\n', commit).map(|at| &commit[at + 1..]);
    let line = lines.find_map(|line| {
        let line = line.strip_prefix(role.as_bytes())?;
        line.strip_prefix(b" ")
    });
    let Some(line) = line else {
        return unknown();
    };
    let line = line.lines().next().unwrap_or_default();
    parse(line.as_bstr())
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

/// Seconds since the epoch and zone; `None` unless both are there.
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

/// The commit message: what follows the first empty line.
pub fn message(commit: &[u8]) -> &BStr {
    match commit.find(b"\n\n") {
        Some(at) => commit[at + 2..].as_bstr(),
        None => BStr::new(b""),
    }
}

/// The first line of `message` that is not blank, or `id` in parentheses.
pub fn summary(message: &BStr, id: &dyn std::fmt::Display) -> BString {
    let first = message
        .split(|&byte| byte == b'\n')
        .find(|line| !line.iter().all(u8::is_ascii_whitespace));
    match first {
        Some(line) => line.into(),
        None => format!("({id})").into(),
    }
}

/// The encoding that a commit's header declares.
pub fn declared_encoding(commit: &[u8]) -> Option<&BStr> {
    header(commit, b"encoding ")
}

/// The change id that jj and other tools keep when they rewrite a commit, from its header
/// `change-id`, or else Gerrit's from the last trailer `Change-Id`.
pub fn change_id(commit: &[u8]) -> Option<BString> {
    // Most commits have none, and need no search line by line.
    let has = |text: &[u8]| memchr::memmem::find(commit, text).is_some();
    let of_header = || {
        let found = has(b"\nchange-id ").then(|| header(commit, b"change-id "));
        found.flatten().map(ToOwned::to_owned)
    };
    let of_trailer = || {
        if !has(b"\nChange-Id:") {
            return None;
        }
        let message = message(commit);
        let trailers = trailers::of_message(message).into_iter().rev();
        let mut found = trailers.filter(|(name, _)| name == "Change-Id");
        found.next().map(|(_, value)| value)
    };
    let found = of_header().or_else(of_trailer)?;
    let is_id = (1..=MAX_CHANGE_ID).contains(&found.len());
    (is_id && found.iter().all(u8::is_ascii_alphanumeric)).then_some(found)
}

/// The rest of the first line of the header that starts with `key`.
fn header<'c>(commit: &'c [u8], key: &[u8]) -> Option<&'c BStr> {
    let header = &commit[..commit.find(b"\n\n").unwrap_or(commit.len())];
    header
        .split(|&byte| byte == b'\n')
        .find_map(|line| line.strip_prefix(key))
        .map(ByteSlice::as_bstr)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let summary = |text: &str| summary(message(text.as_bytes()), &"id").to_string();
        assert_eq!(summary("tree x\n\n\n  \n  one \r\ntwo"), "  one \r");
        assert_eq!(summary("tree x\n\n \n"), "(id)");
        assert_eq!(summary("tree x"), "(id)");
    }

    #[test]
    fn change_ids_are_headers_or_trailers() {
        let id = |commit: &str| change_id(commit.as_bytes()).map(|id| id.to_string());
        let of_jj = "tree x\nchange-id kxyz\n\nm\n\nChange-Id: I12\n";
        assert_eq!(id(of_jj).as_deref(), Some("kxyz"));
        let of_gerrit = "tree x\n\nm\n\nChange-Id: I1\nChange-Id: I12\nAcked-by: A\n";
        assert_eq!(id(of_gerrit).as_deref(), Some("I12"));
        for without in [
            "tree x\n\nm\nchange-id kxyz\n",
            "tree x\ngpgsig a\n change-id kxyz\n\nm\n",
            "tree x\n\nChange-Id: I12\n\nbody\n",
            "tree x\nchange-id \n\nm",
            "tree x\nchange-id k\u{1b}[m\n\nm",
            &format!("tree x\nchange-id {}\n\nm", "k".repeat(65)),
        ] {
            assert_eq!(id(without), None, "{without:?}");
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
