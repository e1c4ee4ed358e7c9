//! Parser for the head of a commit object: tree, parents, committer date.

use gix_hash::{Kind, ObjectId};

use crate::objects::{
    error::Reason,
    types::{CommitHead, Parents},
};

/// Result of parsing the first bytes of a commit.
pub(crate) enum ParsedHead {
    /// Everything up to the committer line was present.
    Complete(CommitHead),
    /// More bytes are needed.
    Truncated,
}

/// Parses the start of a commit. `whole` says that `data` is complete.
///
/// Of a whole commit, it is as lenient as git: a missing or malformed date is 0; malformed tree and
/// parent lines are errors, in its words. A prefix must be regular, since no checksum vouches for
/// it: the keys and dates must be as git writes them, and a damaged id names no object. What a
/// changed date can do is to change the order in which commits are visited.
pub(crate) fn parse(data: &[u8], hash: Kind, whole: bool) -> Result<ParsedHead, Reason> {
    parse_parts(data, hash, whole, HeadParts::All)
}

/// The parts that are wanted of a commit's head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeadParts {
    All,
    /// The date of a head that is not parsed from the whole commit is 0.
    TreeAndParents,
}

/// [`parse`] of only some parts of a head.
pub(crate) fn parse_parts(
    data: &[u8],
    hash: Kind,
    whole: bool,
    parts: HeadParts,
) -> Result<ParsedHead, Reason> {
    let hex_len = hash.len_in_hex();
    let Some((tree, mut rest)) = id_line(data, b"tree ", hex_len) else {
        let has_line = data.starts_with(b"tree ") && data.get(hex_len + 5) == Some(&b'\n');
        return if !whole && data.len() <= hex_len + 5 {
            Ok(ParsedHead::Truncated)
        } else if has_line {
            Err("bad tree pointer in commit")
        } else {
            Err(BOGUS)
        };
    };
    if whole && rest.is_empty() {
        return Err(BOGUS);
    }
    let mut parents = Parents::new();
    let line_len = hex_len + 8;
    loop {
        let key = &rest[..rest.len().min(7)];
        if !whole && rest.len() <= line_len && b"parent ".starts_with(key) {
            return Ok(ParsedHead::Truncated);
        }
        // As in git, a last line too short for a parent is no parent and no error.
        if rest.len() < line_len || key != b"parent " {
            break;
        }
        let (parent, after) = id_line(rest, b"parent ", hex_len)
            .filter(|(_, after)| !after.is_empty())
            .ok_or("bad parents in commit")?;
        parents.push(parent);
        rest = after;
    }
    let time = if whole || parts == HeadParts::All {
        committer_time(rest, whole)?
    } else if rest.starts_with(AUTHOR) {
        Some(0)
    } else if AUTHOR.starts_with(rest) {
        None
    } else {
        return Err(IRREGULAR);
    };
    let Some(time) = time else {
        return Ok(ParsedHead::Truncated);
    };
    Ok(ParsedHead::Complete(CommitHead {
        tree,
        parents,
        time,
        graph: None,
    }))
}

fn id_line<'a>(data: &'a [u8], key: &[u8], hex_len: usize) -> Option<(ObjectId, &'a [u8])> {
    let rest = data.strip_prefix(key)?;
    let (hex, rest) = rest.split_at_checked(hex_len)?;
    let rest = rest.strip_prefix(b"\n")?;
    Some((id_from_hex(hex)?, rest))
}

/// Like [`ObjectId::from_hex`], but eight digits at a time in a register: commits are read by the
/// thousand, and each names two ids and more.
fn id_from_hex(hex: &[u8]) -> Option<ObjectId> {
    match hex.len() {
        40 => bytes_from_hex(hex).map(ObjectId::Sha1),
        64 => bytes_from_hex(hex).map(ObjectId::Sha256),
        _ => None,
    }
}

/// The bytes of `2 * N` hexadecimal digits, where `N` is a multiple of 4.
fn bytes_from_hex<const N: usize>(hex: &[u8]) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let mut are_digits = EACH << 7;
    let digits = hex.as_chunks::<8>().0;
    for (four, eight) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(digits) {
        let eight = u64::from_le_bytes(*eight);
        are_digits &= hex_digits(eight);
        // Bit 6 is set in letters only, and the low four bits of `a` and `A` are 1.
        let values = (eight & (EACH * 0x0f)) + (eight >> 6 & EACH) * 9;
        // The first digit of a byte is the high one.
        let pairs = (values << 4 | values >> 8) & 0x00ff_00ff_00ff_00ff;
        let pairs = (pairs | pairs >> 8) & 0x0000_ffff_0000_ffff;
        *four = ((pairs | pairs >> 16) as u32).to_le_bytes();
    }
    (are_digits == EACH << 7).then_some(bytes)
}

/// Times a byte: eight of it.
const EACH: u64 = 0x0101_0101_0101_0101;

/// The highest bit of each byte is set in the result if the byte is a hexadecimal digit. The other
/// bits are undefined.
fn hex_digits(eight: u64) -> u64 {
    // The highest bit of a sum is set where the byte is at least `first`; no sum carries into the
    // next byte.
    let ascii = eight & (EACH * 0x7f);
    let at_least = |bytes: u64, first: u8| bytes + EACH * u64::from(0x80 - first);
    let is_number = at_least(ascii, b'0') & !at_least(ascii, b'9' + 1);
    let lower = ascii | (EACH * 0x20);
    let is_letter = at_least(lower, b'a') & !at_least(lower, b'f' + 1);
    (is_number | is_letter) & !eight
}

/// The committer date after the parent lines; `None` if the bytes end too early to tell.
fn committer_time(data: &[u8], whole: bool) -> Result<Option<i64>, Reason> {
    let Some(author) = header_line(data, AUTHOR, whole)? else {
        return Ok(whole.then_some(0));
    };
    let rest = &data[author.len() + 1..];
    let Some(line) = header_line(rest, b"committer ", whole)? else {
        return Ok(whole.then_some(0));
    };
    let after = memchr::memrchr(b'>', line).map_or(&[][..], |at| &line[at + 1..]);
    if !whole && !is_regular_date(after) {
        return Err(IRREGULAR);
    }
    Ok(Some(parse_timestamp(after)))
}

/// The line at the start of `data`, if it begins with `key` and ends; `None` if not, or not yet.
fn header_line<'a>(data: &'a [u8], key: &[u8], whole: bool) -> Result<Option<&'a [u8]>, Reason> {
    // git does not look at the blank after the key.
    let needed = if whole { &key[..key.len() - 1] } else { key };
    if !data.starts_with(needed) {
        return if whole || needed.starts_with(data) {
            Ok(None)
        } else {
            Err(IRREGULAR)
        };
    }
    Ok(memchr::memchr(b'\n', data).map(|end| &data[..end]))
}

/// The start of the line after the parents.
const AUTHOR: &[u8] = b"author ";

const BOGUS: Reason = "bogus commit object";
const IRREGULAR: Reason = "the start of a commit is not as git writes it";

/// True if a date is a blank, digits, a blank and a zone.
fn is_regular_date(date: &[u8]) -> bool {
    let mut parts = date.split(|&byte| byte == b' ');
    let is_number = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    parts.next() == Some(b"")
        && parts.next().is_some_and(is_number)
        && parts
            .next()
            .is_some_and(|zone| matches!(zone, [b'+' | b'-', digits @ ..] if is_number(digits)))
        && parts.next().is_none()
}

/// The author date of a complete commit in seconds since the epoch; 0 if there is none.
pub fn author_time(data: &[u8]) -> i64 {
    let mut lines = data.split(|&byte| byte == b'\n');
    let header = lines.by_ref().take_while(|line| !line.is_empty());
    let author = header
        .into_iter()
        .find_map(|line| line.strip_prefix(b"author "));
    let date = author.and_then(|line| memchr::memrchr(b'>', line).map(|at| &line[at + 1..]));
    date.map_or(0, parse_timestamp)
}

/// Parses a timestamp as git does: saturating, 0 without a leading digit. git reads an unsigned
/// number, so a negative one wraps to later than all others.
fn parse_timestamp(text: &[u8]) -> i64 {
    let blanks = text
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
        .count();
    let text = &text[blanks..];
    let (negative, digits) = match text.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let mut value = 0i64;
    for digit in digits.iter().take_while(|byte| byte.is_ascii_digit()) {
        value = value
            .saturating_mul(10)
            .saturating_add(i64::from(digit - b'0'));
    }
    if negative && value > 0 {
        i64::MAX
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "tree 1234567890123456789012345678901234567890\n";
    const PARENT: &str = "parent abcdefabcdefabcdefabcdefabcdefabcdefabcd\n";

    fn head(rest: &str) -> Result<CommitHead, Reason> {
        let text = format!("{TREE}{rest}");
        match parse(text.as_bytes(), Kind::Sha1, true)? {
            ParsedHead::Complete(head) => Ok(head),
            ParsedHead::Truncated => panic!("the commit is complete"),
        }
    }

    #[test]
    fn ids_are_those_of_the_library() {
        let mut compared = 0;
        for digits in ["0123456789abcdefABCDEF9876543210fedcba00", &"9f".repeat(32)] {
            for (at, byte) in (0..digits.len()).flat_map(|at| (0..=255).map(move |byte| (at, byte)))
            {
                let mut hex = digits.as_bytes().to_vec();
                hex[at] = byte;
                let expected = ObjectId::from_hex(&hex).ok();
                assert_eq!(id_from_hex(&hex), expected, "{at} {byte}");
                assert_eq!(expected.is_some(), byte.is_ascii_hexdigit());
                compared += 1;
            }
        }
        assert_eq!(compared, (40 + 64) * 256);
    }

    #[test]
    fn a_valid_commit_is_parsed() {
        let head = head(&format!(
            "{PARENT}{PARENT}author A <a> 5 +0000\ncommitter C > <c> 77 +0100\n\ntext"
        ))
        .expect("valid");
        assert_eq!(head.parents.len(), 2);
        assert_eq!(head.time, 77);
        assert_eq!(head.tree.to_string(), TREE[5..45]);
    }

    #[test]
    fn unparsable_dates_are_zero() {
        for rest in [
            "parent 12\n",
            "author",
            "author A <a> 5 +0000\n",
            "author A <a> 5 +0000\ncommitter C <c> 5",
            "author A <a> 5 +0000\ncommitter C <c 5 +0000\n",
            "author A <a> 5 +0000\ncommitter C <c> x5 +0000\n",
            "author A <a> 5 +0000\ncommitter C <c>\n",
            "author A <a> 5 +0000\ncommitter C <c>\x0c5 +0000\n",
            "author A <a> 5 +0000\nother\ncommitter C <c> 5 +0000\n",
            "\nauthor A <a> 5 +0000\ncommitter C <c> 5 +0000\n",
        ] {
            assert_eq!(head(rest).map(|head| head.time), Ok(0), "{rest}");
        }
        let huge = "author A <a> 5 +0000\ncommitter C <c> 99999999999999999999 +0000\n";
        assert_eq!(head(huge).map(|head| head.time), Ok(i64::MAX));
    }

    #[test]
    fn malformed_ids_are_errors() {
        assert!(head("").is_err());
        assert!(head(PARENT).is_err());
        let long = "parent 123\nauthor A <a> 5 +0000\ncommitter C <c> 5 +0000\n";
        assert!(head(long).is_err());
        assert!(parse(b"tree 12\n", Kind::Sha1, true).is_err());
        assert!(parse(b"", Kind::Sha1, true).is_err());
        assert!(parse(PARENT.as_bytes(), Kind::Sha1, false).is_err());
    }

    #[test]
    fn any_prefix_is_truncated_or_complete() {
        let text =
            format!("{TREE}{PARENT}author A <a> 5 +0000\ncommitter C <c> 77 +0100\n\nlong text");
        let line = text.find("\n\n").expect("found") + 1;
        for len in 0..=text.len() {
            match parse(&text.as_bytes()[..len], Kind::Sha1, false) {
                Ok(ParsedHead::Complete(head)) => {
                    assert!(len >= line);
                    assert_eq!(head.time, 77);
                    assert_eq!(head.parents.len(), 1);
                }
                Ok(ParsedHead::Truncated) => assert!(len < line, "{len}"),
                Err(reason) => panic!("{reason} at {len}"),
            }
        }
    }

    #[test]
    fn without_the_date_a_prefix_ends_with_the_parents() {
        let text = format!("{TREE}{PARENT}{PARENT}author A <a> 5 +0000\ncommitter C <c> 77");
        let needed = TREE.len() + 2 * PARENT.len() + AUTHOR.len();
        let parse = |data: &[u8]| parse_parts(data, Kind::Sha1, false, HeadParts::TreeAndParents);
        for len in 0..=text.len() {
            match parse(&text.as_bytes()[..len]) {
                Ok(ParsedHead::Complete(head)) => {
                    assert!(len >= needed, "{len}");
                    assert_eq!((head.time, head.parents.len()), (0, 2));
                }
                Ok(ParsedHead::Truncated) => assert!(len < needed, "{len}"),
                Err(reason) => panic!("{reason} at {len}"),
            }
        }
        assert!(parse(format!("{TREE}{PARENT}authxr A").as_bytes()).is_err());
    }
}
