//! Page cache for pack files, one per reader.
//!
//! Packs are read, not mapped. Consecutive reads are scattered over the pack: blaming
//! builtin/blame.c of git.git touches 2,300 regions of 64 KiB, and mapping costs 8.5 µs for
//! each (first touch and unmapping), a seventh of the whole blame. Reading a page costs 0.7
//! to 1.5 µs. Reading also bounds memory, and a pack truncated meanwhile is an error instead of a
//! `SIGBUS`.

use std::sync::{Arc, Mutex, PoisonError};

use crate::{
    objects::{
        error::{OUT_OF_MEMORY, Reason},
        pack::pack_file::Pack,
    },
    system::memory,
};

const PAGE_LEN: usize = 4096;
/// Number of cached pages. The cache is direct-mapped, with consecutive pages in consecutive slots,
/// so that an entry across pages is contiguous.
const PAGE_COUNT: usize = 256;
/// Longer reads bypass the cache.
const MAX_PAGES: usize = 8;
/// Bytes read from the start of an entry on; most entries are shorter. With 1024, which needs a
/// second page twice as often, a cold blame takes 1 % longer (25 files, 9 runs in turn); with 300
/// it takes as long.
const USUAL_ENTRY_LEN: usize = 512;
/// Cached pages before a missing one that make a read sequential, as in a run of commits.
const SEQUENTIAL_RUN: usize = 3;
/// Pages read at once in sequential reads. With four, a cold blame takes 1.5 % longer, but no more
/// CPU time (25 files).
const READ_AHEAD: usize = 8;

/// A bypass buffer longer than this is not kept.
const MAX_BYPASS_LEN: usize = 16 << 20;

/// Page buffers that no reader uses now. They are reused with their contents: packs are immutable,
/// and fresh memory costs as much as the data read into it.
pub(crate) type PagePool = Mutex<Vec<PageBuffers>>;

/// Page slots. Empty before the first read.
#[derive(Default)]
pub(crate) struct PageBuffers {
    bytes: Vec<u8>,
    keys: Vec<PageKey>,
}

/// The page cache of one reader.
pub(crate) struct PageCache {
    pages: PageBuffers,
    pool: Arc<PagePool>,
    /// Buffer of the last read that bypassed the cache.
    bypass: Vec<u8>,
}

/// The page in a slot.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PageKey {
    pack: u32,
    page: u64,
}

/// An empty slot: no pack has this number.
const EMPTY_SLOT: PageKey = PageKey {
    pack: u32::MAX,
    page: 0,
};

impl PageCache {
    /// A cache that takes its buffers from `pool` and returns them there.
    pub(crate) fn new(pool: Arc<PagePool>) -> PageCache {
        PageCache {
            pages: PageBuffers::default(),
            pool,
            bypass: Vec::new(),
        }
    }

    /// Returns the buffers to the shared pool.
    pub(crate) fn release(&mut self) {
        if !self.pages.bytes.is_empty() {
            let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
            pool.push(std::mem::take(&mut self.pages));
        }
    }

    /// The bytes of `pack` from `offset` on: at least `need` of them, or all before the trailer.
    /// `number` is the pack's number in the store.
    #[inline]
    pub(crate) fn read(
        &mut self,
        pack: &Pack,
        number: u32,
        offset: u64,
        need: usize,
    ) -> Result<&[u8], Reason> {
        let end = pack.end()?;
        let rest = end.saturating_sub(offset);
        let need = usize::try_from(rest).map_or(need, |rest| need.min(rest));
        let first = PageKey {
            pack: number,
            page: offset / PAGE_LEN as u64,
        };
        let inside = (offset % PAGE_LEN as u64) as usize;
        let (slot, count) = (
            first.slot(),
            need.saturating_add(inside).div_ceil(PAGE_LEN).max(1),
        );
        if count > MAX_PAGES || slot + count > PAGE_COUNT {
            return self.bypass(pack, offset, need);
        }
        let is_cached = |nth| self.pages.keys.get(slot + nth) == Some(&first.plus(nth));
        if let Some(missing) = (0..count).find(|&nth| !is_cached(nth)) {
            self.fill(pack, first, missing, count, inside + USUAL_ENTRY_LEN)?;
        }
        let from = slot * PAGE_LEN + inside;
        let len =
            usize::try_from(rest).map_or(usize::MAX, |rest| rest.min(count * PAGE_LEN - inside));
        Ok(&self.pages.bytes[from..][..len])
    }

    /// Reads the missing pages among the `count` from `first` on, the first of which is `missing`,
    /// and those within `usual` bytes of `first`.
    #[cold]
    fn fill(
        &mut self,
        pack: &Pack,
        first: PageKey,
        missing: usize,
        count: usize,
        usual: usize,
    ) -> Result<(), Reason> {
        if self.pages.bytes.is_empty() {
            let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
            self.pages = pool.pop().unwrap_or_else(|| PageBuffers {
                bytes: vec![0; PAGE_COUNT * PAGE_LEN],
                keys: vec![EMPTY_SLOT; PAGE_COUNT],
            });
        }
        let PageBuffers { bytes, keys } = &mut self.pages;
        let is_cached = |page: PageKey| keys[page.slot()] == page;
        // A recycled buffer may have them already.
        if (missing..count).all(|nth| is_cached(first.plus(nth))) {
            return Ok(());
        }
        let is_sequential = (1..=SEQUENTIAL_RUN as u64).all(|back| {
            let page = (first.page + missing as u64).checked_sub(back);
            page.is_some_and(|page| is_cached(PageKey { page, ..first }))
        });
        let wanted = if is_sequential {
            missing + READ_AHEAD
        } else {
            usual.div_ceil(PAGE_LEN)
        };
        let mut end = wanted.max(count).min(PAGE_COUNT - first.slot());
        while end > missing + 1 && is_cached(first.plus(end - 1)) {
            end -= 1;
        }
        let (start, slot) = (first.plus(missing), first.slot() + missing);
        let offset = start.page * PAGE_LEN as u64;
        let rest = pack.end()?.saturating_sub(offset);
        let len = (end - missing) * PAGE_LEN;
        let len = usize::try_from(rest).map_or(len, |rest| rest.min(len));
        let keys = &mut keys[slot..][..len.div_ceil(PAGE_LEN)];
        keys.fill(EMPTY_SLOT);
        pack.read(offset, &mut bytes[slot * PAGE_LEN..][..len])?;
        for (nth, key) in keys.iter_mut().enumerate() {
            *key = start.plus(nth);
        }
        Ok(())
    }

    #[cold]
    fn bypass(&mut self, pack: &Pack, offset: u64, need: usize) -> Result<&[u8], Reason> {
        if self.bypass.len() > MAX_BYPASS_LEN && need < MAX_BYPASS_LEN {
            self.bypass = Vec::new();
        }
        if self.bypass.len() < need {
            if !memory::is_available(need.saturating_add(need / 4)) {
                return Err(OUT_OF_MEMORY);
            }
            // Zeroed pages from the allocator cost nothing until written.
            self.bypass = vec![0; need.saturating_add(need / 4)];
        }
        pack.read(offset, &mut self.bypass[..need])?;
        Ok(&self.bypass[..need])
    }
}

impl PageKey {
    /// The slot of this page.
    #[inline]
    fn slot(self) -> usize {
        (self.page as usize).wrapping_add(self.pack as usize * 37) % PAGE_COUNT
    }

    /// The page `nth` pages later.
    #[inline]
    fn plus(self, nth: usize) -> PageKey {
        PageKey {
            page: self.page + nth as u64,
            ..self
        }
    }
}

impl Drop for PageCache {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_range_of_a_pack_can_be_read() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("it.pack");
        let mut data = b"PACK\0\0\0\x02\0\0\0\0".to_vec();
        let len = (PAGE_COUNT + 2 * MAX_PAGES) * PAGE_LEN + 100;
        data.extend((0..len as u32).map(|at| ((at * 7 / 3) ^ (at >> 12)) as u8));
        std::fs::write(&path, &data).expect("written");
        let pack = Pack::new(path, gix_hash::Kind::Sha1);
        let end = data.len() - 20;
        let mut cache = PageCache::new(Arc::default());
        let needs = [
            0,
            1,
            50,
            USUAL_ENTRY_LEN,
            PAGE_LEN,
            PAGE_LEN + 1,
            MAX_PAGES * PAGE_LEN,
            MAX_PAGES * PAGE_LEN + 1,
        ];
        let forward = (0..end).step_by(997);
        let jumps = (0..2000).map(|at| at * 7_368_787 % end);
        for (nth, offset) in forward.chain(jumps).enumerate() {
            let mut needs = vec![needs[nth % needs.len()], needs[nth / 7 % needs.len()]];
            needs.extend((nth % 500 == 0).then_some(usize::MAX));
            for need in needs {
                let bytes = cache.read(&pack, 3, offset as u64, need).expect("readable");
                assert!(bytes.len() >= need.min(end - offset), "{offset} {need}");
                assert!(bytes == &data[offset..offset + bytes.len()], "{offset}");
            }
        }
        let past_end = cache.read(&pack, 3, end as u64 + 5000, 9);
        assert_eq!(past_end.map(<[u8]>::len), Ok(0));
    }
}
