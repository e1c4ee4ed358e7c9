//! The git that tblame is compared with.

use std::{
    ffi::{OsStr, OsString},
    process::Command,
    sync::OnceLock,
};

use super::id_column::IdWidth;

/// A git's major and minor version number.
pub type Version = (u32, u32);

/// The git to compare with: `TBLAME_TEST_GIT`, or the installed one.
pub fn git_program() -> &'static OsStr {
    static PROGRAM: OnceLock<OsString> = OnceLock::new();
    PROGRAM.get_or_init(|| std::env::var_os("TBLAME_TEST_GIT").unwrap_or_else(|| "git".into()))
}

/// The version of [`git_program`].
pub fn git_version() -> Version {
    static VERSION: OnceLock<Version> = OnceLock::new();
    *VERSION.get_or_init(|| version_of(git_program()))
}

/// How [`git_program`] chooses the width of the id column.
pub fn git_id_width() -> IdWidth {
    static WIDTH: OnceLock<IdWidth> = OnceLock::new();
    *WIDTH.get_or_init(|| IdWidth::of(git_program()))
}

/// Asks `git` for its version.
pub fn version_of(git: &OsStr) -> Version {
    let output = Command::new(git).arg("version").output();
    let output = output.unwrap_or_else(|error| panic!("cannot run {}: {error}", git.display()));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = text.split_whitespace().nth(2).unwrap_or_default();
    let mut numbers = version.split('.').map_while(|number| number.parse().ok());
    let mut next = || numbers.next().expect("a version begins with two numbers");
    (next(), next())
}
