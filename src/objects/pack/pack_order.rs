//! Iteration over the commits of a pack in pack order.
//!
//! git writes all commits of a pack together, the newest first. A walk that will need most of them
//! can read them sequentially, without waiting for each commit to name its parent.

use gix_hash::ObjectId;

use crate::objects::{index::pack_index::PackIndex, types::PackPosition};

/// Bytes of the pack that are indexed at a time.
const INDEXED_LEN: u64 = 64 << 20;
/// Granularity at which entries are sorted, on demand.
const PART_LEN: u64 = 1 << 20;

/// A cursor over the entries of a pack by offset.
#[derive(Debug, Default)]
pub(crate) struct PackOrder {
    pack: u32,
    /// Start of the indexed range of the pack.
    start: u64,
    /// For each [`PART_LEN`] of the range: offsets relative to the part, with index positions.
    parts: Vec<Vec<(u32, u32)>>,
    part: usize,
    /// The next entry in the current part.
    next: usize,
}

impl PackOrder {
    /// Moves to the first entry at or after `at`. Returns false if that is outside of the indexed
    /// range.
    pub(crate) fn seek(&mut self, at: PackPosition) -> bool {
        let Some(inside) = at.offset.checked_sub(self.start) else {
            return false;
        };
        let part = (inside / PART_LEN) as usize;
        if at.pack != self.pack || part >= self.parts.len() {
            return false;
        }
        self.enter_part(part);
        let inside = (inside % PART_LEN) as u32;
        self.next = self.parts[part].partition_point(|&(offset, _)| offset < inside);
        self.skip_finished_parts();
        true
    }

    /// Indexes the [`INDEXED_LEN`] bytes of the pack from `at` on.
    pub(crate) fn index_from(&mut self, index: &PackIndex, at: PackPosition) {
        self.index_entries(index.offsets(), at);
    }

    fn index_entries(&mut self, entries: impl Iterator<Item = (u32, u64)>, at: PackPosition) {
        self.pack = at.pack;
        self.start = at.offset;
        self.parts.clear();
        self.parts
            .resize_with((INDEXED_LEN / PART_LEN) as usize, Vec::new);
        for (position, offset) in entries {
            if let Some(inside) = offset.checked_sub(self.start)
                && inside < INDEXED_LEN
            {
                let entry = ((inside % PART_LEN) as u32, position);
                self.parts[(inside / PART_LEN) as usize].push(entry);
            }
        }
        self.enter_part(0);
        self.skip_finished_parts();
    }

    fn enter_part(&mut self, part: usize) {
        (self.part, self.next) = (part, 0);
        if let Some(entries) = self.parts.get_mut(part)
            && !entries.is_sorted()
        {
            entries.sort_unstable();
        }
    }

    /// Position of the next entry.
    pub(crate) fn position(&self) -> Option<PackPosition> {
        let (offset, _) = self.parts.get(self.part)?.get(self.next)?;
        Some(PackPosition {
            pack: self.pack,
            offset: self.start + self.part as u64 * PART_LEN + u64::from(*offset),
        })
    }

    /// Returns the next entry's id and position, and advances.
    pub(crate) fn next_entry(&mut self, index: &PackIndex) -> Option<(ObjectId, PackPosition)> {
        let position = self.position()?;
        let at = self.advance()?;
        Some((index.id(at)?, position))
    }

    fn advance(&mut self) -> Option<u32> {
        let (_, at) = *self.parts.get(self.part)?.get(self.next)?;
        self.next += 1;
        self.skip_finished_parts();
        Some(at)
    }

    /// Skips finished parts.
    fn skip_finished_parts(&mut self) {
        while let Some(entries) = self.parts.get(self.part)
            && self.next == entries.len()
        {
            self.enter_part(self.part + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(offsets: &[u64], start: u64) -> PackOrder {
        let mut order = PackOrder::default();
        let places = (0..).zip(offsets.iter().copied());
        order.index_entries(
            places,
            PackPosition {
                pack: 3,
                offset: start,
            },
        );
        order
    }

    fn rest(order: &mut PackOrder) -> Vec<u64> {
        std::iter::from_fn(|| {
            let position = order.position()?;
            order.advance()?;
            Some(position.offset)
        })
        .collect()
    }

    #[test]
    fn entries_are_in_offset_order() {
        let far = 100 + 5 * PART_LEN;
        let offsets = [far + 7, 300, 100, far, 12, 100 + INDEXED_LEN, 200];
        let mut order = order(&offsets, 100);
        assert_eq!(rest(&mut order), [100, 200, 300, far, far + 7]);
        assert_eq!(order.position(), None);
        for (offset, expected) in [(150, 200), (301, far), (far + 1, far + 7)] {
            assert!(order.seek(PackPosition { pack: 3, offset }));
            assert_eq!(order.position().map(|at| at.offset), Some(expected));
        }
        assert!(order.seek(PackPosition {
            pack: 3,
            offset: far + 8
        }));
        assert_eq!(order.position(), None);
        for (pack, offset) in [(3, 99), (3, 100 + INDEXED_LEN), (2, 150), (3, u64::MAX)] {
            assert!(!order.seek(PackPosition { pack, offset }));
        }
    }

    #[test]
    fn an_empty_range_has_no_position() {
        let mut order = order(&[], 7);
        assert_eq!(order.position(), None);
        assert_eq!(order.advance(), None);
        assert!(order.seek(PackPosition { pack: 3, offset: 7 }));
        assert_eq!(PackOrder::default().position(), None);
    }
}
