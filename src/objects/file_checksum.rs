//! The checksum at the end of git's helper files: commit-graphs and multi-pack-indexes.

use gix_hash::Kind;

/// The longest file, in bytes, whose checksum is compared when it is opened: git does not look at it, and that of a large
/// file takes longer than a short blame.
pub(in crate::objects) const MAX_CHECKED_LEN: u64 = 256 << 10;

/// Whether a whole file ends with the checksum of what is before it.
pub(in crate::objects) fn is_valid(file: &[u8], hash: Kind) -> bool {
    let Some(end) = file.len().checked_sub(hash.len_in_bytes()) else {
        return false;
    };
    let (body, checksum) = file.split_at(end);
    let mut hasher = gix_hash::hasher(hash);
    hasher.update(body);
    hasher
        .try_finalize()
        .is_ok_and(|sum| sum.as_slice() == checksum)
}
