//! Resolves `-L` against the file that is blamed.

use std::ops::Range;

use bstr::ByteSlice;

use crate::{
    engine::Request,
    error::{Error, Kind, Result},
    ranges::{self, FunctionRule, RangeError, function_lines::FunctionMatcher},
    repository::{open::repository::Repository, request::options::BlameOptions},
    sanitize,
    system::git_version::GitVersion,
};

/// The lines that `-L` selects; `None` without `-L`.
pub(super) fn resolve(
    repository: &Repository,
    request: &Request,
    options: &BlameOptions,
) -> Result<Option<Vec<Range<u32>>>> {
    let arguments = &options.ranges;
    if arguments.is_empty() {
        return Ok(None);
    }
    let contents = repository.final_contents(request)?;
    let path = request.path.as_bstr();
    let rule = if options.names_functions() {
        function_rule(repository, request, options.functions_of)?
    } else {
        FunctionRule::Default
    };
    let resolve = |arguments| {
        let resolved = ranges::resolve(&contents, arguments, path, &rule, options.utf8_patterns);
        resolved.map_err(range_error)
    };
    resolve(arguments).map(Some).map_err(|err| {
        let mut malformed = (0..arguments.len()).filter(|&at| {
            let resolved = resolve(&arguments[..=at]);
            resolved.is_err_and(|err| err.kind() == Kind::ShortUsage)
        });
        let found = malformed.next().filter(|_| err.kind() == Kind::ShortUsage);
        match found {
            Some(at) => err.with_hint(format!(
                "-L {} names no lines, as 10,20 and 10,+5 and /text/,20 and :function do",
                sanitize::line(&arguments[at])
            )),
            None => err,
        }
    })
}

fn range_error(err: RangeError) -> Error {
    match err {
        RangeError::Usage => Error::short_usage(),
        RangeError::Fatal(message) => Error::fatal(message),
    }
}

/// The compiled rule of the file's diff driver.
///
/// # Errors
///
/// If attributes cannot be read, or a pattern is invalid.
pub(crate) fn function_matcher(
    repository: &Repository,
    request: &Request,
    options: &BlameOptions,
) -> Result<FunctionMatcher> {
    let rule = function_rule(repository, request, options.functions_of)?;
    rule.compile(options.utf8_patterns).map_err(range_error)
}

/// The rule of the file's diff driver: the configured one, or else that of a version of git.
pub(crate) fn function_rule(
    repository: &Repository,
    request: &Request,
    git: GitVersion,
) -> Result<FunctionRule> {
    let Some(name) = repository.diff_driver(request)? else {
        return Ok(FunctionRule::Default);
    };
    let driver = repository.config().drivers.get(&name);
    let configured = driver.and_then(|driver| driver.function_names.clone());
    Ok(match configured {
        Some((patterns, extended)) => FunctionRule::Patterns {
            patterns,
            extended,
            ignore_case: false,
        },
        None => FunctionRule::of_driver(name.as_bstr(), git),
    })
}
