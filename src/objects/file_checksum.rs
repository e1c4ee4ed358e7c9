//! Checksums of git's helper files (indexes of packs, multi-pack-indexes and commit-graphs) and the
//! ids of objects.
//!
//! They find damage. Nobody who can write the file needs a collision, so SHA-1 is computed without
//! the search for one.

use std::{io::ErrorKind, path::Path};

use gix_hash::{Kind, ObjectId, oid};
use sha1::{Digest, Sha1};

use crate::objects::{positioned_file::PositionedFile, types::ObjectKind};

/// Bytes of a file that are read at once.
const READ_LEN: u64 = 256 << 10;

enum Hasher {
    Sha1(Sha1),
    Other(gix_hash::Hasher),
}

impl Hasher {
    fn new(hash: Kind) -> Hasher {
        match hash {
            Kind::Sha1 => Hasher::Sha1(Sha1::new()),
            other => Hasher::Other(gix_hash::hasher(other)),
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        match self {
            Hasher::Sha1(hasher) => hasher.update(bytes),
            Hasher::Other(hasher) => hasher.update(bytes),
        }
    }

    fn is(self, checksum: &[u8]) -> bool {
        match self {
            Hasher::Sha1(hasher) => hasher.finalize().as_slice() == checksum,
            Hasher::Other(hasher) => {
                let sum = hasher.try_finalize();
                sum.is_ok_and(|sum| sum.as_slice() == checksum)
            }
        }
    }
}

/// True if a file ends with the checksum of what is before it. Reads all of it.
pub(in crate::objects) fn is_valid(file: &PositionedFile, hash: Kind) -> bool {
    let mut checksum = vec![0; hash.len_in_bytes()];
    let Some(end) = file.len().checked_sub(checksum.len() as u64) else {
        return false;
    };
    let mut hasher = Hasher::new(hash);
    let mut bytes = vec![0; READ_LEN.min(end) as usize];
    let mut at = 0;
    while at < end {
        let part = &mut bytes[..READ_LEN.min(end - at) as usize];
        if file.read_exact_at(part, at).is_err() {
            return false;
        }
        hasher.update(part);
        at += part.len() as u64;
    }
    file.read_exact_at(&mut checksum, end).is_ok() && hasher.is(&checksum)
}

/// As [`is_valid`], for the file that is now at `path`. One that was removed is no damage.
pub(in crate::objects) fn is_valid_at(path: &Path, hash: Kind) -> bool {
    match PositionedFile::open(path) {
        Ok(file) => is_valid(&file, hash),
        Err(err) => err.kind() == ErrorKind::NotFound,
    }
}

/// The id of an object of this kind with the contents `data`.
pub(crate) fn object_id(hash: Kind, kind: ObjectKind, data: &[u8]) -> ObjectId {
    let mut hasher = Hasher::new(hash);
    hasher.update(format!("{} {}\0", kind.name(), data.len()).as_bytes());
    hasher.update(data);
    match hasher {
        Hasher::Sha1(hasher) => ObjectId::from_bytes_or_panic(hasher.finalize().as_slice()),
        // It fails for SHA-1 alone.
        Hasher::Other(hasher) => hasher.try_finalize().unwrap_or(ObjectId::null(hash)),
    }
}

/// True if an object of this kind with the contents `data` has the id `id`.
pub(in crate::objects) fn is_object(id: &oid, kind: ObjectKind, data: &[u8]) -> bool {
    object_id(id.kind(), kind, data) == id
}
