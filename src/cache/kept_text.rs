//! A short text in the cache that belongs to no repository.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::cache::{
    directory::{CacheDirectory, is_own_directory, write_file},
    eviction::can_write,
};

/// The longest text that is read, in bytes.
const MAX_LEN: u64 = 1 << 14;

/// A file with a short text.
#[derive(Debug)]
pub struct KeptText {
    path: PathBuf,
}

impl KeptText {
    /// The text `name` in the cache.
    pub fn new(directory: &CacheDirectory, name: &str) -> KeptText {
        KeptText {
            path: directory.root().join(name),
        }
    }

    /// The text, unless there is none or others could have written it.
    pub fn read(&self) -> Option<String> {
        // Opening something else could wait forever.
        let metadata = fs::symlink_metadata(&self.path).ok()?;
        let is_text = metadata.is_file() && metadata.len() <= MAX_LEN && self.is_trusted();
        is_text.then(|| fs::read_to_string(&self.path).ok())?
    }

    /// Keeps `text`. If that fails, it is found out again.
    pub fn write(&self, text: &str) {
        let write = || -> io::Result<()> {
            if let Some(root) = self.path.parent() {
                CacheDirectory::create(root)?;
            }
            write_file(&self.path, text.as_bytes())
        };
        if can_write(text.len() as u64) {
            let _ = write();
        }
    }

    fn is_trusted(&self) -> bool {
        let mut directories = self.path.ancestors().skip(1).take(2);
        directories.all(is_own_directory as fn(&Path) -> bool)
    }
}
