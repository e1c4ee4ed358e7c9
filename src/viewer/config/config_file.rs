//! Paths of the configuration files, and reading them.

use std::{
    ffi::OsString,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Largest accepted configuration or theme file, in bytes.
pub(crate) const MAX_FILE_LEN: u64 = 1 << 20;

/// Path of the given configuration file, or of the user's, which need not exist.
pub fn file(asked: Option<&Path>, var: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    match asked {
        Some(path) => Some(path.to_owned()),
        None => directory(var).map(|directory| directory.join("config.toml")),
    }
}

/// The user's configuration directory: `$XDG_CONFIG_HOME/tblame` or `~/.config/tblame`.
pub fn directory(var: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    user_directory("XDG_CONFIG_HOME", ".config", var).map(|config| config.join("tblame"))
}

/// A directory of the user: the one that a variable names, or one below the home directory.
pub(crate) fn user_directory(
    variable: &str,
    below_home: &str,
    var: impl Fn(&str) -> Option<OsString>,
) -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = var(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    absolute(variable).or_else(|| Some(absolute("HOME")?.join(below_home)))
}

/// True if the error means that there is no such file.
pub(crate) fn is_missing(err: &io::Error) -> bool {
    matches!(
        err.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Error message for a file that cannot be read.
pub(crate) fn unreadable(name: &str, err: &io::Error) -> String {
    format!("cannot read '{name}': {}", crate::error::os_message(err))
}

/// Reads a whole configuration or theme file.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut contents = Vec::new();
    File::open(path)?
        .take(MAX_FILE_LEN + 1)
        .read_to_end(&mut contents)?;
    if contents.len() as u64 > MAX_FILE_LEN {
        return Err(io::Error::other("the file is too large"));
    }
    Ok(contents)
}
