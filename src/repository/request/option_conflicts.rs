//! Validates inherited options where that takes the repository or all options: values such as the
//! name of a format, and conflicts.

use bstr::{BStr, BString, ByteSlice};

use crate::{
    engine::CommitOrder,
    error::{Error, Result, quoted},
    ranges,
    repository::{
        open::repository::Repository,
        request::options::{BlameOptions, InheritedOption},
        revisions::{
            peel::{no_commit, peel},
            resolver::{Revision, RevisionResolver},
        },
    },
};

/// The built-in formats of `--pretty`, which may be abbreviated.
const FORMATS: [&str; 9] = [
    "raw",
    "medium",
    "short",
    "email",
    "mboxrd",
    "fuller",
    "full",
    "oneline",
    "reference",
];

/// A further condition of a conflict: options whose presence, or absence, completes it.
enum Condition {
    With(&'static str),
    Without(&'static str),
}

use Condition::{With, Without};

/// Conflicts that git finds when it has parsed all diff options: any of the first options, the further
/// condition, and the message. Names are separated by blanks.
#[rustfmt::skip]
const DIFF_CONFLICTS: &[(&str, Condition, &str)] = &[
    ("G", With("find-object"),
        "options '-G', '-S', and '--find-object' cannot be used together"),
    ("G", With("pickaxe-regex"),
        "options '-G' and '--pickaxe-regex' cannot be used together, use '--pickaxe-regex' with '-S'"),
    ("pickaxe-all", With("find-object"),
        "options '--pickaxe-all' and '--find-object' cannot be used together, \
         use '--pickaxe-all' with '-G' and '-S'"),
    ("combined-all-paths", Without("cc diff-merges"),
        "--combined-all-paths makes no sense without -c or --cc"),
];

/// Conflicts that git finds when it has resolved the revisions. See [`given_names`] for `ORDER`,
/// `NEGATIVE` and `NO-WALK`.
#[rustfmt::skip]
const REVISION_CONFLICTS: &[(&str, Condition, &str)] = &[
    ("walk-reflogs",
        With("cherry-pick cherry-mark cherry left-only right-only simplify-merges \
              simplify-by-decoration children graph ancestry-path reverse ORDER NEGATIVE"),
        "cannot combine --walk-reflogs with history-limiting options"),
    ("parents graph simplify-merges simplify-by-decoration", With("reverse children"),
        "options '--parents' and '--children' cannot be used together"),
    ("graph", With("NO-WALK"), "options '--no-walk' and '--graph' cannot be used together"),
    ("show-linear-break", With("graph"),
        "options '--show-linear-break' and '--graph' cannot be used together"),
    ("max-count-oldest", With("max-count"),
        "options '--max-count' and '--max-count-oldest' cannot be used together"),
    ("max-count-oldest", With("skip"),
        "options '--skip' and '--max-count-oldest' cannot be used together"),
    ("boundary", With("maximal-only"),
        "options '--boundary' and '--maximal-only' cannot be used together"),
    ("graph-indent no-graph-indent", Without("graph"),
        "the option '--[no-]graph-indent' requires '--graph'"),
    ("graph-lane-limit", Without("graph"), "the option '--graph-lane-limit' requires '--graph'"),
    ("grep-reflog", Without("walk-reflogs"),
        "the option '--grep-reflog' requires '--walk-reflogs'"),
];

/// Checks the values of `options` that refer to something in `repository`. Warnings about names are
/// added to `notes`.
///
/// # Errors
///
/// What git refuses while it parses options.
pub fn check_values(
    repository: &Repository,
    options: &[InheritedOption],
    notes: &mut Vec<BString>,
) -> Result<()> {
    for InheritedOption { name, value } in options {
        let Some(value) = value.as_ref().map(|value| value.as_bstr()) else {
            continue;
        };
        let mut resolver = RevisionResolver::new(repository, notes);
        match name.as_str() {
            "pretty" | "format" if !is_format(repository, value) => {
                return Err(Error::fatal(after("invalid --pretty format: ", value)));
            }
            "find-object" if resolver.object(value).is_none() => {
                return Err(Error::option(quoted("unable to resolve ", value, "")));
            }
            "ancestry-path" if resolver.commit(value)?.is_none() => {
                let message = after("could not get commit for --ancestry-path argument ", value);
                let mut silent = Vec::new();
                let mut resolver = RevisionResolver::new(repository, &mut silent);
                let object = resolver.object(value);
                let innermost = object.and_then(|id| peel(&mut resolver.reader, id).ok());
                let kind = innermost.and_then(|id| resolver.kind(&id).ok().flatten());
                let mut lines = Vec::from_iter(object.and_then(|id| no_commit((id, kind))));
                lines.push([b"error: ", message.as_slice()].concat().into());
                let option = [b"--ancestry-path=", value.as_bytes()].concat();
                let unknown = format!("unknown option `{}'", option.as_bstr());
                return Err(Error::unknown_option(unknown).after(lines));
            }
            _ => {}
        }
    }
    Ok(())
}

fn after(text: &str, value: &BStr) -> BString {
    [text.as_bytes(), value.as_bytes()].concat().into()
}

fn is_format(repository: &Repository, value: &BStr) -> bool {
    let known = |name: &str| {
        let beginning = name.as_bytes().get(..value.len());
        beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(value))
    };
    let user = [b"format:".as_slice(), b"tformat:"];
    value.contains(&b'%')
        || user.iter().any(|user| value.starts_with(user))
        || FORMATS.iter().any(|name| known(name))
        || has_format(repository, value)
}

/// Whether the configuration has `pretty.<name>`.
fn has_format(repository: &Repository, name: &BStr) -> bool {
    let gix = repository.local();
    let configuration = gix.config_snapshot();
    let key = format!("pretty.{name}");
    configuration.string(key.as_str()).is_some()
}

/// Checks for conflicts between options. `walked` says that no `--no-walk` is in effect.
///
/// # Errors
///
/// What git refuses once it knows all options and revisions.
pub fn check(options: &BlameOptions, revisions: &[Revision], walked: bool) -> Result<()> {
    let given = given_names(options, revisions, walked);
    let formats = ["name-only", "name-status", "check", "no-patch"];
    if formats.iter().filter(|name| given.contains(name)).count() > 1 {
        return Err(Error::fatal(
            "options '--name-only', '--name-status', '--check', and '-s' cannot be used together",
        ));
    }
    check_conflicts(&given, DIFF_CONFLICTS)?;
    check_patterns(options)?;
    check_conflicts(&given, REVISION_CONFLICTS)
}

/// The names in the tables of conflicts that apply. Apart from options, `ORDER` stands for an order of
/// `--reverse`, `NEGATIVE` for a negative revision and `NO-WALK` for `--no-walk`.
fn given_names<'a>(
    options: &'a BlameOptions,
    revisions: &[Revision],
    walked: bool,
) -> Vec<&'a str> {
    let counts = |option: &&InheritedOption| {
        let value = option.value.as_ref();
        option.name != "graph-lane-limit" || value.is_some_and(|value| is_positive(value))
    };
    let inherited = options.inherited.iter().filter(counts);
    let mut names: Vec<_> = inherited.map(|option| option.name.as_str()).collect();
    let others = [
        (options.reverse, "reverse"),
        (options.order != CommitOrder::Chronological, "ORDER"),
        (revisions.iter().any(|it| it.negative), "NEGATIVE"),
        (!walked, "NO-WALK"),
    ];
    names.extend(others.iter().filter(|(is, _)| *is).map(|(_, name)| *name));
    names
}

fn check_conflicts(given: &[&str], conflicts: &[(&str, Condition, &str)]) -> Result<()> {
    let any = |names: &str| names.split_ascii_whitespace().any(|it| given.contains(&it));
    let conflict = conflicts.iter().find(|(options, other, _)| {
        any(options)
            && match other {
                With(others) => any(others),
                Without(others) => !any(others),
            }
    });
    match conflict {
        Some((_, _, message)) => Err(Error::fatal(*message)),
        None => Ok(()),
    }
}

fn is_positive(number: &[u8]) -> bool {
    let digits = number.strip_prefix(b"+").unwrap_or(number);
    digits.iter().any(|digit| (b'1'..=b'9').contains(digit)) && !number.starts_with(b"-")
}

/// Checks the regular expressions that select commits.
fn check_patterns(options: &BlameOptions) -> Result<()> {
    let dialects = [
        "basic-regexp",
        "extended-regexp",
        "fixed-strings",
        "perl-regexp",
    ];
    let last = |option: &&InheritedOption| dialects.contains(&option.name.as_str());
    let dialect = options.inherited.iter().rfind(last);
    let extended = match dialect.map(|option| option.name.as_str()) {
        Some("fixed-strings" | "perl-regexp") => return Ok(()),
        Some("extended-regexp") => true,
        _ => false,
    };
    for InheritedOption { name, value } in &options.inherited {
        let source = match name.as_str() {
            "grep" => "command line, ",
            "author" | "committer" | "grep-reflog" => "header, ",
            _ => continue,
        };
        let Some(value) = value else { continue };
        if let Err(problem) = ranges::check_pattern(value, extended) {
            return Err(Error::fatal(quoted(
                source,
                value.as_bstr(),
                &format!(": {problem}"),
            )));
        }
    }
    Ok(())
}
