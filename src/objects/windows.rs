//! Windows onto packs: the parts of their files that one reader looked at last.
//!
//! Packs are read, not mapped. Entries that are looked at one after the other lie all over a pack:
//! blaming builtin/blame.c of git.git touches 2,300 of its pages' neighbourhoods of 64 KiB, and the
//! first touch of each, with its unmapping at the end, costs 8.5 µs, a seventh of the whole blame.
//! Reading a window costs 0.7 µs. It also keeps memory small, and a pack that is cut short while it
//! is read is an error instead of the program's end.

use std::sync::{Arc, Mutex, PoisonError};

use super::error::Fault;
use super::pack::Pack;

/// Windows begin at multiples of this.
const STEP: u64 = 4096;
/// And are this much longer, so that most entries that begin in one lie in it to their end.
const LONGER: usize = 2048;
const LEN: usize = STEP as usize + LONGER;
/// How many windows are kept.
const COUNT: usize = 256;

/// More than this is not kept for the next entry of that sort.
const MOST_KEPT: usize = 16 << 20;

/// Windows that no reader uses now. The next one goes on with them: memory that was never touched
/// before costs as much as what is read into it, and packs do not change.
pub(crate) type Spare = Mutex<Vec<Places>>;

/// Places for windows. There are none before the first is needed.
#[derive(Default)]
pub(crate) struct Places {
    bytes: Vec<u8>,
    kept: Vec<Kept>,
}

/// The windows of one reader.
pub(crate) struct Windows {
    places: Places,
    spare: Arc<Spare>,
    /// The last entry that did not fit into a window.
    long: Vec<u8>,
}

/// What a place for a window holds.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kept {
    pack: u32,
    start: u64,
    len: usize,
}

/// Nothing: no pack has this number.
const NOTHING: Kept = Kept {
    pack: u32::MAX,
    start: 0,
    len: 0,
};

impl Windows {
    /// Windows that begin with what others left in `spare`, and are left there too.
    pub(crate) fn new(spare: Arc<Spare>) -> Windows {
        Windows {
            places: Places::default(),
            spare,
            long: Vec::new(),
        }
    }

    /// Leave the windows to others.
    pub(crate) fn leave(&mut self) {
        if !self.places.bytes.is_empty() {
            let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
            spare.push(std::mem::take(&mut self.places));
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
        let rest = pack.end()?.saturating_sub(offset);
        let need = usize::try_from(rest).map_or(need, |rest| need.min(rest));
        let inside = (offset % STEP) as usize;
        if inside + need > LEN {
            return self.long(pack, offset, need);
        }
        let start = offset - inside as u64;
        let place = ((start / STEP) as usize ^ number as usize) % COUNT;
        let kept = self.places.kept.get(place);
        if kept.is_none_or(|kept| (kept.pack, kept.start) != (number, start)) {
            self.fill(pack, number, start, place)?;
        }
        let Places { bytes, kept } = &self.places;
        Ok(bytes[place * LEN..][..kept[place].len]
            .get(inside..)
            .unwrap_or(&[]))
    }

    #[cold]
    fn fill(&mut self, pack: &Pack, number: u32, start: u64, place: usize) -> Result<(), Fault> {
        if self.places.bytes.is_empty() {
            let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
            self.places = spare.pop().unwrap_or_else(|| Places {
                bytes: vec![0; COUNT * LEN],
                kept: vec![NOTHING; COUNT],
            });
        }
        let rest = pack.end()?.saturating_sub(start);
        let len = usize::try_from(rest).map_or(LEN, |rest| rest.min(LEN));
        let Places { bytes, kept } = &mut self.places;
        kept[place] = NOTHING;
        pack.read(start, &mut bytes[place * LEN..][..len])?;
        kept[place] = Kept {
            pack: number,
            start,
            len,
        };
        Ok(())
    }

    #[cold]
    fn long(&mut self, pack: &Pack, offset: u64, need: usize) -> Result<&[u8], Fault> {
        if self.long.len() > MOST_KEPT && need < MOST_KEPT {
            self.long = Vec::new();
        }
        if self.long.len() < need {
            self.long.resize(need, 0);
        }
        pack.read(offset, &mut self.long[..need])?;
        Ok(&self.long[..need])
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
        data.extend((0..LEN as u32 * 3).map(|at| (at * 7 / 3) as u8));
        std::fs::write(&path, &data).expect("written");
        let pack = Pack::new(path, gix_hash::Kind::Sha1);
        let end = data.len() - 20;
        let mut windows = Windows::new(Arc::default());
        for offset in (0..end).step_by(97) {
            for need in [0, 1, 50, LONGER, LONGER + 1, LEN, LEN + 1, usize::MAX] {
                let bytes = windows.at(&pack, 3, offset as u64, need).expect("there");
                assert!(bytes.len() >= need.min(end - offset), "{offset} {need}");
                assert_eq!(bytes, &data[offset..offset + bytes.len()]);
            }
        }
        let beyond = windows.at(&pack, 3, end as u64 + 5000, 9);
        assert_eq!(beyond.map(<[u8]>::len), Ok(0));
    }
}
