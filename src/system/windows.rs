//! The interface to Windows.

use std::{
    ffi::OsStr,
    fs::{self, Metadata},
    io,
    path::Path,
    process::{Command, ExitCode},
};

/// The file name of the program `git`.
pub const GIT: &str = "git.exe";

/// Whether both paths lead to the same file, or to a link or copy of it.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let identity = |path| {
        let metadata = fs::metadata(path).ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    };
    // The standard library does not tell links of a file; a copy keeps its time.
    identity(one).is_some_and(|one| Some(one) == identity(other))
}

/// Whether a file can be run as a program.
pub fn is_program(metadata: &Metadata) -> bool {
    metadata.is_file()
}

/// Makes `command` see `name` as the name that it was started under: it is the program's path on this system.
pub fn set_program_name(_command: &mut Command, _name: &OsStr) {}

/// Runs `command`, and waits for its end: processes cannot be replaced.
///
/// # Errors
///
/// If it cannot be run.
pub fn replace_process(command: &mut Command) -> io::Result<ExitCode> {
    let status = command.status()?;
    // The status of a process has 32 bits, of which an exit code keeps the lowest.
    let code = status.code().map_or(1, |code| (code & 0xff) as u8);
    Ok(ExitCode::from(if code == 0 && !status.success() {
        1
    } else {
        code
    }))
}

/// Makes `program` known as `link` too: by a hard link, or a copy on another drive.
///
/// # Errors
///
/// As those of the system; one is that `link` exists.
pub fn link_program(program: &Path, link: &Path) -> io::Result<()> {
    if fs::symlink_metadata(link).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::hard_link(program, link).or_else(|_| fs::copy(program, link).map(drop))
}
