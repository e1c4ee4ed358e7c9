//! Lookup in the sorted id list of a pack index or multi-pack-index.

use std::cmp::Ordering::{Equal, Greater, Less};
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use gix_hash::{ObjectId, Prefix, oid};

use crate::objects::{
    index::{
        fanout::Fanout,
        fine_fanout::FineFanout,
        id_search::{InterpolationSearch, compare, prefix, shared_digits, with_prefix},
        record_table::RecordTable,
    },
    positioned_file::PositionedFile,
};

/// Access to the records of an index.
pub(crate) trait IdList {
    /// The id at a position; `None` past the end, or if the records are not loaded.
    fn id(&self, at: u32) -> Option<&oid>;

    /// The [prefixes](prefix) of ids; `None` past the end, or if the records are not loaded.
    fn prefixes(&self, range: Range<u32>) -> Option<impl ExactSizeIterator<Item = u64>>;

    /// Prefetches the rest of the record, which a successful lookup reads next.
    fn prefetch(&self, at: u32);

    /// Reads these ids into `window`; `None` if they cannot be read.
    fn read(&self, range: Range<u32>, window: &mut IdWindow) -> Option<()>;

    /// True if the records are loaded.
    fn is_loaded(&self) -> bool;

    /// Loads a part of the records, if there is memory for them.
    fn load_part(&self);
}

/// Finds ids by the fanout table and interpolation, and after many lookups by fine fanout tables.
pub(crate) struct SortedIds {
    /// The fanout table of the index.
    fanout: Fanout,
    /// Number of lookups before the records were loaded.
    lookups: AtomicU32,
    /// Fine fanout by first byte, each built on its first use.
    fine: Box<[OnceLock<Option<FineFanout>>; 256]>,
}

/// The records are loaded, and fine fanout tables built, after one lookup for each this many ids.
const IDS_PER_LOOKUP: u32 = 512;
/// The most records that are loaded because many lookups are expected: some 10 ms.
const MAX_LOADED_EARLY: u32 = 2 << 20;
/// The longest range of a fine fanout table that is searched linearly.
const MAX_LINEAR_SEARCH: usize = 64;

impl SortedIds {
    pub(crate) fn new(fanout: Fanout) -> SortedIds {
        SortedIds {
            fanout,
            lookups: AtomicU32::new(0),
            fine: Box::new([const { OnceLock::new() }; 256]),
        }
    }

    /// Number of ids.
    pub(crate) fn len(&self) -> u32 {
        self.fanout.count()
    }

    /// True if the ids among which `id` is searched, and their neighbours, are those that belong
    /// there, in ascending order. Where they are not, one search can find an id that another
    /// misses.
    pub(crate) fn is_sorted_around(&self, id: &oid, list: &impl IdList) -> bool {
        self.is_bucket_sorted(usize::from(id.first_byte()), list)
    }

    /// True if all ids are in ascending order, as the fanout table says.
    pub(crate) fn is_sorted(&self, list: &impl IdList) -> bool {
        (0..=255).all(|first| self.is_bucket_sorted(first, list))
    }

    fn is_bucket_sorted(&self, first: usize, list: &impl IdList) -> bool {
        let (low, high) = self.fanout.bucket_of(first);
        let mut ids = IdCursor::new(list, 0..self.len());
        let mut last = None;
        (low.saturating_sub(1)..self.len().min(high.saturating_add(1))).all(|at| {
            let Some(id) = ids.id(at).map(oid::to_owned) else {
                return false;
            };
            let ascends = last.is_none_or(|last| last < id);
            last = Some(id);
            // One id before and one after the bucket are looked at too.
            let first_byte = if at < low {
                Less
            } else if at < high {
                Equal
            } else {
                Greater
            };
            ascends && usize::from(id.first_byte()).cmp(&first) == first_byte
        })
    }

    /// The position of `id` in the list.
    #[inline]
    pub(crate) fn find(&self, id: &oid, list: &impl IdList) -> Option<u32> {
        if !self.are_loaded_for(list) {
            return self.find_in_windows(id, list);
        }
        if let Some(fine_range) = self.fine_range(id, list) {
            return linear_search(fine_range, id, list);
        }
        let mut search = self.search(id, list);
        search.run(|at| Some(compare(list.id(at)?, id)))?;
        search.found
    }

    /// Loads the records with the next lookups already, unless they are very many. Looking a record
    /// up alone takes ten times as long as in loaded ones.
    pub(crate) fn expect_many_lookups(&self) {
        if self.len() <= MAX_LOADED_EARLY {
            self.lookups
                .fetch_max(self.len() / IDS_PER_LOOKUP, Ordering::Relaxed);
        }
    }

    /// True if the records are loaded for a lookup. Where many found them not loaded, this one
    /// loads a part of them; other threads go on without them meanwhile.
    #[inline]
    fn are_loaded_for(&self, list: &impl IdList) -> bool {
        if list.is_loaded() {
            return true;
        }
        let lookups = self.lookups.fetch_add(1, Ordering::Relaxed);
        if lookups >= self.fanout.count() / IDS_PER_LOOKUP {
            list.load_part();
        }
        list.is_loaded()
    }

    /// The id at a position, which is a lookup too.
    pub(crate) fn id(&self, at: u32, list: &impl IdList) -> Option<ObjectId> {
        if self.are_loaded_for(list) {
            return list.id(at).map(oid::to_owned);
        }
        let mut ids = IdCursor::new(list, at..at.saturating_add(1));
        ids.id(at).map(oid::to_owned)
    }

    #[cold]
    fn find_in_windows(&self, id: &oid, list: &impl IdList) -> Option<u32> {
        let (low, high) = self.fanout.bucket(id);
        let mut ids = IdCursor::new(list, low..high);
        let mut search = InterpolationSearch::new(id, low, high);
        search.run(|at| Some(compare(ids.id(at)?, id)))?;
        search.found
    }

    /// [`shared_digits`] over the whole list.
    pub(crate) fn shared_digits(&self, id: &oid, list: &impl IdList) -> Option<usize> {
        let (low, high) = self.fanout.bucket(id);
        let mut ids = IdCursor::new(list, low..high);
        shared_digits(id, low, high, |at| Some(ids.id(at)?.to_owned()))
    }

    /// [`with_prefix`] over the whole list.
    pub(crate) fn with_prefix(
        &self,
        wanted: &Prefix,
        list: &impl IdList,
        found: &mut Vec<ObjectId>,
    ) -> Option<()> {
        let (low, high) = self.fanout.bucket(wanted.as_oid());
        let mut ids = IdCursor::new(list, low..high);
        with_prefix(wanted, low, high, |at| Some(ids.id(at)?.to_owned()), found)
    }

    /// Prefetches what [`SortedIds::find`] of `id` will read: a lookup mostly waits for memory, and
    /// other work can be done meanwhile.
    #[inline]
    pub(crate) fn prefetch(&self, id: &oid, list: &impl IdList) {
        if list.is_loaded()
            && self.fine_range(id, list).is_none()
            && let Some(at) = self.search(id, list).first()
        {
            std::hint::black_box(list.id(at).map(prefix));
        }
    }

    /// The positions that `id` can have by the fine fanout, if there is one. Prefetches the first
    /// record and the middle one, which are mostly in different cache lines.
    #[inline]
    fn fine_range(&self, id: &oid, list: &impl IdList) -> Option<Range<u32>> {
        let first = usize::from(id.first_byte());
        let fine = self.fine[first].get_or_init(|| self.build_fine(first, list));
        let (base, _) = self.fanout.bucket(id);
        let range = fine.as_ref()?.part(prefix(id));
        let range = base + range.start..base + range.end;
        if range.len() > MAX_LINEAR_SEARCH {
            return None;
        }
        if !range.is_empty() {
            let middle = range.start + (range.end - range.start) / 2;
            std::hint::black_box([range.start, middle].map(|at| list.id(at).map(prefix)));
            list.prefetch(range.start);
        }
        Some(range)
    }

    #[cold]
    fn build_fine(&self, first: usize, list: &impl IdList) -> Option<FineFanout> {
        let (low, high) = self.fanout.bucket_of(first);
        FineFanout::new(list.prefixes(low..high)?)
    }

    /// Starts a search and prefetches the record at its first guess, so that its cache miss
    /// overlaps with that of the id.
    #[inline]
    fn search(&self, id: &oid, list: &impl IdList) -> InterpolationSearch {
        let (low, high) = self.fanout.bucket(id);
        let search = InterpolationSearch::new(id, low, high);
        if let Some(at) = search.first() {
            list.prefetch(at);
        }
        search
    }
}

/// The most ids of an [`IdWindow`]: interpolation among the 1,600 ids of a bucket of 400,000
/// objects misses by 20 or fewer in two of three lookups.
const WINDOW_LEN: u32 = 128;
/// The longest record: offset and SHA-256.
const MAX_RECORD_LEN: usize = 36;

/// Some neighbouring ids of an index.
pub(crate) struct IdWindow {
    bytes: [u8; WINDOW_LEN as usize * MAX_RECORD_LEN],
    range: Range<u32>,
    /// An id is at the end of its record.
    record_len: usize,
    id_len: usize,
}

impl IdWindow {
    /// Fills the window with these ids of a table whose records end with ids of `id_len` bytes.
    pub(crate) fn fill(
        &mut self,
        (table, id_len): (&RecordTable, usize),
        file: &PositionedFile,
        range: Range<u32>,
    ) -> Option<()> {
        (self.record_len, self.id_len) = (table.record_len(), id_len);
        let bytes = self.bytes.get_mut(..range.len() * self.record_len)?;
        table.read(file, range.start, bytes)?;
        self.range = range;
        Some(())
    }

    fn id(&self, at: u32) -> Option<&oid> {
        if !self.range.contains(&at) {
            return None;
        }
        let end = ((at - self.range.start) as usize + 1) * self.record_len;
        oid::try_from_bytes(&self.bytes[end - self.id_len..end]).ok()
    }
}

/// Reads the ids of a list whose records may not be loaded, some neighbours at a time.
struct IdCursor<'a, L> {
    list: &'a L,
    /// The positions that are needed.
    all: Range<u32>,
    window: IdWindow,
}

impl<'a, L: IdList> IdCursor<'a, L> {
    fn new(list: &'a L, all: Range<u32>) -> IdCursor<'a, L> {
        let window = IdWindow {
            bytes: [0; WINDOW_LEN as usize * MAX_RECORD_LEN],
            range: 0..0,
            record_len: 0,
            id_len: 0,
        };
        IdCursor { list, all, window }
    }

    fn id(&mut self, at: u32) -> Option<&oid> {
        if self.list.is_loaded() {
            return self.list.id(at);
        }
        if !self.window.range.contains(&at) {
            let first = at.saturating_sub(WINDOW_LEN / 2).max(self.all.start);
            let end = self.all.end.min(first.saturating_add(WINDOW_LEN));
            self.list.read(first..end, &mut self.window)?;
        }
        self.window.id(at)
    }
}

/// The position of `id` in `range`.
#[inline]
fn linear_search(mut range: Range<u32>, id: &oid, list: &impl IdList) -> Option<u32> {
    let start = prefix(id);
    range.find(|&at| {
        list.id(at)
            .is_some_and(|found| prefix(found) == start && found == id)
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::objects::test_rng::TestRng;

    /// Ids, and whether they are loaded.
    struct Ids(Vec<ObjectId>, Cell<bool>);

    impl IdList for Ids {
        fn id(&self, at: u32) -> Option<&oid> {
            assert!(self.is_loaded());
            self.0.get(at as usize).map(|id| &**id)
        }

        fn prefixes(&self, range: Range<u32>) -> Option<impl ExactSizeIterator<Item = u64>> {
            let ids = self.0.get(range.start as usize..range.end as usize)?;
            Some(ids.iter().map(|id| prefix(id)))
        }

        fn prefetch(&self, at: u32) {
            assert!(self.is_loaded() && at < self.0.len() as u32);
        }

        fn read(&self, range: Range<u32>, window: &mut IdWindow) -> Option<()> {
            let ids = &self.0[range.start as usize..range.end as usize];
            let bytes: Vec<u8> = ids.iter().flat_map(|id| id.as_bytes().to_vec()).collect();
            window.bytes[..bytes.len()].copy_from_slice(&bytes);
            (window.record_len, window.id_len, window.range) = (20, 20, range);
            Some(())
        }

        fn is_loaded(&self) -> bool {
            self.1.get()
        }

        fn load_part(&self) {
            self.1.set(true);
        }
    }

    fn fanout(ids: &[ObjectId]) -> Fanout {
        let counts =
            (0..=255).map(|first| ids.iter().filter(|id| id.first_byte() <= first).count());
        let bytes: Vec<u8> = counts
            .flat_map(|count| (count as u32).to_be_bytes())
            .collect();
        Fanout::decode(bytes.first_chunk().expect("256 counts")).expect("monotone")
    }

    /// Sorted ids, with a cluster.
    pub(crate) fn many_ids() -> Vec<ObjectId> {
        let mut rng = TestRng(1);
        let mut ids: Vec<ObjectId> = (0..20_000)
            .map(|_| ObjectId::from(std::array::from_fn::<u8, 20, _>(|_| rng.below(256) as u8)))
            .collect();
        // More than are searched linearly.
        ids.extend((0..100).map(|last| {
            let mut bytes = [0x77; 20];
            bytes[19] = last;
            ObjectId::from(bytes)
        }));
        ids.sort();
        ids
    }

    #[test]
    fn ids_are_found_with_and_without_fine_fanout() {
        let ids = many_ids();
        let sorted = SortedIds::new(fanout(&ids));
        assert_eq!(sorted.len() as usize, ids.len());
        let list = Ids(ids, Cell::new(false));
        let missing = ObjectId::from([0x77; 20]);
        let mut loaded = [0; 2];
        for _ in 0..2 {
            for (at, pair) in (0..).step_by(2).zip(list.0.as_chunks::<2>().0) {
                assert_eq!(sorted.find(&pair[0], &list), Some(at));
                sorted.prefetch(&pair[1], &list);
                assert_eq!(sorted.find(&pair[1], &list), Some(at + 1));
                assert_eq!(sorted.find(&missing, &list), None);
                loaded[usize::from(list.is_loaded())] += 1;
            }
        }
        assert!(loaded[0] > 10 && loaded[1] > 10_000, "{loaded:?}");
        assert!(sorted.fine.iter().all(|fine| fine.get().is_some()));
    }

    #[test]
    fn the_order_of_ids_is_the_same_loaded_and_not() {
        let ids = many_ids();
        let counts = fanout(&ids);
        let sorted = SortedIds::new(counts);
        let [few, all] = [false, true].map(|is_loaded| Ids(ids.clone(), Cell::new(is_loaded)));
        assert!(sorted.is_sorted(&few) && sorted.is_sorted(&all));
        for at in (1..ids.len() - 1).step_by(97) {
            for wrong in [
                ids[at - 1],
                ids[at + 1],
                ObjectId::from([0; 20]),
                ObjectId::from([255; 20]),
            ] {
                let mut ids = ids.clone();
                ids[at] = wrong;
                for is_loaded in [false, true] {
                    let list = Ids(ids.clone(), Cell::new(is_loaded));
                    assert!(!sorted.is_sorted_around(&few.0[at], &list));
                }
            }
        }
    }
}
