//! Opens a path in the repository that it belongs to, where that is not the current directory's.

use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
};

use bstr::{BString, ByteSlice};

use crate::{cli::Invocation, repository::places::place::places, run::viewer};

/// The variables that choose a repository.
const CHOICES: [&str; 2] = ["GIT_DIR", "GIT_WORK_TREE"];

/// A path of another repository.
#[derive(Debug)]
pub(super) struct PathElsewhere {
    /// The root of the work tree that has it.
    root: PathBuf,
    /// Its directory, or the path itself if that is a directory.
    directory: PathBuf,
    /// What stands for it there.
    word: BString,
}

impl PathElsewhere {
    /// For the viewer and what git does not write: the last operand as a path of another
    /// repository. Without one, or where something else than the current directory chooses the
    /// repository, `None`.
    pub(super) fn named_by(invocation: &Invocation) -> Option<PathElsewhere> {
        let options = &invocation.options;
        let has_paths = options.contents.is_some()
            || options.grafts.is_some()
            || !options.ignored_files.is_empty();
        let is_chosen = CHOICES.iter().any(|name| std::env::var_os(name).is_some());
        let is_terminal = io::stdout().is_terminal();
        let is_ours = invocation.output.is_of_one_path()
            || viewer::is_requested(invocation, is_terminal, &mut Vec::new());
        if has_paths || is_chosen || !is_ours || !options.file_and_line {
            return None;
        }
        let word = options.operands.last()?;
        let of_place = places(word.as_bstr()).map(|place| place.file.len());
        let lens = std::iter::once(word.len()).chain(of_place);
        let mut found = lens.filter_map(|len| PathElsewhere::at(word, len));
        found.next()
    }

    /// The first bytes of a word as a path.
    fn at(word: &BString, len: usize) -> Option<PathElsewhere> {
        let (path, place) = word.split_at(len);
        let path = path.to_path_lossy();
        let (directory, name) = if path.symlink_metadata().ok()?.is_dir() {
            (path.as_ref(), ".".into())
        } else {
            (
                path.parent()?,
                BString::from(path.file_name()?.as_encoded_bytes()),
            )
        };
        let directory = Path::new(".").join(directory).canonicalize().ok()?;
        let root = root_of(&directory)?;
        let current = std::env::current_dir().ok()?.canonicalize().ok()?;
        let word = [name.as_bytes(), place].concat().into();
        (root_of(&current) != Some(root)).then(|| PathElsewhere {
            root: root.to_owned(),
            word,
            directory: directory.clone(),
        })
    }

    /// True if the path is a directory.
    pub(super) fn is_directory(&self) -> bool {
        self.word == "."
    }

    /// Makes it the path of the current directory's repository.
    ///
    /// # Errors
    ///
    /// If the directory cannot be entered.
    pub(super) fn enter(self, invocation: &mut Invocation) -> io::Result<()> {
        if let Some(file) = &mut invocation.config {
            let absolute = std::env::current_dir()?.join(file.to_path_lossy());
            *file = absolute.into_os_string().into_encoded_bytes().into();
        }
        std::env::set_current_dir(&self.directory)?;
        if let Some(last) = invocation.options.operands.last_mut() {
            *last = self.word;
        }
        invocation.notice = Some(format!("in another repository: {}", self.root.display()));
        Ok(())
    }
}

/// The directory at or above one that is the root of a work tree.
pub(super) fn root_of(directory: &Path) -> Option<&Path> {
    let mut above = directory.ancestors();
    above.find(|directory| directory.join(".git").exists())
}
