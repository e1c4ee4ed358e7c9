//! Parses arguments as `git blame` does.
//!
//! git offers each argument to its own option table and then to the revision and diff parsers.
//! Unique prefixes, bundled short options, `--no-` forms and attached values mean what they mean
//! there, and errors are git's, in git's order.

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    cli::{
        generated, help,
        inherited::{
            self, BlameEffect, InheritedGroup, OptionParser, REVISION_LETTERS, ValueSyntax,
        },
        invocation::{Command, Invocation},
        lookup::{check_dashes, find, find_abbreviated, similar_option},
        options::{OPTIONS, Occurrence, OptionSpec, Takes},
        values::check_value,
    },
    engine::MoveDetection,
    error::{Error, Result},
    repository::{charsets, request::options::BlameOptions},
    viewer::config,
};

/// Parses `args`, which do not include the program's name. `command` is the command in usage texts.
///
/// # Errors
///
/// The error of git's parsers.
pub(super) fn parse(command: &'static str, args: &[BString]) -> Result<Command> {
    let mut parser = ArgParser {
        args: args.iter(),
        command,
        has_reference_format: false,
        invocation: Invocation {
            options: BlameOptions {
                follow: true,
                text_conversion: true,
                file_and_line: true,
                utf8_patterns: charsets::is_utf8_locale(),
                ..BlameOptions::default()
            },
            ..Invocation::default()
        },
    };
    Ok(match parser.arguments()? {
        Some(command) => command,
        None => parser.finish()?,
    })
}

struct ArgParser<'a> {
    /// The arguments that are still to be parsed.
    args: std::slice::Iter<'a, BString>,
    /// The command in usage texts.
    command: &'static str,
    /// `--pretty=reference`, which sets the default of `--date`.
    has_reference_format: bool,
    /// The result of the arguments so far.
    invocation: Invocation,
}

impl<'a> ArgParser<'a> {
    /// Parses all arguments, unless one asks for a text.
    fn arguments(&mut self) -> Result<Option<Command>> {
        while let Some(arg) = self.next_arg() {
            match arg.as_bytes() {
                b"--" | b"--end-of-options" => {
                    self.operand(arg);
                    while let Some(arg) = self.next_arg() {
                        self.operand(arg);
                    }
                }
                b"--help" => return Ok(Some(Command::Help)),
                b"--help-all" => return Ok(Some(self.usage())),
                b"--version" => return Ok(Some(Command::Print(help::version()))),
                [b'-', b'-', long @ ..] => self.long(arg, long.as_bstr())?,
                [b'-', bundle @ ..] if !bundle.is_empty() => {
                    if self.bundle(bundle.as_bstr())? {
                        return Ok(Some(self.usage()));
                    }
                }
                _ => self.operand(arg),
            }
        }
        Ok(None)
    }

    /// Settles what depends on several options.
    ///
    /// # Errors
    ///
    /// Options that cannot be used together.
    fn finish(mut self) -> Result<Command> {
        let Invocation {
            options,
            format,
            find_copies_harder,
            ..
        } = &mut self.invocation;
        let movement = &mut options.movement;
        if *find_copies_harder {
            movement.copy_level = movement.copy_level.max(2);
        }
        if movement.copy_level > 0 {
            movement.moves.get_or_insert(MoveDetection::MOVES);
            movement.copies.get_or_insert(MoveDetection::COPIES);
        }
        if self.has_reference_format {
            format.date.get_or_insert_with(|| "short".into());
        }
        if let Some(name) = self.invocation.generate.take() {
            let text = name.to_str().ok().and_then(generated::text);
            return Ok(match text {
                Some(text) => Command::Print(text.to_owned()),
                None => Command::NoDocument(name),
            });
        }
        if self.invocation.print_config {
            return Ok(Command::Print(config::settings::DEFAULT.to_owned()));
        }
        let Invocation {
            options,
            format,
            output_options,
            ..
        } = &self.invocation;
        let of_files = output_options.tree || output_options.patch || output_options.places.is_on;
        let of_blames = [
            (
                (output_options.file_history || of_files) && !options.ranges.is_empty(),
                "-L",
            ),
            (options.reverse, "--reverse"),
            (of_files && options.contents.is_some(), "--contents"),
            (format.annotate_command, "--annotate"),
            (format.show_stats, "--show-stats"),
        ];
        self.invocation.output = output_options.choose(&of_blames)?;
        Ok(Command::Blame(Box::new(self.invocation)))
    }

    fn usage(&self) -> Command {
        Command::Print(help::usage(self.command))
    }

    fn next_arg(&mut self) -> Option<&'a BStr> {
        self.args.next().map(|arg| arg.as_bstr())
    }

    /// Records an argument that is not an option.
    fn operand(&mut self, arg: &BStr) {
        self.invocation.options.operands.push(arg.to_owned());
    }

    /// Short options; `bundle` is without the dash. Returns whether one of them is `-h`.
    fn bundle(&mut self, bundle: &BStr) -> Result<bool> {
        check_dashes(bundle)?;
        let mut rest = bundle;
        while let Some((&letter, after)) = rest.split_first() {
            if letter == b'h' {
                return Ok(true);
            }
            let Some(spec) = OPTIONS
                .iter()
                .find(|spec| spec.short == Some(char::from(letter)))
            else {
                self.inherited_bundle(rest)?;
                break;
            };
            rest = after.as_bstr();
            let value = match spec.takes {
                Takes::Nothing => {
                    self.apply(spec, None);
                    continue;
                }
                Takes::Optional(_) => Some(rest).filter(|rest| !rest.is_empty()),
                Takes::Value(_) => Some(self.value_of_letter(letter, rest)?),
            };
            self.apply(spec, value);
            break;
        }
        Ok(false)
    }

    /// The value of a short option that must have one: what is attached, or the next argument.
    fn value_of_letter<'b>(&mut self, letter: u8, attached: &'b BStr) -> Result<&'b BStr>
    where
        'a: 'b,
    {
        if !attached.is_empty() {
            return Ok(attached);
        }
        self.next_arg().ok_or_else(|| {
            Error::option(format!("switch `{}' requires a value", char::from(letter)))
        })
    }

    /// Short options that are not `git blame`'s.
    fn inherited_bundle(&mut self, bundle: &BStr) -> Result<()> {
        if bundle[0].is_ascii_digit() {
            return check_value("max-count", bundle);
        }
        if let &[letter] = bundle.as_bytes()
            && REVISION_LETTERS.contains(&letter)
        {
            self.invocation.options.walk_reflogs |= letter == b'g';
            return Ok(());
        }
        let mut rest = bundle;
        while let Some((&letter, after)) = rest.split_first() {
            rest = after.as_bstr();
            match inherited::diff_letter(letter) {
                None => return Err(self.unknown(&[b"-", bundle.as_bytes()].concat())),
                Some(ValueSyntax::Flag) => {}
                Some(ValueSyntax::OptionalValue) => break,
                Some(ValueSyntax::AttachedValue | ValueSyntax::Value) => {
                    self.value_of_letter(letter, rest)?;
                    break;
                }
            }
        }
        Ok(())
    }

    /// A long option: `arg` as a whole, and `long` without the dashes.
    fn long(&mut self, arg: &BStr, long: &BStr) -> Result<()> {
        let (name, value) = match long.split_once_str("=") {
            Some((name, value)) => (name.as_bstr(), Some(value.as_bstr())),
            None => (long, None),
        };
        if let Some((spec, negated)) = find(OptionParser::Tblame, name) {
            return self.option(spec, negated, value);
        }
        if let Some((spec, negated)) = find_abbreviated(name, long, self.command)? {
            return self.option(spec, negated, value);
        }
        if let Some((spec, _)) = find(OptionParser::Revision, name) {
            return self.revision_option(arg, spec, value);
        }
        let find_inherited = |parser| inherited::find(parser, name.to_str().ok()?);
        if let Some(group) = find_inherited(OptionParser::Revision) {
            return self.inherited_revision_option(arg, &name.to_str_lossy(), group, value);
        }
        if let Some((spec, negated)) = find(OptionParser::Diff, name) {
            return self.option(spec, negated, value);
        }
        let Some(group) = find_inherited(OptionParser::Diff) else {
            return Err(self.unknown(arg));
        };
        let name = &name.to_str_lossy();
        match group.syntax {
            ValueSyntax::Flag if value.is_some() => Err(takes_no_value(name)),
            ValueSyntax::Flag | ValueSyntax::OptionalValue => Ok(()),
            ValueSyntax::AttachedValue | ValueSyntax::Value => {
                self.value_of(value, || requires_value(name)).map(drop)
            }
        }
    }

    /// The value of an option that must have one: what is attached, or the next argument.
    fn value_of<'b>(
        &mut self,
        attached: Option<&'b BStr>,
        missing: impl FnOnce() -> Error,
    ) -> Result<&'b BStr>
    where
        'a: 'b,
    {
        attached.or_else(|| self.next_arg()).ok_or_else(missing)
    }

    /// An option of a parser whose errors are those of git's option parser.
    fn option(&mut self, spec: &OptionSpec, negated: bool, value: Option<&BStr>) -> Result<()> {
        let name = spec.name;
        if negated {
            if value.is_some() {
                return Err(takes_no_value(&format!("no-{name}")));
            }
            self.record(spec, Occurrence::Negated);
            return Ok(());
        }
        let value = match spec.takes {
            Takes::Nothing if value.is_some() => return Err(takes_no_value(name)),
            Takes::Nothing | Takes::Optional(_) => value,
            Takes::Value(_) => Some(self.value_of(value, || requires_value(name))?),
        };
        if let Some(value) = value {
            check_value(name, value)?;
        }
        self.apply(spec, value);
        Ok(())
    }

    /// An option of the revision parser that has an effect.
    fn revision_option(
        &mut self,
        arg: &BStr,
        spec: &OptionSpec,
        value: Option<&BStr>,
    ) -> Result<()> {
        let name = spec.name;
        let value = match spec.takes {
            Takes::Nothing if value.is_some() => return Err(self.unknown(arg)),
            Takes::Nothing | Takes::Optional(_) => value,
            Takes::Value(_) => Some(self.value_of(value, || revision_value_missing(name))?),
        };
        if let Some(value) = value {
            // Fatal even where a later one replaces it.
            check_value(name, value)?;
        }
        self.apply(spec, value);
        Ok(())
    }

    fn inherited_revision_option(
        &mut self,
        arg: &BStr,
        name: &str,
        group: &InheritedGroup,
        value: Option<&BStr>,
    ) -> Result<()> {
        let value = match (group.syntax, value) {
            (ValueSyntax::Flag, Some(_)) | (ValueSyntax::AttachedValue, None) => {
                return Err(self.unknown(arg));
            }
            (ValueSyntax::Value, value) => {
                Some(self.value_of(value, || revision_value_missing(name))?)
            }
            (_, value) => value,
        };
        if group.effect == BlameEffect::AddRevisions {
            check_value(name, value.unwrap_or_default())?;
            self.operand(arg);
        }
        let format = value.filter(|_| matches!(name, "pretty" | "format"));
        self.has_reference_format |= format.is_some_and(is_reference);
        Ok(())
    }

    fn apply(&mut self, spec: &OptionSpec, value: Option<&BStr>) {
        self.record(spec, value.map_or(Occurrence::Plain, Occurrence::Value));
    }

    fn record(&mut self, spec: &OptionSpec, occurrence: Occurrence<'_>) {
        (spec.apply)(&mut self.invocation, occurrence);
        if spec.changes_answers() {
            self.invocation.given.push(spec.word(occurrence));
        }
    }

    fn unknown(&self, arg: &[u8]) -> Error {
        let mut message = b"unknown option `".to_vec();
        message.push_str(arg);
        message.push(b'\'');
        let name = arg
            .strip_prefix(b"--")
            .and_then(|name| name.split_str("=").next());
        let similar = name.and_then(|name| similar_option(name.as_bstr()));
        let err = Error::option(message).with_usage(help::usage(self.command));
        err.with_hint(match similar {
            Some(name) => format!("did you mean --{name}?"),
            None => format!("{} -h lists the options", self.command),
        })
    }
}

/// True if `format` is the format `reference` or the beginning of its name.
fn is_reference(format: &BStr) -> bool {
    let prefix = b"reference".get(..format.len());
    format.len() > 1 && prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(format))
}

fn takes_no_value(name: &str) -> Error {
    Error::option(format!("option `{name}' takes no value"))
}

fn requires_value(name: &str) -> Error {
    Error::option(format!("option `{name}' requires a value"))
}

fn revision_value_missing(name: &str) -> Error {
    Error::fatal(format!("Option '--{name}' requires a value"))
}

#[cfg(test)]
mod tests {
    use crate::{cli::output::Output, engine::CommitOrder};

    use super::*;

    fn blame(args: &[&str]) -> Invocation {
        let args: Vec<BString> = args.iter().map(|&arg| arg.into()).collect();
        match parse("tblame", &args).unwrap() {
            Command::Blame(invocation) => *invocation,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn values_are_kept_as_written() {
        let it = blame(&[
            "-L",
            "-1",
            "-L,3",
            "--contents=-",
            "--date",
            "format:%Y",
            "a",
            "f",
        ]);
        assert_eq!(it.options.ranges, ["-1", ",3"]);
        assert_eq!(it.options.contents, Some("-".into()));
        assert_eq!(it.format.date, Some("format:%Y".into()));
        assert_eq!(it.options.operands, ["a", "f"]);
        assert!(it.options.follow && it.options.text_conversion);
    }

    #[test]
    fn empty_values_are_values() {
        let it = blame(&["-L", "", "--encoding", "", "--ignore-rev=", "f"]);
        assert_eq!(it.options.ranges, [""]);
        assert_eq!(it.format.encoding, Some("".into()));
        assert_eq!(it.options.ignored, [""]);
    }

    #[test]
    fn the_last_order_wins() {
        let order = |args: &[&str]| blame(args).options.order;
        assert_eq!(order(&["f"]), CommitOrder::Chronological);
        assert_eq!(order(&["--early-output", "f"]), CommitOrder::Topological);
        assert_eq!(
            order(&["--date-order", "--early-output=5", "f"]),
            CommitOrder::Date
        );
        assert_eq!(
            order(&["--date-order", "--topo-order", "f"]),
            CommitOrder::Topological
        );
    }

    #[test]
    fn options_may_stand_anywhere_before_the_separator() {
        let it = blame(&["-s", "HEAD", "f", "-L1,2", "--", "-l"]);
        assert!(it.format.no_author && !it.format.long_ids);
        assert_eq!(it.options.ranges, ["1,2"]);
        assert_eq!(it.options.operands, ["HEAD", "f", "--", "-l"]);
    }

    #[test]
    fn prefixes_bundles_and_negations() {
        assert_ne!(blame(&["--por"]).output, Output::Plain);
        let it = blame(&["-sfnL1"]);
        assert!(it.format.no_author && it.format.show_name && it.format.show_number);
        assert_eq!(it.options.ranges, ["1"]);
        assert_eq!(
            blame(&["--root", "--no-root"]).options.show_root,
            Some(false)
        );
        let it = blame(&[
            "--ignore-rev=a",
            "--ignore-rev",
            "b",
            "--no-ignore-rev",
            "--ignore-rev=c",
        ]);
        assert_eq!(it.options.ignored, ["c"]);
    }

    #[test]
    fn the_porcelain_formats_are_two_bits() {
        let output = |args: &[&str]| blame(args).output;
        let porcelain = |every_line| Output::Porcelain { every_line };
        assert_eq!(output(&["--line-porcelain"]), porcelain(true));
        let plain = ["--line-porcelain", "--no-porcelain"];
        assert_eq!(output(&plain), Output::Plain);
        let both = ["--line-porcelain", "--no-porcelain", "-p"];
        assert_eq!(output(&both), porcelain(true));
        let one = ["-p", "--no-line-porcelain"];
        assert_eq!(output(&one), Output::Plain);
    }

    #[test]
    fn scores_of_moves_and_copies() {
        let movement = |args: &[&str]| blame(args).options.movement;
        assert_eq!(movement(&["-M", "f"]).moves, Some(20));
        assert_eq!(movement(&["-M5", "-M", "f"]).moves, Some(5));
        assert_eq!(movement(&["-M5x", "f"]).moves, Some(20));
        let copies = movement(&["-C", "-C7", "-C", "-C", "f"]);
        assert_eq!(
            (copies.moves, copies.copies, copies.copy_level),
            (Some(20), Some(7), 3)
        );
        assert_eq!(movement(&["--find-copies-harder", "f"]).copy_level, 2);
        let args = ["--find-copies-harder", "--no-find-copies-harder", "-C", "f"];
        assert_eq!(movement(&args).copy_level, 1);
        assert_eq!(movement(&["f"]), MoveDetection::default());
    }

    #[test]
    fn values_without_effect_are_ignored() {
        let it = blame(&["--max-count", "x", "-5", "--stat=x", "-sGy", "-G", "(", "f"]);
        assert_eq!(it.options.operands, ["f"]);
    }

    #[test]
    fn options_that_add_revisions_are_operands() {
        let it = blame(&["--not", "--branches=x", "f", "--objects"]);
        assert_eq!(it.options.operands, ["--not", "--branches=x", "f"]);
    }

    #[test]
    fn texts_are_printed_at_once() {
        let print = |arg: &str| match parse("tblame", &[arg.into(), "--bogus".into()]) {
            Ok(Command::Print(text)) => text,
            Ok(Command::Help) => help::help(80),
            other => panic!("{other:?}"),
        };
        assert!(print("-h").starts_with("usage: tblame"));
        assert!(print("--help").contains("tblame"));
        assert!(print("--version").starts_with("tblame "));
    }
}
