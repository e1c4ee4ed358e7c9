//! Makes the manual page from the tables of options and keys.

use crate::{
    cli::{
        help::{ABOUT, EXAMPLES, forms, sentences, shown_forms},
        options::{HEADINGS, OPTIONS, OptionSpec, Takes},
    },
    sorting,
    viewer::model::keys::{
        bindings::{BINDINGS, HelpSection},
        keymap::Keymap,
    },
};

/// Of the last change of the sentences below.
const DATE: &str = "2026-11-28";

/// The longest lines of the source, in bytes. `mandoc -Tlint` wants at most 80.
const MAX_LEN: usize = 78;

/// Files, without the name of the user's directory.
const FILES: [(&str, &str); 5] = [
    (
        "~/.config/tblame/config.toml",
        "The configuration of the viewer; --print-config prints the defaults with explanations.",
    ),
    (
        "~/.config/tblame/themes/NAME.toml",
        "Color themes, for --theme NAME.",
    ),
    (
        "~/.cache/tblame",
        "Blames of earlier runs, on macOS in ~/Library/Caches/tblame; --cache lists them, --cache-clear removes them.",
    ),
    (
        "~/.local/state/tblame/used",
        "Which keys of the viewer were used, for its hints.",
    ),
    (
        ".git-blame-ignore-revs",
        "In the root of the work tree: commits that the viewer ignores, and the output with --auto-ignore-revs.",
    ),
];

/// Environment variables that tblame itself reads.
const ENVIRONMENT: [(&str, &str); 9] = [
    (
        "TBLAME_CACHE",
        "If it is 'off', blames of earlier runs are neither used nor kept.",
    ),
    (
        "TBLAME_GIT_COMPAT",
        "The version of git whose bytes are written, as --git-compat.",
    ),
    ("TBLAME_LOG", "The file of the log, as --log."),
    (
        "TBLAME_LOG_NAMES",
        "If it is set, the log has names of files, revisions and people.",
    ),
    (
        "XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_STATE_HOME",
        "Where the directories 'tblame' of configuration, cache and state are, instead of ~/.config, ~/.cache and \
         ~/.local/state.",
    ),
    (
        "GIT_EDITOR, VISUAL, EDITOR, BROWSER",
        "The programs that the viewer starts.",
    ),
    (
        "GIT_PAGER, PAGER, LESS",
        "The pager of output on a terminal, as in git(1) with pager.blame and core.pager, and its options.",
    ),
    (
        "NO_COLOR",
        "If it is set, the viewer uses no colors but those of groups, and --color=auto none.",
    ),
    (
        "GIT_DIR, GIT_WORK_TREE, GIT_CONFIG_COUNT, ...",
        "As in git(1).",
    ),
];

/// The exit statuses, which are git's.
const STATUSES: [(&str, &str); 4] = [
    ("0", "Success."),
    (
        "128",
        "An error, which a message on standard error describes. The output may be whole but for that: hunks of --patch \
         that do not apply, files of --tree that cannot be blamed.",
    ),
    ("129", "Invalid arguments."),
    (
        "128 and the number of a signal",
        "A signal ended the program: 141 if nobody reads the output any more.",
    ),
];

/// The manual page, in the macros of man(7). Words are not hyphenated, as names of options and
/// variables would be, and so lines are not filled up with blanks.
pub(super) fn man_page() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut page = format!(
        ".TH TBLAME 1 \"{DATE}\" \"tblame {version}\"\n.nh\n.ad l\n.SH NAME\ntblame \\- view and write which commit each line of \
         a file comes from\n.SH SYNOPSIS\n.nf\n\\fBtblame\\fR [\\fIoptions\\fR] [\\fIrev\\fR] [\\fB\\-\\-\\fR] \
         \\fIfile\\fR\n\\fBtblame\\fR [\\fIoptions\\fR] \\fIfile\\fR:\\fIline\\fR\n\
         \\fBtblame\\fR [\\fIoptions\\fR] [[\\fIrev\\fR] \\fIdir\\fR]\n\\fBtblame\\fR \\fB\\-\\-demo\\fR\n.fi\n\
         .SH DESCRIPTION\n"
    );
    for (at, paragraph) in ABOUT.split("\n\n").enumerate() {
        if at > 0 {
            page.push_str(".PP\n");
        }
        page.push_str(&filled(&escaped(paragraph)));
    }
    page.push_str(".SH OPTIONS\n");
    for heading in HEADINGS {
        page.push_str(&format!(".SS {}\n", escaped(heading)));
        let specs = OPTIONS
            .iter()
            .filter(|spec| spec.heading == heading && !spec.hidden);
        specs.for_each(|spec| page.push_str(&option(spec)));
    }
    page.push_str(".SH KEYS\n");
    page.push_str(&filled(&escaped(
        "The default keys of the viewer. A number before a motion repeats it; ^ is Ctrl.",
    )));
    let keymap = Keymap::default();
    for section in HelpSection::ALL {
        page.push_str(&format!(".SS {}\n", escaped(&keymap.fill(section.title()))));
        let bindings = BINDINGS
            .iter()
            .filter(|it| it.section == section && !it.keys.is_empty());
        for binding in bindings {
            let keys: Vec<String> = binding.keys.iter().map(|key| bold(key)).collect();
            let help = escaped(&keymap.fill(binding.help));
            page.push_str(&tagged(&keys.join(" "), &help));
        }
    }
    page.push_str(".SH CONFIGURATION\n");
    page.push_str(&filled(&escaped(
        "These variables of git(1) set the defaults of options. Those of the viewer are in tblame/config.toml, which \
         --print-config explains.",
    )));
    for (variable, options) in variables() {
        page.push_str(&tagged(&bold(variable), &options.join(", ")));
    }
    let sections: [(&str, &[(&str, &str)]); 4] = [
        ("ENVIRONMENT", &ENVIRONMENT),
        ("FILES", &FILES),
        ("EXIT STATUS", &STATUSES),
        ("EXAMPLES", &EXAMPLES),
    ];
    for (section, rows) in sections {
        page.push_str(&format!(".SH {section}\n"));
        for (tag, text) in rows {
            page.push_str(&tagged(&bold(tag), &escaped(text)));
        }
    }
    page.push_str(".SH SEE ALSO\n");
    page.push_str(&filled(
        "git\\-blame(1), git\\-annotate(1), git\\-rev\\-list(1), gitrevisions(7)",
    ));
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
    let mut text = escaped(&sentences(spec));
    if !spec.variables.is_empty() {
        let variables: Vec<String> = spec.variables.iter().map(|name| bold(name)).collect();
        text.push_str(&format!(" Configuration: {}.", variables.join(", ")));
    }
    tagged(&forms.join(", "), &text)
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
    sorting::sort(&mut all);
    all
}

/// A paragraph with a tag, both in roff.
fn tagged(tag: &str, text: &str) -> String {
    format!(".TP\n{tag}\n{}", filled(text))
}

fn bold(text: &str) -> String {
    format!("\\fB{}\\fR", escaped(text))
}

/// Text as roff has it: no character begins an escape, and dashes can be copied.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("\\e"),
            '-' => escaped.push_str("\\-"),
            '^' => escaped.push_str("\\(ha"),
            '~' => escaped.push_str("\\(ti"),
            '`' => escaped.push_str("\\(ga"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A text in roff with its sentences and its long lines on lines of their own, none of which begins a
/// request.
fn filled(text: &str) -> String {
    let mut lines = String::new();
    let mut line = String::new();
    let mut words = text.split_ascii_whitespace().peekable();
    while let Some(word) = words.next() {
        if line.is_empty() && word.starts_with(['.', '\'']) {
            line.push_str("\\&");
        } else if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        let next = words.peek();
        let ends_sentence = word.ends_with('.') && word != "...";
        if ends_sentence || next.is_none_or(|next| line.len() + 1 + next.len() > MAX_LEN) {
            lines.push_str(&line);
            lines.push('\n');
            line.clear();
        }
    }
    lines
}

#[test]
fn the_manual_page_has_everything() {
    let page = man_page();
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
}

/// What `mandoc -Tlint` complains about, as far as such a page could have it.
#[test]
fn the_manual_page_is_well_formed() {
    let page = man_page();
    let requests = [
        ".TH ", ".SH ", ".SS ", ".TP", ".PP", ".nf", ".fi", ".nh", ".ad l",
    ];
    let mut before = "";
    for line in page.lines() {
        if line.starts_with(['.', '\'']) {
            let is_known = requests.iter().any(|request| line.starts_with(request));
            assert!(is_known, "{line}");
            assert!(
                !line.starts_with(".PP") || !before.starts_with('.'),
                "{line}"
            );
        }
        assert!(!line.is_empty() && line.trim_end() == line, "{line:?}");
        assert!(line.len() <= MAX_LEN + 2 || !line.contains(' '), "{line}");
        let mut sentences = line.match_indices(". ");
        assert!(
            sentences.all(|(at, _)| at == 0 || line.as_bytes()[at - 1] == b'.'),
            "{line}"
        );
        before = line;
    }
    let year = DATE.split('-').map(str::len);
    assert_eq!(Vec::from_iter(year), [4, 2, 2]);
}
