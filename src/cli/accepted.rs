//! Options of git's revision and diff parsers that `git blame` accepts, most of them without any
//! effect.

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
    /// Adds revisions: stays among the words, in its place.
    Words,
    /// As [`Shape::Words`], with or without `=V`.
    WordsOptional,
    /// As [`Shape::Words`], always with `=V`.
    WordsAttached,
}

/// Long options of the revision parser that say which commits are looked at.
pub const CHOOSING: &[(Shape, &[&str])] = &[
    (Shape::Optional, &["ancestry-path"]),
    (
        Shape::Flag,
        &["ignore-missing", "simplify-by-decoration", "walk-reflogs"],
    ),
];

/// Other long options of the revision parser.
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
            "merge",
        ],
    ),
    (
        Shape::WordsOptional,
        &["branches", "tags", "remotes", "no-walk"],
    ),
    (Shape::WordsAttached, &["glob", "exclude", "exclude-hidden"]),
    (
        Shape::Value,
        &[
            "author",
            "committer",
            "grep",
            "grep-reflog",
            "diff-merges",
            "max-count",
            "max-count-oldest",
            "skip",
        ],
    ),
    (
        Shape::Attached,
        &["min-parents", "max-parents", "format", "graph-lane-limit"],
    ),
    (
        Shape::Optional,
        &[
            "pretty",
            "expand-tabs",
            "notes",
            "show-notes",
            "show-linear-break",
            "abbrev",
            "unpacked",
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
            "cherry-mark",
            "cherry-pick",
            "left-only",
            "right-only",
            "cherry",
            "boundary",
            "show-pulls",
            "full-history",
            "dense",
            "sparse",
            "simplify-merges",
            "objects",
            "in-commit-order",
            "objects-edge",
            "objects-edge-aggressive",
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
            "graph-indent",
            "no-graph-indent",
            "combined-all-paths",
            "encode-email-headers",
            "no-encode-email-headers",
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
            "no-no-patch",
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

/// Short options that the revision parser knows, alone in their word, with their long names where
/// these matter.
pub fn revision_letter(letter: char) -> Option<&'static str> {
    Some(match letter {
        'g' => "walk-reflogs",
        'i' => "regexp-ignore-case",
        'E' => "extended-regexp",
        'F' => "fixed-strings",
        'P' => "perl-regexp",
        'c' | 'm' | 'r' | 't' | 'u' | 'v' => "",
        _ => return None,
    })
}

/// Short options of the diff parser, which can be bundled, with their long names where these matter.
pub fn diff_letter(letter: char) -> Option<(Shape, &'static str)> {
    use Shape::*;
    Some(match letter {
        's' => (Flag, "no-patch"),
        'p' | 'u' => (Flag, "patch"),
        'z' | 'a' | 'b' | 'w' | 'R' | 'D' | 'W' => (Flag, ""),
        'B' => (Optional, "break-rewrites"),
        'U' => (Optional, "unified"),
        'X' => (Optional, "dirstat"),
        'M' | 'C' => (Optional, "find-renames"),
        'G' => (Value, "G"),
        'I' => (Value, "ignore-matching-lines"),
        'O' | 'S' => (Value, ""),
        _ => return None,
    })
}

/// How the long option `name` is written, if `table` has it.
pub fn shape(table: &[(Shape, &[&str])], name: &str) -> Option<Shape> {
    let group = table.iter().find(|(_, names)| names.contains(&name))?;
    Some(group.0)
}

/// Accepted options that undo others: these, and what they undo.
const UNDOING: &[(&[&str], &[&str])] = &[
    (&["no-graph"], &["graph"]),
    (&["no-no-patch"], &["no-patch"]),
    (&["no-patch"], &["name-only", "name-status", "check"]),
    (&["no-diff-merges"], &["cc", "diff-merges"]),
    (
        &[
            "patch",
            "raw",
            "stat",
            "stat-width",
            "stat-name-width",
            "stat-count",
            "stat-graph-width",
            "numstat",
            "shortstat",
            "summary",
            "dirstat",
            "dirstat-by-file",
            "cumulative",
            "patch-with-raw",
            "patch-with-stat",
            "unified",
            "compact-summary",
            "binary",
        ],
        &["no-patch"],
    ),
];

/// The accepted options that count no more after the option `name`.
pub fn undone_by(name: &str) -> &'static [&'static str] {
    let found = UNDOING.iter().find(|(names, _)| names.contains(&name));
    found.map_or(&[], |(_, undone)| undone)
}
