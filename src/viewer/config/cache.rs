//! The section `[cache]`.

use std::{path::PathBuf, time::Duration};

use crate::{
    cache::CacheSettings,
    viewer::config::table_reader::{ConfigError, Setting, TableReader},
};

/// Largest `max-size`, in megabytes.
const MAX_MEGABYTES: u64 = 1 << 20;

/// Largest `min-time`, in milliseconds.
const MAX_MILLISECONDS: u64 = 3_600_000;

/// Reads the section.
pub(super) fn read(mut section: TableReader<'_>) -> Result<CacheSettings, ConfigError> {
    let mut cache = CacheSettings::default();
    section.set("enabled", &mut cache.enabled, Setting::flag)?;
    section.set("directory", &mut cache.directory, |it| {
        let text = it.text()?;
        let path = PathBuf::from(text);
        match (text.is_empty(), path.is_absolute()) {
            (true, _) => Ok(None),
            (false, true) => Ok(Some(path)),
            (false, false) => Err(it.wrong("must be an absolute path")),
        }
    })?;
    section.set("max-size", &mut cache.max_bytes, |it| {
        Ok(it.number(1..=MAX_MEGABYTES)? << 20)
    })?;
    section.set("texts", &mut cache.texts, Setting::flag)?;
    section.set("min-time", &mut cache.min_time, |it| {
        Ok(Duration::from_millis(it.number(0..=MAX_MILLISECONDS)?))
    })?;
    section.finish()?;
    Ok(cache)
}
