//! Reading objects: one [`Reader`] per thread.

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

/// How often an id may be replaced by another one, as in git.
const REPLACEMENT_DEPTH: usize = 5;
/// Larger texts are read in part at first.
const LARGE: usize = 32 << 10;
/// The sizes at the start of a delta take no more bytes.
const SIZES: usize = 20;

/// What a pack entry is once it is inflated.
pub(crate) enum Form {
    /// An object of this kind.
    Whole(ObjectKind),
    /// A delta over the object at this offset.
    Delta(u64),
}

/// Reads objects for one thread.
pub struct Reader {
    pub(crate) store: Arc<Store>,
    pub(crate) packs: Arc<Packs>,
    /// The pack that had the last object.
    pub(crate) recent: u32,
    pub(crate) inflater: Inflater,
    pub(crate) windows: Windows,
    pub(crate) heads_inflated: u64,
    pub(crate) heads_from_graph: u64,
    /// The first parents of the commit last found in the graph.
    pub(crate) parents: Vec<(ObjectId, GraphPosition)>,
    pub(crate) parent_places: Vec<u32>,
    /// Nothing while it is in use, and before the first.
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

    /// Adds what was counted to [`Store::stats`], as happens when the reader is dropped.
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

    /// Leaves memory that is large to other readers, until something is read again.
    pub fn rest(&mut self) {
        self.windows.leave();
    }

    /// The store that this reads from.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    pub(crate) fn hash(&self) -> Kind {
        self.store.hash
    }

    /// Read the object `id`, following replacements.
    ///
    /// # Errors
    ///
    /// [`Error::Missing`] if there is no such object, others if it cannot be read.
    pub fn object(&mut self, id: &oid) -> Result<Object, Error> {
        self.try_object(id)?
            .ok_or_else(|| Error::Missing { id: id.to_owned() })
    }

    /// Read the object `id`, following replacements, or `None` if there is no such object.
    ///
    /// # Errors
    ///
    /// When it is there but cannot be read.
    pub fn try_object(&mut self, id: &oid) -> Result<Option<Object>, Error> {
        let id = self.replaced(id)?;
        match self.locate(&id)? {
            Place::Pack(at) => match self.object_at(at) {
                Ok(object) => Ok(Some(object)),
                Err(error) => self.elsewhere(&id, at, error).map(Some),
            },
            Place::Loose => self.loose(&id),
            Place::Nowhere => Ok(None),
        }
    }

    /// Read the object `id`, which must be of kind `expected`.
    ///
    /// # Errors
    ///
    /// As [`Reader::object`], and [`Error::NotKind`].
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

    /// The kind of the object `id`, or `None` if there is no such object. Inflates nothing of a
    /// packed object.
    ///
    /// # Errors
    ///
    /// When it is there but cannot be read.
    pub fn kind(&mut self, id: &oid) -> Result<Option<ObjectKind>, Error> {
        let id = self.replaced(id)?;
        match self.locate(&id)? {
            Place::Pack(at) => self.kind_at(at).map(Some),
            Place::Loose => Ok(self.loose_header(&id)?.map(|(kind, _)| kind)),
            Place::Nowhere => Ok(None),
        }
    }

    /// The size in bytes of the object `id`, or `None` if there is no such object. Inflates at most
    /// the first bytes.
    ///
    /// # Errors
    ///
    /// When it is there but cannot be read.
    pub fn size(&mut self, id: &oid) -> Result<Option<u64>, Error> {
        let id = self.replaced(id)?;
        match self.locate(&id)? {
            Place::Pack(at) => {
                let pack = Arc::clone(self.pack(at)?);
                let inflater = &mut self.inflater;
                let size =
                    entry(&mut self.windows, &pack, at, SIZES).and_then(|(header, input)| {
                        if matches!(header.form, EntryForm::Whole(_)) {
                            return Ok(header.size as u64);
                        }
                        let delta = delta::Instructions::new(inflater.prefix(input, SIZES)?)?;
                        Ok(delta.result_len() as u64)
                    });
                size.map(Some).map_err(|reason| wrong(&pack, at, reason))
            }
            Place::Loose => Ok(self.loose_header(&id)?.map(|(_, size)| size)),
            Place::Nowhere => Ok(None),
        }
    }

    /// The smallest number of hex digits, `at_least` or more, that names `id` alone among all
    /// objects; at most all of them.
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

    /// How many objects lie in packs, those of alternates included.
    pub fn packed_object_count(&self) -> u64 {
        let multi = self.packs.multi.iter().map(|index| index.len());
        let single = self.single_packs().filter_map(|pack| pack.object_count());
        multi.chain(single).map(u64::from).sum()
    }

    /// The packs that no index over several covers.
    fn single_packs(&self) -> impl Iterator<Item = &Pack> {
        let Packs { all, single, .. } = &*self.packs;
        let packs = single.iter().filter_map(|&number| all.get(number as usize));
        packs.map(|pack| &**pack)
    }

    /// Where `id` lies in a pack, following replacements, or `None` if it is loose or missing.
    ///
    /// # Errors
    ///
    /// When replacements go in circles.
    pub fn position(&mut self, id: &oid) -> Result<Option<PackPosition>, Error> {
        let id = self.replaced(id)?;
        match self.locate(&id)? {
            Place::Pack(at) => Ok(Some(at)),
            Place::Loose | Place::Nowhere => Ok(None),
        }
    }

    /// How the object `id` is stored, following replacements: where, if in a pack, and either its
    /// bytes or a delta.
    ///
    /// # Errors
    ///
    /// [`Error::Missing`] if there is no such object, others if it cannot be read.
    pub fn stored(&mut self, id: &oid) -> Result<(Option<PackPosition>, Stored), Error> {
        let id = self.replaced(id)?;
        match self.locate(&id)? {
            Place::Pack(at) => match self.stored_at(at) {
                Ok(stored) => Ok((Some(at), stored)),
                Err(error) => {
                    let object = self.elsewhere(&id, at, error)?;
                    Ok((None, Stored::Whole(object)))
                }
            },
            Place::Loose | Place::Nowhere => match self.loose(&id)? {
                Some(object) => Ok((None, Stored::Whole(object))),
                None => Err(Error::Missing { id }),
            },
        }
    }

    /// How the packed object at `at` is stored.
    ///
    /// # Errors
    ///
    /// When there is no sound entry at that place.
    pub fn stored_at(&mut self, at: PackPosition) -> Result<Stored, Error> {
        let pack = Arc::clone(self.pack(at)?);
        let Reader {
            windows, inflater, ..
        } = self;
        stored_entry(&pack, at, windows, inflater).map_err(|reason| wrong(&pack, at, reason))
    }

    /// Inflate the entry at `at` into `out`, from `start` on, which grows if need be and keeps what
    /// is behind. Gives what the entry is, and where its bytes end.
    ///
    /// Of use where the bytes are looked at once: a buffer that stays costs neither fresh memory
    /// nor zeros to be written into it.
    ///
    /// # Errors
    ///
    /// When there is no sound entry at that place.
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

    /// The whole object at `at`, through the delta-base cache.
    ///
    /// # Errors
    ///
    /// When it, or one of the bases below it, is not sound.
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
                .map_err(|reason| wrong(&pack, place, reason))?
            {
                Stored::Whole(object) => {
                    self.store.cache.put(place, &object);
                    break object;
                }
                Stored::Delta { base, delta } => {
                    deltas.push((place, delta));
                    if deltas.len() > longest_chain(&pack) {
                        return Err(wrong(&pack, at, "deltas go in circles"));
                    }
                    place = base;
                }
            }
        };
        while let Some((place, delta)) = deltas.pop() {
            let data = rebuild(&base.data, &delta).map_err(|reason| wrong(&pack, place, reason))?;
            base = Object {
                kind: base.kind,
                data,
            };
            self.store.cache.put(place, &base);
        }
        Ok(base)
    }

    /// Let `work` read the entry at `at`. It gets what the entry is, how large it is inflated, and
    /// its compressed bytes, with some of what follows them in the pack; and if it fails, it gets
    /// once more of these.
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
        .map_err(|reason| wrong(pack, at, reason))
    }

    pub(crate) fn wrong(&self, at: PackPosition, reason: Fault) -> Error {
        match self.pack(at) {
            Ok(pack) => wrong(pack, at, reason),
            Err(error) => error,
        }
    }

    /// More deltas than this on top of each other can only be a circle.
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
                .map_err(|reason| wrong(&pack, at, reason))?;
            match header.form {
                EntryForm::Whole(kind) => return Ok(kind),
                form => {
                    let base = pack.base(form).map_err(|reason| wrong(&pack, at, reason))?;
                    place = base.unwrap_or(place);
                }
            }
        }
        Err(wrong(&pack, at, "deltas go in circles"))
    }

    /// Follow replacements of `id`.
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
        Err(Error::object(&id, "replacements are nested too deep"))
    }

    fn pack(&self, at: PackPosition) -> Result<&Arc<Pack>, Error> {
        self.packs
            .all
            .get(at.pack as usize)
            .ok_or_else(|| no_pack(at))
    }

    /// Find out where `id` is, without following replacements.
    pub(crate) fn locate(&mut self, id: &oid) -> Result<Place, Error> {
        if let Some(at) = self.in_packs(id) {
            return Ok(Place::Pack(at));
        }
        if self.is_loose(id) {
            return Ok(Place::Loose);
        }
        // A concurrent repack may have moved it.
        if let Some(at) = self.in_new_packs(id) {
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
            if let Some(at) = self.in_new_packs(id) {
                return Ok(Place::Pack(at));
            }
            if self.is_loose(id) {
                return Ok(Place::Loose);
            }
        }
        Ok(Place::Nowhere)
    }

    fn in_new_packs(&mut self, id: &oid) -> Option<PackPosition> {
        self.packs = self.store.rescan(&self.packs)?;
        self.in_packs(id)
    }

    fn in_packs(&mut self, id: &oid) -> Option<PackPosition> {
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

    /// The copy of `id` at `at` is damaged; perhaps there is another, as git would find.
    fn elsewhere(&mut self, id: &oid, at: PackPosition, error: Error) -> Result<Object, Error> {
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

/// Where an object is.
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
fn wrong(pack: &Pack, at: PackPosition, reason: Fault) -> Error {
    Error::pack(pack.path(), at.offset, reason)
}

/// The header of the entry at `at`, and so many of its compressed bytes that there are the first
/// `size` of its inflated ones, if they were compressed with any reason.
#[inline]
pub(crate) fn entry<'w>(
    windows: &'w mut Windows,
    pack: &Pack,
    at: PackPosition,
    size: usize,
) -> Result<(EntryHeader, &'w [u8]), Fault> {
    let start = windows.at(pack, at.pack, at.offset, LONGEST_HEADER)?;
    let header = pack.header(at.offset, start)?;
    let need = header.len + deflated(size.min(header.size));
    let bytes = windows.at(pack, at.pack, at.offset, need)?;
    Ok((header, bytes.get(header.len..).unwrap_or(&[])))
}

/// Let `work` read all of the entry at `at`. As long as it fails it may try again with more bytes.
#[inline]
fn whole_entry<T>(
    windows: &mut Windows,
    pack: &Pack,
    at: PackPosition,
    mut work: impl FnMut(EntryHeader, &[u8]) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let start = windows.at(pack, at.pack, at.offset, LONGEST_HEADER)?;
    let header = pack.header(at.offset, start)?;
    let whole = deflated(header.size);
    // Large texts compress well, and what is read in vain is memory touched in vain.
    let is_text = matches!(header.form, EntryForm::Whole(ObjectKind::Blob));
    let half = (is_text && header.size > LARGE).then_some(whole / 2);
    let needs = [whole, whole.saturating_mul(4) + (1 << 16)];
    let mut result = Err("an entry is cut off");
    for need in half.into_iter().chain(needs) {
        let bytes = windows.at(pack, at.pack, at.offset, header.len + need)?;
        result = work(header, bytes.get(header.len..).unwrap_or(&[]));
        if result.is_ok() {
            break;
        }
    }
    result
}

/// How long a stream of `size` inflated bytes is at most, however badly they compress.
fn deflated(size: usize) -> usize {
    size.saturating_add(size / 16).saturating_add(128)
}

/// More deltas than this on top of each other can only be a circle.
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
    // A size out of proportion has to be proved before memory is spent on it.
    if len > (base.len() + bytes.len()).saturating_mul(2) {
        len = delta::checked_result_len(bytes)?;
    }
    let mut data = zeroed(len);
    let output = Arc::get_mut(&mut data).ok_or("a new buffer is already shared")?;
    delta::apply(base, bytes, output)?;
    Ok(data)
}

/// A buffer to be filled at once, without a copy afterwards.
fn zeroed(len: usize) -> Arc<[u8]> {
    std::iter::repeat_n(0, len).collect()
}
