//! The command line.

mod accepted;
mod numbers;
#[cfg(test)]
mod page;
pub mod table;
mod values;
pub mod words;

use std::ffi::OsString;

use bstr::{BString, ByteSlice, ByteVec};
use clap::ArgMatches;

use crate::{
    cli::words::{Normal, Refusal},
    engine::{Movement, Order},
    error::{Error, Result},
    repository::request::options::{Accepted, Options},
    viewer::config,
};

/// What a command line asks for.
#[derive(Debug, Clone)]
pub enum Command {
    /// Blame a file.
    Blame(Box<Invocation>),
    /// Print this text on standard output and succeed.
    Print(String),
}

/// A run as asked for on the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Invocation {
    /// What to blame, and how.
    pub options: Options,
    /// `-L`, as written.
    pub ranges: Vec<BString>,
    /// Which format, and what it shows.
    pub format: Format,
    /// `--[no-]viewer`.
    pub viewer: Option<bool>,
    /// `--theme`.
    pub theme: Option<BString>,
    /// `--config`.
    pub config: Option<BString>,
    /// `--demo`.
    pub demo: bool,
    /// `--stats`.
    pub stats: bool,
    /// `--threads`.
    pub threads: Option<usize>,
}

impl Invocation {
    /// The git command that this stands in for.
    pub fn command(&self) -> &'static str {
        if self.format.annotate_command {
            "annotate"
        } else {
            "blame"
        }
    }
}

/// The options of the output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Format {
    /// Called as `git annotate`: like `-c`, with its own defaults.
    pub annotate_command: bool,
    /// `--incremental`.
    pub incremental: bool,
    /// `-p`, `--porcelain`.
    pub porcelain: bool,
    /// `--line-porcelain`.
    pub line_porcelain: bool,
    /// `--json`.
    pub json: bool,
    /// `-b`.
    pub blank_boundary: bool,
    /// `--show-stats`.
    pub show_stats: bool,
    /// `--[no-]progress`.
    pub progress: Option<bool>,
    /// `--score-debug`.
    pub score_debug: bool,
    /// `-f`.
    pub show_name: bool,
    /// `-n`.
    pub show_number: bool,
    /// `-c`.
    pub annotate: bool,
    /// `-t`.
    pub raw_time: bool,
    /// `-l`.
    pub long_ids: bool,
    /// `-s`.
    pub no_author: bool,
    /// `--[no-]show-email`.
    pub show_email: Option<bool>,
    /// `--[no-]color-lines`.
    pub color_lines: Option<bool>,
    /// `--[no-]color-by-age`.
    pub color_by_age: Option<bool>,
    /// `--abbrev=N`; 0 is the full length.
    pub abbrev: Option<i64>,
    /// `--date`.
    pub date: Option<BString>,
    /// `--encoding`.
    pub encoding: Option<BString>,
}

impl Format {
    /// A format for programs was asked for, which never opens the viewer.
    pub fn is_for_machines(&self) -> bool {
        self.incremental || self.porcelain || self.line_porcelain || self.json
    }
}

/// Read the command line `args`, without the program's name.
///
/// # Errors
///
/// What git's option parsers refuse, in git's words.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Command, Box<Refusal>> {
    let args: Vec<BString> = args
        .into_iter()
        .map(|arg| {
            Vec::from_os_string(arg).map_err(|_| Error::fatal("an argument is not valid Unicode"))
        })
        .map(|arg| arg.map(BString::from))
        .collect::<Result<_, Error>>()?;
    let command = if args.iter().any(|arg| arg == "--annotate") {
        "annotate"
    } else {
        "blame"
    };
    let (options, accepted, words) = match words::normalize(&args, command)? {
        Normal::Run {
            options,
            accepted,
            words,
        } => (options, accepted, words),
        Normal::Usage => return Ok(Command::Print(table::usage(command))),
        Normal::Help => {
            return Ok(Command::Print(
                table::command().render_long_help().to_string(),
            ));
        }
        Normal::Version => {
            return Ok(Command::Print(format!(
                "tblame {}\n",
                env!("CARGO_PKG_VERSION")
            )));
        }
    };
    let is_given = |name: &str| options.iter().any(|(id, _)| id == name);
    let matches = table::command_with(is_given)
        .try_get_matches_from(clap_words(&options, &words))
        .map_err(|err| Error::option(err.to_string().trim_start_matches("error: ").trim_end()))?;
    if is_set(&matches, "print-config") {
        return Ok(Command::Print(config::settings::DEFAULT.to_owned()));
    }
    let mut invocation = invocation(&matches, words)?;
    if accepted.iter().any(is_reference_format) {
        let date = &mut invocation.format.date;
        date.get_or_insert_with(|| "short".into());
    }
    invocation.options.accepted = accepted;
    Ok(Command::Blame(Box::new(invocation)))
}

/// The settled options as clap reads them.
fn clap_words(options: &[(String, Option<BString>)], words: &[BString]) -> Vec<OsString> {
    let os = |bytes: &[u8]| bytes.to_os_str_lossy().into_owned();
    let mut argv = vec![OsString::from("tblame")];
    for (id, value) in options {
        let spec = table::OPTIONS.iter().find(|spec| spec.id == *id);
        let mut word = if id.len() == 1 { "-" } else { "--" }.to_owned();
        word.push_str(id);
        let optional = spec.is_some_and(|spec| matches!(spec.takes, table::Takes::Optional(_)));
        match value {
            Some(value) if id.len() > 1 || optional => {
                let mut word = word.into_bytes();
                word.push(b'=');
                word.push_str(value);
                argv.push(os(&word));
            }
            Some(value) => argv.extend([word.into(), os(value)]),
            None => argv.push(word.into()),
        }
    }
    argv.push("--".into());
    argv.extend(words.iter().map(|word| os(word)));
    argv
}

/// Whether a flag was given. What was not given is not known either.
fn is_set(matches: &ArgMatches, id: &str) -> bool {
    debug_assert!(table::has(id), "{id}");
    matches!(matches.try_get_one(id), Ok(Some(true)))
}

fn invocation(matches: &ArgMatches, words: Vec<BString>) -> Result<Invocation> {
    let on = |id: &str| is_set(matches, id);
    let choice = |id: &str| match (on(id), on(&format!("no-{id}"))) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let all = |id: &str| -> Vec<BString> {
        debug_assert!(table::has(id), "{id}");
        let values = matches.try_get_many::<OsString>(id).ok().flatten();
        let values = values.into_iter().flatten();
        values
            .filter_map(|value| Vec::from_os_string(value.clone()).ok().map(BString::from))
            .collect()
    };
    let one = |id: &str| all(id).pop();
    let number = |id: &str| one(id).and_then(|value| value.to_str().ok()?.parse::<i64>().ok());
    Ok(Invocation {
        options: Options {
            words,
            accepted: Vec::new(),
            since: one("since").or_else(|| one("after")),
            max_age: number("max-age").and_then(timestamp),
            until: one("until").or_else(|| one("before")),
            min_age: number("min-age").and_then(timestamp),
            since_as_filter: one("since-as-filter"),
            order: order(on, one("early-output").is_some()),
            exclude_first_parent_only: on("exclude-first-parent-only"),
            first_parent: on("first-parent"),
            reverse: on("reverse"),
            follow: !on("no-follow"),
            grafts: one("S"),
            contents: one("contents"),
            ignore_whitespace: on("w"),
            algorithm: algorithm(one("diff-algorithm"), on("minimal")),
            indent_heuristic: choice("indent-heuristic"),
            movement: movement(&all("M"), &all("C"), on("find-copies-harder")),
            ignored: all("ignore-rev"),
            ignored_files: all("ignore-revs-file"),
            forget_configured_ignored_files: on("no-ignore-revs-file"),
            root_ignored_file: choice("auto-ignore-revs"),
            text_conversion: !on("no-textconv"),
            show_root: choice("root"),
        },
        ranges: all("L"),
        format: Format {
            annotate_command: on("annotate"),
            incremental: on("incremental"),
            porcelain: on("porcelain"),
            line_porcelain: on("line-porcelain") && on("porcelain"),
            json: on("json"),
            blank_boundary: on("b"),
            show_stats: on("show-stats"),
            progress: choice("progress"),
            score_debug: on("score-debug"),
            show_name: on("show-name"),
            show_number: on("show-number"),
            annotate: on("c") || on("annotate"),
            raw_time: on("t"),
            long_ids: on("l"),
            no_author: on("s"),
            show_email: choice("show-email"),
            color_lines: choice("color-lines"),
            color_by_age: choice("color-by-age"),
            abbrev: if on("no-abbrev") {
                Some(0)
            } else {
                number("abbrev")
            },
            date: one("date"),
            encoding: one("encoding"),
        },
        viewer: choice("viewer"),
        theme: one("theme"),
        config: one("config"),
        demo: on("demo"),
        stats: on("stats"),
        threads: threads(one("threads"))?,
    })
}

/// `--pretty=reference`, which chooses how dates are shown.
fn is_reference_format(option: &Accepted) -> bool {
    let name = option.value.as_ref().map_or(&[][..], |value| value);
    let beginning = "reference".as_bytes().get(..name.len());
    matches!(&*option.name, "pretty" | "format")
        && name.len() > 1
        && beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(name))
}

/// git's dates are unsigned, and the largest stands for none.
fn timestamp(seconds: i64) -> Option<i64> {
    match seconds {
        -1 => None,
        seconds => Some(if seconds < 0 { i64::MAX } else { seconds }),
    }
}

fn order(on: impl Fn(&str) -> bool, early_output: bool) -> Order {
    match () {
        () if on("topo-order") => Order::Topological,
        () if on("date-order") => Order::Date,
        () if on("author-date-order") => Order::AuthorDate,
        () if early_output => Order::Topological,
        () => Order::Met,
    }
}

fn algorithm(named: Option<BString>, minimal: bool) -> Option<crate::diff::Algorithm> {
    use crate::diff::Algorithm;
    match named.map(|name| name.to_ascii_lowercase()).as_deref() {
        Some(b"minimal") => Some(Algorithm::Minimal),
        Some(b"patience") => Some(Algorithm::Patience),
        Some(b"histogram") => Some(Algorithm::Histogram),
        Some(_) => Some(Algorithm::Myers),
        None if minimal => Some(Algorithm::Minimal),
        None => None,
    }
}

fn threads(value: Option<BString>) -> Result<Option<usize>> {
    let Some(value) = value else { return Ok(None) };
    match value.to_str().ok().and_then(|value| value.parse().ok()) {
        Some(threads) if threads > 0 => Ok(Some(threads)),
        _ => Err(Error::option(
            "option `threads' expects a number of at least 1",
        )),
    }
}

/// `moves` and `copies` are the values of each `-M` and `-C`, empty where none was attached.
fn movement(moves: &[BString], copies: &[BString], harder: bool) -> Movement {
    let level = copies.len().min(3).max(if harder { 2 } else { 0 });
    let score = |values: &[BString], default| {
        let last = values.iter().rev().find(|value| !value.is_empty());
        match last.map_or(0, |value| parse_score(value)) {
            0 => default,
            score => score,
        }
    };
    Movement {
        moves: (!moves.is_empty() || level > 0).then(|| score(moves, Movement::MOVES)),
        copies: (level > 0).then(|| score(copies, Movement::COPIES)),
        copy_level: level as u8,
    }
}

/// A score as C's `strtoul` reads it: what is not a whole number is 0, a negative one wraps.
fn parse_score(value: &[u8]) -> u32 {
    let value = value.trim_start();
    let (negative, digits) = match value {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return 0;
    }
    let number = digits.iter().fold(0u64, |number, &digit| {
        number
            .saturating_mul(10)
            .saturating_add(u64::from(digit - b'0'))
    });
    let number = if negative {
        number.wrapping_neg()
    } else {
        number
    };
    number as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blame(args: &[&str]) -> Invocation {
        match parse(args.iter().map(OsString::from)).unwrap() {
            Command::Blame(invocation) => *invocation,
            Command::Print(text) => panic!("{text}"),
        }
    }

    #[test]
    fn values_arrive_as_written() {
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
        assert_eq!(it.ranges, ["-1", ",3"]);
        assert_eq!(
            it.options.contents.as_deref().map(Vec::as_slice),
            Some(&b"-"[..])
        );
        assert_eq!(it.format.date, Some("format:%Y".into()));
        assert_eq!(it.options.words, ["a", "f"]);
        assert!(it.options.follow && it.options.text_conversion);
    }

    #[test]
    fn empty_values_are_values() {
        let it = blame(&["-L", "", "--encoding", "", "--ignore-rev=", "f"]);
        assert_eq!(it.ranges, [""]);
        assert_eq!(it.format.encoding, Some("".into()));
        assert_eq!(it.options.ignored, [""]);
    }

    #[test]
    fn the_last_order_counts() {
        let order = |args: &[&str]| blame(args).options.order;
        assert_eq!(order(&["f"]), Order::Met);
        assert_eq!(order(&["--early-output", "f"]), Order::Topological);
        assert_eq!(
            order(&["--date-order", "--early-output=5", "f"]),
            Order::Date
        );
        assert_eq!(
            order(&["--date-order", "--topo-order", "f"]),
            Order::Topological
        );
    }

    #[test]
    fn words_keep_their_separator() {
        assert_eq!(
            blame(&["HEAD", "--", "-f"]).options.words,
            ["HEAD", "--", "-f"]
        );
    }

    #[test]
    fn scores_of_movement() {
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
        assert_eq!(movement(&["f"]), Movement::default());
    }

    #[test]
    fn the_help_is_ours_and_the_usage_gits() {
        let print = |arg: &str| match parse([OsString::from(arg)]).unwrap() {
            Command::Print(text) => text,
            Command::Blame(_) => panic!(),
        };
        assert!(print("-h").starts_with("usage: git blame"));
        assert!(print("--help").contains("tblame"));
        assert!(print("--version").starts_with("tblame "));
    }
}
