//! One table: header, footer, blocks and the indexes that find them.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use gix_hash::Kind;
use zlib_rs::{Inflate, InflateFlush, Status};

use super::{
    block::{Block, BlockType, Cursor, Payload},
    bytes::{Bytes, Reason},
    error::{Error, Result},
    record::{LogEntry, Value},
    source::Source,
};

/// The first bytes of a table.
const MAGIC: &[u8; 4] = b"REFT";
/// The length of a block's own header: its type and its length.
const BLOCK_HEADER_LEN: usize = 4;
/// Bytes read at first where a table states no block size.
const DEFAULT_BLOCK_SIZE: usize = 4096;
/// The footer's bytes after the repeated header.
const FOOTER_REST_LEN: u64 = 44;

/// An open table.
#[derive(Debug)]
pub struct Table<S = File> {
    source: S,
    path: PathBuf,
    hash: Kind,
    header_len: usize,
    block_size: usize,
    /// Where the footer begins.
    end: u64,
    refs: BlockSection,
    logs: BlockSection,
}

/// The blocks of one type, and their index.
#[derive(Debug, Clone, Copy)]
struct BlockSection {
    kind: BlockType,
    /// Where the first block begins; `None` without any.
    start: Option<u64>,
    /// Where the root of the index begins.
    index: Option<u64>,
}

/// Records in order of their keys.
struct Records<'a, S> {
    table: &'a Table<S>,
    kind: BlockType,
    place: Option<(Block, Cursor)>,
    /// Already decoded.
    first: Option<Payload>,
}

impl Table {
    /// Opens the table in the file `path`.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is damaged.
    pub fn open(path: &Path) -> Result<Table> {
        let file = File::open(path).map_err(|source| Error::Io {
            path: path.to_owned(),
            source,
        })?;
        Table::new(file, path)
    }
}

impl<S: Source> Table<S> {
    /// The table with the bytes of `source`, called `path` in errors.
    ///
    /// # Errors
    ///
    /// If its header or footer cannot be read, or is damaged.
    pub fn new(source: S, path: &Path) -> Result<Table<S>> {
        let read = |out: &mut [u8], at| source.read_exact_at(out, at);
        let io = |source| Error::Io {
            path: path.to_owned(),
            source,
        };
        let damaged = |reason| Error::Damaged {
            path: path.to_owned(),
            reason,
        };
        let len = source.size().map_err(io)?;
        let mut start = [0; 28];
        let shortest = 24 + 24 + FOOTER_REST_LEN;
        if len < shortest {
            return Err(damaged("it is too short"));
        }
        read(&mut start, 0).map_err(io)?;
        let (header, hash) = header(&start).map_err(damaged)?;
        let footer_len = header.len() as u64 + FOOTER_REST_LEN;
        let end = len
            .checked_sub(footer_len)
            .filter(|end| *end >= header.len() as u64)
            .ok_or_else(|| damaged("it is too short"))?;
        let mut footer = vec![0; header.len() + FOOTER_REST_LEN as usize];
        read(&mut footer, end).map_err(io)?;
        let (checked, sum) = footer.split_at(footer.len() - 4);
        if zlib_rs::crc32::crc32(0, checked).to_be_bytes() != sum {
            return Err(damaged("its footer does not match its checksum"));
        }
        let after_header = checked.strip_prefix(header);
        let rest = after_header.ok_or_else(|| damaged("its header and footer differ"))?;
        let mut rest = Bytes(rest);
        let mut position = || -> Result<Option<u64>, Reason> {
            let position = rest.number(8)?;
            Ok((position != 0).then_some(position))
        };
        let ref_index = position().map_err(damaged)?;
        let _objects = position().map_err(damaged)?;
        let _object_index = position().map_err(damaged)?;
        let logs = position().map_err(damaged)?;
        let log_index = position().map_err(damaged)?;
        let block_size =
            usize::from(header[5]) << 16 | usize::from(header[6]) << 8 | usize::from(header[7]);
        let mut table = Table {
            path: path.to_owned(),
            hash,
            header_len: header.len(),
            block_size,
            end,
            refs: BlockSection {
                kind: BlockType::Refs,
                start: None,
                index: ref_index,
            },
            logs: BlockSection {
                kind: BlockType::Log,
                start: logs,
                index: log_index,
            },
            source,
        };
        // The first block begins with the header and tells whether there are references.
        if end > table.header_len as u64 {
            let mut kind = [0];
            let at = table.header_len as u64;
            table.source.read_exact_at(&mut kind, at).map_err(io)?;
            match BlockType::from_byte(kind[0]) {
                Some(BlockType::Refs) => table.refs.start = Some(0),
                Some(BlockType::Log) => table.logs.start = Some(0),
                _ => return Err(table.damaged("its first block has a wrong type")),
            }
        }
        Ok(table)
    }

    /// The hash function of its object ids.
    pub fn hash(&self) -> Kind {
        self.hash
    }

    /// The table's value of the reference `name`; `None` if it has none.
    ///
    /// # Errors
    ///
    /// If the table cannot be read, or is damaged.
    pub fn find(&self, name: &[u8]) -> Result<Option<Value>> {
        let mut records = self.seek(self.refs, name)?;
        Ok(match records.next()? {
            Some((key, Payload::Ref(value))) if key == name => Some(value),
            _ => None,
        })
    }

    /// Passes the references whose names begin with `prefix` to `visit`, in order of their names.
    ///
    /// # Errors
    ///
    /// As [`find`](Self::find), and errors of `visit`.
    pub fn refs(
        &self,
        prefix: &[u8],
        mut visit: impl FnMut(&[u8], Value) -> Result<(), &'static str>,
    ) -> Result<()> {
        let mut records = self.seek(self.refs, prefix)?;
        while let Some((key, payload)) = records.next()? {
            if !key.starts_with(prefix) {
                break;
            }
            if let Payload::Ref(value) = payload {
                visit(key, value).map_err(|reason| self.damaged(reason))?;
            }
        }
        Ok(())
    }

    /// Passes the log entries of references whose names begin with `prefix` to `visit`, with name
    /// and update index: in order of names, newest first. `None` is a deletion.
    ///
    /// # Errors
    ///
    /// As [`find`](Self::find), and errors of `visit`.
    pub fn logs(
        &self,
        prefix: &[u8],
        mut visit: impl FnMut(&[u8], u64, Option<LogEntry>) -> Result<(), &'static str>,
    ) -> Result<()> {
        let mut records = self.seek(self.logs, prefix)?;
        while let Some((key, payload)) = records.next()? {
            if !key.starts_with(prefix) {
                break;
            }
            let Payload::Log(entry) = payload else {
                continue;
            };
            let visited = match key.split_last_chunk() {
                Some(([name @ .., 0], index)) => {
                    visit(name, u64::MAX - u64::from_be_bytes(*index), entry)
                }
                _ => Err("the key of a log entry has no index"),
            };
            visited.map_err(|reason| self.damaged(reason))?;
        }
        Ok(())
    }

    /// The records of `section` from the first key not less than `wanted` on.
    fn seek(&self, section: BlockSection, wanted: &[u8]) -> Result<Records<'_, S>> {
        let mut records = Records {
            table: self,
            kind: section.kind,
            place: None,
            first: None,
        };
        let mut limit = self.end;
        let Some(mut at) = section.index.or(section.start) else {
            return Ok(records);
        };
        while at < limit {
            let Some(block) = self.block(at)? else {
                break;
            };
            let is_index = block.kind == BlockType::Index;
            if !is_index && block.kind != section.kind {
                break;
            }
            let found = block.seek(wanted).map_err(|reason| self.damaged(reason))?;
            match found {
                // An index comes after what it lists, so that this ends.
                (_, Some(Payload::Index(child))) if child < at => {
                    limit = at;
                    at = child;
                }
                (_, Some(Payload::Index(_))) => {
                    return Err(self.damaged("an index does not lead to an earlier block"));
                }
                (cursor, Some(payload)) => {
                    records.place = Some((block, cursor));
                    records.first = Some(payload);
                    return Ok(records);
                }
                // The next block of the same level.
                (_, None) => at = block.next,
            }
        }
        Ok(records)
    }

    /// The block at `at`; `None` at the end of the blocks.
    fn block(&self, at: u64) -> Result<Option<Block>> {
        if at >= self.end {
            return Ok(None);
        }
        let skipped = match at {
            0 => self.header_len,
            _ => 0,
        };
        let start = skipped + BLOCK_HEADER_LEN;
        // Both are less than the length of a file.
        let available = usize::try_from(self.end - at).unwrap_or(usize::MAX);
        let guess = match self.block_size {
            0 => DEFAULT_BLOCK_SIZE,
            size => size.min(1 << 16),
        };
        let mut bytes = self.read(at, guess.min(available))?;
        let Some([kind, len @ ..]) = bytes.get(skipped..start) else {
            return Err(self.damaged("a block is cut off"));
        };
        let Some(kind) = BlockType::from_byte(*kind) else {
            return Err(self.damaged("a block has an unknown type"));
        };
        let len = len
            .iter()
            .fold(0, |len, byte| len << 8 | usize::from(*byte));
        if len < start {
            return Err(self.damaged("a block is too short"));
        }
        if kind == BlockType::Log {
            let packed = self.read(at, available.min(len + len / 256 + 1024))?;
            let (bytes, used) = self.inflate(&packed, start, len)?;
            let next = at + (start + used) as u64;
            return self.parsed(kind, bytes, start, next).map(Some);
        }
        if len > available {
            return Err(self.damaged("a block is cut off"));
        }
        if len > bytes.len() {
            bytes = self.read(at, len)?;
        }
        // Padding is zero bytes; no type of a block is.
        let is_padded = len < self.block_size
            && match bytes.get(len) {
                Some(byte) => *byte == 0,
                None => len < available && self.read(at + len as u64, 1)? == [0],
            };
        let full = if is_padded { self.block_size } else { len };
        bytes.truncate(len);
        self.parsed(kind, bytes, start, at + full as u64).map(Some)
    }

    fn parsed(&self, kind: BlockType, bytes: Vec<u8>, start: usize, next: u64) -> Result<Block> {
        Block::new(kind, self.hash, bytes, start, next).map_err(|reason| self.damaged(reason))
    }

    /// Inflates a log block of `len` bytes, header included, which ends at `start`. Returns the
    /// compressed length too.
    fn inflate(&self, packed: &[u8], start: usize, len: usize) -> Result<(Vec<u8>, usize)> {
        let mut bytes = packed.get(..start).unwrap_or_default().to_vec();
        bytes.resize(len, 0);
        let mut inflate = Inflate::new(true, 15);
        let input = packed.get(start..).unwrap_or_default();
        let status = inflate.decompress(input, &mut bytes[start..], InflateFlush::Finish);
        if status != Ok(Status::StreamEnd) || inflate.total_out() != (len - start) as u64 {
            return Err(self.damaged("a log block cannot be inflated"));
        }
        Ok((bytes, inflate.total_in() as usize))
    }

    /// `len` bytes at `at`, which the file has.
    fn read(&self, at: u64, len: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        let read = self.source.read_exact_at(&mut bytes, at);
        read.map_err(|source| Error::Io {
            path: self.path.clone(),
            source,
        })?;
        Ok(bytes)
    }

    fn damaged(&self, reason: &'static str) -> Error {
        Error::Damaged {
            path: self.path.clone(),
            reason,
        }
    }
}

impl<S: Source> Records<'_, S> {
    /// The next record.
    fn next(&mut self) -> Result<Option<(&[u8], Payload)>> {
        let mut payload = self.first.take();
        while payload.is_none() {
            let Some((block, cursor)) = &mut self.place else {
                return Ok(None);
            };
            payload = block
                .next(cursor)
                .map_err(|reason| self.table.damaged(reason))?;
            if payload.is_none() {
                let next = self.table.block(block.next)?;
                let next = next.filter(|block| block.kind == self.kind);
                self.place = next.map(|block| {
                    let cursor = block.start();
                    (block, cursor)
                });
            }
        }
        Ok(match (&self.place, payload) {
            (Some((_, cursor)), Some(payload)) => Some((&cursor.key, payload)),
            _ => None,
        })
    }
}

/// The header at the start of `bytes`, and the hash function that it names.
fn header(bytes: &[u8; 28]) -> Result<(&[u8], Kind), Reason> {
    if !bytes.starts_with(MAGIC) {
        return Err("it does not begin like a table");
    }
    match (bytes[4], &bytes[24..]) {
        (1, _) => Ok((&bytes[..24], Kind::Sha1)),
        (2, b"sha1") => Ok((bytes, Kind::Sha1)),
        (2, b"s256") => Ok((bytes, Kind::Sha256)),
        (2, _) => Err("its hash function is unknown"),
        _ => Err("its version is unknown"),
    }
}
