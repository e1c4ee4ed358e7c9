//! Files of a repository that need not be there.

use std::{
    io::{self, ErrorKind},
    path::Path,
};

use crate::{
    error::{Error, Result, os_message},
    system,
};

/// The contents of a file; `None` if there is no file that can be read.
///
/// # Errors
///
/// It is a named pipe or a device, for which git waits.
pub(crate) fn read_if_present(file: &Path) -> Result<Option<Vec<u8>>> {
    match system::read_file(file) {
        Ok(text) => Ok(Some(text)),
        Err(err) if err.kind() == ErrorKind::InvalidInput => {
            let (file, reason) = (file.display(), os_message(&err));
            Err(Error::fatal(format!("cannot read '{file}': {reason}")))
        }
        Err(_) => Ok(None),
    }
}

/// The largest configuration file, in bytes.
const MAX_CONFIGURATION: u64 = 1 << 28;

/// The text of a file; `None` if there is none.
pub(super) type FileText = io::Result<Option<Vec<u8>>>;

/// Reads a configuration file.
pub(super) fn read_configuration(path: &Path) -> FileText {
    match system::read_file_within(path, MAX_CONFIGURATION) {
        Ok(text) => Ok(Some(text)),
        Err(err) if matches!(err.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(err) => Err(err),
    }
}
