//! The names of the files of a version, which the finder searches.

use std::{
    collections::BTreeSet,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use bstr::{BStr, BString, ByteSlice};
use rustc_hash::FxHashSet;

use crate::{
    objects::{self, ObjectId},
    repository::content::{index_entries::IndexPath, tree_files},
    viewer::{
        model::{
            background::{
                queries::{FileListQuery, LeftOutFiles},
                query::{AnswerTaker, Answers, Found},
            },
            source::{Failure, FileVersion},
        },
        repository::git_history::GitHistory,
    },
};

/// Number of paths per batch.
const BATCH_LEN: usize = 1000;

/// Most names of a directory that are kept while its files are asked for.
const MAX_NAMES: usize = 100_000;

impl Answers<FileListQuery> for GitHistory {
    fn run(
        &mut self,
        FileListQuery { version }: &FileListQuery,
        AnswerTaker { found, .. }: AnswerTaker<'_, FileListQuery>,
    ) -> Result<LeftOutFiles, Failure> {
        let commit = match version {
            FileVersion::Commit { commit, .. } => Some(*commit),
            FileVersion::CommandLine
            | FileVersion::WorkTree { .. }
            | FileVersion::Reloaded { .. } => self.command_line_commit,
        };
        let commit = commit.ok_or_else(|| Failure::new("there is no commit yet"))?;
        let root = self.reader.commit_head(&commit).map_err(Failure::new)?.tree;
        let of_work_tree = self.is_of_work_tree(version);
        let work_tree = self.repository.paths().work_tree.clone();
        let names = Vec::new();
        let mut batches = NameBatches { names, found };
        let mut left_out = Vec::new();
        let listed = if let Some(work_tree) = work_tree.filter(|_| of_work_tree) {
            self.work_tree_files(&root, &work_tree, &mut batches, &mut left_out)
        } else {
            let hash = self.repository.hash();
            let add = |name: &BStr, _| batches.add(name.to_owned());
            tree_files::list(&mut self.reader, hash, &root, add)
        };
        if !batches.names.is_empty() {
            let _ = (batches.found)(batches.names);
        }
        // A cancelled listing is not an error.
        let _ = listed.map_err(Failure::new)?;
        Ok(LeftOutFiles {
            commit: (!left_out.is_empty()).then_some(commit),
            names: left_out,
        })
    }
}

impl GitHistory {
    /// The existing work tree files that are in the index, then those that are in a tree alone. Of
    /// that, `left_out` gets those that a sparse checkout leaves out.
    fn work_tree_files(
        &mut self,
        tree: &ObjectId,
        work_tree: &Path,
        batches: &mut NameBatches<'_>,
        left_out: &mut Vec<BString>,
    ) -> Result<ControlFlow<()>, objects::Error> {
        let mut present = PresentFiles {
            work_tree: work_tree.to_owned(),
            open: Vec::new(),
        };
        let mut staged = self.repository.index_paths();
        // A damaged index may have another order.
        staged.sort_unstable();
        staged.dedup_by(|next, other| next.path == other.path);
        let mut is_left_out = vec![false; staged.len()];
        for (at, IndexPath { path, .. }) in staged.iter().enumerate() {
            if present.has(path.as_bstr()) {
                if batches.add(path.clone()).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            } else {
                is_left_out[at] = staged[at].is_left_out;
            }
        }
        let hash = self.repository.hash();
        // A damaged tree may have names twice.
        let mut others = BTreeSet::new();
        let mut next = 0;
        tree_files::list(&mut self.reader, hash, tree, |name, _| {
            // Mostly, both have the same files in the same order.
            let found = match staged.get(next) {
                Some(staged) if staged.path == name => Ok(next),
                _ => staged.binary_search_by(|staged| staged.path.as_bstr().cmp(name)),
            };
            if let Ok(at) = found {
                next = at + 1;
                if is_left_out[at] {
                    left_out.push(name.to_owned());
                }
                return ControlFlow::Continue(());
            }
            if present.has(name) {
                let is_new = others.insert(name.to_owned());
                return if is_new {
                    batches.add(name.to_owned())
                } else {
                    ControlFlow::Continue(())
                };
            }
            // The index may have a directory as a whole, all of which is left out.
            let before = found.err().and_then(|at| staged.get(at.checked_sub(1)?));
            if before.is_some_and(|it| it.path.ends_with(b"/") && name.starts_with(&it.path)) {
                left_out.push(name.to_owned());
            }
            ControlFlow::Continue(())
        })
    }
}

/// Passes on names while others are listed.
struct NameBatches<'a> {
    names: Vec<BString>,
    found: Found<'a, FileListQuery>,
}

impl NameBatches<'_> {
    fn add(&mut self, name: BString) -> ControlFlow<()> {
        self.names.push(name);
        match self.names.len() {
            BATCH_LEN.. => (self.found)(std::mem::take(&mut self.names)),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Tells which files the work tree has. A directory is read as a whole, which takes a fraction of the time of
/// asking for each file in it.
struct PresentFiles {
    work_tree: PathBuf,
    /// The directories that lead to the last path asked for, each with a slash at its end, and the names in them of
    /// all but directories.
    open: Vec<(BString, FxHashSet<BString>)>,
}

impl PresentFiles {
    /// True if the work tree has a file or a symbolic link at `path`.
    fn has(&mut self, path: &BStr) -> bool {
        let name_at = path.rfind_byte(b'/').map_or(0, |slash| slash + 1);
        let (directory, name) = path.split_at(name_at);
        while let Some((open, _)) = self.open.last()
            && !directory.starts_with(open)
        {
            self.open.pop();
        }
        if self.open.last().is_none_or(|(open, _)| open != directory) {
            let names = self.names(directory);
            self.open.push((directory.into(), names));
        }
        let read = self.open.last();
        let is_known = read.is_some_and(|(_, names)| names.contains(name.as_bstr()));
        // A file system may know a name in another case or composition, and a directory may have more names.
        is_known || self.is_there(path)
    }

    /// The names in a directory, but for those of directories.
    fn names(&self, directory: &[u8]) -> FxHashSet<BString> {
        let place = self.work_tree.join(directory.to_path_lossy());
        let entries = place.read_dir().into_iter().flatten().flatten();
        let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_dir()));
        let names = files.map(|entry| BString::from(entry.file_name().into_encoded_bytes()));
        names.take(MAX_NAMES).collect()
    }

    fn is_there(&self, path: &BStr) -> bool {
        let file = path.to_path().map(|path| self.work_tree.join(path));
        let there = file.map(|file| file.symlink_metadata());
        there.is_ok_and(|there| there.is_ok_and(|there| !there.is_dir()))
    }
}
