//! References in commit messages: issues, merge requests, commits and URLs.

use std::ops::Range;

use bstr::ByteSlice;

use crate::{sanitize, text::percent};

/// Length of the prefix of a message that is scanned for references, in bytes.
pub const MAX_SCANNED_LEN: usize = 1 << 16;

/// Longest URL after its scheme, in bytes.
const MAX_URL_LEN: usize = 2000;

/// What stands for bytes that are not UTF-8 when they are decoded.
const UNDECODED: char = '\u{fffd}';

/// Punctuation that ends a sentence in other scripts, and dashes, which may stand within a URL.
const ENDINGS: &str = "…‐‑‒–—―،؛؟।";

/// Fewest digits of an abbreviated commit id.
const MIN_ID_LEN: usize = 7;

/// Fewest digits of an id without letters, since dates have eight digits.
const MIN_NUMERIC_ID_LEN: usize = 9;

/// A reference in a commit message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageReference {
    /// `#123`: an issue, on most forges also a pull request.
    Issue(u32),
    /// `!45`: a merge request.
    MergeRequest(u32),
    /// `https://…`: a URL.
    Url,
    /// Seven hexadecimal digits or more: an abbreviated commit id, if such a commit exists.
    Id,
}

/// The references of a message with their byte ranges, in order.
pub fn find(message: &[u8]) -> Vec<(Range<usize>, MessageReference)> {
    let mut found: Vec<(Range<usize>, MessageReference)> = Vec::new();
    let mut at = 0;
    while at < message.len() {
        let free = at.checked_sub(1).is_none_or(|before| {
            let before = message[before];
            !before.is_ascii_alphanumeric() && !b"_&#!".contains(&before)
        });
        let here = free.then(|| {
            let rest = &message[at..];
            page(rest)
                .map(|length| (length, MessageReference::Url))
                .or_else(|| numbered(rest))
                .or_else(|| id(rest).map(|length| (length, MessageReference::Id)))
        });
        match here.flatten() {
            Some((length, reference)) => {
                found.push((at..at + length, reference));
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

/// `#123`, `!45`.
fn numbered(text: &[u8]) -> Option<(usize, MessageReference)> {
    let make: fn(u32) -> MessageReference = match text.first()? {
        b'#' => MessageReference::Issue,
        b'!' => MessageReference::MergeRequest,
        _ => return None,
    };
    let digits = text[1..].iter().take_while(|byte| byte.is_ascii_digit());
    let end = 1 + digits.count();
    let number = text[1..end].to_str().ok()?.parse().ok()?;
    ends(text, end).then_some((end, make(number)))
}

fn id(text: &[u8]) -> Option<usize> {
    let is_digit = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let length = text.iter().take_while(is_digit).count();
    let digits = &text[..length];
    let has_letter = digits.iter().any(u8::is_ascii_alphabetic);
    let fits = (MIN_ID_LEN..=64).contains(&length) && (has_letter || length >= MIN_NUMERIC_ID_LEN);
    (fits && ends(text, length)).then_some(length)
}

fn ends(text: &[u8], end: usize) -> bool {
    let next = text.get(end);
    next.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
}

/// Length of the URL at the start of `text`. It ends before white space, quotes, closing brackets that
/// it does not open, characters that are not shown as they are, and punctuation at its end; with
/// other characters than those of ASCII in its host, whose letters look like others, it is none.
fn page(text: &[u8]) -> Option<usize> {
    let start = ["https://", "http://"]
        .into_iter()
        .find(|scheme| text.starts_with(scheme.as_bytes()))?
        .len();
    let text = &text[..text.len().min(start + MAX_URL_LEN)];
    let mut end = start;
    let mut is_host = true;
    for (_, to, c) in text[start..].char_indices() {
        if !belongs(c) || c == UNDECODED {
            break;
        }
        is_host &= !matches!(c, '/' | '?' | '#');
        if is_host && !c.is_ascii() {
            return None;
        }
        end = start + to;
    }
    while let Some(last) = text[start..end].chars().next_back() {
        let count = |sign: char| text[..end].chars().filter(|&c| c == sign).count();
        let closes = last == ')' && count(')') > count('(');
        if !closes && !".,;:!?'*_]".contains(last) && !ENDINGS.contains(last) {
            break;
        }
        end -= last.len_utf8();
    }
    text.get(start)
        .is_some_and(|first| first.is_ascii_alphanumeric() && end > start)
        .then_some(end)
}

/// True if a character can be part of a URL in a message.
fn belongs(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_graphic() && !"\"<>\\^`{|}".contains(c);
    }
    let mut bytes = [0; 4];
    let text: &str = c.encode_utf8(&mut bytes);
    // A mark on the letter before it is shown with that.
    let is_shown = sanitize::line(format!("e{text}").as_bytes()).ends_with(text);
    // Quotes, brackets and other punctuation of East Asia, which stand beside letters without a blank.
    let is_sign = matches!(c, '\u{2018}'..='\u{201f}' | '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff65}')
        && !c.is_alphanumeric();
    is_shown && !c.is_whitespace() && !is_sign && !"«»‹›".contains(c)
}

/// A URL as a link has it: in ASCII, what is not percent-encoded.
pub fn encoded_url(url: &[u8]) -> String {
    percent::encoded(url, |byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(message: &str) -> Vec<&str> {
        let found = find(message.as_bytes()).into_iter();
        found.map(|(at, _)| &message[at]).collect()
    }

    #[test]
    fn references_are_separate_words() {
        assert_eq!(found("Fix #12, see !3 (#4)."), ["#12", "!3", "#4"]);
        assert_eq!(found("C#12 a!3 #x #12a &#39; #"), [] as [&str; 0]);
        assert_eq!(found("#99999999999"), [] as [&str; 0]);
    }

    #[test]
    fn urls_exclude_trailing_punctuation() {
        assert_eq!(
            found("See https://x.org/a_(b)?c#12, (http://y.org/d). <https://z.org>"),
            [
                "https://x.org/a_(b)?c#12",
                "http://y.org/d",
                "https://z.org"
            ]
        );
        // Characters special to terminals or shells end a URL.
        assert_eq!(
            found("https://x.org/\u{1b}[2J https://x.org/`id` https://é http:// xhttps://x.org"),
            ["https://x.org/", "https://x.org/"]
        );
        for (message, url) in [
            (
                "https://de.example.org/wiki/Käse.",
                "https://de.example.org/wiki/Käse",
            ),
            ("https://x.org/Foo–Bar…", "https://x.org/Foo–Bar"),
            ("https://x.org/?q=naïve#ü, then", "https://x.org/?q=naïve#ü"),
            ("https://x.org/文書。次", "https://x.org/文書"),
            ("「https://x.org/文書」", "https://x.org/文書"),
            ("“https://x.org/é”", "https://x.org/é"),
            ("‘https://x.org/é’", "https://x.org/é"),
            ("«https://x.org/é»", "https://x.org/é"),
            ("https://x.org/e\u{301}x\u{a0}y", "https://x.org/e\u{301}x"),
            ("https://x.org/🎉", "https://x.org/🎉"),
            ("https://x.org/(é)é)", "https://x.org/(é)é"),
            // What is not shown as it is, ends it.
            ("https://x.org/a\u{202e}b", "https://x.org/a"),
            ("https://x.org/a\u{200b}b", "https://x.org/a"),
            ("https://x.org/a\u{9b}b", "https://x.org/a"),
            ("https://x.org/a\u{fffd}b", "https://x.org/a"),
        ] {
            assert_eq!(found(message), [url], "{message}");
        }
        // Letters of other scripts in the host look like those of ASCII.
        for message in [
            "https://examplе.org/a",
            "https://é.org",
            "https://x.org:é/",
            "https://a@é/",
        ] {
            assert_eq!(found(message), [] as [&str; 0], "{message}");
        }
        let broken = find(b"https://x.org/a\xffb");
        assert_eq!(broken, [(0..15, MessageReference::Url)]);
        let long = format!("https://x.org/{}", "a".repeat(9000));
        assert_eq!(found(&long)[0].len(), MAX_URL_LEN + "https://".len());
    }

    #[test]
    fn urls_of_links_are_ascii() {
        let encoded = encoded_url("https://x.org/ä–%20?b=文#c".as_bytes());
        assert_eq!(encoded, "https://x.org/%C3%A4%E2%80%93%20?b=%E6%96%87#c");
    }

    #[test]
    fn ids_have_seven_digits_or_more() {
        assert_eq!(
            found(
                "Fixes 1a2b3c4 (\"x\"), reverts commit 1234567890123456789012345678901234567890."
            ),
            ["1a2b3c4", "1234567890123456789012345678901234567890"]
        );
        assert_eq!(
            found("a1b2c3 20201112 v1-3-g1a2b3c4 1A2B3C4 defaced_x"),
            [] as [&str; 0]
        );
    }
}
