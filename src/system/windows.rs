//! The interface to Windows.

use std::{
    borrow::Cow,
    ffi::OsStr,
    fs::{self, File, Metadata, OpenOptions, Permissions},
    io::{self, IsTerminal},
    os::windows::{
        fs::{FileExt, MetadataExt},
        io::AsHandle,
    },
    path::{Component, Path, PathBuf, Prefix},
    process::{Child, Command, ExitCode, ExitStatus},
    time::SystemTime,
};

use crate::system::index_stamp::IndexStamp;

/// The length of the prefix of canonical paths, `\\?\`.
const VERBATIM_LEN: usize = 4;

/// The file name of the program `git`.
pub const GIT: &str = "git.exe";

/// The system has no limit that a process may raise.
pub fn allow_more_open_files() {}

/// The errors of opening a file where too many are open: `ERROR_TOO_MANY_OPEN_FILES`.
pub const TOO_MANY_FILES: [i32; 1] = [4];

/// The bytes that git has for a path: with slashes, and as users write it (`C:/Users` for
/// `\\?\C:\Users`).
pub fn path_bytes(path: &Path) -> Cow<'_, [u8]> {
    let bytes = path.as_os_str().as_encoded_bytes();
    typed_path(match path.components().next() {
        Some(Component::Prefix(prefix)) if matches!(prefix.kind(), Prefix::VerbatimDisk(_)) => {
            &bytes[VERBATIM_LEN..]
        }
        _ => bytes,
    })
}

/// A typed path as git has it: with slashes.
pub fn typed_path(typed: &[u8]) -> Cow<'_, [u8]> {
    let slash = |byte: &u8| if *byte == b'\\' { b'/' } else { *byte };
    typed.iter().map(slash).collect::<Vec<u8>>().into()
}

/// The current directory without links, in the form of [`fs::canonicalize`].
///
/// # Errors
///
/// If it was removed.
pub fn current_directory() -> io::Result<PathBuf> {
    std::env::current_dir()?.canonicalize()
}

/// An identity that all paths to one file share, or to a link or copy of it.
pub type FileKey = (u64, SystemTime);

/// The key of the file that `path` leads to.
pub fn file_key(path: &Path) -> Option<FileKey> {
    key_of(&fs::metadata(path).ok()?)
}

/// The key of a file.
pub fn key_of(metadata: &Metadata) -> Option<FileKey> {
    // The standard library does not tell links of a file; a copy keeps its time.
    Some((metadata.len(), metadata.modified().ok()?))
}

/// Searches for repositories do not tell file systems apart.
pub fn device(_: &Path) -> Option<u64> {
    None
}

/// True if a file belongs to the user.
///
/// # Errors
///
/// If it is not there.
pub fn is_owned(path: &Path) -> io::Result<bool> {
    gix_sec::identity::is_path_owned_by_current_user(path)
}

/// True if a file can be run as a program.
pub fn is_program(metadata: &Metadata) -> bool {
    metadata.is_file()
}

/// True if a program can be started under another name than its own.
pub const PASSES_PROGRAM_NAMES: bool = false;

/// Makes `command` see `name` as the name that it was started under: it is the program's path on
/// this system.
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

/// Makes `program` known as `link` too, by a copy: neither needs rights, nor can a link to a
/// running program be removed.
///
/// # Errors
///
/// As those of the system; one is that `link` exists.
pub fn link_program(program: &Path, link: &Path) -> io::Result<()> {
    if fs::symlink_metadata(link).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::copy(program, link).map(drop)
}

/// What git's index keeps of a file.
pub(crate) fn index_stamp(metadata: &Metadata) -> IndexStamp {
    // From 100 nanoseconds since 1601.
    let time = |time: u64| {
        let since = time.saturating_sub(116_444_736_000_000_000);
        (
            (since / 10_000_000) as u32,
            (since % 10_000_000) as u32 * 100,
        )
    };
    IndexStamp {
        modified: time(metadata.last_write_time()),
        changed: time(metadata.creation_time()),
        inode: 0,
        size: metadata.file_size() as u32,
    }
}

/// True if the owner may run the file: files have no such bit, so git has it from the index alone.
pub fn is_executable(_metadata: &Metadata) -> bool {
    false
}

/// A text that no directory has that is made later, also in the place of this one: its path and its
/// time of birth. `None` if the file system does not keep that.
pub fn lasting_identity(directory: &Path) -> Option<String> {
    let created = fs::metadata(directory).ok()?.creation_time();
    (created != 0).then(|| format!("{created} {}", directory.display()))
}

/// As [`lasting_identity`], of a file that is never changed. All file systems keep the time of
/// birth.
pub fn identity_of_unchanged(_file: &Path) -> Option<String> {
    None
}

/// Numbers that change when a file is replaced or its time of modification is set back.
pub fn file_identity(metadata: &Metadata) -> [i64; 4] {
    let created = metadata.creation_time().cast_signed();
    [created, metadata.file_attributes().into(), 0, 0]
}

/// How many names a file has.
pub fn name_count(_metadata: &Metadata) -> u64 {
    1
}

/// True if a file belongs to the user, as those do that the user can write to.
pub fn is_of_user(_metadata: &Metadata) -> bool {
    true
}

/// True if a file belongs to the user or to the system's administrator.
pub fn is_of_user_or_administrator(_metadata: &Metadata) -> bool {
    true
}

/// Gives `file` the permissions of another file of the user. Who may read it follows from its
/// directory.
///
/// # Errors
///
/// As those of the system.
pub fn copy_access(file: &File, from: &Metadata) -> io::Result<()> {
    file.set_permissions(from.permissions())
}

/// True if a file belongs to the user, and nobody else may write to it: the user's directories are
/// protected as a whole.
pub fn is_own(_metadata: &Metadata) -> bool {
    true
}

/// Creates a directory that only the user can read, as it inherits from the user's directory.
///
/// # Errors
///
/// As those of the system; one is that it exists.
pub fn create_private_directory(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}

/// Nothing: a file is as private as its directory.
pub fn make_private(_options: &mut OpenOptions) {}

/// Lets `options` open what a path names itself.
pub fn open_what_is_named(_options: &mut OpenOptions) {}

/// The name of the system.
pub fn system_name() -> String {
    "Windows".to_owned()
}

/// True if keys can be read: from standard input.
pub fn has_keyboard() -> bool {
    io::stdin().is_terminal()
}

/// True if there still is a terminal.
pub fn has_terminal() -> bool {
    io::stdout().is_terminal() && has_keyboard()
}

/// The permissions with these bits, where files have them: not on this system.
pub fn permissions(_mode: u32) -> Option<Permissions> {
    None
}

/// The largest file that the process may write, in bytes: there is no such limit.
pub fn file_size_limit() -> Option<u64> {
    None
}

/// The error for a directory in place of a file.
pub fn is_directory() -> io::Error {
    io::ErrorKind::IsADirectory.into()
}

/// True if this is a device that is an empty file: no path leads to one here.
pub fn is_null_device(_metadata: &Metadata) -> bool {
    false
}

/// Opens a file to read it.
///
/// # Errors
///
/// As those of the system.
pub fn open_without_waiting(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Fills `out` from offset `at` of a file.
///
/// # Errors
///
/// If there are fewer bytes, or they cannot be read.
pub fn read_exact_at(file: &File, mut out: &mut [u8], mut at: u64) -> io::Result<()> {
    while !out.is_empty() {
        // It moves the file's position, which nothing uses.
        match file.seek_read(out, at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                out = &mut out[read..];
                at += read as u64;
            }
            Err(err) if err.kind() == io::ErrorKind::Interrupted => {}
            Err(err) => return Err(err),
        }
    }
    Ok(())
}

/// A path of the bytes that git has for it.
pub fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// The signal that ended a process: there are none.
pub fn ending_signal(_status: ExitStatus) -> Option<i32> {
    None
}

/// Asks the process with this id to end: without a handle there is no way to.
pub fn terminate_process(_id: u32) {}

/// Ends a process, which may have ended already.
pub fn terminate(child: &mut Child) {
    child.kill().ok();
}

/// Standard output without the line buffer of the standard library, and without the conversion for
/// consoles.
///
/// # Errors
///
/// If it is closed, or there are too many open files.
pub fn stdout() -> io::Result<File> {
    let stdout = io::stdout();
    stdout.as_handle().try_clone_to_owned().map(File::from)
}

/// Nothing: the reader of standard output has the end of the file when the process ends.
pub fn close_stdout() {}
