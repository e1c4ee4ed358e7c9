//! Parser for tree objects: entries of the form `mode SP name NUL id`.

use bstr::BStr;
use gix_hash::{Kind, ObjectId, oid};

use crate::objects::{
    error::{EMPTY_NAME, MALFORMED_MODE, Reason, TOO_SHORT},
    types::TreeEntry,
};

/// Most digits of a mode. git reads any number of them, and uses the last ones.
const MOST_DIGITS: usize = 200;

/// Fails if a whole tree is not a list of entries, with git's reason.
pub(crate) fn check(data: &[u8], hash_kind: Kind) -> Result<(), Reason> {
    let mut entries = entries(data, hash_kind);
    entries.try_for_each(|entry| entry.map(drop))
}

/// A tree entry, borrowed from the tree's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeEntryRef<'a> {
    /// The mode as written.
    pub mode: u32,
    /// The name, without slashes in a valid tree.
    pub name: &'a BStr,
    /// The object that the entry refers to.
    pub id: &'a oid,
}

impl TreeEntryRef<'_> {
    /// Mode and id.
    pub fn entry(&self) -> TreeEntry {
        TreeEntry {
            mode: self.mode,
            id: ObjectId::from(self.id),
        }
    }
}

/// The entries of a tree, in stored order.
#[derive(Debug, Clone)]
pub struct TreeEntries<'a> {
    data: &'a [u8],
    at: usize,
    id_len: usize,
}

/// Iterates over the entries of a tree with ids of `hash_kind`.
pub fn entries(data: &[u8], hash_kind: Kind) -> TreeEntries<'_> {
    TreeEntries {
        data,
        at: 0,
        id_len: hash_kind.len_in_bytes(),
    }
}

impl<'a> TreeEntries<'a> {
    /// Where the next entry starts.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    #[inline]
    fn step(&mut self) -> Result<TreeEntryRef<'a>, Reason> {
        let rest = &self.data[self.at..];
        // The end of the last entry is looked at first, as in git.
        let last_nul = rest.len().checked_sub(self.id_len + 1);
        if rest.len() < self.id_len + 3 || last_nul.is_none_or(|at| rest[at] != 0) {
            return Err(TOO_SHORT);
        }
        let (mode, header) = parse_mode(rest).ok_or(MALFORMED_MODE)?;
        let end = memchr::memchr(0, &rest[header..]).ok_or(TOO_SHORT)?;
        if end == 0 {
            return Err(EMPTY_NAME);
        }
        let name = &rest[header..header + end];
        let id_start = header + end + 1;
        let id = rest
            .get(id_start..id_start + self.id_len)
            .ok_or(TOO_SHORT)?;
        let id = oid::try_from_bytes(id).map_err(|_| "a tree entry has a malformed id")?;
        self.at += id_start + self.id_len;
        Ok(TreeEntryRef {
            mode,
            name: BStr::new(name),
            id,
        })
    }
}

impl<'a> Iterator for TreeEntries<'a> {
    type Item = Result<TreeEntryRef<'a>, &'static str>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.data.len() {
            return None;
        }
        let step = self.step();
        if step.is_err() {
            self.at = self.data.len();
        }
        Some(step)
    }
}

/// An entry with a mode that git writes and a name without slashes, which is not parsed further.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UsualEntry<'a> {
    pub(crate) name: &'a [u8],
    /// The name's first eight bytes, and what follows a shorter one, as a number with the same
    /// order.
    start: u64,
    /// The length of the entry.
    pub(crate) len: usize,
}

impl UsualEntry<'_> {
    /// True if `next` follows this entry whatever they are the names of: it is greater, and neither
    /// name begins with the other.
    #[inline]
    pub(crate) fn is_plainly_before(&self, next: &UsualEntry<'_>) -> bool {
        let common = self.name.len().min(next.name.len());
        let equal = (self.start ^ next.start).leading_zeros() as usize / 8;
        if equal < common.min(8) {
            self.start < next.start
        } else {
            self.name[..common] < next.name[..common]
        }
    }
}

/// The first entry of `data`; `None` if it is not whole or not a usual one.
#[inline]
pub(crate) fn usual_entry(data: &[u8], hash_kind: Kind) -> Option<UsualEntry<'_>> {
    let mode = u64::from_be_bytes(*data.first_chunk()?);
    let header = match &(mode >> 8).to_be_bytes()[1..] {
        b"100644 " | b"100755 " | b"120000 " | b"160000 " => 7,
        [b'4', b'0', b'0', b'0', b'0', b' ', _] => 6,
        _ => return None,
    };
    let rest = &data[header..];
    let start = u64::from_be_bytes(*rest.first_chunk()?);
    let name = &rest[..usual_name_len(rest)?];
    let len = header + name.len() + 1 + hash_kind.len_in_bytes();
    let is_whole = !name.is_empty() && len <= data.len();
    is_whole.then_some(UsualEntry { name, start, len })
}

/// The number of bytes before the first NUL, which an id follows; `None` if there is a slash before
/// it. Eight bytes are looked at at once.
#[inline]
fn usual_name_len(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH_BITS: u64 = ONES << 7;
    const SLASHES: u64 = ONES * b'/' as u64;
    // The lowest bit that is set is that of the first zero byte.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGH_BITS;
    let mut at = 0;
    loop {
        let word = u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
        let ends = zeros(word) | zeros(word ^ SLASHES);
        if ends != 0 {
            let end = at + ends.trailing_zeros() as usize / 8;
            return (bytes[end] == 0).then_some(end);
        }
        at += 8;
    }
}

/// Parses the octal mode at the start of `bytes`; the length includes the space after it.
pub(crate) fn parse_mode(bytes: &[u8]) -> Option<(u32, usize)> {
    let mut mode = 0u32;
    for (at, &byte) in bytes.iter().enumerate().take(MOST_DIGITS + 1) {
        match byte {
            b'0'..=b'7' => mode = mode.wrapping_mul(8).wrapping_add(u32::from(byte - b'0')),
            b' ' if at > 0 => return Some((mode, at + 1)),
            _ => return None,
        }
    }
    None
}

/// The mode of an entry that is a tree.
const TREE_MODE: u32 = 0o040_000;

/// Finds the entry `name` in `data`, a tree or the start of one, searching from the entry at
/// `from`.
pub(crate) fn find_entry(
    data: &[u8],
    from: usize,
    hash_kind: Kind,
    name: &[u8],
) -> Result<TreeSearch, Reason> {
    let id_len = hash_kind.len_in_bytes();
    let mut start = from;
    loop {
        let rest = &data[start..];
        let Some((mode, header)) = parse_mode(rest) else {
            return match rest.len() {
                0..=MOST_DIGITS if rest.iter().all(u8::is_ascii_digit) => {
                    Ok(TreeSearch::NotFound(start))
                }
                _ => Err(MALFORMED_MODE),
            };
        };
        let Some(len) = memchr::memchr(0, &rest[header..]) else {
            return Ok(TreeSearch::NotFound(start));
        };
        if len == 0 {
            return Err(EMPTY_NAME);
        }
        let nul = header + len;
        let Some(id) = rest.get(nul + 1..nul + 1 + id_len) else {
            return Ok(TreeSearch::NotFound(start));
        };
        let end = start + nul + 1 + id_len;
        if rest[header..nul] == *name {
            let id = ObjectId::try_from(id).map_err(|_| "a tree entry has a malformed id")?;
            return Ok(TreeSearch::Found(start..end, TreeEntry { mode, id }));
        }
        start = end;
    }
}

/// True if an entry with this name sorts before the next one, which starts at `next`. `None` if
/// `data` ends before that can be told.
pub(crate) fn sorts_before_next(
    data: &[u8],
    next: usize,
    name: &[u8],
    is_tree: bool,
) -> Option<bool> {
    let rest = &data[next..];
    let Some((next_mode, header)) = parse_mode(rest) else {
        return (rest.len() > MOST_DIGITS).then_some(false);
    };
    let len = memchr::memchr(0, &rest[header..])?;
    let next_name = &rest[header..header + len];
    // Trees sort as if their names ended in a slash.
    fn key(name: &[u8], is_tree: bool) -> impl Iterator<Item = u8> {
        name.iter().copied().chain(is_tree.then_some(b'/'))
    }
    let next_is_tree = next_mode == TREE_MODE;
    Some(key(name, is_tree).lt(key(next_name, next_is_tree)))
}

/// Result of [`find_entry`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TreeSearch {
    /// Byte range and contents of the entry.
    Found(std::ops::Range<usize>, TreeEntry),
    /// Not found up to this offset, at which the first incomplete entry starts.
    NotFound(usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(list: &[(&str, &str, u8)]) -> Vec<u8> {
        let mut out = Vec::new();
        for (mode, name, id) in list {
            out.extend_from_slice(mode.as_bytes());
            out.push(b' ');
            out.extend_from_slice(name.as_bytes());
            out.push(0);
            out.extend_from_slice(&[*id; 20]);
        }
        out
    }

    #[test]
    fn the_next_entry_is_compared_as_git_sorts() {
        let next = |name: &str, is_tree, (mode, other)| {
            let data = tree(&[(mode, other, 1)]);
            sorts_before_next(&data, 0, name.as_bytes(), is_tree)
        };
        assert_eq!(next("a", false, ("100644", "b")), Some(true));
        assert_eq!(next("b", false, ("100644", "a")), Some(false));
        assert_eq!(next("a", false, ("100644", "a")), Some(false));
        assert_eq!(next("a", false, ("100644", "a.b")), Some(true));
        assert_eq!(next("a", true, ("100644", "a.b")), Some(false));
        assert_eq!(next("a.b", false, ("40000", "a")), Some(true));
        let data = tree(&[("100644", "b", 1)]);
        assert_eq!(sorts_before_next(&data[..8], 0, b"a", false), None);
        assert_eq!(sorts_before_next(&data, data.len(), b"a", false), None);
    }

    #[test]
    fn entries_are_read_in_order() {
        let data = tree(&[
            ("100644", "a b 1", 1),
            ("40000", "d", 2),
            ("120000", "l", 0),
        ]);
        let list: Vec<_> = entries(&data, Kind::Sha1)
            .map(|entry| entry.expect("valid"))
            .collect();
        assert_eq!(list.len(), 3);
        assert_eq!(list[0].name, "a b 1");
        assert_eq!(list[1].mode, 0o40000);
        assert!(list[1].entry().is_tree());
        assert_eq!(list[2].id.as_bytes(), [0; 20]);
        let Ok(TreeSearch::Found(range, entry)) = find_entry(&data, 0, Kind::Sha1, b"d") else {
            panic!("the entry exists");
        };
        assert_eq!(entry, list[1].entry());
        assert_eq!(&data[range.clone()][..8], b"40000 d\0");
        let cut = &data[..range.end - 1];
        assert_eq!(
            find_entry(cut, 0, Kind::Sha1, b"d"),
            Ok(TreeSearch::NotFound(range.start))
        );
        let missing = find_entry(&data, range.start, Kind::Sha1, b"x");
        assert_eq!(missing, Ok(TreeSearch::NotFound(data.len())));
    }

    #[test]
    fn truncated_trees_are_errors_or_shorter_lists() {
        let data = tree(&[("100644", "a", 1), ("100755", "b", 2)]);
        for len in 0..data.len() {
            let list: Vec<_> = entries(&data[..len], Kind::Sha1).collect();
            let whole = len == 0 || len == data.len() / 2;
            assert_eq!(list.iter().all(Result::is_ok), whole, "{len}");
        }
    }

    #[test]
    fn malformed_modes_are_errors() {
        let digits = "0".repeat(MOST_DIGITS + 1);
        for mode in ["", "100648", "x", "-1", &digits] {
            let data = tree(&[(mode, "a", 1)]);
            assert_eq!(check(&data, Kind::Sha1), Err(MALFORMED_MODE), "{mode}");
            let found = find_entry(&data, 0, Kind::Sha1, b"a");
            assert_eq!(found, Err(MALFORMED_MODE), "{mode}");
        }
        for mode in ["000000000000000000100644", "10000000000100644"] {
            let data = tree(&[(mode, "a", 1)]);
            let found = find_entry(&data, 0, Kind::Sha1, b"a");
            let Ok(TreeSearch::Found(_, entry)) = found else {
                panic!("{mode}: {found:?}");
            };
            assert!(entry.is_regular(), "{mode}");
        }
        let data = tree(&[("100644", "", 1)]);
        assert_eq!(check(&data, Kind::Sha1), Err(EMPTY_NAME));
        let data = tree(&[("100644", "a", 1)]);
        assert_eq!(check(&data, Kind::Sha1), Ok(()));
        assert_eq!(check(&data[1..data.len() - 1], Kind::Sha1), Err(TOO_SHORT));
    }
}
