//! The options of a blame.

use std::{
    ops::{Bound, RangeBounds},
    path::Path,
    sync::Arc,
};

use bstr::BString;

use super::{
    cancellation::Cancellation,
    error::{Error, ErrorKind, Result},
    repository::{Repository, path_bytes},
};
use crate::{
    diff::Algorithm,
    engine::{CommitOrder, MoveDetection},
    repository::request::options::BlameOptions,
};

/// In which other files lines that a commit added are searched for (`-C`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[non_exhaustive]
pub enum Copies {
    /// In none; renames of the whole file are still followed.
    #[default]
    Off,
    /// In the other files that the same commit changed (`-C`).
    ChangedFiles,
    /// Also, for the commit that created the file, in all files (`-C -C`).
    AtCreation,
    /// In all files, for every commit (`-C -C -C`). Slow.
    AllFiles,
}

/// A blame to be run: what to blame, and how. Made by [`Repository::blame`].
///
/// Without options it does what `git blame FILE` does, with the repository's configuration: it
/// blames the file in the work tree, or in `HEAD` if the repository is bare. Finish it with
/// [`run`](BlameBuilder::run) or [`stream`](BlameBuilder::stream), on any thread.
#[derive(Debug, Clone)]
#[must_use = "a blame does nothing until it is run"]
pub struct BlameBuilder {
    pub(super) repository: Repository,
    pub(super) path: BString,
    /// The last argument of [`at`](BlameBuilder::at).
    pub(super) revision: Option<BString>,
    /// Revisions with `^`.
    pub(super) excluded: Vec<BString>,
    pub(super) options: BlameOptions,
    pub(super) encoding: Option<BString>,
    pub(super) threads: Option<usize>,
    pub(super) cancellation: Option<Cancellation>,
    /// The first invalid argument.
    pub(super) invalid: Option<&'static str>,
}

impl Repository {
    /// A blame of the file at `path`: absolute, or relative to the root of the work tree.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/library/example.rs"));
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = example_repository();
    /// # let repository = tblame::Repository::open(directory.path())?;
    /// let blame = repository.blame("src/main.rs").run()?;
    /// let entry = blame.entry_at(2).unwrap();
    /// assert_eq!(entry.lines(), 2..3);
    /// assert_eq!(entry.commit().summary(), "Print two");
    /// assert_eq!(entry.commit().author().name(), "Ann Lee");
    /// assert_eq!(entry.commit().author().seconds(), 1_600_000_000);
    /// # Ok(())
    /// # }
    /// ```
    pub fn blame(&self, path: impl AsRef<Path>) -> BlameBuilder {
        BlameBuilder::new(self, path.as_ref())
    }
}

impl BlameBuilder {
    pub(super) fn new(repository: &Repository, path: &Path) -> BlameBuilder {
        BlameBuilder {
            repository: repository.clone(),
            path: path_bytes(path),
            revision: None,
            excluded: Vec::new(),
            options: BlameOptions {
                follow: true,
                text_conversion: true,
                ..BlameOptions::default()
            },
            encoding: None,
            threads: None,
            cancellation: None,
            invalid: None,
        }
    }

    /// Blames the file as it is in this revision, instead of the work tree: a name, an id or an
    /// expression such as `v1.0`, `HEAD~3` or `main@{yesterday}`.
    ///
    /// A range such as `v1.0..main` also limits the blame: lines older than `v1.0` come from a
    /// [boundary](crate::BlameEntry::is_boundary).
    ///
    /// A repeated call replaces the revision. Options such as `--all` are refused, as is all that
    /// begins with `-`, and so is what leaves no commit to blame, such as `HEAD..HEAD`: git blames
    /// the work tree then.
    pub fn at(mut self, revision: impl AsRef<str>) -> Self {
        self.revision = Some(revision.as_ref().into());
        self.options.of_commit = true;
        self
    }

    /// Excludes the history of this revision: commits reachable from it are boundaries
    /// (`^revision`). Repeated calls add revisions.
    pub fn exclude(mut self, revision: impl AsRef<str>) -> Self {
        self.excluded.push(["^", revision.as_ref()].concat().into());
        self
    }

    /// Blames these contents on top of [the revision](BlameBuilder::at) or `HEAD`, as an editor's
    /// unsaved buffer. They are converted as `git add` would: line endings, encoding and clean
    /// filters. Lines that differ from the commit are
    /// [uncommitted](crate::BlameEntry::is_uncommitted).
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/library/example.rs"));
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = example_repository();
    /// # let repository = tblame::Repository::open(directory.path())?;
    /// let buffer = "// new\nfn main() {\n}\n";
    /// let blame = repository.blame("src/main.rs").contents(buffer).run()?;
    /// assert!(blame.entry_at(0).unwrap().is_uncommitted());
    /// assert!(!blame.entry_at(1).unwrap().is_uncommitted());
    /// # Ok(())
    /// # }
    /// ```
    pub fn contents(mut self, contents: impl Into<Vec<u8>>) -> Self {
        self.options.buffer = Some(Arc::from(contents.into()));
        self
    }

    /// Blames only these lines: 0-based, half-open, for example `10..20`, `..5` or `100..`.
    /// Repeated calls add ranges. A start beyond the end of the file is an error, an end is not.
    pub fn lines(mut self, range: impl RangeBounds<u32>) -> Self {
        let start = match range.start_bound() {
            Bound::Included(&start) => u64::from(start),
            Bound::Excluded(&start) => u64::from(start) + 1,
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&end) => Some(u64::from(end) + 1),
            Bound::Excluded(&end) => Some(u64::from(end)),
            Bound::Unbounded => None,
        };
        match end {
            Some(end) if end <= start => self.invalid = Some("the range of lines is empty"),
            Some(end) => self.push_range(format!("{},{end}", start + 1)),
            None if start > 0 => self.push_range(format!("{},", start + 1)),
            None => {}
        }
        self
    }

    /// Blames only the lines that an argument of `git blame -L` selects: 1-based numbers, offsets,
    /// regular expressions and functions, for example `/^struct/,+10` or `:main`. Repeated calls
    /// add ranges.
    pub fn line_range(mut self, argument: impl AsRef<str>) -> Self {
        self.push_range(argument.as_ref().to_owned());
        self
    }

    fn push_range(&mut self, argument: String) {
        self.options.ranges.push(argument.into());
    }

    /// Ignores all white space when versions are compared (`-w`).
    pub fn ignore_whitespace(mut self, yes: bool) -> Self {
        self.options.ignore_whitespace = yes;
        self
    }

    /// The diff algorithm, instead of the configured one (`--diff-algorithm`).
    pub fn algorithm(mut self, algorithm: Algorithm) -> Self {
        self.options.algorithm = Some(algorithm);
        self
    }

    /// Shifts hunks to boundaries of indentation (`--indent-heuristic`), instead of as
    /// configured.
    pub fn indent_heuristic(mut self, yes: bool) -> Self {
        self.options.indent_heuristic = Some(yes);
        self
    }

    /// Follows lines that were moved within the file (`-M`).
    pub fn moves(mut self, yes: bool) -> Self {
        self.options.movement.moves = yes.then_some(MoveDetection::MOVES);
        self
    }

    /// As [`moves`](BlameBuilder::moves), for blocks of at least this score: about the number of
    /// letters and digits. The default is 20.
    pub fn moves_with_score(mut self, score: u32) -> Self {
        self.options.movement.moves = Some(score);
        self
    }

    /// Follows lines that were copied from other files (`-C`), and moves within the file.
    pub fn copies(self, copies: Copies) -> Self {
        self.copies_with_score(copies, MoveDetection::COPIES)
    }

    /// As [`copies`](BlameBuilder::copies), for blocks of at least this score: about the number of
    /// letters and digits. The default is 40.
    pub fn copies_with_score(mut self, copies: Copies, score: u32) -> Self {
        let movement = &mut self.options.movement;
        movement.copy_level = copies as u8;
        movement.copies = match copies {
            Copies::Off => None,
            _ => Some(score),
        };
        if copies != Copies::Off {
            movement.moves.get_or_insert(MoveDetection::MOVES);
        }
        self
    }

    /// Ignores a revision: lines are blamed as if it had not been made (`--ignore-rev`). Repeated
    /// calls add revisions.
    pub fn ignore_revision(mut self, revision: impl AsRef<str>) -> Self {
        self.options.ignored.push(revision.as_ref().into());
        self
    }

    /// Ignores the revisions that this file lists (`--ignore-revs-file`), in addition to those
    /// of `blame.ignoreRevsFile`. A relative path starts at the root of the work tree.
    pub fn ignore_revisions_file(mut self, file: impl AsRef<Path>) -> Self {
        let name = self.file_name(file.as_ref());
        self.options.ignored_files.push(name);
        self
    }

    /// The name of a file as git has it. An empty one is refused, which git would take for no file.
    fn file_name(&mut self, file: &Path) -> BString {
        if file.as_os_str().is_empty() {
            self.invalid = Some("the name of a file is empty");
        }
        path_bytes(file)
    }

    /// Ignores the revisions that `.git-blame-ignore-revs` in the root of the work tree lists,
    /// if there is such a file (`--auto-ignore-revs`). It is not read by default.
    pub fn auto_ignore_revisions(mut self, yes: bool) -> Self {
        self.options.root_ignored_file = Some(yes);
        self
    }

    /// Reads the files of `blame.ignoreRevsFile`. This is the default.
    pub fn use_configured_ignore_revisions(mut self, yes: bool) -> Self {
        self.options.forget_configured_ignored_files = !yes;
        self
    }

    /// Follows only first parents (`--first-parent`).
    pub fn first_parent(mut self, yes: bool) -> Self {
        self.options.first_parent = yes;
        self
    }

    /// Follows only first parents from the revisions that limit the blame
    /// (`--exclude-first-parent-only`).
    pub fn exclude_first_parent_only(mut self, yes: bool) -> Self {
        self.options.exclude_first_parent_only = yes;
        self
    }

    /// Walks forward (`--reverse`): the file of the oldest commit of the range
    /// ([`at("v1.0..main")`](BlameBuilder::at)) is blamed, and each line comes from the last commit
    /// that still has it.
    pub fn reverse(mut self, yes: bool) -> Self {
        self.options.reverse = yes;
        self
    }

    /// The order in which [`reverse`](BlameBuilder::reverse) lists commits, which decides which
    /// child of a commit comes first.
    pub fn reverse_order(mut self, order: CommitOrder) -> Self {
        self.options.order = order;
        self
    }

    /// Follows renames of the whole file. It does by default (`--no-follow` for false).
    pub fn follow(mut self, yes: bool) -> Self {
        self.options.follow = yes;
        self
    }

    /// Limits the blame by date (`--since`): lines that are older come from a
    /// [boundary](crate::BlameEntry::is_boundary). In seconds since 1970-01-01 00:00 UTC.
    pub fn since(mut self, seconds: i64) -> Self {
        self.options.max_age = Some(seconds);
        self
    }

    /// With [`reverse`](BlameBuilder::reverse), leaves younger commits out (`--until`). In seconds
    /// since 1970-01-01 00:00 UTC.
    pub fn until(mut self, seconds: i64) -> Self {
        self.options.min_age = Some(seconds);
        self
    }

    /// Limits the blame to commits on the path from the excluded revisions (`--ancestry-path`).
    pub fn ancestry_path(mut self, yes: bool) -> Self {
        self.options.ancestry_path = if yes { vec![None] } else { Vec::new() };
        self
    }

    /// Skips commits that no reference points at (`--simplify-by-decoration`).
    pub fn simplify_by_decoration(mut self, yes: bool) -> Self {
        self.options.simplify_by_decoration = yes;
        self
    }

    /// Reads parents that override the stored ones from this file (`-S`). A relative path starts at
    /// the root of the work tree.
    pub fn grafts_file(mut self, file: impl AsRef<Path>) -> Self {
        self.options.grafts = Some(self.file_name(file.as_ref()));
        self
    }

    /// Shows root commits without the mark of a boundary (`--root`), instead of as
    /// configured.
    pub fn show_root(mut self, yes: bool) -> Self {
        self.options.show_root = Some(yes);
        self
    }

    /// Converts files to text by the commands of their diff drivers (`textconv`). This is the
    /// default (`--no-textconv` for false).
    pub fn text_conversion(mut self, yes: bool) -> Self {
        self.options.text_conversion = yes;
        self
    }

    /// The encoding of commit texts (`--encoding`), instead of the configured one or UTF-8. `none`
    /// keeps the stored bytes.
    pub fn encoding(mut self, name: impl AsRef<str>) -> Self {
        self.encoding = Some(name.as_ref().into());
        self
    }

    /// The number of threads: with 1 everything runs in the calling thread, more add one that reads
    /// ahead. The default is the number of processors. The result is the same.
    pub fn threads(mut self, count: usize) -> Self {
        self.threads = Some(count);
        self
    }

    /// Lets another thread cancel the blame.
    pub fn cancel_with(mut self, cancellation: &Cancellation) -> Self {
        self.cancellation = Some(cancellation.clone());
        self
    }

    pub(super) fn check(&self) -> Result<()> {
        if let Some(message) = self.invalid {
            return Err(Error::new(ErrorKind::Request, message));
        }
        match &self.revision {
            Some(revision) if revision.starts_with(b"-") => {
                let message = format!("'{revision}' is an option, not a revision");
                Err(Error::new(ErrorKind::Request, message))
            }
            _ => Ok(()),
        }
    }
}
