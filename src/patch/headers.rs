//! Lines of a patch outside of hunks.

use bstr::{BString, ByteSlice};

use crate::{patch::hunk::MAX_SIDES, text::c_quotes::unquote};

/// The header of a hunk.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HunkHeader {
    /// The lines of each old side.
    pub(super) old: Vec<HeaderRange>,
    /// The number of lines on the new side, as in [`HeaderRange`].
    pub(super) new_count: i64,
}

/// The lines of one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HeaderRange {
    /// The first one (0-based).
    pub(super) start: u32,
    /// How many they are; -1 in combined diffs without context, which count one less than there are at
    /// the end of a file.
    pub(super) count: i64,
}

/// True if a line can only be meant as the header of a hunk.
pub(super) fn is_hunk_header(line: &[u8]) -> bool {
    let sides = line.iter().take_while(|&&byte| byte == b'@').count();
    sides >= 2 && line.get(sides..).is_some_and(|it| it.starts_with(b" -"))
}

/// Reads `@@ -1,2 +1,3 @@`, or with more old sides `@@@ -1,2 -1 +1,3 @@@`. `None` if it is not valid.
pub(super) fn hunk_header(line: &[u8]) -> Option<HunkHeader> {
    let sides = line.iter().take_while(|&&byte| byte == b'@').count();
    let sides = sides
        .checked_sub(1)
        .filter(|&it| it > 0 && it <= MAX_SIDES)?;
    let marks = &line[..=sides];
    let mut words = line[sides + 1..].strip_prefix(b" ")?.split_str(" ");
    let is_combined = sides > 1;
    let old = (0..sides).map(|_| range(words.next()?, b"-", is_combined));
    let old: Vec<HeaderRange> = old.collect::<Option<_>>()?;
    let new = range(words.next()?, b"+", is_combined)?;
    let end = words.next()?;
    let end = end.strip_suffix(b"\r").unwrap_or(end);
    (end == marks).then_some(HunkHeader {
        old,
        new_count: new.count,
    })
}

/// Reads `-START,COUNT`; a count of 1 may be left out. With a count of 0, the start is the line
/// before, but in combined diffs the next one.
fn range(word: &[u8], sign: &[u8], is_combined: bool) -> Option<HeaderRange> {
    let word = word.strip_prefix(sign)?;
    let (start, count) = word.split_once_str(",").unwrap_or((word, b"1"));
    let start = number(start)?;
    let count = match count {
        // What git writes for -1, in 64 bits and in 32.
        b"18446744073709551615" | b"4294967295" if is_combined => -1,
        count => number(count)?.into(),
    };
    let start = match (start, count) {
        (_, ..1) => start.saturating_sub(is_combined.into()),
        _ => start.checked_sub(1)?,
    };
    // Beyond it there is a line still, to which lines can be counted.
    let end = i64::from(start) + count;
    (end < i64::from(u32::MAX) - 1).then_some(HeaderRange { start, count })
}

fn number(digits: &[u8]) -> Option<u32> {
    let is_number = digits.iter().all(u8::is_ascii_digit);
    let text = digits.to_str().ok().filter(|_| is_number)?;
    text.parse().ok()
}

/// The name after `--- ` or `+++ `: quoted, or up to a tab, which the time of `diff -u` follows.
pub(super) fn name(rest: &[u8]) -> Option<BString> {
    if let Some((name, _)) = rest.strip_prefix(b"\"").and_then(unquote) {
        return Some(name.into());
    }
    let name = rest.split_once_str("\t").map_or(rest, |(name, _)| name);
    Some(BString::from(name)).filter(|name| !name.is_empty())
}

/// The two names of a `diff --git` line. Names with spaces are found only where both are the same
/// but for their first directories; other files have their names on further lines.
pub(super) fn names_of_git(rest: &[u8]) -> Option<(BString, BString)> {
    if let Some((old, end)) = rest.strip_prefix(b"\"").and_then(unquote) {
        let new = name(rest.get(end + 1..)?.strip_prefix(b" ")?)?;
        return Some((old.into(), new));
    }
    if let Some(at) = rest.find(b" \"") {
        let new = name(&rest[at + 1..])?;
        return Some((rest[..at].into(), new));
    }
    let (old, new) = rest.split_at_checked(rest.len().checked_sub(1)? / 2)?;
    let new = new.strip_prefix(b" ")?;
    let is_same = old == new || (without_first(old)? == without_first(new)?);
    is_same.then(|| (old.into(), new.into()))
}

/// A path without its first directory; `None` if it has none.
pub(super) fn without_first(path: &[u8]) -> Option<&[u8]> {
    path.split_once_str("/").map(|(_, rest)| rest)
}

/// The commit of a `commit ID` line of `git log` and `git show`, or of the first line of a mail of
/// `git format-patch`; and the parent of `(from ID)`.
pub(super) fn commit(line: &[u8]) -> Option<(BString, Option<BString>)> {
    let is_id = |word: &&[u8]| word.len() >= 7 && is_hex(word);
    if let Some(rest) = line.strip_prefix(b"From ") {
        let (id, date) = rest.split_once_str(" ")?;
        let is_mail = date.starts_with(b"Mon Sep 17 00:00:00 2001");
        return (is_mail && is_id(&id)).then(|| (id.into(), None));
    }
    let mut words = line.strip_prefix(b"commit ")?.split_str(" ");
    let id = words.next().filter(is_id)?;
    let parent = match (words.next(), words.next()) {
        (None, _) => None,
        (Some(b"(from"), Some(id)) => id.strip_suffix(b")").filter(is_id),
        // The names of references.
        (Some(word), _) if word.starts_with(b"(") => None,
        _ => return None,
    };
    Some((id.into(), parent.map(BString::from)))
}

/// The abbreviated ids of the old sides of an `index` line: `OLD..NEW MODE`, `OLD,OLD..NEW`.
pub(super) fn old_blobs(rest: &[u8]) -> Vec<BString> {
    let Some((old, _)) = rest.split_once_str("..") else {
        return Vec::new();
    };
    let ids = old.split_str(",").take(MAX_SIDES);
    let ids: Vec<BString> = ids.map(BString::from).collect();
    if ids.iter().all(|id| is_hex(id)) {
        ids
    } else {
        Vec::new()
    }
}

/// True for hexadecimal digits that can be an id or the beginning of one.
fn is_hex(word: &[u8]) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_hexdigit();
    (4..=64).contains(&word.len()) && word.iter().all(is_digit)
}
