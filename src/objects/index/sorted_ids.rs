//! The sorted ids of an index, and where in them an id is.

use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use gix_hash::oid;

use crate::objects::{
    index::{
        fanout::{FAN_LEN, Fan},
        fine_fanout::Starts,
        id_search::{Search, compare, prefix, shared_digits},
    },
    positioned_file::Positioned,
};

/// What an index tells of the place of an id in its list.
pub(crate) trait Listed {
    /// The id there; the place is below the number of ids.
    fn id(&self, at: u32) -> &oid;

    /// Begins to fetch what else the index has there, as one who finds the id will ask for it.
    fn fetch(&self, at: u32);
}

/// Finds ids in the sorted list of an index: by their first byte, and by finer tables once the index
/// has been asked often.
pub(crate) struct SortedIds {
    /// How many ids start with a byte or a smaller one.
    fan: Fan,
    /// How often an id was looked up, until there were as many as are worth [`SortedIds::starts`].
    asked: AtomicU32,
    /// By the first byte of ids.
    starts: Box<[OnceLock<Option<Starts>>; 256]>,
}

/// An index that is asked more often than once for so many of its ids gets finer tables than its own.
const SELDOM: u32 = 128;
/// In these tables not more ids than so many are looked through one by one.
const MOST_IN_PART: usize = 64;

impl SortedIds {
    /// The `count` ids of the index at `path`, whose table by first bytes starts at `fan`; `None` if
    /// that table is not sound.
    pub(crate) fn open(path: &Path, fan: u64, count: u32) -> Option<SortedIds> {
        let mut table = [0; FAN_LEN];
        let file = Positioned::open(path).ok()?;
        file.read_exact_at(&mut table, fan).ok()?;
        let fan = Fan::read(&table)?;
        (fan.count() == count).then(|| SortedIds {
            fan,
            asked: AtomicU32::new(0),
            starts: Box::new([const { OnceLock::new() }; 256]),
        })
    }

    /// The place of `id` in the list.
    #[inline]
    pub(crate) fn find(&self, id: &oid, list: &impl Listed) -> Option<u32> {
        if let Some(part) = self.part(id, list) {
            return among(part, id, list);
        }
        let mut search = self.search(id, list);
        search.run(|at| Some(compare(list.id(at), id)))?;
        search.found
    }

    /// [`shared_digits`] among all ids.
    pub(crate) fn shared_digits(&self, id: &oid, list: &impl Listed) -> Option<usize> {
        let (low, high) = self.fan.places(id);
        shared_digits(id, low, high, |at| Some(list.id(at).to_owned()))
    }

    /// Begins to fetch what [`SortedIds::find`] of `id` will need: what is waited for is memory, and
    /// meanwhile something else can be done.
    #[inline]
    pub(crate) fn touch(&self, id: &oid, list: &impl Listed) {
        if self.part(id, list).is_none()
            && let Some(at) = self.search(id, list).first()
        {
            std::hint::black_box(prefix(list.id(at)));
        }
    }

    /// The places with ids that start as `id` does, if these are known. Begins to fetch what is there.
    #[inline]
    fn part(&self, id: &oid, list: &impl Listed) -> Option<Range<u32>> {
        let asked = self.asked.load(Ordering::Relaxed);
        if asked < self.fan.count() / SELDOM {
            self.asked.store(asked + 1, Ordering::Relaxed);
            return None;
        }
        let first = usize::from(id.first_byte());
        let starts = self.starts[first].get_or_init(|| self.find_starts(first, list));
        let (before, _) = self.fan.places(id);
        let range = starts.as_ref()?.part(prefix(id));
        let range = before + range.start..before + range.end;
        if range.len() > MOST_IN_PART {
            return None;
        }
        if !range.is_empty() {
            std::hint::black_box(prefix(list.id(range.start)));
            list.fetch(range.start);
        }
        Some(range)
    }

    #[cold]
    fn find_starts(&self, first: usize, list: &impl Listed) -> Option<Starts> {
        let (low, high) = self.fan.places_of(first);
        Starts::new((low..high).map(|at| prefix(list.id(at))))
    }

    /// Begins a search, and to fetch what lies where it will probably end: what is waited for is
    /// memory, and so the first id and that are waited for at once.
    #[inline]
    fn search(&self, id: &oid, list: &impl Listed) -> Search {
        let (low, high) = self.fan.places(id);
        let search = Search::new(id, low, high);
        if let Some(at) = search.first() {
            list.fetch(at);
        }
        search
    }
}

/// The place of `id` among those in `range`.
#[inline]
fn among(mut range: Range<u32>, id: &oid, list: &impl Listed) -> Option<u32> {
    let start = prefix(id);
    range.find(|&at| {
        let found = list.id(at);
        prefix(found) == start && found == id
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use gix_hash::ObjectId;

    use super::*;
    use crate::objects::test_rng::Noise;

    impl Listed for Vec<ObjectId> {
        fn id(&self, at: u32) -> &oid {
            &self[at as usize]
        }

        fn fetch(&self, at: u32) {
            assert!(at < self.len() as u32);
        }
    }

    fn fan(ids: &[ObjectId]) -> Vec<u8> {
        let counts =
            (0..=255).map(|first| ids.iter().filter(|id| id.first_byte() <= first).count());
        counts
            .flat_map(|count| (count as u32).to_be_bytes())
            .collect()
    }

    /// Sorted, and some of them in a crowd.
    pub(crate) fn many_ids() -> Vec<ObjectId> {
        let mut noise = Noise(1);
        let mut ids: Vec<ObjectId> = (0..20_000)
            .map(|_| ObjectId::from(std::array::from_fn::<u8, 20, _>(|_| noise.below(256) as u8)))
            .collect();
        // More than are looked through one by one.
        ids.extend((0..100).map(|last| {
            let mut bytes = [0x77; 20];
            bytes[19] = last;
            ObjectId::from(bytes)
        }));
        ids.sort();
        ids
    }

    #[test]
    fn ids_are_found_with_and_without_finer_tables() {
        let ids = many_ids();
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("it");
        let count = ids.len() as u32;
        std::fs::write(&path, [b"start", fan(&ids).as_slice()].concat()).expect("written");
        assert!(SortedIds::open(&path, 5, count + 1).is_none());
        assert!(SortedIds::open(&path, 6, count).is_none());
        let sorted = SortedIds::open(&path, 5, count).expect("sound");
        let missing = ObjectId::from([0x77; 20]);
        for _ in 0..2 {
            for (at, pair) in (0..).step_by(2).zip(ids.as_chunks::<2>().0) {
                assert_eq!(sorted.find(&pair[0], &ids), Some(at));
                sorted.touch(&pair[1], &ids);
                assert_eq!(sorted.find(&pair[1], &ids), Some(at + 1));
                assert_eq!(sorted.find(&missing, &ids), None);
            }
        }
        assert!(sorted.starts.iter().all(|starts| starts.get().is_some()));
    }
}
