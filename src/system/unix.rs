//! The interface to Unix.

use std::{
    borrow::Cow,
    ffi::{OsStr, OsString},
    fs::{self, File, Metadata, OpenOptions, Permissions},
    io::{self, IsTerminal},
    os::{
        fd::AsFd,
        unix::{
            ffi::{OsStrExt, OsStringExt},
            fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt},
            process::{CommandExt, ExitStatusExt},
        },
    },
    path::{Path, PathBuf},
    process::{Child, Command, ExitCode, ExitStatus},
    time::Duration,
};

use crate::system::index_stamp::IndexStamp;

/// The file name of the program `git`.
pub const GIT: &str = "git";

/// The errors of opening a file where too many are open: `ENFILE`, `EMFILE`.
pub const TOO_MANY_FILES: [i32; 2] = [23, 24];

/// The most files that are open at once, in a process that may have more than usual; macOS allows
/// no more.
const MAX_OPEN_FILES: u64 = 10_240;

/// Raises the number of files that this process may open to what the system allows, if it is less.
pub fn allow_more_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let most = limit
        .maximum
        .map_or(MAX_OPEN_FILES, |maximum| maximum.min(MAX_OPEN_FILES));
    let raised = Rlimit {
        current: Some(most),
        maximum: limit.maximum,
    };
    if limit.current.is_some_and(|current| current < most) {
        // Opening tells whether it was raised.
        let _ = setrlimit(Resource::Nofile, raised);
    }
}

/// The bytes that git has for a path.
pub fn path_bytes(path: &Path) -> Cow<'_, [u8]> {
    path.as_os_str().as_bytes().into()
}

/// A typed path as git has it.
pub fn typed_path(typed: &[u8]) -> Cow<'_, [u8]> {
    typed.into()
}

/// The current directory without links.
///
/// # Errors
///
/// If it was removed.
pub fn current_directory() -> io::Result<PathBuf> {
    std::env::current_dir()
}

/// An identity that all paths to one file share, and no others.
pub type FileKey = (u64, u64);

/// The key of the file that `path` leads to.
pub fn file_key(path: &Path) -> Option<FileKey> {
    key_of(&fs::metadata(path).ok()?)
}

/// The key of a file.
pub fn key_of(metadata: &Metadata) -> Option<FileKey> {
    Some((metadata.dev(), metadata.ino()))
}

/// The file system that `path` is on, by a number that others do not have.
pub fn device(path: &Path) -> Option<u64> {
    Some(fs::metadata(path).ok()?.dev())
}

/// True if a file or link belongs to the user, or to the one who became root by `sudo`.
///
/// # Errors
///
/// If it is not there.
pub fn is_owned(path: &Path) -> io::Result<bool> {
    let owner = fs::symlink_metadata(path)?.uid();
    let user = rustix::process::geteuid();
    let is_caller = || {
        let caller = std::env::var("SUDO_UID").ok();
        user.is_root() && caller.and_then(|caller| caller.parse().ok()) == Some(owner)
    };
    Ok(owner == user.as_raw() || is_caller())
}

/// True if a file can be run as a program.
pub fn is_program(metadata: &Metadata) -> bool {
    metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
}

/// True if a program can be started under another name than its own.
pub const PASSES_PROGRAM_NAMES: bool = true;

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

/// What git's index keeps of a file.
pub(crate) fn index_stamp(metadata: &Metadata) -> IndexStamp {
    IndexStamp {
        modified: (metadata.mtime() as u32, metadata.mtime_nsec() as u32),
        changed: (metadata.ctime() as u32, metadata.ctime_nsec() as u32),
        inode: metadata.ino() as u32,
        size: metadata.len() as u32,
    }
}

/// True if the owner may run the file.
pub fn is_executable(metadata: &Metadata) -> bool {
    metadata.permissions().mode() & 0o100 != 0
}

/// Numbers that a directory keeps when it is moved, and that none has that is made later, also in
/// its place: those of its file system and of itself, and its time of birth. `None` if the file
/// system does not keep that, or counts in seconds: a directory that is removed and made again
/// within one could have the same numbers.
pub fn lasting_identity(directory: &Path) -> Option<String> {
    let metadata = fs::metadata(directory).ok()?;
    identity(directory, &metadata, time_of_birth(directory, &metadata)?)
}

/// As [`lasting_identity`], of a file that is never changed, by its time of change.
pub fn identity_of_unchanged(file: &Path) -> Option<String> {
    let metadata = fs::metadata(file).ok()?;
    let seconds = u64::try_from(metadata.ctime()).ok()?;
    let nanos = u32::try_from(metadata.ctime_nsec()).ok()?;
    identity(file, &metadata, Duration::new(seconds, nanos))
}

fn identity(path: &Path, metadata: &Metadata, time: Duration) -> Option<String> {
    // The number of the device is another after a restart on some systems.
    let file_system = rustix::fs::statvfs(path).map_or(0, |it| it.f_fsid);
    let is_exact = time.subsec_nanos() != 0;
    is_exact.then(|| format!("{file_system} {} {}", metadata.ino(), time.as_nanos()))
}

/// The standard library does not ask for it with every C library.
#[cfg(target_os = "linux")]
fn time_of_birth(path: &Path, _metadata: &Metadata) -> Option<Duration> {
    use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
    let found = statx(CWD, path, AtFlags::empty(), StatxFlags::BTIME).ok()?;
    let is_known = StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::BTIME);
    let seconds = u64::try_from(found.stx_btime.tv_sec).ok()?;
    is_known.then(|| Duration::new(seconds, found.stx_btime.tv_nsec))
}

#[cfg(not(target_os = "linux"))]
fn time_of_birth(_path: &Path, metadata: &Metadata) -> Option<Duration> {
    let created = metadata.created().ok()?;
    created
        .duration_since(std::time::SystemTime::UNIX_EPOCH)
        .ok()
}

/// Numbers that change when a file is replaced or its time of modification is set back.
pub fn file_identity(metadata: &Metadata) -> [i64; 4] {
    let inode = metadata.ino().cast_signed();
    let mode = metadata.mode().into();
    [inode, mode, metadata.ctime(), metadata.ctime_nsec()]
}

/// How many names a file has.
pub fn name_count(metadata: &Metadata) -> u64 {
    metadata.nlink().max(1)
}

/// True if a file belongs to the user.
pub fn is_of_user(metadata: &Metadata) -> bool {
    metadata.uid() == rustix::process::geteuid().as_raw()
}

/// True if a file belongs to the user or to the system's administrator.
pub fn is_of_user_or_administrator(metadata: &Metadata) -> bool {
    is_of_user(metadata) || metadata.uid() == 0
}

/// True if a file belongs to the user, and nobody else may write to it.
pub fn is_own(metadata: &Metadata) -> bool {
    is_of_user(metadata) && metadata.mode() & 0o022 == 0
}

/// Gives `file` the group and the permissions of another file of the user. If the user cannot give
/// it the group, no group gets access.
///
/// # Errors
///
/// As those of the system.
pub fn copy_access(file: &File, from: &Metadata) -> io::Result<()> {
    let mut mode = from.mode() & 0o7777;
    let is_of_group = file.metadata()?.gid() == from.gid();
    if !is_of_group && std::os::unix::fs::fchown(file, None, Some(from.gid())).is_err() {
        mode &= !0o2070;
    }
    file.set_permissions(Permissions::from_mode(mode))
}

/// Creates a directory that only the user can read.
///
/// # Errors
///
/// As those of the system; one is that it exists.
pub fn create_private_directory(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().mode(0o700).create(path)
}

/// Lets a file that `options` create be read by the user alone.
pub fn make_private(options: &mut OpenOptions) {
    options.mode(0o600);
}

/// Lets `options` open what a path names itself, no link that is there, and without waiting for the
/// reader of a named pipe.
pub fn open_what_is_named(options: &mut OpenOptions) {
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW;
    options.custom_flags(flags.bits().cast_signed());
}

/// The names and versions of the system, as `uname` has them, and of its distribution.
pub fn system_name() -> String {
    let kernel = rustix::system::uname();
    let parts = [kernel.sysname(), kernel.release(), kernel.machine()];
    let parts = parts.map(|part| part.to_string_lossy().into_owned());
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let mut lines = release.lines();
    let name = lines.find_map(|line| line.strip_prefix("PRETTY_NAME="));
    match name {
        Some(name) => format!("{} ({})", parts.join(" "), name.trim_matches('"')),
        None => parts.join(" "),
    }
}

/// True if keys can be read: from standard input or the controlling terminal.
pub fn has_keyboard() -> bool {
    let terminal = || OpenOptions::new().read(true).write(true).open("/dev/tty");
    io::stdin().is_terminal() || terminal().is_ok()
}

/// True if there still is a terminal: after it went away, standard output is none any more.
pub fn has_terminal() -> bool {
    io::stdout().is_terminal() && has_keyboard()
}

/// The permissions with these bits, where files have them.
pub fn permissions(mode: u32) -> Option<Permissions> {
    Some(Permissions::from_mode(mode))
}

/// The largest file that the process may write, in bytes. To exceed it would end the process.
pub fn file_size_limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Fsize).current
}

/// The error for a directory in place of a file.
pub fn is_directory() -> io::Error {
    rustix::io::Errno::ISDIR.into()
}

/// True if this is `/dev/null`, which is an empty file.
pub fn is_null_device(metadata: &Metadata) -> bool {
    !metadata.is_file()
        && fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == metadata.rdev())
}

/// Opens a file to read it, without waiting for the writer of a named pipe.
///
/// # Errors
///
/// As those of the system.
pub fn open_without_waiting(path: &Path) -> io::Result<File> {
    // It has no effect on files.
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    OpenOptions::new()
        .read(true)
        .custom_flags(nonblocking)
        .open(path)
}

/// Fills `out` from offset `at` of a file.
///
/// # Errors
///
/// If there are fewer bytes, or they cannot be read.
pub fn read_exact_at(file: &File, out: &mut [u8], at: u64) -> io::Result<()> {
    file.read_exact_at(out, at)
}

/// A path of the bytes that git has for it.
pub fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

/// The signal that ended a process.
pub fn ending_signal(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// Asks a process to end, which may have ended already.
pub fn terminate(child: &mut Child) {
    terminate_process(child.id());
}

/// Asks the process with this id to end, which may have ended already.
pub fn terminate_process(id: u32) {
    let id = i32::try_from(id)
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    if let Some(id) = id {
        let signal = rustix::process::Signal::TERM;
        // Processes that it started are in its group, if it leads one.
        let group = rustix::process::kill_process_group(id, signal);
        group
            .or_else(|_| rustix::process::kill_process(id, signal))
            .ok();
    }
}

/// Standard output without the line buffer of the standard library.
///
/// # Errors
///
/// If it is closed, or there are too many open files.
pub fn stdout() -> io::Result<File> {
    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}

/// Gives the reader of standard output the end of the file.
pub fn close_stdout() {
    // Closing it would let another file get its number.
    if let Ok(null) = OpenOptions::new().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(null);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of a file that is removed is given to the next one on many file systems.
    #[test]
    fn what_is_made_again_has_another_identity() {
        let place = tempfile::tempdir().expect("temporary directory");
        let (path, moved) = (place.path().join("it"), place.path().join("moved"));
        let mut seen = Vec::new();
        for _ in 0..20 {
            fs::create_dir(&path).expect("it is writable");
            let identity = lasting_identity(&path);
            fs::rename(&path, &moved).expect("it is one's own");
            assert_eq!(lasting_identity(&moved), identity);
            fs::remove_dir(&moved).expect("it is one's own");
            fs::write(&path, b"it").expect("it is writable");
            let of_file = identity_of_unchanged(&path);
            assert_eq!(identity_of_unchanged(&path), of_file);
            fs::remove_file(&path).expect("it is one's own");
            seen.extend(identity.into_iter().chain(of_file));
            // As a program does that keeps something in between.
            std::thread::sleep(Duration::from_millis(10));
        }
        let count = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), count);
        assert_eq!(lasting_identity(&path), None);
        assert_eq!(identity_of_unchanged(&path), None);
    }

    #[test]
    fn whole_seconds_identify_nothing() {
        let metadata = fs::metadata("/").expect("it is there");
        let of = |nanos| {
            identity(
                Path::new("/"),
                &metadata,
                Duration::new(1_600_000_000, nanos),
            )
        };
        assert_eq!(of(0), None);
        assert!(of(1).is_some() && of(1) != of(2));
    }
}
