//! Finds options by their names as git's parsers do.

use bstr::{BStr, ByteSlice, ByteVec};

use crate::{
    cli::{
        git_options, help,
        inherited::{
            self,
            OptionParser::{self, Blame, Diff, Revision, Tblame},
            ValueSyntax,
        },
        options::{OPTIONS, OptionSpec, Takes},
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
    if let Some(found) = find(Blame, name) {
        return Ok(Some(found));
    }
    let mut candidates: Vec<(&'static OptionSpec, bool)> = Vec::new();
    for spec in long_options(Blame) {
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

/// Splits a word of the command line into an option and its value, of which one may be empty. What
/// names no option is a value.
pub fn split_option(word: &[u8]) -> (&str, &[u8]) {
    let end = match word {
        [b'-', b'-', long @ ..] => {
            let name = long.split(|&byte| byte == b'=').next().unwrap_or_default();
            let is_option = name.to_str().is_ok_and(is_long_option);
            let len = (name.len() + b"--=".len()).min(word.len());
            if is_option { len } else { 0 }
        }
        [b'-', bundle @ ..] if !bundle.is_empty() => 1 + option_letters(bundle),
        _ => 0,
    };
    let (option, value) = word.split_at(end);
    (option.to_str().unwrap_or_default(), value)
}

/// True if a parser knows the long option, or it is the beginning of one's name.
fn is_long_option(name: &str) -> bool {
    let parsers = [Blame, Revision, Diff, Tblame];
    let is_known = parsers.into_iter().any(|parser| {
        find(parser, name.into()).is_some() || inherited::find(parser, name).is_some()
    });
    let positive = name.strip_prefix("no-").unwrap_or(name);
    is_known
        || long_options(Blame).any(|spec| spec.name.starts_with(positive))
        || git_options::is_long_option(name)
        || ["help", "help-all", "version", "end-of-options"].contains(&name)
}

/// How many letters at the beginning of a bundle are options, of which only the last one has a value;
/// one if there is another letter among them.
fn option_letters(bundle: &[u8]) -> usize {
    let mut letters = 0;
    for run in bundle.chunk_by(|a, b| a == b) {
        let known = |spec: &&OptionSpec| spec.short == Some(char::from(run[0]));
        let takes = OPTIONS.iter().find(known).map(|spec| spec.takes);
        letters += run.len();
        match (takes, inherited::diff_letter(run[0])) {
            (Some(Takes::Nothing), _) | (None, Some(ValueSyntax::Flag)) => {}
            // `-CC` is `-C -C`.
            (Some(Takes::Optional(_)), _) => break,
            (Some(Takes::Value(_)), _) | (None, Some(_)) => return letters + 1 - run.len(),
            (None, None) => return 1,
        }
    }
    letters
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
    let mut names = long_options(Blame).map(|spec| spec.name.as_bytes());
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
