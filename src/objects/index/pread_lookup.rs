//! The first lookups in the index of a large pack, by reading the few places that they need.
//!
//! To map an index the library looks through all its offsets. For a short blame that takes longer
//! than all it looks up.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use gix_hash::{Kind, ObjectId, oid};

use crate::objects::{
    index::{
        fanout::{FAN_LEN, Fan},
        id_search::{Search, compare, shared_digits},
    },
    positioned_file::Positioned,
};

/// To map an index takes as long as to read one place for so many of its ids.
const WORTH: u32 = 4096;
/// So many ids are read at once: guesses are off by less, mostly.
const AROUND: u32 = 64;
/// What an index of version 2 starts with, and how long that is with the table behind it.
const SIGNATURE: &[u8] = b"\xfftOc\0\0\0\x02";
const HEADER: usize = SIGNATURE.len() + FAN_LEN;

/// An index of version 2 without large offsets, for a while.
pub(crate) struct Few {
    file: Positioned,
    fan: Fan,
    id_len: usize,
    left: AtomicU32,
}

impl Few {
    /// The index at `path`, if it is as usual and so large that this is of use.
    pub(crate) fn open(path: &Path, hash: Kind) -> Option<Few> {
        let file = Positioned::open(path).ok()?;
        let mut header = [0; HEADER];
        file.read_exact_at(&mut header, 0).ok()?;
        let fan = Fan::read(header.strip_prefix(SIGNATURE)?.try_into().ok()?)?;
        let (count, id_len) = (fan.count(), hash.len_in_bytes());
        let left = count / WORTH;
        let len = HEADER as u64 + u64::from(count) * (id_len as u64 + 8) + 2 * id_len as u64;
        (left > 0 && file.len() == len).then(|| Few {
            file,
            fan,
            id_len,
            left: AtomicU32::new(left),
        })
    }

    /// How many objects there are.
    pub(crate) fn len(&self) -> u32 {
        self.fan.count()
    }

    /// The offset of `id` in the pack, `Some(None)` if it is not there; `None` where the whole
    /// index has to be asked, which it is worth by now, or is damaged.
    pub(crate) fn lookup(&self, id: &oid) -> Option<Option<u64>> {
        let (low, high) = self.begin(id)?;
        let mut read = self.ids(low, high);
        let mut search = Search::new(id, low, high);
        search.run(|at| Some(compare(&read(at)?, id)))?;
        let Some(at) = search.found else {
            return Some(None);
        };
        // Behind the ids there are as many checksums.
        let start = self.start(self.len()) + 4 * (u64::from(self.len()) + u64::from(at));
        let mut offset = [0; 4];
        self.file.read_exact_at(&mut offset, start).ok()?;
        let offset = u32::from_be_bytes(offset);
        (offset >> 31 == 0).then_some(Some(u64::from(offset)))
    }

    /// [`shared_digits`] among all ids; `None` as with [`Few::lookup`].
    pub(crate) fn shared_digits(&self, id: &oid) -> Option<usize> {
        let (low, high) = self.begin(id)?;
        shared_digits(id, low, high, self.ids(low, high))
    }

    /// The places of ids with the same first byte, unless this was asked often enough.
    fn begin(&self, id: &oid) -> Option<(u32, u32)> {
        // Another thread may take the same turn; nothing depends on it.
        let left = self.left.load(Ordering::Relaxed).checked_sub(1)?;
        self.left.store(left, Ordering::Relaxed);
        Some(self.fan.places(id))
    }

    /// Reads ids at places in `low..high`.
    fn ids(&self, low: u32, high: u32) -> impl FnMut(u32) -> Option<ObjectId> {
        let mut bytes = [0; AROUND as usize * 32];
        let (mut start, mut end) = (0, 0);
        move |at| {
            if !(start..end).contains(&at) {
                start = at.saturating_sub(AROUND / 2).max(low);
                end = start.saturating_add(AROUND).min(high);
                let bytes = bytes.get_mut(..end.checked_sub(start)? as usize * self.id_len)?;
                self.file.read_exact_at(bytes, self.start(start)).ok()?;
            }
            let at = at.checked_sub(start)? as usize * self.id_len;
            ObjectId::try_from(bytes.get(at..at + self.id_len)?).ok()
        }
    }

    /// Where the id at this place lies in the file.
    fn start(&self, at: u32) -> u64 {
        HEADER as u64 + u64::from(at) * self.id_len as u64
    }
}
