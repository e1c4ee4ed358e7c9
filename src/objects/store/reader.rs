//! Object reads of one thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gix_hash::{Kind, ObjectId, oid};

use crate::objects::{
    error::{Error, Fault},
    formats::loose,
    inflate::inflater::Inflater,
    pack::{
        delta,
        pack_file::{EntryForm, EntryHeader, LONGEST_HEADER, Pack},
        page_cache::Windows,
    },
    store::{
        object_store::{Packs, Store},
        tree_lookup::Lookups,
    },
    types::{GraphPosition, Object, ObjectKind, PackPosition, Stored},
};

/// Maximum length of a chain of replacements, as in git.
const REPLACEMENT_DEPTH: usize = 5;
/// Blobs from this size on are first read in part.
const LARGE_BLOB_LEN: usize = 32 << 10;
/// Maximum length of the two sizes at the start of a delta.
const MAX_SIZES_LEN: usize = 20;

/// The type of a pack entry, with its base resolved to an offset.
pub(crate) enum Form {
    /// An object without a delta.
    Whole(ObjectKind),
    /// A delta against the entry at this offset.
    Delta(u64),
}

/// Reads objects from a [`Store`], for one thread.
pub struct Reader {
    pub(crate) store: Arc<Store>,
    pub(crate) packs: Arc<Packs>,
    /// The pack in which the last object was found.
    pub(crate) recent: u32,
    pub(crate) inflater: Inflater,
    pub(crate) windows: Windows,
    pub(crate) heads_inflated: u64,
    pub(crate) heads_from_graph: u64,
    /// Ids and positions of the first parents of the last commit found in the graph.
    pub(crate) parents: Vec<(ObjectId, GraphPosition)>,
    pub(crate) parent_places: Vec<u32>,
    /// `None` before the first lookup, and during one.
    pub(crate) lookups: Option<Box<Lookups>>,
}

impl Reader {
    pub(crate) fn new(store: Arc<Store>) -> Reader {
        Reader {
            packs: store.packs(),
            windows: Windows::new(Arc::clone(&store.windows)),
            store,
            recent: 0,
            inflater: Inflater::new(),
            heads_inflated: 0,
            heads_from_graph: 0,
            parents: Vec::new(),
            parent_places: Vec::new(),
            lookups: None,
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
            add(&counters.lookups, &mut lookups.asked);
            add(&counters.lookups_remembered, &mut lookups.remembered);
            add(&counters.lookups_projected, &mut lookups.projected);
        }
    }

    /// Returns page buffers to the shared pool until the next read.
    pub fn rest(&mut self) {
        self.windows.leave();
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
        self.try_object(id)?
            .ok_or_else(|| Error::Missing { id: id.to_owned() })
    }

    /// Reads the object `id`, following replacements; `None` if there is no such object.
    ///
    /// # Errors
    ///
    /// The object exists but cannot be read.
    pub fn try_object(&mut self, id: &oid) -> Result<Option<Object>, Error> {
        let id = self.replaced(id)?;
        match self.locate(&id)? {
            Place::Pack(at) => match self.object_at(at) {
                Ok(object) => Ok(Some(object)),
                Err(error) => self.read_other_copy(&id, at, error).map(Some),
            },
            Place::Loose => self.loose(&id),
            Place::Nowhere => Ok(None),
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
            return Err(Error::NotKind {
                id: id.to_owned(),
                expected,
                actual: object.kind,
            });
        }
        Ok(object)
    }

    /// The kind of the object `id`; `None` if there is no such object. Inflates nothing of a packed
    /// object.
    ///
    /// # Errors
    ///
    /// The object exists but cannot be read.
    pub fn kind(&mut self, id: &oid) -> Result<Option<ObjectKind>, Error> {
        let id = self.replaced(id)?;
        match self.locate(&id)? {
            Place::Pack(at) => self.kind_at(at).map(Some),
            Place::Loose => Ok(self.loose_header(&id)?.map(|(kind, _)| kind)),
            Place::Nowhere => Ok(None),
        }
    }

    /// The size in bytes of the object `id`; `None` if there is no such object. Inflates at most
    /// its first bytes.
    ///
    /// # Errors
    ///
    /// The object exists but cannot be read.
    pub fn size(&mut self, id: &oid) -> Result<Option<u64>, Error> {
        let id = self.replaced(id)?;
        match self.locate(&id)? {
            Place::Pack(at) => {
                let pack = Arc::clone(self.pack(at)?);
                let inflater = &mut self.inflater;
                let size = entry(&mut self.windows, &pack, at, MAX_SIZES_LEN).and_then(
                    |(header, input)| {
                        if matches!(header.form, EntryForm::Whole(_)) {
                            return Ok(header.size as u64);
                        }
                        let delta =
                            delta::Instructions::new(inflater.prefix(input, MAX_SIZES_LEN)?)?;
                        Ok(delta.result_len() as u64)
                    },
                );
                size.map(Some)
                    .map_err(|reason| corrupt_entry(&pack, at, reason))
            }
            Place::Loose => Ok(self.loose_header(&id)?.map(|(_, size)| size)),
            Place::Nowhere => Ok(None),
        }
    }

    /// The length of the shortest unique abbreviation of `id` in hex digits, at least `at_least`,
    /// at most the full length.
    pub fn unique_len(&self, id: &oid, at_least: usize) -> usize {
        let packs = &self.packs;
        let multi = packs
            .multi
            .iter()
            .filter_map(|index| index.shared_digits(id));
        let single = self
            .single_packs()
            .filter_map(|pack| pack.shared_digits(id));
        let dirs = self.store.dirs().iter();
        let loose = dirs.map(|dir| loose::shared_digits(dir, id));
        let shared = multi.chain(single).chain(loose).max().unwrap_or(0);
        at_least.max(shared + 1).min(self.hash().len_in_hex())
    }

    /// Number of packed objects, including those of alternates.
    pub fn packed_object_count(&self) -> u64 {
        let multi = self.packs.multi.iter().map(|index| index.len());
        let single = self.single_packs().filter_map(|pack| pack.object_count());
        multi.chain(single).map(u64::from).sum()
    }

    /// Packs that are in no multi-pack-index.
    fn single_packs(&self) -> impl Iterator<Item = &Pack> {
        let Packs { all, single, .. } = &*self.packs;
        let packs = single.iter().filter_map(|&number| all.get(number as usize));
        packs.map(|pack| &**pack)
    }

    /// Pack position of `id`, following replacements; `None` if it is loose or missing.
    ///
    /// # Errors
    ///
    /// Replacements form a cycle.
    pub fn position(&mut self, id: &oid) -> Result<Option<PackPosition>, Error> {
        let id = self.replaced(id)?;
        match self.locate(&id)? {
            Place::Pack(at) => Ok(Some(at)),
            Place::Loose | Place::Nowhere => Ok(None),
        }
    }

    /// Reads the object `id` as stored, following replacements. The position is `None` for a loose
    /// object.
    ///
    /// # Errors
    ///
    /// [`Error::Missing`] if there is no such object; other errors if it cannot be read.
    pub fn stored(&mut self, id: &oid) -> Result<(Option<PackPosition>, Stored), Error> {
        let id = self.replaced(id)?;
        match self.locate(&id)? {
            Place::Pack(at) => match self.stored_at(at) {
                Ok(stored) => Ok((Some(at), stored)),
                Err(error) => {
                    let object = self.read_other_copy(&id, at, error)?;
                    Ok((None, Stored::Whole(object)))
                }
            },
            Place::Loose | Place::Nowhere => match self.loose(&id)? {
                Some(object) => Ok((None, Stored::Whole(object))),
                None => Err(Error::Missing { id }),
            },
        }
    }

    /// Reads the packed object at `at` as stored.
    ///
    /// # Errors
    ///
    /// There is no valid entry at that position.
    pub fn stored_at(&mut self, at: PackPosition) -> Result<Stored, Error> {
        let pack = Arc::clone(self.pack(at)?);
        let Reader {
            windows, inflater, ..
        } = self;
        stored_entry(&pack, at, windows, inflater)
            .map_err(|reason| corrupt_entry(&pack, at, reason))
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
    ) -> Result<(Form, usize), Error> {
        self.with_entry(at, |inflater, form, size, input| {
            let end = start.checked_add(size).ok_or("an entry is too large")?;
            if out.len() < end {
                out.resize(end, 0);
            }
            inflater.exact(input, &mut out[start..end])?;
            Ok((form, end))
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
        let mut place = at;
        let mut base = loop {
            if !deltas.is_empty()
                && let Some(object) = self.store.cache.get(place)
            {
                break object;
            }
            match stored_entry(&pack, place, &mut self.windows, &mut self.inflater)
                .map_err(|reason| corrupt_entry(&pack, place, reason))?
            {
                Stored::Whole(object) => {
                    self.store.cache.put(place, &object);
                    break object;
                }
                Stored::Delta { base, delta } => {
                    deltas.push((place, delta));
                    if deltas.len() > longest_chain(&pack) {
                        return Err(corrupt_entry(&pack, at, "deltas form a cycle"));
                    }
                    place = base;
                }
            }
        };
        while let Some((place, delta)) = deltas.pop() {
            let data = rebuild(&base.data, &delta)
                .map_err(|reason| corrupt_entry(&pack, place, reason))?;
            base = Object {
                kind: base.kind,
                data,
            };
            self.store.cache.put(place, &base);
        }
        Ok(base)
    }

    /// Passes the entry at `at` to `work`: its type, inflated size and compressed bytes, followed
    /// by some of what comes after them in the pack. If `work` fails it is called once more with
    /// more bytes.
    pub(crate) fn with_entry<T>(
        &mut self,
        at: PackPosition,
        mut work: impl FnMut(&mut Inflater, Form, usize, &[u8]) -> Result<T, Fault>,
    ) -> Result<T, Error> {
        let Reader {
            packs,
            windows,
            inflater,
            ..
        } = self;
        let Some(pack) = packs.all.get(at.pack as usize) else {
            return Err(no_pack(at));
        };
        whole_entry(windows, pack, at, |header, input| {
            let form = match header.form {
                EntryForm::Whole(kind) => Form::Whole(kind),
                form => Form::Delta(pack.base(form)?.ok_or("a delta has no base")?),
            };
            work(inflater, form, header.size, input)
        })
        .map_err(|reason| corrupt_entry(pack, at, reason))
    }

    pub(crate) fn wrong(&self, at: PackPosition, reason: Fault) -> Error {
        match self.pack(at) {
            Ok(pack) => corrupt_entry(pack, at, reason),
            Err(error) => error,
        }
    }

    /// Maximum delta depth in the pack at `at`; longer chains form a cycle.
    pub(crate) fn longest_chain(&self, at: PackPosition) -> usize {
        self.pack(at).map_or(0, |pack| longest_chain(pack))
    }

    fn kind_at(&mut self, at: PackPosition) -> Result<ObjectKind, Error> {
        let pack = Arc::clone(self.pack(at)?);
        let mut place = at.offset;
        for _ in 0..=longest_chain(&pack) {
            let here = PackPosition {
                offset: place,
                ..at
            };
            let (header, _) = entry(&mut self.windows, &pack, here, 0)
                .map_err(|reason| corrupt_entry(&pack, at, reason))?;
            match header.form {
                EntryForm::Whole(kind) => return Ok(kind),
                form => {
                    let base = pack
                        .base(form)
                        .map_err(|reason| corrupt_entry(&pack, at, reason))?;
                    place = base.unwrap_or(place);
                }
            }
        }
        Err(corrupt_entry(&pack, at, "deltas form a cycle"))
    }

    /// Resolves replacements of `id`.
    pub(crate) fn replaced(&self, id: &oid) -> Result<ObjectId, Error> {
        let replacements = &self.store.options.replacements;
        let mut id = id.to_owned();
        if replacements.is_empty() {
            return Ok(id);
        }
        for _ in 0..=REPLACEMENT_DEPTH {
            match replacements.get(&id) {
                Some(next) => id = *next,
                None => return Ok(id),
            }
        }
        Err(Error::object(&id, "replacements are nested too deeply"))
    }

    fn pack(&self, at: PackPosition) -> Result<&Arc<Pack>, Error> {
        self.packs
            .all
            .get(at.pack as usize)
            .ok_or_else(|| no_pack(at))
    }

    /// Finds `id` in packs and loose objects, then in new packs, then by fetching it. Does not
    /// follow replacements.
    pub(crate) fn locate(&mut self, id: &oid) -> Result<Place, Error> {
        if let Some(at) = self.find_in_packs(id) {
            return Ok(Place::Pack(at));
        }
        if self.is_loose(id) {
            return Ok(Place::Loose);
        }
        // A concurrent repack may have moved the object.
        if let Some(at) = self.find_in_new_packs(id) {
            return Ok(Place::Pack(at));
        }
        let Some(promisor) = self.store.options.promisor.clone() else {
            return Ok(Place::Nowhere);
        };
        let store = Arc::clone(&self.store);
        let _one_at_a_time = store.fetching();
        for fetched in [false, true] {
            if fetched && !promisor.fetch(&id.to_owned()) {
                return Err(Error::NotFetched { id: id.to_owned() });
            }
            if let Some(at) = self.find_in_new_packs(id) {
                return Ok(Place::Pack(at));
            }
            if self.is_loose(id) {
                return Ok(Place::Loose);
            }
        }
        Ok(Place::Nowhere)
    }

    fn find_in_new_packs(&mut self, id: &oid) -> Option<PackPosition> {
        self.packs = self.store.rescan(&self.packs)?;
        self.find_in_packs(id)
    }

    fn find_in_packs(&mut self, id: &oid) -> Option<PackPosition> {
        let packs = &self.packs;
        let usable = |pack: u32| {
            packs
                .all
                .get(pack as usize)
                .is_some_and(|pack| pack.is_usable())
        };
        for multi in &packs.multi {
            if let Some((pack, offset)) = multi.lookup(id)
                && usable(pack)
            {
                return Some(PackPosition { pack, offset });
            }
        }
        let recent = packs
            .single
            .iter()
            .copied()
            .filter(|&pack| pack == self.recent);
        let others = packs
            .single
            .iter()
            .copied()
            .filter(|&pack| pack != self.recent);
        for number in recent.chain(others) {
            let pack = packs.all.get(number as usize)?;
            if let Some(offset) = pack.lookup(id)
                && usable(number)
            {
                self.recent = number;
                return Some(PackPosition {
                    pack: number,
                    offset,
                });
            }
        }
        None
    }

    fn is_loose(&self, id: &oid) -> bool {
        self.store
            .dirs()
            .iter()
            .any(|dir| loose::path(dir, id).exists())
    }

    fn loose(&mut self, id: &oid) -> Result<Option<Object>, Error> {
        for dir in self.store.dirs() {
            if let Some(object) = loose::read(dir, id, &mut self.inflater)? {
                return Ok(Some(object));
            }
        }
        Ok(None)
    }

    fn loose_header(&mut self, id: &oid) -> Result<Option<(ObjectKind, u64)>, Error> {
        for dir in self.store.dirs() {
            if let Some(header) = loose::header(dir, id, &mut self.inflater)? {
                return Ok(Some(header));
            }
        }
        Ok(None)
    }

    /// Finds another copy of `id` after the one at `at` turned out to be damaged, as git does.
    fn read_other_copy(
        &mut self,
        id: &oid,
        at: PackPosition,
        error: Error,
    ) -> Result<Object, Error> {
        if let Ok(Some(object)) = self.loose(id) {
            return Ok(object);
        }
        let packs = Arc::clone(&self.packs);
        for (number, pack) in (0u32..).zip(&packs.all) {
            if number == at.pack {
                continue;
            }
            if let Some(offset) = pack.lookup(id)
                && let Ok(object) = self.object_at(PackPosition {
                    pack: number,
                    offset,
                })
            {
                return Ok(object);
            }
        }
        Err(error)
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
pub(crate) enum Place {
    Pack(PackPosition),
    Loose,
    Nowhere,
}

#[cold]
fn no_pack(at: PackPosition) -> Error {
    Error::Corrupt {
        what: format!("{at:?}"),
        reason: "there is no such pack",
    }
}

#[cold]
fn corrupt_entry(pack: &Pack, at: PackPosition, reason: Fault) -> Error {
    Error::pack(pack.path(), at.offset, reason)
}

/// The header of the entry at `at`, and enough compressed bytes for the first `size` inflated ones,
/// assuming a reasonable compressor.
#[inline]
pub(crate) fn entry<'w>(
    windows: &'w mut Windows,
    pack: &Pack,
    at: PackPosition,
    size: usize,
) -> Result<(EntryHeader, &'w [u8]), Fault> {
    let start = windows.at(pack, at.pack, at.offset, LONGEST_HEADER)?;
    let header = pack.header(at.offset, start)?;
    let need = header.len + max_deflated_len(size.min(header.size));
    let bytes = windows.at(pack, at.pack, at.offset, need)?;
    Ok((header, bytes.get(header.len..).unwrap_or(&[])))
}

/// Passes all of the entry at `at` to `work`, and retries with more bytes if that fails.
#[inline]
fn whole_entry<T>(
    windows: &mut Windows,
    pack: &Pack,
    at: PackPosition,
    mut work: impl FnMut(EntryHeader, &[u8]) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let start = windows.at(pack, at.pack, at.offset, LONGEST_HEADER)?;
    let header = pack.header(at.offset, start)?;
    let whole = max_deflated_len(header.size);
    // Large blobs compress well, and bytes read in vain are memory touched in vain.
    let is_blob = matches!(header.form, EntryForm::Whole(ObjectKind::Blob));
    let half = (is_blob && header.size > LARGE_BLOB_LEN).then_some(whole / 2);
    let needs = [whole, whole.saturating_mul(4) + (1 << 16)];
    let mut result = Err("an entry is truncated");
    for need in half.into_iter().chain(needs) {
        let bytes = windows.at(pack, at.pack, at.offset, header.len + need)?;
        result = work(header, bytes.get(header.len..).unwrap_or(&[]));
        if result.is_ok() {
            break;
        }
    }
    result
}

/// Upper bound of the compressed length of `size` bytes for a reasonable compressor.
fn max_deflated_len(size: usize) -> usize {
    size.saturating_add(size / 16).saturating_add(128)
}

/// Maximum delta depth in a pack: its number of objects.
fn longest_chain(pack: &Pack) -> usize {
    pack.object_count().map_or(1 << 20, |count| count as usize)
}

fn stored_entry(
    pack: &Pack,
    at: PackPosition,
    windows: &mut Windows,
    inflater: &mut Inflater,
) -> Result<Stored, Fault> {
    whole_entry(windows, pack, at, |header, input| {
        let mut data = zeroed(header.size);
        let output = Arc::get_mut(&mut data).ok_or("a new buffer is already shared")?;
        inflater.exact(input, output)?;
        match header.form {
            EntryForm::Whole(kind) => Ok(Stored::Whole(Object { kind, data })),
            form => {
                let base = pack.base(form)?.ok_or("a delta has no base")?;
                Ok(Stored::Delta {
                    base: PackPosition {
                        pack: at.pack,
                        offset: base,
                    },
                    delta: data,
                })
            }
        }
    })
}

fn rebuild(base: &[u8], bytes: &[u8]) -> Result<Arc<[u8]>, Fault> {
    let mut len = delta::Instructions::new(bytes)?.result_len();
    // An implausible size is verified before memory is allocated for it.
    if len > (base.len() + bytes.len()).saturating_mul(2) {
        len = delta::checked_result_len(bytes)?;
    }
    let mut data = zeroed(len);
    let output = Arc::get_mut(&mut data).ok_or("a new buffer is already shared")?;
    delta::apply(base, bytes, output)?;
    Ok(data)
}

/// A shared buffer that can be filled in place.
fn zeroed(len: usize) -> Arc<[u8]> {
    std::iter::repeat_n(0, len).collect()
}
