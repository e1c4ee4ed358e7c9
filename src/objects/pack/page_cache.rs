//! Pages of packs: the parts of their files that one reader looked at last.
//!
//! Packs are read, not mapped. Entries that are looked at one after the other lie all over a pack:
//! blaming builtin/blame.c of git.git touches 2,300 of its pages' neighbourhoods of 64 KiB, and the
//! first touch of each, with its unmapping at the end, costs 8.5 µs, a seventh of the whole blame.
//! Reading a page costs 0.7 to 1.5 µs. It also keeps memory small, and a pack that is cut short while
//! it is read is an error instead of the program's end.

use std::sync::{Arc, Mutex, PoisonError};

use crate::objects::{error::Fault, pack::pack_file::Pack};

const PAGE: usize = 4096;
/// How many pages are kept. Each has one place, and neighbours have neighbouring places, so that what
/// lies in several pages is in one piece.
const COUNT: usize = 256;
/// What takes more pages is read for itself.
const MOST: usize = 8;
/// So many bytes behind where an entry starts are read along: most entries are not longer.
const USUAL: usize = 1024;
/// Where so many pages were read one after the other, as where commits lie,
const IN_A_ROW: usize = 3;
/// so many are read at once.
const TOGETHER: usize = 4;

/// More than this is not kept for the next entry of that sort.
const MOST_KEPT: usize = 16 << 20;

/// Pages that no reader uses now. The next one goes on with them: memory that was never touched
/// before costs as much as what is read into it, and packs do not change.
pub(crate) type Spare = Mutex<Vec<Pages>>;

/// Places for pages. There are none before the first is needed.
#[derive(Default)]
pub(crate) struct Pages {
    bytes: Vec<u8>,
    kept: Vec<Kept>,
}

/// The pages of one reader.
pub(crate) struct Windows {
    pages: Pages,
    spare: Arc<Spare>,
    /// The last entry that did not fit.
    long: Vec<u8>,
}

/// What a place holds.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kept {
    pack: u32,
    page: u64,
}

/// Nothing: no pack has this number.
const NOTHING: Kept = Kept {
    pack: u32::MAX,
    page: 0,
};

impl Windows {
    /// Pages that begin with what others left in `spare`, and are left there too.
    pub(crate) fn new(spare: Arc<Spare>) -> Windows {
        Windows {
            pages: Pages::default(),
            spare,
            long: Vec::new(),
        }
    }

    /// Leave the pages to others.
    pub(crate) fn leave(&mut self) {
        if !self.pages.bytes.is_empty() {
            let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
            spare.push(std::mem::take(&mut self.pages));
        }
    }

    /// The bytes of `pack`, the store's number `number`, from `offset` on: at least `need` of them
    /// unless its entries end before.
    #[inline]
    pub(crate) fn at(
        &mut self,
        pack: &Pack,
        number: u32,
        offset: u64,
        need: usize,
    ) -> Result<&[u8], Fault> {
        let end = pack.end()?;
        let rest = end.saturating_sub(offset);
        let need = usize::try_from(rest).map_or(need, |rest| need.min(rest));
        let first = Kept {
            pack: number,
            page: offset / PAGE as u64,
        };
        let inside = (offset % PAGE as u64) as usize;
        let (place, count) = (
            first.place(),
            need.saturating_add(inside).div_ceil(PAGE).max(1),
        );
        if count > MOST || place + count > COUNT {
            return self.long(pack, offset, need);
        }
        let is_kept = |nth| self.pages.kept.get(place + nth) == Some(&first.after(nth));
        if let Some(missing) = (0..count).find(|&nth| !is_kept(nth)) {
            self.fill(pack, first, missing, count, inside + USUAL)?;
        }
        let from = place * PAGE + inside;
        let len = usize::try_from(rest).map_or(usize::MAX, |rest| rest.min(count * PAGE - inside));
        Ok(&self.pages.bytes[from..][..len])
    }

    /// Read the pages that are missing among the `count` from `first` on, of which `missing` is the
    /// first that is, and those up to `usual` bytes from `first` on.
    #[cold]
    fn fill(
        &mut self,
        pack: &Pack,
        first: Kept,
        missing: usize,
        count: usize,
        usual: usize,
    ) -> Result<(), Fault> {
        if self.pages.bytes.is_empty() {
            let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
            self.pages = spare.pop().unwrap_or_else(|| Pages {
                bytes: vec![0; COUNT * PAGE],
                kept: vec![NOTHING; COUNT],
            });
        }
        let Pages { bytes, kept } = &mut self.pages;
        let is_kept = |page: Kept| kept[page.place()] == page;
        // What others left may have them.
        if (missing..count).all(|nth| is_kept(first.after(nth))) {
            return Ok(());
        }
        let in_a_row = (1..=IN_A_ROW as u64).all(|back| {
            let page = (first.page + missing as u64).checked_sub(back);
            page.is_some_and(|page| is_kept(Kept { page, ..first }))
        });
        let wanted = match in_a_row {
            true => missing + TOGETHER,
            false => usual.div_ceil(PAGE),
        };
        let mut end = wanted.max(count).min(COUNT - first.place());
        while end > missing + 1 && is_kept(first.after(end - 1)) {
            end -= 1;
        }
        let (start, place) = (first.after(missing), first.place() + missing);
        let offset = start.page * PAGE as u64;
        let rest = pack.end()?.saturating_sub(offset);
        let len = (end - missing) * PAGE;
        let len = usize::try_from(rest).map_or(len, |rest| rest.min(len));
        let kept = &mut kept[place..][..len.div_ceil(PAGE)];
        kept.fill(NOTHING);
        pack.read(offset, &mut bytes[place * PAGE..][..len])?;
        for (nth, kept) in kept.iter_mut().enumerate() {
            *kept = start.after(nth);
        }
        Ok(())
    }

    #[cold]
    fn long(&mut self, pack: &Pack, offset: u64, need: usize) -> Result<&[u8], Fault> {
        if self.long.len() > MOST_KEPT && need < MOST_KEPT {
            self.long = Vec::new();
        }
        if self.long.len() < need {
            // Fresh zeros cost nothing until they are overwritten.
            self.long = vec![0; need.saturating_add(need / 4)];
        }
        pack.read(offset, &mut self.long[..need])?;
        Ok(&self.long[..need])
    }
}

impl Kept {
    /// The place for this page.
    #[inline]
    fn place(self) -> usize {
        (self.page as usize).wrapping_add(self.pack as usize * 37) % COUNT
    }

    /// The `nth` page behind this one.
    #[inline]
    fn after(self, nth: usize) -> Kept {
        Kept {
            page: self.page + nth as u64,
            ..self
        }
    }
}

impl Drop for Windows {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_stretch_of_a_pack_is_read() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("it.pack");
        let mut data = b"PACK\0\0\0\x02\0\0\0\0".to_vec();
        let len = (COUNT + 2 * MOST) * PAGE + 100;
        data.extend((0..len as u32).map(|at| ((at * 7 / 3) ^ (at >> 12)) as u8));
        std::fs::write(&path, &data).expect("written");
        let pack = Pack::new(path, gix_hash::Kind::Sha1);
        let end = data.len() - 20;
        let mut windows = Windows::new(Arc::default());
        let needs = [
            0,
            1,
            50,
            USUAL,
            PAGE,
            PAGE + 1,
            MOST * PAGE,
            MOST * PAGE + 1,
        ];
        let forward = (0..end).step_by(997);
        let jumps = (0..2000).map(|at| at * 7_368_787 % end);
        for (nth, offset) in forward.chain(jumps).enumerate() {
            let mut needs = vec![needs[nth % needs.len()], needs[nth / 7 % needs.len()]];
            needs.extend((nth % 500 == 0).then_some(usize::MAX));
            for need in needs {
                let bytes = windows.at(&pack, 3, offset as u64, need).expect("there");
                assert!(bytes.len() >= need.min(end - offset), "{offset} {need}");
                assert!(bytes == &data[offset..offset + bytes.len()], "{offset}");
            }
        }
        let beyond = windows.at(&pack, 3, end as u64 + 5000, 9);
        assert_eq!(beyond.map(<[u8]>::len), Ok(0));
    }
}
