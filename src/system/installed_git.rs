//! The git that is installed besides this program, which may stand in `PATH` under git's name.

use std::{
    collections::HashSet,
    env::{self, consts::EXE_SUFFIX},
    ffi::{OsStr, OsString},
    fs::{self, Metadata},
    path::{self, Path, PathBuf},
    process::Stdio,
    sync::OnceLock,
};

use bstr::ByteSlice;

use crate::system;

/// A text that every build of this program has in it, to be told from git.
static MARKER: &str = "tblame in place of git \u{1}";

/// The file name of this program, without `.exe`.
pub const TBLAME: &str = "tblame";

/// The file name of its launcher, which is installed in the same directory, without `.exe`.
pub const LAUNCHER: &str = "git-tblame";

/// The installed git: the first in `PATH`, but neither this program nor the one that is installed
/// beside it. It is searched for once.
///
/// If one of them is there, the directories after it come first. Of several such programs each then
/// runs a later one, and the last runs git.
pub fn find() -> Option<&'static Path> {
    found().map(|(git, _)| git.as_path())
}

/// The metadata of the installed git when it was found.
pub fn metadata() -> Option<&'static Metadata> {
    found().map(|(_, metadata)| metadata)
}

fn found() -> Option<&'static (PathBuf, Metadata)> {
    static FOUND: OnceLock<Option<(PathBuf, Metadata)>> = OnceLock::new();
    FOUND.get_or_init(search).as_ref()
}

/// As [`find`], without symbolic links.
pub fn find_real() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| find()?.canonicalize().ok()).as_deref()
}

fn search() -> Option<(PathBuf, Metadata)> {
    // `exe` may have another name.
    let beside = [TBLAME, LAUNCHER].into_iter().filter_map(own_path);
    let own = exe().map(Path::to_owned).into_iter().chain(beside);
    let own: HashSet<PathBuf> = own.collect();
    let own = Vec::from_iter(own.iter().filter_map(|own| system::file_key(own)));
    let is_own =
        |_: &Path, git: &Metadata| system::key_of(git).is_some_and(|key| own.contains(&key));
    find_in(&env::var_os("PATH")?, is_own, is_marked)
}

/// The directory of git's own programs, and a `PATH` that begins with it: git has both in the
/// environment of the commands that it runs. `None` without git.
pub fn exec_path() -> Option<(&'static OsStr, &'static OsStr)> {
    static FOUND: OnceLock<Option<(OsString, OsString)>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let named = env::var_os("GIT_EXEC_PATH").filter(|named| !named.is_empty());
        let programs = named.or_else(asked_exec_path)?;
        let first = path::absolute(&programs).ok()?;
        let path = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths(std::iter::once(first).chain(env::split_paths(&path))).ok()?;
        Some((programs, path))
    });
    let (programs, path) = found.as_ref()?;
    Some((programs, path))
}

/// The output of `git --exec-path`.
fn asked_exec_path() -> Option<OsString> {
    let mut git = system::command(find()?);
    git.arg("--exec-path").stdin(Stdio::null());
    let asked = git.stderr(Stdio::null()).output().ok()?;
    let path = asked.stdout.trim_ascii_end();
    (!path.is_empty()).then(|| path.to_os_str_lossy().into_owned())
}

/// The path of the program `name` in the directory of this program.
///
/// This program is found where links lead to.
pub fn own_path(name: &str) -> Option<PathBuf> {
    Some(exe()?.with_file_name(format!("{name}{EXE_SUFFIX}")))
}

/// This program, without symbolic links.
fn exe() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let exe = env::current_exe().ok()?;
        // Linux has resolved it.
        if cfg!(target_os = "linux") {
            Some(exe)
        } else {
            exe.canonicalize().ok()
        }
    };
    FOUND.get_or_init(find).as_deref()
}

/// As [`find`], in `path`. `is_own` knows this program, `is_other` other builds of it.
fn find_in(
    path: &OsStr,
    is_own: impl Fn(&Path, &Metadata) -> bool,
    is_other: impl Fn(&Path) -> bool,
) -> Option<(PathBuf, Metadata)> {
    let mut programs = Vec::new();
    let mut later = 0;
    for directory in env::split_paths(path) {
        // An empty name is the current directory.
        let program = Path::new(".").join(directory).join(system::GIT);
        let metadata = fs::metadata(&program).ok();
        let Some(metadata) = metadata.filter(system::is_program) else {
            continue;
        };
        if is_own(&program, &metadata) {
            later = programs.len();
        } else {
            programs.push((program, metadata));
        }
    }
    if later < programs.len() {
        return Some(programs.swap_remove(later));
    }
    // Another build before this one would run this one again.
    programs.into_iter().find(|(program, _)| !is_other(program))
}

/// True if a file is a build of this program.
fn is_marked(program: &Path) -> bool {
    let marker = std::hint::black_box(MARKER).as_bytes();
    fs::read(program).is_ok_and(|bytes| memchr::memmem::find(&bytes, marker).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of the programs in `names` is git for the program `own`; names with `t` are tblame.
    fn found(names: &[&str], own: &str) -> Option<String> {
        let root = tempfile::tempdir().unwrap();
        let own_file = root.path().join(own).join(system::GIT);
        let mut directories = Vec::new();
        for name in names {
            let directory = root.path().join(name);
            if fs::create_dir(&directory).is_ok() {
                let source = env::current_exe().unwrap();
                match *name {
                    "empty" => {}
                    // Any program will do.
                    _ => system::link_program(&source, &directory.join(system::GIT)).unwrap(),
                }
            }
            directories.push(directory);
        }
        let path = env::join_paths(&directories).unwrap();
        let is_own = |path: &Path, _: &Metadata| path == own_file;
        let is_other = |path: &Path| path.parent().unwrap().ends_with("t2");
        let (found, _) = find_in(&path, is_own, is_other)?;
        let name = found.parent()?.file_name()?.to_str()?;
        Some(name.to_owned())
    }

    #[test]
    fn git_is_the_next_program_of_its_name() {
        let some = |name: &str| Some(name.to_owned());
        assert_eq!(found(&["a", "b"], ""), some("a"));
        assert_eq!(found(&["t", "a", "b"], "t"), some("a"));
        assert_eq!(found(&["a", "t", "b"], "t"), some("b"));
        assert_eq!(found(&["t", "a", "t", "empty", "b"], "t"), some("b"));
        // No circle: each of two runs a later one, or git.
        assert_eq!(found(&["t", "t2", "a"], "t"), some("t2"));
        assert_eq!(found(&["t2", "a", "t"], "t"), some("a"));
        assert_eq!(found(&["t2", "t"], "t"), None);
        assert_eq!(found(&["t"], "t"), None);
        assert_eq!(found(&["empty"], "t"), None);
    }

    #[test]
    fn this_build_is_marked() {
        assert!(is_marked(&env::current_exe().unwrap()));
        let other = tempfile::NamedTempFile::new().unwrap();
        assert!(!is_marked(other.path()));
    }
}
