//! git's usage, and the help. Both are made from the table of options.

use crate::{
    cli::options::{HEADINGS, OPTIONS, OTHER, OptionSpec, Takes},
    repository::commits::word_wrap,
};

pub(super) const ABOUT: &str = "tblame shows which commit each line of a file comes from.

On a terminal it opens a viewer, in which any line can be followed through its history. Otherwise it \
writes what git blame writes with the same arguments, to the byte.

Most long options have a --no- form that disables them. Besides the options below, tblame accepts those \
of git rev-list and git diff that git blame accepts: see tblame --generate options.";

const USAGE: &str = "\
Usage: tblame [OPTIONS] [REV] [--] FILE
       tblame [OPTIONS] FILE:LINE
       tblame [OPTIONS] [[REV] DIR]
       tblame --demo";

/// Command lines, and what they do.
pub(super) const EXAMPLES: [(&str, &str); 10] = [
    (
        "tblame src/main.c:120",
        "On a terminal, show the file of the work tree at line 120, with the commit of each line. The key ? lists keys, again all.",
    ),
    (
        "tblame -w -C v1.0 src/main.c",
        "The file in the revision v1.0. Changes of white space are ignored, and lines that were copied from other files \
         are followed into these.",
    ),
    (
        "tblame --porcelain src/main.c | grep -c '^author '",
        "In a pipe, what git blame --porcelain writes.",
    ),
    (
        "tblame --why src/main.c:120",
        "What made the line what it is: its commits, their messages, requests and releases.",
    ),
    (
        "tblame --line-history -L 10,20 src/main.c",
        "The commits that changed the lines 10 to 20.",
    ),
    (
        "tblame --file-history --search 'init(' src/main.c",
        "The commits that changed how often the file has a text, through renames.",
    ),
    (
        "tblame --deletions src/main.c",
        "The lines that the file no longer has.",
    ),
    (
        "tblame --tree --sort age src",
        "Who wrote the entries of a directory, those with the oldest lines first.",
    ),
    (
        "git grep -n TODO | tblame --places --older-than 2020-01-01",
        "The lines with TODO that were written before 2020, with date and author.",
    ),
    (
        "git diff | tblame --patch",
        "A patch with the commit of each line that it removes.",
    ),
];

/// How many of the examples the help has.
const SHOWN_EXAMPLES: usize = 5;

/// The most columns of the help, as far as lines are easy to read.
pub const MOST_COLUMNS: usize = 100;

/// The indent of the help of an option.
const HELP_INDENT: &str = "          ";

/// Options that print a text, with their help; they have the heading [`OTHER`].
pub(super) const OTHERS: [(&str, &str); 3] = [
    ("-h", "Print a list of the options, as git does."),
    ("--help", "Print this help."),
    ("--version", "Print the version."),
];

/// The first line of the usage of `command`, such as `git blame`.
pub fn short_usage(command: &str) -> String {
    format!("usage: {command} [<options>] [<rev-opts>] [<rev>] [--] <file>\n")
}

/// The usage with all options, laid out as git does.
pub fn usage(command: &str) -> String {
    let mut text = short_usage(command);
    text.push_str("\n    <rev-opts> are documented in git-rev-list(1)\n\n");
    for spec in OPTIONS.iter().filter(|spec| !spec.hidden) {
        let left = format!("    {}", forms(spec).join(", "));
        if left.len() < 26 {
            text.push_str(&format!("{left:26}{}\n", spec.help));
        } else {
            text.push_str(&format!("{left}\n{:26}{}\n", "", spec.help));
        }
    }
    text.push('\n');
    text
}

/// The forms of an option as git writes them, the last one with its value: `-f`,
/// `--[no-]show-name`.
pub(super) fn forms(spec: &OptionSpec) -> Vec<String> {
    let mut forms = Vec::new();
    if let Some(short) = spec.short {
        forms.push(format!("-{short}"));
    }
    if let Some(long) = spec.long() {
        let no = if spec.negatable { "[no-]" } else { "" };
        forms.push(format!("--{no}{long}"));
    }
    if let Some(form) = forms.last_mut() {
        form.push_str(&match spec.takes {
            Takes::Nothing => String::new(),
            Takes::Value(name) => format!(" <{name}>"),
            Takes::Optional(name) if spec.long().is_some() => format!("[=<{name}>]"),
            Takes::Optional(name) => format!("[<{name}>]"),
        });
    }
    forms
}

pub(super) fn version() -> String {
    format!("tblame {}\n", env!("CARGO_PKG_VERSION"))
}

/// The text of `--help`, for a terminal with so many columns.
pub fn help(columns: usize) -> String {
    let mut text = format!("{}\n\n{USAGE}\n\nExamples:\n", wrapped(ABOUT, columns, ""));
    for (line, effect) in EXAMPLES.iter().take(SHOWN_EXAMPLES) {
        let effect = wrapped(effect, columns, HELP_INDENT);
        text.push_str(&format!("  {line}\n{effect}\n"));
    }
    text.push_str("\nThe manual page has more: man tblame, or tblame --generate man | man -l -\n");
    for heading in HEADINGS {
        text.push_str(&format!("\n{heading}:\n"));
        let specs = OPTIONS
            .iter()
            .filter(|spec| spec.heading == heading && !spec.hidden);
        let options = specs.map(|spec| (shown_forms(spec), sentences(spec)));
        let others = OTHERS.map(|(form, help)| (form.to_owned(), help.to_owned()));
        let others = others.into_iter().filter(|_| heading == OTHER);
        let options = options.chain(others).map(|(forms, help)| {
            let indent = if forms.starts_with("--") {
                "      "
            } else {
                "  "
            };
            format!(
                "{indent}{forms}\n{}\n",
                wrapped(&help, columns, HELP_INDENT)
            )
        });
        text.push_str(&options.collect::<Vec<_>>().join("\n"));
    }
    text
}

/// The forms of an option without the marks of its `--no-` form, of which the help has a sentence.
pub(super) fn shown_forms(spec: &OptionSpec) -> String {
    forms(spec).join(", ").replace("[no-]", "")
}

fn wrapped(text: &str, columns: usize, indent: &str) -> String {
    let lines = word_wrap::wrap(
        text.as_bytes(),
        columns.saturating_sub(indent.len()).max(20),
    );
    let lines = lines.iter().map(|line| {
        let indent = if line.is_empty() { "" } else { indent };
        format!("{indent}{line}")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The description of an option, in whole sentences.
pub(super) fn sentences(spec: &OptionSpec) -> String {
    let mut text = spec.help.to_owned();
    text[..1].make_ascii_uppercase();
    text.push('.');
    if !spec.details.is_empty() {
        text.push(' ');
        text.push_str(spec.details);
    }
    let default_on = !spec.variables.is_empty() || spec.help.contains("default");
    if default_on && spec.negatable && spec.takes == Takes::Nothing {
        text.push_str(&format!(" This can be disabled with --no-{}.", spec.name));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usage_starts_like_gits() {
        assert!(
            usage("git blame")
                .starts_with("usage: git blame [<options>] [<rev-opts>] [<rev>] [--] <file>\n\n")
        );
    }

    #[test]
    fn every_option_has_a_heading() {
        let text = help(80);
        for spec in OPTIONS.iter().filter(|spec| !spec.hidden) {
            let form = match spec.long() {
                Some(long) => format!("--{long}"),
                None => format!("-{}", spec.name),
            };
            assert!(text.contains(&form), "{form}");
        }
    }
}
