//! The files of a commit, recursively.

use std::ops::ControlFlow;

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::objects::{self, HashKind, ObjectId, Reader, TreeEntry, formats::tree};

/// Deepest nesting of directories that is listed.
const MAX_DEPTH: usize = 200;

/// Passes the paths and entries of all files and symbolic links below the tree `root` to `found`, in
/// git's order. Submodules are left out.
///
/// # Errors
///
/// If a tree is missing or damaged.
pub(crate) fn list(
    reader: &mut Reader,
    hash: HashKind,
    root: &ObjectId,
    mut found: impl FnMut(&BStr, TreeEntry) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, objects::Error> {
    let mut lister = TreeLister {
        reader,
        hash,
        path: BString::default(),
        found: &mut found,
    };
    lister.list(root, 0)
}

struct TreeLister<'a> {
    reader: &'a mut Reader,
    hash: HashKind,
    /// That of the directory, with a slash at its end; empty for the root.
    path: BString,
    found: &'a mut dyn FnMut(&BStr, TreeEntry) -> ControlFlow<()>,
}

impl TreeLister<'_> {
    fn list(&mut self, id: &ObjectId, depth: usize) -> Result<ControlFlow<()>, objects::Error> {
        let object = self.reader.object(id)?;
        let len = self.path.len();
        for entry in tree::entries(&object.data, self.hash) {
            let entry = entry.map_err(|reason| objects::Error::object(id, reason))?;
            self.path.push_str(entry.name);
            let what = entry.entry();
            let flow = if what.is_tree() && depth < MAX_DEPTH {
                self.path.push(b'/');
                self.list(&what.id, depth + 1)?
            } else if what.is_regular() || what.is_link() {
                (self.found)(self.path.as_bstr(), what)
            } else {
                ControlFlow::Continue(())
            };
            if flow.is_break() {
                return Ok(flow);
            }
            self.path.truncate(len);
        }
        Ok(ControlFlow::Continue(()))
    }
}
