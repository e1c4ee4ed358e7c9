//! The delta-base cache: rebuilt objects by their place in a pack, bounded in bytes, shared by all
//! readers of a store.

use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::objects::types::{Object, ObjectKind, PackPosition};

const NONE: u32 = u32::MAX;

/// The cache. The least recently used objects go first.
pub(crate) struct BaseCache {
    limit: usize,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Every place ever rebuilt; `NONE` when its object has been let go.
    places: FxHashMap<PackPosition, u32>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    newest: u32,
    oldest: u32,
    bytes: usize,
    requested: u64,
    regenerated: u64,
}

struct Slot {
    at: PackPosition,
    kind: ObjectKind,
    data: Option<Arc<[u8]>>,
    newer: u32,
    older: u32,
}

/// What the cache has counted.
pub(crate) struct CacheStats {
    pub(crate) requested: u64,
    pub(crate) unique: u64,
    pub(crate) regenerated: u64,
    pub(crate) bytes: u64,
}

impl BaseCache {
    pub(crate) fn new(limit: usize) -> BaseCache {
        BaseCache {
            limit,
            inner: Mutex::new(Inner {
                newest: NONE,
                oldest: NONE,
                ..Inner::default()
            }),
        }
    }

    /// The object at `at`, if it is still held.
    pub(crate) fn get(&self, at: PackPosition) -> Option<Object> {
        let mut inner = self.lock();
        inner.requested += 1;
        let slot = *inner.places.get(&at)?;
        if slot == NONE {
            return None;
        }
        inner.unlink(slot);
        inner.link(slot);
        let held = &inner.slots[slot as usize];
        Some(Object {
            kind: held.kind,
            data: held.data.clone()?,
        })
    }

    /// Hold `object`, which was rebuilt from `at`; older ones may go for it.
    pub(crate) fn put(&self, at: PackPosition, object: &Object) {
        let mut gone = Vec::new();
        let mut inner = self.lock();
        let fits = object.data.len() <= self.limit;
        match inner.places.entry(at) {
            Entry::Occupied(place) if *place.get() != NONE => return,
            Entry::Occupied(_) => inner.regenerated += 1,
            Entry::Vacant(place) => {
                place.insert(NONE);
            }
        }
        if !fits {
            return;
        }
        inner.bytes += object.data.len();
        let slot = inner.fill(Slot {
            at,
            kind: object.kind,
            data: Some(Arc::clone(&object.data)),
            newer: NONE,
            older: NONE,
        });
        inner.places.insert(at, slot);
        inner.link(slot);
        while inner.bytes > self.limit && inner.oldest != NONE {
            let oldest = inner.oldest;
            inner.unlink(oldest);
            let held = &mut inner.slots[oldest as usize];
            let place = held.at;
            let data = held.data.take();
            inner.places.insert(place, NONE);
            inner.free.push(oldest);
            inner.bytes -= data.as_ref().map_or(0, |data| data.len());
            gone.extend(data);
        }
        // Freed only after the lock is.
        drop(inner);
        drop(gone);
    }

    pub(crate) fn stats(&self) -> CacheStats {
        let inner = self.lock();
        CacheStats {
            requested: inner.requested,
            unique: inner.places.len() as u64,
            regenerated: inner.regenerated,
            bytes: inner.bytes as u64,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn fill(&mut self, slot: Slot) -> u32 {
        if let Some(at) = self.free.pop() {
            self.slots[at as usize] = slot;
            return at;
        }
        self.slots.push(slot);
        u32::try_from(self.slots.len() - 1).unwrap_or(NONE)
    }

    fn unlink(&mut self, slot: u32) {
        let Slot { newer, older, .. } = self.slots[slot as usize];
        match newer {
            NONE => self.newest = older,
            newer => self.slots[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.slots[older as usize].newer = newer,
        }
    }

    fn link(&mut self, slot: u32) {
        let before = self.newest;
        self.slots[slot as usize].newer = NONE;
        self.slots[slot as usize].older = before;
        match before {
            NONE => self.oldest = slot,
            before => self.slots[before as usize].newer = slot,
        }
        self.newest = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::test_rng::Noise;

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
    fn the_least_recently_used_goes_first() {
        let cache = BaseCache::new(100);
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
    fn what_is_larger_than_the_cache_is_not_held() {
        let cache = BaseCache::new(100);
        cache.put(at(1), &object(60));
        cache.put(at(2), &object(101));
        assert!(cache.get(at(2)).is_none());
        assert!(cache.get(at(1)).is_some());
    }

    #[test]
    fn bytes_stay_bounded_under_random_use() {
        let cache = BaseCache::new(1000);
        let mut noise = Noise(1);
        for _ in 0..5000 {
            let place = at(noise.next() >> 58);
            match cache.get(place) {
                Some(object) => assert_eq!(object.data.len() as u64, place.offset * 7),
                None => cache.put(place, &object(place.offset as usize * 7)),
            }
            assert!(cache.stats().bytes <= 1000);
        }
    }
}
