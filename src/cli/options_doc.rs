//! Keeps the lists of `docs/options.md` between `<!-- NAME -->` and `<!-- end -->` equal to the
//! tables of options.

use crate::{
    cli::{
        help::forms,
        inherited::{BlameEffect, INHERITED, OptionParser, ValueSyntax},
        options::OPTIONS,
    },
    sorting,
};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/options.md");

/// A table of the options of `parser` that have an effect.
fn rows(parser: OptionParser) -> String {
    let mut text = "| option | description | configuration |\n| --- | --- | --- |\n".to_owned();
    for spec in OPTIONS.iter().filter(|spec| spec.parser == parser) {
        let code = |text: &str| format!("`{text}`");
        let forms: Vec<_> = forms(spec).iter().map(|form| code(form)).collect();
        let variables: Vec<_> = spec.variables.iter().map(|name| code(name)).collect();
        let help = spec.help.replace('<', "\\<");
        let row = [forms.join(", "), help, variables.join(", ")];
        text.push_str(&format!("| {} |\n", row.join(" | ")));
    }
    text.replace(" |  |", " | |")
}

/// The names of the inherited options that add revisions.
fn names() -> String {
    let mut names: Vec<String> = Vec::new();
    for group in INHERITED {
        if group.effect != BlameEffect::AddRevisions {
            continue;
        }
        let value = match group.syntax {
            ValueSyntax::Flag => "",
            ValueSyntax::OptionalValue => "[=…]",
            ValueSyntax::AttachedValue | ValueSyntax::Value => "=…",
        };
        let group = group.names.split_ascii_whitespace();
        names.extend(group.map(|name| format!("`--{name}{value}`")));
    }
    sorting::sort(&mut names);
    wrapped(&names)
}

fn wrapped(names: &[String]) -> String {
    let mut text = String::new();
    let mut width = 0;
    for (index, name) in names.iter().enumerate() {
        let comma = if index + 1 < names.len() { "," } else { "" };
        let word = format!("{name}{comma}");
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

/// `page` with the lists made anew.
fn regenerated(page: &str) -> String {
    let lists = [
        ("blame", rows(OptionParser::Blame)),
        ("revision", rows(OptionParser::Revision)),
        ("diff", rows(OptionParser::Diff)),
        ("tblame", rows(OptionParser::Tblame)),
        ("revisions", names()),
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
fn docs_options_md_is_up_to_date() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let regenerated = regenerated(&page);
    if std::env::var_os("TBLAME_WRITE_DOCS").is_some() {
        std::fs::write(PAGE, &regenerated).unwrap();
        return;
    }
    assert!(
        page == regenerated,
        "docs/options.md is out of date: run this test with TBLAME_WRITE_DOCS=1"
    );
}

#[test]
fn every_option_has_a_description() {
    for spec in OPTIONS {
        assert!(!spec.help.is_empty(), "{}", spec.name);
    }
}
