//! Other contents of a blamed file against `git blame --contents`.

use tblame::{FileBlame, Repository};

use crate::{
    harness::rng::Rng,
    options::{CASES, Case, paths, prepare, seeds},
    scratch::{Line, Scratch, lines_of},
};

/// Beginnings of options whose diffs are those of a newer git than the one that may be installed.
const NEWER_DIFFS: [&str; 2] = ["--minimal", "--diff-algorithm="];

/// Cases in which the commit below the contents has a role of its own.
const MORE_CASES: &[Case] = &[
    (&["--ignore-rev=HEAD", "HEAD"], |blame| {
        blame.ignore_revision("HEAD").at("HEAD")
    }),
    (&["--ignore-rev=HEAD", "-w", "HEAD"], |blame| {
        let blame = blame.ignore_revision("HEAD").at("HEAD");
        blame.ignore_whitespace(true)
    }),
    (&["HEAD", "^HEAD~"], |blame| {
        blame.at("HEAD").exclude("HEAD~")
    }),
    (&["HEAD~1"], |blame| blame.at("HEAD~1")),
];

/// The file that git reads contents from.
const BUFFER: &str = ".git/buffer";

/// git's blame of `text`.
fn of_git(scratch: &Scratch, options: &[&str], path: &str, text: &str) -> Vec<Line> {
    scratch.write(BUFFER, text);
    scratch.blame(&[&["--contents", BUFFER], options].concat(), path)
}

/// Compares all lines, and shows the first that differ.
fn assert_same(found: &[Line], expected: &[Line], place: &str) {
    let differing = found
        .iter()
        .zip(expected)
        .find(|(ours, theirs)| ours != theirs);
    assert!(differing.is_none(), "{place}: {differing:?}");
    assert_eq!(found.len(), expected.len(), "{place}");
}

/// Compares the blame of `text` with git's. Returns the number of its lines, and of those that are committed.
fn check(
    scratch: &Scratch,
    blame: &FileBlame,
    options: &[&str],
    (path, text): (&str, &str),
    place: &str,
) -> (usize, usize) {
    let edited = blame.with_contents(text);
    let edited = edited.unwrap_or_else(|err| panic!("{place}: {err}"));
    let lines = lines_of(&edited);
    let expected = of_git(scratch, options, path, text);
    assert_same(&lines, &expected, &format!("{place}: {text:?}"));
    let entries = edited.entries();
    let continues = entries.windows(2).any(|pair| {
        pair[0].commit_id() == pair[1].commit_id()
            && pair[0].path() == pair[1].path()
            && pair[0].is_ignored() == pair[1].is_ignored()
            && pair[0].is_unblamable() == pair[1].is_unblamable()
            && pair[0].original_lines().end == pair[1].original_lines().start
    });
    assert!(!continues, "{place}: two entries continue each other");
    let uncommitted = |entry: &&tblame::BlameEntry| entry.is_uncommitted();
    if let Some(entry) = entries.iter().find(uncommitted) {
        assert_eq!(entry.commit().author().name(), "Not Committed Yet");
    }
    let committed = lines.iter().filter(|line| !line.commit.starts_with("0000"));
    (lines.len(), committed.count())
}

/// Edits as people make them, and as generated files have them: with repeated lines.
fn edit(random: &mut Rng, text: &str, older: &str) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    for _ in 0..random.between(1, 3) {
        let at = random.below(lines.len() + 1);
        let end = (at + random.between(1, 6)).min(lines.len());
        match random.below(10) {
            0 | 1 => lines.insert(at, format!("new {}\n", random.below(100))),
            2 => drop(lines.drain(at..end)),
            3 => drop(lines.splice(at..end, ["changed\n".to_owned(), "\n".to_owned()])),
            4 => {
                let block: Vec<String> = lines.drain(at..end).collect();
                let to = random.below(lines.len() + 1);
                drop(lines.splice(to..to, block));
            }
            5 => {
                let block = lines[at..end].to_vec();
                drop(lines.splice(end..end, block));
            }
            6 => lines[at..end]
                .iter_mut()
                .for_each(|line| line.insert_str(0, "  ")),
            7 => lines = older.split_inclusive('\n').map(str::to_owned).collect(),
            8 => {
                if let Some(last) = lines.last_mut() {
                    *last = last.trim_end().to_owned();
                }
            }
            _ => lines.truncate(at),
        }
    }
    lines.concat()
}

#[test]
fn edited_contents_are_blamed_like_a_file_of_contents() {
    let (mut lines, mut committed, mut blames) = (0, 0, 0);
    let mut random = Rng::new(20);
    let is_of_newer_git = |option: &&str| NEWER_DIFFS.iter().any(|start| option.starts_with(start));
    for seed in seeds() {
        let (scratch, _) = prepare(seed);
        let repository = Repository::open(scratch.root()).expect("a repository");
        for (options, build) in CASES.iter().chain(MORE_CASES).filter(|(options, _)| {
            let is_other = |option: &&str| option.starts_with("-L") || *option == "--reverse";
            !options.iter().any(is_other)
        }) {
            let paths = match options.last() {
                None | Some(&"HEAD") => paths(&scratch),
                _ => vec!["a.txt".to_owned()],
            };
            for path in &paths {
                let blame = build(repository.blame(path)).run().expect("a blame");
                let committed_text = String::from_utf8(blame.text().as_bytes().to_vec());
                let committed_text = committed_text.expect("UTF-8");
                let older = scratch.git(&["show", "t40:a.txt"]);
                let mut text = committed_text.clone();
                for round in 0..4 {
                    let place = format!("seed {seed}, {options:?}, {path}, edit {round}");
                    let anew = build(repository.blame(path)).contents(text.as_bytes());
                    let anew = lines_of(&anew.run().expect("a blame"));
                    let edited = blame.with_contents(text.as_bytes()).expect("a blame");
                    assert_same(&lines_of(&edited), &anew, &place);
                    blames += 1;
                    if !options.iter().any(is_of_newer_git) {
                        let found = check(&scratch, &blame, options, (path, &text), &place);
                        lines += found.0;
                        committed += found.1;
                    }
                    text = edit(&mut random, &text, &older);
                }
            }
        }
    }
    println!("compared {lines} lines of {blames} contents; {committed} are committed");
    assert!(
        lines > 10_000 && committed > lines / 2,
        "{lines} {committed}"
    );
    assert!(lines - committed > 500, "{lines} {committed}");
}

#[test]
fn contents_are_on_top_of_the_commit_that_was_blamed() {
    let (scratch, path) = prepare(2);
    let path = path.as_str();
    let repository = Repository::open(scratch.root()).expect("a repository");
    let committed = scratch.read(path);
    let id = scratch.git(&["rev-parse", "HEAD"]);
    let at_commit = repository.blame(path).at("HEAD").run().expect("a blame");
    let of_lines = repository.blame(path).lines(2..5).run().expect("a blame");
    scratch.write(path, &format!("of the work tree\n{committed}"));
    let of_work_tree = repository.blame(path).run().expect("a blame");
    let of_buffer = repository.blame(path).contents("none of the lines\n");
    let of_buffer = of_buffer.run().expect("a blame");
    let edited = at_commit.with_contents("\n").expect("a blame");
    // The branch moves on.
    scratch.commit("Later");
    let texts = [
        committed.clone(),
        format!("of the work tree\n{committed}"),
        format!("{committed}unsaved\n"),
        committed.replacen("line", "LINE", 3),
        String::new(),
        "\n".to_owned(),
        "no line feed".to_owned(),
    ];
    let mut compared = 0;
    for blame in [at_commit, of_lines, of_work_tree, of_buffer, edited] {
        for text in &texts {
            let (lines, _) = check(&scratch, &blame, &[&id], (path, text), "a text");
            compared += lines;
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn contents_are_converted_as_in_git() {
    let (scratch, path) = prepare(3);
    let path = path.as_str();
    scratch.write(
        ".gitattributes",
        "*.txt text=auto\n*.utf16 working-tree-encoding=UTF-16LE\n",
    );
    let wide: String = "one\ntwo\n".chars().flat_map(|it| [it, '\0']).collect();
    scratch.write("wide.utf16", &wide);
    scratch.commit("Convert");
    let repository = Repository::open(scratch.root()).expect("a repository");
    let text = scratch.read(path);
    let blame = repository.blame(path).run().expect("a blame");
    let with_returns = format!("new\n{text}").replace('\n', "\r\n");
    let (lines, committed) = check(&scratch, &blame, &[], (path, &with_returns), "returns");
    assert_eq!(lines, committed + 1);
    let edited = blame.with_contents(with_returns).expect("a blame");
    assert_eq!(edited.text().line(0), Some(&b"new"[..]));
    let blame = repository.blame("wide.utf16").run().expect("a blame");
    let wider = format!("{wide}\u{33}\0\n\0");
    let found = check(&scratch, &blame, &[], ("wide.utf16", &wider), "wide");
    assert_eq!(found, (3, 2));
}

/// What an answer depends on besides the lines that differ.
#[test]
fn rules_beyond_the_lines_are_those_of_git() {
    let scratch = Scratch::new();
    let numbered = |from: u32| {
        (from..from + 12)
            .map(|it| format!("line {it}\n"))
            .collect::<String>()
    };
    scratch.write("f", &numbered(0));
    scratch.write("kept", &numbered(40));
    scratch.write("convert", &numbered(80));
    scratch.write(".gitattributes", "convert diff=upper\n");
    scratch.git(&["config", "diff.upper.textconv", "tr a-z A-Z <"]);
    std::os::unix::fs::symlink("f", scratch.root().join("link")).expect("a new name");
    scratch.commit("One");
    scratch.git(&["checkout", "-q", "-b", "other"]);
    scratch.write("f", &format!("other\n{}", numbered(0)));
    scratch.commit("Other");
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write("f", &format!("{}main\n", numbered(0)));
    scratch.commit("Main");
    let repository = Repository::open(scratch.root()).expect("a repository");
    let mut compared = 0;
    let mut check_all = |blame: &FileBlame, path: &str, texts: &[&str], place: &str| {
        for text in texts {
            compared += check(&scratch, blame, &[], (path, text), place).0;
        }
    };
    let both = format!("other\n{}main\n", numbered(0));
    let of_f = repository.blame("f").run().expect("a blame");
    check_all(&of_f, "f", &[&both], "before a merge");
    scratch.git(&["merge", "-q", "--no-commit", "other"]);
    // The line of the other branch comes from there now.
    check_all(&of_f, "f", &[&both, "other\n"], "during a merge");
    scratch.git(&["merge", "--abort"]);
    check_all(&of_f, "f", &[&both], "after a merge");
    // A text that is converted.
    let converted = repository.blame("convert").run().expect("a blame");
    check_all(
        &converted,
        "convert",
        &[&numbered(80), "LINE 80\nline 81\n"],
        "textconv",
    );
    // A link, and a file in its place.
    let link = repository.blame("link").run().expect("a blame");
    // git takes the contents of a file for a file, and standard input for what is in the index.
    for (text, is_uncommitted) in [("f", false), ("g", true), ("f\n", true)] {
        let edited = link.with_contents(text).expect("a blame");
        assert_eq!(
            edited.entries()[0].is_uncommitted(),
            is_uncommitted,
            "{text:?}"
        );
    }
    std::fs::remove_file(scratch.root().join("link")).expect("a link");
    scratch.write("link", "f");
    scratch.git(&["add", "link"]);
    let file = repository.blame("link").run().expect("a blame");
    check_all(
        &file,
        "link",
        &["f", "f\nmore\n"],
        "a file in place of a link",
    );
    // Files that are only in the index: a new one, and one that has been renamed.
    scratch.write("new", "one\ntwo\n");
    scratch.git(&["add", "new"]);
    scratch.git(&["mv", "kept", "moved"]);
    let new = repository.blame("new").run().expect("a blame");
    check_all(&new, "new", &["one\n", ""], "a new file");
    let moved = repository.blame("moved").run().expect("a blame");
    check_all(
        &moved,
        "moved",
        &[&numbered(40), &numbered(42)],
        "a renamed file",
    );
    // Another blob in the place of the committed one.
    scratch.git(&["reset", "-q", "--hard"]);
    scratch.write("f", &numbered(6));
    let other = scratch.git(&["hash-object", "-w", "f"]);
    let blob = scratch.git(&["rev-parse", "HEAD:f"]);
    scratch.git(&["checkout", "-q", "f"]);
    let text = scratch.read("f");
    scratch.git(&["replace", &blob, &other]);
    let replacing = Repository::open(scratch.root()).expect("a repository");
    let replaced = replacing.blame("f").run().expect("a blame");
    check_all(
        &replaced,
        "f",
        &[&text, &numbered(6), &numbered(7)],
        "a replaced blob",
    );
    println!("compared {compared} lines");
    assert!(compared > 100, "{compared}");
    let reversed = repository.blame("f").at("HEAD~1..HEAD").reverse(true).run();
    assert!(reversed.expect("a blame").with_contents("").is_err());
}

#[test]
fn edits_are_blamed_from_several_threads() {
    let (scratch, path) = prepare(1);
    let repository = Repository::open(scratch.root()).expect("a repository");
    let blame = repository.blame(&path).at("HEAD").run().expect("a blame");
    let text = scratch.read(&path);
    let expected = of_git(&scratch, &["HEAD"], &path, &format!("new\n{text}"));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..8 {
                    let edited = blame.with_contents(format!("new\n{text}"));
                    assert_eq!(lines_of(&edited.expect("a blame")), expected);
                }
            });
        }
    });
}
