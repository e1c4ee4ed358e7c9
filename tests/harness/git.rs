//! The git that tblame is compared with.

use std::{
    ffi::{OsStr, OsString},
    process::Command,
    sync::OnceLock,
};

use tblame::internals::git_version::GitVersion;

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

/// The version of [`git_program`] as it prints it, such as `2.47.3`.
pub fn git_version_text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| version_text(git_program()))
}

/// Asks `git` for its version. A build between releases counts as the next one.
pub fn version_of(git: &OsStr) -> Version {
    let version = GitVersion::parse(&version_text(git)).expect("a version begins with two numbers");
    (version.major, version.minor)
}

/// What `git` prints as its version, such as `2.47.3`.
pub fn version_text(git: &OsStr) -> String {
    let output = Command::new(git).arg("version").output();
    let output = output.unwrap_or_else(|error| panic!("cannot run {}: {error}", git.display()));
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.split_whitespace().nth(2);
    version.expect("git prints its version").to_owned()
}
