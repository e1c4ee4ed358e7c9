//! Makes the files of packages from the table of options, and keeps them current.

use clap::{Arg, ArgAction, Command, ValueHint};
use clap_complete::Shell;

use crate::{
    cli::{
        generated::{self, DOCUMENTS, FILES},
        help::{ABOUT, OTHERS, sentences},
        man_page::man_page,
        options::{HEADINGS, OPTIONS, OTHER, OptionSpec, Takes},
    },
    output::tree::node_order::NodeOrder,
};

/// The values of `--generate`.
fn names() -> impl Iterator<Item = &'static str> {
    let names = FILES.map(|(name, ..)| name).into_iter();
    names.chain(DOCUMENTS.map(|(name, _)| name))
}

/// The file `name`; `None` if it is none of [`FILES`].
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
            "generate" => return arg.value_parser(names().collect::<Vec<_>>()),
            "ignore-revs-file" | "contents" | "S" | "config" | "log" => ValueHint::FilePath,
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
            generated::text(name) == Some(&text),
            "{path} is out of date: run this test with TBLAME_WRITE_DOCS=1"
        );
    }
}

#[test]
fn clap_accepts_the_table() {
    command().debug_assert();
}

/// The help sends nobody to files that their package may not have.
#[test]
fn documents_that_the_help_names_can_be_printed() {
    let mut count = 0;
    for spec in OPTIONS {
        let text = format!("{ABOUT} {}", sentences(spec));
        assert!(!text.contains("docs/") && !text.contains(".md"), "{text}");
        for after in text.split("tblame --generate ").skip(1) {
            let name = after.split([' ', '.']).next().unwrap_or_default();
            assert!(generated::text(name).is_some(), "{name}");
            count += 1;
        }
        if spec.name == "generate" {
            for (name, _) in DOCUMENTS {
                assert!(text.contains(&format!(" {name}")), "{name}");
            }
        }
    }
    assert!(count > OPTIONS.len() + 5, "{count}");
}
