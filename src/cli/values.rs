//! The values of options that have no effect, checked as git checks them.

use bstr::{BStr, ByteSlice};

use crate::error::{Error, Result};

/// Check the `value` of the long option `name`.
///
/// # Errors
///
/// What git's parsers refuse, in git's words.
pub(super) fn check(name: &str, value: &BStr) -> Result<()> {
    let one_of = |known: &[&str]| known.iter().any(|known| value == known);
    let refused = match name {
        "unified" | "stat-width" | "stat-name-width" | "stat-count" | "stat-graph-width" => {
            let shown = if name == "unified" { "--unified" } else { name };
            (!is_integer(value))
                .then(|| Error::option(format!("{shown} expects a numerical value")))
        }
        "inter-hunk-context" => (!is_number(value)).then(|| {
            Error::option(
                "option `inter-hunk-context' expects a non-negative integer value with an optional k/m/g suffix",
            )
        }),
        "min-parents" | "max-parents" => {
            (!is_integer(value)).then(|| Error::fatal(format!("'{value}': not an integer")))
        }
        "expand-tabs" => (!is_number(value))
            .then(|| Error::fatal(format!("'{value}': not a non-negative integer"))),
        "word-diff" => (!one_of(&["plain", "color", "porcelain", "none"]))
            .then(|| Error::option(format!("bad --word-diff argument: {value}"))),
        "submodule" => (!one_of(&["log", "short", "diff"])).then(|| {
            Error::option(format!("failed to parse --submodule option parameter: '{value}'"))
        }),
        "ignore-submodules" => (!one_of(&["all", "untracked", "dirty", "none"]))
            .then(|| Error::fatal(format!("bad --ignore-submodules argument: {value}"))),
        "exclude-hidden" => (!one_of(&["fetch", "receive", "uploadpack"]))
            .then(|| Error::fatal(format!("unsupported section for hidden refs: {value}"))),
        "diff-filter" => value
            .bytes()
            .find(|byte| !b"ACDMRTUXB*".contains(&byte.to_ascii_uppercase()))
            .map(|byte| {
                let byte = char::from(byte);
                Error::option(format!("unknown change class '{byte}' in --diff-filter={value}"))
            }),
        _ => None,
    };
    match refused {
        Some(err) => Err(err),
        None => Ok(()),
    }
}

fn is_number(value: &BStr) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_integer(value: &BStr) -> bool {
    is_number(value.strip_prefix(b"-").unwrap_or(value).as_bstr())
}
