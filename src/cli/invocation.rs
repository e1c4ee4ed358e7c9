//! The result of parsing a command line.

use bstr::BString;

use crate::{
    cli::output::{Output, OutputOptions},
    repository::request::options::BlameOptions,
};

/// The result of parsing a command line.
#[derive(Debug, Clone)]
pub enum Command {
    /// Blame a file.
    Blame(Box<Invocation>),
    /// Print this text on standard output and succeed.
    Print(String),
    /// Print the help.
    Help,
    /// Fail, as `--generate` names no document.
    NoDocument(BString),
}

/// A blame as the command line asks for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Invocation {
    /// The operands, and the options of the blame itself.
    pub options: BlameOptions,
    /// The options that say what is blamed and how, each as one word, in the order given; without `-L`.
    pub given: Vec<BString>,
    /// The options of git before those, as a shell reads them, with a blank after each.
    pub git_options: BString,
    /// `--find-copies-harder`; `options.movement` accounts for it.
    pub find_copies_harder: bool,
    /// `--minimal` as the last of its kind.
    pub minimal: bool,
    /// The output.
    pub output: Output,
    /// The options that chose it.
    pub(super) output_options: OutputOptions,
    /// The options of the output.
    pub format: OutputFormat,
    /// `--git-compat`.
    pub git_compat: Option<BString>,
    /// `--[no-]viewer`.
    pub viewer: Option<bool>,
    /// `--theme`.
    pub theme: Option<BString>,
    /// `--config`.
    pub config: Option<BString>,
    /// `--print-config`.
    pub print_config: bool,
    /// `--generate`.
    pub generate: Option<BString>,
    /// What the viewer says when it opens.
    pub notice: Option<String>,
    /// `--demo`.
    pub demo: bool,
    /// `--stats`.
    pub stats: bool,
    /// `--log`.
    pub log: Option<BString>,
    /// `--report`.
    pub report: bool,
    /// The use of the cache.
    pub cache: CacheAction,
    /// `--install-shim`, `--remove-shim`.
    pub shim: Option<ShimAction>,
    /// `--threads`.
    pub threads: Option<usize>,
}

impl Invocation {
    /// Decides about the colors of outputs with `--color`. `terminal` says whether standard output is
    /// a terminal, and `of_diffs` what the configuration says of diffs, if it decides.
    pub fn decide_colors(&mut self, terminal: bool, of_diffs: Option<bool>) {
        let default = match self.output {
            Output::Places(_) => terminal.then_some(true),
            _ => Some(of_diffs.unwrap_or(terminal)),
        };
        let Some(color) = self.output.color_mut() else {
            return;
        };
        *color = color.or(default);
        if *color == Some(true) {
            self.format.color_by_age = Some(true);
        }
    }
}

/// A change of the program under the name `git`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShimAction {
    /// Install it in this directory.
    Install(BString),
    /// Remove it from this directory, or from those in `PATH`.
    Remove(Option<BString>),
}

/// The use of the cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CacheAction {
    /// Take blames from it and keep new ones, if the configuration allows it.
    #[default]
    Use,
    /// `--no-cache`: neither.
    Ignore,
    /// `--cache`: list what it has.
    List,
    /// `--cache-clear`: remove what it has.
    Clear,
    /// `--verify-cache`: blame anew and compare.
    Verify,
    /// `--warm`: remember the history.
    Warm,
}

/// The options of the output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutputFormat {
    /// `--annotate`: like `-c`, with the defaults of `git annotate`.
    pub annotate_command: bool,
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
    /// `-c`, `--annotate`.
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
