//! Stretches of history in which a file has the same contents.

/// Number of a segment: the commits, and paths in them, between a commit that changed a file and
/// the next one that did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct SegmentId(u32);

/// The segments of a plan, and the records that they end at.
#[derive(Debug, Default)]
pub(super) struct Segments {
    /// By segment: another one that has met it, or itself.
    joined: Vec<SegmentId>,
    /// By segment that was not joined to another one: its record, or [`OPEN`].
    records: Vec<u32>,
}

/// The segment has not ended yet.
const OPEN: u32 = u32::MAX;

impl Segments {
    /// A new segment.
    pub(super) fn add(&mut self) -> SegmentId {
        let segment = SegmentId(self.joined.len() as u32);
        self.joined.push(segment);
        self.records.push(OPEN);
        segment
    }

    /// The segment that stands for all that were joined with this one.
    fn find(&mut self, mut segment: SegmentId) -> SegmentId {
        loop {
            let next = self.joined[segment.0 as usize];
            if next == segment {
                return segment;
            }
            let after = self.joined[next.0 as usize];
            self.joined[segment.0 as usize] = after;
            segment = after;
        }
    }

    /// Joins two segments that have met at the same path of the same commit.
    pub(super) fn join(&mut self, one: SegmentId, other: SegmentId) {
        let (one, other) = (self.find(one), self.find(other));
        self.joined[other.0 as usize] = one;
    }

    /// Ends a segment at a record.
    pub(super) fn end(&mut self, segment: SegmentId, record: u32) {
        let segment = self.find(segment);
        self.records[segment.0 as usize] = record;
    }

    /// The record at which a segment ended; `None` if it has not.
    pub(super) fn record(&mut self, segment: SegmentId) -> Option<u32> {
        let segment = self.find(segment);
        Some(self.records[segment.0 as usize]).filter(|&record| record != OPEN)
    }
}
