//! Places in what programs write.
//!
//! The folder `outputs` has what real programs wrote about one small project: ripgrep 13, git grep,
//! GNU grep, gcc 12, rustc 1.95, tsc 5.9, eslint 9, Go 1.19, Node 20, CPython 3.11, pytest 9 and
//! javac 17. Those of clang, MSVC, Perl, Ruby and PHP are written from their documentation. Beside
//! each, `NAME.places` has the places: the number of the line, and `FILE:LINE[:COLUMN]`.

use std::{collections::BTreeSet, fmt::Write, fs, path::PathBuf};

use bstr::{BStr, ByteSlice};
use tblame::internals::repository::places::{
    finder::{LinePlace, PlaceFiles, PlaceFinder},
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

pub(super) fn folder() -> PathBuf {
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

/// The project's files.
struct Project;

impl PlaceFiles for Project {
    type File = &'static str;

    fn find(&mut self, name: &BStr) -> Option<&'static str> {
        file(name)
    }

    fn find_class(&mut self, package: &BStr, name: &BStr) -> Option<&'static str> {
        let path = [package.as_bytes(), name].join(&b'/');
        file(path.strip_prefix(b"/").unwrap_or(&path).as_bstr())
    }
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
        match finder.find(line, &mut Project) {
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
        let found = finder.find(line, &mut Project);
        assert_eq!(found, LinePlace::Nothing, "{}", line.as_bstr());
        count += 1;
    }
    assert!(count >= 200, "{count}");
}

#[test]
fn odd_names_are_not_misread() {
    struct Names(Vec<&'static [u8]>);
    impl PlaceFiles for Names {
        type File = &'static [u8];

        fn find(&mut self, name: &BStr) -> Option<&'static [u8]> {
            self.0.iter().copied().find(|it| *it == name.as_bytes())
        }

        fn find_class(&mut self, _: &BStr, _: &BStr) -> Option<&'static [u8]> {
            None
        }
    }
    let cases: &[(&[u8], &[u8], u32)] = &[
        (b"\"dir/\\303\\251.c\":12:text", "dir/é.c".as_bytes(), 12),
        (b"\"dir/\\303\\251.c\"-12-text", "dir/é.c".as_bytes(), 12),
        (b"\"dir/\\303\\251.c\"=12=text", "dir/é.c".as_bytes(), 12),
        (b"  --> \"dir/\\303\\251.c\":12:4", "dir/é.c".as_bytes(), 12),
        (
            b"bad: \"dir/\\303\\251.c\":12 too",
            "dir/é.c".as_bytes(),
            12,
        ),
        (b"\"a b\\t\\\"c\\\".c\":7:3: text", b"a b\t\"c\".c", 7),
        (b"\"\\377.c\":1:x", b"\xff.c", 1),
        (b"\"x.c\", line 5: error", b"x.c", 5),
        (b"  File \"q\"uote.txt\", line 3", b"q\"uote.txt", 3),
        (b"  File \"q\"uote.txt\", line 3, in f", b"q\"uote.txt", 3),
        (
            b"  File \"my line 3.txt\", line 7, in f",
            b"my line 3.txt",
            7,
        ),
        (b"  File \"a\", line 3.c\", line 7", b"a\", line 3.c", 7),
        (b"Error in \"this\" of \"x.c\", line 9", b"x.c", 9),
        (b"at f (a (b).c:3:4)", b"a (b).c", 3),
        (b"died at my line 3.txt line 8.", b"my line 3.txt", 8),
        // The quotes are those of the name.
        (b"\"y\".c:2:x", b"\"y\".c", 2),
    ];
    let mut names = Names(cases.iter().map(|case| case.1).collect());
    let mut finder = PlaceFinder::default();
    for (line, name, number) in cases {
        let shown = line.as_bstr();
        match finder.find(line, &mut names) {
            LinePlace::Place { file, line, .. } => {
                assert_eq!((file.as_bstr(), line), (name.as_bstr(), *number), "{shown}");
            }
            other => panic!("{shown}: {other:?}"),
        }
    }
    // A part of a name is not the name.
    names.0 = vec![b"uote.txt", b"c", b"b.c"];
    for line in [
        &b"  File \"q\"uote.txt\", line 3"[..],
        b"\"a\\tb.c\":3:x",
        b"\"a\\\"b.c\":3:x",
        b"\"b.c",
        b"\"b.c\\\":3:x",
    ] {
        let found = finder.find(line, &mut names);
        let is_place = matches!(found, LinePlace::Place { .. });
        assert!(!is_place, "{} {found:?}", line.as_bstr());
    }
    let gone = finder.find(b"\"g\\303\\251.c\":3:x", &mut names);
    assert_eq!(gone, LinePlace::Missing("gé.c".into()));
    for line in [
        "  --> gone.rs:12:1",
        "gone.rs:12:1: x",
        "  gone.rs:12: x",
        "    at gone.rs:12:1",
    ] {
        let found = finder.find(line.as_bytes(), &mut names);
        assert_eq!(found, LinePlace::Missing("gone.rs".into()), "{line}");
    }
    // A name alone is a heading in quotes too.
    names.0 = vec!["é.c".as_bytes()];
    let heading = finder.find(b"\"\\303\\251.c\"", &mut names);
    assert_eq!(heading, LinePlace::Nothing);
    let below = finder.find(b"12:text", &mut names);
    assert!(
        matches!(below, LinePlace::Place { line: 12, .. }),
        "{below:?}"
    );
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
    assert_eq!(finder.find(&long, &mut Project), LinePlace::Nothing);
    let numbers = "1:2(3-4-5=6=".repeat(1 << 16);
    assert_eq!(
        finder.find(numbers.as_bytes(), &mut Project),
        LinePlace::Nothing
    );
    let nested = "[{\"a\":".repeat(1 << 16);
    assert_eq!(
        finder.find(nested.as_bytes(), &mut Project),
        LinePlace::Nothing
    );
    // The line has a place, however odd the rest.
    let odd = b"src/a.c:3:\xff\xfe\0\x1b]8;;x";
    let expected = LinePlace::Place {
        file: "src/a.c",
        line: 3,
        column: None,
    };
    assert_eq!(finder.find(odd, &mut Project), expected);
}

#[test]
fn a_place_that_the_limit_of_a_line_cuts_is_none() {
    let mut compared = 0;
    for begun in 8150..8210 {
        for separator in [" ", "x"] {
            let line = format!("{}{separator}src/main.rs:43 rest", "x".repeat(begun));
            let found = PlaceFinder::default().find(line.as_bytes(), &mut Project);
            let is_whole = separator == " " && begun + " src/main.rs:43 ".len() <= 8192;
            let text = format!("src/a.c:7:{line}");
            let first = PlaceFinder::default().find(text.as_bytes(), &mut Project);
            assert!(matches!(first, LinePlace::Place { line: 7, .. }), "{begun}");
            match found {
                LinePlace::Place { file, line, .. } if is_whole => {
                    assert_eq!((file, line), ("src/main.rs", 43));
                }
                LinePlace::Place { .. } => panic!("{begun}"),
                LinePlace::Missing(_) | LinePlace::Nothing => assert!(!is_whole, "{begun}"),
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 120);
}
