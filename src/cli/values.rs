//! Validation and parsing of option values, with git's messages.

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    cli::{
        inherited::is_listed,
        integers::{parse_decimal, parse_scaled, wrap_u64},
    },
    diff::Algorithm,
    error::{Error, Result},
    git_version::GitVersion,
    ranges,
    repository::{open::configuration::value, request::options::InheritedOption},
};

/// What `--generate` can print, separated by blanks.
pub(super) const GENERATED: &str =
    "man complete-bash complete-zsh complete-fish complete-powershell complete-elvish";

/// One check of the values of some options.
struct ValueCheck {
    /// Long names, separated by blanks.
    names: &'static str,
    test: ValueTest,
    message: ErrorTemplate,
}

enum ValueTest {
    /// The value is one of these words, separated by blanks.
    Word(&'static str),
    /// The value satisfies this.
    Valid(fn(&BStr) -> bool),
    /// The part of the value that is not understood, if there is one.
    InvalidPart(fn(&BStr) -> Option<&BStr>),
}

/// A template: `{name}` is the option's long name, `{value}` the value and `{part}` the part of it
/// that is not understood.
enum ErrorTemplate {
    /// `fatal: …`, status 128.
    Fatal(&'static str),
    /// `error: …`, status 129.
    Usage(&'static str),
}

const fn check(names: &'static str, test: ValueTest, message: ErrorTemplate) -> ValueCheck {
    ValueCheck {
        names,
        test,
        message,
    }
}

use ErrorTemplate::{Fatal, Usage};
use ValueTest::{InvalidPart, Valid, Word};

/// Every option whose value is checked. An option may have several checks, made in this order.
#[rustfmt::skip]
const CHECKS: &[ValueCheck] = &[
    check("abbrev", Valid(is_integer), Usage("option `{name}' expects a numerical value")),
    check("diff-algorithm",
        Valid(|value| Algorithm::from_name(value).is_some()),
        Usage("option {name} accepts \"myers\", \"minimal\", \"patience\" and \"histogram\"")),
    check("generate", Word(GENERATED),
        Usage("option `{name}' expects man, or complete-SHELL for bash, zsh, fish, powershell or elvish")),
    check("git-compat",
        Valid(|value| value == "newest" || value.to_str().is_ok_and(|text| GitVersion::parse(text).is_some())),
        Usage("option `{name}' expects a version such as 2.47, or newest")),
    check("threads", Valid(|value| parse_threads(value).is_some()),
        Usage("option `{name}' expects a number of at least 1")),
    check("max-age min-age", Valid(|value| parse_decimal(value).and_then(wrap_u64).is_some()),
        Fatal("'{value}': not a number of seconds since epoch")),
    check("max-count max-count-oldest skip min-parents max-parents graph-lane-limit",
        Valid(|value| parse_decimal(value).is_some_and(fits_i32)),
        Fatal("'{value}': not an integer")),
    check("expand-tabs early-output", Valid(is_u32),
        Fatal("'{value}': not a non-negative integer")),
    check("unified", Valid(is_integer_or_empty), Usage("--{name} expects a numerical value")),
    check("unified", Valid(|value| parse_decimal(value).is_none_or(|number| number >= 0)),
        Usage("--{name} expects a non-negative integer")),
    check("stat-width stat-name-width stat-count stat-graph-width", Valid(is_integer_or_empty),
        Usage("{name} expects a numerical value")),
    check("stat",
        Valid(|value| parts(value).count() <= 3 && parts(value).all(is_integer_or_empty)),
        Usage("invalid --stat value: {value}")),
    check("inter-hunk-context", Valid(|value| !value.is_empty()),
        Usage("option `{name}' expects a numerical value")),
    check("inter-hunk-context", Valid(|value| parse_scaled(value).is_some_and(|number| number >= 0)),
        Usage("option `{name}' expects a non-negative integer value with an optional k/m/g suffix")),
    check("inter-hunk-context",
        Valid(|value| parse_scaled(value).is_some_and(|number| u32::try_from(number).is_ok())),
        Usage("value {value} for option `{name}' not in range [0,4294967295]")),
    check("max-depth", Valid(|value| parse_scaled(value).is_some_and(fits_i32)),
        Usage("invalid value for '--{name}': '{value}'")),
    check("break-rewrites",
        Valid(|value| {
            let (n, m) = value.split_once_str("/").unwrap_or((value, b""));
            is_score(n.into()) && is_score(m.into())
        }),
        Usage("{name} expects <n>/<m> form")),
    check("find-renames find-copies", Valid(is_score), Usage("invalid argument to {name}")),
    check("dirstat dirstat-by-file", Valid(|value| value.is_empty() || parts(value).all(is_dirstat)),
        Fatal("Failed to parse --dirstat/-X option parameter:")),
    check("output-indicator-new output-indicator-old output-indicator-context",
        Valid(|value| value.len() == 1),
        Usage("{name} expects a character, got '{value}'")),
    check("ws-error-highlight", InvalidPart(before_unknown_highlight),
        Usage("unknown value after ws-error-highlight={part}")),
    check("color-moved",
        Valid(|value| value.is_empty() || is_word(COLOR_MOVED_MODES, value) || value::boolean(value).is_some()),
        Usage("color moved setting must be one of 'no', 'default', 'blocks', 'zebra', \
               'dimmed-zebra', 'plain'\nerror: bad --color-moved argument: {value}")),
    check("color-moved-ws",
        InvalidPart(|value| parts(value).find(|part| !is_word(WHITESPACE_MODES, part.trim().into()))),
        Usage("unknown color-moved-ws mode '{part}', possible values are 'ignore-space-change', \
               'ignore-space-at-eol', 'ignore-all-space', 'allow-indentation-change'\n\
               error: invalid mode '{value}' in --color-moved-ws")),
    check("color-moved-ws", Valid(modes_are_compatible),
        Usage("color-moved-ws: allow-indentation-change cannot be combined with other whitespace \
               modes\nerror: invalid mode '{value}' in --color-moved-ws")),
    check("word-diff", Word("plain color porcelain none"),
        Usage("bad --word-diff argument: {value}")),
    check("submodule", Word("log short diff"),
        Usage("failed to parse --submodule option parameter: '{value}'")),
    check("ignore-submodules", Word("all untracked dirty none"),
        Fatal("bad --ignore-submodules argument: {value}")),
    check("exclude-hidden", Word("fetch receive uploadpack"),
        Fatal("unsupported section for hidden refs: {value}")),
    check("diff-filter",
        InvalidPart(|value| {
            let is_class = |byte: u8| b"ACDMRTUXB*".contains(&byte.to_ascii_uppercase());
            let at = value.bytes().position(|byte| !is_class(byte))?;
            Some(value[at..=at].as_bstr())
        }),
        Usage("unknown change class '{part}' in --diff-filter={value}")),
    check("diff-merges",
        Word("off none on m first-parent 1 separate combined c dense-combined cc remerge r"),
        Fatal("invalid value for '--{name}': '{value}'")),
    check("unpacked", Valid(|_| false), Fatal("--unpacked=<packfile> no longer supported")),
    check("ignore-matching-lines", Valid(|value| ranges::check_pattern(value, true).is_ok()),
        Usage("invalid regex given to -I: '{value}'")),
];

const COLOR_MOVED_MODES: &str = "default blocks zebra plain dimmed-zebra dimmed_zebra";

const WHITESPACE_MODES: &str =
    "no ignore-space-change ignore-space-at-eol ignore-all-space allow-indentation-change";

/// Checks the `value` of the long option `name`.
///
/// # Errors
///
/// The error of git's parsers.
pub(super) fn check_value(name: &str, value: &BStr) -> Result<()> {
    for check in CHECKS.iter().filter(|check| is_listed(check.names, name)) {
        let invalid = match check.test {
            Word(words) => (!is_word(words, value)).then_some(value),
            Valid(is_valid) => (!is_valid(value)).then_some(value),
            InvalidPart(invalid_part) => invalid_part(value),
        };
        if let Some(part) = invalid {
            return Err(match check.message {
                Fatal(template) => Error::fatal(fill(template, name, value, part)),
                Usage(template) => Error::option(fill(template, name, value, part)),
            });
        }
    }
    Ok(())
}

fn fill(template: &str, name: &str, value: &BStr, part: &BStr) -> BString {
    let mut message = BString::default();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (field, after) = after.split_once('}').unwrap_or((after, ""));
        message.push_str(before);
        match field {
            "name" => message.push_str(name),
            "part" => message.push_str(part),
            _ => message.push_str(value),
        }
        rest = after;
    }
    message.push_str(rest);
    message
}

/// Pairs that git refuses as soon as it meets the second: that option, those before it, and how git
/// names the pair.
#[rustfmt::skip]
const CONFLICTS: &[(&str, &str, &str)] = &[
    ("cherry-pick", "cherry-mark cherry", "'--cherry-pick' and '--cherry-mark'"),
    ("cherry-mark", "cherry-pick", "'--cherry-mark' and '--cherry-pick'"),
    ("right-only", "left-only", "'--right-only' and '--left-only'"),
    ("cherry", "left-only", "'--cherry' and '--left-only'"),
    ("left-only", "right-only cherry", "'--left-only' and '--right-only/--cherry'"),
];

/// Checks that the option `name` may follow the options `earlier`.
///
/// # Errors
///
/// If git refuses a pair of them at once.
pub(super) fn check_conflict(name: &str, earlier: &[InheritedOption]) -> Result<()> {
    let conflict = CONFLICTS.iter().find(|(second, first, _)| {
        *second == name && earlier.iter().any(|option| is_listed(first, &option.name))
    });
    match conflict {
        Some((_, _, pair)) => Err(Error::fatal(format!(
            "options {pair} cannot be used together"
        ))),
        None => Ok(()),
    }
}

fn is_word(words: &str, value: &BStr) -> bool {
    value.to_str().is_ok_and(|value| is_listed(words, value))
}

fn parts(value: &BStr) -> impl Iterator<Item = &BStr> {
    value.split_str(",").map(BStr::new)
}

fn is_integer(value: &BStr) -> bool {
    parse_decimal(value).is_some()
}

fn is_integer_or_empty(value: &BStr) -> bool {
    value.is_empty() || is_integer(value)
}

fn is_u32(value: &BStr) -> bool {
    !value.contains(&b'-')
        && parse_decimal(value).is_some_and(|number| u32::try_from(number).is_ok())
}

fn fits_i32(number: i128) -> bool {
    i32::try_from(number).is_ok()
}

/// A similarity index: the digits of a fraction, or a percentage.
fn is_score(value: &BStr) -> bool {
    let number = value.strip_suffix(b"%").unwrap_or(value);
    number.iter().filter(|&&byte| byte == b'.').count() <= 1
        && number
            .iter()
            .all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

fn is_dirstat(part: &BStr) -> bool {
    let is_percentage = || {
        let (whole, fraction) = part.split_once_str(".").unwrap_or((part, b""));
        !whole.is_empty() && [whole, fraction].concat().iter().all(u8::is_ascii_digit)
    };
    is_word("changes lines files noncumulative cumulative", part) || is_percentage()
}

/// Everything before the first kind of line that does not exist, if there is one.
fn before_unknown_highlight(value: &BStr) -> Option<&BStr> {
    let mut at = 0;
    while at < value.len() {
        let rest = &value[at..];
        let len = rest.find_byte(b',').unwrap_or(rest.len());
        if !is_word("none default all new old context", rest[..len].as_bstr()) {
            return Some(value[..at].as_bstr());
        }
        at += len + 1;
    }
    None
}

/// Whether the modes that are left after the last `no` go together.
fn modes_are_compatible(value: &BStr) -> bool {
    let modes: Vec<&[u8]> = parts(value).map(|part| part.trim()).collect();
    let start = modes.iter().rposition(|mode| *mode == b"no");
    let modes = &modes[start.map_or(0, |at| at + 1)..];
    let indentation = modes.contains(&&b"allow-indentation-change"[..]);
    !(indentation && modes.iter().any(|mode| mode.starts_with(b"ignore")))
}

/// The score of `-M` and `-C`, a C `int` in git; 0 stands for the default.
pub(super) fn parse_score(value: &BStr) -> u32 {
    parse_decimal(value).map_or(0, |score| wrap_u64(score).unwrap_or(u64::MAX) as u32)
}

/// The number of digits of `--abbrev`, a C `int` in git.
pub(super) fn parse_abbrev(value: &BStr) -> Option<i64> {
    let digits = parse_decimal(value)?.clamp(i64::MIN.into(), i64::MAX.into());
    Some(i64::from(digits as i32))
}

pub(super) fn parse_threads(value: &BStr) -> Option<usize> {
    let threads = value.to_str().ok()?.parse().ok()?;
    (threads > 0).then_some(threads)
}

/// Seconds since the epoch. git's dates are unsigned, and the largest stands for none.
pub(super) fn parse_timestamp(value: &BStr) -> Option<i64> {
    match wrap_u64(parse_decimal(value)?)? {
        u64::MAX => None,
        seconds => Some(i64::try_from(seconds).unwrap_or(i64::MAX)),
    }
}
