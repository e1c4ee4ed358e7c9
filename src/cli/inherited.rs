//! Options that `git blame` inherits from git's revision and diff parsers and that add revisions or
//! have no effect on a blame. The values of the latter are ignored.

/// Which of git's parsers knows an option; their rules and messages differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionParser {
    /// That of `git blame`: unique prefixes of long names are understood.
    Blame,
    /// That of `git rev-list`: exact names, no `--no-` forms.
    Revision,
    /// That of `git diff`: exact names.
    Diff,
    /// tblame's own options: exact names.
    Tblame,
}

/// How an inherited option is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueSyntax {
    /// `--x`; the revision parser takes `--x=V` for another, unknown option.
    Flag,
    /// `--x` or `--x=V`.
    OptionalValue,
    /// `--x=V` only.
    AttachedValue,
    /// `--x=V` or `--x V`.
    Value,
}

/// The effect of inherited options on a blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlameEffect {
    /// They add revisions, and are kept among the operands, in their order.
    AddRevisions,
    /// None.
    Nothing,
}

/// Inherited options of one parser that are alike.
#[derive(Debug)]
pub struct InheritedGroup {
    /// The parser that knows them.
    pub parser: OptionParser,
    pub effect: BlameEffect,
    pub syntax: ValueSyntax,
    /// Long names without the dashes, separated by blanks.
    pub names: &'static str,
}

const fn group(
    parser: OptionParser,
    effect: BlameEffect,
    syntax: ValueSyntax,
    names: &'static str,
) -> InheritedGroup {
    InheritedGroup {
        parser,
        effect,
        syntax,
        names,
    }
}

use BlameEffect::{AddRevisions, Nothing};
use OptionParser::{Diff, Revision};
use ValueSyntax::{AttachedValue, Flag, OptionalValue, Value};

/// Every inherited long option that has no row in [`OPTIONS`](crate::cli::options::OPTIONS). A
/// `--no-` form that git knows has a name of its own here.
#[rustfmt::skip]
pub const INHERITED: &[InheritedGroup] = &[
    group(Revision, AddRevisions, Flag,
        "all not reflog alternate-refs bisect indexed-objects do-walk merge"),
    group(Revision, AddRevisions, OptionalValue, "branches tags remotes no-walk"),
    group(Revision, AddRevisions, AttachedValue, "glob exclude exclude-hidden"),
    group(Revision, Nothing, Value,
        "author committer grep grep-reflog diff-merges max-count max-count-oldest skip"),
    group(Revision, Nothing, AttachedValue, "min-parents max-parents format graph-lane-limit"),
    group(Revision, Nothing, OptionalValue,
        "pretty expand-tabs notes show-notes show-linear-break abbrev unpacked"),
    group(Revision, Nothing, Flag,
        "all-match invert-grep regexp-ignore-case extended-regexp basic-regexp fixed-strings \
         perl-regexp remove-empty merges maximal-only no-merges no-min-parents no-max-parents \
         cherry-mark cherry-pick left-only right-only cherry boundary show-pulls full-history dense \
         sparse simplify-merges objects in-commit-order objects-edge objects-edge-aggressive \
         abbrev-commit no-abbrev-commit oneline no-expand-tabs no-notes show-notes-by-default \
         standard-notes no-standard-notes show-signature no-show-signature parents children \
         left-right graph no-graph graph-indent no-graph-indent combined-all-paths \
         encode-email-headers no-encode-email-headers count no-diff-merges remerge-diff cc dd \
         log-size verify-objects no-commit-id always full-diff"),
    group(Diff, Nothing, OptionalValue,
        "unified stat dirstat dirstat-by-file submodule color-moved word-diff color-words \
         break-rewrites find-renames find-copies relative ignore-submodules"),
    group(Diff, Nothing, Value,
        "output output-indicator-new output-indicator-old output-indicator-context anchored \
         stat-width stat-name-width stat-count stat-graph-width color-moved-ws word-diff-regex \
         ws-error-highlight diff-filter find-object skip-to rotate-to ignore-matching-lines \
         inter-hunk-context src-prefix dst-prefix line-prefix max-depth"),
    group(Diff, Nothing, Flag,
        "quiet no-quiet no-patch no-no-patch raw patch-with-raw patch-with-stat patience \
         histogram compact-summary no-compact-summary numstat shortstat cumulative summary name-only \
         name-status no-color-moved no-color-moved-ws no-renames rename-empty no-rename-empty check \
         full-index no-full-index binary irreversible-delete pickaxe-all pickaxe-regex no-relative \
         text no-text ignore-cr-at-eol ignore-space-at-eol ignore-space-change ignore-all-space \
         ignore-blank-lines function-context no-function-context exit-code no-exit-code ext-diff \
         no-ext-diff no-prefix default-prefix ita-invisible-in-index ita-visible-in-index"),
];

/// The group of the long option `name` of `parser`.
pub fn find(parser: OptionParser, name: &str) -> Option<&'static InheritedGroup> {
    INHERITED
        .iter()
        .find(|group| group.parser == parser && is_listed(group.names, name))
}

/// True if `names`, separated by blanks, include `name`.
pub(super) fn is_listed(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|listed| listed == name)
}

/// The short options of the revision parser, which it reads only where they stand alone in their
/// word.
pub const REVISION_LETTERS: &[u8] = b"giEFPcmrtuv";

/// The syntax of a short option of the diff parser, which may be bundled.
pub fn diff_letter(letter: u8) -> Option<ValueSyntax> {
    match letter {
        b's' | b'p' | b'u' | b'z' | b'a' | b'b' | b'w' | b'R' | b'D' | b'W' => Some(Flag),
        b'B' | b'U' | b'X' | b'M' | b'C' => Some(OptionalValue),
        b'G' | b'I' | b'O' | b'S' => Some(Value),
        _ => None,
    }
}
