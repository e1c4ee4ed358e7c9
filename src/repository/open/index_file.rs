//! Reading the index file.

use crate::error::{Error, Result};

/// The index, empty if there is no file. Like git, does not compare the file with its checksum.
///
/// # Errors
///
/// If it cannot be read.
pub(crate) fn read_index(gix: &gix::Repository) -> Result<gix::worktree::Index> {
    let mut gix = gix.clone();
    let mut settings = gix.config_snapshot_mut();
    let unverified = settings.set_raw_value("index.skipHash", "true").is_ok();
    if unverified {
        // Without it, the checksum is compared.
        settings.commit().ok();
    } else {
        drop(settings);
    }
    gix.index_or_empty()
        .map_err(|_| Error::fatal("index file corrupt"))
}
