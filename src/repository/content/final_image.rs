//! Reads the final image of a request, which line ranges are resolved against.

use std::sync::Arc;

use bstr::{BString, ByteSlice};

use crate::{
    engine::{Request, Start},
    error::{Error, Result},
    repository::{
        content::{attributes::AttributeFiles, work_tree::find_file},
        open::repository::Repository,
        revisions::peel::damaged,
    },
};

impl Repository {
    /// The contents that `request` blames, after text conversion.
    ///
    /// # Errors
    ///
    /// If the file is not in the final commit, or an object cannot be read.
    pub fn final_contents(&self, request: &Request) -> Result<Arc<[u8]>> {
        let commit = match &request.start {
            Start::Uncommitted(uncommitted) => return Ok(Arc::clone(&uncommitted.contents)),
            Start::Commit(commit) => commit,
        };
        let mut reader = self.reader();
        let path = request.path.as_bstr();
        let entry = find_file(&mut reader, commit, path)?
            .ok_or_else(|| Error::no_such_path(format!("no such path {path} in {commit}")))?;
        let blob = reader.object(&entry.id).map_err(damaged)?.data;
        let conversion = request.text_conversion.as_ref();
        let converted = match conversion {
            Some(conversion) => conversion
                .convert(path, entry.mode, &entry.id, &blob)
                .map_err(Error::from_conversion)?,
            None => None,
        };
        Ok(converted.unwrap_or(blob))
    }

    /// The diff driver that the attribute `diff` names for the file of `request`.
    ///
    /// # Errors
    ///
    /// If the attributes cannot be read.
    pub fn diff_driver(&self, request: &Request) -> Result<Option<BString>> {
        let files = match &request.start {
            Start::Uncommitted(_) => AttributeFiles::with_index(self),
            Start::Commit(_) => AttributeFiles::new(self),
        };
        let path = request.path.as_bstr();
        files.open().diff_driver(path)
    }
}
