//! The bundled syntax definitions: those of two-face with cheaper forms of their expressions.

mod cheaper;

use std::{collections::BTreeMap, fs, path::Path};

use syntect::{
    dumps,
    parsing::{
        ParseState, Regex, Region, SyntaxSet, SyntaxSetBuilder,
        syntax_definition::{Context, MatchPattern, Pattern},
    },
};

use crate::{generated::breadth, harness::rng::Rng};
use cheaper::cheaper;

const PATH: &str = "assets/syntaxes.bin";

/// Each expression that has a cheaper form, with it and the highest number of a group that is referred to.
type Changes = BTreeMap<String, (String, usize)>;

/// The definitions to bundle.
fn definitions() -> (SyntaxSet, Changes) {
    let mut changes = Changes::new();
    let mut builder = SyntaxSetBuilder::new();
    for definition in two_face::syntax::extra_newlines().into_builder().syntaxes() {
        let mut definition = definition.clone();
        for context in definition.contexts.values_mut() {
            for pattern in patterns(context) {
                change(pattern, &mut changes);
            }
        }
        builder.add(definition);
    }
    (builder.build(), changes)
}

fn patterns(context: &mut Context) -> impl Iterator<Item = &mut MatchPattern> {
    context
        .patterns
        .iter_mut()
        .filter_map(|pattern| match pattern {
            Pattern::Match(pattern) => Some(pattern),
            Pattern::Include(_) => None,
        })
}

fn change(pattern: &mut MatchPattern, changes: &mut Changes) {
    // Text of another match takes the place of its numbers.
    if pattern.has_captures {
        return;
    }
    let captures = pattern.captures.iter().flatten();
    let captures = captures.map(|(group, _)| *group).max().unwrap_or(0);
    let expression = pattern.regex.regex_str();
    let form = cheaper(expression, captures);
    if form != expression {
        let known = changes.entry(expression.to_owned());
        let known = known.or_insert_with(|| (form.clone(), captures));
        known.1 = known.1.max(captures);
        pattern.regex = Regex::new(form);
    }
}

fn path() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(PATH)
}

#[test]
fn the_bundled_definitions_are_those_of_the_package() {
    let (set, changes) = definitions();
    assert!(changes.len() > 1000, "{}", changes.len());
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file = directory.path().join("syntaxes.bin");
    dumps::dump_to_uncompressed_file(&set, &file).expect("it is writable");
    let bytes = fs::read(file).expect("it was just written");
    if std::env::var_os("TBLAME_WRITE_DOCS").is_some() {
        fs::write(path(), &bytes).expect("it is writable");
    }
    assert!(
        fs::read(path()).ok() == Some(bytes),
        "{PATH} is out of date: run this test with TBLAME_WRITE_DOCS=1"
    );
}

/// A text that an expression may match, of what occurs in it and of what often occurs in programs.
fn text_for(expression: &str, rng: &mut Rng) -> String {
    const COMMON: &str = " \t()[]{}<>*_`#|\"'$-=,;:.\\/+!?@%&~^0aAzZ9eEx";
    let own: Vec<char> = expression.chars().filter(char::is_ascii).collect();
    let common: Vec<char> = COMMON.chars().collect();
    const MARKUP: &str = "``a |[]()*_ \\:";
    let mut text = String::new();
    if rng.chance(30) {
        let markup: Vec<char> = MARKUP.chars().collect();
        text.extend((0..rng.below(24)).map(|_| markup[rng.below(markup.len())]));
    }
    for _ in 0..rng.below(12) {
        match rng.below(3) {
            0 => text.push(common[rng.below(common.len())]),
            _ => {
                let start = rng.below(own.len());
                let end = own.len().min(start + 1 + rng.below(6));
                let run = own[start..end].iter().filter(|char| !char.is_control());
                text.extend(run);
            }
        }
    }
    text.push('\n');
    text
}

#[test]
fn cheaper_expressions_match_the_same() {
    let (_, changes) = definitions();
    let mut rng = Rng::new(1);
    let (mut compared, mut matched) = (0, 0);
    for (number, (expression, (form, captures))) in changes.iter().enumerate() {
        // All of them with TBLAME_TEST_WIDE=16.
        if number % 16 >= breadth() {
            continue;
        }
        let [one, other] = [expression, form].map(|text| Regex::new(text.clone()));
        // The long ones are the ones that change most.
        for _ in 0..100 * (1 + expression.len() / 200) {
            let text = text_for(expression, &mut rng);
            let start = rng.below(2).min(text.len() - 1);
            let found = |regex: &Regex| {
                let mut region = Region::new();
                let is_found = regex.search(&text, start, text.len(), Some(&mut region));
                is_found.then(|| Vec::from_iter((0..=*captures).map(|group| region.pos(group))))
            };
            let (one, other) = (found(&one), found(&other));
            assert_eq!(one, other, "{text:?}\n{expression}\n{form}");
            compared += 1;
            matched += usize::from(one.is_some());
        }
    }
    println!("{compared} searches compared, {matched} found something");
    assert!(matched > 1000, "{matched}");
}

#[test]
fn documents_and_programs_have_the_same_scopes() {
    let bundled = fs::read(path()).expect("it is there");
    let bundled: SyntaxSet = dumps::from_uncompressed_data(&bundled).expect("it is a set");
    let original = two_face::syntax::extra_newlines();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut lines = 0;
    for path in [
        "README.md",
        "docs/usage.md",
        "docs/integrations.md",
        "src/lib.rs",
        "Cargo.toml",
        ".ci/run",
        "tests/it/main.rs",
    ] {
        let text = fs::read_to_string(root.join(path)).expect("it is there");
        let scopes = |set: &SyntaxSet| {
            let extension = path.rsplit('.').next().expect("there is a first part");
            let syntax = set.find_syntax_by_extension(extension);
            let syntax = syntax.or_else(|| set.find_syntax_by_first_line(&text));
            let mut state = ParseState::new(syntax.expect("it is known"));
            let lines = text.split_inclusive('\n').take(300);
            Vec::from_iter(lines.map(|line| state.parse_line(line, set).expect("it is parsed")))
        };
        let (one, other) = (scopes(&original), scopes(&bundled));
        for (number, (one, other)) in one.iter().zip(&other).enumerate() {
            assert_eq!(one, other, "{path}, line {}", number + 1);
            lines += 1;
        }
    }
    assert!(lines > 700, "{lines}");
}
