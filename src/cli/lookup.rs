//! Finds options by their names as git's parsers do.

use bstr::{BStr, ByteSlice, ByteVec};

use crate::{
    cli::{
        help,
        inherited::OptionParser,
        options::{OPTIONS, OptionSpec},
    },
    error::{Error, Result},
    text::edit_distance::edit_distance,
};

/// The option of `git blame` that `name` names or is the unique prefix of, and whether it is its
/// `--no-` form. `typed` is all that follows the dashes. `command` is the command in usage texts.
///
/// # Errors
///
/// If the prefix is ambiguous.
pub(super) fn find_abbreviated(
    name: &BStr,
    typed: &BStr,
    command: &str,
) -> Result<Option<(&'static OptionSpec, bool)>> {
    if let Some(found) = find(OptionParser::Blame, name) {
        return Ok(Some(found));
    }
    let mut candidates: Vec<(&'static OptionSpec, bool)> = Vec::new();
    for spec in long_options(OptionParser::Blame) {
        if spec.name.as_bytes().starts_with(name) {
            candidates.push((spec, false));
        }
        if !spec.negatable {
            continue;
        }
        if b"no-".starts_with(name.as_bytes()) {
            candidates.push((spec, true));
        }
        if let Some(rest) = name.strip_prefix(b"no-")
            && spec.name.as_bytes().starts_with(rest)
        {
            candidates.push((spec, true));
        }
    }
    match candidates[..] {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        [.., a, b] => {
            let shown = |(spec, negated): (&OptionSpec, bool)| {
                format!("--{}{}", if negated { "no-" } else { "" }, spec.name)
            };
            let mut message = b"ambiguous option: ".to_vec();
            message.push_str(typed);
            message.push_str(format!(" (could be {} or {})", shown(a), shown(b)));
            Err(Error::option(message).with_usage_on_stdout(help::usage(command)))
        }
    }
}

fn long_options(parser: OptionParser) -> impl Iterator<Item = &'static OptionSpec> {
    OPTIONS
        .iter()
        .filter(move |spec| spec.parser == parser && spec.long().is_some())
}

/// The option of `parser` with exactly this name, and whether it is its `--no-` form.
pub(super) fn find(parser: OptionParser, name: &BStr) -> Option<(&'static OptionSpec, bool)> {
    let find = |name: &[u8]| long_options(parser).find(|spec| spec.name.as_bytes() == name);
    if let Some(spec) = find(name) {
        return Some((spec, false));
    }
    let spec = find(name.strip_prefix(b"no-")?)?;
    spec.negatable.then_some((spec, true))
}

/// The option whose name is most like one that there is not.
pub(super) fn similar_option(name: &BStr) -> Option<String> {
    let options = OPTIONS.iter().filter(|spec| !spec.hidden);
    let names = options.flat_map(|spec| {
        let long = spec.long();
        let negated = long
            .filter(|_| spec.negatable)
            .map(|long| format!("no-{long}"));
        long.map(str::to_owned).into_iter().chain(negated)
    });
    let distances = names.filter_map(|other| {
        let distance = edit_distance(name, other.as_bytes())?;
        (distance <= other.len() / 3).then_some((distance, other))
    });
    distances.min().map(|(_, name)| name)
}

/// Refuses a long option with one dash, which would otherwise be a bundle.
///
/// # Errors
///
/// git's advice to write two dashes.
pub(super) fn check_dashes(bundle: &BStr) -> Result<()> {
    let mut names = long_options(OptionParser::Blame).map(|spec| spec.name.as_bytes());
    if bundle.len() < 3
        || !(bundle.starts_with(b"no-") || names.any(|name| name.starts_with(bundle)))
    {
        return Ok(());
    }
    let mut message = b"did you mean `--".to_vec();
    message.push_str(bundle);
    message.push_str("` (with two dashes)?");
    Err(Error::option(message))
}
