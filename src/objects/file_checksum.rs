//! The checksum at the end of git's helper files: indexes of packs, multi-pack-indexes and commit-graphs.
//!
//! It finds damage. Nobody who can write the file needs a collision, so SHA-1 is computed without the search for one.

use gix_hash::Kind;
use sha1::{Digest, Sha1};

/// The longest file, in bytes, whose checksum is compared when it is opened: git does not look at it, and that of a large
/// file takes longer than a short blame.
pub(in crate::objects) const MAX_CHECKED_LEN: u64 = 256 << 10;

/// Computes the checksum of a file.
pub(in crate::objects) struct FileHasher(Hasher);

enum Hasher {
    Sha1(Sha1),
    Other(gix_hash::Hasher),
}

impl FileHasher {
    pub(in crate::objects) fn new(hash: Kind) -> FileHasher {
        FileHasher(match hash {
            Kind::Sha1 => Hasher::Sha1(Sha1::new()),
            other => Hasher::Other(gix_hash::hasher(other)),
        })
    }

    pub(in crate::objects) fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            Hasher::Sha1(hasher) => hasher.update(bytes),
            Hasher::Other(hasher) => hasher.update(bytes),
        }
    }

    /// Whether it is `checksum`.
    pub(in crate::objects) fn matches(self, checksum: &[u8]) -> bool {
        match self.0 {
            Hasher::Sha1(hasher) => hasher.finalize().as_slice() == checksum,
            Hasher::Other(hasher) => {
                let sum = hasher.try_finalize();
                sum.is_ok_and(|sum| sum.as_slice() == checksum)
            }
        }
    }
}

/// Whether a whole file ends with the checksum of what is before it.
pub(in crate::objects) fn is_valid(file: &[u8], hash: Kind) -> bool {
    let Some(end) = file.len().checked_sub(hash.len_in_bytes()) else {
        return false;
    };
    let (body, checksum) = file.split_at(end);
    let mut hasher = FileHasher::new(hash);
    hasher.update(body);
    hasher.matches(checksum)
}
