//! The multi-pack-index, mapped by gix.

use std::path::{Path, PathBuf};

use gix_hash::{Kind, oid};
use gix_pack::multi_index::File as MappedMultiIndex;

use crate::objects::{
    error::Reason,
    file_checksum,
    index::{
        fanout::{FANOUT_LEN, Fanout},
        sorted_ids::{IdList, SortedIds},
    },
    positioned_file::PositionedFile,
};
use crate::system;

/// Limit for the allocations that gix derives from sizes in the file.
const ALLOCATION_LIMIT: usize = 256 << 20;

const DAMAGED: Reason = "the multi-pack-index has an invalid record";

/// A mapped multi-pack-index.
pub(crate) struct MultiPackIndex {
    file: MappedMultiIndex,
    ids: SortedIds,
    /// Pack numbers in the store, by pack id in the index.
    packs: Vec<u32>,
    is_short: bool,
}

impl MultiPackIndex {
    /// Opens the index at `path` if it is valid and uses this hash. The checksum of a long one is not compared. `number` maps
    /// the name of a pack's own index to the pack's number in the store.
    pub(crate) fn open(
        path: &Path,
        hash: Kind,
        number: impl FnMut(&PathBuf) -> u32,
    ) -> Option<MultiPackIndex> {
        let is_short = PositionedFile::open(path).ok()?.len() <= file_checksum::MAX_CHECKED_LEN;
        if is_short && !file_checksum::is_valid(&system::read_file(path).ok()?, hash) {
            return None;
        }
        let file = MappedMultiIndex::at(path, Some(ALLOCATION_LIMIT)).ok()?;
        if file.object_hash() != hash {
            return None;
        }
        let fanout = read_fanout(path).filter(|fanout| fanout.count() == file.num_objects())?;
        let packs = file.index_names().iter().map(number).collect();
        Some(MultiPackIndex {
            file,
            ids: SortedIds::new(fanout),
            packs,
            is_short,
        })
    }

    /// Whether its checksum was compared. It may be made on purpose: the indexes of packs, which have a checksum for each
    /// object, are asked too then.
    pub(crate) fn is_short(&self) -> bool {
        self.is_short
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// The store's numbers of the covered packs.
    pub(crate) fn packs(&self) -> &[u32] {
        &self.packs
    }

    /// Number of objects.
    pub(crate) fn len(&self) -> u32 {
        self.file.num_objects()
    }

    /// Length of the longest prefix, in hex digits, that `id` shares with another id.
    pub(crate) fn shared_digits(&self, id: &oid) -> Option<usize> {
        self.ids.shared_digits(id, &self.file)
    }

    /// Pack number in the store and offset in the pack; `None` if `id` is not listed.
    ///
    /// # Errors
    ///
    /// The index is damaged: `id` is listed, but where it is cannot be told.
    #[inline]
    pub(crate) fn lookup(&self, id: &oid) -> Result<Option<(u32, u64)>, Reason> {
        let Some(at) = self.ids.find(id, &self.file) else {
            return Ok(None);
        };
        let (pack, offset) = self
            .file
            .pack_id_and_pack_offset_at_index(at)
            .map_err(|_| DAMAGED)?;
        let pack = self.packs.get(pack as usize).ok_or(DAMAGED)?;
        Ok(Some((*pack, offset)))
    }

    /// Prefetches what [`MultiPackIndex::lookup`] of `id` will read.
    #[inline]
    pub(crate) fn prefetch(&self, id: &oid) {
        self.ids.prefetch(id, &self.file);
    }
}

impl IdList for MappedMultiIndex {
    #[inline]
    fn id(&self, at: u32) -> &oid {
        self.oid_at_index(at)
    }

    #[inline]
    fn prefetch(&self, at: u32) {
        std::hint::black_box(self.pack_id_and_pack_offset_at_index(at).is_ok());
    }
}

/// Reads the fanout table of the multi-pack-index at `path`, which gix does not expose.
fn read_fanout(path: &Path) -> Option<Fanout> {
    const HEADER_LEN: u64 = 12;
    let file = PositionedFile::open(path).ok()?;
    let mut header = [0; HEADER_LEN as usize];
    file.read_exact_at(&mut header, 0).ok()?;
    // Id and offset of each chunk.
    let mut chunks = vec![[0; 12]; usize::from(header[6])];
    file.read_exact_at(chunks.as_flattened_mut(), HEADER_LEN)
        .ok()?;
    let offset = chunks
        .iter()
        .find_map(|chunk| chunk.strip_prefix(b"OIDF"))?;
    let mut fanout = [0; FANOUT_LEN];
    let offset = u64::from_be_bytes(offset.try_into().ok()?);
    file.read_exact_at(&mut fanout, offset).ok()?;
    Fanout::decode(&fanout)
}
