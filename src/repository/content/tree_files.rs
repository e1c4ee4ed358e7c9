//! The files of a commit, recursively.

use std::ops::ControlFlow;

use bstr::{BString, ByteVec};

use crate::objects::{self, HashKind, ObjectId, Reader, formats::tree};

/// Deepest nesting of directories that is listed.
const MAX_DEPTH: usize = 200;

/// A thing that is left to list.
enum Pending {
    File,
    Directory { id: ObjectId, depth: usize },
}

/// Passes the paths of all files and symbolic links below the tree `root` to `found`, in git's
/// order. Submodules are left out.
///
/// # Errors
///
/// If a tree is missing or damaged.
pub(crate) fn list(
    reader: &mut Reader,
    hash: HashKind,
    root: &ObjectId,
    mut found: impl FnMut(BString) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, objects::Error> {
    let root = Pending::Directory {
        id: *root,
        depth: 0,
    };
    let mut stack = vec![(BString::default(), root)];
    while let Some((path, pending)) = stack.pop() {
        let (id, depth) = match pending {
            Pending::Directory { id, depth } => (id, depth),
            Pending::File if found(path).is_break() => return Ok(ControlFlow::Break(())),
            Pending::File => continue,
        };
        let object = reader.object(&id)?;
        let first = stack.len();
        for entry in tree::entries(&object.data, hash) {
            let entry = entry.map_err(|reason| objects::Error::object(&id, reason))?;
            let mut path = path.clone();
            if !path.is_empty() {
                path.push(b'/');
            }
            path.push_str(entry.name);
            let what = entry.entry();
            if what.is_tree() && depth < MAX_DEPTH {
                let depth = depth + 1;
                stack.push((path, Pending::Directory { id: what.id, depth }));
            } else if what.is_regular() || what.is_link() {
                stack.push((path, Pending::File));
            }
        }
        stack[first..].reverse();
    }
    Ok(ControlFlow::Continue(()))
}
