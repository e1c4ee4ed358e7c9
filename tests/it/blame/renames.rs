//! Whole-file renames: which source git chooses.

use crate::harness::named_history::{DELETED, HistoryBuilder};

/// Twenty lines of about equal length, of which the first `changed` are replaced.
fn text(changed: usize) -> String {
    (0..20)
        .map(|n| {
            if n < changed {
                format!("another text {n:03} {changed:03}\n")
            } else {
                format!("the old text {n:03} 000\n")
            }
        })
        .collect()
}

const UNRELATED: usize = 20;

/// Who of the sources, given with the number of their lines that differ from `target`'s, is
/// found to be its old name.
fn winner(sources: &[(&str, usize)], target: &str) -> String {
    let texts: Vec<String> = sources.iter().map(|(_, changed)| text(*changed)).collect();
    let before: Vec<_> = sources
        .iter()
        .zip(&texts)
        .map(|((path, _), text)| (*path, &**text))
        .collect();
    let mut after: Vec<_> = sources.iter().map(|(path, _)| (*path, DELETED)).collect();
    let wanted = text(0);
    after.push((target, &wanted));
    let fixture = HistoryBuilder::default()
        .commit("before", 1, &[], &before)
        .commit("after", 2, &["before"], &after)
        .build();
    let lines = fixture.lines(&["after", "--", target]);
    fixture.lines(&["--no-follow", "after", "--", target]);
    let last = lines.rsplit(' ').next().unwrap_or_default();
    match last.split_once(':') {
        Some((_, path)) => path.to_owned(),
        None => "none".to_owned(),
    }
}

#[test]
fn the_most_similar_of_the_slots_wins() {
    // No two names are alike, so only the slots decide. Sources are looked at by their path.
    let table: [(&[usize], &str); 7] = [
        (&[5, 5], "s1"),
        (&[9, 3, 6, 3], "s2"),
        (&[9, 3, 6, 7, 3], "s5"),
        (&[UNRELATED, 3, UNRELATED, UNRELATED, 3], "s5"),
        (&[3, 3, 3, 3, 3, 3], "s1"),
        (&[10], "s1"),
        (&[11], "none"),
    ];
    let names = ["s1", "s2", "s3", "s4", "s5", "s6"];
    for (changed, expected) in table {
        let sources: Vec<_> = names.into_iter().zip(changed.iter().copied()).collect();
        assert_eq!(winner(&sources, "target"), expected, "{changed:?}");
    }
}

#[test]
fn a_file_of_the_same_name_is_preferred_within_limits() {
    let table: [(&[(&str, usize)], &str); 5] = [
        (&[("o1", 8), ("x/new", 8)], "x/new"),
        (&[("p/new", 5), ("q/other", 1)], "p/new"),
        (&[("p/new", 6), ("q/other", 1)], "q/other"),
        (&[("p/new", 5), ("p2/new", 5), ("q/other", 1)], "q/other"),
        (&[("p/new", 1), ("q/other", 0)], "q/other"),
    ];
    for (sources, expected) in table {
        assert_eq!(winner(sources, "n/new"), expected, "{sources:?}");
    }
}

#[test]
fn of_exact_copies_the_same_name_wins_among_the_first_hundred() {
    assert_eq!(
        winner(&[("d/z", 0), ("a/y", 0), ("c/new", 0)], "sub/new"),
        "c/new"
    );
    assert_eq!(winner(&[("a/y", 0), ("d/z", 0)], "sub/new"), "a/y");
    for (count, expected) in [(99, "zz/new"), (120, "c000")] {
        let names: Vec<String> = (0..count).map(|n| format!("c{n:03}")).collect();
        let mut sources: Vec<_> = names.iter().map(|name| (&**name, 0)).collect();
        sources.push(("zz/new", 0));
        assert_eq!(winner(&sources, "sub/new"), expected, "{count} copies");
    }
}

#[test]
fn a_path_that_stays_is_no_source() {
    let old = text(0);
    let fixture = HistoryBuilder::default()
        .commit("before", 1, &[], &[("kept", &old), ("gone", &text(9))])
        .commit("after", 2, &["before"], &[("new", &old), ("gone", DELETED)])
        .build();
    assert!(
        fixture
            .lines(&["after", "--", "new"])
            .ends_with("^before:gone")
    );
}

#[test]
fn sizes_and_line_ends_enter_the_estimate() {
    let text = text(0);
    let double = format!("{text}{}", "x".repeat(text.len()));
    let more = format!("{double}x");
    let crlf = text.replace('\n', "\r\n");
    let long = "x".repeat(1000);
    let binary = format!("nul \0 {text}");
    for (old, new) in [
        (&text, &double),
        (&text, &more),
        (&double, &text),
        (&more, &text),
        (&text, &crlf),
        (&crlf, &double),
        (&long, &format!("y{long}")),
        (&binary, &binary.replace('\n', "\r\n")),
        (&String::new(), &String::new()),
        (&String::new(), &"a\n".to_owned()),
    ] {
        let fixture = HistoryBuilder::default()
            .commit("before", 1, &[], &[("old", old), ("zero", "0")])
            .commit("after", 2, &["before"], &[("old", DELETED), ("new", new)])
            .commit(
                "later",
                3,
                &["after"],
                &[("new", &format!("{new}\ntail\n"))],
            )
            .build();
        fixture.lines(&["later", "--", "new"]);
    }
}

/// Renamed twice and a directory moved in between; changed in the same commits.
#[test]
fn a_chain_of_renames_is_followed() {
    let fixture = HistoryBuilder::default()
        .commit("one", 1, &[], &[("a", &text(0)), ("dir/x", "x\n")])
        .commit("two", 2, &["one"], &[("a", DELETED), ("dir/a", &text(2))])
        .commit(
            "three",
            3,
            &["two"],
            &[
                ("dir/a", DELETED),
                ("dir/x", DELETED),
                ("deep/er/a", &text(2)),
                ("deep/er/x", "x\n"),
            ],
        )
        .commit(
            "four",
            4,
            &["three"],
            &[("deep/er/a", DELETED), ("b", &text(4))],
        )
        .build();
    let lines = fixture.lines(&["four", "--", "b"]);
    assert!(lines.starts_with("four four four four ^one:a"), "{lines}");
    fixture
        .repository
        .git(&["commit-graph", "write", "--reachable", "--changed-paths"]);
    assert_eq!(fixture.lines(&["four", "--", "b"]), lines);
    for option in ["-l1", "--no-renames", "--find-renames=90", "--find-copies"] {
        assert_eq!(fixture.lines(&[option, "four", "--", "b"]), lines);
    }
}
