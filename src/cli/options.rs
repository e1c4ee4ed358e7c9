//! Table of the options that have an effect. The parser, git's usage text, the help and the lists
//! of `docs/options.md` are made from it.

use bstr::{BStr, BString};

use crate::{
    cli::{
        inherited::OptionParser,
        invocation::{CacheAction, Invocation, ShimAction},
        values::{parse_abbrev, parse_score, parse_threads, parse_timestamp},
    },
    diff::Algorithm,
    engine::{CommitOrder, MoveDetection},
};

/// The value that an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    Nothing,
    /// A value with this name in the help.
    Value(&'static str),
    /// A value that may be left out, and must be attached to the option.
    Optional(&'static str),
}

use OptionParser::{Blame, Diff, Revision, Tblame};

/// The headings of `--help`, in order.
pub const HEADINGS: [&str; 6] = [INPUT, ATTRIBUTION, FORMAT, COLUMNS, VIEWER, OTHER];

pub(super) const INPUT: &str = "Revisions and lines";
pub(super) const ATTRIBUTION: &str = "Attribution";
const FORMAT: &str = "Output formats";
const COLUMNS: &str = "Columns";
const VIEWER: &str = "Viewer";
pub(super) const OTHER: &str = "Other options";

/// One option as it was given on the command line.
#[derive(Debug, Clone, Copy)]
pub enum Occurrence<'a> {
    /// Without a value.
    Plain,
    Value(&'a BStr),
    /// In its `--no-` form.
    Negated,
}

impl Occurrence<'_> {
    pub(super) fn is_on(self) -> bool {
        !matches!(self, Occurrence::Negated)
    }

    fn value(self) -> Option<BString> {
        match self {
            Occurrence::Value(value) => Some(value.to_owned()),
            Occurrence::Plain | Occurrence::Negated => None,
        }
    }

    /// Appends the value to `list`; the `--no-` form clears it.
    fn append_to(self, list: &mut Vec<BString>) {
        match self {
            Occurrence::Negated => list.clear(),
            occurrence => list.extend(occurrence.value()),
        }
    }
}

/// An option with an effect.
#[derive(Debug, Clone, Copy)]
pub struct OptionSpec {
    /// The long name without the dashes, or a letter where there is no long name.
    pub name: &'static str,
    /// `-s`, without the dash.
    pub short: Option<char>,
    pub parser: OptionParser,
    pub takes: Takes,
    /// There is a `--no-` form.
    pub negatable: bool,
    /// One of [`HEADINGS`].
    pub heading: &'static str,
    /// Its effect, in one line.
    pub help: &'static str,
    /// Further sentences for `--help`.
    pub details: &'static str,
    /// Left out of the usage and the help, as git's usage leaves it out.
    pub hidden: bool,
    /// The variables of git's configuration that set the default.
    pub variables: &'static [&'static str],
    /// Records one occurrence. Later ones replace earlier ones unless it is a list.
    pub apply: fn(&mut Invocation, Occurrence<'_>),
}

type Apply = fn(&mut Invocation, Occurrence<'_>);

const fn flag(
    parser: OptionParser,
    heading: &'static str,
    name: &'static str,
    help: &'static str,
    apply: Apply,
) -> OptionSpec {
    OptionSpec {
        name,
        short: None,
        parser,
        takes: Takes::Nothing,
        negatable: !matches!(parser, Revision),
        heading,
        help,
        details: "",
        hidden: false,
        variables: &[],
        apply,
    }
}

/// An option of `git blame` that is only a letter.
const fn letter(
    heading: &'static str,
    name: &'static str,
    help: &'static str,
    apply: Apply,
) -> OptionSpec {
    flag(Blame, heading, name, help, apply)
        .short(name.as_bytes()[0] as char)
        .not_negatable()
}

impl OptionSpec {
    const fn short(mut self, short: char) -> OptionSpec {
        self.short = Some(short);
        self
    }

    const fn takes(mut self, value: &'static str) -> OptionSpec {
        self.takes = Takes::Value(value);
        self
    }

    const fn may_take(mut self, value: &'static str) -> OptionSpec {
        self.takes = Takes::Optional(value);
        self
    }

    /// There is no `--no-` form.
    const fn not_negatable(mut self) -> OptionSpec {
        self.negatable = false;
        self
    }

    const fn details(mut self, details: &'static str) -> OptionSpec {
        self.details = details;
        self
    }

    const fn hidden(mut self) -> OptionSpec {
        self.hidden = true;
        self
    }

    const fn variables(mut self, variables: &'static [&'static str]) -> OptionSpec {
        self.variables = variables;
        self
    }

    /// The long name, if there is one.
    pub fn long(&self) -> Option<&'static str> {
        (self.name.len() > 1).then_some(self.name)
    }
}

/// Every option with an effect; those of `git blame` in the order of its usage, on which the
/// message about ambiguous prefixes depends.
#[rustfmt::skip]
pub const OPTIONS: &[OptionSpec] = &[
    flag(Blame, FORMAT, "incremental", "write machine-readable entries as soon as they are found",
        |it, given| it.output_options.incremental = given.is_on()),
    letter(COLUMNS, "b", "leave the ids of boundary commits blank",
        |it, _| it.format.blank_boundary = true)
        .variables(&["blame.blankBoundary"]),
    flag(Blame, ATTRIBUTION, "root", "do not treat root commits as boundaries",
        |it, given| it.options.show_root = Some(given.is_on()))
        .variables(&["blame.showRoot"]),
    flag(Blame, FORMAT, "show-stats", "append work statistics to the output",
        |it, given| it.format.show_stats = given.is_on()),
    flag(Blame, FORMAT, "progress", "report progress on standard error",
        |it, given| it.format.progress = Some(given.is_on()))
        .details("This is the default where standard error is a terminal, for blames of more than \
                  a second. It cannot be combined with machine-readable formats."),
    flag(Blame, COLUMNS, "score-debug", "show the scores of moved and copied lines, for debugging",
        |it, given| it.format.score_debug = given.is_on()),
    flag(Blame, COLUMNS, "show-name", "show the original file name",
        |it, given| it.format.show_name = given.is_on())
        .short('f')
        .details("It is shown by default where lines come from a file of another name."),
    flag(Blame, COLUMNS, "show-number", "show the original line number",
        |it, given| it.format.show_number = given.is_on())
        .short('n'),
    flag(Blame, FORMAT, "porcelain", "write the machine-readable porcelain format",
        |it, given| it.output_options.porcelain = given.is_on())
        .short('p'),
    flag(Blame, FORMAT, "line-porcelain", "like --porcelain, with all details on each line",
        |it, given| {
            it.output_options.line_porcelain = given.is_on();
            it.output_options.porcelain = given.is_on();
        }),
    letter(FORMAT, "c", "write the format of git annotate", |it, _| it.format.annotate = true),
    letter(COLUMNS, "t", "show raw timestamps", |it, _| it.format.raw_time = true),
    letter(COLUMNS, "l", "show full commit ids", |it, _| it.format.long_ids = true),
    letter(COLUMNS, "s", "do not show authors and dates", |it, _| it.format.no_author = true),
    flag(Blame, COLUMNS, "show-email", "show the author's e-mail address instead of the name",
        |it, given| it.format.show_email = Some(given.is_on()))
        .short('e')
        .variables(&["blame.showEmail"]),
    letter(ATTRIBUTION, "w", "ignore whitespace when comparing lines",
        |it, _| it.options.ignore_whitespace = true),
    flag(Blame, ATTRIBUTION, "diff-algorithm",
        "use this diff algorithm: myers, minimal, patience or histogram",
        |it, given| it.options.algorithm = given.value().and_then(|name| Algorithm::from_name(&name)))
        .takes("algorithm")
        .not_negatable()
        .variables(&["diff.algorithm"]),
    flag(Blame, ATTRIBUTION, "ignore-rev", "ignore this commit when attributing lines",
        |it, given| given.append_to(&mut it.options.ignored))
        .takes("rev")
        .details("Lines that the commit changed are attributed to the commits that last changed \
                  them, or similar lines, before it. This option can be given multiple times."),
    flag(Blame, ATTRIBUTION, "ignore-revs-file", "ignore the commits listed in this file",
        |it, given| {
            given.append_to(&mut it.options.ignored_files);
            it.options.forget_configured_ignored_files |= !given.is_on();
        })
        .takes("file")
        .details("This option can be given multiple times. An empty name clears the list of files \
                  given before; --no-ignore-revs-file also clears those of the configuration.")
        .variables(&["blame.ignoreRevsFile"]),
    flag(Blame, COLUMNS, "color-lines", "color redundant metadata from previous line differently",
        |it, given| it.format.color_lines = Some(given.is_on()))
        .variables(&["blame.coloring", "color.blame.repeatedLines"]),
    flag(Blame, COLUMNS, "color-by-age", "color lines by age",
        |it, given| it.format.color_by_age = Some(given.is_on()))
        .variables(&["blame.coloring", "color.blame.highlightRecent"]),
    flag(Blame, ATTRIBUTION, "minimal", "same as --diff-algorithm=minimal",
        |it, given| {
            it.options.algorithm = given.is_on().then_some(Algorithm::Minimal);
            it.minimal = given.is_on();
        })
        .hidden()
        .variables(&["diff.algorithm"]),
    letter(INPUT, "S", "read the parents of commits from this file",
        |it, given| it.options.grafts = given.value())
        .takes("file"),
    flag(Blame, INPUT, "contents", "blame the contents of this file (- for standard input)",
        |it, given| it.options.contents = given.value())
        .takes("file"),
    letter(ATTRIBUTION, "C", "detect lines moved or copied from other files",
        |it, given| {
            let MoveDetection { copies, copy_level, .. } = &mut it.options.movement;
            *copies = Some(score(given, *copies, MoveDetection::COPIES));
            *copy_level = (*copy_level + 1).min(3);
        })
        .may_take("score")
        .details("Given once, it looks in files changed by the same commit; twice, also in all \
                  files of the commit that created the file; three times, in all files of every \
                  commit. It implies -M. The score is the number of letters and digits that lines \
                  must have in common (default 40)."),
    letter(ATTRIBUTION, "M", "detect lines moved or copied within the file",
        |it, given| {
            let moves = &mut it.options.movement.moves;
            *moves = Some(score(given, *moves, MoveDetection::MOVES));
        })
        .may_take("score")
        .details("The score is the number of letters and digits that lines must have in common \
                  (default 20)."),
    letter(INPUT, "L", "blame only the lines <start>,<end>, or the function :<funcname>",
        |it, given| given.append_to(&mut it.options.ranges))
        .takes("range")
        .details("<start> and <end> are line numbers or /regex/; <end> may also be +<offset> or \
                  -<offset>. This option can be given multiple times."),
    flag(Blame, COLUMNS, "abbrev", "show ids with this many digits",
        |it, given| it.format.abbrev = match given {
            Occurrence::Plain => None,
            Occurrence::Value(digits) => parse_abbrev(digits),
            Occurrence::Negated => Some(0),
        })
        .may_take("n")
        .variables(&["core.abbrev"]),
    flag(Revision, INPUT, "since", "treat commits older than this date as boundaries",
        |it, given| (it.options.since, it.options.max_age) = (given.value(), None))
        .takes("date"),
    flag(Revision, INPUT, "after", "same as --since",
        |it, given| (it.options.since, it.options.max_age) = (given.value(), None))
        .takes("date")
        .hidden(),
    flag(Revision, INPUT, "max-age", "like --since, in seconds since the epoch",
        |it, given| (it.options.since, it.options.max_age) = (None, seconds(given)))
        .takes("seconds")
        .hidden(),
    flag(Revision, INPUT, "until", "with --reverse, skip commits newer than this date",
        |it, given| (it.options.until, it.options.min_age) = (given.value(), None))
        .takes("date"),
    flag(Revision, INPUT, "before", "same as --until",
        |it, given| (it.options.until, it.options.min_age) = (given.value(), None))
        .takes("date")
        .hidden(),
    flag(Revision, INPUT, "min-age", "like --until, in seconds since the epoch",
        |it, given| (it.options.until, it.options.min_age) = (None, seconds(given)))
        .takes("seconds")
        .hidden(),
    flag(Revision, INPUT, "since-as-filter", "with --reverse, skip commits older than this date",
        |it, given| it.options.since_as_filter = given.value())
        .takes("date")
        .hidden(),
    flag(Revision, INPUT, "topo-order", "with --reverse, visit commits in topological order, as --line-history does",
        |it, _| it.options.order = CommitOrder::Topological)
        .hidden(),
    flag(Revision, INPUT, "date-order",
        "with --reverse or --line-history, visit commits in topological order, by date",
        |it, _| it.options.order = CommitOrder::Date)
        .hidden(),
    flag(Revision, INPUT, "author-date-order", "like --date-order, by author dates",
        |it, _| it.options.order = CommitOrder::AuthorDate)
        .hidden(),
    flag(Revision, INPUT, "early-output", "same as --topo-order",
        |it, _| if it.options.order == CommitOrder::Chronological {
            it.options.order = CommitOrder::Topological;
        })
        .may_take("n")
        .hidden(),
    flag(Revision, INPUT, "exclude-first-parent-only",
        "exclude only the first-parent ancestors of negative revisions",
        |it, _| it.options.exclude_first_parent_only = true)
        .hidden(),
    flag(Revision, INPUT, "ancestry-path",
        "skip commits that are not descendants of the negative revisions, or not related to this commit",
        |it, given| it.options.ancestry_path.push(given.value()))
        .may_take("commit")
        .hidden(),
    flag(Revision, INPUT, "simplify-by-decoration", "skip commits that no reference points at",
        |it, _| it.options.simplify_by_decoration = true)
        .hidden(),
    flag(Revision, INPUT, "default", "blame this revision if no argument names one",
        |it, given| it.options.default_revision = given.value())
        .takes("revision")
        .hidden(),
    flag(Revision, INPUT, "ignore-missing", "skip arguments that are not revisions",
        |it, _| it.options.ignore_missing = true)
        .hidden(),
    flag(Revision, INPUT, "walk-reflogs", "read revisions as names of reflogs, so that the work tree is blamed",
        |it, _| it.options.walk_reflogs = true)
        .hidden(),
    flag(Revision, INPUT, "first-parent", "follow only the first parent of merge commits",
        |it, _| it.options.first_parent = true),
    flag(Revision, INPUT, "reverse", "find the last commit in which each line existed",
        |it, _| it.options.reverse = true)
        .details("It takes a range <start>..<end>, and starts from the lines of <start>."),
    flag(Revision, COLUMNS, "date", "show dates in this format, such as iso, short or relative",
        |it, given| it.format.date = given.value())
        .takes("format")
        .variables(&["blame.date"]),
    flag(Revision, COLUMNS, "relative-date", "same as --date=relative",
        |it, _| it.format.date = Some("relative".into()))
        .hidden(),
    flag(Revision, COLUMNS, "encoding", "write names and summaries in this encoding",
        |it, given| it.format.encoding = given.value())
        .takes("encoding")
        .variables(&["i18n.logOutputEncoding", "i18n.commitEncoding"]),
    flag(Diff, ATTRIBUTION, "textconv", "run text conversion filters (the default)",
        |it, given| it.options.text_conversion = given.is_on())
        .variables(&["diff.<driver>.textconv", "diff.<driver>.cachetextconv"]),
    flag(Diff, ATTRIBUTION, "find-copies-harder", "same as -C -C",
        |it, given| it.find_copies_harder = given.is_on()),
    flag(Diff, ATTRIBUTION, "follow", "follow renames of the whole file (the default)",
        |it, given| it.options.follow = given.is_on())
        .hidden(),
    flag(Diff, ATTRIBUTION, "indent-heuristic",
        "shift diff boundaries by indentation (the default)",
        |it, given| it.options.indent_heuristic = Some(given.is_on()))
        .hidden()
        .variables(&["diff.indentHeuristic"]),
    flag(Tblame, FORMAT, "annotate", "write what git annotate writes",
        |it, _| {
            it.format.annotate = true;
            it.format.annotate_command = true;
        })
        .not_negatable(),
    flag(Tblame, FORMAT, "json", "write entries as JSON objects as soon as they are found",
        |it, given| it.output_options.json = given.is_on())
        .details("There is one object per line. See tblame --generate json."),
    flag(Tblame, FORMAT, "json-fields", "write --json with these fields: text, release, request, trailers, agent, lines or none",
        |it, given| {
            it.output_options.json = true;
            it.output_options.json_fields = given.value();
        })
        .takes("list")
        .details("The names are separated by commas. The default is text, the contents of the lines. release is the \
                  first tag that contains a commit, request the pull or merge request that brought it; lines, for --tree, \
                  the entries of all files.")
        .not_negatable(),
    flag(Tblame, FORMAT, "line-history",
        "write the commits that changed the lines of -L instead of a blame",
        |it, given| it.output_options.line_history = given.is_on())
        .details("They are those of git log -L, one row for each. With --json there is one object for each, \
                  with the lines before and after the change. See tblame --generate line-history."),
    flag(Tblame, FORMAT, "file-history",
        "write the commits that made the versions of the file, newest first, instead of a blame",
        |it, given| it.output_options.file_history = given.is_on())
        .details("They are those of git log --follow, one row for each with the numbers of added and removed lines. \
                  With --json there is one object for each. See tblame --generate file-history."),
    flag(Tblame, FORMAT, "search", "with --file-history, write the commits that changed how often this text occurs",
        |it, given| it.output_options.search = given.value())
        .takes("text")
        .details("They are those of git log -S<text>, through renames. The text is taken literally, within lines.")
        .not_negatable(),
    flag(Tblame, FORMAT, "deletions",
        "write the lines that commits deleted, about newest first, instead of a blame",
        |it, given| it.output_options.deletions = given.is_on())
        .details("There is a row for each place of each commit, with the line of the file below which the lines were. \
                  With --json there is one object for each, with the deleted lines; with -L, those between two lines of a \
                  range. See tblame --generate deletions."),
    flag(Tblame, FORMAT, "people",
        "write who wrote the lines of a file or directory, most lines first, instead of a blame",
        |it, given| it.output_options.people = given.is_on())
        .details("There is a row for each author and co-author (Co-authored-by), with the number of lines, their share, the first \
                  and the last day, a bar for each year, name and address. A line with co-authors counts for each of them. With --json \
                  there is one object for each."),
    flag(Tblame, FORMAT, "tree",
        "write who wrote the entries of a directory and what changed them last, instead of a blame",
        |it, given| it.output_options.tree = given.is_on())
        .details("There is a row for each entry of the directory, or of the current one, in the revision or in the work tree: the day, \
                  the id and the author of the last commit, the number of lines, a bar for each year, the name, and who wrote \
                  most of it; a line with co-authors counts for each of them. With --json there is one object for each. \
                  See tblame --generate directories."),
    flag(Tblame, FORMAT, "recursive", "with --tree, write all files instead of the entries of the directory",
        |it, given| it.output_options.recursive = given.is_on())
        .short('r'),
    flag(Tblame, FORMAT, "sort", "with --tree, sort the entries by name, changed, lines or age",
        |it, given| it.output_options.sort = given.value())
        .takes("order")
        .details("By name is the default. changed is for the last change, newest first, lines for the number of lines, most \
                  first, and age for their median age, oldest first. See tblame --generate directories.")
        .not_negatable(),
    flag(Tblame, FORMAT, "generated", "with --tree or --people, count the lines of generated and binary files with the others",
        |it, given| it.output_options.generated = Some(given.is_on()))
        .details("Lock files, binary files, and files that attributes say are generated, are counted apart by default. \
                  See tblame --generate directories."),
    flag(Tblame, FORMAT, "patch",
        "write a patch with who wrote the lines that it removes, instead of a blame",
        |it, given| it.output_options.patch = given.is_on())
        .details("The patch comes from standard input, or is that of a range such as A..B. Before each removed line, and before \
                  those beside an insertion, stand the id, the day and the author of its commit, and at the end a summary. With \
                  --json there is one object for each of these lines. See tblame --generate patches.")
        .not_negatable(),
    flag(Tblame, FORMAT, "base", "with --patch, the revision that the patch applies to",
        |it, given| it.output_options.base = given.value())
        .takes("rev")
        .details("The default is, for each file, the commit with the contents that the patch names, otherwise HEAD.")
        .not_negatable(),
    flag(Tblame, FORMAT, "places",
        "write the lines of standard input, with who wrote the place in a file that each names",
        |it, given| {
            it.output_options.places.is_on = given.is_on();
            it.output_options.places.format = given.value();
        })
        .may_take("format")
        .details("The lines are those of a search, a compiler, a linter or a stack trace. Id, date and author stand before \
                  each that names a line of a file. The format is text (the default) or sarif. With --json there is one \
                  object for each place. On a terminal they are a list. See tblame --generate places."),
    flag(Tblame, FORMAT, "newer-than", "with --places, write those whose lines were written after this date",
        |it, given| it.output_options.places.filter.newer_than = given.value())
        .takes("date")
        .not_negatable(),
    flag(Tblame, FORMAT, "older-than", "with --places, write those whose lines were written before this date",
        |it, given| it.output_options.places.filter.older_than = given.value())
        .takes("date")
        .not_negatable(),
    flag(Tblame, FORMAT, "by", "with --places, write those whose author's name or address contains this text",
        |it, given| it.output_options.places.filter.by.extend(given.value()))
        .takes("text")
        .details("Upper and lower case are the same. This option can be given multiple times.")
        .not_negatable(),
    flag(Tblame, COLUMNS, "color", "with --places, --patch, --why and lists, use colors: always, never or auto",
        |it, given| it.output_options.color = match given {
            Occurrence::Plain => Some("always".into()),
            Occurrence::Value(when) => Some(when.to_owned()),
            Occurrence::Negated => Some("never".into()),
        })
        .may_take("when")
        .details("Id, date and author have the color of their age, removed and added lines those of git diff. auto (the \
                  default) is for terminals, unless NO_COLOR is set; for all but --places, color.diff and color.ui count.")
        .variables(&["color.diff", "color.ui"]),
    flag(Tblame, FORMAT, "why", "write what made the lines of FILE:LINE, FILE:FIRST-LAST or -L what they are",
        |it, given| it.output_options.why = given.is_on())
        .details("They are the commits of the blame and of the history of the lines, each once with its message, request, release \
                  and agent, the commits that these name, and what was deleted there: at most two screens. With --json there is \
                  one object for each, within the bytes of --budget. See tblame --generate why.")
        .not_negatable(),
    flag(Tblame, FORMAT, "budget", "with --why --json, write at most this many bytes",
        |it, given| it.output_options.budget = given.value())
        .takes("bytes")
        .details("The default is 16000, the least 2000. What is longest is shortened first, then what is last in its list is left out.")
        .not_negatable(),
    flag(Tblame, VIEWER, "demo", "take a guided tour of the viewer, on a built-in history",
        |it, _| it.demo = true)
        .not_negatable(),
    flag(Tblame, VIEWER, "theme", "use this color theme: auto, dark, light or the name of a file",
        |it, given| it.theme = given.value())
        .takes("name")
        .details("auto (the default) chooses dark or light by the terminal's background. Other \
                  names are files in the directory 'themes' next to the configuration file.")
        .not_negatable(),
    flag(Tblame, VIEWER, "config", "read this configuration file",
        |it, given| it.config = given.value())
        .takes("file")
        .details("The default is tblame/config.toml in $XDG_CONFIG_HOME or ~/.config.")
        .not_negatable(),
    flag(Tblame, VIEWER, "print-config", "print the default configuration, with explanations",
        |it, _| it.print_config = true)
        .not_negatable(),
    flag(Tblame, ATTRIBUTION, "auto-ignore-revs", "ignore the commits listed in .git-blame-ignore-revs",
        |it, given| it.options.root_ignored_file = Some(given.is_on()))
        .details("The file is looked for in the root of the work tree. This is the default in the \
                  viewer only, so that other output stays that of git blame."),
    flag(Tblame, VIEWER, "viewer", "open the viewer even if standard output is not a terminal",
        |it, given| it.viewer = Some(given.is_on()))
        .details("--no-viewer writes what git blame writes, on terminals too."),
    flag(Tblame, FORMAT, "git-compat", "write what this version of git writes, instead of the installed one",
        |it, given| it.git_compat = given.value())
        .takes("version")
        .details("'newest' stands for the newest version, which is also taken if git is not installed.")
        .not_negatable()
        .variables(&["tblame.gitCompat"]),
    flag(Tblame, OTHER, "stats", "print timings and counts on standard error",
        |it, _| it.stats = true)
        .not_negatable(),
    flag(Tblame, OTHER, "log", "write to this file what was decided, and why, for reports of faults",
        |it, given| it.log = given.value())
        .takes("file")
        .details("A log of earlier runs is continued; - is refused. It has no contents of files, and names only if \
                  TBLAME_LOG_NAMES is set. TBLAME_LOG names the file for all runs.")
        .not_negatable(),
    flag(Tblame, OTHER, "report", "print what a report of a fault needs: versions, system, terminal and repository",
        |it, _| it.report = true)
        .details("It has no names and no contents.")
        .not_negatable(),
    flag(Tblame, OTHER, "cache", "list the kept blames of each repository, instead of blaming",
        |it, given| it.cache = if given.is_on() { CacheAction::List } else { CacheAction::Ignore })
        .details("--no-cache neither uses nor keeps blames of earlier runs."),
    flag(Tblame, OTHER, "cache-clear", "remove all kept blames, or those of the repositories given",
        |it, _| it.cache = CacheAction::Clear)
        .not_negatable(),
    flag(Tblame, OTHER, "verify-cache", "blame a file anew, and compare the result with the kept blame",
        |it, _| it.cache = CacheAction::Verify)
        .not_negatable(),
    flag(Tblame, OTHER, "warm", "remember the history of HEAD, so that first looks at files are faster",
        |it, _| it.cache = CacheAction::Warm)
        .details("Reads all commits once, and which files they change. Of no use where the \
                  repository has a commit-graph with changed-path filters.")
        .not_negatable(),
    flag(Tblame, OTHER, "install-shim", "install tblame under the name git in this directory",
        |it, given| it.shim = given.value().map(ShimAction::Install))
        .takes("dir")
        .details("Programs that find it first in their PATH then get their blames from tblame. It runs the installed \
                  git for all other commands.")
        .not_negatable(),
    flag(Tblame, OTHER, "remove-shim", "remove it from this directory, or from those in PATH",
        |it, given| it.shim = Some(ShimAction::Remove(given.value())))
        .may_take("dir")
        .not_negatable(),
    flag(Tblame, OTHER, "generate", "print the manual page, a document, or the completions for a shell",
        |it, given| it.generate = given.value())
        .takes("what")
        .details("It is man, complete-bash, complete-zsh, complete-fish, complete-powershell or complete-elvish, or the \
                  name of a document, in Markdown: usage, options, config, directories, line-history, file-history, \
                  deletions, places, patches, why, json, cache, security or integrations.")
        .not_negatable(),
    flag(Tblame, OTHER, "threads", "use this many threads",
        |it, given| it.threads = given.value().and_then(|value| parse_threads(value.as_ref())))
        .takes("n")
        .details("The default is the number of processors. The output does not depend on it.")
        .not_negatable(),
];

fn seconds(given: Occurrence<'_>) -> Option<i64> {
    given
        .value()
        .and_then(|value| parse_timestamp(value.as_ref()))
}

/// The score after `given`, an `-M` or `-C` that follows one with the score `current`.
fn score(given: Occurrence<'_>, current: Option<u32>, default: u32) -> u32 {
    match given {
        Occurrence::Value(value) => match parse_score(value) {
            0 => default,
            score => score,
        },
        Occurrence::Plain | Occurrence::Negated => current.unwrap_or(default),
    }
}
