//! The file before a commit, in each of its parents.

use std::sync::Arc;

use bstr::BString;

use crate::{
    engine::{
        api::error::Error,
        file_history::version_visitor::place,
        walk::{
            parents::ParentFile,
            state::{Interrupt, Walk},
        },
    },
    objects::ObjectId,
};

/// Makes the lookups of a first parent those of any other one, which leave the suspect as it is.
const ANY_PARENT: usize = 1;

/// A parent with the file's path there.
pub type FileInParent = (ObjectId, Arc<BString>);

/// The parents that have the requested file, in their order, with its paths there.
pub(crate) fn find(mut walk: Walk<'_>) -> Result<Vec<FileInParent>, Error> {
    let found = in_parents(&mut walk);
    let (mut files, followed) = match found {
        Ok(files) => (files, Ok(())),
        Err(interrupt) => (Vec::new(), Err(interrupt)),
    };
    if walk.end_history(followed, false)?.stopped {
        files.clear();
    }
    Ok(files)
}

fn in_parents(walk: &mut Walk<'_>) -> Result<Vec<FileInParent>, Interrupt> {
    let (suspect, _) = walk.final_image()?;
    let header = walk.header(walk.board.get(suspect).commit)?;
    let mut files = Vec::new();
    for parent in walk.parents_of(&header) {
        let file = walk.find_in_parent(suspect, &header, parent, ANY_PARENT)?;
        if let ParentFile::At(found) = file {
            files.push(place(walk, found));
        }
    }
    Ok(files)
}
