//! Lookup in the sorted id list of a pack index or multi-pack-index.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use gix_hash::oid;

use crate::objects::index::{
    fanout::Fanout,
    fine_fanout::FineFanout,
    id_search::{InterpolationSearch, compare, prefix, shared_digits},
};

/// Access to the records of an index.
pub(crate) trait IdList {
    /// The id at a position; `None` past the end, or if it cannot be read.
    fn id(&self, at: u32) -> Option<&oid>;

    /// Prefetches the rest of the record, which a successful lookup reads next.
    fn prefetch(&self, at: u32);
}

/// Finds ids by the fanout table and interpolation, and after many lookups by fine fanout tables.
pub(crate) struct SortedIds {
    /// The fanout table of the index.
    fanout: Fanout,
    /// Number of lookups, up to the threshold for [`SortedIds::fine`].
    lookups: AtomicU32,
    /// Fine fanout by first byte, each built on its first use.
    fine: Box<[OnceLock<Option<FineFanout>>; 256]>,
}

/// Fine fanout tables are built after one lookup for each this many ids.
const IDS_PER_LOOKUP: u32 = 128;
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

    /// Whether the ids among which `id` is searched, and their neighbours, are those that belong there, in ascending order.
    /// Where they are not, one search can find an id that another misses.
    pub(crate) fn is_sorted_around(&self, id: &oid, list: &impl IdList) -> bool {
        self.is_bucket_sorted(usize::from(id.first_byte()), list)
    }

    /// Whether all ids are in ascending order, as the fanout table says.
    pub(crate) fn is_sorted(&self, list: &impl IdList) -> bool {
        (0..=255).all(|first| self.is_bucket_sorted(first, list))
    }

    fn is_bucket_sorted(&self, first: usize, list: &impl IdList) -> bool {
        let (low, high) = self.fanout.bucket_of(first);
        let byte_at = |at: u32| list.id(at).map(|id| usize::from(id.first_byte()));
        let are_own = (low..high).all(|at| byte_at(at) == Some(first));
        let ascend = (low..high).skip(1).all(|at| list.id(at - 1) < list.id(at));
        let before = low == 0 || byte_at(low - 1).is_some_and(|byte| byte < first);
        let after = high == self.len() || byte_at(high).is_some_and(|byte| byte > first);
        are_own && ascend && before && after
    }

    /// The position of `id` in the list.
    #[inline]
    pub(crate) fn find(&self, id: &oid, list: &impl IdList) -> Option<u32> {
        if let Some(fine_range) = self.fine_range(id, list) {
            return linear_search(fine_range, id, list);
        }
        let mut search = self.search(id, list);
        search.run(|at| Some(compare(list.id(at)?, id)))?;
        search.found
    }

    /// [`shared_digits`] over the whole list.
    pub(crate) fn shared_digits(&self, id: &oid, list: &impl IdList) -> Option<usize> {
        let (low, high) = self.fanout.bucket(id);
        shared_digits(id, low, high, |at| Some(list.id(at)?.to_owned()))
    }

    /// Prefetches what [`SortedIds::find`] of `id` will read: a lookup mostly waits for memory, and
    /// other work can be done meanwhile.
    #[inline]
    pub(crate) fn prefetch(&self, id: &oid, list: &impl IdList) {
        if self.fine_range(id, list).is_none()
            && let Some(at) = self.search(id, list).first()
        {
            std::hint::black_box(list.id(at).map(prefix));
        }
    }

    /// The positions that `id` can have by the fine fanout, if there is one. Prefetches the first
    /// record and the middle one, which are mostly in different cache lines.
    #[inline]
    fn fine_range(&self, id: &oid, list: &impl IdList) -> Option<Range<u32>> {
        let lookups = self.lookups.load(Ordering::Relaxed);
        if lookups < self.fanout.count() / IDS_PER_LOOKUP {
            self.lookups.store(lookups + 1, Ordering::Relaxed);
            return None;
        }
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
        FineFanout::new((low..high).map(|at| list.id(at).map_or(0, prefix)))
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
    use gix_hash::ObjectId;

    use super::*;
    use crate::objects::test_rng::TestRng;

    impl IdList for Vec<ObjectId> {
        fn id(&self, at: u32) -> Option<&oid> {
            self.get(at as usize).map(|id| &**id)
        }

        fn prefetch(&self, at: u32) {
            assert!(at < self.len() as u32);
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
        let missing = ObjectId::from([0x77; 20]);
        for _ in 0..2 {
            for (at, pair) in (0..).step_by(2).zip(ids.as_chunks::<2>().0) {
                assert_eq!(sorted.find(&pair[0], &ids), Some(at));
                sorted.prefetch(&pair[1], &ids);
                assert_eq!(sorted.find(&pair[1], &ids), Some(at + 1));
                assert_eq!(sorted.find(&missing, &ids), None);
            }
        }
        assert!(sorted.fine.iter().all(|fine| fine.get().is_some()));
    }
}
