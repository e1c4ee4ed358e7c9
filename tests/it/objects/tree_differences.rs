//! Differences of trees as git has never written them, against a comparison of all entries one by
//! one.

use std::{cmp::Ordering, sync::Arc};

use bstr::BString;
use gix_hash::{Kind, ObjectId};
use tblame::internals::objects::{Reader, Store, StoreOptions, TreeChange, TreeEntry};

use crate::harness::{
    odd_objects::{Entry, OddObjects},
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// Mode and id, as they are read.
fn read(entry: &Entry) -> TreeEntry {
    let mode = str::from_utf8(&entry.mode).expect("it is ASCII");
    TreeEntry {
        mode: u32::from_str_radix(mode, 8).expect("it is octal"),
        id: entry.id,
    }
}

fn is_tree(entry: &Entry) -> bool {
    read(entry).is_tree()
}

/// A path, and its entries in both trees.
type Difference = (BString, Option<TreeEntry>, Option<TreeEntry>);

const NAMES: [&str; 17] = [
    "a",
    "a-b",
    "a.c",
    "a0",
    "ab",
    "b",
    "b.",
    "c",
    "dir",
    "dir.d",
    "dir0",
    "e",
    "long-name-that-is-equal-1",
    "long-name-that-is-equal-2",
    "z",
    "x/y",
    "\u{e9}",
];
const MODES: [&str; 9] = [
    "100644", "100644", "100644", "40000", "40000", "100755", "120000", "160000", "0100644",
];

/// Trees of a repository, with what they contain.
struct Trees<'a> {
    objects: OddObjects<'a>,
    kind: Kind,
    all: Vec<(ObjectId, Vec<Entry>)>,
    /// Those without subtrees, and those with only such.
    shallow: Vec<ObjectId>,
}

impl Trees<'_> {
    fn write(&mut self, entries: Vec<Entry>) {
        let id = self.objects.tree(&entries);
        if self.all.iter().any(|(known, _)| *known == id) {
            return;
        }
        let is_leaf = |id: &ObjectId| !self.entries(Some(*id)).iter().any(is_tree);
        let mut subtrees = entries.iter().filter(|it| is_tree(it));
        if subtrees.all(|it| is_leaf(&it.id)) {
            self.shallow.push(id);
        }
        self.all.push((id, entries));
    }

    fn entries(&self, id: Option<ObjectId>) -> &[Entry] {
        let Some(id) = id else {
            return &[];
        };
        let found = self.all.iter().find(|(known, _)| *known == id);
        &found.expect("only these are written").1
    }

    fn random_id(&self, rng: &mut Rng, mode: &[u8]) -> ObjectId {
        if mode.ends_with(b"40000") {
            return *rng.pick(&self.shallow);
        }
        // Blobs are not looked at.
        let byte = 1 + rng.below(3) as u8;
        let bytes = vec![byte; self.kind.len_in_bytes()];
        ObjectId::try_from(bytes.as_slice()).expect("it has the length")
    }

    fn random_entry(&self, rng: &mut Rng) -> Entry {
        let modes = if self.shallow.is_empty() {
            &MODES[..3]
        } else {
            &MODES[..]
        };
        let mode = rng.pick(modes).as_bytes();
        let name = rng.pick(&NAMES).as_bytes();
        Entry::new(mode, name, self.random_id(rng, mode))
    }

    /// A new tree, or one that differs a little from another.
    fn grow(&mut self, rng: &mut Rng) {
        let mut entries = if self.all.is_empty() || rng.chance(20) {
            (0..rng.below(14)).map(|_| self.random_entry(rng)).collect()
        } else {
            self.all[rng.below(self.all.len())].1.clone()
        };
        for _ in 0..rng.below(3) {
            let at = rng.below(entries.len() + 1);
            match rng.below(4) {
                0 => entries.insert(at, self.random_entry(rng)),
                1 if at < entries.len() => drop(entries.remove(at)),
                2 if at < entries.len() => entries[at].id = self.random_id(rng, &entries[at].mode),
                3 if at < entries.len() => entries[at] = self.random_entry(rng),
                _ => {}
            }
        }
        // Most trees are in order.
        if rng.chance(70) {
            entries.sort_by_key(Entry::sort_key);
            entries.dedup_by(|one, other| one.name == other.name);
        }
        self.write(entries);
    }

    /// Every entry of both trees, one after the other.
    fn differences(
        &self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        prefix: &[u8],
        changes: &mut Vec<Difference>,
    ) {
        if old == new {
            return;
        }
        let (olds, news) = (self.entries(old), self.entries(new));
        let (mut at_old, mut at_new) = (0, 0);
        while at_old < olds.len() || at_new < news.len() {
            let order = match (olds.get(at_old), news.get(at_new)) {
                (Some(_), None) => Ordering::Less,
                (None, _) => Ordering::Greater,
                (Some(a), Some(b)) => a
                    .sort_key()
                    .cmp(&b.sort_key())
                    .then_with(|| a.name.len().cmp(&b.name.len())),
            };
            let a = order.is_le().then(|| &olds[at_old]);
            let b = order.is_ge().then(|| &news[at_new]);
            at_old += usize::from(a.is_some());
            at_new += usize::from(b.is_some());
            let entries = (a.map(read), b.map(read));
            if entries.0 == entries.1 {
                continue;
            }
            let named = a.or(b).expect("one of them is next");
            let path = [prefix, named.name.as_slice()].concat();
            if is_tree(named) {
                let inner = [path.as_slice(), b"/"].concat();
                let ids = (entries.0.map(|it| it.id), entries.1.map(|it| it.id));
                self.differences(ids.0, ids.1, &inner, changes);
            } else {
                changes.push((path.into(), entries.0, entries.1));
            }
        }
    }

    /// True if every name of a tree can be found by searching in order.
    fn is_in_order(entries: &[Entry]) -> bool {
        let keys: Vec<_> = entries.iter().map(Entry::sort_key).collect();
        let mut names: Vec<_> = entries.iter().map(|it| &it.name).collect();
        names.sort();
        keys.is_sorted()
            && names.windows(2).all(|pair| pair[0] != pair[1])
            && !names.iter().any(|name| name.contains(&b'/'))
    }

    /// True if each tree that a comparison reads is in order.
    fn all_in_order(&self, old: Option<ObjectId>, new: Option<ObjectId>) -> bool {
        if old == new {
            return true;
        }
        let (olds, news) = (self.entries(old), self.entries(new));
        let both = [olds, news];
        both.iter().all(|entries| Self::is_in_order(entries))
            && olds.iter().chain(news).filter(|it| is_tree(it)).all(|it| {
                let of = |entries: &[Entry]| {
                    let found = entries
                        .iter()
                        .find(|other| is_tree(other) && other.name == it.name);
                    found.map(|it| it.id)
                };
                self.all_in_order(of(olds), of(news))
            })
    }
}

fn found(compare: impl FnOnce(&mut dyn FnMut(TreeChange)) -> bool) -> Option<Vec<Difference>> {
    let mut changes = Vec::new();
    let mut visit = |change: TreeChange| changes.push((change.path, change.old, change.new));
    compare(&mut visit).then_some(changes)
}

#[test]
fn odd_trees_differ_as_their_entries_do() {
    let (mut compared, mut with_changes, mut unsorted) = (0, 0, 0);
    let formats = [
        (ObjectFormat::Sha1, Kind::Sha1),
        (ObjectFormat::Sha256, Kind::Sha256),
    ];
    for (seed, (format, kind)) in formats.into_iter().enumerate() {
        let repository = TestRepo::new(format);
        let mut rng = Rng::new(seed as u64);
        let mut trees = Trees {
            objects: OddObjects::with_hash(&repository, kind),
            kind,
            all: Vec::new(),
            shallow: Vec::new(),
        };
        for _ in 0..80 {
            trees.grow(&mut rng);
        }
        let objects = repository.root().join(".git/objects");
        let store = Store::open(&objects, kind, StoreOptions::default());
        let mut reader: Reader = Arc::new(store.expect("it can be opened")).reader();
        let ids: Vec<_> = trees
            .all
            .iter()
            .map(|(id, _)| Some(*id))
            .chain([None])
            .collect();
        for (old, new) in ids
            .iter()
            .flat_map(|old| ids.iter().map(move |new| (*old, *new)))
        {
            let mut expected = Vec::new();
            trees.differences(old, new, b"", &mut expected);
            let any = found(|visit| reader.diff_trees(old, new, visit).is_ok());
            assert_eq!(any.as_ref(), Some(&expected), "{old:?} {new:?}");
            let sorted = found(|visit| reader.diff_sorted_trees(old, new, visit).is_ok());
            let is_sorted = trees.all_in_order(old, new);
            assert_eq!(sorted.is_some(), is_sorted, "{old:?} {new:?}");
            assert!(sorted.is_none_or(|sorted| sorted == expected));
            compared += 1;
            with_changes += usize::from(!expected.is_empty());
            unsorted += usize::from(!is_sorted);
        }
    }
    assert!(compared > 5_000, "{compared}");
    assert!(
        with_changes > 4_000 && unsorted > 1_000,
        "{with_changes} {unsorted}"
    );
}
