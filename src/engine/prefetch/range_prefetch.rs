//! The second thread's part in measuring a range: reading heads where the range will come to.
//!
//! Each commit names the next, so two threads that follow a history would wait for each other. But
//! commits lie in packs about in the order in which a range meets them. The second thread begins
//! some way further on in the pack and reads what lies there. When the walk has come to where that
//! began it goes quickly through what is known, until it is ahead again.

use crate::{
    engine::prefetch::exchange::Exchange,
    objects::{Along, CommitHead, ObjectId, PackPosition, Reader},
};

/// How far ahead it begins, in bytes of the pack.
const BEGIN: u64 = 128 << 10;
/// Nearer than this it is as good as overtaken.
const NEAR: u64 = 32 << 10;
/// Further ahead than this it waits.
const FAR: u64 = 2 << 20;
/// It hands over what it has found in so many entries of the pack.
const BATCH: usize = 32;

/// Reads heads ahead of a walk that measures a range.
#[derive(Debug, Default)]
pub(crate) struct Stretch {
    along: Along,
    /// Where the walk was, and where in a pack that is.
    walk: Option<(ObjectId, Option<PackPosition>)>,
    heads: Vec<(ObjectId, CommitHead)>,
}

impl Stretch {
    /// Reads some heads ahead of a walk that is at `commit`. Says whether there were any to read.
    pub(crate) fn read(
        &mut self,
        commit: ObjectId,
        reader: &mut Reader,
        exchange: &Exchange,
    ) -> bool {
        let walk = match self.walk {
            Some((last, at)) if last == commit => at,
            // The walk will say what cannot be read.
            _ => reader.position(&commit).ok().flatten(),
        };
        self.walk = Some((commit, walk));
        let Some(walk) = walk else { return false };
        let ahead = self.along.place().filter(|next| next.pack == walk.pack);
        let lead = ahead.and_then(|next| next.offset.checked_sub(walk.offset));
        if lead.is_some_and(|lead| lead > FAR) {
            return false;
        }
        if lead.is_none_or(|lead| lead < NEAR) {
            let begin = PackPosition {
                offset: walk.offset.saturating_add(BEGIN),
                ..walk
            };
            if !reader.go_along(&mut self.along, begin) {
                return false;
            }
        }
        reader.heads_along(&mut self.along, BATCH, &mut self.heads);
        exchange.deliver_heads(&mut self.heads);
        self.along.place().is_some()
    }
}
