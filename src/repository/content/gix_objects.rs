//! The repository's objects for gix, which would map packs and their indexes into memory.

use std::{cell::RefCell, sync::Arc};

use gix::{
    error::Error,
    objs::{Data, Find, Kind},
};

use crate::objects::{ObjectKind, Reader, Store, oid};

/// Objects as gix asks for them.
pub(super) struct GixObjects(RefCell<Reader>);

impl GixObjects {
    pub(super) fn new(store: &Arc<Store>) -> GixObjects {
        GixObjects(RefCell::new(store.reader()))
    }
}

impl Find for GixObjects {
    fn try_find<'a>(
        &self,
        id: &oid,
        buffer: &'a mut Vec<u8>,
    ) -> gix::error::Result<Option<Data<'a>>> {
        let read = self.0.borrow_mut().try_object(id);
        let Some(object) = read.map_err(Error::from_error)? else {
            return Ok(None);
        };
        let kind = match object.kind {
            ObjectKind::Commit => Kind::Commit,
            ObjectKind::Tree => Kind::Tree,
            ObjectKind::Blob => Kind::Blob,
            ObjectKind::Tag => Kind::Tag,
        };
        buffer.clear();
        buffer.extend_from_slice(&object.data);
        Ok(Some(Data::new(buffer, kind, id.kind())))
    }
}
