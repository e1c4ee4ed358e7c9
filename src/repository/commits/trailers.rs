//! The trailers of a commit's message.

use bstr::{BString, ByteSlice};

/// Trailers listed at most.
const MAX_TRAILERS: usize = 1000;

/// The key of trailers that name co-authors, in any case.
const CO_AUTHOR: &[u8] = b"Co-authored-by";

/// Splits the trailers off a message without blanks at its ends: the last of several paragraphs, if
/// every line is a trailer, a continuation of one, or a cherry-pick note.
pub fn split(message: &[u8]) -> (&[u8], &[u8]) {
    let nothing = (message, &b""[..]);
    let Some(at) = last_blank_line(message) else {
        return nothing;
    };
    let (body, trailers) = (&message[..at], message[at..].trim_ascii());
    for (at, line) in trailers.lines().enumerate() {
        let goes_on = at > 0 && matches!(line.first(), Some(b' ' | b'\t'));
        if trailer(line).is_none() && !goes_on && !is_cherry_pick_note(line) {
            return nothing;
        }
    }
    (body.trim_ascii_end(), trailers)
}

/// The last of several paragraphs of a message without blanks at its ends.
pub fn last_paragraph(message: &[u8]) -> Option<&[u8]> {
    Some(message[last_blank_line(message)?..].trim_ascii())
}

/// The keys and the values of a message's trailers, continuations joined by a blank.
pub fn of_message(message: &[u8]) -> Vec<(BString, BString)> {
    let (_, trailers) = split(message.trim_ascii());
    let mut found: Vec<(BString, BString)> = Vec::new();
    for line in trailers.lines() {
        if is_cherry_pick_note(line) {
            continue;
        }
        if let Some((key, value)) = trailer(line) {
            if found.len() == MAX_TRAILERS {
                break;
            }
            found.push((key.into(), value.trim_ascii().into()));
        } else if let Some((_, value)) = found.last_mut() {
            value.push(b' ');
            value.extend_from_slice(line.trim_ascii());
        }
    }
    found
}

/// Names and addresses of the trailers `Co-authored-by`, in their order: addresses without angle
/// brackets, and empty where there is none.
pub fn co_authors(message: &[u8]) -> Vec<(BString, BString)> {
    // Most messages have none, and need no search for their trailers.
    if !message.lines().any(starts_co_author) {
        return Vec::new();
    }
    let trailers = of_message(message).into_iter();
    let values = trailers.filter(|(key, _)| key.eq_ignore_ascii_case(CO_AUTHOR));
    let idents = values.map(|(_, value)| {
        let (name, mail) = match value.find_byte(b'<') {
            Some(at) => (&value[..at], &value[at + 1..]),
            None => (&value[..], &b""[..]),
        };
        let mail = mail.strip_suffix(b">").unwrap_or(mail);
        (name.trim_ascii().into(), mail.trim_ascii().into())
    });
    let is_named = |(name, mail): &(BString, BString)| !(name.is_empty() && mail.is_empty());
    idents.filter(is_named).collect()
}

/// Where the last line that is empty or only white space starts. Messages written on the web have
/// such lines with a carriage return, after others without.
fn last_blank_line(message: &[u8]) -> Option<usize> {
    let mut end = message.len();
    while let Some(at) = message[..end].rfind_byte(b'\n') {
        if message[at + 1..end].trim_ascii().is_empty() {
            return Some(at + 1);
        }
        end = at;
    }
    None
}

fn starts_co_author(line: &[u8]) -> bool {
    let key = line.get(..CO_AUTHOR.len()).unwrap_or_default();
    key.eq_ignore_ascii_case(CO_AUTHOR)
}

/// The key and the value of a line.
fn trailer(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = line.find_byte(b':')?;
    let is_key = |&byte: &u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let (key, value) = (&line[..at], &line[at + 1..]);
    (!key.is_empty() && key.iter().all(is_key)).then_some((key, value))
}

fn is_cherry_pick_note(line: &[u8]) -> bool {
    line.starts_with_str("(cherry picked from commit ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailers_are_the_last_paragraph_if_all_of_it_is() {
        let parts = |message: &'static str| {
            let (body, trailers) = split(message.as_bytes());
            (body.to_str_lossy(), trailers.to_str_lossy())
        };
        assert_eq!(
            parts("S\n\nBody\n\nFixes: #1\n on two\n\tlines\nAcked-by: A <a@b>"),
            (
                "S\n\nBody".into(),
                "Fixes: #1\n on two\n\tlines\nAcked-by: A <a@b>".into()
            )
        );
        for blank in ["\n", "\r\n", " \t\n"] {
            let message = format!("S\n\nBody\r\n{blank}Fixes: #1\r\nAcked-by: A");
            let (body, trailers) = split(message.as_bytes());
            assert_eq!(body, b"S\n\nBody", "{blank:?}");
            assert_eq!(trailers, b"Fixes: #1\r\nAcked-by: A", "{blank:?}");
        }
        for message in [
            "Fixes: #1",
            "S\n\nNote: this\nand more",
            "S\n\nJust words",
            "",
        ] {
            assert_eq!(parts(message), (message.into(), "".into()));
        }
    }

    #[test]
    fn values_are_unfolded() {
        let message = "S\n\nFixes: #1\n  on two lines\n(cherry picked from commit 1)\nAcked-by:A\n";
        let pair = |key: &str, value: &str| (BString::from(key), BString::from(value));
        assert_eq!(
            of_message(message.as_bytes()),
            [pair("Fixes", "#1 on two lines"), pair("Acked-by", "A")]
        );
        assert_eq!(of_message(b"S"), []);
    }
}
