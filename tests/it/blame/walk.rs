//! The walk: queue order, merges, boundaries, `--reverse`, grafts.

use crate::harness::fast_import::File;
use crate::harness::named_history::{DELETED, HistoryBuilder, NamedHistory};

/// Dates in brackets: `n` is taken twice, as `n1` hands lines over before `n2` is looked at.
///
/// ```text
/// n [100] ─┬─ n1 [500] ─┬─ m [600]
///          └─ n2 [50] ──┘
/// ```
#[test]
fn clock_skew_lets_a_commit_be_taken_twice() {
    let fixture = HistoryBuilder::default()
        .commit("n", 100, &[], &[("f", "5\n4\n3\n7\n")])
        .commit("n1", 500, &["n"], &[("f", "9\n4\n3\n")])
        .commit("n2", 50, &["n"], &[("f", "5\n4\n8\n7\n")])
        .commit("m", 600, &["n1", "n2"], &[("f", "9\n4\n8\n7\n")])
        .build();
    assert_eq!(fixture.order(&["m", "--", "f"]), "n1:1 n:2 n2:3 n:4");
    assert_eq!(fixture.lines(&["m", "--", "f"]), "n1 ^n n2 ^n");
}

/// A line that several parents have goes to the first of them; a new one names the first as
/// its previous commit.
///
/// ```text
/// root ─┬─ p1 ─┬─ m
///       └─ p2 ─┘
/// ```
#[test]
fn lines_of_a_merge_go_to_the_first_parent_that_has_them() {
    let fixture = HistoryBuilder::default()
        .commit("root", 1, &[], &[("f", "a\nb\n")])
        .commit("p1", 2, &["root"], &[("f", "a\nb\nx\n1\n")])
        .commit("p2", 3, &["root"], &[("f", "a\nb\nx\n2\n")])
        .commit("m", 4, &["p1", "p2"], &[("f", "a\nb\nx\n2\nnew\n")])
        .build();
    assert_eq!(fixture.lines(&["m", "--", "f"]), "^root ^root p1 p2 m");
    assert_eq!(
        fixture.lines(&["--first-parent", "m", "--", "f"]),
        "^root ^root p1 m m"
    );
    let porcelain = fixture.same(&["--porcelain"], &["m", "--", "f"]);
    let previous = format!("previous {} f\n", fixture.id("p1"));
    assert!(porcelain.contains(&previous), "{porcelain}");
}

/// The second parent has the very file: it takes everything, whatever the first one shares.
#[test]
fn a_parent_with_the_identical_file_takes_everything() {
    let fixture = HistoryBuilder::default()
        .commit("root", 1, &[], &[("f", "a\nb\nc\n")])
        .commit("p1", 2, &["root"], &[("f", "a\nb\nX\n")])
        .commit("p2", 3, &["root"], &[("f", "a\nB\nX\n")])
        .commit("m", 4, &["p1", "p2"], &[("f", "a\nB\nX\n")])
        .build();
    assert_eq!(fixture.lines(&["m", "--", "f"]), "^root p2 p2");
}

/// The first parent has the text under another name, the second under the same one.
///
/// ```text
/// root (g) ─┬─ p1 (g) ─┬─ m (f)
///           └─ p2 (f) ─┘
/// ```
#[test]
fn an_identical_file_of_the_same_name_beats_a_renamed_one() {
    let text = "one\ntwo\nthree\nfour\n";
    let fixture = HistoryBuilder::default()
        .commit("root", 1, &[], &[("g", text)])
        .commit("p1", 2, &["root"], &[("other", "x\n")])
        .commit("p2", 3, &["root"], &[("g", DELETED), ("f", text)])
        .commit("m", 4, &["p1", "p2"], &[("g", DELETED), ("f", text)])
        .build();
    assert_eq!(
        fixture.lines(&["m", "--", "f"]),
        "^root:g ^root:g ^root:g ^root:g"
    );
    fixture.order(&["m", "--", "f"]);
}

/// The first parent has `f` with other lines; the second has the identical text as `g`.
#[test]
fn an_identical_renamed_file_beats_a_differing_one_of_the_same_name() {
    let text = "one\ntwo\nthree\nfour\n";
    let fixture = HistoryBuilder::default()
        .commit("root1", 1, &[], &[("f", "one\ntwo\nthree\n")])
        .commit("root2", 2, &[], &[("g", text)])
        .commit("m", 3, &["root1", "root2"], &[("f", text), ("g", DELETED)])
        .build();
    assert_eq!(
        fixture.lines(&["m", "--", "f"]),
        "^root2:g ^root2:g ^root2:g ^root2:g"
    );
}

/// One commit is reached under two paths, after a merge of a renamed side with one that is not.
///
/// ```text
/// root (f) ─┬─ p1 (f) ──────────┬─ m (g)
///           └─ p2 (f renamed g) ┘
/// ```
#[test]
fn one_commit_can_be_guilty_under_two_paths() {
    let text: String = (0..20).map(|n| format!("line {n}\n")).collect();
    let more = format!("first\n{text}last\n");
    let fixture = HistoryBuilder::default()
        .commit("root", 1, &[], &[("f", &text), ("g", "short\n")])
        .commit("p1", 2, &["root"], &[("g", &more)])
        .commit(
            "p2",
            3,
            &["root"],
            &[("f", DELETED), ("g", &format!("{text}end\n"))],
        )
        .commit(
            "m",
            4,
            &["p1", "p2"],
            &[("f", DELETED), ("g", &format!("{more}end\n"))],
        )
        .build();
    fixture.lines(&["m", "--", "g"]);
    fixture.lines(&["-C", "m", "--", "g"]);
    fixture.lines(&["-C", "-C", "m", "--", "g"]);
}

/// Twenty parents, each with a line of its own.
#[test]
fn an_octopus_has_no_upper_limit() {
    const SIDES: [&str; 20] = [
        "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13",
        "s14", "s15", "s16", "s17", "s18", "s19",
    ];
    let mut drawing = HistoryBuilder::default().commit("root", 1, &[], &[("f", "base\n")]);
    let mut all = String::from("base\n");
    for (n, side) in SIDES.into_iter().enumerate() {
        let text = format!("base\nline of {side}\n");
        all.push_str(&text[5..]);
        drawing = drawing.commit(side, 10 + n as u64 % 3, &["root"], &[("f", &text)]);
    }
    let fixture = drawing.commit("m", 50, &SIDES, &[("f", &all)]).build();
    assert_eq!(
        fixture.lines(&["m", "--", "f"]),
        format!("^root {}", SIDES.join(" "))
    );
    fixture.order(&["m", "--", "f"]);
}

#[test]
fn criss_cross_merges_are_walked_once() {
    let fixture = HistoryBuilder::default()
        .commit("root", 1, &[], &[("f", "1\n2\n3\n4\n5\n")])
        .commit("a", 2, &["root"], &[("f", "A\n2\n3\n4\n5\n")])
        .commit("b", 2, &["root"], &[("f", "1\n2\n3\n4\nB\n")])
        .commit("ab", 3, &["a", "b"], &[("f", "A\n2\nx\n4\nB\n")])
        .commit("ba", 3, &["b", "a"], &[("f", "A\n2\n3\ny\nB\n")])
        .commit("m", 4, &["ab", "ba"], &[("f", "A\n2\nx\ny\nB\n")])
        .build();
    assert_eq!(fixture.lines(&["m", "--", "f"]), "a ^root ab ba b");
    fixture.order(&["m", "--", "f"]);
}

/// Two histories that both begin with the file.
#[test]
fn two_roots_can_both_hold_the_file() {
    let fixture = HistoryBuilder::default()
        .commit("r1", 1, &[], &[("f", "a\nb\n")])
        .commit("r2", 1, &[], &[("f", "b\nc\n")])
        .commit("m", 2, &["r1", "r2"], &[("f", "a\nb\nc\n")])
        .build();
    assert_eq!(fixture.lines(&["m", "--", "f"]), "^r1 ^r1 ^r2");
    assert_eq!(fixture.lines(&["--root", "m", "--", "f"]), "r1 r1 r2");
    fixture.same(&["-b"], &["m", "--", "f"]);
    fixture.order(&["m", "--", "f"]);
}

#[test]
fn a_change_of_mode_keeps_the_lines_and_a_change_of_type_does_not() {
    let text = File::text("a target with more than forty letters and digits\nin two lines\n");
    let executable = File {
        mode: 0o100755,
        ..text.clone()
    };
    let link = File {
        mode: 0o120000,
        ..text.clone()
    };
    let fixture = HistoryBuilder::default()
        .commit_files("link", 1, &[], &[("f", Some(link.clone()))])
        .commit_files("file", 2, &["link"], &[("f", Some(text.clone()))])
        .commit_files("executable", 3, &["file"], &[("f", Some(executable))])
        .commit_files("again", 4, &["executable"], &[("f", Some(link))])
        .build();
    assert_eq!(fixture.lines(&["executable", "--", "f"]), "file file");
    assert_eq!(fixture.lines(&["again", "--", "f"]), "again again");
    assert_eq!(fixture.lines(&["-C", "file", "--", "f"]), "^link ^link");
}

/// A file whose name was a directory, and the reverse.
#[test]
fn a_file_can_take_the_place_of_a_directory() {
    let text = "one\ntwo\nthree\n";
    let fixture = HistoryBuilder::default()
        .commit("directory", 1, &[], &[("f/x", text)])
        .commit("file", 2, &["directory"], &[("f/x", DELETED), ("f", text)])
        .commit(
            "back",
            3,
            &["file"],
            &[("f", DELETED), ("f/x", "one\ntwo\n3\n")],
        )
        .build();
    assert_eq!(
        fixture.lines(&["file", "--", "f"]),
        "^directory:f/x ^directory:f/x ^directory:f/x"
    );
    fixture.lines(&["back", "--", "f/x"]);
}

/// Original lines of one origin overlap: both copies of a line come from the same one.
#[test]
fn entries_of_an_origin_can_overlap() {
    let block = "alpha beta gamma delta epsilon\nzeta eta theta iota kappa lambda\n";
    let other = "mu nu xi omicron pi rho sigma tau\n";
    let twice = format!("{block}{other}{block}");
    let thrice = format!("{block}{block}{other}{block}{other}");
    let fixture = HistoryBuilder::default()
        .commit("root", 1, &[], &[("f", &format!("{block}{other}"))])
        .commit("twice", 2, &["root"], &[("f", &twice)])
        .commit("thrice", 3, &["twice"], &[("f", &thrice)])
        .commit(
            "edited",
            4,
            &["thrice"],
            &[("f", &thrice.replace("xi", "XI"))],
        )
        .build();
    for options in [
        &[][..],
        &["-M"],
        &["-C"],
        &["-C", "-C", "-C"],
        &["-w", "-M"],
    ] {
        let arguments = [options, &["edited", "--", "f"]].concat();
        fixture.lines(&arguments);
        fixture.order(&arguments);
    }
}

#[test]
fn an_emptied_file_comes_back_new() {
    let fixture = HistoryBuilder::default()
        .commit("root", 1, &[], &[("f", "a\nb\n"), ("none", "")])
        .commit("empty", 2, &["root"], &[("f", "")])
        .commit("full", 3, &["empty"], &[("f", "a\nb")])
        .commit("gone", 4, &["full"], &[("f", DELETED)])
        .commit("again", 5, &["gone"], &[("f", "a\nb\n")])
        .build();
    assert_eq!(fixture.lines(&["full", "--", "f"]), "full full");
    assert_eq!(fixture.lines(&["again", "--", "f"]), "again again");
    assert_eq!(fixture.lines(&["empty", "--", "f"]), "");
    assert_eq!(fixture.lines(&["again", "--", "none"]), "");
}

/// a ─ b ─ c ─ d, each with a line of its own, at dates that end in 100, 200, 300, 400.
fn chain() -> NamedHistory {
    HistoryBuilder::default()
        .commit("a", 1_600_000_100, &[], &[("f", "a\n")])
        .commit("b", 1_600_000_200, &["a"], &[("f", "a\nb\n")])
        .commit("c", 1_600_000_300, &["b"], &[("f", "a\nb\nc\n")])
        .commit("d", 1_600_000_400, &["c"], &[("f", "a\nb\nc\nd\n")])
        .build()
}

#[test]
fn what_is_not_walked_is_a_boundary() {
    let fixture = chain();
    let lines = |arguments: &[&str]| {
        let arguments = [arguments, &["--", "f"]].concat();
        fixture.order(&arguments);
        fixture.lines(&arguments)
    };
    assert_eq!(lines(&["d"]), "^a b c d");
    assert_eq!(lines(&["--root", "d"]), "a b c d");
    assert_eq!(lines(&["b..d"]), "^b ^b c d");
    assert_eq!(lines(&["^b", "d"]), "^b ^b c d");
    assert_eq!(lines(&["d", "--not", "b", "a"]), "^b ^b c d");
    assert_eq!(lines(&["--root", "b..d"]), "^b ^b c d");
    // A commit as old as the limit still passes its lines on; an older one does not.
    assert_eq!(lines(&["--since=@1600000300", "d"]), "^b ^b c d");
    assert_eq!(lines(&["--since=@1600000301", "d"]), "^c ^c ^c d");
    assert_eq!(lines(&["--max-age=1600000200", "d"]), "^a b c d");
    assert_eq!(lines(&["--until=@1600000100", "d"]), "^a b c d");
    assert_eq!(lines(&["d..b"]), "^b ^b");
}

/// What is given as negative too is not asked for.
#[test]
fn a_revision_given_twice_with_two_signs_is_negative() {
    let fixture = chain();
    fixture.error(&["d", "^d", "--", "f"]);
    fixture.error(&["--reverse", "a..a", "--", "f"]);
    fixture.same(&["-s"], &["a...d", "--", "f"]);
}

#[test]
fn grafts_replacements_and_shallow_edges_change_the_parents() {
    let fixture = chain();
    let repository = &fixture.repository;
    let all = ["d", "--", "f"];
    let (a, b, c, d) = (
        fixture.id("a"),
        fixture.id("b"),
        fixture.id("c"),
        fixture.id("d"),
    );
    repository.git(&["commit-graph", "write", "--reachable", "--changed-paths"]);

    repository.write(
        b"grafts",
        format!("# no more history\n\n{c}\n{d} {b}\nzz\n").as_bytes(),
    );
    fixture.same(&["-S", "grafts"], &all);
    repository.write(b"grafts", format!("{d} {b}\n").as_bytes());
    assert_eq!(fixture.lines(&["-S", "grafts", "d", "--", "f"]), "^a b d d");

    repository.git(&["replace", "--graft", c, a]);
    assert_eq!(fixture.lines(&all), "^a c c d");
    repository.git(&["replace", "-d", c]);
    assert_eq!(fixture.lines(&all), "^a b c d");

    repository.write(b".git/shallow", format!("{c}\n").as_bytes());
    assert_eq!(fixture.lines(&all), "^c ^c ^c d");
    assert_eq!(fixture.lines(&["--root", "d", "--", "f"]), "c c c d");
    std::fs::remove_file(repository.root().join(".git/shallow")).expect("it is there");

    repository.git(&["config", "advice.graftFileDeprecated", "false"]);
    repository.write(b".git/info/grafts", format!("{c} {a}\n").as_bytes());
    fixture.same(&["--porcelain"], &all);
}

/// `a` has six lines; `b` drops six, `c1` one, `c2` three.
///
/// ```text
/// a ─ b ─┬─ c1 ─┬─ m
///        └─ c2 ─┘
/// ```
#[test]
fn reverse_finds_the_last_commit_that_has_a_line() {
    let fixture = HistoryBuilder::default()
        .commit("a", 1, &[], &[("f", "one\ntwo\nthree\nfour\nfive\nsix\n")])
        .commit("b", 2, &["a"], &[("f", "one\ntwo\nthree\nfour\nfive\n")])
        .commit("c1", 3, &["b"], &[("f", "two\nthree\nfour\nfive\n")])
        .commit("c2", 4, &["b"], &[("f", "one\ntwo\nfour\nfive\n")])
        .commit("m", 5, &["c1", "c2"], &[("f", "two\nfour\nfive\n")])
        .build();
    assert_eq!(
        fixture.lines(&["--reverse", "a..m", "--", "f"]),
        "c2 m c1 m m ^a"
    );
    assert_eq!(
        fixture.lines(&["--reverse", "--first-parent", "a..m", "--", "f"]),
        "b m c1 m m ^a"
    );
    assert_eq!(
        fixture.lines(&["--reverse", "a", "--", "f"]),
        "c2 m c1 m m ^a"
    );
    assert_eq!(
        fixture.lines(&["--reverse", "^a", "--", "f"]),
        "^a ^a ^a ^a ^a ^a"
    );
    fixture.order(&["--reverse", "a..m", "--", "f"]);
    assert_eq!(
        fixture.error(&["--reverse", "--first-parent", "c2..c1", "--", "f"]),
        "fatal: --reverse --first-parent together require range along first-parent chain"
    );
    assert_eq!(
        fixture.error(&["--reverse", "m", "^a", "^b", "--", "f"]),
        "fatal: More than one commit to dig up from, b and a?"
    );
}

/// A limit of age only marks boundaries on a chain of first parents. The chain ends where commits were not read because of
/// the limit, which skewed dates can bring about.
#[test]
fn a_chain_of_first_parents_is_not_limited() {
    let text = |lines: &[&str]| lines.join("\n") + "\n";
    let fixture = HistoryBuilder::default()
        .commit("a", 10, &[], &[("f", &text(&["1", "2", "3", "4"]))])
        .commit("b", 20, &["a"], &[("f", &text(&["1", "2", "3"]))])
        .commit("side", 25, &["a"], &[("g", "x\n")])
        .commit("c", 30, &["b", "side"], &[("f", &text(&["1", "2"]))])
        .commit("d", 40, &["c"], &[("f", &text(&["1"]))])
        .build();
    let lines = |limit: &str, range: &str| {
        fixture.lines(&["--reverse", "--first-parent", limit, range, "--", "f"])
    };
    assert_eq!(lines("--max-age=99", "a..d"), "^d ^c ^b ^a");
    assert_eq!(lines("--max-age=30", "a..d"), "d c ^b ^a");
    assert_eq!(lines("--max-age=99", "c..d"), "^d ^c");
    assert_eq!(lines("--since=2020-01-01", "a..c"), "^c ^c ^b ^a");
    // Without --first-parent, there are no children.
    let limited = ["--reverse", "--max-age=99", "a..d", "--", "f"];
    assert_eq!(fixture.lines(&limited), "^a ^a ^a ^a");
}

/// Of two children with the identical file, the older one takes everything; at equal dates the
/// one that is named later among the merge's parents.
#[test]
fn reverse_goes_to_the_oldest_child_first() {
    for (first, second) in [(100, 150), (150, 100), (100, 100)] {
        let fixture = HistoryBuilder::default()
            .commit("a", 50, &[], &[("f", "x\ny\n")])
            .commit("b", first, &["a"], &[("other", "b\n")])
            .commit("c", second, &["a"], &[("other", "c\n")])
            .commit("m", 200, &["b", "c"], &[("f", "z\n")])
            .build();
        let oldest = if first < second { "b b" } else { "c c" };
        assert_eq!(fixture.lines(&["--reverse", "a..m", "--", "f"]), oldest);
    }
}

/// Two lines of history have the identical file; which of them takes it depends on the order in
/// which the range is listed.
///
/// ```text
/// a ─┬─ b [200] ─ c [300] ─┬─ m
///    └─ d [100] ───────────┘
/// ```
#[test]
fn reverse_asks_children_in_the_order_of_the_listing() {
    let fixture = HistoryBuilder::default()
        .commit("a", 50, &[], &[("f", "x\ny\n")])
        .commit("b", 200, &["a"], &[("other", "b\n")])
        .commit("c", 300, &["b"], &[("other", "c\n")])
        .commit("d", 100, &["a"], &[("other", "d\n")])
        .commit("m", 400, &["c", "d"], &[("f", "z\n")])
        .build();
    let lines = |options: &[&str]| {
        let arguments = [&["--reverse"], options, &["a..m", "--", "f"]].concat();
        fixture.lines(&arguments)
    };
    assert_eq!(lines(&[]), "d d");
    assert_eq!(lines(&["--topo-order"]), "c c");
    assert_eq!(lines(&["--date-order"]), "d d");
    assert_eq!(lines(&["--author-date-order"]), "d d");
    assert_eq!(lines(&["--topo-order", "--date-order"]), "d d");
    assert_eq!(lines(&["--min-age=150"]), "d d");
    assert_eq!(lines(&["--since-as-filter=2001-01-01"]), "^a ^a");
}
