//! State kept between runs: which keys were used, for the suggestions in the status line.
//!
//! All errors are ignored: losing the state does no harm.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::{
    system::{
        self,
        file_replacement::{ReplaceableFile, follow_links},
    },
    viewer::config::config_file::user_directory,
};

/// Most bytes that are read of the file.
const MAX_LEN: u64 = 1 << 14;

/// The state file: `$XDG_STATE_HOME/tblame/used`, or below `~/.local/state`.
pub fn file(var: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let state = user_directory("XDG_STATE_HOME", ".local/state", var);
    state.map(|state| state.join("tblame/used"))
}

/// Reads the state file; empty if it cannot be read.
pub fn load(file: &Path) -> String {
    let bytes = system::read_file_within(file, MAX_LEN).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Replaces the state file, if possible.
pub fn save(file: &Path, text: &str) {
    let place = follow_links(file, None).and_then(|path| ReplaceableFile::new(&path));
    place.and_then(|place| place.replace(text.as_bytes())).ok();
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn state_is_read_back_and_errors_are_ignored() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().to_owned();
        let var = |name: &str| (name == "HOME").then(|| root.clone().into_os_string());
        let file = file(var).unwrap();
        assert_eq!(load(&file), "");
        save(&file, "before\n");
        assert_eq!(load(&file), "before\n");
        fs::write(root.join("plain"), "x").unwrap();
        let nowhere = root.join("plain/tblame/used");
        save(&nowhere, "before\n");
        assert_eq!(load(&nowhere), "");
    }
}
