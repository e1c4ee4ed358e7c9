//! The tree of notes: a file for each object, named by its id, whose first digits may be
//! directories.

use crate::objects::{self, HashKind, ObjectId, Reader, formats::tree};

/// Longest note, and longest tree of notes, in bytes; longer ones are not read.
const MAX_NOTE_LEN: u64 = 4 << 20;
const MAX_TREE_LEN: u64 = 256 << 20;

/// The bytes of the note on `object` below the tree `root`; `None` if there is none that can be
/// read.
///
/// # Errors
///
/// An object is damaged.
pub(super) fn find(
    reader: &mut Reader,
    hash: HashKind,
    root: ObjectId,
    object: &ObjectId,
) -> Result<Option<Vec<u8>>, objects::Error> {
    let hex = object.to_string();
    let mut name = hex.as_str();
    let mut directory = root;
    loop {
        if reader
            .size(&directory)?
            .is_none_or(|len| len > MAX_TREE_LEN)
        {
            return Ok(None);
        }
        let data = reader.object(&directory)?.data;
        let mut below = None;
        for entry in tree::entries(&data, hash) {
            let entry = entry.map_err(|reason| objects::Error::object(&directory, reason))?;
            let what = entry.entry();
            if entry.name == name.as_bytes() && what.is_regular() {
                return note(reader, &what.id);
            }
            if name.len() > 2 && entry.name == &name.as_bytes()[..2] && what.is_tree() {
                below = Some(what.id);
            }
        }
        match below {
            Some(id) => (directory, name) = (id, &name[2..]),
            None => return Ok(None),
        }
    }
}

fn note(reader: &mut Reader, id: &ObjectId) -> Result<Option<Vec<u8>>, objects::Error> {
    match reader.size(id)? {
        Some(len) if len <= MAX_NOTE_LEN => Ok(Some(reader.object(id)?.data.to_vec())),
        _ => Ok(None),
    }
}
