//! The one table of the options that have an effect: clap's command, git's usage text and the
//! reading of argument words are all made from it.

use clap::{Arg, ArgAction, Command};

/// Whether an option has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// It is a flag.
    Nothing,
    /// It must have one, called this in the help.
    Value(&'static str),
    /// It may have one, attached.
    Optional(&'static str),
}

/// Which of git's parsers knows an option; their rules and messages differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parser {
    /// `git blame`'s own: unique prefixes of long names are understood.
    Blame,
    /// That of revisions: exact names.
    Revision,
    /// That of diffs: exact names.
    Diff,
    /// tblame's: exact names.
    Tblame,
}

/// An option with an effect.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// Under this name clap and the normalised words keep it: the long one, else the short one.
    pub id: &'static str,
    /// Who knows it.
    pub parser: Parser,
    /// `--long`, without the dashes.
    pub long: Option<&'static str>,
    /// `-s`, without the dash.
    pub short: Option<char>,
    /// Whether it has a value.
    pub takes: Takes,
    /// The name of its `--no-` form, where that exists.
    pub negation: Option<&'static str>,
    /// May be given several times, each counting.
    pub repeatable: bool,
    /// What it does, in one line.
    pub help: &'static str,
    /// It is in the help; git's usage has the same options.
    pub shown: bool,
    /// The variables of git's configuration that set it.
    pub configuration: &'static [&'static str],
}

macro_rules! flag {
    ($parser:expr, $long:literal, $help:expr) => {
        Spec {
            id: $long,
            parser: $parser,
            long: Some($long),
            short: None,
            takes: Takes::Nothing,
            negation: Some(concat!("no-", $long)),
            repeatable: false,
            help: $help,
            shown: true,
            configuration: &[],
        }
    };
}

macro_rules! letter {
    ($short:literal, $help:expr) => {
        Spec {
            id: $short,
            parser: Parser::Blame,
            long: None,
            short: Some($short.as_bytes()[0] as char),
            takes: Takes::Nothing,
            negation: None,
            repeatable: false,
            help: $help,
            shown: true,
            configuration: &[],
        }
    };
}

impl Spec {
    const fn short(mut self, short: char) -> Spec {
        self.short = Some(short);
        self
    }

    const fn takes(mut self, takes: Takes) -> Spec {
        self.takes = takes;
        self
    }

    const fn only(mut self) -> Spec {
        self.negation = None;
        self
    }

    const fn list(mut self) -> Spec {
        self.repeatable = true;
        self
    }

    const fn hidden(mut self) -> Spec {
        self.shown = false;
        self
    }

    const fn configured(mut self, by: &'static [&'static str]) -> Spec {
        self.configuration = by;
        self
    }
}

use Parser::{Blame, Diff, Revision, Tblame};

/// Every option with an effect, blame's own in the order in which git names them.
pub const OPTIONS: &[Spec] = &[
    flag!(
        Blame,
        "incremental",
        "write entries as they are found, in a machine format"
    ),
    letter!("b", "leave the ids of boundary commits blank").configured(&["blame.blankBoundary"]),
    flag!(Blame, "root", "do not treat root commits as boundaries").configured(&["blame.showRoot"]),
    flag!(Blame, "show-stats", "show work cost statistics at the end"),
    flag!(Blame, "progress", "force progress reporting"),
    flag!(Blame, "score-debug", "show scores and reference counts"),
    flag!(Blame, "show-name", "show the original file name").short('f'),
    flag!(Blame, "show-number", "show the original line number").short('n'),
    flag!(Blame, "porcelain", "write a format for machines").short('p'),
    flag!(
        Blame,
        "line-porcelain",
        "as --porcelain, with all details on each line"
    ),
    letter!("c", "use the format of git annotate"),
    letter!("t", "show raw timestamps"),
    letter!("l", "show full ids"),
    letter!("s", "suppress author and date"),
    flag!(
        Blame,
        "show-email",
        "show the author's e-mail instead of the name"
    )
    .short('e')
    .configured(&["blame.showEmail"]),
    letter!("w", "ignore white space when comparing lines"),
    flag!(
        Blame,
        "diff-algorithm",
        "choose a diff algorithm: myers, minimal, patience, histogram"
    )
    .takes(Takes::Value("algorithm"))
    .only()
    .configured(&["diff.algorithm"]),
    flag!(Blame, "ignore-rev", "look through this commit")
        .takes(Takes::Value("rev"))
        .list(),
    flag!(
        Blame,
        "ignore-revs-file",
        "look through the commits that this file names"
    )
    .takes(Takes::Value("file"))
    .list()
    .configured(&["blame.ignoreRevsFile"]),
    flag!(
        Blame,
        "color-lines",
        "colour details that repeat those of the line before"
    )
    .configured(&["blame.coloring", "color.blame.repeatedLines"]),
    flag!(Blame, "color-by-age", "colour lines by age")
        .configured(&["blame.coloring", "color.blame.highlightRecent"]),
    flag!(Blame, "minimal", "same as --diff-algorithm=minimal")
        .hidden()
        .configured(&["diff.algorithm"]),
    letter!("S", "take the parents of commits from this file").takes(Takes::Value("file")),
    flag!(
        Blame,
        "contents",
        "blame the contents of this file (- is standard input)"
    )
    .takes(Takes::Value("file")),
    letter!(
        "C",
        "find lines copied from other files (up to three times for more)"
    )
    .takes(Takes::Optional("score"))
    .list(),
    letter!("M", "find lines moved within the file")
        .takes(Takes::Optional("score"))
        .list(),
    letter!("L", "blame only these lines: <start>,<end> or :<funcname>")
        .takes(Takes::Value("range"))
        .list(),
    flag!(Blame, "abbrev", "use this many digits to show ids")
        .takes(Takes::Optional("n"))
        .configured(&["core.abbrev"]),
    // Known to git's revision and diff parsers, and with an effect on a blame.
    flag!(
        Revision,
        "since",
        "treat commits older than this as boundaries"
    )
    .takes(Takes::Value("date"))
    .only(),
    flag!(Revision, "after", "same as --since")
        .takes(Takes::Value("date"))
        .only()
        .hidden(),
    flag!(
        Revision,
        "max-age",
        "as --since, in seconds since the epoch"
    )
    .takes(Takes::Value("seconds"))
    .only()
    .hidden(),
    flag!(
        Revision,
        "until",
        "with --reverse, leave commits younger than this out"
    )
    .takes(Takes::Value("date"))
    .only(),
    flag!(Revision, "before", "same as --until")
        .takes(Takes::Value("date"))
        .only()
        .hidden(),
    flag!(
        Revision,
        "min-age",
        "as --until, in seconds since the epoch"
    )
    .takes(Takes::Value("seconds"))
    .only()
    .hidden(),
    flag!(
        Revision,
        "since-as-filter",
        "with --reverse, leave commits older than this out"
    )
    .takes(Takes::Value("date"))
    .only()
    .hidden(),
    flag!(
        Revision,
        "topo-order",
        "with --reverse, the last line of history before a merge takes first"
    )
    .only()
    .hidden(),
    flag!(
        Revision,
        "date-order",
        "with --reverse, the oldest child takes first, after what it leads to"
    )
    .only()
    .hidden(),
    flag!(
        Revision,
        "author-date-order",
        "as --date-order, by the dates of authors"
    )
    .only()
    .hidden(),
    flag!(Revision, "early-output", "same as --topo-order")
        .takes(Takes::Optional("n"))
        .only()
        .hidden(),
    flag!(
        Revision,
        "exclude-first-parent-only",
        "along first parents only, commits lead to what a range leaves out"
    )
    .only()
    .hidden(),
    flag!(Revision, "first-parent", "follow first parents only").only(),
    flag!(
        Revision,
        "reverse",
        "find the last commit that had each line"
    )
    .only(),
    flag!(Revision, "date", "show dates in this format")
        .takes(Takes::Value("format"))
        .only()
        .configured(&["blame.date"]),
    flag!(Revision, "relative-date", "same as --date=relative")
        .only()
        .hidden(),
    flag!(
        Revision,
        "encoding",
        "write names and summaries in this encoding"
    )
    .takes(Takes::Value("encoding"))
    .only()
    .configured(&["i18n.logOutputEncoding", "i18n.commitEncoding"]),
    flag!(
        Diff,
        "textconv",
        "run text conversion filters (the default)"
    )
    .configured(&["diff.<driver>.textconv", "diff.<driver>.cachetextconv"]),
    flag!(Diff, "find-copies-harder", "same as -C -C"),
    flag!(
        Diff,
        "follow",
        "follow renames of the whole file (the default)"
    )
    .hidden(),
    flag!(
        Diff,
        "indent-heuristic",
        "prefer to cut differences where the indent is small (the default)"
    )
    .hidden()
    .configured(&["diff.indentHeuristic"]),
    // tblame's own.
    flag!(Tblame, "annotate", "write what git annotate writes").only(),
    flag!(
        Tblame,
        "json",
        "write entries as they are found, as objects of JSON"
    ),
    flag!(
        Tblame,
        "demo",
        "take a tour of the viewer, on a small history that comes along"
    )
    .only(),
    flag!(
        Tblame,
        "theme",
        "colours: dark, light, auto (as the terminal is), or a theme of your own"
    )
    .takes(Takes::Value("name"))
    .only(),
    flag!(
        Tblame,
        "config",
        "read this file instead of tblame/config.toml in $XDG_CONFIG_HOME or ~/.config"
    )
    .takes(Takes::Value("file"))
    .only(),
    flag!(
        Tblame,
        "print-config",
        "show the configuration's defaults, with explanations"
    )
    .only(),
    flag!(
        Tblame,
        "auto-ignore-revs",
        "look through the commits of .git-blame-ignore-revs, if there is one"
    ),
    flag!(
        Tblame,
        "viewer",
        "open the viewer even if standard output is no terminal"
    ),
    flag!(
        Tblame,
        "stats",
        "show where the time went, on standard error"
    )
    .only(),
    flag!(Tblame, "threads", "use this many threads")
        .takes(Takes::Value("n"))
        .only(),
];

/// The first line of git's usage, by the name of its command.
pub fn short_usage(command: &str) -> String {
    format!("usage: git {command} [<options>] [<rev-opts>] [<rev>] [--] <file>\n")
}

/// The usage with all options, laid out as git does.
pub fn usage(command: &str) -> String {
    let mut text = short_usage(command);
    text.push_str("\n    <rev-opts> are documented in git-rev-list(1)\n\n");
    for spec in OPTIONS.iter().filter(|spec| spec.shown) {
        let mut left = String::from("    ");
        if let Some(short) = spec.short {
            left.push('-');
            left.push(short);
        }
        if let Some(long) = spec.long {
            if spec.short.is_some() {
                left.push_str(", ");
            }
            left.push_str("--");
            if spec.negation.is_some() {
                left.push_str("[no-]");
            }
            left.push_str(long);
        }
        match spec.takes {
            Takes::Nothing => {}
            Takes::Value(name) => left.push_str(&format!(" <{name}>")),
            Takes::Optional(name) if spec.long.is_some() => left.push_str(&format!("[=<{name}>]")),
            Takes::Optional(name) => left.push_str(&format!("[<{name}>]")),
        }
        if left.len() < 26 {
            text.push_str(&format!("{left:26}{}\n", spec.help));
        } else {
            text.push_str(&format!("{left}\n{:26}{}\n", "", spec.help));
        }
    }
    text.push('\n');
    text
}

/// clap's view of the table, which writes the help.
pub fn command() -> Command {
    command_with(|_| true)
}

/// The part of it that checks and reads normalised words: options by their id, `no-…` for what
/// switches them off. To build all of it takes longer than anything else before the repository is
/// opened.
pub fn command_with(wanted: impl Fn(&str) -> bool) -> Command {
    let mut command = Command::new("tblame")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Shows which commit each line of a file comes from")
        .override_usage("tblame [<options>] [<rev-opts>] [<rev>] [--] <file>[:<line>]")
        .disable_help_flag(true)
        .args_override_self(true)
        .after_help(
            "On a terminal this opens the viewer; otherwise it writes what git blame writes.\n\
             <rev-opts> are those of git rev-list.",
        );
    for spec in OPTIONS {
        if wanted(spec.id) {
            command = command.arg(argument(spec));
        }
        if let Some(name) = spec.negation.filter(|name| wanted(name)) {
            command = command.arg(
                Arg::new(name)
                    .long(name)
                    .action(ArgAction::SetTrue)
                    .hide(true),
            );
        }
    }
    command.arg(
        Arg::new("words")
            .value_name("rev|file")
            .value_parser(clap::value_parser!(std::ffi::OsString))
            .num_args(0..)
            .last(true)
            .help("Revisions, and the file"),
    )
}

/// Whether an option, or what switches it off, is kept under this name.
pub fn has(id: &str) -> bool {
    let is_it = |spec: &Spec| spec.id == id || spec.negation == Some(id);
    OPTIONS.iter().any(is_it)
}

fn argument(spec: &Spec) -> Arg {
    let mut arg = Arg::new(spec.id).help(spec.help).hide(!spec.shown);
    if let Some(long) = spec.long {
        arg = arg.long(long);
    }
    if let Some(short) = spec.short {
        arg = arg.short(short);
    }
    arg = match spec.takes {
        Takes::Nothing => return arg.action(ArgAction::SetTrue),
        Takes::Value(name) => arg.value_name(name).allow_hyphen_values(true),
        Takes::Optional(name) => arg
            .value_name(name)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value(""),
    };
    arg.value_parser(clap::value_parser!(std::ffi::OsString))
        .action(if spec.repeatable {
            ArgAction::Append
        } else {
            ArgAction::Set
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clap_accepts_the_table() {
        command().debug_assert();
    }

    #[test]
    fn the_usage_starts_like_gits() {
        assert!(
            usage("blame")
                .starts_with("usage: git blame [<options>] [<rev-opts>] [<rev>] [--] <file>\n\n")
        );
    }
}
