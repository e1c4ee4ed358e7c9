//! By what it is known that a file was not changed.

use std::fs::Metadata;

use crate::system;

/// What git's index keeps of a file (gitformat-index(5)). Times are in seconds since the epoch and
/// nanoseconds; larger numbers are cut off to 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexStamp {
    /// When the contents were changed last.
    pub modified: (u32, u32),
    /// When the file, its owner or mode was changed last, which no program can set.
    pub changed: (u32, u32),
    /// The number of the file in its file system.
    pub inode: u32,
    /// The size in bytes.
    pub size: u32,
}

impl IndexStamp {
    /// That of a file.
    pub fn of(metadata: &Metadata) -> IndexStamp {
        system::index_stamp(metadata)
    }

    /// True if this is the stamp `other` of a file. Nanoseconds of 0 are not known.
    pub fn is_of(&self, other: &IndexStamp) -> bool {
        let is_same = |one: (u32, u32), other: (u32, u32)| {
            one.0 == other.0 && (one.1 == 0 || one.1 == other.1)
        };
        is_same(self.modified, other.modified)
            && is_same(self.changed, other.changed)
            && (self.inode, self.size) == (other.inode, other.size)
    }
}
