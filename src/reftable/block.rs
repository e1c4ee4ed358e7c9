//! One block: records with prefix-compressed keys, and restart points to search from.

use std::ops::Range;

use gix_hash::Kind;

use super::{
    bytes::{Bytes, Reason},
    record::{LogEntry, Value},
};

/// The longest key read, names of references included.
const MAX_KEY_LEN: usize = 1 << 16;

/// The type of a block, as its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockType {
    Refs,
    Objects,
    Log,
    Index,
}

impl BlockType {
    pub(super) fn from_byte(byte: u8) -> Option<BlockType> {
        Some(match byte {
            b'r' => BlockType::Refs,
            b'o' => BlockType::Objects,
            b'g' => BlockType::Log,
            b'i' => BlockType::Index,
            _ => return None,
        })
    }
}

/// A block in memory, inflated.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: BlockType,
    hash: Kind,
    /// Everything up to the padding, the file's header included in its first block: offsets count
    /// from here.
    bytes: Vec<u8>,
    /// Where the records begin and end.
    records: Range<usize>,
    /// The offsets of records with whole keys, ascending.
    restarts: Vec<usize>,
    /// Where the next block begins in the file.
    pub(super) next: u64,
}

/// A record's value.
#[derive(Debug)]
pub(super) enum Payload {
    Ref(Value),
    /// `None` is a deletion.
    Log(Option<LogEntry>),
    /// The position of the block that ends with the key.
    Index(u64),
}

/// A place in a block: after a record, whose key it has.
#[derive(Debug, Default)]
pub(super) struct Cursor {
    at: usize,
    pub(super) key: Vec<u8>,
}

impl Block {
    /// Takes a block apart, whose records begin at `start`.
    pub(super) fn new(
        kind: BlockType,
        hash: Kind,
        bytes: Vec<u8>,
        start: usize,
        next: u64,
    ) -> Result<Block, Reason> {
        let (rest, count) = bytes.split_last_chunk().ok_or("a block is too short")?;
        let count = usize::from(u16::from_be_bytes(*count));
        let end = rest.len().checked_sub(3 * count);
        let end = end.filter(|end| *end >= start);
        let end = end.ok_or("a block is shorter than its restart points")?;
        let offset = |three: &[u8]| {
            let high = usize::from(three[0]) << 16;
            high | usize::from(three[1]) << 8 | usize::from(three[2])
        };
        let restarts: Vec<usize> = rest[end..].chunks_exact(3).map(offset).collect();
        let inside = |at: &usize| (start..end).contains(at);
        if !restarts.iter().all(inside) || !restarts.is_sorted() {
            return Err("a block has wrong restart points");
        }
        Ok(Block {
            kind,
            hash,
            records: start..end,
            restarts,
            next,
            bytes,
        })
    }

    /// The place before the first record.
    pub(super) fn start(&self) -> Cursor {
        self.before(self.records.start)
    }

    fn before(&self, at: usize) -> Cursor {
        let key = Vec::new();
        Cursor { at, key }
    }

    /// The record after `cursor`, which moves there; its key is then in `cursor`.
    pub(super) fn next(&self, cursor: &mut Cursor) -> Result<Option<Payload>, Reason> {
        let mut rest = Bytes(&self.bytes[cursor.at..self.records.end]);
        if rest.0.is_empty() {
            return Ok(None);
        }
        let shared = rest.varint()?;
        let shared = usize::try_from(shared).ok();
        let shared = shared.filter(|shared| *shared <= cursor.key.len());
        let shared = shared.ok_or("a key shares more than there is")?;
        let number = rest.varint()?;
        let (len, kind) = (number >> 3, (number & 7) as u8);
        let len = usize::try_from(len).ok();
        let suffix = rest.take(len.ok_or("a record is cut off")?)?;
        if shared + suffix.len() > MAX_KEY_LEN {
            return Err("a name is too long");
        }
        cursor.key.truncate(shared);
        cursor.key.extend_from_slice(suffix);
        let payload = match self.kind {
            BlockType::Refs => Payload::Ref(Value::decode(kind, &mut rest, self.hash)?),
            BlockType::Log => Payload::Log(LogEntry::decode(kind, &mut rest, self.hash)?),
            BlockType::Index => Payload::Index(rest.varint()?),
            BlockType::Objects => return Err("a block of objects is in a wrong place"),
        };
        cursor.at = self.records.end - rest.0.len();
        Ok(Some(payload))
    }

    /// The first record whose key is not less than `wanted`, and the place after it.
    pub(super) fn seek(&self, wanted: &[u8]) -> Result<(Cursor, Option<Payload>), Reason> {
        let (mut low, mut high) = (0, self.restarts.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let mut cursor = self.before(self.restarts[middle]);
            self.next(&mut cursor)?;
            if cursor.key.as_slice() < wanted {
                low = middle + 1
            } else {
                high = middle
            }
        }
        let mut cursor = match low.checked_sub(1) {
            Some(before) => self.before(self.restarts[before]),
            None => self.start(),
        };
        loop {
            match self.next(&mut cursor)? {
                Some(_) if cursor.key.as_slice() < wanted => {}
                found => return Ok((cursor, found)),
            }
        }
    }
}
