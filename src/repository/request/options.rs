//! The options of a blame as given, not yet resolved against a repository.

use std::sync::Arc;

use bstr::{BString, ByteSlice};

use crate::{
    diff::{Algorithm, OlderDiff},
    engine::{CommitOrder, MoveDetection},
    repository::open::repository::Repository,
    system::git_version::GitVersion,
};

/// Options of a blame as given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BlameOptions {
    /// Revisions, revision options, `--` and the file, in the order given.
    pub operands: Vec<BString>,
    /// `--ancestry-path`, with and without a commit, in the order given.
    pub ancestry_path: Vec<Option<BString>>,
    /// `--simplify-by-decoration`.
    pub simplify_by_decoration: bool,
    /// `--default`: the revision if no operand is one.
    pub default_revision: Option<BString>,
    /// `--ignore-missing`.
    pub ignore_missing: bool,
    /// `--walk-reflogs`.
    pub walk_reflogs: bool,
    /// `--since`, `--after`: a date, as written.
    pub since: Option<BString>,
    /// `--max-age`: seconds since the epoch.
    pub max_age: Option<i64>,
    /// `--until`, `--before`: a date, as written.
    pub until: Option<BString>,
    /// `--min-age`: seconds since the epoch.
    pub min_age: Option<i64>,
    /// `--since-as-filter`: a date, as written.
    pub since_as_filter: Option<BString>,
    /// `--topo-order`, `--date-order`, `--author-date-order`: the listing order of `--reverse` and
    /// `--line-history`.
    pub order: CommitOrder,
    /// `--exclude-first-parent-only`.
    pub exclude_first_parent_only: bool,
    /// `--first-parent`.
    pub first_parent: bool,
    /// `--reverse`.
    pub reverse: bool,
    /// Follow whole-file renames (`--no-follow` clears it).
    pub follow: bool,
    /// `-S`.
    pub grafts: Option<BString>,
    /// `--contents`.
    pub contents: Option<BString>,
    /// Unsaved contents of the file, in place of a file to read them from.
    pub buffer: Option<Arc<[u8]>>,
    /// `-L`, in order.
    pub ranges: Vec<BString>,
    /// The version of git whose built-in drivers say where functions begin.
    pub functions_of: GitVersion,
    /// The locale is UTF-8: patterns of `-L` match characters, not bytes.
    pub utf8_patterns: bool,
    /// A path that is not a file is tried as `FILE:N`, and `+N` is a line.
    pub file_and_line: bool,
    /// Discards what filters and text conversions write to their standard error, for a screen on
    /// which it would appear.
    pub silences_commands: bool,
    /// The revisions must leave a commit to blame. Without one git blames the work tree, as for
    /// `HEAD..HEAD`.
    pub of_commit: bool,
    /// The path is a directory, whose files the user chooses from.
    pub directory: bool,
    /// Errors about a file that does not exist suggest similar paths.
    pub suggest_paths: bool,
    /// `-w`.
    pub ignore_whitespace: bool,
    /// `--diff-algorithm` or `--minimal`.
    pub algorithm: Option<Algorithm>,
    /// The differences of older gits.
    pub older_diff: OlderDiff,
    /// `:(optional)` before a name of `blame.ignoreRevsFile` is a part of it, as before git 2.52.
    pub no_optional_files: bool,
    /// `--[no-]indent-heuristic`.
    pub indent_heuristic: Option<bool>,
    /// `-M` and `-C`.
    pub movement: MoveDetection,
    /// `--ignore-rev`.
    pub ignored: Vec<BString>,
    /// `--ignore-revs-file`; an empty name clears the list so far.
    pub ignored_files: Vec<BString>,
    /// A configured list of ignored revisions that cannot be read is a warning.
    pub tolerates_missing_lists: bool,
    /// `--no-ignore-revs-file`: skip the configured files too.
    pub forget_configured_ignored_files: bool,
    /// `--[no-]auto-ignore-revs`: ignore the revisions of
    /// [`ROOT_FILE`](super::ignored_revisions::ROOT_FILE). By default only the viewer does.
    pub root_ignored_file: Option<bool>,
    /// Apply text conversion (`--no-textconv` clears it).
    pub text_conversion: bool,
    /// `--root` or `--no-root`.
    pub show_root: Option<bool>,
}

impl BlameOptions {
    /// True if the files that are read for a blame besides the one that is blamed can be read once
    /// more: a pipe cannot.
    pub fn is_repeatable(&self, repository: &Repository) -> bool {
        let configured = &repository.config().ignored_files;
        let names = self.contents.iter().chain(&self.grafts);
        let names = names.chain(&self.ignored_files).chain(configured);
        let mut named = names.filter(|name| !name.is_empty());
        named.all(|name| name != "-" && repository.named_file(name.as_bstr()).is_file())
    }

    /// The same for an operand that names a directory.
    pub(crate) fn of_directory(&self) -> BlameOptions {
        BlameOptions {
            directory: true,
            ..self.clone()
        }
    }

    /// True if `-L` names functions.
    pub fn names_functions(&self) -> bool {
        let mut ranges = self.ranges.iter();
        ranges.any(|range| range.starts_with(b":") || range.starts_with(b"^:"))
    }
}
