//! `docs/options.md` says what the tables say: its lists between `<!-- NAME -->` and `<!-- end -->`
//! are written from them.

use crate::cli::{
    accepted::{self, Shape},
    table::{OPTIONS, Parser, Spec, Takes},
};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/options.md");

/// An option as it is typed.
fn typed(spec: &Spec) -> String {
    let mut forms = Vec::new();
    if let Some(short) = spec.short {
        forms.push(format!("-{short}"));
    }
    if let Some(long) = spec.long {
        let negatable = if spec.negation.is_some() { "[no-]" } else { "" };
        forms.push(format!("--{negatable}{long}"));
    }
    let value = match spec.takes {
        Takes::Nothing => String::new(),
        Takes::Value(name) => format!(" <{name}>"),
        Takes::Optional(name) if spec.long.is_some() => format!("[=<{name}>]"),
        Takes::Optional(name) => format!("[<{name}>]"),
    };
    format!("`{}{value}`", forms.join("`, `"))
}

fn rows(title: &str, parser: Parser) -> String {
    let mut text = format!("| {title} | | configuration |\n| --- | --- | --- |\n");
    for spec in OPTIONS.iter().filter(|spec| spec.parser == parser) {
        let variables: Vec<_> = spec
            .configuration
            .iter()
            .map(|v| format!("`{v}`"))
            .collect();
        let help = spec.help.replace('<', "\\<");
        let row = [typed(spec), help, variables.join(", ")];
        text.push_str(&format!("| {} |\n", row.join(" | ")));
    }
    text.replace(" |  |", " | |")
}

/// The options of `table` that add revisions, or those that do nothing.
fn names(table: &[(Shape, &[&str])], adding: bool) -> String {
    let adds = |shape: &Shape| {
        matches!(
            shape,
            Shape::Words | Shape::WordsOptional | Shape::WordsAttached
        )
    };
    let mut names: Vec<String> = Vec::new();
    for (shape, group) in table.iter().filter(|(shape, _)| adds(shape) == adding) {
        let value = match shape {
            Shape::Flag | Shape::Words => "",
            Shape::Optional | Shape::WordsOptional => "[=…]",
            Shape::Attached | Shape::WordsAttached => "=…",
            Shape::Value => " …",
        };
        names.extend(group.iter().map(|name| format!("`--{name}{value}`")));
    }
    names.sort();
    wrapped(&names)
}

fn wrapped(words: &[String]) -> String {
    let mut text = String::new();
    let mut width = 0;
    for (index, word) in words.iter().enumerate() {
        let comma = if index + 1 < words.len() { "," } else { "" };
        let word = format!("{word}{comma}");
        let count = word.chars().count();
        if width > 0 && width + 1 + count > 100 {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(&word);
        width += count;
    }
    text.push('\n');
    text
}

/// The page with its lists replaced by those of the tables.
fn renewed(page: &str) -> String {
    let lists = [
        ("blame", rows("git blame's own", Parser::Blame)),
        ("revision", rows("of git rev-list", Parser::Revision)),
        ("diff", rows("of git diff", Parser::Diff)),
        ("tblame", rows("tblame's own", Parser::Tblame)),
        ("revisions", names(accepted::REVISION, true)),
        ("choosing", names(accepted::CHOOSING, false)),
        ("accepted revision", names(accepted::REVISION, false)),
        ("accepted diff", names(accepted::DIFF, false)),
    ];
    let mut page = page.to_owned();
    for (name, list) in lists {
        let start = format!("<!-- {name} -->\n");
        let (before, rest) = page.split_once(&start).unwrap_or_else(|| panic!("{start}"));
        let (_, after) = rest.split_once("<!-- end -->\n").unwrap();
        page = format!("{before}{start}\n{list}\n<!-- end -->\n{after}");
    }
    page
}

#[test]
fn the_page_of_options_is_up_to_date() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let renewed = renewed(&page);
    if std::env::var_os("TBLAME_WRITE_DOCS").is_some() {
        std::fs::write(PAGE, &renewed).unwrap();
        return;
    }
    assert!(
        page == renewed,
        "docs/options.md is out of date: run this test with TBLAME_WRITE_DOCS=1"
    );
}

#[test]
fn every_option_says_what_it_does() {
    for spec in OPTIONS {
        assert!(!spec.help.is_empty(), "{}", spec.id);
    }
}
