//! Recursive comparison and listing of trees.

use std::{
    cmp::Ordering,
    ops::{ControlFlow, Range},
    sync::Arc,
};

use bstr::{BStr, BString, ByteSlice};
use gix_hash::{Kind, ObjectId};

use crate::{
    objects::{
        error::{Error, Reason},
        file_checksum,
        formats::tree::{UsualEntry, entries, usual_entry},
        store::reader::Reader,
        types::{ObjectKind, TreeChange, TreeEntry},
    },
    text::common_prefix::common_prefix_len,
};

/// Maximum directory depth, against malicious repositories: git's, unless `core.maxTreeDepth`
/// changes it.
const MAX_DEPTH: usize = 2048;

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
        self.compare(old, new, EntryOrder::Any, &mut |_| true, &mut owned(visit))
    }

    /// As [`diff_trees`](Self::diff_trees), only in the directories that `enters` says, which gets
    /// their paths with a slash at the end.
    ///
    /// # Errors
    ///
    /// As there.
    pub(crate) fn diff_trees_within(
        &mut self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        enters: &mut dyn FnMut(&BStr) -> bool,
        visit: &mut dyn FnMut(TreeChange),
    ) -> Result<(), Error> {
        self.compare(old, new, EntryOrder::Any, enters, &mut owned(visit))
    }

    /// As [`diff_trees`](Self::diff_trees), in trees whose entries are such that
    /// [`find_path`](Self::find_path) finds the same: sorted, with one entry for each name and no
    /// slashes in names.
    ///
    /// # Errors
    ///
    /// As there, and if a tree that differs has other entries.
    pub fn diff_sorted_trees(
        &mut self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        visit: &mut dyn FnMut(TreeChange),
    ) -> Result<(), Error> {
        self.compare(
            old,
            new,
            EntryOrder::Sorted,
            &mut |_| true,
            &mut owned(visit),
        )
    }

    /// As [`diff_sorted_trees`](Self::diff_sorted_trees), only in the directories that `enters`
    /// says, which gets their paths with a slash at the end. `visit` gets a path, and its entries in
    /// `old` and in `new`.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn diff_sorted_trees_within(
        &mut self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        enters: &mut dyn FnMut(&BStr) -> bool,
        visit: &mut VisitChange<'_>,
    ) -> Result<(), Error> {
        self.compare(old, new, EntryOrder::Sorted, enters, visit)
    }

    /// Reports the paths of the tree `root` that are not directories, each directory after what is
    /// beside it, and the directories below it that cannot be read. Ends once `visit` has returned
    /// `Break`.
    ///
    /// # Errors
    ///
    /// The tree itself is missing or damaged, or directories are too deep.
    pub fn list_tree(
        &mut self,
        root: ObjectId,
        visit: &mut dyn FnMut(BString, ListedEntry) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let mut below = Vec::new();
        let mut todo = vec![(BString::default(), TreeEntry { mode: 0, id: root }, 0)];
        while let Some((mut path, directory, depth)) = todo.pop() {
            let read = self.listed_tree_bytes(&directory.id);
            let read = read.and_then(|bytes| self.entries_of(&directory.id, &bytes));
            let entries = match read {
                Ok(entries) => entries,
                Err(error) if depth == 0 => return Err(error),
                Err(error) => {
                    let unreadable = ListedEntry::Unreadable(directory, error);
                    if visit(path, unreadable).is_break() {
                        return Ok(());
                    }
                    continue;
                }
            };
            if depth > 0 {
                path.push(b'/');
            }
            for (name, entry) in entries {
                let mut path = path.clone();
                path.extend_from_slice(&name);
                if !entry.is_tree() {
                    if visit(path, ListedEntry::Entry(entry)).is_break() {
                        return Ok(());
                    }
                } else if depth < MAX_DEPTH {
                    below.push((path, entry, depth + 1));
                } else {
                    return Err(Error::TooDeep);
                }
            }
            // The first is taken first.
            todo.extend(below.drain(..).rev());
        }
        Ok(())
    }

    /// All entries of a tree with these bytes.
    fn entries_of(&self, id: &ObjectId, bytes: &[u8]) -> Result<Vec<(BString, TreeEntry)>, Error> {
        let listed = entries(bytes, self.hash()).map(|entry| {
            let entry = entry.map_err(|reason| Error::object(id, reason))?;
            Ok((entry.name.into(), entry.entry()))
        });
        listed.collect()
    }

    /// Goes down without recursion: a hostile tree is as deep as it likes, and stacks of threads
    /// are small.
    fn compare(
        &mut self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        entry_order: EntryOrder,
        enters: &mut dyn FnMut(&BStr) -> bool,
        visit: &mut VisitChange<'_>,
    ) -> Result<(), Error> {
        if old == new {
            return Ok(());
        }
        let mut path = BString::default();
        let mut above: Vec<TreePair> = Vec::new();
        let mut pair = self.pair(old, new, entry_order, 0)?;
        loop {
            pair.skip_equal()?;
            let order = match (&pair.olds.head, &pair.news.head) {
                (None, None) => match above.pop() {
                    None => return Ok(()),
                    Some(outer) => {
                        pair = outer;
                        continue;
                    }
                },
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => pair.olds.name(a).compare(&pair.news.name(b)),
            };
            let a = if order.is_le() {
                pair.olds.take()?
            } else {
                None
            };
            let b = if order.is_ge() {
                pair.news.take()?
            } else {
                None
            };
            let (a_entry, b_entry) = (a.as_ref().map(|a| a.entry), b.as_ref().map(|b| b.entry));
            if a_entry == b_entry {
                continue;
            }
            path.truncate(pair.path_len);
            match (&a, &b) {
                (Some(a), _) => path.extend_from_slice(pair.olds.name(a).name),
                (None, Some(b)) => path.extend_from_slice(pair.news.name(b).name),
                (None, None) => continue,
            }
            if a_entry.or(b_entry).is_some_and(|entry| entry.is_tree()) {
                let (a_id, b_id) = (a_entry.map(|a| a.id), b_entry.map(|b| b.id));
                path.push(b'/');
                if a_id != b_id && enters(path.as_bstr()) {
                    if above.len() >= MAX_DEPTH {
                        return Err(Error::TooDeep);
                    }
                    let inner = self.pair(a_id, b_id, entry_order, path.len())?;
                    above.push(std::mem::replace(&mut pair, inner));
                }
            } else {
                visit(&path, a_entry, b_entry);
            }
        }
    }

    fn pair(
        &mut self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        order: EntryOrder,
        path_len: usize,
    ) -> Result<TreePair, Error> {
        let hash = self.hash();
        Ok(TreePair {
            olds: TreeCursor::new(old, self.tree_bytes(old)?, hash, order)?,
            news: TreeCursor::new(new, self.tree_bytes(new)?, hash, order)?,
            equal_until: (0, 0),
            path_len,
        })
    }

    /// The bytes of a tree whose files are listed. It is compared with its id, as git does when it
    /// lists a tree: another tree in its place would have files that nobody asked for.
    fn listed_tree_bytes(&mut self, id: &ObjectId) -> Result<Arc<[u8]>, Error> {
        let bytes = self.tree_bytes(Some(*id))?;
        if self.is_replaced(id) || file_checksum::is_object(id, ObjectKind::Tree, &bytes) {
            return Ok(bytes);
        }
        let error = Error::object(id, "another object is in its place");
        self.doubt_place(&error);
        Err(error)
    }

    fn tree_bytes(&mut self, id: Option<ObjectId>) -> Result<Arc<[u8]>, Error> {
        match id {
            None => Ok(Arc::from([])),
            Some(id) => Ok(self.object_of_kind(&id, ObjectKind::Tree)?.data),
        }
    }
}

/// Gets a path that differs, and its entries in the old and in the new tree.
type VisitChange<'a> = dyn FnMut(&BString, Option<TreeEntry>, Option<TreeEntry>) + 'a;

/// Passes changes on with a path of their own.
fn owned(
    visit: &mut dyn FnMut(TreeChange),
) -> impl FnMut(&BString, Option<TreeEntry>, Option<TreeEntry>) {
    |path, old, new| {
        let path = path.to_owned();
        visit(TreeChange { path, old, new });
    }
}

/// What a list of the files of a tree has.
#[derive(Debug)]
pub enum ListedEntry {
    /// What is not a directory.
    Entry(TreeEntry),
    /// A directory that cannot be read, and why.
    Unreadable(TreeEntry, Error),
}

/// The rules for entries of trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryOrder {
    Any,
    /// Sorted, with one entry for each name and no slashes in names.
    Sorted,
}

/// Two trees that are compared, in the directory whose path is the first `path_len` bytes of the
/// path.
struct TreePair {
    olds: TreeCursor,
    news: TreeCursor,
    /// Where bytes that are equal in both trees end, if both cursors are as far from there.
    equal_until: (usize, usize),
    path_len: usize,
}

impl TreePair {
    /// Goes past entries that both trees have next, as most are equal: only their ends are looked
    /// for. Leaves those of which more has to be known to the comparison of single entries.
    ///
    /// # Errors
    ///
    /// What follows is not an entry.
    fn skip_equal(&mut self) -> Result<(), Error> {
        let (Some(old), Some(new)) = (&self.olds.head, &self.news.head) else {
            return Ok(());
        };
        let (old, new) = (old.start, new.start);
        let is_known = |(old_end, new_end): (usize, usize)| {
            old < old_end && old_end - old == new_end.wrapping_sub(new)
        };
        if !is_known(self.equal_until) {
            let equal = common_prefix_len(&self.olds.data[old..], &self.news.data[new..]);
            self.equal_until = (old + equal, new + equal);
        }
        let len = self.olds.len_to_skip(self.equal_until.0);
        if len > 0 {
            self.olds.skip(len)?;
            self.news.skip(len)?;
        }
        Ok(())
    }
}

/// A cursor over the entries of one of the two trees.
struct TreeCursor {
    id: Option<ObjectId>,
    data: Arc<[u8]>,
    /// Where the entry after the next one starts.
    at: usize,
    hash: Kind,
    order: EntryOrder,
    /// The next entry.
    head: Option<CursorEntry>,
    /// Files whose names the next entry's name begins with, if the order matters: a directory of
    /// the same name may follow.
    prefixes: Vec<Range<usize>>,
}

/// An entry of a cursor's tree.
struct CursorEntry {
    /// Where it starts in the tree's bytes.
    start: usize,
    entry: TreeEntry,
    /// Its name in the tree's bytes.
    name: Range<usize>,
}

impl TreeCursor {
    fn new(
        id: Option<ObjectId>,
        data: Arc<[u8]>,
        hash: Kind,
        order: EntryOrder,
    ) -> Result<TreeCursor, Error> {
        let mut cursor = TreeCursor {
            id,
            data,
            at: 0,
            hash,
            order,
            head: None,
            prefixes: Vec::new(),
        };
        cursor.take()?;
        Ok(cursor)
    }

    fn name(&self, entry: &CursorEntry) -> EntryName<'_> {
        EntryName {
            name: &self.data[entry.name.clone()],
            is_tree: entry.entry.is_tree(),
        }
    }

    /// Returns the next entry and advances.
    fn take(&mut self) -> Result<Option<CursorEntry>, Error> {
        let mut rest = entries(&self.data[self.at..], self.hash);
        let next = match rest.next() {
            None => None,
            Some(Err(reason)) => return Err(self.corrupt(reason)),
            Some(Ok(found)) => {
                let (entry, len) = (found.entry(), found.name.len());
                let start = self.at;
                self.at += rest.offset();
                let end = self.at - self.hash.len_in_bytes() - 1;
                let name = end - len..end;
                Some(CursorEntry { start, entry, name })
            }
        };
        if let (EntryOrder::Sorted, Some(next)) = (self.order, &next) {
            self.check_order(next)?;
        }
        Ok(std::mem::replace(&mut self.head, next))
    }

    /// The length of the entries from the next one on that can be left out, as both trees have them
    /// before `end`, they have the usual modes, and they change nothing of what is found out about
    /// the order. The last entry of that kind is not among them: it is compared with the one that
    /// follows it.
    fn len_to_skip(&self, end: usize) -> usize {
        let Some(head) = &self.head else {
            return 0;
        };
        let is_sorted = self.order == EntryOrder::Sorted;
        if is_sorted && self.prefixes.iter().any(|prefix| *prefix != head.name) {
            return 0;
        }
        let data = &self.data[head.start..end];
        let mut before = None;
        let (mut last, mut at) = (0, 0);
        while let Some(entry) = usual_entry(&data[at..], self.hash)
            && (!is_sorted || before.is_none_or(|it: UsualEntry<'_>| it.is_plainly_before(&entry)))
        {
            (last, at) = (at, at + entry.len);
            before = Some(entry);
        }
        last
    }

    /// Leaves out `len` bytes of [entries](Self::len_to_skip).
    fn skip(&mut self, len: usize) -> Result<(), Error> {
        if let Some(head) = self.head.take() {
            self.at = head.start + len;
        }
        self.prefixes.clear();
        self.take().map(drop)
    }

    /// An error if `next` may not follow the entries before it.
    fn check_order(&mut self, next: &CursorEntry) -> Result<(), Error> {
        let before = self.head.as_ref();
        let follows = before
            .is_none_or(|before| self.name(before).compare(&self.name(next)) == Ordering::Less);
        let name = &self.data[next.name.clone()];
        while let Some(prefix) = self.prefixes.last()
            && !name.starts_with(&self.data[prefix.clone()])
        {
            self.prefixes.pop();
        }
        let is_again = self
            .prefixes
            .last()
            .is_some_and(|it| it.len() == name.len());
        if !follows || is_again || name.contains(&b'/') {
            return Err(self.corrupt("its entries are not sorted"));
        }
        if !next.entry.is_tree() {
            self.prefixes.push(next.name.clone());
        }
        Ok(())
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

/// The key by which entries are sorted.
struct EntryName<'a> {
    name: &'a [u8],
    is_tree: bool,
}

impl EntryName<'_> {
    /// Tree order: by name, with a slash appended to the names of directories. A file and a
    /// directory of the same name are not equal.
    fn compare(&self, other: &EntryName<'_>) -> Ordering {
        let common = self.name.len().min(other.name.len());
        self.name[..common]
            .cmp(&other.name[..common])
            .then_with(|| {
                let end = |entry: &EntryName<'_>| match entry.name.get(common) {
                    Some(&byte) => Some(byte),
                    None => entry.is_tree.then_some(b'/'),
                };
                end(self)
                    .cmp(&end(other))
                    .then_with(|| self.name.len().cmp(&other.name.len()))
            })
    }
}
