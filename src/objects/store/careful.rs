//! Reading in a repository with a sign of damage: every object is read whole and compared with the
//! id that it was asked for.

use std::sync::Arc;

use gix_hash::oid;

use crate::objects::{
    error::Error,
    file_checksum,
    store::reader::Reader,
    types::{Object, PackPosition},
};

impl Reader {
    /// The object `id`, wherever it can be read, without following replacements; `None` if no index
    /// has it and there is no file for it. The ids of indexes are searched whatever their order.
    ///
    /// # Errors
    ///
    /// There are only objects in its place that cannot be read, or have another id.
    pub(crate) fn checked(&mut self, id: &oid) -> Result<Option<Object>, Error> {
        if let Some((known, object)) = &self.last_checked
            && **known == *id
        {
            return Ok(Some(object.clone()));
        }
        let mut failure = None;
        loop {
            for at in self.places(id) {
                match self.object_at(at) {
                    Ok(object) if file_checksum::is_object(id, object.kind, &object.data) => {
                        self.last_checked = Some((id.to_owned(), object.clone()));
                        return Ok(Some(object));
                    }
                    Ok(_) => {
                        let other = Error::object(id, "another object is in its place");
                        failure.get_or_insert(other);
                    }
                    Err(error) => {
                        failure.get_or_insert(error);
                    }
                }
            }
            match self.loose(id) {
                Ok(None) => {}
                Ok(found) => return Ok(found),
                Err(error) => {
                    failure.get_or_insert(error);
                }
            }
            match self.store.rescan(&self.packs) {
                Some(packs) => self.packs = packs,
                None => break,
            }
        }
        self.packs.check_opened()?;
        match failure {
            Some(error) => {
                self.store.lose(id);
                Err(error)
            }
            None => Ok(None),
        }
    }

    /// Where indexes and multi-pack-indexes say that `id` is.
    fn places(&self, id: &oid) -> Vec<PackPosition> {
        let packs = Arc::clone(&self.packs);
        let mut places = Vec::new();
        for (pack, index) in (0..).zip(packs.all.iter().map(|pack| pack.index())) {
            let offsets = index.iter().flat_map(|index| index.offsets_of(id));
            places.extend(offsets.map(|offset| PackPosition { pack, offset }));
        }
        for multi in &packs.multi_indexes {
            if let Ok(Some((pack, offset))) = multi.lookup(id) {
                places.push(PackPosition { pack, offset });
            }
        }
        places
    }

    /// Takes a read that failed at a place to which an index led for a sign of damage, and reads
    /// with care.
    pub(crate) fn or_checked<T>(
        &mut self,
        id: &oid,
        read: Result<T, Error>,
        of_object: impl FnOnce(Object) -> T,
    ) -> Result<T, Error> {
        match read {
            Err(error) if self.doubt_place(&error) => self.checked(id)?.map(of_object).ok_or(error),
            read => read,
        }
    }

    /// Takes the error of a read at a place to which an index led for a sign of damage, and reads
    /// with care. False if it is none.
    #[cold]
    pub(crate) fn doubt_place(&self, error: &Error) -> bool {
        let is_sign = !matches!(error, Error::OutOfMemory { .. });
        if is_sign {
            self.store.be_careful(error.to_string());
        }
        is_sign
    }

    /// The object `id` that a commit, a tree or the user names, and which was not found.
    #[cold]
    pub(crate) fn missing(&mut self, id: &oid) -> Result<Object, Error> {
        if !self.store.is_careful()
            && let Some(sign) = self.store.damage()
        {
            self.store.be_careful(sign);
            if let Some(object) = self.checked(id)? {
                return Ok(object);
            }
        }
        if self.store.is_careful() {
            self.store.lose(id);
        }
        Err(Error::Missing { id: id.to_owned() })
    }

    /// As [`object`](Reader::object), compared with its id: for what the user or a reference names,
    /// as in git.
    ///
    /// # Errors
    ///
    /// As there, and if it has another id.
    pub(crate) fn verified(&mut self, id: &oid) -> Result<Object, Error> {
        let object = self.object(id)?;
        if !self.store.is_careful() && self.doubt(id, &object) {
            self.object(id)
        } else {
            Ok(object)
        }
    }

    /// Compares an `object` that is not what was expected of `id` with its id. True if it is
    /// another, a sign of damage.
    #[cold]
    pub(crate) fn doubt(&mut self, id: &oid, object: &Object) -> bool {
        let is_other = !self.has_hash(id, object);
        if is_other {
            let sign = format!("another object is in the place of {id}");
            self.store.be_careful(sign);
        }
        is_other
    }
}
