//! The values of options that have no effect, checked as git checks them.

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    cli::numbers::{parse_integer, parse_scaled, parse_unsigned},
    error::{Error, Result},
    ranges,
    repository::request::options::Accepted,
};

/// What git says of a value that it does not understand. `{name}` is the option's name, `{value}`
/// what was given, `{part}` the part of it that is wrong.
enum Refusal {
    /// `fatal: …`, status 128.
    Fatal(&'static str),
    /// `error: …`, status 129.
    Option(&'static str),
}

use Refusal::{Fatal, Option as Refused};

/// The values that some options understand.
struct Grammar {
    names: &'static [&'static str],
    /// The part of a value that is not understood.
    wrong: fn(&BStr) -> Option<&BStr>,
    refusal: Refusal,
}

macro_rules! grammars {
    ($(($names:expr, $wrong:expr, $refusal:expr)),* $(,)?) => {
        &[$(Grammar { names: &$names, wrong: $wrong, refusal: $refusal }),*]
    };
}

/// Every option whose value is checked. One may be checked in several ways, in this order.
const GRAMMARS: &[Grammar] = grammars![
    (
        [
            "max-count",
            "max-count-oldest",
            "skip",
            "min-parents",
            "max-parents",
            "graph-lane-limit"
        ],
        |value| unless(is_int(value), value),
        Fatal("'{value}': not an integer")
    ),
    (
        ["expand-tabs", "early-output"],
        |value| unless(parse_unsigned(value).is_some(), value),
        Fatal("'{value}': not a non-negative integer")
    ),
    (
        ["unified"],
        |value| unless(is_number_or_nothing(value), value),
        Refused("--{name} expects a numerical value")
    ),
    (
        ["unified"],
        |value| unless(parse_integer(value).is_none_or(|number| number >= 0), value),
        Refused("--{name} expects a non-negative integer")
    ),
    (
        [
            "stat-width",
            "stat-name-width",
            "stat-count",
            "stat-graph-width"
        ],
        |value| unless(is_number_or_nothing(value), value),
        Refused("{name} expects a numerical value")
    ),
    (
        ["stat"],
        |value| {
            let parts = value.split_str(",").count();
            let right = parts <= 3
                && value
                    .split_str(",")
                    .all(|part| is_number_or_nothing(part.into()));
            unless(right, value)
        },
        Refused("invalid --stat value: {value}")
    ),
    (
        ["inter-hunk-context"],
        |value| unless(!value.is_empty(), value),
        Refused("option `{name}' expects a numerical value")
    ),
    (
        ["inter-hunk-context"],
        |value| unless(parse_scaled(value).is_some_and(|number| number >= 0), value),
        Refused(
            "option `{name}' expects a non-negative integer value with an optional k/m/g suffix"
        )
    ),
    (
        ["inter-hunk-context"],
        |value| unless(
            parse_scaled(value).is_none_or(|number| u32::try_from(number).is_ok()),
            value
        ),
        Refused("value {value} for option `{name}' not in range [0,4294967295]")
    ),
    (
        ["max-depth"],
        |value| unless(
            parse_scaled(value).is_some_and(|number| i32::try_from(number).is_ok()),
            value
        ),
        Refused("invalid value for '--{name}': '{value}'")
    ),
    (
        ["break-rewrites"],
        |value| {
            let (n, m) = value.split_once_str("/").unwrap_or((value, b""));
            unless(is_score(n.into()) && is_score(m.into()), value)
        },
        Refused("{name} expects <n>/<m> form")
    ),
    (
        ["find-renames", "find-copies"],
        |value| unless(is_score(value), value),
        Refused("invalid argument to {name}")
    ),
    (
        ["dirstat", "dirstat-by-file"],
        |value| unless(value.is_empty() || parts(value).all(is_dirstat), value),
        Fatal("Failed to parse --dirstat/-X option parameter:")
    ),
    (
        [
            "output-indicator-new",
            "output-indicator-old",
            "output-indicator-context"
        ],
        |value| unless(value.len() == 1, value),
        Refused("{name} expects a character, got '{value}'")
    ),
    (
        ["ws-error-highlight"],
        wrong_highlight,
        Refused("unknown value after ws-error-highlight={part}")
    ),
    (
        ["color-moved"],
        |value| {
            let modes = [
                "",
                "default",
                "blocks",
                "zebra",
                "plain",
                "dimmed-zebra",
                "dimmed_zebra",
            ];
            unless(one_of(value, &modes) || is_boolean(value), value)
        },
        Refused(
            "color moved setting must be one of 'no', 'default', 'blocks', 'zebra', 'dimmed-zebra', 'plain'"
        )
    ),
    (
        ["color-moved-ws"],
        |value| parts(value).find(|part| !one_of(part.trim().into(), WHITE_SPACE_MODES)),
        Refused(
            "unknown color-moved-ws mode '{part}', possible values are 'ignore-space-change', 'ignore-space-at-eol', 'ignore-all-space', 'allow-indentation-change'"
        )
    ),
    (
        ["color-moved-ws"],
        mixed_modes,
        Refused(
            "color-moved-ws: allow-indentation-change cannot be combined with other whitespace modes"
        )
    ),
    (
        ["word-diff"],
        |value| unless(
            one_of(value, &["plain", "color", "porcelain", "none"]),
            value
        ),
        Refused("bad --word-diff argument: {value}")
    ),
    (
        ["submodule"],
        |value| unless(one_of(value, &["log", "short", "diff"]), value),
        Refused("failed to parse --submodule option parameter: '{value}'")
    ),
    (
        ["ignore-submodules"],
        |value| unless(one_of(value, &["all", "untracked", "dirty", "none"]), value),
        Fatal("bad --ignore-submodules argument: {value}")
    ),
    (
        ["exclude-hidden"],
        |value| unless(one_of(value, &["fetch", "receive", "uploadpack"]), value),
        Fatal("unsupported section for hidden refs: {value}")
    ),
    (
        ["diff-filter"],
        |value| {
            let known = |byte: u8| b"ACDMRTUXB*".contains(&byte.to_ascii_uppercase());
            let at = value.bytes().position(|byte| !known(byte))?;
            Some(value[at..=at].as_bstr())
        },
        Refused("unknown change class '{part}' in --diff-filter={value}")
    ),
    (
        ["diff-merges"],
        |value| unless(one_of(value, MERGE_FORMATS), value),
        Fatal("invalid value for '--{name}': '{value}'")
    ),
    (
        ["unpacked"],
        |value| Some(value),
        Fatal("--unpacked=<packfile> no longer supported")
    ),
    (
        ["ignore-matching-lines"],
        |value| unless(ranges::check_pattern(value, true).is_ok(), value),
        Refused("invalid regex given to -I: '{value}'")
    ),
];

const WHITE_SPACE_MODES: &[&str] = &[
    "no",
    "ignore-space-change",
    "ignore-space-at-eol",
    "ignore-all-space",
    "allow-indentation-change",
];

const MERGE_FORMATS: &[&str] = &[
    "off",
    "none",
    "on",
    "m",
    "first-parent",
    "1",
    "separate",
    "combined",
    "c",
    "dense-combined",
    "cc",
    "remerge",
    "r",
];

/// Check the `value` of the long option `name`.
///
/// # Errors
///
/// What git's parsers refuse, in git's words.
pub(super) fn check(name: &str, value: &BStr) -> Result<()> {
    for grammar in GRAMMARS
        .iter()
        .filter(|grammar| grammar.names.contains(&name))
    {
        if let Some(part) = (grammar.wrong)(value) {
            let fill = |template| filled(template, name, value, part);
            return Err(match grammar.refusal {
                Fatal(template) => Error::fatal(fill(template)),
                Refused(template) => Error::option(fill(template)),
            });
        }
    }
    Ok(())
}

/// Options of which git refuses the second when it meets the first before: the one given, the one
/// before it, and what git calls them.
const RIVALS: &[(&str, &str, &str)] = &[
    (
        "cherry-pick",
        "cherry-mark",
        "'--cherry-pick' and '--cherry-mark'",
    ),
    (
        "cherry-pick",
        "cherry",
        "'--cherry-pick' and '--cherry-mark'",
    ),
    (
        "cherry-mark",
        "cherry-pick",
        "'--cherry-mark' and '--cherry-pick'",
    ),
    (
        "right-only",
        "left-only",
        "'--right-only' and '--left-only'",
    ),
    ("cherry", "left-only", "'--cherry' and '--left-only'"),
    (
        "left-only",
        "right-only",
        "'--left-only' and '--right-only/--cherry'",
    ),
    (
        "left-only",
        "cherry",
        "'--left-only' and '--right-only/--cherry'",
    ),
];

/// Check that the option `name` goes with those accepted before it.
///
/// # Errors
///
/// If git refuses the two as soon as it meets the second.
pub(super) fn check_rivals(name: &str, before: &[Accepted]) -> Result<()> {
    let given = |rival: &str| before.iter().any(|option| option.name == rival);
    match RIVALS
        .iter()
        .find(|(it, rival, _)| *it == name && given(rival))
    {
        Some((_, _, both)) => Err(Error::fatal(format!(
            "options {both} cannot be used together"
        ))),
        None => Ok(()),
    }
}

fn filled(template: &str, name: &str, value: &BStr, part: &BStr) -> BString {
    let mut message = BString::default();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (hole, after) = after.split_once('}').unwrap_or((after, ""));
        message.push_str(before);
        match hole {
            "name" => message.push_str(name),
            "part" => message.push_str(part),
            _ => message.push_str(value),
        }
        rest = after;
    }
    message.push_str(rest);
    message
}

fn unless(right: bool, value: &BStr) -> Option<&BStr> {
    (!right).then_some(value)
}

fn one_of(value: &BStr, known: &[&str]) -> bool {
    known.iter().any(|known| value == known)
}

fn parts(value: &BStr) -> impl Iterator<Item = &BStr> {
    value.split_str(",").map(BStr::new)
}

/// A number that fits into 32 bits.
fn is_int(value: &BStr) -> bool {
    parse_integer(value).is_some_and(|number| i32::try_from(number).is_ok())
}

fn is_number_or_nothing(value: &BStr) -> bool {
    value.is_empty() || parse_integer(value).is_some()
}

/// A boolean of the configuration.
fn is_boolean(value: &BStr) -> bool {
    let words = ["true", "yes", "on", "false", "no", "off"];
    let is_word = words
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word.as_bytes()));
    is_word || parse_scaled(value).is_some_and(|number| i32::try_from(number).is_ok())
}

/// How alike two files are: a fraction by its digits, or a percentage.
fn is_score(value: &BStr) -> bool {
    let number = value.strip_suffix(b"%").unwrap_or(value);
    let points = number.iter().filter(|&&byte| byte == b'.').count();
    points <= 1
        && number
            .iter()
            .all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

fn is_dirstat(part: &BStr) -> bool {
    let digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    let is_percentage = || {
        let (whole, rest) = part.split_once_str(".").unwrap_or((part, b""));
        !whole.is_empty() && digits(whole) && digits(rest)
    };
    let known = ["changes", "lines", "files", "noncumulative", "cumulative"];
    one_of(part, &known) || is_percentage()
}

/// Everything before the kind of line that is not known.
fn wrong_highlight(value: &BStr) -> Option<&BStr> {
    let known = ["none", "default", "all", "new", "old", "context"];
    let mut at = 0;
    while at < value.len() {
        let rest = &value[at..];
        let len = rest.find_byte(b',').unwrap_or(rest.len());
        if !one_of(rest[..len].as_bstr(), &known) {
            return Some(value[..at].as_bstr());
        }
        at += len + 1;
    }
    None
}

fn mixed_modes(value: &BStr) -> Option<&BStr> {
    let mut given: Vec<&[u8]> = Vec::new();
    for mode in parts(value).map(|part| part.trim()) {
        match mode {
            b"no" => given.clear(),
            mode => given.push(mode),
        }
    }
    let indentation = given.contains(&&b"allow-indentation-change"[..]);
    let others = given.iter().any(|mode| mode.starts_with(b"ignore"));
    unless(!(indentation && others), value)
}
