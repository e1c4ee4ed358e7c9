//! Settings of the cache.

use std::{path::PathBuf, time::Duration};

/// Settings of the cache, after defaults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheSettings {
    /// Read and write the cache.
    pub enabled: bool,
    /// The directory; `None` for the system's place for caches.
    pub directory: Option<PathBuf>,
    /// The size of all files in bytes after which those used longest ago are removed.
    pub max_bytes: u64,
    /// Keep the names, dates and summaries of commits too.
    pub texts: bool,
    /// Blames that took less are not kept.
    pub min_time: Duration,
}

impl Default for CacheSettings {
    fn default() -> Self {
        CacheSettings {
            enabled: true,
            directory: None,
            max_bytes: 256 << 20,
            texts: true,
            min_time: Duration::from_millis(5),
        }
    }
}
