//! Reads argument words the way `git blame` does, and brings them into the form clap expects.
//!
//! git offers each word to its own option table and then to the revision and diff parsers. Unique
//! prefixes, bundles, `--no-` forms and attached numbers mean what they mean there, and what is
//! wrong is said in git's words. What remains is a plain command line: long options in their full
//! form, `--`, and the words that are no options.

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    cli::{
        accepted::{self, Shape},
        numbers::parse_integer,
        table::{self, OPTIONS, Parser, Spec, Takes},
        values,
    },
    dates::date_format,
    error::{Error, Result, quoted},
    repository::request::options::Accepted,
};

/// Options that say the same thing in other ways: the last one given decides.
const RIVALS: &[&[&str]] = &[
    &["since", "after", "max-age"],
    &["until", "before", "min-age"],
    &["topo-order", "date-order", "author-date-order"],
    &["diff-algorithm", "minimal"],
];

/// What argument words ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Normal {
    /// Run with these settled options and the remaining words.
    Run {
        /// Options by their id in the table (`no-…` for those switched off), in order.
        options: Vec<(String, Option<BString>)>,
        /// Options without effect by their long name, in order.
        accepted: Vec<Accepted>,
        /// Everything that is no option, `--` and revision options like `--all` included.
        words: Vec<BString>,
    },
    /// git's usage, on standard output.
    Usage,
    /// tblame's help.
    Help,
    /// tblame's version.
    Version,
}

/// Why argument words cannot be settled.
#[derive(Debug)]
pub struct Refusal {
    /// What is to be said.
    pub error: Error,
    /// Options without effect that came before: git checks their values first.
    pub accepted: Vec<Accepted>,
}

impl From<Error> for Box<Refusal> {
    fn from(error: Error) -> Self {
        Box::new(Refusal {
            error,
            accepted: Vec::new(),
        })
    }
}

/// Settle `args`, which do not include the program's name, for git's command `command`.
///
/// # Errors
///
/// What git's parsers refuse, in git's words.
pub fn normalize(args: &[BString], command: &str) -> Result<Normal, Box<Refusal>> {
    let mut reader = Reader {
        args,
        next: 0,
        command,
        options: Vec::new(),
        accepted: Vec::new(),
        words: Vec::new(),
    };
    while let Some(word) = reader.take() {
        match reader.word(word) {
            Ok(None) => {}
            Ok(Some(other)) => return Ok(other),
            Err(error) => {
                let accepted = reader.accepted;
                return Err(Box::new(Refusal { error, accepted }));
            }
        }
    }
    Ok(Normal::Run {
        options: reader.options,
        accepted: reader.accepted,
        words: reader.words,
    })
}

struct Reader<'a> {
    args: &'a [BString],
    next: usize,
    command: &'a str,
    options: Vec<(String, Option<BString>)>,
    accepted: Vec<Accepted>,
    words: Vec<BString>,
}

impl<'a> Reader<'a> {
    fn take(&mut self) -> Option<&'a BStr> {
        let word = self.args.get(self.next)?;
        self.next += 1;
        Some(word.as_bstr())
    }

    fn word(&mut self, word: &BStr) -> Result<Option<Normal>> {
        if word.len() < 2 || word[0] != b'-' {
            self.words.push(word.to_owned());
            return Ok(None);
        }
        match word.as_bytes() {
            b"--" | b"--end-of-options" => {
                self.words.push(word.to_owned());
                while let Some(rest) = self.take() {
                    self.words.push(rest.to_owned());
                }
                Ok(None)
            }
            b"--help" => Ok(Some(Normal::Help)),
            b"--version" => Ok(Some(Normal::Version)),
            b"--help-all" => Ok(Some(Normal::Usage)),
            [b'-', b'-', long @ ..] => self.long(word, long.as_bstr()).map(|()| None),
            [_, bundle @ ..] => self.bundle(bundle.as_bstr()),
            [] => Ok(None),
        }
    }

    /// A word of short options, `-` removed.
    fn bundle(&mut self, bundle: &BStr) -> Result<Option<Normal>> {
        check_typo(bundle, own_long_names())?;
        let mut rest = bundle;
        while let Some(&letter) = rest.first() {
            if letter == b'h' {
                return Ok(Some(Normal::Usage));
            }
            let Some(spec) = OPTIONS.iter().find(|spec| {
                spec.parser == Parser::Blame && spec.short == Some(char::from(letter))
            }) else {
                self.foreign_bundle(rest)?;
                return Ok(None);
            };
            rest = rest[1..].as_bstr();
            match spec.takes {
                Takes::Nothing => self.set(spec, None),
                Takes::Optional(_) => {
                    let value = (!rest.is_empty()).then(|| rest.to_owned());
                    self.set(spec, value);
                    break;
                }
                Takes::Value(_) => {
                    let value = if rest.is_empty() {
                        self.take().ok_or_else(|| switch_requires(letter))?
                    } else {
                        rest
                    };
                    self.set(spec, Some(value.to_owned()));
                    break;
                }
            }
        }
        Ok(None)
    }

    /// Short options that blame's own table does not know.
    fn foreign_bundle(&mut self, bundle: &BStr) -> Result<()> {
        if bundle[0].is_ascii_digit() {
            return values::check("max-count", bundle);
        }
        if let [letter] = bundle.as_bytes()
            && let Some(name) = accepted::revision_letter(char::from(*letter))
        {
            return self.accept(name, None);
        }
        let unknown = || self.unknown(&[b"-", bundle.as_bytes()].concat());
        let mut flags = Vec::new();
        let mut rest = bundle;
        while let Some(&letter) = rest.first() {
            let (shape, name) = accepted::diff_letter(char::from(letter)).ok_or_else(unknown)?;
            rest = rest[1..].as_bstr();
            let value = match shape {
                Shape::Flag => {
                    flags.push(name);
                    continue;
                }
                Shape::Optional => Some(rest).filter(|rest| !rest.is_empty()),
                _ if rest.is_empty() => Some(self.take().ok_or_else(|| switch_requires(letter))?),
                _ => Some(rest),
            };
            self.accept(name, value)?;
            break;
        }
        flags
            .into_iter()
            .try_for_each(|name| self.accept(name, None))
    }

    /// Takes note of an option without effect.
    fn accept(&mut self, name: &str, value: Option<&BStr>) -> Result<()> {
        if let Some(value) = value {
            values::check(name, value)?;
        }
        if name.is_empty() {
            return Ok(());
        }
        values::check_rivals(name, &self.accepted)?;
        let undone = accepted::undone_by(name);
        self.accepted
            .retain(|option| !undone.contains(&option.name.as_str()));
        self.accepted.push(Accepted {
            name: name.to_owned(),
            value: value.map(ToOwned::to_owned),
        });
        Ok(())
    }

    /// A word of the form `--name` or `--name=value`; `long` is without the dashes.
    fn long(&mut self, word: &BStr, long: &BStr) -> Result<()> {
        let (name, value) = match long.find_byte(b'=') {
            Some(at) => (long[..at].as_bstr(), Some(long[at + 1..].as_bstr())),
            None => (long, None),
        };
        if let Some((spec, negated)) = exact(name, Parser::Tblame) {
            return self.own(spec, negated, value);
        }
        if let Some((spec, negated)) = blame_option(name, long, self.command)? {
            return self.own(spec, negated, value);
        }
        if let Some((spec, _)) = exact(name, Parser::Revision) {
            return self.revision(word, spec, value);
        }
        let name = name.to_str_lossy();
        let choosing = accepted::shape(accepted::CHOOSING, &name);
        if let Some(shape) = choosing.or_else(|| accepted::shape(accepted::REVISION, &name)) {
            return self.accepted_revision(word, &name, shape, value);
        }
        if let Some((spec, negated)) = exact(name.as_bytes().as_bstr(), Parser::Diff) {
            return self.own(spec, negated, value);
        }
        match accepted::shape(accepted::DIFF, &name) {
            Some(Shape::Optional) => self.accept(&name, value),
            Some(Shape::Flag) if value.is_some() => Err(takes_no_value(&name)),
            Some(Shape::Flag) => self.accept(&name, None),
            Some(_) => match value.or_else(|| self.take()) {
                Some(value) => self.accept(&name, Some(value)),
                None => Err(requires_value(&name)),
            },
            None => Err(self.unknown(word)),
        }
    }

    /// An option of a table whose errors are those of git's option parser.
    fn own(&mut self, spec: &Spec, negated: bool, value: Option<&BStr>) -> Result<()> {
        let name = spec.long.unwrap_or_default();
        if negated {
            if value.is_some() {
                return Err(takes_no_value(&format!("no-{name}")));
            }
            self.unset(spec);
            return Ok(());
        }
        let value = match (spec.takes, value) {
            (Takes::Nothing, Some(_)) => return Err(takes_no_value(name)),
            (Takes::Nothing | Takes::Optional(_), value) => value,
            (Takes::Value(_), Some(value)) => Some(value),
            (Takes::Value(_), None) => Some(self.take().ok_or_else(|| requires_value(name))?),
        };
        check_value(name, value)?;
        self.set(spec, value.map(ToOwned::to_owned));
        Ok(())
    }

    /// An option of the revision parser that has an effect.
    fn revision(&mut self, word: &BStr, spec: &Spec, value: Option<&BStr>) -> Result<()> {
        let name = spec.long.unwrap_or_default();
        let value = match (spec.takes, value) {
            (Takes::Nothing, Some(_)) => return Err(self.unknown(word)),
            (Takes::Nothing | Takes::Optional(_), None) => None,
            (_, Some(value)) => Some(value),
            (Takes::Value(_), None) => Some(self.take().ok_or_else(|| option_requires(name))?),
        };
        match (value, name) {
            (Some(value), "max-age" | "min-age") => seconds(value)?,
            (Some(value), name) => values::check(name, value)?,
            (None, _) => {}
        }
        values::check_rivals(name, &self.accepted)?;
        if let (Some(value), "date") = (value, name) {
            // Fatal even where a later one replaces it.
            date_format::Style::parse(value, false).map_err(|err| Error::fatal(err.to_string()))?;
        }
        self.set(spec, value.map(ToOwned::to_owned));
        Ok(())
    }

    fn accepted_revision(
        &mut self,
        word: &BStr,
        name: &str,
        shape: Shape,
        value: Option<&BStr>,
    ) -> Result<()> {
        match (shape, value) {
            (Shape::Flag | Shape::Words, Some(_))
            | (Shape::Attached | Shape::WordsAttached, None) => Err(self.unknown(word)),
            (Shape::Words | Shape::WordsOptional | Shape::WordsAttached, value) => {
                if let Some(value) = value {
                    values::check(name, value)?;
                }
                self.words.push(word.to_owned());
                Ok(())
            }
            (Shape::Flag | Shape::Optional | Shape::Attached, value) => self.accept(name, value),
            (Shape::Value, value) => {
                let value = match value {
                    Some(value) => value,
                    None => self.take().ok_or_else(|| option_requires(name))?,
                };
                self.accept(name, Some(value))
            }
        }
    }

    fn unknown(&self, word: &[u8]) -> Error {
        let mut message = b"unknown option `".to_vec();
        message.push_str(word);
        message.push(b'\'');
        Error::option(message).with_usage(table::usage(self.command))
    }

    fn set(&mut self, spec: &Spec, value: Option<BString>) {
        let id = spec.id;
        match id {
            "relative-date" => return self.replace("date", Some("relative".into())),
            // Two bits, of which --porcelain is one.
            "line-porcelain" => self.replace("porcelain", None),
            _ => {
                let rivals = RIVALS.iter().find(|rivals| rivals.contains(&id));
                for rival in rivals.into_iter().flat_map(|rivals| rivals.iter()) {
                    self.forget(rival);
                }
            }
        }
        if spec.repeatable {
            self.options.push((id.to_owned(), value));
        } else {
            self.forget(id);
            self.options.push((id.to_owned(), value));
        }
    }

    fn unset(&mut self, spec: &Spec) {
        let id = spec.id;
        match id {
            "minimal" => self.forget("diff-algorithm"),
            "line-porcelain" => self.replace("no-porcelain", None),
            _ => {}
        }
        self.forget(id);
        self.options.push((format!("no-{id}"), None));
    }

    fn replace(&mut self, id: &str, value: Option<BString>) {
        self.forget(id.trim_start_matches("no-"));
        self.options.push((id.to_owned(), value));
    }

    fn forget(&mut self, id: &str) {
        self.options
            .retain(|(set, _)| set != id && set.strip_prefix("no-") != Some(id));
    }
}

/// The option of `parser` with exactly this name, and whether it is its `--no-` form.
fn exact(name: &BStr, parser: Parser) -> Option<(&'static Spec, bool)> {
    let positive = |name: &[u8]| {
        OPTIONS.iter().find(|spec| {
            spec.parser == parser && spec.long.is_some_and(|long| long.as_bytes() == name)
        })
    };
    if let Some(spec) = positive(name) {
        return Some((spec, false));
    }
    let spec = positive(name.strip_prefix(b"no-")?)?;
    spec.negation.is_some().then_some((spec, true))
}

/// The option of blame's own table that `name` is, or is the unique prefix of.
/// `typed` is all that was typed after the dashes.
fn blame_option(name: &BStr, typed: &BStr, command: &str) -> Result<Option<(&'static Spec, bool)>> {
    if let Some(found) = exact(name, Parser::Blame) {
        return Ok(Some(found));
    }
    let mut candidates: Vec<(&'static Spec, bool)> = Vec::new();
    for spec in OPTIONS.iter().filter(|spec| spec.parser == Parser::Blame) {
        let Some(long) = spec.long else { continue };
        if long.as_bytes().starts_with(name) {
            candidates.push((spec, false));
        }
        if spec.negation.is_some() {
            if b"no-".starts_with(name.as_bytes()) {
                candidates.push((spec, true));
            }
            if let Some(rest) = name.strip_prefix(b"no-")
                && long.as_bytes().starts_with(rest)
            {
                candidates.push((spec, true));
            }
        }
    }
    match candidates[..] {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        [.., a, b] => {
            let shown = |(spec, negated): (&Spec, bool)| {
                format!(
                    "--{}{}",
                    if negated { "no-" } else { "" },
                    spec.long.unwrap_or_default()
                )
            };
            let mut message = b"ambiguous option: ".to_vec();
            message.push_str(typed);
            message.push_str(format!(" (could be {} or {})", shown(a), shown(b)));
            Err(Error::option(message).with_usage(table::usage(command)))
        }
    }
}

fn own_long_names() -> impl Iterator<Item = &'static str> {
    OPTIONS
        .iter()
        .filter(|spec| spec.parser == Parser::Blame)
        .filter_map(|spec| spec.long)
}

/// A long option with one dash is refused rather than read as a bundle.
fn check_typo(bundle: &BStr, mut names: impl Iterator<Item = &'static str>) -> Result<()> {
    if bundle.len() < 3 {
        return Ok(());
    }
    if bundle.starts_with(b"no-") || names.any(|name| name.as_bytes().starts_with(bundle)) {
        let mut message = b"did you mean `--".to_vec();
        message.push_str(bundle);
        message.push_str("` (with two dashes)?");
        return Err(Error::option(message));
    }
    Ok(())
}

fn check_value(name: &str, value: Option<&BStr>) -> Result<()> {
    match (name, value) {
        ("abbrev", Some(value)) if parse_integer(value).is_none() => {
            Err(Error::option("option `abbrev' expects a numerical value"))
        }
        ("diff-algorithm", Some(value))
            if !matches!(
                value.to_ascii_lowercase().as_slice(),
                b"myers" | b"default" | b"minimal" | b"patience" | b"histogram"
            ) =>
        {
            Err(Error::option(
                "option diff-algorithm accepts \"myers\", \"minimal\", \"patience\" and \"histogram\"",
            ))
        }
        _ => Ok(()),
    }
}

fn seconds(value: &BStr) -> Result<()> {
    if parse_integer(value).is_some_and(|seconds| seconds < i64::MAX) {
        Ok(())
    } else {
        Err(Error::fatal(quoted(
            "",
            value,
            ": not a number of seconds since epoch",
        )))
    }
}

fn takes_no_value(name: &str) -> Error {
    Error::option(format!("option `{name}' takes no value"))
}

fn requires_value(name: &str) -> Error {
    Error::option(format!("option `{name}' requires a value"))
}

fn option_requires(name: &str) -> Error {
    Error::fatal(format!("Option '--{name}' requires a value"))
}

fn switch_requires(letter: u8) -> Error {
    Error::option(format!("switch `{}' requires a value", char::from(letter)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(args: &[&str]) -> Result<(Vec<String>, Vec<String>)> {
        let args: Vec<BString> = args.iter().map(|&arg| arg.into()).collect();
        match normalize(&args, "blame").map_err(|refusal| refusal.error)? {
            Normal::Run { options, words, .. } => Ok((
                options
                    .into_iter()
                    .map(|(id, value)| match value {
                        Some(value) => format!("{id}={value}"),
                        None => id,
                    })
                    .collect(),
                words.iter().map(ToString::to_string).collect(),
            )),
            other => panic!("{other:?}"),
        }
    }

    fn message(args: &[&str]) -> String {
        run(args).unwrap_err().message().to_string()
    }

    #[test]
    fn options_may_stand_anywhere_before_the_separator() {
        let (options, words) = run(&["-s", "HEAD", "f", "-L1,2", "--", "-l"]).unwrap();
        assert_eq!(options, ["s", "L=1,2"]);
        assert_eq!(words, ["HEAD", "f", "--", "-l"]);
    }

    #[test]
    fn prefixes_bundles_and_negations() {
        assert_eq!(run(&["--por"]).unwrap().0, ["porcelain"]);
        assert_eq!(
            run(&["-sfnL1"]).unwrap().0,
            ["s", "show-name", "show-number", "L=1"]
        );
        assert_eq!(run(&["--root", "--no-root"]).unwrap().0, ["no-root"]);
        assert_eq!(
            run(&[
                "--ignore-rev=a",
                "--ignore-rev",
                "b",
                "--no-ignore-rev",
                "--ignore-rev=c"
            ])
            .unwrap()
            .0,
            ["no-ignore-rev", "ignore-rev=c"]
        );
        assert_eq!(run(&["-C", "-C5", "-M"]).unwrap().0, ["C", "C=5", "M"]);
    }

    #[test]
    fn ambiguities_name_the_last_two_candidates() {
        assert_eq!(
            message(&["--p"]),
            "ambiguous option: p (could be --progress or --porcelain)"
        );
        assert_eq!(
            message(&["--no"]),
            "ambiguous option: no (could be --no-contents or --no-abbrev)"
        );
        assert_eq!(
            message(&["--no-"]),
            "ambiguous option: no- (could be --no-abbrev or --no-abbrev)"
        );
    }

    #[test]
    fn errors_read_like_gits() {
        assert_eq!(message(&["--bogus"]), "unknown option `--bogus'");
        assert_eq!(message(&["-sx"]), "unknown option `-x'");
        assert_eq!(message(&["-L"]), "switch `L' requires a value");
        assert_eq!(
            message(&["--contents"]),
            "option `contents' requires a value"
        );
        assert_eq!(message(&["--root=1"]), "option `root' takes no value");
        assert_eq!(message(&["--date"]), "Option '--date' requires a value");
        assert_eq!(
            message(&["-porcelain"]),
            "did you mean `--porcelain` (with two dashes)?"
        );
        assert_eq!(message(&["--max-count", "f"]), "'f': not an integer");
    }

    #[test]
    fn revision_options_stay_among_the_words() {
        let (options, words) = run(&["--not", "--branches=x", "f", "--objects"]).unwrap();
        assert!(options.is_empty());
        assert_eq!(words, ["--not", "--branches=x", "f"]);
    }
}
