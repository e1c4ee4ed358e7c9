//! The fanout table of sorted id lists: cumulative counts by first byte.

use gix_hash::oid;

/// Length of the table in a file, in bytes.
pub(crate) const FANOUT_LEN: usize = 256 * 4;

/// For each first byte, the number of ids up to and including it.
pub(crate) struct Fanout(Box<[u32; 256]>);

impl Fanout {
    /// Decodes the table; `None` unless it is monotone.
    pub(crate) fn decode(bytes: &[u8; FANOUT_LEN]) -> Option<Fanout> {
        let mut counts = Box::new([0; 256]);
        for (count, chunk) in counts.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *count = u32::from_be_bytes(*chunk);
        }
        counts.is_sorted().then_some(Fanout(counts))
    }

    /// Total number of ids.
    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.0[255]
    }

    /// The half-open range of ids with the same first byte as `id`.
    #[inline]
    pub(crate) fn bucket(&self, id: &oid) -> (u32, u32) {
        self.bucket_of(usize::from(id.first_byte()))
    }

    /// The half-open range of ids with this first byte.
    #[inline]
    pub(crate) fn bucket_of(&self, first: usize) -> (u32, u32) {
        let low = if first == 0 { 0 } else { self.0[first - 1] };
        (low, self.0[first])
    }
}
