//! The interface between the viewer and a repository; tests implement it with scripts.

use std::{cmp::Reverse, collections::BTreeMap, ops::Range, sync::Arc};

use bstr::BString;

pub use crate::viewer::model::{
    background::queries::{CommitContext, Freshness, NamedVersion, PlaceQuery, Stamp, StampChange},
    blame_results::{BlameReport, BlameStats},
    file_version::{CommitMetadata, Failure, FileChange, FileVersion, Signature},
};
use crate::{
    diff,
    engine::Sink,
    objects::ObjectId,
    ranges::FunctionRule,
    repository::FetchObserver,
    viewer::model::{background::queries::QueryReaders, toggled_options::ToggledOptions},
};

/// A repository, as used by the blame task.
pub trait BlameSource: Send {
    /// The contents that are blamed, after conversions.
    ///
    /// # Errors
    /// If the file does not exist or cannot be read.
    fn contents(&mut self, version: &FileVersion) -> Result<Arc<[u8]>, Failure>;

    /// Blames a file, pushing attributed lines into `sink`.
    ///
    /// # Errors
    /// If an object is missing or damaged. Lines that were pushed before stay valid.
    fn blame(
        &mut self,
        version: &FileVersion,
        options: &ToggledOptions,
        sink: &mut dyn Sink,
    ) -> Result<BlameStats, Failure>;

    /// Blames lines (0-based) of a file, pushing them into `sink`.
    ///
    /// # Errors
    /// As those of [`blame`](BlameSource::blame).
    fn blame_lines(
        &mut self,
        _version: &FileVersion,
        _options: &ToggledOptions,
        _lines: Range<u32>,
        _sink: &mut dyn Sink,
    ) -> Result<(), Failure> {
        Err(Failure::new("single lines cannot be blamed here"))
    }

    /// True if the blame is kept from an earlier run, and will be there at once.
    fn is_kept(&mut self, _version: &FileVersion, _options: &ToggledOptions) -> bool {
        false
    }

    /// Passes the beginnings and ends of fetches to `observer` from now on.
    fn observe_fetches(&self, _observer: FetchObserver) {}

    /// Changes whether objects that a partial clone lacks are fetched, by
    /// [`contents`](BlameSource::contents) and [`blame`](BlameSource::blame). One that is not is a
    /// failure.
    fn set_fetching(&mut self, _fetches: bool) {}

    /// Keeps the last blame for later runs. Called when there is time for it.
    fn keep_blame(&mut self) {}

    /// The encoding that git's attributes declare for the contents.
    fn encoding(&mut self, _place: &FileVersion, _contents: &[u8]) -> Option<BString> {
        None
    }

    /// The width of tabs that the project sets for a file, in columns.
    fn tab_width(&mut self, _place: &FileVersion) -> Option<u8> {
        None
    }

    /// Diff options of the blame, without those that [`ToggledOptions`] set.
    fn diff_options(&self) -> diff::DiffOptions {
        diff::DiffOptions::default()
    }

    /// A reader of commits and contents to be used on another thread while
    /// [`blame`](BlameSource::blame) runs.
    fn version_reader(&self) -> Box<dyn VersionReader>;

    /// Readers that answer queries on other threads while a blame runs.
    fn query_readers(&self) -> QueryReaders;

    /// Work for times without input, on a thread of its own; `None` if there is none.
    fn idle_work(&self) -> Option<Box<dyn IdleWork>> {
        None
    }
}

/// Work that makes later runs of the program faster.
pub trait IdleWork: Send {
    /// Goes on with it until it is done, or `stop` is true.
    fn go_on(&mut self, stop: &dyn Fn() -> bool);
}

/// The files that a commit changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitChanges {
    /// The parent that it is compared with; `None` for a root commit.
    pub parent: Option<ObjectId>,
    /// All parents of the commit.
    pub parents: Vec<ObjectId>,
    /// The files, sorted by path.
    pub files: Vec<FileChange>,
    /// Number of further files that are not listed.
    pub more: usize,
}

impl CommitChanges {
    /// Where the commit moved a file, or most of the files of a directory that kept their paths below
    /// it; of several such directories, to one of the same name if there is one.
    pub fn moved_to(&self, path: &BString) -> Option<BString> {
        let mut targets: BTreeMap<&[u8], usize> = BTreeMap::new();
        for file in &self.files {
            let (Some((old, _)), Some((new, _)), false) = (&file.old, &file.new, file.copied)
            else {
                continue;
            };
            let Some(rest) = old.strip_prefix(path.as_slice()).filter(|_| old != new) else {
                continue;
            };
            match new.strip_suffix(rest) {
                _ if rest.is_empty() => return Some(new.as_ref().clone()),
                Some(start) if rest.starts_with(b"/") && !start.is_empty() => {
                    *targets.entry(start).or_default() += 1;
                }
                _ => {}
            }
        }
        let name = |path: &[u8]| path.rsplit(|&byte| byte == b'/').next().map(BString::from);
        let has_same_name = |start: &[u8]| name(start) == name(path);
        let targets = targets.into_iter();
        let most =
            targets.max_by_key(|&(start, files)| (files, has_same_name(start), Reverse(start)));
        most.map(|(start, _)| start.into())
    }
}

/// Reads commits and file contents.
pub trait VersionReader: Send {
    /// A commit, or the pseudo-commit of uncommitted changes for the null id.
    ///
    /// # Errors
    /// If the commit is missing or damaged.
    fn commit(&mut self, id: &ObjectId) -> Result<CommitMetadata, Failure>;

    /// A commit as a kept blame has it: without the committer, and with the summary in place of the
    /// message. `None` if it has no such commit.
    fn shortened_commit(&mut self, _id: &ObjectId) -> Option<CommitMetadata> {
        None
    }

    /// The contents as [`BlameSource::contents`] returns them.
    ///
    /// # Errors
    /// If the file does not exist or cannot be read.
    fn contents(&mut self, version: &FileVersion) -> Result<Arc<[u8]>, Failure>;

    /// The mode of a file in a commit; `None` if it does not exist or is in the work tree.
    ///
    /// # Errors
    /// If a tree is missing or damaged.
    fn mode(&mut self, _place: &FileVersion) -> Result<Option<u32>, Failure> {
        Ok(None)
    }

    /// The rule that tells which lines of a file start a function.
    fn function_rule(&mut self, _place: &FileVersion) -> FunctionRule {
        FunctionRule::default()
    }

    /// The files that a commit changed compared with `parent`, by default its first one; incomplete
    /// once `stop` returns true.
    ///
    /// # Errors
    /// If a commit or a tree is missing or damaged.
    fn changes(
        &mut self,
        _commit: &ObjectId,
        _parent: Option<ObjectId>,
        _stop: &dyn Fn() -> bool,
    ) -> Result<CommitChanges, Failure> {
        Ok(CommitChanges::default())
    }

    /// Diff options of the blame, without those that [`ToggledOptions`] set.
    fn diff_options(&self) -> diff::DiffOptions {
        diff::DiffOptions::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(old: &str, new: &str) -> FileChange {
        let side = |path: &str| Some((Arc::new(BString::from(path)), 0o100_644));
        FileChange {
            old: side(old),
            new: side(new),
            similarity: Some(90),
            copied: false,
        }
    }

    #[test]
    fn a_directory_moved_where_its_files_went() {
        let files = [
            change("a/b/c", "a/b/c"),
            change("a/bc", "x"),
            change("a/b/d", "y/z"),
            change("a/b/e/f", "new/e/f"),
            change("one", "two"),
        ];
        let changes = CommitChanges {
            files: files.to_vec(),
            ..CommitChanges::default()
        };
        let to = |path: &str| changes.moved_to(&path.into()).map(|path| path.to_string());
        assert_eq!(to("a/b").as_deref(), Some("new"));
        assert_eq!(to("a/bc").as_deref(), Some("x"));
        assert_eq!(to("one").as_deref(), Some("two"));
        assert_eq!(to("on"), None);
        assert_eq!(to("two"), None);
    }
}
