//! Where an object is: in which pack, loose, replaced by another one, or at a remote.

use std::sync::Arc;

use gix_hash::{ObjectId, oid};

use crate::objects::{
    error::Error,
    formats::loose,
    store::{
        object_store::FetchedTrees,
        reader::{ObjectLocation, Reader},
    },
    types::PackPosition,
};

/// Maximum length of a chain of replacements, as in git.
const MAX_REPLACEMENT_DEPTH: usize = 5;
/// How often the packs are listed again for an object that is not found while they change.
const MAX_RESCANS: usize = 10;

impl Reader {
    /// True if objects are replaced by others.
    pub fn has_replacements(&self) -> bool {
        !self.store.options.replacements.is_empty()
    }

    /// True if the object `id` is replaced by another.
    pub(crate) fn is_replaced(&self, id: &oid) -> bool {
        self.store.options.replacements.contains_key(id)
    }

    /// The object that takes the place of `id`; `None` if it is not replaced: copying its id would
    /// take 1 % of a blame.
    #[inline]
    pub(crate) fn replacement(&mut self, id: &oid) -> Result<Option<ObjectId>, Error> {
        let replacements = &self.store.options.replacements;
        if replacements.is_empty() || !replacements.contains_key(id) {
            Ok(None)
        } else {
            self.follow_replacements(id.to_owned()).map(Some)
        }
    }

    #[cold]
    fn follow_replacements(&mut self, requested: ObjectId) -> Result<ObjectId, Error> {
        let replacements = &self.store.options.replacements;
        let mut replacement = requested;
        let mut depth = 0;
        while let Some(next) = replacements.get(&replacement) {
            if depth == MAX_REPLACEMENT_DEPTH {
                return Err(Error::ReplaceDepth { id: requested });
            }
            replacement = *next;
            depth += 1;
        }
        // Of a broken reference.
        if replacement.is_null() {
            return Err(Error::Missing { id: requested });
        }
        match self.locate(&replacement)? {
            ObjectLocation::Missing => Err(Error::ReplacementMissing {
                id: requested,
                replacement,
            }),
            _ => Ok(replacement),
        }
    }

    /// Finds `id` in packs and loose objects, then in new packs, then by fetching it. Does not
    /// follow replacements.
    pub(crate) fn locate(&mut self, id: &oid) -> Result<ObjectLocation, Error> {
        if !self.store.is_careful() {
            match self.locate_by_indexes(id) {
                ObjectLocation::Missing => {
                    self.packs.check_opened()?;
                    if !self.packs.is_surely_without(id) {
                        let sign = "the ids of an index of a pack are not in order";
                        self.store.be_careful(sign.to_owned());
                    }
                }
                found => return Ok(found),
            }
        }
        if self.store.is_careful() && self.checked(id)?.is_some() {
            return Ok(ObjectLocation::ById);
        }
        let Some(promisor) = self.store.options.promisor.clone() else {
            return Ok(ObjectLocation::Missing);
        };
        if !self.fetches {
            return Err(Error::NotFetched { id: id.to_owned() });
        }
        let store = Arc::clone(&self.store);
        let _one_at_a_time = store.fetching();
        for fetched in [false, true] {
            if fetched && !promisor.fetch(&[id.to_owned()], FetchedTrees::Whole) {
                return Err(Error::NotFetched { id: id.to_owned() });
            }
            if store.is_careful() {
                if self.checked(id)?.is_some() {
                    return Ok(ObjectLocation::ById);
                }
                continue;
            }
            if let Some(at) = self.find_in_new_packs(id) {
                return Ok(ObjectLocation::Pack(at));
            }
            if self.is_loose(id) {
                return Ok(ObjectLocation::ById);
            }
        }
        Ok(ObjectLocation::Missing)
    }

    fn locate_by_indexes(&mut self, id: &oid) -> ObjectLocation {
        for _ in 0..MAX_RESCANS {
            if let Some(at) = self.find_in_packs(id) {
                return ObjectLocation::Pack(at);
            }
            if self.is_loose(id) {
                return ObjectLocation::ById;
            }
            // A concurrent repack may have moved the object, and may go on while the packs are
            // listed.
            match self.store.rescan(&self.packs) {
                Some(packs) => self.packs = packs,
                None => break,
            }
        }
        // A damaged multi-pack-index can lack an object. Few objects are missing, so this is seldom
        // asked.
        if !self.packs.multi_indexes.is_empty()
            && let Some(at) = self.find_by_own_indexes(id)
        {
            return ObjectLocation::Pack(at);
        }
        if let Some(at) = self.find_in_removed_packs(id) {
            return ObjectLocation::Pack(at);
        }
        ObjectLocation::Missing
    }

    pub(crate) fn find_in_new_packs(&mut self, id: &oid) -> Option<PackPosition> {
        self.packs = self.store.rescan(&self.packs)?;
        self.find_in_packs(id)
    }

    pub(crate) fn find_in_packs(&mut self, id: &oid) -> Option<PackPosition> {
        let packs = &self.packs;
        let usable = |pack: u32| {
            packs
                .all
                .get(pack as usize)
                .is_some_and(|pack| pack.is_usable())
        };
        for multi in &packs.multi_indexes {
            match multi.lookup(id) {
                Ok(Some((pack, offset))) if usable(pack) => {
                    return Some(PackPosition { pack, offset });
                }
                Ok(_) => {}
                // The packs have indexes of their own.
                Err(_) => return self.find_by_own_indexes(id),
            }
        }
        let recent_pack = packs
            .single
            .iter()
            .copied()
            .filter(|&pack| pack == self.recent_pack);
        let others = packs
            .single
            .iter()
            .copied()
            .filter(|&pack| pack != self.recent_pack);
        for number in recent_pack.chain(others) {
            let pack = packs.all.get(number as usize)?;
            if let Some(offset) = pack.lookup(id)
                && usable(number)
            {
                self.recent_pack = number;
                return Some(PackPosition {
                    pack: number,
                    offset,
                });
            }
        }
        None
    }

    /// Where the own index of a pack has an object, also of one that is in a multi-pack-index.
    fn find_by_own_indexes(&self, id: &oid) -> Option<PackPosition> {
        (0..).zip(&self.packs.all).find_map(|(pack, of_pack)| {
            let offset = of_pack.lookup(id).filter(|_| of_pack.is_usable())?;
            Some(PackPosition { pack, offset })
        })
    }

    /// Finds an object that was removed with its pack, as long as the pack is open.
    fn find_in_removed_packs(&self, id: &oid) -> Option<PackPosition> {
        let packs = &self.packs;
        packs.removed.iter().find_map(|&number| {
            let offset = packs.all.get(number as usize)?.lookup(id)?;
            Some(PackPosition {
                pack: number,
                offset,
            })
        })
    }

    pub(crate) fn is_loose(&self, id: &oid) -> bool {
        self.store
            .dirs()
            .iter()
            .any(|dir| loose::path(dir, id).exists())
    }
}
