//! Makes the files of packages from the table of options, and keeps them current.

use clap::{Arg, ArgAction, Command, ValueHint};
use clap_complete::Shell;

use crate::{
    cli::{
        generated::{self, FILES},
        help::{ABOUT, OTHERS, forms, sentences, shown_forms},
        options::{HEADINGS, OPTIONS, OTHER, OptionSpec, Takes},
        values::GENERATED,
    },
    output::tree::node_order::NodeOrder,
    viewer::model::keys::{
        bindings::{BINDINGS, HelpSection},
        keymap::Keymap,
    },
};

/// Environment variables that tblame itself reads.
const ENVIRONMENT: [(&str, &str); 6] = [
    (
        "TBLAME_CACHE",
        "If it is 'off', blames of earlier runs are neither used nor kept.",
    ),
    (
        "TBLAME_GIT_COMPAT",
        "The version of git whose bytes are written, as --git-compat.",
    ),
    (
        "XDG_CONFIG_HOME, XDG_CACHE_HOME",
        "Where the directories 'tblame' of the configuration and the cache are, instead of ~/.config and ~/.cache.",
    ),
    (
        "GIT_EDITOR, VISUAL, EDITOR, BROWSER",
        "The programs that the viewer starts.",
    ),
    (
        "NO_COLOR",
        "If it is set, the viewer uses no colors but those of groups.",
    ),
    (
        "GIT_DIR, GIT_WORK_TREE, GIT_CONFIG_COUNT, ...",
        "As in git(1).",
    ),
];

/// The file `name`; `None` if it is none of [`GENERATED`].
fn generate(name: &str) -> Option<String> {
    let shell = match name {
        "man" => return Some(man_page()),
        "complete-bash" => Shell::Bash,
        "complete-zsh" => Shell::Zsh,
        "complete-fish" => Shell::Fish,
        "complete-powershell" => Shell::PowerShell,
        "complete-elvish" => Shell::Elvish,
        _ => return None,
    };
    let mut command = completed(command());
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "tblame", &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    match shell {
        Shell::Bash => script.push_str(BASH_REVISIONS),
        // fish has the revisions for git's own command.
        Shell::Fish => script.push_str("complete -c tblame --wraps 'git blame'\n"),
        _ => {}
    }
    Some(script)
}

/// Adds git's references to what bash completes, where git's completion is loaded.
const BASH_REVISIONS: &str = r#"
_tblame_with_revisions() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
    # bash takes the = of --option=value for a word.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    _tblame "$1" "$cur" "$prev"
    if [[ $cur != -* && $prev != --* ]]; then
        if declare -F __git_refs >/dev/null; then
            local __git_repo_path= __git_dir= __git_C_args=
            COMPREPLY+=($(compgen -W "$(__git_refs 2>/dev/null)" -- "$cur"))
        fi
        COMPREPLY+=($(compgen -f -- "$cur"))
    fi
}
complete -F _tblame_with_revisions -o nosort -o bashdefault -o default tblame 2>/dev/null ||
    complete -F _tblame_with_revisions -o bashdefault -o default tblame

# git's completion calls it for `git tblame`.
_git_tblame() {
    _tblame_with_revisions tblame
}
"#;

/// clap's description of the command line, from which completions are made. It never parses
/// anything.
fn command() -> Command {
    let mut command = Command::new("tblame")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .disable_help_flag(true)
        .disable_version_flag(true);
    for heading in HEADINGS {
        let specs = OPTIONS.iter().filter(|spec| spec.heading == heading);
        command = command.args(specs.map(|spec| argument(spec).help_heading(heading)));
    }
    command.args(OTHERS.map(|(form, help)| {
        let name = form.trim_start_matches('-');
        let arg = Arg::new(name).help(help).action(ArgAction::SetTrue);
        let arg = match form {
            "-h" => arg.short('h'),
            _ => arg.long(name),
        };
        arg.help_heading(OTHER)
    }))
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

/// `command` with the values that shells can complete.
fn completed(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let hint = match arg.get_id().as_str() {
            "diff-algorithm" => {
                return arg.value_parser(["myers", "minimal", "patience", "histogram"]);
            }
            "theme" => return arg.value_parser(["auto", "dark", "light"]),
            "date" => {
                return arg.value_parser([
                    "iso",
                    "iso-strict",
                    "short",
                    "relative",
                    "human",
                    "raw",
                    "unix",
                    "rfc",
                    "local",
                    "default",
                ]);
            }
            "json-fields" => {
                return arg.value_parser([
                    "text", "release", "request", "trailers", "agent", "lines", "none",
                ]);
            }
            "sort" => return arg.value_parser(NodeOrder::NAMED.map(|(name, _)| name)),
            "generate" => return arg.value_parser(GENERATED.split(' ').collect::<Vec<_>>()),
            "ignore-revs-file" | "contents" | "S" | "config" => ValueHint::FilePath,
            "install-shim" | "remove-shim" => ValueHint::DirPath,
            _ => return arg,
        };
        arg.value_hint(hint)
    });
    command.arg(
        Arg::new("FILE")
            .help("The file, after a revision if there is one.")
            .num_args(0..)
            .value_hint(ValueHint::FilePath),
    )
}

/// The manual page, in the macros of man(7).
fn man_page() -> String {
    let mut page = format!(
        ".TH TBLAME 1 \"\" \"tblame {}\"\n.SH NAME\ntblame \\- view and write which commit each line of a file comes \
         from\n",
        env!("CARGO_PKG_VERSION")
    );
    page.push_str(
        ".SH SYNOPSIS\n.nf\n\\fBtblame\\fR [\\fIoptions\\fR] [\\fIrev\\fR] [\\fB\\-\\-\\fR] \\fIfile\\fR\n\
         \\fBtblame\\fR [\\fIoptions\\fR] \\fIfile\\fR:\\fIline\\fR\n\
         \\fBtblame\\fR [\\fIoptions\\fR] [[\\fIrev\\fR] \\fIdir\\fR]\n\\fBtblame\\fR \\fB\\-\\-demo\\fR\n.fi\n\
         .SH DESCRIPTION\n",
    );
    for paragraph in ABOUT.split("\n\n") {
        page.push_str(&format!(".PP\n{}\n", escaped(paragraph)));
    }
    page.push_str(".SH OPTIONS\n");
    for heading in HEADINGS {
        page.push_str(&format!(".SS {}\n", escaped(heading)));
        let specs = OPTIONS
            .iter()
            .filter(|spec| spec.heading == heading && !spec.hidden);
        specs.for_each(|spec| page.push_str(&option(spec)));
    }
    page.push_str(".SH KEYS\nThe default keys of the viewer. A number before a motion repeats it; ^ is Ctrl.\n");
    let keymap = Keymap::default();
    for section in HelpSection::ALL {
        page.push_str(&format!(".SS {}\n", escaped(&keymap.fill(section.title()))));
        let bindings = BINDINGS
            .iter()
            .filter(|it| it.section == section && !it.keys.is_empty());
        for binding in bindings {
            let keys: Vec<String> = binding.keys.iter().map(|key| bold(key)).collect();
            let help = escaped(&keymap.fill(binding.help));
            page.push_str(&format!(".TP\n{}\n{help}\n", keys.join(" ")));
        }
    }
    page.push_str(
        ".SH CONFIGURATION\nThese variables of git(1) set the defaults of options. Those of the viewer are in \
         tblame/config.toml, which \\fB\\-\\-print\\-config\\fR explains.\n",
    );
    for (variable, options) in variables() {
        page.push_str(&format!(
            ".TP\n{}\n{}\n",
            bold(variable),
            options.join(", ")
        ));
    }
    page.push_str(".SH ENVIRONMENT\n");
    for (names, text) in ENVIRONMENT {
        page.push_str(&format!(".TP\n{}\n{}\n", bold(names), escaped(text)));
    }
    page.push_str(
        ".SH EXIT STATUS\n0 on success, 128 after an error, 129 for invalid arguments, as git.\n\
         .SH SEE ALSO\ngit\\-blame(1), git\\-annotate(1), git\\-rev\\-list(1), gitrevisions(7)\n",
    );
    page
}

fn option(spec: &OptionSpec) -> String {
    let forms = if spec.takes == Takes::Nothing && spec.negatable {
        // The text says how it is disabled.
        shown_forms(spec)
    } else {
        forms(spec).join(", ")
    };
    let forms: Vec<String> = forms.split(", ").map(bold).collect();
    let mut text = format!(".TP\n{}\n{}", forms.join(", "), escaped(&sentences(spec)));
    if !spec.variables.is_empty() {
        let variables: Vec<String> = spec.variables.iter().map(|name| bold(name)).collect();
        text.push_str(&format!(" Configuration: {}.", variables.join(", ")));
    }
    text + "\n"
}

/// The configuration variables in order, with the options whose defaults they set.
fn variables() -> Vec<(&'static str, Vec<String>)> {
    let mut all: Vec<(&str, Vec<String>)> = Vec::new();
    for spec in OPTIONS.iter().filter(|spec| !spec.hidden) {
        let form = match spec.long() {
            Some(long) => bold(&format!("--{long}")),
            None => bold(&format!("-{}", spec.name)),
        };
        for &variable in spec.variables {
            match all.iter_mut().find(|(known, _)| *known == variable) {
                Some((_, options)) => options.push(form.clone()),
                None => all.push((variable, vec![form.clone()])),
            }
        }
    }
    all.sort();
    all
}

fn bold(text: &str) -> String {
    format!("\\fB{}\\fR", escaped(text))
}

/// Text as roff has it: no character begins a request or an escape, and dashes can be copied.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut at_start = true;
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("\\e"),
            '-' => escaped.push_str("\\-"),
            '^' => escaped.push_str("\\(ha"),
            '~' => escaped.push_str("\\(ti"),
            '`' => escaped.push_str("\\(ga"),
            '.' | '\'' if at_start => escaped.extend(["\\&", if c == '.' { "." } else { "'" }]),
            c => escaped.push(c),
        }
        at_start = c == '\n';
    }
    escaped
}

#[test]
fn the_files_of_packages_are_current() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/packaging/generated");
    for (name, file, _) in FILES {
        let text = generate(name).unwrap();
        let path = format!("{directory}/{file}");
        if std::env::var_os("TBLAME_WRITE_DOCS").is_some() {
            std::fs::create_dir_all(directory).unwrap();
            std::fs::write(&path, &text).unwrap();
            continue;
        }
        assert!(
            generated::file(name) == Some(&text),
            "{path} is out of date: run this test with TBLAME_WRITE_DOCS=1"
        );
    }
    assert_eq!(FILES.map(|(name, ..)| name).join(" "), GENERATED);
}

#[test]
fn the_manual_page_has_everything() {
    let page = generate("man").unwrap();
    for spec in OPTIONS.iter().filter(|spec| !spec.hidden) {
        assert!(page.contains(&escaped(spec.name)), "{}", spec.name);
        for variable in spec.variables {
            assert!(page.contains(&bold(variable)), "{variable}");
        }
    }
    for binding in BINDINGS.iter().filter(|binding| !binding.keys.is_empty()) {
        assert!(
            page.contains(&bold(binding.keys[0])),
            "{:?}",
            binding.action
        );
    }
    let requests = [".TH ", ".SH ", ".SS ", ".TP", ".PP", ".nf", ".fi"];
    for line in page.lines().filter(|line| line.starts_with(['.', '\''])) {
        assert!(
            requests.iter().any(|request| line.starts_with(request)),
            "{line}"
        );
    }
}

#[test]
fn clap_accepts_the_table() {
    command().debug_assert();
}
