//! Looking a path up in a tree.

use gix_hash::ObjectId;

use super::error::Error;
use super::reader::Reader;
use super::tree;
use super::types::{ObjectKind, PathChain, TreeEntry};

impl Reader {
    /// Look `path` (slash separated) up from the tree `root`, or `None` if it is not there.
    ///
    /// `known` is the answer for the same path in another commit, usually a neighbour: where both
    /// pass through the same tree, the rest of the answer is the same too.
    ///
    /// # Errors
    ///
    /// When a tree on the way is missing or damaged.
    pub fn find_path(
        &mut self,
        root: ObjectId,
        path: &[u8],
        known: Option<&PathChain>,
    ) -> Result<Option<PathChain>, Error> {
        let mut trees = Vec::with_capacity(known.map_or(4, |known| known.trees.len()));
        let mut tree = root;
        let mut names = path.split(|&byte| byte == b'/');
        let mut name = names.next().unwrap_or_default();
        loop {
            if let Some(known) = known
                && known.trees.get(trees.len()) == Some(&tree)
            {
                trees.extend_from_slice(&known.trees[trees.len()..]);
                return Ok(Some(PathChain {
                    trees,
                    entry: known.entry,
                }));
            }
            trees.push(tree);
            let Some(entry) = self.find_entry(tree, name)? else {
                return Ok(None);
            };
            match names.next() {
                None => return Ok(Some(PathChain { trees, entry })),
                Some(_) if !entry.is_tree() => return Ok(None),
                Some(next) => {
                    name = next;
                    tree = entry.id;
                }
            }
        }
    }

    fn find_entry(&mut self, tree: ObjectId, name: &[u8]) -> Result<Option<TreeEntry>, Error> {
        let object = self.object_of_kind(&tree, ObjectKind::Tree)?;
        tree::find(&object.data, self.hash(), name)
            .map(|found| found.map(|(_, entry)| entry))
            .map_err(|reason| Error::object(&tree, reason))
    }
}
