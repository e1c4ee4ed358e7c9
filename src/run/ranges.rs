//! Resolves `-L` against the blamed contents.

use std::ops::Range;

use bstr::{BString, ByteSlice};

use crate::{
    engine::Request,
    error::{Error, Result},
    ranges::{self, FunctionRule, RangeError},
    repository::Repository,
};

/// The 0-based, half-open line ranges of the `-L` arguments; `None` without arguments.
///
/// # Errors
///
/// What git refuses.
pub(super) fn resolve(
    repository: &Repository,
    request: &Request,
    arguments: &[BString],
) -> Result<Option<Vec<Range<u32>>>> {
    if arguments.is_empty() {
        return Ok(None);
    }
    let contents = repository.final_contents(request)?;
    let path = request.path.as_bstr();
    let by_function =
        |argument: &BString| argument.starts_with(b":") || argument.starts_with(b"^:");
    let rule = match arguments.iter().any(by_function) {
        true => function_rule(repository, request)?,
        false => FunctionRule::Default,
    };
    ranges::resolve(&contents, arguments, path, &rule, is_utf8_locale())
        .map(Some)
        .map_err(|err| match err {
            RangeError::Usage => Error::short_usage(),
            RangeError::Fatal(message) => Error::fatal(message),
        })
}

/// The function rule of the file's diff driver: the configured one, or else git's built-in one.
fn function_rule(repository: &Repository, request: &Request) -> Result<FunctionRule> {
    let Some(name) = repository.diff_driver(request.path.as_bstr())? else {
        return Ok(FunctionRule::Default);
    };
    let driver = repository.settings().drivers.get(&name);
    let configured = driver.and_then(|driver| driver.function_names.clone());
    Ok(match configured {
        Some((patterns, extended)) => FunctionRule::Patterns {
            patterns,
            extended,
            ignore_case: false,
        },
        None => FunctionRule::of_driver(name.as_bstr()),
    })
}

/// Whether the C library's locale uses UTF-8.
fn is_utf8_locale() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(std::env::var_os)
        .find(|value| !value.is_empty());
    locale.is_some_and(|locale| {
        let locale = locale.to_string_lossy().to_ascii_lowercase();
        locale.ends_with("utf-8") || locale.ends_with("utf8")
    })
}
