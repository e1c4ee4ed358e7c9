//! A pack file and its index.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use gix_hash::{Kind, ObjectId, oid};
use gix_pack::{index, multi_index};

use crate::objects::{
    error::Fault,
    index::{
        pread_lookup::Few,
        sorted_ids::{Listed, SortedIds},
    },
    inflate::inflater::most_inflated,
    positioned_file::Positioned,
    types::ObjectKind,
};

/// The longest entry header: a 64-bit size, and an id or a 64-bit offset.
pub(crate) const LONGEST_HEADER: usize = 10 + 32;

/// A decoded pack entry header.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryHeader {
    /// The object kind, or the location of the delta base.
    pub(crate) form: EntryForm,
    /// Inflated size of the object or delta.
    pub(crate) size: usize,
    /// Length of the header, after which the zlib stream starts.
    pub(crate) len: usize,
}

/// The type of a pack entry.
#[derive(Debug, Clone, Copy)]
pub(crate) enum EntryForm {
    /// An object without a delta.
    Whole(ObjectKind),
    /// `OFS_DELTA`, with the absolute offset of the base.
    Delta(u64),
    /// `REF_DELTA`, with the id of the base in the same pack.
    DeltaById(ObjectId),
}

/// A pack and its own index. Files are opened on first use.
pub(crate) struct Pack {
    path: PathBuf,
    hash: Kind,
    data: OnceLock<Option<Positioned>>,
    few: OnceLock<Option<Few>>,
    index: OnceLock<Option<Index>>,
}

impl Pack {
    /// The pack at `path` (ending in `.pack`). Opens nothing.
    pub(crate) fn new(path: PathBuf, hash: Kind) -> Pack {
        Pack {
            path,
            hash,
            data: OnceLock::new(),
            few: OnceLock::new(),
            index: OnceLock::new(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file can be opened and has a pack header.
    #[inline]
    pub(crate) fn is_usable(&self) -> bool {
        self.data().is_some()
    }

    #[inline]
    fn data(&self) -> Option<&Positioned> {
        self.data
            .get_or_init(|| open(&self.path, self.hash))
            .as_ref()
    }

    /// The end of the entries, where the trailing checksum starts.
    #[inline]
    pub(crate) fn end(&self) -> Result<u64, Fault> {
        let data = self.data().ok_or("the pack cannot be opened")?;
        Ok(data.len() - self.hash.len_in_bytes() as u64)
    }

    /// Fills `out` from `offset`.
    pub(crate) fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), Fault> {
        let data = self.data().ok_or("the pack cannot be opened")?;
        data.read_exact_at(out, offset)
            .map_err(|_| "the pack cannot be read")
    }

    /// The mapped index, or `None` without a valid one.
    #[inline]
    pub(crate) fn index(&self) -> Option<&Index> {
        self.index
            .get_or_init(|| Index::open(&self.index_path(), self.hash))
            .as_ref()
    }

    fn index_path(&self) -> PathBuf {
        self.path.with_extension("idx")
    }

    /// The mapped index, if it was mapped before.
    #[inline]
    pub(crate) fn opened_index(&self) -> Option<&Index> {
        self.index.get()?.as_ref()
    }

    /// The offset of the object `id` by the pack's own index.
    #[inline]
    pub(crate) fn lookup(&self, id: &oid) -> Option<u64> {
        match self.index.get() {
            Some(index) => index.as_ref()?.lookup(id),
            None => self.first_lookup(id),
        }
    }

    #[cold]
    fn first_lookup(&self, id: &oid) -> Option<u64> {
        let found = self.few().and_then(|few| few.lookup(id));
        found.unwrap_or_else(|| self.index()?.lookup(id))
    }

    /// Length of the longest prefix, in hex digits, that `id` shares with another object of the
    /// pack.
    pub(crate) fn shared_digits(&self, id: &oid) -> Option<usize> {
        let few = self.few().filter(|_| self.index.get().is_none());
        few.and_then(|few| few.shared_digits(id))
            .or_else(|| self.index()?.shared_digits(id))
    }

    fn few(&self) -> Option<&Few> {
        let open = || Few::open(&self.index_path(), self.hash);
        self.few.get_or_init(open).as_ref()
    }

    /// Number of objects by the pack's own index.
    pub(crate) fn object_count(&self) -> Option<u32> {
        match self.few() {
            Some(few) => Some(few.len()),
            None => self.index().map(Index::len),
        }
    }

    /// Decodes the header of the entry at `offset` from `bytes`, which start there: at least
    /// [`LONGEST_HEADER`] of them, or all that the pack has.
    pub(crate) fn header(&self, offset: u64, bytes: &[u8]) -> Result<EntryHeader, Fault> {
        const CUT: Fault = "the pack ends within an entry header";
        if bytes.is_empty() {
            return Err("an entry lies outside of the pack");
        }
        let mut rest = bytes.iter();
        let mut next = || rest.next().copied().ok_or(CUT);
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
        let form = match (first >> 4) & 7 {
            1 => EntryForm::Whole(ObjectKind::Commit),
            2 => EntryForm::Whole(ObjectKind::Tree),
            3 => EntryForm::Whole(ObjectKind::Blob),
            4 => EntryForm::Whole(ObjectKind::Tag),
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
                    Some(base) if back > 0 && base > 0 => EntryForm::Delta(base),
                    _ => return Err("a delta base lies outside of the pack"),
                }
            }
            7 => {
                let len = self.hash.len_in_bytes();
                let id = rest.as_slice().get(..len).ok_or(CUT)?;
                let id = oid::try_from_bytes(id).map_err(|_| CUT)?.to_owned();
                rest = rest.as_slice()[len..].iter();
                EntryForm::DeltaById(id)
            }
            _ => return Err("an entry has an unknown type"),
        };
        let len = bytes.len() - rest.len();
        let left = self.end()?.saturating_sub(offset);
        if size > most_inflated(usize::try_from(left).unwrap_or(usize::MAX)) {
            return Err("an entry states an impossible size");
        }
        Ok(EntryHeader {
            form,
            size: usize::try_from(size).map_err(|_| "an entry is too large")?,
            len,
        })
    }

    /// The offset of the delta base; `None` for an entry that is no delta.
    #[inline]
    pub(crate) fn base(&self, form: EntryForm) -> Result<Option<u64>, Fault> {
        match form {
            EntryForm::Whole(_) => Ok(None),
            EntryForm::Delta(offset) => Ok(Some(offset)),
            EntryForm::DeltaById(id) => self
                .lookup(&id)
                .map(Some)
                .ok_or("a delta base is not in its pack"),
        }
    }
}

/// Opens the file at `path` if it has a pack header and a trailer.
fn open(path: &Path, hash: Kind) -> Option<Positioned> {
    let file = Positioned::open(path).ok()?;
    let mut start = [0; 12];
    file.read_exact_at(&mut start, 0).ok()?;
    let whole = file.len() >= (start.len() + hash.len_in_bytes()) as u64;
    let known = matches!(start, [b'P', b'A', b'C', b'K', 0, 0, 0, 2 | 3, ..]);
    (whole && known).then_some(file)
}

/// A mapped pack index.
pub(crate) struct Index {
    file: index::File,
    ids: SortedIds,
    large: u64,
}

impl Index {
    fn open(path: &Path, hash: Kind) -> Option<Index> {
        let len = std::fs::metadata(path).ok()?.len();
        let file = index::File::at(path, hash).ok()?;
        let count = u64::from(file.num_objects());
        let id_len = hash.len_in_bytes() as u64;
        let (fan, large) = match file.version() {
            index::Version::V1 => (0, 0),
            index::Version::V2 => (
                8,
                len.saturating_sub(8 + 1024 + count * (id_len + 8) + 2 * id_len) / 8,
            ),
        };
        let ids = SortedIds::open(path, fan, file.num_objects())?;
        Some(Index { file, ids, large })
    }

    /// The offset of `id` in the pack.
    #[inline]
    pub(crate) fn lookup(&self, id: &oid) -> Option<u64> {
        self.offset(self.ids.find(id, &self.file)?)
    }

    /// Prefetches what [`Index::lookup`] of `id` will read.
    #[inline]
    pub(crate) fn touch(&self, id: &oid) {
        self.ids.touch(id, &self.file);
    }

    fn shared_digits(&self, id: &oid) -> Option<usize> {
        self.ids.shared_digits(id, &self.file)
    }

    fn offset(&self, at: u32) -> Option<u64> {
        if self.file.version() == index::Version::V1 {
            return Some(self.file.pack_offset_at_index(at));
        }
        // The library would panic on a reference past the table of large offsets.
        let raw = raw_offset(&self.file, at)?;
        if raw >> 31 != 0 && u64::from(raw & 0x7fff_ffff) >= self.large {
            return None;
        }
        Some(self.file.pack_offset_at_index(at))
    }

    /// The offsets below 2 GiB, each with its place in this index, in no order. Old indexes are
    /// passed over.
    pub(crate) fn small_offsets(&self) -> impl Iterator<Item = (u32, u64)> {
        let count = match self.file.version() {
            index::Version::V1 => 0,
            index::Version::V2 => self.file.num_objects(),
        };
        let places = (0..count).filter_map(|at| Some((at, raw_offset(&self.file, at)?)));
        places
            .filter(|(_, offset)| offset >> 31 == 0)
            .map(|(at, offset)| (at, u64::from(offset)))
    }

    /// The id at a position of the index.
    pub(crate) fn id(&self, at: u32) -> Option<ObjectId> {
        (at < self.file.num_objects()).then(|| self.file.oid_at_index(at).to_owned())
    }

    /// Number of objects.
    pub(crate) fn len(&self) -> u32 {
        self.file.num_objects()
    }
}

impl Listed for index::File {
    #[inline]
    fn id(&self, at: u32) -> &oid {
        self.oid_at_index(at)
    }

    #[inline]
    fn fetch(&self, at: u32) {
        std::hint::black_box(raw_offset(self, at));
    }
}

/// The entry in the table of 32-bit offsets.
#[inline]
fn raw_offset(file: &index::File, at: u32) -> Option<u32> {
    // They follow the checksums, so this is the checksum "past the end".
    file.crc32_at_index(file.num_objects().checked_add(at)?)
}

/// A mapped multi-pack-index.
pub(crate) struct MultiIndex {
    file: multi_index::File,
    ids: SortedIds,
    /// Pack numbers in the store, by pack id in the index.
    packs: Vec<u32>,
}

impl MultiIndex {
    /// Opens the index at `path` if it is valid and uses this hash. `number` maps the name of a
    /// pack's own index to the pack's number in the store.
    pub(crate) fn open(
        path: &Path,
        hash: Kind,
        number: impl FnMut(&PathBuf) -> u32,
    ) -> Option<MultiIndex> {
        let file = multi_index::File::at(path, Some(256 << 20)).ok()?;
        if file.object_hash() != hash {
            return None;
        }
        let ids = SortedIds::open(path, start_of_fan(path)?, file.num_objects())?;
        let packs = file.index_names().iter().map(number).collect();
        Some(MultiIndex { file, ids, packs })
    }

    /// The store's numbers of the covered packs.
    pub(crate) fn packs(&self) -> &[u32] {
        &self.packs
    }

    /// Number of objects.
    pub(crate) fn len(&self) -> u32 {
        self.file.num_objects()
    }

    /// As [`Pack::shared_digits`].
    pub(crate) fn shared_digits(&self, id: &oid) -> Option<usize> {
        self.ids.shared_digits(id, &self.file)
    }

    /// Pack number in the store and offset in the pack.
    #[inline]
    pub(crate) fn lookup(&self, id: &oid) -> Option<(u32, u64)> {
        let at = self.ids.find(id, &self.file)?;
        let (pack, offset) = self.file.pack_id_and_pack_offset_at_index(at).ok()?;
        Some((*self.packs.get(pack as usize)?, offset))
    }

    /// As [`Index::touch`].
    #[inline]
    pub(crate) fn touch(&self, id: &oid) {
        self.ids.touch(id, &self.file);
    }
}

impl Listed for multi_index::File {
    #[inline]
    fn id(&self, at: u32) -> &oid {
        self.oid_at_index(at)
    }

    #[inline]
    fn fetch(&self, at: u32) {
        std::hint::black_box(self.pack_id_and_pack_offset_at_index(at).is_ok());
    }
}

/// The offset of the fanout chunk in the multi-pack-index at `path`.
fn start_of_fan(path: &Path) -> Option<u64> {
    const HEADER: u64 = 12;
    let file = Positioned::open(path).ok()?;
    let mut header = [0; HEADER as usize];
    file.read_exact_at(&mut header, 0).ok()?;
    // Chunk table: id and offset of each chunk.
    let mut parts = vec![[0; 12]; usize::from(header[6])];
    file.read_exact_at(parts.as_flattened_mut(), HEADER).ok()?;
    parts.iter().find_map(|part| {
        let start = part.strip_prefix(b"OIDF")?;
        Some(u64::from_be_bytes(start.try_into().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::index::sorted_ids::tests::many_ids;

    fn index(ids: &[ObjectId]) -> Vec<u8> {
        let mut data = b"\xfftOc\0\0\0\x02".to_vec();
        for first in 0..=255 {
            let count = ids.iter().filter(|id| id.first_byte() <= first).count();
            data.extend((count as u32).to_be_bytes());
        }
        ids.iter().for_each(|id| data.extend(id.as_slice()));
        data.resize(data.len() + 4 * ids.len(), 0);
        (0..ids.len() as u32).for_each(|at| data.extend((at * 3).to_be_bytes()));
        data.resize(data.len() + 40, 0);
        data
    }

    #[test]
    fn the_first_ids_are_found_before_the_index_is_mapped() {
        let ids = many_ids();
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("it.pack");
        let index = index(&ids);
        std::fs::write(path.with_extension("idx"), &index).expect("written");
        let missing = ObjectId::from([0x77; 20]);
        for (at, id) in (0u64..).zip(&ids).step_by(29) {
            let pack = Pack::new(path.clone(), Kind::Sha1);
            assert_eq!(pack.lookup(id), Some(at * 3));
            assert_eq!(pack.lookup(&missing), None);
            assert_eq!(pack.object_count(), u32::try_from(ids.len()).ok());
            let shared = pack.shared_digits(id);
            assert!(pack.opened_index().is_none());
            // It is worth it by now.
            assert_eq!((0..9).find_map(|_| pack.lookup(&missing)), None);
            assert!(pack.opened_index().is_some());
            assert_eq!(pack.lookup(id), Some(at * 3));
            assert_eq!(pack.shared_digits(id), shared);
            assert!(shared > Some(0));
        }
    }

    #[test]
    fn what_is_wrong_with_an_index_is_left_to_the_library() {
        let ids = many_ids();
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("it.pack");
        let sound = index(&ids);
        let lookup = |index: &[u8]| {
            std::fs::write(path.with_extension("idx"), index).expect("written");
            Pack::new(path.clone(), Kind::Sha1).lookup(&ids[5])
        };
        assert_eq!(lookup(&sound), Some(15));
        assert_eq!(lookup(&sound[..sound.len() - 1]), None);
        assert_eq!(lookup(&sound[..100]), None);
        let mut far = sound.clone();
        far[1032 + ids.len() * 24 + 20] = 0x80;
        assert_eq!(lookup(&far), None);
        let mut fan = sound.clone();
        fan[8] = 0xff;
        assert_eq!(lookup(&fan), None);
        let mut larger = sound;
        larger[8 + 1020] = 0xff;
        assert_eq!(lookup(&larger), None);
    }
}
