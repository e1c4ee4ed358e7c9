//! Lines that were moved or copied: `-M` and `-C`.

use crate::harness::named_history::{DELETED, HistoryBuilder};

/// Three lines, long enough to be found as a copy.
const BLOCK: &str = "block one alpha beta gamma delta\nblock two epsilon zeta eta theta\nblock three iota kappa lambda mu\n";
const BASE: &str = "base line one of the file\nbase line two of the file\n";

/// Lines of letters, `count` of them counting for the score.
fn letters(first: char, count: usize) -> String {
    format!("{}\n", first.to_string().repeat(count))
}

#[test]
fn a_part_moves_only_above_the_threshold() {
    for (count, moved) in [(19, false), (20, true)] {
        let line = letters('x', count);
        let fixture = HistoryBuilder::default()
            .commit("a", 1, &[], &[("f", &format!("{line}one\ntwo\nthree\n"))])
            .commit(
                "b",
                2,
                &["a"],
                &[("f", &format!("one\ntwo\nthree\n{line}"))],
            )
            .build();
        let last = if moved { "^a" } else { "b" };
        assert_eq!(
            fixture.lines(&["-M", "b", "--", "f"]),
            format!("^a ^a ^a {last}")
        );
        assert_eq!(fixture.lines(&["-M10", "b", "--", "f"]), "^a ^a ^a ^a");
        fixture.lines(&["-M0", "b", "--", "f"]);
    }
    for (count, copied) in [(39, false), (40, true)] {
        let line = letters('y', count);
        let fixture = HistoryBuilder::default()
            .commit("a", 1, &[], &[("f", BASE), ("g", &format!("g\n{line}"))])
            .commit(
                "b",
                2,
                &["a"],
                &[("f", &format!("{BASE}{line}")), ("g", "g\n")],
            )
            .build();
        let last = if copied { "^a:g" } else { "b" };
        assert_eq!(
            fixture.lines(&["-C", "b", "--", "f"]),
            format!("^a ^a {last}")
        );
        assert_eq!(fixture.lines(&["-C10", "b", "--", "f"]), "^a ^a ^a:g");
        fixture.lines(&["-M50", "-C10", "b", "--", "f"]);
        fixture.lines(&["-C10", "-C", "b", "--", "f"]);
    }
}

/// Round 1 takes Y (of equal scores the last), round 2 takes X; what is too small comes first,
/// the newest batch in front.
#[test]
fn moves_are_found_in_rounds() {
    let (x, y) = (letters('X', 30), letters('Y', 30));
    let a = |n: std::ops::Range<usize>| n.map(|n| format!("a{n}\n")).collect::<String>();
    let before = format!("{x}{}{y}{}", a(0..4), a(4..8));
    let after = format!("{}n1\n{x}n2\n{y}n3\n", a(0..8));
    let fixture = HistoryBuilder::default()
        .commit("parent", 1, &[], &[("f", &before)])
        .commit("child", 2, &["parent"], &[("f", &after)])
        .build();
    let order = fixture.order(&["-M", "child", "--", "f"]);
    assert!(
        order.starts_with("child:13 child:9 child:11 parent:"),
        "{order}"
    );
    fixture.lines(&["-M", "child", "--", "f"]);
}

/// Two short lines moved together are found; apart they are too small.
#[test]
fn fragments_are_judged_alone() {
    let (x, y) = (letters('x', 12), letters('y', 12));
    let fixture = HistoryBuilder::default()
        .commit("a", 1, &[], &[("f", &format!("{x}{y}1\n2\n3\n4\n"))])
        .commit("b", 2, &["a"], &[("f", &format!("1\n2\n3\n4\n{x}{y}"))])
        .commit(
            "c",
            3,
            &["b"],
            &[("f", &format!("1\n2\n3\n4\n{x}between\n{y}"))],
        )
        .build();
    assert_eq!(fixture.lines(&["-M", "b", "--", "f"]), "^a ^a ^a ^a ^a ^a");
    assert_eq!(fixture.lines(&["-M", "c", "--", "f"]), "^a ^a ^a ^a b c b");
}

#[test]
fn a_repeated_line_points_to_the_surviving_one() {
    let line = letters('z', 40);
    let fixture = HistoryBuilder::default()
        .commit("a", 1, &[], &[("f", &format!("1\n2\n{line}3\n"))])
        .commit(
            "b",
            2,
            &["a"],
            &[("f", &format!("{line}1\n2\n{line}3\n{line}"))],
        )
        .build();
    assert_eq!(fixture.lines(&["-M", "b", "--", "f"]), "^a ^a ^a ^a ^a ^a");
    fixture.order(&["-M", "b", "--", "f"]);
}

/// Paths and their new texts.
type Changes<'a> = &'a [(&'a str, &'a str)];

/// The block is appended to `f`, or is in the new file; `g1`, `g2` and `h` have it.
#[test]
fn copies_are_looked_for_where_the_level_says() {
    let source = format!("head\n{BLOCK}tail\n");
    let before = [
        ("f", BASE),
        ("g1", &source),
        ("g2", &source),
        ("h", &source),
    ];
    let gained = format!("{BASE}{BLOCK}");
    let new = format!("{BLOCK}a tail that is new\n");
    let modified = source.replace("head", "HEAD");
    let cases: [(Changes, &str, [&str; 3]); 4] = [
        (
            &[
                ("f", &gained),
                ("g1", DELETED),
                ("g2", DELETED),
                ("h", DELETED),
            ],
            "f",
            ["h", "h", "h"],
        ),
        (&[("f", &gained)], "f", ["-", "-", "h"]),
        (&[("new", &new)], "new", ["-", "h", "h"]),
        (&[("new", &new), ("h", &modified)], "new", ["h", "h", "h"]),
    ];
    for (changes, path, expected) in cases {
        let fixture = HistoryBuilder::default()
            .commit("before", 1, &[], &before)
            .commit("after", 2, &["before"], changes)
            .build();
        for (level, expected) in (1..).zip(expected) {
            let mut arguments = vec!["-C"; level];
            arguments.extend(["after", "--", path]);
            let lines = fixture.lines(&arguments);
            let found = lines.contains(":h");
            assert_eq!(found, expected == "h", "{changes:?} {arguments:?}: {lines}");
            fixture.order(&arguments);
        }
    }
}

/// `f` is `o` renamed, and gains a block that the unchanged `g` has.
#[test]
fn a_renamed_file_is_searched_harder() {
    let fixture = HistoryBuilder::default()
        .commit("before", 1, &[], &[("o", &BASE.repeat(3)), ("g", BLOCK)])
        .commit(
            "after",
            2,
            &["before"],
            &[("o", DELETED), ("f", &format!("{}{BLOCK}", BASE.repeat(3)))],
        )
        .build();
    assert!(!fixture.lines(&["-C", "after", "--", "f"]).contains(":g"));
    assert!(
        fixture
            .lines(&["-C", "-C", "after", "--", "f"])
            .contains(":g")
    );
    assert!(
        fixture
            .lines(&["--find-copies-harder", "after", "--", "f"])
            .contains(":g")
    );
}

/// Both parents have the same `f`: the second one counts as having none, and is searched harder.
#[test]
fn a_parent_dropped_as_duplicate_is_searched_harder() {
    for (second, found) in [(BASE, true), ("base line one of the file\n", false)] {
        let fixture = HistoryBuilder::default()
            .commit("root", 1, &[], &[("f", BASE), ("g", BLOCK)])
            .commit("p1", 2, &["root"], &[("x", "x\n")])
            .commit("p2", 3, &["root"], &[("y", "y\n"), ("f", second)])
            .commit("m", 4, &["p1", "p2"], &[("f", &format!("{BASE}{BLOCK}"))])
            .build();
        assert!(!fixture.lines(&["-C", "m", "--", "f"]).contains(":g"));
        let lines = fixture.lines(&["-C", "-C", "m", "--", "f"]);
        assert_eq!(lines.contains(":g"), found, "{lines}");
        assert!(
            fixture
                .lines(&["-C", "-C", "-C", "m", "--", "f"])
                .contains(":g")
        );
    }
}

/// `h` takes most; `g` and `z` tie for what is left, and the later path has it.
#[test]
fn copies_are_found_in_rounds_over_all_files() {
    let k = |n: std::ops::Range<usize>| {
        n.map(|n| format!("copied line number {n} with forty letters or so in it\n"))
            .collect::<String>()
    };
    let fixture = HistoryBuilder::default()
        .commit(
            "before",
            1,
            &[],
            &[
                ("f", BASE),
                ("g", &k(0..3)),
                ("h", &k(2..6)),
                ("z", &k(0..2)),
            ],
        )
        .commit(
            "after",
            2,
            &["before"],
            &[
                ("f", &format!("{BASE}{}", k(0..6))),
                ("g", DELETED),
                ("h", DELETED),
                ("z", DELETED),
            ],
        )
        .build();
    assert_eq!(
        fixture.lines(&["-C", "after", "--", "f"]),
        "^before ^before ^before:z ^before:z ^before:h ^before:h ^before:h ^before:h"
    );
    fixture.order(&["-C", "after", "--", "f"]);
}

/// Lines that `-C` takes from `h` come out before those of `f`, as `h`'s origin is newer.
#[test]
fn an_origin_made_for_a_copy_is_served_first() {
    let fixture = HistoryBuilder::default()
        .commit("root", 1, &[], &[("f", "x\n"), ("h", "y\n")])
        .commit("parent", 2, &["root"], &[("f", BASE), ("h", BLOCK)])
        .commit(
            "child",
            3,
            &["parent"],
            &[("f", &format!("{BASE}{BLOCK}")), ("h", DELETED)],
        )
        .build();
    assert_eq!(
        fixture.order(&["-C", "child", "--", "f"]),
        "parent:3-5 parent:1-2"
    );
}

/// Aligned braces hide the moved line from the diff that looks for it.
#[test]
fn the_largest_part_is_found_only_where_the_diff_aligns_it() {
    let line = letters('q', 35);
    let braces = "}\n}\n}\n}\n";
    let fixture = HistoryBuilder::default()
        .commit("a", 1, &[], &[("f", &format!("{line}{braces}one\ntwo\n"))])
        .commit(
            "b",
            2,
            &["a"],
            &[("f", &format!("one\ntwo\n{braces}{line}"))],
        )
        .build();
    fixture.lines(&["-M", "b", "--", "f"]);
    fixture.order(&["-M", "b", "--", "f"]);
}

/// Two parents offer the block: the first has it.
#[test]
fn of_two_parents_with_a_copy_the_first_wins() {
    let fixture = HistoryBuilder::default()
        .commit("root", 1, &[], &[("f", BASE)])
        .commit("p1", 2, &["root"], &[("g", BLOCK)])
        .commit("p2", 3, &["root"], &[("h", BLOCK)])
        .commit(
            "m",
            4,
            &["p1", "p2"],
            &[("g", DELETED), ("f", &format!("{BASE}{BLOCK}"))],
        )
        .build();
    assert!(fixture.lines(&["-C", "m", "--", "f"]).contains("p1:g"));
    fixture.same(&["-C", "--score-debug"], &["m", "--", "f"]);
}
