//! git's usage, and the help, which clap lays out. Both are made from the table of options.

use clap::{Arg, ArgAction, Command};

use crate::cli::options::{HEADINGS, OPTIONS, OptionSpec, Takes};

pub(super) const ABOUT: &str = "tblame shows which commit each line of a file comes from.

On a terminal it opens a viewer, in which any line can be followed through its history. Otherwise it \
writes what git blame writes with the same arguments, to the byte.

Most long options have a --no- form that disables them. Besides the options below, tblame accepts those \
of git rev-list and git diff that git blame accepts; docs/options.md lists them all.";

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

/// The forms of an option as git writes them, the last one with its value: `-f`, `--[no-]show-name`.
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

/// The text of `--help`.
pub(super) fn help() -> String {
    let mut text = command().render_long_help().to_string();
    for spec in OPTIONS {
        if let (Takes::Optional(name), None) = (spec.takes, spec.long()) {
            // clap knows no optional value that is attached without `=`.
            let letter = spec.name;
            text = text.replace(
                &format!("-{letter}[=<{name}>]"),
                &format!("-{letter}[<{name}>]"),
            );
        }
    }
    text
}

/// clap's description of the command line. It is rendered, but never parses anything.
pub fn command() -> Command {
    let mut command = Command::new("tblame")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .override_usage(
            "tblame [OPTIONS] [REV] [--] FILE\n       tblame [OPTIONS] FILE:LINE\n       tblame [OPTIONS] [[REV] DIR]\n       tblame --demo",
        )
        .max_term_width(100)
        .disable_help_flag(true)
        .disable_version_flag(true);
    for heading in HEADINGS {
        let specs = OPTIONS.iter().filter(|spec| spec.heading == heading);
        command = command.args(specs.map(|spec| argument(spec).help_heading(heading)));
    }
    let other = |name, short, help| {
        let arg = Arg::new(name).help(help).action(ArgAction::SetTrue);
        let arg = if short {
            arg.short('h')
        } else {
            arg.long(name)
        };
        arg.help_heading("Other options")
    };
    command.args([
        other("usage", true, "Print a list of the options, as git does."),
        other("help", false, "Print this help."),
        other("version", false, "Print the version."),
    ])
}

fn argument(spec: &OptionSpec) -> Arg {
    let mut arg = Arg::new(spec.name).help(sentences(spec)).hide(spec.hidden);
    if let Some(long) = spec.long() {
        arg = arg.long(long);
    }
    if let Some(short) = spec.short {
        arg = arg.short(short);
    }
    match spec.takes {
        Takes::Nothing => arg.action(ArgAction::SetTrue),
        Takes::Value(name) => arg.value_name(name),
        Takes::Optional(name) => arg.value_name(name).num_args(0..=1).require_equals(true),
    }
}

/// What an option does, in whole sentences.
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
    fn clap_accepts_the_table() {
        command().debug_assert();
    }

    #[test]
    fn the_usage_starts_like_gits() {
        assert!(
            usage("git blame")
                .starts_with("usage: git blame [<options>] [<rev-opts>] [<rev>] [--] <file>\n\n")
        );
    }

    #[test]
    fn every_option_has_a_heading() {
        let text = help();
        for spec in OPTIONS.iter().filter(|spec| !spec.hidden) {
            let form = match spec.long() {
                Some(long) => format!("--{long}"),
                None => format!("-{}", spec.name),
            };
            assert!(text.contains(&form), "{form}");
        }
    }
}
