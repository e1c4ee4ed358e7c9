//! The git that is installed besides this program, which may stand in `PATH` under git's name.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use crate::system;

/// A text that every build of this program has in it, to be told from git.
static MARKER: &str = "tblame in place of git \u{1}";

/// The installed git: the first in `PATH`, but not this program.
///
/// If this program is there, the directories after it come first. Of several such programs each then runs a
/// later one, and the last runs git.
pub fn find() -> Option<PathBuf> {
    let own = std::env::current_exe().ok();
    let is_own = |path: &Path| {
        own.as_ref()
            .is_some_and(|own| system::is_same_file(own, path))
    };
    find_in(&std::env::var_os("PATH")?, is_own, is_marked)
}

/// As [`find`], in `path`. `is_own` knows this program, `is_other` other builds of it.
fn find_in(
    path: &OsStr,
    is_own: impl Fn(&Path) -> bool,
    is_other: impl Fn(&Path) -> bool,
) -> Option<PathBuf> {
    let mut programs = Vec::new();
    let mut later = 0;
    for directory in std::env::split_paths(path) {
        // An empty name is the current directory.
        let program = Path::new(".").join(directory).join(system::GIT);
        if !fs::metadata(&program).is_ok_and(|metadata| system::is_program(&metadata)) {
            continue;
        }
        match is_own(&program) {
            true => later = programs.len(),
            false => programs.push(program),
        }
    }
    if later < programs.len() {
        return Some(programs.swap_remove(later));
    }
    // Another build before this one would run this one again.
    programs.into_iter().find(|program| !is_other(program))
}

/// Whether a file is a build of this program.
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
                let source = std::env::current_exe().unwrap();
                match *name {
                    "empty" => {}
                    // Any program will do.
                    _ => system::link_program(&source, &directory.join(system::GIT)).unwrap(),
                }
            }
            directories.push(directory);
        }
        let path = std::env::join_paths(&directories).unwrap();
        let is_own = |path: &Path| path == own_file;
        let is_other = |path: &Path| path.parent().unwrap().ends_with("t2");
        let found = find_in(&path, is_own, is_other)?;
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
        assert!(is_marked(&std::env::current_exe().unwrap()));
        let other = tempfile::NamedTempFile::new().unwrap();
        assert!(!is_marked(other.path()));
    }
}
