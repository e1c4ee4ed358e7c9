//! Places in what programs write.
//!
//! The folder `outputs` has what real programs wrote about one small project: ripgrep 13, git grep,
//! GNU grep, gcc 12, rustc 1.95, tsc 5.9, eslint 9, Go 1.19, Node 20, CPython 3.11, pytest 9 and
//! javac 17. Those of clang, MSVC, Perl, Ruby and PHP are written from their documentation. Beside
//! each, `NAME.places` has the places: the number of the line, and `FILE:LINE[:COLUMN]`.

use std::{collections::BTreeSet, fmt::Write, fs, path::PathBuf};

use bstr::{BStr, ByteSlice};
use tblame::internals::repository::places::{
    finder::{LinePlace, PlaceFinder},
    records,
};

/// The project's files.
const FILES: &[&str] = &[
    "Boom.java",
    "Main.java",
    "main.go",
    "odd dir/a b.txt",
    "odd dir/c:7.txt",
    "src/a.c",
    "src/a.h",
    "src/main.rs",
    "tests/test_a.py",
    "web/a.js",
    "web/a.ts",
];

/// Where the project was.
const ROOT: &str = "/home/ada/proj/";

fn folder() -> PathBuf {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("tests/it/places/outputs")
}

/// The project's file of a name.
fn file(name: &BStr) -> Option<&'static str> {
    let name = name.strip_prefix(ROOT.as_bytes()).unwrap_or(name);
    let name = name.strip_prefix(b"./").unwrap_or(name);
    let mut files = FILES.iter().copied();
    files.find(|file| file.as_bytes() == name)
}

fn push_place(found: &mut String, number: usize, file: &str, line: u32, column: Option<u32>) {
    let column = column.map_or_else(String::new, |column| format!(":{column}"));
    writeln!(found, "{number} {file}:{line}{column}").expect("a string takes everything");
}

/// What is found in the lines of an output.
fn places_of(output: &[u8]) -> String {
    let (mut found, mut finder) = (String::new(), PlaceFinder::default());
    for (number, line) in output.lines_with_terminator().enumerate() {
        let number = number + 1;
        match finder.find(line, &mut file) {
            LinePlace::Place { file, line, column } => {
                push_place(&mut found, number, file, line, column)
            }
            LinePlace::Missing(name) => {
                writeln!(found, "{number} no file {name}").expect("a string takes everything")
            }
            LinePlace::Nothing => {}
        }
    }
    found
}

fn findings_of(output: &[u8]) -> String {
    let mut found = String::new();
    let findings = records::findings(output).expect("SARIF");
    for (number, finding) in findings.iter().enumerate() {
        let place = finding.place.as_ref().expect("a place");
        let name = file(place.file.as_bstr()).expect("a file of the project");
        push_place(&mut found, number + 1, name, place.line, place.column);
        writeln!(found, "  {}", finding.text).expect("a string takes everything");
    }
    found
}

#[test]
fn outputs_of_programs() {
    let mut compared = BTreeSet::new();
    for entry in fs::read_dir(folder()).expect("a folder") {
        let path = entry.expect("an entry").path();
        let output = fs::read(&path).expect("an output");
        let found = match path.extension().and_then(|it| it.to_str()) {
            Some("txt") => places_of(&output),
            Some("sarif") => findings_of(&output),
            _ => continue,
        };
        let expected = path.with_extension("places");
        if std::env::var_os("TBLAME_WRITE_PLACES").is_some() {
            fs::write(&expected, &found).expect("a folder that can be written to");
        }
        let expected = fs::read_to_string(expected).expect("the places of the output");
        assert_eq!(found, expected, "{}", path.display());
        assert!(!found.is_empty(), "{}", path.display());
        compared.insert(path);
    }
    assert!(compared.len() >= 28, "{}", compared.len());
}

#[test]
fn free_text_names_no_places() {
    let text = fs::read(folder().join("free-text")).expect("the lines");
    let mut finder = PlaceFinder::default();
    let mut count = 0;
    for line in text.lines_with_terminator() {
        let found = finder.find(line, &mut file);
        assert_eq!(found, LinePlace::Nothing, "{}", line.as_bstr());
        count += 1;
    }
    assert!(count >= 200, "{count}");
}

#[test]
fn line_endings_and_colors_change_nothing() {
    let mut count = 0;
    for name in [
        "rg",
        "rg-context",
        "eslint",
        "gcc",
        "pytest",
        "rustc",
        "tsc",
        "git-grep-nul",
    ] {
        let output = fs::read(folder().join(name).with_extension("txt")).expect("an output");
        let expected = places_of(&output);
        let windows = output.replace("\r\n", "\n").replace("\n", "\r\n");
        assert_eq!(places_of(&windows), expected, "{name}");
        let colored = output
            .lines()
            .flat_map(|line| [b"\x1b[1;31m", line, b"\x1b[0m\x1b[K\n"].concat());
        let colored: Vec<u8> = colored.collect();
        assert_eq!(places_of(&colored), expected, "{name}");
        count += expected.lines().count();
    }
    assert!(count > 30, "{count}");
}

#[test]
fn any_bytes_are_read() {
    let mut finder = PlaceFinder::default();
    let long = [vec![b':'; 1 << 20], b"src/a.c:3".to_vec()].concat();
    assert_eq!(finder.find(&long, &mut file), LinePlace::Nothing);
    let numbers = "1:2(3-4-5=6=".repeat(1 << 16);
    assert_eq!(
        finder.find(numbers.as_bytes(), &mut file),
        LinePlace::Nothing
    );
    let nested = "[{\"a\":".repeat(1 << 16);
    assert_eq!(
        finder.find(nested.as_bytes(), &mut file),
        LinePlace::Nothing
    );
    // The line has a place, however odd the rest.
    let odd = b"src/a.c:3:\xff\xfe\0\x1b]8;;x";
    let expected = LinePlace::Place {
        file: "src/a.c",
        line: 3,
        column: None,
    };
    assert_eq!(finder.find(odd, &mut file), expected);
}
