//! Paths in the configuration: `~/…`, `~user/…`, `%(prefix)/…`.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{repository::open::environment::variable, system::installed_git};

/// Expands a path's beginning; `None` if there is no such home directory.
pub(crate) fn expand_path(path: &BStr) -> Option<BString> {
    if let Some(rest) = path.strip_prefix(b"%(prefix)/") {
        let path = git_prefix().join(rest.as_bstr().to_path_lossy());
        return Some(path.as_os_str().as_encoded_bytes().into());
    }
    let Some(after) = path.strip_prefix(b"~") else {
        return Some(path.to_owned());
    };
    let (user, rest) = match after.find_byte(b'/') {
        Some(at) => after.split_at(at),
        None => (after, &b""[..]),
    };
    let mut home = match user {
        b"" => variable("HOME")?,
        user => {
            let home = gix_config_value::path::interpolate::home_for_user(user.to_str().ok()?)?;
            Vec::from_os_string(home.into_os_string()).ok()?.into()
        }
    };
    home.push_str(rest);
    Some(home)
}

/// Where the installed git is: the directory that has its `bin`. `/usr` if there is none.
pub(super) fn git_prefix() -> &'static Path {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    let installed = || {
        let git = installed_git::find_real()?;
        let bin = git.parent().filter(|bin| bin.ends_with("bin"))?;
        bin.parent().map(ToOwned::to_owned)
    };
    FOUND.get_or_init(|| installed().unwrap_or_else(|| "/usr".into()))
}
