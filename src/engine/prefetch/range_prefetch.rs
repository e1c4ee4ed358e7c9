//! Prefetches commit headers while the walk limits a range.
//!
//! Each commit names the next, so two threads that follow one history would wait for each other.
//! But packs store commits in about the order in which a range meets them. So the prefetch thread
//! starts some way ahead in the pack and reads the commits there. When the walk reaches that
//! offset, it consumes the prefetched headers quickly; when it has nearly caught up, the thread
//! skips ahead again.

use crate::{
    engine::prefetch::exchange::PrefetchExchange,
    objects::{CommitHead, HeadParts, ObjectId, PackOrder, PackPosition, Reader},
};

/// How far ahead of the walk to start, in bytes of the pack.
const START_LEAD: u64 = 128 << 10;
/// Below this lead the walk counts as having caught up.
const MIN_LEAD: u64 = 32 << 10;
/// Above this lead the thread waits.
const MAX_LEAD: u64 = 2 << 20;
/// Pack entries read before headers are sent.
const BATCH_ENTRIES: usize = 32;

/// Reads headers ahead of a walk that limits a range.
#[derive(Debug, Default)]
pub(crate) struct RangePrefetch {
    order: PackOrder,
    /// The walk's last commit, and its position in a pack.
    walk: Option<(ObjectId, Option<PackPosition>)>,
    headers: Vec<(ObjectId, CommitHead)>,
}

impl RangePrefetch {
    /// Reads a batch of headers ahead of a walk at `commit`. Returns whether there were any to
    /// read.
    pub(crate) fn read(
        &mut self,
        commit: ObjectId,
        reader: &mut Reader,
        exchange: &PrefetchExchange,
    ) -> bool {
        let walk = match self.walk {
            Some((last, at)) if last == commit => at,
            // The walk will report read errors.
            _ => reader.position(&commit).ok().flatten(),
        };
        self.walk = Some((commit, walk));
        let Some(walk) = walk else { return false };
        let ahead = self.order.position().filter(|next| next.pack == walk.pack);
        let lead = ahead.and_then(|next| next.offset.checked_sub(walk.offset));
        if lead.is_some_and(|lead| lead > MAX_LEAD) {
            return false;
        }
        if lead.is_none_or(|lead| lead < MIN_LEAD) {
            let begin = PackPosition {
                offset: walk.offset.saturating_add(START_LEAD),
                ..walk
            };
            if !reader.seek_pack_order(&mut self.order, begin) {
                return false;
            }
        }
        let (order, headers) = (&mut self.order, &mut self.headers);
        reader.read_heads_in_pack_order(order, BATCH_ENTRIES, HeadParts::All, |_| false, headers);
        exchange.send_headers(&mut self.headers);
        self.order.position().is_some()
    }
}
