//! Fetching many missing objects of a partial clone at once.
//!
//! A missing object is fetched when it is read, one at a time, as in git. Who knows which ones it
//! will read asks for them here before. What cannot be had is no error here, but when it is read.

use std::{collections::HashMap, sync::Arc};

use bstr::BString;
use gix_hash::{ObjectId, oid};
use rustc_hash::FxHashSet;

use crate::objects::{
    formats::tree::entries,
    store::{object_store::FetchedTrees, reader::Reader},
    types::ObjectKind,
};

impl Reader {
    /// True if missing objects are fetched: false without a promisor remote.
    pub(crate) fn can_fetch(&self) -> bool {
        self.fetches && self.store.options.promisor.is_some()
    }

    /// Changes whether missing objects are fetched. One that is not is an error, as when it cannot
    /// be had.
    pub fn set_fetching(&mut self, fetches: bool) {
        self.fetches = fetches;
    }

    /// True if the object is neither in a pack that is known nor loose. A replaced one counts as
    /// present.
    pub(crate) fn lacks(&mut self, id: &oid) -> bool {
        let is_present = self.store.options.replacements.contains_key(id)
            || self.find_in_packs(id).is_some()
            || self.is_loose(id);
        !is_present
    }

    /// The first of the trees along `path` in the tree `root`, or else the file, that is missing.
    pub(crate) fn missing_on_path(&mut self, root: ObjectId, path: &[u8]) -> Option<ObjectId> {
        let mut id = root;
        for name in path.split(|&byte| byte == b'/') {
            if self.lacks(&id) {
                return Some(id);
            }
            id = self.find_entry(&id, name).ok()??.id;
        }
        self.lacks(&id).then_some(id)
    }

    /// Fetches objects in one request; returns false if that fails.
    pub(crate) fn fetch_all(&mut self, ids: &[ObjectId], trees: FetchedTrees) -> bool {
        let store = Arc::clone(&self.store);
        let Some(promisor) = store.options.promisor.as_ref().filter(|_| self.fetches) else {
            return false;
        };
        let _one_at_a_time = store.fetching();
        let is_fetched = promisor.fetch(ids, trees);
        if let Some(packs) = store.rescan(&self.packs) {
            self.packs = packs;
        }
        is_fetched
    }

    /// Fetches those of `ids` that are missing, if they are several.
    pub(crate) fn fetch_missing<'i>(&mut self, ids: impl Iterator<Item = &'i ObjectId>) {
        if !self.can_fetch() {
            return;
        }
        let missing: FxHashSet<ObjectId> = ids.filter(|id| self.lacks(id)).copied().collect();
        if missing.len() > 1 {
            self.fetch_all(&Vec::from_iter(missing), FetchedTrees::Whole);
        }
    }

    /// Fetches what is missing to compare the tree `old` with `new`, or to list it.
    pub(crate) fn fetch_differing_trees(&mut self, old: ObjectId, new: Option<ObjectId>) {
        if !self.can_fetch() {
            return;
        }
        let mut pairs = vec![[Some(old), new]];
        // The same directory may be in many places.
        let mut seen = FxHashSet::default();
        while !pairs.is_empty() {
            self.fetch_missing(pairs.iter().flatten().flatten());
            for pair in std::mem::take(&mut pairs) {
                let [olds, mut news] = pair.map(|id| self.subtrees(id));
                let of_olds = olds.into_iter().map(|(name, id)| {
                    let new = news.remove(&name);
                    [Some(id), new]
                });
                let of_olds: Vec<_> = of_olds.collect();
                let of_news = news.into_values().map(|id| [None, Some(id)]);
                let below = of_olds.into_iter().chain(of_news);
                pairs.extend(below.filter(|pair| pair[0] != pair[1] && seen.insert(*pair)));
            }
        }
    }

    /// The trees in a tree, by name; none if it cannot be read.
    fn subtrees(&mut self, id: Option<ObjectId>) -> HashMap<BString, ObjectId> {
        let tree = id.and_then(|id| self.object_of_kind(&id, ObjectKind::Tree).ok());
        let Some(tree) = tree else {
            return HashMap::new();
        };
        let found = entries(&tree.data, self.hash()).map_while(Result::ok);
        let trees = found.filter(|found| found.entry().is_tree());
        trees
            .map(|found| (BString::from(found.name), found.entry().id))
            .collect()
    }
}
