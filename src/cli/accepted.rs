//! Options of git's revision and diff parsers that `git blame` accepts without any effect.

/// How an accepted option is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `--x`; with a value it is another, unknown option.
    Flag,
    /// `--x` or `--x=V`.
    Optional,
    /// `--x=V` only.
    Attached,
    /// `--x=V` or `--x V`.
    Value,
    /// As [`Shape::Value`], and V must be a number.
    Number,
    /// Adds revisions: stays among the words, in its place.
    Words,
    /// As [`Shape::Words`], with or without `=V`.
    WordsOptional,
    /// As [`Shape::Words`], always with `=V`.
    WordsAttached,
}

/// Long options of the revision parser.
pub const REVISION: &[(Shape, &[&str])] = &[
    (
        Shape::Words,
        &[
            "all",
            "not",
            "reflog",
            "alternate-refs",
            "bisect",
            "indexed-objects",
            "do-walk",
        ],
    ),
    (
        Shape::WordsOptional,
        &["branches", "tags", "remotes", "no-walk"],
    ),
    (Shape::WordsAttached, &["glob", "exclude", "exclude-hidden"]),
    (Shape::Number, &["max-count", "skip"]),
    (
        Shape::Value,
        &["author", "committer", "grep", "diff-merges"],
    ),
    (Shape::Attached, &["min-parents", "max-parents", "format"]),
    (
        Shape::Optional,
        &[
            "pretty",
            "expand-tabs",
            "notes",
            "show-notes",
            "show-linear-break",
            "abbrev",
        ],
    ),
    (
        Shape::Flag,
        &[
            "all-match",
            "invert-grep",
            "regexp-ignore-case",
            "extended-regexp",
            "basic-regexp",
            "fixed-strings",
            "perl-regexp",
            "remove-empty",
            "merges",
            "maximal-only",
            "no-merges",
            "no-min-parents",
            "no-max-parents",
            "ignore-missing",
            "cherry-mark",
            "cherry-pick",
            "left-only",
            "right-only",
            "cherry",
            "walk-reflogs",
            "boundary",
            "simplify-by-decoration",
            "show-pulls",
            "full-history",
            "dense",
            "sparse",
            "simplify-merges",
            "objects",
            "in-commit-order",
            "objects-edge",
            "objects-edge-aggressive",
            "unpacked",
            "abbrev-commit",
            "no-abbrev-commit",
            "oneline",
            "no-expand-tabs",
            "no-notes",
            "show-notes-by-default",
            "standard-notes",
            "no-standard-notes",
            "show-signature",
            "no-show-signature",
            "parents",
            "children",
            "left-right",
            "graph",
            "no-graph",
            "count",
            "no-diff-merges",
            "remerge-diff",
            "cc",
            "dd",
            "log-size",
            "verify-objects",
            "no-commit-id",
            "always",
            "full-diff",
        ],
    ),
];

/// Long options of the diff parser. What has no `--no-` form here is not negatable.
pub const DIFF: &[(Shape, &[&str])] = &[
    (
        Shape::Optional,
        &[
            "unified",
            "stat",
            "dirstat",
            "dirstat-by-file",
            "submodule",
            "color-moved",
            "word-diff",
            "color-words",
            "break-rewrites",
            "find-renames",
            "find-copies",
            "relative",
            "ignore-submodules",
        ],
    ),
    (
        Shape::Value,
        &[
            "output",
            "output-indicator-new",
            "output-indicator-old",
            "output-indicator-context",
            "anchored",
            "stat-width",
            "stat-name-width",
            "stat-count",
            "stat-graph-width",
            "color-moved-ws",
            "word-diff-regex",
            "ws-error-highlight",
            "diff-filter",
            "find-object",
            "skip-to",
            "rotate-to",
            "ignore-matching-lines",
            "inter-hunk-context",
            "src-prefix",
            "dst-prefix",
            "line-prefix",
            "max-depth",
        ],
    ),
    (
        Shape::Flag,
        &[
            "quiet",
            "no-quiet",
            "patch",
            "no-patch",
            "raw",
            "patch-with-raw",
            "patch-with-stat",
            "patience",
            "histogram",
            "compact-summary",
            "no-compact-summary",
            "numstat",
            "shortstat",
            "cumulative",
            "summary",
            "name-only",
            "name-status",
            "no-color-moved",
            "no-color-moved-ws",
            "no-renames",
            "rename-empty",
            "no-rename-empty",
            "check",
            "full-index",
            "no-full-index",
            "binary",
            "irreversible-delete",
            "pickaxe-all",
            "pickaxe-regex",
            "no-relative",
            "text",
            "no-text",
            "ignore-cr-at-eol",
            "ignore-space-at-eol",
            "ignore-space-change",
            "ignore-all-space",
            "ignore-blank-lines",
            "function-context",
            "no-function-context",
            "exit-code",
            "no-exit-code",
            "ext-diff",
            "no-ext-diff",
            "no-prefix",
            "default-prefix",
            "ita-invisible-in-index",
            "ita-visible-in-index",
        ],
    ),
];

/// Short options that the revision parser knows, alone in their word.
pub fn revision_letter(letter: char) -> bool {
    matches!(
        letter,
        'g' | 'i' | 'm' | 'r' | 't' | 'u' | 'v' | 'E' | 'F' | 'P' | 'c'
    )
}

/// Short options of the diff parser, which can be bundled.
pub fn diff_letter(letter: char) -> Option<Shape> {
    use Shape::*;
    Some(match letter {
        'p' | 's' | 'u' | 'z' | 'a' | 'b' | 'w' | 'R' | 'D' | 'W' => Flag,
        'B' | 'U' | 'X' | 'M' | 'C' => Optional,
        'G' | 'I' | 'O' | 'S' => Value,
        'l' => Number,
        _ => return None,
    })
}

/// How the long option `name` is written, if `table` has it.
pub fn shape(table: &[(Shape, &[&str])], name: &str) -> Option<Shape> {
    let group = table.iter().find(|(_, names)| names.contains(&name))?;
    Some(group.0)
}
