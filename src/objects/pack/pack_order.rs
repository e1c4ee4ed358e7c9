//! Commits in the order in which they lie in a pack.
//!
//! git writes all commits of a pack together, the newest first. Whoever will need most of them can
//! have them read one after the other, without waiting for each to name the next.

use gix_hash::ObjectId;

use crate::objects::{pack::pack_file::Index, types::PackPosition};

/// So much of a pack is looked through at once, in bytes.
const REACH: u64 = 64 << 20;
/// It is put in order by parts of this size, when they are needed.
const PART: u64 = 1 << 20;

/// A way along a pack.
#[derive(Debug, Default)]
pub(crate) struct Along {
    pack: u32,
    /// The stretch of the pack that is known.
    start: u64,
    /// By [`PART`], the last one first: the offset in the part and the place in the index.
    parts: Vec<Vec<(u32, u32)>>,
    part: usize,
    /// Which of the part's entries is next.
    next: usize,
}

impl Along {
    /// Goes on at the first entry that does not begin before `at`. Says whether that is within
    /// what is known of the pack.
    pub(crate) fn seek(&mut self, at: PackPosition) -> bool {
        let Some(inside) = at.offset.checked_sub(self.start) else {
            return false;
        };
        let part = (inside / PART) as usize;
        if at.pack != self.pack || part >= self.parts.len() {
            return false;
        }
        self.enter(part);
        let inside = (inside % PART) as u32;
        self.next = self.parts[part].partition_point(|&(offset, _)| offset < inside);
        self.pass_ends();
        true
    }

    /// Takes in what lies behind `at` in the pack with this index.
    pub(crate) fn look_through(&mut self, index: &Index, at: PackPosition) {
        self.take_in(index.small_offsets(), at);
    }

    fn take_in(&mut self, entries: impl Iterator<Item = (u32, u64)>, at: PackPosition) {
        self.pack = at.pack;
        self.start = at.offset;
        self.parts.clear();
        self.parts.resize_with((REACH / PART) as usize, Vec::new);
        for (place, offset) in entries {
            if let Some(inside) = offset.checked_sub(self.start)
                && inside < REACH
            {
                let entry = ((inside % PART) as u32, place);
                self.parts[(inside / PART) as usize].push(entry);
            }
        }
        self.enter(0);
        self.pass_ends();
    }

    fn enter(&mut self, part: usize) {
        (self.part, self.next) = (part, 0);
        if let Some(entries) = self.parts.get_mut(part)
            && !entries.is_sorted()
        {
            entries.sort_unstable();
        }
    }

    /// Where the next entry lies.
    pub(crate) fn place(&self) -> Option<PackPosition> {
        let (offset, _) = self.parts.get(self.part)?.get(self.next)?;
        Some(PackPosition {
            pack: self.pack,
            offset: self.start + self.part as u64 * PART + u64::from(*offset),
        })
    }

    /// Takes the next entry: its id and where it lies.
    pub(crate) fn step(&mut self, index: &Index) -> Option<(ObjectId, PackPosition)> {
        let place = self.place()?;
        let at = self.take()?;
        Some((index.id(at)?, place))
    }

    fn take(&mut self) -> Option<u32> {
        let (_, at) = *self.parts.get(self.part)?.get(self.next)?;
        self.next += 1;
        self.pass_ends();
        Some(at)
    }

    /// Goes to the next part while this one is at its end.
    fn pass_ends(&mut self) {
        while let Some(entries) = self.parts.get(self.part)
            && self.next == entries.len()
        {
            self.enter(self.part + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn along(offsets: &[u64], start: u64) -> Along {
        let mut along = Along::default();
        let places = (0..).zip(offsets.iter().copied());
        along.take_in(
            places,
            PackPosition {
                pack: 3,
                offset: start,
            },
        );
        along
    }

    fn rest(along: &mut Along) -> Vec<u64> {
        std::iter::from_fn(|| {
            let place = along.place()?;
            along.take()?;
            Some(place.offset)
        })
        .collect()
    }

    #[test]
    fn entries_come_by_their_offset() {
        let far = 100 + 5 * PART;
        let offsets = [far + 7, 300, 100, far, 12, 100 + REACH, 200];
        let mut along = along(&offsets, 100);
        assert_eq!(rest(&mut along), [100, 200, 300, far, far + 7]);
        assert_eq!(along.place(), None);
        for (offset, expected) in [(150, 200), (301, far), (far + 1, far + 7)] {
            assert!(along.seek(PackPosition { pack: 3, offset }));
            assert_eq!(along.place().map(|at| at.offset), Some(expected));
        }
        assert!(along.seek(PackPosition {
            pack: 3,
            offset: far + 8
        }));
        assert_eq!(along.place(), None);
        for (pack, offset) in [(3, 99), (3, 100 + REACH), (2, 150), (3, u64::MAX)] {
            assert!(!along.seek(PackPosition { pack, offset }));
        }
    }

    #[test]
    fn an_empty_stretch_has_no_place() {
        let mut along = along(&[], 7);
        assert_eq!(along.place(), None);
        assert_eq!(along.take(), None);
        assert!(along.seek(PackPosition { pack: 3, offset: 7 }));
        assert_eq!(Along::default().place(), None);
    }
}
