//! A pack file and its index.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::objects::{
    error::{Error, Reason},
    index::pack_index::{PackIndex, pack_checksum},
    inflate::inflater::max_inflated_len,
    positioned_file::PositionedFile,
    types::ObjectKind,
};
use gix_hash::{Kind, ObjectId, oid};

/// The longest entry header: a 64-bit size, and an id or a 64-bit offset.
pub(crate) const MAX_ENTRY_HEADER_LEN: usize = 10 + 32;

/// A decoded pack entry header.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryHeader {
    /// The object kind, or the location of the delta base.
    pub(crate) entry_type: EntryType,
    /// Inflated size of the object or delta.
    pub(crate) size: usize,
    /// Length of the header, after which the zlib stream starts.
    pub(crate) len: usize,
}

/// The type of a pack entry.
#[derive(Debug, Clone, Copy)]
pub(crate) enum EntryType {
    /// An object without a delta.
    Whole(ObjectKind),
    /// `OFS_DELTA`, with the absolute offset of the base.
    OfsDelta(u64),
    /// `REF_DELTA`, with the id of the base in the same pack.
    RefDelta(ObjectId),
}

/// The type of a pack entry, with its base resolved to an offset.
pub(crate) enum ResolvedEntryType {
    /// An object without a delta.
    Whole(ObjectKind),
    /// A delta against the entry at this offset.
    Delta(u64),
}

/// A pack and its own index. Files are opened on first use.
pub(crate) struct Pack {
    path: PathBuf,
    hash: Kind,
    data: OnceLock<Option<PositionedFile>>,
    index: OnceLock<Option<PackIndex>>,
    /// Why one of the files could not be opened.
    failure: OnceLock<io::Error>,
}

impl Pack {
    /// The pack at `path` (ending in `.pack`). Opens nothing.
    pub(crate) fn new(path: PathBuf, hash: Kind) -> Pack {
        Pack {
            path,
            hash,
            data: OnceLock::new(),
            index: OnceLock::new(),
            failure: OnceLock::new(),
        }
    }

    /// True if the pack can be read although its files may have been removed.
    pub(crate) fn is_open(&self) -> bool {
        matches!(
            (self.data.get(), self.index.get()),
            (Some(Some(_)), Some(Some(_)))
        )
    }

    /// True if one of its files did not exist when it was to be opened: then it stays unusable.
    pub(crate) fn was_missing(&self) -> bool {
        let failure = self.failure.get();
        failure.is_some_and(|error| error.kind() == io::ErrorKind::NotFound)
    }

    /// The error if one of its files could not be opened because too many are.
    pub(crate) fn shortage(&self) -> Option<Error> {
        Error::of_shortage(&self.path, self.failure.get()?)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// True if the file can be opened and has a pack header.
    #[inline]
    pub(crate) fn is_usable(&self) -> bool {
        self.data().is_some()
    }

    #[inline]
    fn data(&self) -> Option<&PositionedFile> {
        self.data.get_or_init(|| self.open_data()).as_ref()
    }

    #[cold]
    fn open_data(&self) -> Option<PositionedFile> {
        let data = self.opened(open(&self.path, self.hash))?;
        // As in git, a pack that is not the one of its index is not read: offsets would mean other
        // objects.
        let checksum = match self.index.get() {
            Some(Some(index)) => index.pack_checksum(),
            _ => pack_checksum(&self.path.with_extension("idx"), self.hash),
        };
        let mut own = vec![0; self.hash.len_in_bytes()];
        let at = data.len().checked_sub(own.len() as u64)?;
        data.read_exact_at(&mut own, at).ok()?;
        // A multi-pack-index may be all that is left.
        checksum
            .is_none_or(|of_index| of_index == own)
            .then_some(data)
    }

    /// The end of the entries, where the trailing checksum starts.
    #[inline]
    pub(crate) fn end(&self) -> Result<u64, Reason> {
        let data = self.data().ok_or("the pack cannot be opened")?;
        Ok(data.len() - self.hash.len_in_bytes() as u64)
    }

    /// Fills `out` from `offset`.
    pub(crate) fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), Reason> {
        let data = self.data().ok_or("the pack cannot be opened")?;
        data.read_exact_at(out, offset)
            .map_err(|_| "the pack cannot be read")
    }

    /// The pack's own index, if it was needed before.
    pub(crate) fn open_index(&self) -> Option<&PackIndex> {
        self.index.get()?.as_ref()
    }

    /// The pack's own index; `None` without a valid one.
    #[inline]
    pub(crate) fn index(&self) -> Option<&PackIndex> {
        self.index.get_or_init(|| self.read_index()).as_ref()
    }

    #[cold]
    fn read_index(&self) -> Option<PackIndex> {
        let path = self.path.with_extension("idx");
        self.opened(PackIndex::open(&path, self.hash))
    }

    fn opened<T>(&self, result: io::Result<Option<T>>) -> Option<T> {
        result.unwrap_or_else(|error| {
            let _ = self.failure.set(error);
            None
        })
    }

    /// The offset of the object `id` by the pack's own index.
    #[inline]
    pub(crate) fn lookup(&self, id: &oid) -> Option<u64> {
        self.index()?.lookup(id)
    }

    /// The pack or its index if it is there but damaged; of the pack only what shows when it is
    /// opened. Reads all of the index.
    pub(crate) fn damaged_file(&self) -> Option<PathBuf> {
        let is_intact = self.index().is_some_and(PackIndex::is_intact);
        match (is_intact, self.is_usable()) {
            _ if self.was_missing() => None,
            (false, _) => Some(self.path.with_extension("idx")),
            (true, false) => Some(self.path.clone()),
            (true, true) => None,
        }
    }

    /// Maximum delta depth: the number of objects. Longer chains form a cycle.
    pub(crate) fn max_delta_depth(&self) -> usize {
        self.index().map_or(1 << 20, |index| index.len() as usize)
    }

    /// Decodes the header of the entry at `offset` from `bytes`, which start there: at least
    /// [`MAX_ENTRY_HEADER_LEN`] of them, or all that the pack has.
    pub(crate) fn header(&self, offset: u64, bytes: &[u8]) -> Result<EntryHeader, Reason> {
        const TRUNCATED: Reason = "the pack ends within an entry header";
        if bytes.is_empty() {
            return Err("an entry lies outside of the pack");
        }
        let mut rest = bytes.iter();
        let mut next = || rest.next().copied().ok_or(TRUNCATED);
        let first = next()?;
        let mut size = u64::from(first & 15);
        let mut shift = 4;
        let mut byte = first;
        while byte & 0x80 != 0 {
            byte = next()?;
            let bits = u64::from(byte & 0x7f);
            if shift > 57 {
                return Err("an entry states an impossible size");
            }
            size |= bits << shift;
            shift += 7;
        }
        let entry_type = match (first >> 4) & 7 {
            1 => EntryType::Whole(ObjectKind::Commit),
            2 => EntryType::Whole(ObjectKind::Tree),
            3 => EntryType::Whole(ObjectKind::Blob),
            4 => EntryType::Whole(ObjectKind::Tag),
            6 => {
                let mut byte = next()?;
                let mut back = u64::from(byte & 0x7f);
                while byte & 0x80 != 0 {
                    byte = next()?;
                    if back >= 1 << 55 {
                        return Err("a delta base lies outside of the pack");
                    }
                    back = ((back + 1) << 7) | u64::from(byte & 0x7f);
                }
                match offset.checked_sub(back) {
                    Some(base) if back > 0 && base > 0 => EntryType::OfsDelta(base),
                    _ => return Err("a delta base lies outside of the pack"),
                }
            }
            7 => {
                let len = self.hash.len_in_bytes();
                let id = rest.as_slice().get(..len).ok_or(TRUNCATED)?;
                let id = oid::try_from_bytes(id).map_err(|_| TRUNCATED)?.to_owned();
                rest = rest.as_slice()[len..].iter();
                EntryType::RefDelta(id)
            }
            _ => return Err("an entry has an unknown type"),
        };
        let len = bytes.len() - rest.len();
        let left = self.end()?.saturating_sub(offset);
        if size > max_inflated_len(usize::try_from(left).unwrap_or(usize::MAX)) {
            return Err("an entry states an impossible size");
        }
        Ok(EntryHeader {
            entry_type,
            size: usize::try_from(size).map_err(|_| "an entry is too large")?,
            len,
        })
    }

    /// The offset of the delta base; `None` for an entry that is no delta.
    #[inline]
    pub(crate) fn base(&self, entry_type: EntryType) -> Result<Option<u64>, Reason> {
        match entry_type {
            EntryType::Whole(_) => Ok(None),
            EntryType::OfsDelta(offset) => Ok(Some(offset)),
            EntryType::RefDelta(id) => self
                .lookup(&id)
                .map(Some)
                .ok_or("a delta base is not in its pack"),
        }
    }
}

/// Opens the file at `path`; `None` unless it has a pack header and a trailer.
fn open(path: &Path, hash: Kind) -> io::Result<Option<PositionedFile>> {
    let file = PositionedFile::open(path)?;
    let mut start = [0; 12];
    if file.len() < (start.len() + hash.len_in_bytes()) as u64 {
        return Ok(None);
    }
    file.read_exact_at(&mut start, 0)?;
    let known = matches!(start, [b'P', b'A', b'C', b'K', 0, 0, 0, 2 | 3, ..]);
    Ok(known.then_some(file))
}
