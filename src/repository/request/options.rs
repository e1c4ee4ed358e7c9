//! What to blame and how, as asked for, before the repository gave it a meaning.

use bstr::BString;

use crate::{
    diff::Algorithm,
    engine::{Movement, Order},
};

/// An option that has no effect on a blame, but may be refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// Its long name.
    pub name: String,
    /// Its value, where one was given.
    pub value: Option<BString>,
}

/// A blame as asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Revisions, revision options, `--` and the file, in the order given.
    pub words: Vec<BString>,
    /// Options without effect, in the order given.
    pub accepted: Vec<Accepted>,
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
    /// `--topo-order`, `--date-order`, `--author-date-order`: how `--reverse` lists.
    pub order: Order,
    /// `--exclude-first-parent-only`.
    pub exclude_first_parent_only: bool,
    /// `--first-parent`.
    pub first_parent: bool,
    /// `--reverse`.
    pub reverse: bool,
    /// Whole-file renames are followed: `--no-follow` was not given.
    pub follow: bool,
    /// `-S`.
    pub grafts: Option<BString>,
    /// `--contents`.
    pub contents: Option<BString>,
    /// `-w`.
    pub ignore_whitespace: bool,
    /// `--diff-algorithm` or `--minimal`.
    pub algorithm: Option<Algorithm>,
    /// `--[no-]indent-heuristic`.
    pub indent_heuristic: Option<bool>,
    /// `-M` and `-C`.
    pub movement: Movement,
    /// `--ignore-rev`.
    pub ignored: Vec<BString>,
    /// `--ignore-revs-file`; an empty name forgets the names before it.
    pub ignored_files: Vec<BString>,
    /// `--no-ignore-revs-file` was given: the configured files do not count either.
    pub forget_configured_ignored_files: bool,
    /// `--[no-]auto-ignore-revs`: the commits that `.git-blame-ignore-revs` names
    /// are looked through. Not given, only the viewer does.
    pub root_ignored_file: Option<bool>,
    /// `--no-textconv` was not given.
    pub text_conversion: bool,
    /// `--root` or `--no-root`.
    pub show_root: Option<bool>,
}

impl Options {
    /// Whether the option of this long name was given, and accepted without effect.
    pub fn accepts(&self, name: &str) -> bool {
        self.accepted.iter().any(|option| option.name == name)
    }
}
