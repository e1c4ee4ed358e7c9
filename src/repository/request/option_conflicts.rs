//! What git refuses about options that have no effect on a blame: values that only the repository
//! can tell right from wrong, and options that do not go together.

use bstr::{BStr, BString, ByteSlice};

use crate::{
    engine::Order,
    error::{Error, Result, quoted},
    ranges,
    repository::{
        open::discovery::Repository,
        request::options::{Accepted, Options},
        revisions::resolver::{Resolver, Revision},
    },
};

/// The built-in formats of `--pretty`; beginnings of their names are understood.
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

/// Options that ask for rewritten parents, which `--reverse` and `--children` cannot have.
const REWRITING: [&str; 4] = [
    "parents",
    "graph",
    "simplify-merges",
    "simplify-by-decoration",
];

/// Options that limit a listing, which the walk along a reference's log cannot do.
const LIMITING: [&str; 9] = [
    "cherry-pick",
    "cherry-mark",
    "cherry",
    "left-only",
    "right-only",
    "simplify-merges",
    "simplify-by-decoration",
    "children",
    "graph",
];

/// Check the values of `accepted` that only `repository` can tell right from wrong.
///
/// # Errors
///
/// What git refuses while it reads options.
pub fn check_values(repository: &Repository, accepted: &[Accepted]) -> Result<()> {
    for Accepted { name, value } in accepted {
        let Some(value) = value.as_ref().map(|value| value.as_bstr()) else {
            continue;
        };
        let mut silent = Vec::new();
        let mut resolver = Resolver::new(repository, &mut silent);
        match name.as_str() {
            "pretty" | "format" if !is_format(repository, value) => {
                return Err(Error::fatal(after("invalid --pretty format: ", value)));
            }
            "find-object" if resolver.object(value).is_none() => {
                return Err(Error::option(quoted("unable to resolve ", value, "")));
            }
            "ancestry-path" if resolver.commit(value)?.is_none() => {
                let message = after("could not get commit for --ancestry-path argument ", value);
                return Err(Error::option(message));
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

/// Check that the options go together.
///
/// `walked` says that no `--no-walk` holds.
///
/// # Errors
///
/// What git refuses when it knows all options and revisions.
pub fn check(options: &Options, revisions: &[Revision], walked: bool) -> Result<()> {
    let given = |name: &str| options.accepts(name);
    let any = |names: &[&str]| names.iter().any(|name| given(name));
    let count = |names: &[&str]| names.iter().filter(|name| given(name)).count();
    let together = |what: &str| {
        Err(Error::fatal(format!(
            "options {what} cannot be used together"
        )))
    };
    let requires = |what: &str, other: &str| {
        let message = format!("the option '{what}' requires '{other}'");
        Err(Error::fatal(message))
    };
    if count(&["name-only", "name-status", "check", "no-patch"]) > 1 {
        return together("'--name-only', '--name-status', '--check', and '-s'");
    }
    if given("G") && given("find-object") {
        return together("'-G', '-S', and '--find-object'");
    }
    if given("G") && given("pickaxe-regex") {
        let message = "options '-G' and '--pickaxe-regex' cannot be used together, use '--pickaxe-regex' with '-S'";
        return Err(Error::fatal(message));
    }
    if given("pickaxe-all") && given("find-object") {
        let message = "options '--pickaxe-all' and '--find-object' cannot be used together, use '--pickaxe-all' with '-G' and '-S'";
        return Err(Error::fatal(message));
    }
    if given("combined-all-paths") && !any(&["cc", "diff-merges"]) {
        return Err(Error::fatal(
            "--combined-all-paths makes no sense without -c or --cc",
        ));
    }
    check_patterns(options)?;
    let limited = any(&LIMITING)
        || given("ancestry-path")
        || options.reverse
        || options.order != Order::Met
        || revisions.iter().any(|revision| revision.negative);
    if given("walk-reflogs") && limited {
        return Err(Error::fatal(
            "cannot combine --walk-reflogs with history-limiting options",
        ));
    }
    if any(&REWRITING) && (options.reverse || given("children")) {
        return together("'--parents' and '--children'");
    }
    if given("graph") && !walked {
        return together("'--no-walk' and '--graph'");
    }
    if given("show-linear-break") && given("graph") {
        return together("'--show-linear-break' and '--graph'");
    }
    for other in ["max-count", "skip"] {
        if given("max-count-oldest") && given(other) {
            return together(&format!("'--{other}' and '--max-count-oldest'"));
        }
    }
    if given("boundary") && given("maximal-only") {
        return together("'--boundary' and '--maximal-only'");
    }
    if any(&["graph-indent", "no-graph-indent"]) && !given("graph") {
        return requires("--[no-]graph-indent", "--graph");
    }
    let limits = |option: &Accepted| {
        let value = option.value.as_ref();
        option.name == "graph-lane-limit" && value.is_some_and(|value| is_positive(value))
    };
    if options.accepted.iter().any(limits) && !given("graph") {
        return requires("--graph-lane-limit", "--graph");
    }
    if given("grep-reflog") && !given("walk-reflogs") {
        return requires("--grep-reflog", "--walk-reflogs");
    }
    Ok(())
}

fn is_positive(number: &[u8]) -> bool {
    let digits = number.strip_prefix(b"+").unwrap_or(number);
    digits.iter().any(|digit| (b'1'..=b'9').contains(digit)) && !number.starts_with(b"-")
}

/// Check the expressions that commits would have to match.
fn check_patterns(options: &Options) -> Result<()> {
    let dialects = [
        "basic-regexp",
        "extended-regexp",
        "fixed-strings",
        "perl-regexp",
    ];
    let last = |option: &&Accepted| dialects.contains(&option.name.as_str());
    let dialect = options.accepted.iter().rfind(last);
    let extended = match dialect.map(|option| option.name.as_str()) {
        Some("fixed-strings" | "perl-regexp") => return Ok(()),
        Some("extended-regexp") => true,
        _ => false,
    };
    for Accepted { name, value } in &options.accepted {
        let place = match name.as_str() {
            "grep" => "command line, ",
            "author" | "committer" | "grep-reflog" => "header, ",
            _ => continue,
        };
        let Some(value) = value else { continue };
        if let Err(problem) = ranges::check_pattern(value, extended) {
            return Err(Error::fatal(quoted(
                place,
                value.as_bstr(),
                &format!(": {problem}"),
            )));
        }
    }
    Ok(())
}
