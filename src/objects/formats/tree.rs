//! The bytes of a tree object: `mode SP name NUL id`, again and again.

use bstr::BStr;
use gix_hash::{Kind, ObjectId, oid};

use crate::objects::{error::Fault, types::TreeEntry};

const BAD_MODE: Fault = "a tree entry has a malformed mode";

/// One entry of a tree, borrowed from its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The mode as written.
    pub mode: u32,
    /// The name, without slashes in a sound tree.
    pub name: &'a BStr,
    /// The object it names.
    pub id: &'a oid,
}

impl Entry<'_> {
    /// Mode and id, without the name.
    pub fn entry(&self) -> TreeEntry {
        TreeEntry {
            mode: self.mode,
            id: ObjectId::from(self.id),
        }
    }
}

/// The entries of a tree, in stored order.
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    data: &'a [u8],
    at: usize,
    id_len: usize,
}

/// Iterate over the entries of a tree whose ids are of `hash_kind`.
pub fn entries(data: &[u8], hash_kind: Kind) -> Entries<'_> {
    Entries {
        data,
        at: 0,
        id_len: hash_kind.len_in_bytes(),
    }
}

impl<'a> Entries<'a> {
    #[inline]
    fn step(&mut self) -> Result<Entry<'a>, Fault> {
        let rest = &self.data[self.at..];
        let (mode, header) = mode(rest).ok_or(BAD_MODE)?;
        let end = memchr::memchr(0, &rest[header..]).ok_or("a tree entry has no end of name")?;
        let name = &rest[header..header + end];
        let id_start = header + end + 1;
        let id = rest
            .get(id_start..id_start + self.id_len)
            .ok_or("a tree ends in the middle of an entry")?;
        let id = oid::try_from_bytes(id).map_err(|_| "a tree entry has a malformed id")?;
        self.at += id_start + self.id_len;
        Ok(Entry {
            mode,
            name: BStr::new(name),
            id,
        })
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<Entry<'a>, &'static str>;

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

/// The octal mode that `bytes` start with, and the length of it with its blank.
pub(crate) fn mode(bytes: &[u8]) -> Option<(u32, usize)> {
    let mut mode = 0u32;
    for (at, &byte) in bytes.iter().enumerate().take(12) {
        match byte {
            b'0'..=b'7' => mode = mode.wrapping_mul(8).wrapping_add(u32::from(byte - b'0')),
            b' ' if at > 0 => return Some((mode, at + 1)),
            _ => return None,
        }
    }
    None
}

/// Find the entry called `name` in `data`, the start of a tree or all of it, looking from the entry
/// at `from` on: its byte range, and what it is; otherwise where the first entry is that is not
/// there in full.
pub(crate) fn find(data: &[u8], from: usize, hash_kind: Kind, name: &[u8]) -> Result<Found, Fault> {
    let id_len = hash_kind.len_in_bytes();
    let mut start = from;
    loop {
        let rest = &data[start..];
        let Some((mode, header)) = mode(rest) else {
            return match rest.len() {
                0..12 => Ok(Found::Not(start)),
                _ => Err(BAD_MODE),
            };
        };
        let Some(len) = memchr::memchr(0, &rest[header..]) else {
            return Ok(Found::Not(start));
        };
        let nul = header + len;
        let Some(id) = rest.get(nul + 1..nul + 1 + id_len) else {
            return Ok(Found::Not(start));
        };
        let end = start + nul + 1 + id_len;
        if rest[header..nul] == *name {
            let id = ObjectId::try_from(id).map_err(|_| "a tree entry has a malformed id")?;
            return Ok(Found::At(start..end, TreeEntry { mode, id }));
        }
        start = end;
    }
}

/// What [`find`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// The entry, and where it is.
    At(std::ops::Range<usize>, TreeEntry),
    /// Not before here, and from here on there is no whole entry.
    Not(usize),
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
    fn entries_are_read_in_order() {
        let data = tree(&[
            ("100644", "a b 1", 1),
            ("40000", "d", 2),
            ("120000", "l", 0),
        ]);
        let list: Vec<_> = entries(&data, Kind::Sha1)
            .map(|entry| entry.expect("sound"))
            .collect();
        assert_eq!(list.len(), 3);
        assert_eq!(list[0].name, "a b 1");
        assert_eq!(list[1].mode, 0o40000);
        assert!(list[1].entry().is_tree());
        assert_eq!(list[2].id.as_bytes(), [0; 20]);
        let Ok(Found::At(range, entry)) = find(&data, 0, Kind::Sha1, b"d") else {
            panic!("it is there");
        };
        assert_eq!(entry, list[1].entry());
        assert_eq!(&data[range.clone()][..8], b"40000 d\0");
        let cut = &data[..range.end - 1];
        assert_eq!(find(cut, 0, Kind::Sha1, b"d"), Ok(Found::Not(range.start)));
        let missing = find(&data, range.start, Kind::Sha1, b"x");
        assert_eq!(missing, Ok(Found::Not(data.len())));
    }

    #[test]
    fn every_truncation_is_an_error_or_a_shorter_list() {
        let data = tree(&[("100644", "a", 1), ("100755", "b", 2)]);
        for len in 0..data.len() {
            let list: Vec<_> = entries(&data[..len], Kind::Sha1).collect();
            let whole = len == 0 || len == data.len() / 2;
            assert_eq!(list.iter().all(Result::is_ok), whole, "{len}");
        }
    }

    #[test]
    fn malformed_modes_are_errors() {
        for data in [&b" a\0"[..], b"100648 a\0", b"x", b"1000000000000000 a\0"] {
            assert!(entries(data, Kind::Sha1).all(|entry| entry.is_err()));
        }
    }
}
