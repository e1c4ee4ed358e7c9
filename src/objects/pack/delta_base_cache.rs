//! The delta-base cache: rebuilt objects by pack position, bounded in bytes, shared by all readers
//! of a store.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use rustc_hash::FxHashMap;

use crate::objects::types::{Object, ObjectKind, PackPosition};

const NO_SLOT: u32 = u32::MAX;

/// Most positions that are remembered to count what is rebuilt again: a walk through a million
/// commits would otherwise take more memory for them than for the objects.
const MAX_POSITIONS: usize = 1 << 18;

/// An LRU cache of objects.
pub(crate) struct DeltaBaseCache {
    limit: AtomicUsize,
    inner: Mutex<Lru>,
}

#[derive(Default)]
struct Lru {
    /// The positions that were rebuilt, with their slots; [`NO_SLOT`] once the object is evicted,
    /// as long as there are not too many.
    positions: FxHashMap<PackPosition, u32>,
    slots: Vec<CacheSlot>,
    free: Vec<u32>,
    newest: u32,
    oldest: u32,
    bytes: usize,
    requested: u64,
    unique: u64,
    regenerated: u64,
}

struct CacheSlot {
    at: PackPosition,
    kind: ObjectKind,
    data: Option<Arc<[u8]>>,
    newer: u32,
    older: u32,
}

/// Counters of a [`DeltaBaseCache`].
pub(crate) struct DeltaBaseCacheStats {
    pub(crate) requested: u64,
    pub(crate) unique: u64,
    pub(crate) regenerated: u64,
    pub(crate) bytes: u64,
}

impl DeltaBaseCache {
    pub(crate) fn new(limit: usize) -> DeltaBaseCache {
        DeltaBaseCache {
            limit: AtomicUsize::new(limit),
            inner: Mutex::new(Lru {
                newest: NO_SLOT,
                oldest: NO_SLOT,
                ..Lru::default()
            }),
        }
    }

    /// Lowers the bound of the bytes from now on.
    pub(crate) fn lower_limit(&self, limit: usize) {
        self.limit.fetch_min(limit, Ordering::Relaxed);
    }

    /// The object at `at`, if it is cached.
    pub(crate) fn get(&self, at: PackPosition) -> Option<Object> {
        let mut inner = self.lock();
        inner.requested += 1;
        let slot = *inner.positions.get(&at)?;
        if slot == NO_SLOT {
            return None;
        }
        inner.unlink(slot);
        inner.push_newest(slot);
        let cached = &inner.slots[slot as usize];
        Some(Object {
            kind: cached.kind,
            data: cached.data.clone()?,
        })
    }

    /// Adds `object`, which was rebuilt from `at`; evicts the least recently used as needed.
    pub(crate) fn put(&self, at: PackPosition, object: &Object) {
        let mut evicted = Vec::new();
        let limit = self.limit.load(Ordering::Relaxed);
        let mut inner = self.lock();
        let fits = object.data.len() <= limit;
        match inner.positions.get(&at) {
            Some(&NO_SLOT) => inner.regenerated += 1,
            Some(_) => return,
            None => inner.unique += 1,
        }
        if !fits {
            inner.forget(at);
            return;
        }
        inner.bytes += object.data.len();
        let slot = inner.insert_slot(CacheSlot {
            at,
            kind: object.kind,
            data: Some(Arc::clone(&object.data)),
            newer: NO_SLOT,
            older: NO_SLOT,
        });
        inner.positions.insert(at, slot);
        inner.push_newest(slot);
        while inner.bytes > limit && inner.oldest != NO_SLOT {
            let oldest = inner.oldest;
            inner.unlink(oldest);
            let cached = &mut inner.slots[oldest as usize];
            let position = cached.at;
            let data = cached.data.take();
            inner.forget(position);
            inner.free.push(oldest);
            inner.bytes -= data.as_ref().map_or(0, |data| data.len());
            evicted.extend(data);
        }
        // Free memory after releasing the lock.
        drop(inner);
        drop(evicted);
    }

    pub(crate) fn stats(&self) -> DeltaBaseCacheStats {
        let inner = self.lock();
        DeltaBaseCacheStats {
            requested: inner.requested,
            unique: inner.unique,
            regenerated: inner.regenerated,
            bytes: inner.bytes as u64,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Lru> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lru {
    /// Notes that the object at a position is not there.
    fn forget(&mut self, at: PackPosition) {
        if self.positions.len() < MAX_POSITIONS {
            self.positions.insert(at, NO_SLOT);
        } else {
            self.positions.remove(&at);
        }
    }

    fn insert_slot(&mut self, slot: CacheSlot) -> u32 {
        if let Some(at) = self.free.pop() {
            self.slots[at as usize] = slot;
            return at;
        }
        self.slots.push(slot);
        u32::try_from(self.slots.len() - 1).unwrap_or(NO_SLOT)
    }

    fn unlink(&mut self, slot: u32) {
        let CacheSlot { newer, older, .. } = self.slots[slot as usize];
        match newer {
            NO_SLOT => self.newest = older,
            newer => self.slots[newer as usize].older = older,
        }
        match older {
            NO_SLOT => self.oldest = newer,
            older => self.slots[older as usize].newer = newer,
        }
    }

    fn push_newest(&mut self, slot: u32) {
        let before = self.newest;
        self.slots[slot as usize].newer = NO_SLOT;
        self.slots[slot as usize].older = before;
        match before {
            NO_SLOT => self.oldest = slot,
            before => self.slots[before as usize].newer = slot,
        }
        self.newest = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::test_rng::TestRng;

    fn at(offset: u64) -> PackPosition {
        PackPosition { pack: 0, offset }
    }

    fn object(len: usize) -> Object {
        Object {
            kind: ObjectKind::Blob,
            data: Arc::from(vec![7; len]),
        }
    }

    #[test]
    fn the_least_recently_used_is_evicted_first() {
        let cache = DeltaBaseCache::new(100);
        cache.put(at(1), &object(40));
        cache.put(at(2), &object(40));
        assert!(cache.get(at(1)).is_some());
        cache.put(at(3), &object(40));
        assert!(cache.get(at(2)).is_none());
        assert!(cache.get(at(1)).is_some());
        assert!(cache.get(at(3)).is_some());
        cache.put(at(2), &object(40));
        assert_eq!(cache.stats().regenerated, 1);
        assert_eq!(cache.stats().unique, 3);
        assert_eq!(cache.stats().bytes, 80);
    }

    #[test]
    fn objects_larger_than_the_cache_are_not_kept() {
        let cache = DeltaBaseCache::new(100);
        cache.put(at(1), &object(60));
        cache.put(at(2), &object(101));
        assert!(cache.get(at(2)).is_none());
        assert!(cache.get(at(1)).is_some());
    }

    #[test]
    fn bytes_stay_bounded_under_random_use() {
        let cache = DeltaBaseCache::new(1000);
        let mut rng = TestRng(1);
        for _ in 0..5000 {
            let position = at(rng.next() >> 58);
            match cache.get(position) {
                Some(object) => assert_eq!(object.data.len() as u64, position.offset * 7),
                None => cache.put(position, &object(position.offset as usize * 7)),
            }
            assert!(cache.stats().bytes <= 1000);
        }
    }
}
