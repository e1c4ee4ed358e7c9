//! The interface to Unix.

use std::{
    ffi::OsStr,
    fs::{self, Metadata},
    io,
    os::unix::{
        fs::{MetadataExt, PermissionsExt},
        process::CommandExt,
    },
    path::Path,
    process::{Command, ExitCode},
};

/// The file name of the program `git`.
pub const GIT: &str = "git";

/// Whether both paths lead to the same file.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let number = |path| {
        let metadata = fs::metadata(path).ok()?;
        Some((metadata.dev(), metadata.ino()))
    };
    number(one).is_some_and(|one| Some(one) == number(other))
}

/// Whether a file can be run as a program.
pub fn is_program(metadata: &Metadata) -> bool {
    metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
}

/// Makes `command` see `name` as the name that it was started under.
pub fn set_program_name(command: &mut Command, name: &OsStr) {
    command.arg0(name);
}

/// Runs `command` in place of this process.
///
/// # Errors
///
/// If it cannot be run.
pub fn replace_process(command: &mut Command) -> io::Result<ExitCode> {
    Err(command.exec())
}

/// Makes `program` known as `link` too.
///
/// # Errors
///
/// As those of the system; one is that `link` exists.
pub fn link_program(program: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(program, link)
}
