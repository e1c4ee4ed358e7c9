//! Object reads of one thread.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gix_hash::{Kind, ObjectId, oid};

use crate::objects::{
    error::{Error, OUT_OF_MEMORY, Reason},
    formats::loose,
    inflate::inflater::Inflater,
    pack::{
        delta,
        entry_reader::{apply_delta, read_entry, read_entry_start, read_stored},
        pack_file::{EntryType, Pack, ResolvedEntryType},
        page_cache::PageCache,
    },
    store::{lookup_cache::TreeLookups, object_store::Store, pack_list::PackSnapshot},
    types::{GraphPosition, Object, ObjectKind, PackPosition, StoredObject, TreeEntry},
};
use crate::system::memory;

/// Maximum length of the two sizes at the start of a delta.
const MAX_SIZES_LEN: usize = 20;

impl Store {
    /// Creates a reader for one thread.
    pub fn reader(self: &Arc<Store>) -> Reader {
        Reader::new(Arc::clone(self))
    }
}

/// Reads objects from a [`Store`], for one thread.
pub struct Reader {
    pub(crate) store: Arc<Store>,
    pub(crate) packs: Arc<PackSnapshot>,
    /// The pack in which the last object was found.
    pub(crate) recent_pack: u32,
    pub(crate) inflater: Inflater,
    pub(crate) pages: PageCache,
    pub(crate) heads_inflated: u64,
    pub(crate) heads_from_graph: u64,
    /// Ids and positions of the first parents of the last commit found in the graph.
    pub(crate) parents: Vec<(ObjectId, GraphPosition)>,
    /// Buffer for the graph positions of one commit's parents.
    pub(crate) parent_positions: Vec<u32>,
    /// `None` before the first lookup, and during one.
    pub(crate) lookups: Option<Box<TreeLookups>>,
    /// True if missing objects are fetched, if there is a promisor remote.
    pub(crate) fetches: bool,
    /// The last object that was compared with its id.
    pub(crate) last_checked: Option<(ObjectId, Object)>,
}

impl Reader {
    pub(crate) fn new(store: Arc<Store>) -> Reader {
        Reader {
            packs: store.packs(),
            pages: PageCache::new(Arc::clone(&store.page_pool)),
            store,
            recent_pack: 0,
            inflater: Inflater::new(),
            heads_inflated: 0,
            heads_from_graph: 0,
            parents: Vec::new(),
            parent_positions: Vec::new(),
            lookups: None,
            fetches: true,
            last_checked: None,
        }
    }

    /// Adds this reader's counters to [`Store::stats`]. Also done on drop.
    pub fn report(&mut self) {
        let counters = &self.store.counters;
        let add = |counter: &AtomicU64, count: &mut u64| {
            counter.fetch_add(std::mem::take(count), Ordering::Relaxed);
        };
        add(&counters.heads_from_graph, &mut self.heads_from_graph);
        add(&counters.heads_inflated, &mut self.heads_inflated);
        if let Some(lookups) = &mut self.lookups {
            add(&counters.lookups, &mut lookups.requested);
            add(&counters.lookups_remembered, &mut lookups.cached);
            add(&counters.lookups_projected, &mut lookups.projected);
        }
    }

    /// Returns page buffers to the shared pool until the next read.
    pub fn release_buffers(&mut self) {
        self.pages.release();
    }

    /// The store that this reader reads from.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    pub(crate) fn hash(&self) -> Kind {
        self.store.hash
    }

    /// Reads the object `id`, following replacements.
    ///
    /// # Errors
    ///
    /// [`Error::Missing`] if there is no such object; other errors if it cannot be read.
    pub fn object(&mut self, id: &oid) -> Result<Object, Error> {
        let replacement = self.replacement(id)?;
        let id = replacement.as_deref().unwrap_or(id);
        match self.read(id)? {
            Some(object) => Ok(object),
            None => self.missing(id),
        }
    }

    /// Reads the object `id`, following replacements; `None` if there is no such object.
    ///
    /// # Errors
    ///
    /// The object exists but cannot be read.
    pub fn try_object(&mut self, id: &oid) -> Result<Option<Object>, Error> {
        let replacement = self.replacement(id)?;
        self.read(replacement.as_deref().unwrap_or(id))
    }

    /// Reads the object `id`; `None` if there is no such object.
    fn read(&mut self, id: &oid) -> Result<Option<Object>, Error> {
        match self.locate(id)? {
            ObjectLocation::Pack(at) => {
                let read = self.object_at(at);
                self.or_checked(id, read, |object| object).map(Some)
            }
            ObjectLocation::ById => self.loose_or_packed(id),
            ObjectLocation::Missing => Ok(None),
        }
    }

    /// Reads the object `id`, which must be of the kind `expected`.
    ///
    /// # Errors
    ///
    /// As for [`Reader::object`], and [`Error::NotKind`].
    pub fn object_of_kind(&mut self, id: &oid, expected: ObjectKind) -> Result<Object, Error> {
        let object = self.object(id)?;
        if object.kind != expected {
            self.doubt(id, &object);
            return Err(Error::NotKind {
                id: id.to_owned(),
                expected,
                actual: object.kind,
            });
        }
        Ok(object)
    }

    /// True if an entry is a file for git, which asks what its object is: modes of files and links
    /// are believed here unless the object is replaced, and the object is looked at for others.
    ///
    /// # Errors
    ///
    /// Objects replace each other in turn, where git ends whatever it is doing.
    pub fn is_blob(&mut self, entry: &TreeEntry) -> Result<bool, Error> {
        if (entry.is_regular() || entry.is_link()) && !self.is_replaced(&entry.id) {
            return Ok(true);
        }
        match self.kind(&entry.id) {
            Err(error @ Error::ReplaceDepth { .. }) => Err(error),
            kind => Ok(matches!(kind, Ok(Some(ObjectKind::Blob)))),
        }
    }

    /// The kind of the object `id`; `None` if there is no such object. Inflates nothing of a packed
    /// object.
    ///
    /// # Errors
    ///
    /// The object exists but cannot be read.
    pub fn kind(&mut self, id: &oid) -> Result<Option<ObjectKind>, Error> {
        let replacement = match self.replacement(id) {
            Err(Error::Missing { .. }) => return Ok(None),
            replacement => replacement?,
        };
        let id = replacement.as_deref().unwrap_or(id);
        match self.locate(id)? {
            ObjectLocation::Pack(at) => {
                let read = self.kind_at(at);
                self.or_checked(id, read, |object| object.kind).map(Some)
            }
            ObjectLocation::ById => match self.loose_header(id)? {
                Some((kind, _)) => Ok(Some(kind)),
                None => Ok(self.loose_or_packed(id)?.map(|object| object.kind)),
            },
            ObjectLocation::Missing => Ok(None),
        }
    }

    /// The first bytes of the object `id`: at least `len`, or all. Follows replacements. No checksum
    /// vouches for a part.
    ///
    /// # Errors
    ///
    /// As for [`Reader::object`].
    pub(crate) fn start_of(&mut self, id: &oid, len: usize) -> Result<Vec<u8>, Error> {
        let replacement = self.replacement(id)?;
        let real = replacement.as_deref().unwrap_or(id);
        if let ObjectLocation::Pack(at) = self.locate(real)?
            && let Some(pack) = self.packs.all.get(at.pack as usize)
            && let Ok((header, input)) = read_entry_start(&mut self.pages, pack, at, len)
            && matches!(header.entry_type, EntryType::Whole(_))
            && header.size > len
            && let Ok(start) = self.inflater.begin_prefix(input, len)
            && start.len() >= len
        {
            return Ok(start.to_vec());
        }
        Ok(self.object(id)?.data.to_vec())
    }

    /// The size in bytes of the object `id`; `None` if there is no such object. Inflates at most
    /// its first bytes.
    ///
    /// # Errors
    ///
    /// The object exists but cannot be read.
    pub fn size(&mut self, id: &oid) -> Result<Option<u64>, Error> {
        let replacement = self.replacement(id)?;
        let id = replacement.as_deref().unwrap_or(id);
        match self.locate(id)? {
            ObjectLocation::Pack(at) => {
                let pack = Arc::clone(self.pack(at)?);
                let inflater = &mut self.inflater;
                let size = read_entry_start(&mut self.pages, &pack, at, MAX_SIZES_LEN).and_then(
                    |(header, input)| {
                        if matches!(header.entry_type, EntryType::Whole(_)) {
                            return Ok(header.size as u64);
                        }
                        let delta = delta::DeltaInstructions::new(
                            inflater.begin_prefix(input, MAX_SIZES_LEN)?,
                        )?;
                        Ok(delta.result_len() as u64)
                    },
                );
                let read = size.map_err(|reason| corrupt_entry(&pack, at, reason));
                self.or_checked(id, read, |object| object.data.len() as u64)
                    .map(Some)
            }
            ObjectLocation::ById => match self.loose_header(id)? {
                Some((_, size)) => Ok(Some(size)),
                None => {
                    let object = self.loose_or_packed(id)?;
                    Ok(object.map(|object| object.data.len() as u64))
                }
            },
            ObjectLocation::Missing => Ok(None),
        }
    }

    /// Pack position of `id`, following replacements; `None` if it is loose or missing.
    ///
    /// # Errors
    ///
    /// Replacements form a cycle.
    pub fn position(&mut self, id: &oid) -> Result<Option<PackPosition>, Error> {
        let replacement = self.replacement(id)?;
        let id = replacement.as_deref().unwrap_or(id);
        match self.locate(id)? {
            ObjectLocation::Pack(at) => Ok(Some(at)),
            ObjectLocation::ById | ObjectLocation::Missing => Ok(None),
        }
    }

    /// Reads the object `id` as stored, following replacements. The position is `None` for a loose
    /// object.
    ///
    /// # Errors
    ///
    /// [`Error::Missing`] if there is no such object; other errors if it cannot be read.
    pub fn stored(&mut self, id: &oid) -> Result<(Option<PackPosition>, StoredObject), Error> {
        let replacement = self.replacement(id)?;
        let id = replacement.as_deref().unwrap_or(id);
        match self.locate(id)? {
            ObjectLocation::Pack(at) => {
                let read = self.stored_at(at).map(|stored| (Some(at), stored));
                self.or_checked(id, read, |object| (None, StoredObject::Whole(object)))
            }
            ObjectLocation::ById | ObjectLocation::Missing => {
                let object = match self.loose_or_packed(id)? {
                    Some(object) => object,
                    None => self.missing(id)?,
                };
                Ok((None, StoredObject::Whole(object)))
            }
        }
    }

    /// Reads the packed object at `at` as stored.
    ///
    /// # Errors
    ///
    /// There is no valid entry at that position.
    pub fn stored_at(&mut self, at: PackPosition) -> Result<StoredObject, Error> {
        let pack = Arc::clone(self.pack(at)?);
        let Reader {
            pages, inflater, ..
        } = self;
        read_stored(&pack, at, pages, inflater).map_err(|reason| corrupt_entry(&pack, at, reason))
    }

    /// Inflates the entry at `at` into `out` from index `start`, growing `out` as needed and
    /// keeping what follows. Returns the entry's type and the end of its bytes in `out`.
    ///
    /// A reused buffer saves fresh memory and zeroing where the bytes are used only briefly.
    ///
    /// # Errors
    ///
    /// There is no valid entry at that position.
    pub(crate) fn inflate_at(
        &mut self,
        at: PackPosition,
        out: &mut Vec<u8>,
        start: usize,
    ) -> Result<(ResolvedEntryType, usize), Error> {
        self.with_entry(at, |inflater, entry_type, size, input| {
            let end = start.checked_add(size).ok_or("an entry is too large")?;
            if out.len() < end {
                // The allocator may need twice as much while the buffer grows.
                if !memory::is_available(end.saturating_mul(2)) {
                    return Err(OUT_OF_MEMORY);
                }
                out.resize(end, 0);
            }
            inflater.inflate_exact(input, &mut out[start..end])?;
            Ok((entry_type, end))
        })
    }

    /// Reads the object at `at` through the delta-base cache.
    ///
    /// # Errors
    ///
    /// The entry or one of its bases is damaged.
    pub fn object_at(&mut self, at: PackPosition) -> Result<Object, Error> {
        if let Some(object) = self.store.cache.get(at) {
            return Ok(object);
        }
        let pack = Arc::clone(self.pack(at)?);
        let mut deltas = Vec::new();
        let mut position = at;
        let mut base = loop {
            if !deltas.is_empty()
                && let Some(object) = self.store.cache.get(position)
            {
                break object;
            }
            match read_stored(&pack, position, &mut self.pages, &mut self.inflater)
                .map_err(|reason| corrupt_entry(&pack, position, reason))?
            {
                StoredObject::Whole(object) => {
                    self.store.cache.put(position, &object);
                    break object;
                }
                StoredObject::Delta { base, delta } => {
                    deltas.push((position, delta));
                    if deltas.len() > pack.max_delta_depth() {
                        return Err(corrupt_entry(&pack, at, "deltas form a cycle"));
                    }
                    position = base;
                }
            }
        };
        while let Some((position, delta)) = deltas.pop() {
            let data = apply_delta(&base.data, &delta)
                .map_err(|reason| corrupt_entry(&pack, position, reason))?;
            base = Object {
                kind: base.kind,
                data,
            };
            self.store.cache.put(position, &base);
        }
        Ok(base)
    }

    /// Passes the entry at `at` to `work`: its type, inflated size and compressed bytes, followed
    /// by some of what comes after them in the pack. If `work` fails it is called once more with
    /// more bytes.
    pub(crate) fn with_entry<T>(
        &mut self,
        at: PackPosition,
        mut work: impl FnMut(&mut Inflater, ResolvedEntryType, usize, &[u8]) -> Result<T, Reason>,
    ) -> Result<T, Error> {
        let Reader {
            packs,
            pages,
            inflater,
            ..
        } = self;
        let Some(pack) = packs.all.get(at.pack as usize) else {
            return Err(no_pack(at));
        };
        read_entry(pages, pack, at, |header, input| {
            let entry_type = match header.entry_type {
                EntryType::Whole(kind) => ResolvedEntryType::Whole(kind),
                entry_type => {
                    ResolvedEntryType::Delta(pack.base(entry_type)?.ok_or("a delta has no base")?)
                }
            };
            work(inflater, entry_type, header.size, input)
        })
        .map_err(|reason| corrupt_entry(pack, at, reason))
    }

    pub(crate) fn corrupt_entry(&self, at: PackPosition, reason: Reason) -> Error {
        match self.pack(at) {
            Ok(pack) => corrupt_entry(pack, at, reason),
            Err(error) => error,
        }
    }

    /// Maximum delta depth in the pack at `at`; longer chains form a cycle.
    pub(crate) fn max_delta_depth(&self, at: PackPosition) -> usize {
        self.pack(at).map_or(0, |pack| pack.max_delta_depth())
    }

    fn kind_at(&mut self, at: PackPosition) -> Result<ObjectKind, Error> {
        let pack = Arc::clone(self.pack(at)?);
        let mut position = at.offset;
        for _ in 0..=pack.max_delta_depth() {
            let here = PackPosition {
                offset: position,
                ..at
            };
            let (header, _) = read_entry_start(&mut self.pages, &pack, here, 0)
                .map_err(|reason| corrupt_entry(&pack, at, reason))?;
            match header.entry_type {
                EntryType::Whole(kind) => return Ok(kind),
                entry_type => {
                    let base = pack
                        .base(entry_type)
                        .map_err(|reason| corrupt_entry(&pack, at, reason))?;
                    position = base.unwrap_or(position);
                }
            }
        }
        Err(corrupt_entry(&pack, at, "deltas form a cycle"))
    }

    fn pack(&self, at: PackPosition) -> Result<&Arc<Pack>, Error> {
        self.packs
            .all
            .get(at.pack as usize)
            .ok_or_else(|| no_pack(at))
    }

    /// Reads a loose object; from a pack if it was packed and its file removed since it was found.
    fn loose_or_packed(&mut self, id: &oid) -> Result<Option<Object>, Error> {
        if self.store.is_careful() {
            return self.checked(id);
        }
        if let Some(object) = self.loose(id)? {
            return Ok(Some(object));
        }
        let at = self
            .find_in_packs(id)
            .or_else(|| self.find_in_new_packs(id));
        at.map(|at| self.object_at(at)).transpose()
    }

    pub(crate) fn loose(&mut self, id: &oid) -> Result<Option<Object>, Error> {
        self.first_loose(|dir, inflater| loose::read(dir, id, inflater))
    }

    /// Kind and size of a loose object, which is not compared with its id; `None` where that is
    /// needed.
    fn loose_header(&mut self, id: &oid) -> Result<Option<(ObjectKind, u64)>, Error> {
        if self.store.is_careful() {
            return Ok(None);
        }
        self.first_loose(|dir, inflater| loose::header(dir, id, inflater))
    }

    /// What `read` finds in the first directory of objects that has it.
    fn first_loose<T>(
        &mut self,
        read: impl Fn(&Path, &mut Inflater) -> Result<Option<T>, Error>,
    ) -> Result<Option<T>, Error> {
        for dir in self.store.dirs() {
            let read = read(dir, &mut self.inflater);
            if let Some(found) = read.map_err(|error| self.store.with_shown_path(error))? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.report();
    }
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader")
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}

/// Location of an object.
pub(crate) enum ObjectLocation {
    Pack(PackPosition),
    /// It is loose, or read with care: it is asked for by its id.
    ById,
    Missing,
}

#[cold]
fn no_pack(at: PackPosition) -> Error {
    Error::Corrupt {
        what: format!("{at:?}"),
        reason: "there is no such pack",
    }
}

#[cold]
fn corrupt_entry(pack: &Pack, at: PackPosition, reason: Reason) -> Error {
    Error::pack(pack.path(), at.offset, reason)
}
