//! The git that tblame is compared with.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::PathBuf,
    process::Command,
    sync::OnceLock,
};

use tblame::internals::git_version::GitVersion;

/// A git's major and minor version number.
pub type Version = (u32, u32);

/// The git to compare with: `TBLAME_TEST_GIT`, or the installed one. An absolute path.
pub fn git_program() -> &'static OsStr {
    static PROGRAM: OnceLock<OsString> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let git = env::var_os("TBLAME_TEST_GIT").unwrap_or_else(|| "git".into());
        let found = program_path(&git).expect("git is installed");
        std::path::absolute(found).expect("it has a name").into()
    })
}

/// Where a program is: a name without a directory is searched for in `PATH`.
///
/// If the standard library had to find it in a `PATH` of its own, it would copy this process for each command, with `fork`
/// in place of `posix_spawn`: a fifth of the time of all tests.
pub fn program_path(name: &OsStr) -> Option<PathBuf> {
    let name = PathBuf::from(name);
    if name.components().nth(1).is_some() {
        return Some(name);
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let mut found = env::split_paths(&path).map(|directory| directory.join(&name));
    found.find(|program| program.is_file())
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
