//! Every option against the same option of git, on random histories.

use std::ops::ControlFlow;

use tblame::{Algorithm, BlameBuilder, BlameEntry, BlameItem, CommitOrder, Copies, Repository};

use crate::scratch::{Line, Scratch, lines_of, lines_of_entry};

/// Options of git, and the same of the library.
pub type Case = (&'static [&'static str], fn(BlameBuilder) -> BlameBuilder);

pub const CASES: &[Case] = &[
    (&[], |blame| blame),
    (&["HEAD"], |blame| blame.at("HEAD")),
    (&["t20"], |blame| blame.at("t20")),
    (&["t10..HEAD"], |blame| blame.at("t10..HEAD")),
    (&["HEAD", "^t10"], |blame| blame.at("HEAD").exclude("t10")),
    (&["-w", "HEAD"], |blame| {
        blame.ignore_whitespace(true).at("HEAD")
    }),
    (&["-M", "HEAD"], |blame| blame.moves(true).at("HEAD")),
    (&["-M5", "HEAD"], |blame| {
        blame.moves_with_score(5).at("HEAD")
    }),
    (&["-C", "HEAD"], |blame| {
        blame.copies(Copies::ChangedFiles).at("HEAD")
    }),
    (&["-C", "-C", "HEAD"], |blame| {
        blame.copies(Copies::AtCreation).at("HEAD")
    }),
    (&["-C", "-C", "-C10", "HEAD"], |blame| {
        blame.copies_with_score(Copies::AllFiles, 10).at("HEAD")
    }),
    (&["--minimal", "HEAD"], |blame| {
        blame.algorithm(Algorithm::Minimal).at("HEAD")
    }),
    (&["--diff-algorithm=patience", "HEAD"], |blame| {
        blame.algorithm(Algorithm::Patience).at("HEAD")
    }),
    (&["--diff-algorithm=histogram", "HEAD"], |blame| {
        blame.algorithm(Algorithm::Histogram).at("HEAD")
    }),
    (&["--no-indent-heuristic", "HEAD"], |blame| {
        blame.indent_heuristic(false).at("HEAD")
    }),
    (&["--first-parent", "HEAD"], |blame| {
        blame.first_parent(true).at("HEAD")
    }),
    (&["--exclude-first-parent-only", "t20..HEAD"], |blame| {
        blame.exclude_first_parent_only(true).at("t20..HEAD")
    }),
    (&["--no-follow", "HEAD"], |blame| {
        blame.follow(false).at("HEAD")
    }),
    (&["--root", "HEAD"], |blame| {
        blame.show_root(true).at("HEAD")
    }),
    (&["--max-age=1600015000", "HEAD"], |blame| {
        blame.since(1_600_015_000).at("HEAD")
    }),
    (&["--ignore-rev=t20", "HEAD"], |blame| {
        blame.ignore_revision("t20").at("HEAD")
    }),
    (
        &["--ignore-rev=t20", "--ignore-rev=t30", "-w", "HEAD"],
        |blame| {
            let blame = blame.ignore_revision("t20").ignore_revision("t30");
            blame.ignore_whitespace(true).at("HEAD")
        },
    ),
    (&["--ignore-revs-file=.git/ignored", "HEAD"], |blame| {
        blame.ignore_revisions_file(".git/ignored").at("HEAD")
    }),
    (&["--reverse", "t0..HEAD"], |blame| {
        blame.reverse(true).at("t0..HEAD")
    }),
    (&["--reverse", "--topo-order", "t0..HEAD"], |blame| {
        blame
            .reverse(true)
            .reverse_order(CommitOrder::Topological)
            .at("t0..HEAD")
    }),
    (
        &["--reverse", "--min-age=1600030000", "t0..HEAD"],
        |blame| blame.reverse(true).until(1_600_030_000).at("t0..HEAD"),
    ),
    (&["--ancestry-path", "t20..HEAD"], |blame| {
        blame.ancestry_path(true).at("t20..HEAD")
    }),
    (&["--simplify-by-decoration", "HEAD"], |blame| {
        blame.simplify_by_decoration(true).at("HEAD")
    }),
    (&["-S", ".git/some-grafts", "HEAD"], |blame| {
        blame.grafts_file(".git/some-grafts").at("HEAD")
    }),
    (&["-L5,12", "HEAD"], |blame| blame.lines(4..12).at("HEAD")),
    (&["-L5,12", "-L20,", "HEAD"], |blame| {
        blame.lines(4..=11).lines(19..).at("HEAD")
    }),
    (&["-L,3", "-L/line/,+2", "HEAD"], |blame| {
        blame.lines(..3).line_range("/line/,+2").at("HEAD")
    }),
];

/// The files of `HEAD`.
pub fn paths(scratch: &Scratch) -> Vec<String> {
    let listed = scratch.git(&["ls-tree", "--name-only", "HEAD"]);
    listed.lines().map(str::to_owned).collect()
}

pub fn prepare(seed: u64) -> (Scratch, String) {
    let scratch = Scratch::random(seed, 60);
    let ids = scratch.git(&["rev-parse", "t20", "t40", "HEAD~", "t10"]);
    let ids: Vec<&str> = ids.lines().collect();
    scratch.write(".git/ignored", &format!("# two\n{}\n{}\n", ids[0], ids[1]));
    scratch.write(".git/some-grafts", &format!("{} {}\n", ids[2], ids[3]));
    scratch.git(&["config", "blame.markIgnoredLines", "true"]);
    (scratch, "a.txt".to_owned())
}

#[test]
fn options_select_the_same_lines_as_in_git() {
    let mut compared = 0;
    for seed in seeds() {
        let (scratch, _) = prepare(seed);
        let paths = paths(&scratch);
        let repository = Repository::discover(scratch.root()).expect("a repository");
        for (options, build) in CASES {
            // Commits other than `HEAD` have `a.txt` at least.
            let paths = match options.last() {
                None | Some(&"HEAD") => &paths,
                _ => &paths[..1],
            };
            for (path, threads) in paths.iter().flat_map(|path| [(path, 1), (path, 2)]) {
                let blame = build(repository.blame(path)).threads(threads).run();
                let blame = blame.unwrap_or_else(|err| panic!("{seed} {options:?}: {err}"));
                let expected = scratch.blame(options, path);
                assert_eq!(lines_of(&blame), expected, "seed {seed} {options:?} {path}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 3 * 2 * CASES.len());
}

pub fn seeds() -> std::ops::Range<u64> {
    let count = std::env::var("TBLAME_TEST_SEEDS").ok();
    1..1 + count
        .and_then(|count| count.parse().ok())
        .unwrap_or(3)
        .max(3)
}

#[test]
fn entries_are_streamed_in_the_order_of_incremental() {
    for seed in seeds() {
        let (scratch, path) = prepare(seed);
        let repository = Repository::discover(scratch.root()).expect("a repository");
        let (mut streamed, mut texts, mut frontiers) = (Vec::new(), Vec::new(), Vec::new());
        let blame = repository
            .blame(&path)
            .at("HEAD")
            .stream(|item| {
                match item {
                    BlameItem::Entry(entry) => streamed.push(entry),
                    BlameItem::Text(text) => texts.push((text, streamed.len())),
                    BlameItem::Frontier(date) => frontiers.push((date, streamed.len())),
                    _ => unreachable!("an unknown item"),
                }
                ControlFlow::Continue(())
            })
            .expect("a blame");
        assert!(blame.is_complete());
        let [(text, 0)] = &texts[..] else {
            panic!("the text comes first, and once");
        };
        let expected = scratch.read(&path);
        assert_eq!(text.as_bytes(), expected.as_bytes());
        assert_eq!(text.line_count() as usize, expected.lines().count());
        assert!(text.lines().eq(expected.lines().map(str::as_bytes)));
        assert_eq!(text.line(text.line_count()), None);
        assert_eq!(blame.text().as_bytes(), text.as_bytes());
        // Entries that come after a date are of a commit of that date.
        let first = frontiers.iter().find(|(_, entries)| *entries == 0);
        assert!(first.is_some(), "no date comes before the first entry");
        for (at, entry) in streamed.iter().enumerate() {
            let before = frontiers.iter().rfind(|(_, entries)| *entries <= at);
            let date = entry.commit().committer().seconds();
            assert_eq!(before.map(|(date, _)| *date), Some(date), "entry {at}");
        }
        let shown = scratch.git(&["blame", "--incremental", "HEAD", "--", &path]);
        let is_entry = |row: &&str| {
            let words: Vec<&str> = row.split(' ').collect();
            words.len() == 4 && words[0].len() == 40 && words[1].parse::<u32>().is_ok()
        };
        let entry = |entry: &BlameEntry| {
            let (lines, original) = (entry.lines(), entry.original_lines());
            let (id, count) = (entry.commit_id(), lines.len());
            format!("{id} {} {} {count}", original.start + 1, lines.start + 1)
        };
        let ours: Vec<String> = streamed.iter().map(entry).collect();
        assert_eq!(ours, shown.lines().filter(is_entry).collect::<Vec<_>>());
        let mut lines: Vec<Line> = streamed.iter().flat_map(lines_of_entry).collect();
        lines.sort();
        assert_eq!(lines, scratch.blame(&["HEAD"], &path));
        assert_eq!(lines_of(&blame), lines);
    }
}

#[test]
fn unsaved_contents_are_blamed_like_a_file_of_contents() {
    for seed in seeds() {
        let (scratch, path) = prepare(seed);
        let mut text = scratch.read(&path);
        text.insert_str(text.find('\n').expect("a line") + 1, "unsaved\n");
        text.push_str("at the end\nwithout newline");
        scratch.write(".git/buffer", &text);
        let repository = Repository::discover(scratch.root()).expect("a repository");
        for revision in [None, Some("HEAD~2")] {
            let blame = repository.blame(&path).contents(text.as_bytes());
            let blame = match revision {
                Some(revision) => blame.at(revision),
                None => blame,
            };
            let mut options = vec!["--contents", ".git/buffer"];
            options.extend(revision);
            let blame = blame.run().expect("a blame");
            assert_eq!(blame.text().as_bytes(), text.as_bytes());
            assert_eq!(lines_of(&blame), scratch.blame(&options, &path), "{seed}");
            let entry = blame.entry_at(1).expect("an entry");
            assert!(entry.is_uncommitted());
            assert_eq!(entry.commit().author().name(), "Not Committed Yet");
        }
    }
}

#[test]
fn the_work_tree_is_blamed_with_its_filters() {
    let (scratch, path) = prepare(1);
    scratch.git(&["config", "core.autocrlf", "input"]);
    let text = scratch.read(&path).replace('\n', "\r\n");
    scratch.write(&path, &format!("new\r\n{text}"));
    let repository = Repository::discover(scratch.root()).expect("a repository");
    let blame = repository.blame(&path).run().expect("a blame");
    assert!(!blame.text().as_bytes().contains(&b'\r'));
    let lines = lines_of(&blame);
    assert_eq!(lines, scratch.blame(&[], &path));
    assert!(lines[0].commit.starts_with("0000"));
    assert!(!lines[1].commit.starts_with("0000"));
    // An editor's buffer is converted in the same way.
    let buffer = scratch.read(&path);
    let blame = repository.blame(&path).contents(buffer).run();
    assert_eq!(lines_of(&blame.expect("a blame")), lines);
}
