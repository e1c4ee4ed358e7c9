//! Which ids the objects have: abbreviations, and how many objects there are.

use gix_hash::{ObjectId, Prefix, oid};

use crate::objects::{
    error::Error,
    formats::loose,
    index::{id_search::equal_digits, pack_index::PackIndex},
    pack::pack_file::Pack,
    store::{pack_list::PackSnapshot, reader::Reader},
};

impl Reader {
    /// The length of the shortest unique abbreviation of `id` in hex digits, at least `at_least`,
    /// at most the full length.
    ///
    /// # Errors
    ///
    /// Some objects cannot be seen because too many files are open.
    pub fn unique_len(&self, id: &oid, at_least: usize) -> Result<usize, Error> {
        let packs = &self.packs;
        let multi = packs
            .multi_indexes
            .iter()
            .filter_map(|index| index.shared_digits(id));
        let single = self
            .single_packs()
            .filter_map(|pack| pack.index()?.shared_digits(id));
        let loose = self.loose_neighbours(id)?;
        let loose = loose
            .iter()
            .filter(|other| other.as_bytes() != id.as_bytes());
        let loose = loose.map(|other| equal_digits(other, id));
        let shared = multi.chain(single).chain(loose).max().unwrap_or(0);
        packs.check_opened()?;
        Ok(at_least.max(shared + 1).min(self.hash().len_in_hex()))
    }

    /// The loose objects whose ids have the same first byte as `id`.
    fn loose_neighbours(&self, id: &oid) -> Result<Vec<ObjectId>, Error> {
        let dirs = self.store.dirs().iter();
        let listed: Result<Vec<_>, Error> = dirs.map(|dir| loose::neighbours(dir, id)).collect();
        Ok(listed?.concat())
    }

    /// The objects whose ids begin with these hexadecimal digits, at least 4 of them, in order.
    ///
    /// # Errors
    ///
    /// Some objects cannot be seen because too many files are open.
    pub fn with_prefix(&mut self, digits: &[u8]) -> Result<Vec<ObjectId>, Error> {
        let mut padded = digits.to_vec();
        padded.resize(self.hash().len_in_hex().max(digits.len()), b'0');
        // Made of fewer digits, the prefix would be one of the shortest kind of ids.
        let id = ObjectId::from_hex(&padded).ok();
        let id = id.filter(|id| id.kind() == self.hash());
        let Some(wanted) = id.and_then(|id| Prefix::new(&id, digits.len()).ok()) else {
            return Ok(Vec::new());
        };
        let mut found = self.listed_with_prefix(&wanted)?;
        if found.is_empty()
            && let Some(packs) = self.store.rescan(&self.packs)
        {
            self.packs = packs;
            found = self.listed_with_prefix(&wanted)?;
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    fn listed_with_prefix(&self, wanted: &Prefix) -> Result<Vec<ObjectId>, Error> {
        let mut found = self.loose_neighbours(wanted.as_oid())?;
        found.retain(|id| wanted.cmp_oid(id).is_eq());
        // What cannot be read of an index has no objects.
        for index in &self.packs.multi_indexes {
            let _ = index.with_prefix(wanted, &mut found);
        }
        for index in self.single_packs().filter_map(Pack::index) {
            let _ = index.with_prefix(wanted, &mut found);
        }
        self.packs.check_opened()?;
        Ok(found)
    }

    /// Number of packed objects, including those of alternates.
    ///
    /// # Errors
    ///
    /// Some cannot be seen because too many files are open.
    pub fn packed_object_count(&self) -> Result<u64, Error> {
        let multi = self.packs.multi_indexes.iter().map(|index| index.len());
        let single = self
            .single_packs()
            .filter_map(Pack::index)
            .map(PackIndex::len);
        let count = multi.chain(single).map(u64::from).sum();
        self.packs.check_opened().map(|()| count)
    }

    /// Packs that are in no multi-pack-index.
    fn single_packs(&self) -> impl Iterator<Item = &Pack> {
        let PackSnapshot { all, single, .. } = &*self.packs;
        let packs = single.iter().filter_map(|&number| all.get(number as usize));
        packs.map(|pack| &**pack)
    }
}
