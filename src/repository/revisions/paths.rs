//! Paths in revisions: `REV:path`, and entries of the index as in `:path` and `:2:path`
//! (gitrevisions(7)).

use bstr::{BStr, BString, ByteSlice};

use crate::{
    error::{Error, Result},
    objects::{ObjectId, ObjectKind},
    repository::{
        open::index_file::read_index,
        revisions::{
            peel::{damaged, peel_with_kind},
            resolver::RevisionResolver,
        },
    },
};

impl RevisionResolver<'_> {
    /// The object at `path` in the tree that `id` leads to.
    ///
    /// # Errors
    ///
    /// Where git ends.
    pub(super) fn in_tree(&mut self, id: ObjectId, path: &BStr) -> Result<Option<ObjectId>> {
        let path = self.path_from_root(path)?;
        let Some(tree) = self.tree_of(id) else {
            return Ok(None);
        };
        if path.is_empty() {
            return Ok(Some(tree));
        }
        let (name, is_directory) = match path.strip_suffix(b"/") {
            Some(name) => (name, true),
            None => (path.as_bytes(), false),
        };
        let entry = match self.reader.find_path(tree, name, None) {
            Ok(found) => found.map(|found| found.entry),
            Err(err) if err.ends_lookups() => return Err(damaged(err)),
            Err(_) => None,
        };
        let entry = entry.filter(|entry| entry.is_tree() || !is_directory);
        Ok(entry.map(|entry| entry.id))
    }

    fn tree_of(&mut self, id: ObjectId) -> Option<ObjectId> {
        let (id, kind) = peel_with_kind(&mut self.reader, id).ok()?;
        match kind? {
            ObjectKind::Tree => Some(id),
            ObjectKind::Commit => Some(self.reader.commit_head(&id).ok()?.tree),
            ObjectKind::Blob | ObjectKind::Tag => None,
        }
    }

    /// The object of the entry of the index that `name` means: a colon, the number of a stage and
    /// another colon if it is not 0, and a path.
    ///
    /// # Errors
    ///
    /// Where git ends.
    pub(super) fn in_index(&mut self, name: &BStr) -> Result<Option<ObjectId>> {
        let (stage, path) = match name.as_bytes() {
            [b':', stage @ b'0'..=b'3', b':', path @ ..] => (stage - b'0', path),
            [_, path @ ..] => (0, path),
            [] => return Ok(None),
        };
        let path = self.path_from_root(path.as_bstr())?;
        let index = read_index(self.repository.layout())?;
        let mut entries = index.entries().iter();
        let found = entries.find(|entry| {
            entry.stage_raw() == u32::from(stage) && entry.path(&index) == path.as_bstr()
        });
        Ok(found.map(|entry| entry.id))
    }

    /// A path starts at the root of the tree, or with `./` or `../` where the program was started.
    fn path_from_root(&self, path: &BStr) -> Result<BString> {
        if !path.starts_with(b"./") && !path.starts_with(b"../") {
            return Ok(path.to_owned());
        }
        match self.repository.paths().work_tree {
            Some(_) => self.repository.paths().resolve(path),
            None => Err(Error::fatal(
                "relative path syntax can't be used outside working tree",
            )),
        }
    }
}
