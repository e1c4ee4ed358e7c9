//! Recursive comparison and listing of trees.

use std::cmp::Ordering;
use std::sync::Arc;

use bstr::BString;
use gix_hash::{Kind, ObjectId};

use crate::objects::{
    error::{Error, Reason},
    formats::tree::{TreeEntries, TreeEntryRef, entries},
    store::reader::Reader,
    types::{ObjectKind, TreeChange, TreeEntry},
};

/// Maximum directory depth, against malicious repositories.
const MAX_DEPTH: usize = 4096;

impl Reader {
    /// Reports the paths that differ between the trees `old` and `new` (`None`: the empty tree), in
    /// byte order of the full path. A file that became a directory, or the reverse, is reported as
    /// separate deletions and additions.
    ///
    /// # Errors
    ///
    /// A tree is missing or damaged. Changes may have been reported before.
    pub fn diff_trees(
        &mut self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        visit: &mut dyn FnMut(TreeChange),
    ) -> Result<(), Error> {
        if old == new {
            return Ok(());
        }
        let mut path = BString::default();
        self.compare(old, new, &mut path, 0, visit)
    }

    /// Reports the paths of the tree `root` that are not directories, in byte order.
    ///
    /// # Errors
    ///
    /// A tree is missing or damaged. Paths may have been reported before.
    pub fn list_tree(
        &mut self,
        root: ObjectId,
        visit: &mut dyn FnMut(BString, TreeEntry),
    ) -> Result<(), Error> {
        self.diff_trees(None, Some(root), &mut |change| {
            if let Some(entry) = change.new {
                visit(change.path, entry);
            }
        })
    }

    fn compare(
        &mut self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        path: &mut BString,
        depth: usize,
        visit: &mut dyn FnMut(TreeChange),
    ) -> Result<(), Error> {
        if depth > MAX_DEPTH {
            let id = new.or(old).unwrap_or_else(|| ObjectId::null(self.hash()));
            return Err(Error::object(&id, "directories are nested too deeply"));
        }
        let (old_data, new_data) = (self.tree_bytes(old)?, self.tree_bytes(new)?);
        let hash = self.hash();
        let mut olds = TreeCursor::new(old, &old_data, hash)?;
        let mut news = TreeCursor::new(new, &new_data, hash)?;
        loop {
            let order = match (&olds.head, &news.head) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => compare_names(a, b),
            };
            let a = if order.is_le() { olds.take()? } else { None };
            let b = if order.is_ge() { news.take()? } else { None };
            let (a_entry, b_entry) = (a.map(|a| a.entry()), b.map(|b| b.entry()));
            if a_entry == b_entry {
                continue;
            }
            let Some(name) = a.or(b).map(|entry| entry.name) else {
                continue;
            };
            let len = path.len();
            path.extend_from_slice(name);
            if a_entry.or(b_entry).is_some_and(|entry| entry.is_tree()) {
                let (a_id, b_id) = (a_entry.map(|a| a.id), b_entry.map(|b| b.id));
                if a_id != b_id {
                    path.push(b'/');
                    self.compare(a_id, b_id, path, depth + 1, visit)?;
                }
            } else {
                visit(TreeChange {
                    path: path.clone(),
                    old: a_entry,
                    new: b_entry,
                });
            }
            path.truncate(len);
        }
    }

    fn tree_bytes(&mut self, id: Option<ObjectId>) -> Result<Arc<[u8]>, Error> {
        match id {
            None => Ok(Arc::from([])),
            Some(id) => Ok(self.object_of_kind(&id, ObjectKind::Tree)?.data),
        }
    }
}

/// A cursor over the entries of one of the two trees.
struct TreeCursor<'a> {
    id: Option<ObjectId>,
    entries: TreeEntries<'a>,
    /// The next entry.
    head: Option<TreeEntryRef<'a>>,
}

impl<'a> TreeCursor<'a> {
    fn new(id: Option<ObjectId>, data: &'a [u8], hash: Kind) -> Result<TreeCursor<'a>, Error> {
        let mut cursor = TreeCursor {
            id,
            entries: entries(data, hash),
            head: None,
        };
        cursor.take()?;
        Ok(cursor)
    }

    /// Returns the next entry and advances.
    fn take(&mut self) -> Result<Option<TreeEntryRef<'a>>, Error> {
        let next = self
            .entries
            .next()
            .transpose()
            .map_err(|reason| self.corrupt(reason))?;
        Ok(std::mem::replace(&mut self.head, next))
    }

    fn corrupt(&self, reason: Reason) -> Error {
        match self.id {
            Some(id) => Error::object(&id, reason),
            None => Error::Corrupt {
                what: "the empty tree".to_owned(),
                reason,
            },
        }
    }
}

/// Tree order: by name, with a slash appended to the names of directories. A file and a directory
/// of the same name are not equal.
fn compare_names(a: &TreeEntryRef<'_>, b: &TreeEntryRef<'_>) -> Ordering {
    let common = a.name.len().min(b.name.len());
    a.name[..common].cmp(&b.name[..common]).then_with(|| {
        let end = |entry: &TreeEntryRef<'_>| match entry.name.get(common) {
            Some(&byte) => Some(byte),
            None => entry.entry().is_tree().then_some(b'/'),
        };
        end(a)
            .cmp(&end(b))
            .then_with(|| a.name.len().cmp(&b.name.len()))
    })
}
