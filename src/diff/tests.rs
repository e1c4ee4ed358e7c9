//! Examples whose expected hunks were observed with git.

use crate::diff::{
    differ::{Differ, leave_equal_lines},
    lines::interner::LineInterner,
    types::{Algorithm, DiffError, DiffOptions, Hunk, OlderDiff},
};

type HunkTuple = (u32, u32, u32, u32);

const PLAIN: DiffOptions = DiffOptions {
    algorithm: Algorithm::Myers,
    ignore_whitespace: false,
    indent_heuristic: false,
    older: OlderDiff {
        minimal: false,
        histogram: false,
    },
};
const INDENT: DiffOptions = DiffOptions {
    indent_heuristic: true,
    ..PLAIN
};
const IGNORE_WHITESPACE: DiffOptions = DiffOptions {
    ignore_whitespace: true,
    ..PLAIN
};
const MINIMAL: DiffOptions = DiffOptions {
    algorithm: Algorithm::Minimal,
    ..PLAIN
};
const PATIENCE: DiffOptions = DiffOptions {
    algorithm: Algorithm::Patience,
    ..PLAIN
};
const HISTOGRAM: DiffOptions = DiffOptions {
    algorithm: Algorithm::Histogram,
    ..PLAIN
};

fn try_diff(old: &str, new: &str, options: &DiffOptions) -> Result<Vec<HunkTuple>, DiffError> {
    let mut lines = LineInterner::new(options.ignore_whitespace);
    let (mut a, mut b) = (Vec::new(), Vec::new());
    lines.tokenize(old.as_bytes(), &mut a)?;
    lines.tokenize(new.as_bytes(), &mut b)?;
    let mut hunks = Vec::new();
    Differ::default().hunks(&lines, &a, &b, options, &mut hunks)?;
    let changed = |Hunk { old, new }| {
        (
            old.start,
            old.end - old.start,
            new.start,
            new.end - new.start,
        )
    };
    Ok(hunks.into_iter().map(changed).collect())
}

fn diff(old: &str, new: &str, options: &DiffOptions) -> Vec<HunkTuple> {
    try_diff(old, new, options).unwrap()
}

/// Each word as a line.
fn words(text: &str) -> String {
    let lines = text.split_whitespace().map(|word| format!("{word}\n"));
    lines.collect()
}

/// The lines separated by `|`; `·` is a space, `>` a tab and `^` a form feed.
fn lines(text: &str) -> String {
    let text = text
        .replace('·', " ")
        .replace('>', "\t")
        .replace('^', "\x0c");
    text.split('|').map(|line| format!("{line}\n")).collect()
}

fn check(options: &DiffOptions, cases: &[(&str, &str, &[HunkTuple])]) {
    for &(old, new, expected) in cases {
        let found = diff(&words(old), &words(new), options);
        assert_eq!(found, expected, "{old} -> {new} with {options:?}");
    }
}

/// `count` distinct words with a common prefix.
fn distinct(name: &str, count: usize) -> String {
    (0..count).map(|n| format!("{name}{n} ")).collect()
}

#[test]
fn myers_ties() {
    check(
        &PLAIN,
        &[
            ("", "", &[]),
            ("a", "a", &[]),
            ("", "a b", &[(0, 0, 0, 2)]),
            ("a b", "", &[(0, 2, 0, 0)]),
            ("a", "b a a b", &[(0, 0, 0, 1), (1, 0, 2, 2)]),
            ("a b", "a a b b a", &[(1, 0, 1, 2), (2, 0, 4, 1)]),
            ("a b", "b a a", &[(0, 1, 0, 0), (2, 0, 1, 2)]),
            (
                "a b c",
                "c a c b",
                &[(0, 0, 0, 1), (1, 1, 2, 0), (3, 0, 3, 1)],
            ),
            ("a a b a c", "a c b", &[(1, 3, 1, 0), (5, 0, 2, 1)]),
            ("a b", "b a", &[(0, 1, 0, 0), (2, 0, 1, 1)]),
        ],
    );
    let old = words("p q a r s");
    let new = words("s p a q r");
    let flags = |options| {
        let hunks = diff(&old, &new, options).into_iter();
        hunks
            .flat_map(|(_, _, start, len)| start..start + len)
            .collect::<Vec<_>>()
    };
    assert_eq!(flags(&INDENT), [0, 3]);
    let histogram = DiffOptions {
        indent_heuristic: true,
        ..HISTOGRAM
    };
    assert_eq!(flags(&histogram), [1, 2, 3, 4]);
}

#[test]
fn frequent_lines_among_discarded_ones() {
    let m = |braces: usize| (0..braces).map(|n| format!("n{n} }} ")).collect::<String>() + "end";
    let brace = |before: usize, after: usize| {
        format!("{} }} {}", distinct("u", before), distinct("v", after))
    };
    let with = |options, old: &str, new: &str| diff(&words(old), &words(new), options);
    assert_eq!(
        with(&PLAIN, &brace(8, 7), &m(7)),
        [(0, 8, 0, 1), (9, 7, 2, 13)]
    );
    assert_eq!(with(&PLAIN, &brace(8, 7), &m(8)), [(0, 16, 0, 17)]);
    assert_eq!(with(&PLAIN, &brace(7, 7), &m(4)), [(0, 15, 0, 9)]);
    assert_eq!(with(&MINIMAL, &brace(8, 7), &m(8)).len(), 2);
    assert_eq!(with(&PLAIN, &brace(4, 3), &m(4)), [(0, 8, 0, 9)]);
    assert_eq!(
        with(&PLAIN, &brace(3, 3), &m(4)),
        [(0, 3, 0, 1), (4, 3, 2, 7)]
    );
    assert_eq!(
        with(&PLAIN, &brace(0, 9), &m(4)),
        [(0, 0, 0, 1), (1, 9, 2, 7)]
    );
    assert_eq!(with(&PLAIN, &brace(1, 9), &m(4)), [(0, 11, 0, 9)]);
    let reach = |k: usize| {
        let old = distinct("u", 200) + &"} ".repeat(k) + &distinct("v", 200);
        with(
            &PLAIN,
            &old,
            &(0..40).map(|n| format!("}} n{n} ")).collect::<String>(),
        )
    };
    assert_eq!(reach(49).len(), 1);
    assert_eq!(reach(50).len(), 41);
}

#[test]
fn compaction() {
    check(
        &PLAIN,
        &[
            ("a", "a a", &[(1, 0, 1, 1)]),
            ("a a", "b a", &[(0, 1, 0, 1)]),
            ("a b a", "b b", &[(0, 1, 0, 0), (2, 1, 1, 1)]),
            ("b a", "a a b", &[(0, 1, 0, 0), (2, 0, 1, 2)]),
            ("a a b", "b a b b", &[(0, 0, 0, 1), (1, 1, 2, 1)]),
        ],
    );
}

#[test]
fn patience() {
    check(
        &PATIENCE,
        &[
            ("", "a", &[(0, 0, 0, 1)]),
            ("b a a", "a b a", &[(0, 0, 0, 1), (2, 1, 3, 0)]),
            ("c a b a", "c b b a a", &[(1, 1, 1, 0), (3, 0, 2, 2)]),
        ],
    );
}

#[test]
fn histogram() {
    check(
        &HISTOGRAM,
        &[
            ("", "a", &[(0, 0, 0, 1)]),
            ("a b b", "b a", &[(0, 0, 0, 1), (1, 2, 2, 0)]),
            ("a b b", "a a b", &[(1, 0, 1, 1), (2, 1, 3, 0)]),
            ("b a b a", "a b a b a b", &[(0, 1, 0, 0), (4, 0, 3, 3)]),
            (
                "a a b a a a a",
                "a a a a a b",
                &[(2, 2, 2, 0), (7, 0, 5, 1)],
            ),
            ("b a c", "c b c", &[(0, 0, 0, 1), (1, 1, 2, 0)]),
        ],
    );
    check(&PLAIN, &[("a b b", "a a b", &[(1, 1, 1, 1)])]);
    let chain = |k: usize| {
        let old: String = (0..k - 2).map(|n| format!("x u{n} ")).collect();
        diff(&words(&(old + "x x")), &words("n x x m x"), &HISTOGRAM)
    };
    assert_eq!(chain(64), [(0, 124, 0, 1), (126, 0, 3, 2)]);
    assert_eq!(chain(65), [(0, 0, 0, 1), (1, 125, 2, 0), (127, 0, 3, 1)]);
}

#[test]
fn histogram_bucket_overflow() {
    // A short region at the end whose lines have distant ids, from early in the text.
    let bucket = |members: usize| {
        // Line ids h with (h + h / 128) % 128 == 0, in a region of at most 128 lines.
        let chosen: Vec<usize> = (0..20_000)
            .filter(|h| (h + h / 128) % 128 == 0)
            .take(members)
            .collect();
        let mut old: Vec<String> = (0..20_000).map(|n| format!("o{n}")).collect();
        old.push("anchor".into());
        old.extend(chosen.iter().map(|n| format!("o{n}")));
        old.join("\n") + "\n"
    };
    let new = "anchor\nz\no0\n";
    assert!(try_diff(&bucket(64), new, &HISTOGRAM).is_ok());
    assert_eq!(
        try_diff(&bucket(65), new, &HISTOGRAM),
        Err(DiffError::Histogram)
    );
}

#[test]
fn tail_trim() {
    for (n, expected) in [
        (511, (511, 0, 511, 1)),
        (512, (1, 0, 1, 1)),
        (513, (2, 0, 2, 1)),
        (2000, (465, 0, 465, 1)),
    ] {
        let text = |n| "x\n".repeat(n);
        for options in [&PLAIN, &INDENT] {
            assert_eq!(diff(&text(n), &text(n + 1), options), [expected]);
        }
    }
    let spaced = "x \n".repeat(2001);
    let found = diff(&"x\n".repeat(2000), &spaced, &IGNORE_WHITESPACE);
    assert_eq!(found, [(2000, 0, 2000, 1)]);
}

#[test]
fn whitespace() {
    for (old, new, same, ignored) in [
        ("a", "a\n", false, true),
        ("a\r\r\n", "a\r\n", false, true),
        ("a\x0c\n", "a\n", false, false),
        (" \t\n", "\n", false, true),
        ("a b\n", "ab\n", false, true),
        ("a\0\n", "a\n", false, false),
    ] {
        assert_eq!(diff(old, new, &PLAIN).is_empty(), same, "{old:?} {new:?}");
        assert_eq!(
            diff(old, new, &IGNORE_WHITESPACE).is_empty(),
            ignored,
            "{old:?} {new:?}"
        );
    }
    let (old, new) = ("a b\nc\n\nd\n", "a  b\nc \n\n\nd\n");
    assert_eq!(diff(old, new, &IGNORE_WHITESPACE), [(3, 0, 3, 1)]);
    assert_eq!(diff(old, new, &INDENT), [(0, 2, 0, 3)]);
}

#[test]
fn indent_heuristic() {
    let spaces = |n| format!("a|{}", " ".repeat(n));
    let doubled = |text: &str| format!("a|{text}");
    let cases: Vec<(String, String, HunkTuple, HunkTuple)> = vec![
        ("a|·b".into(), "a|a|·b".into(), (0, 0, 0, 1), (1, 0, 1, 1)),
        (
            "for|··a|end".into(),
            "for|··b|end|for|··a|end".into(),
            (0, 0, 0, 3),
            (1, 0, 1, 3),
        ),
        ("^|·b".into(), "^|^|·b".into(), (0, 0, 0, 1), (1, 0, 1, 1)),
        (">|·b".into(), ">|>|·b".into(), (1, 0, 1, 1), (1, 0, 1, 1)),
        (
            spaces(200),
            doubled(&spaces(200)),
            (0, 0, 0, 1),
            (1, 0, 1, 1),
        ),
        (
            spaces(199),
            doubled(&spaces(199)),
            (1, 0, 1, 1),
            (1, 0, 1, 1),
        ),
        (
            "··d|·>d".into(),
            "··d|··d|·>d".into(),
            (0, 0, 0, 1),
            (1, 0, 1, 1),
        ),
        (
            "a|·b|·b|··c".into(),
            "a|·b|·b|·b|··c".into(),
            (1, 0, 1, 1),
            (3, 0, 3, 1),
        ),
        (
            "a|·b|·b|·b|··c".into(),
            "a|·b|·b|·b|·b|··c".into(),
            (3, 0, 3, 1),
            (4, 0, 4, 1),
        ),
        ("||·b".into(), "||·b||·b".into(), (2, 0, 2, 2), (3, 0, 3, 2)),
        ("a|a|b".into(), "a|a|a|b".into(), (2, 0, 2, 1), (2, 0, 2, 1)),
    ];
    for (old, new, on, off) in cases {
        assert_eq!(diff(&lines(&old), &lines(&new), &INDENT), [on], "{old:?}");
        assert_eq!(diff(&lines(&old), &lines(&new), &PLAIN), [off], "{old:?}");
    }
}

#[test]
fn indent_heuristic_limits() {
    let blanks = |k| {
        let empty = "\n".repeat(k);
        let old = format!("  a\n{empty}  b\n");
        let new = format!("  a\n{empty}  c\n{empty}  b\n");
        (diff(&old, &new, &INDENT), diff(&old, &new, &PLAIN))
    };
    for (k, on, off) in [
        (19, (20, 0, 20, 20), (20, 0, 20, 20)),
        (20, (20, 0, 20, 21), (21, 0, 21, 21)),
        (21, (20, 0, 20, 22), (22, 0, 22, 22)),
    ] {
        assert_eq!(blanks(k), (vec![on], vec![off]), "{k}");
    }
    let block = |k| {
        let block: String = (0..k).map(|n| format!("  q{n}\n")).collect();
        let old = format!("  w\nh\n{block}  z\n");
        let new = format!("  w\nh\n{block}h\n{block}  z\n");
        (diff(&old, &new, &INDENT), diff(&old, &new, &PLAIN))
    };
    for (k, on, off) in [
        (99, (1, 0, 1, 100), (101, 0, 101, 100)),
        (100, (102, 0, 102, 101), (102, 0, 102, 101)),
    ] {
        assert_eq!(block(k), (vec![on], vec![off]), "{k}");
    }
}

/// Output of a linear congruential generator, to describe large examples briefly.
fn generate(seed: u64, modulus: u64, len: usize) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state = (1_103_515_245 * state + 12_345) % (1 << 31);
        state / 65_536 % modulus
    };
    (0..len).map(|_| next()).collect()
}

fn as_lines(numbers: &[u64]) -> String {
    numbers.iter().map(|n| format!("{n}\n")).collect()
}

fn totals(hunks: &[HunkTuple]) -> (usize, u32, u32) {
    let deleted = hunks.iter().map(|hunk| hunk.1).sum();
    let added = hunks.iter().map(|hunk| hunk.3).sum();
    (hunks.len(), deleted, added)
}

#[test]
fn heuristics_in_large_texts() {
    let pair = |n| (as_lines(&generate(1, 30, n)), as_lines(&generate(2, 30, n)));
    let count = |n, options| {
        let (old, new) = pair(n);
        let (hunks, deleted, _) = totals(&diff(&old, &new, options));
        (hunks, deleted)
    };
    assert_eq!(count(300, &PLAIN), (85, 208));
    assert_eq!(count(300, &MINIMAL), (85, 208));
    assert_eq!(count(600, &PLAIN), (166, 420));
    assert_eq!(count(600, &MINIMAL), (163, 419));

    const N: usize = 32_766;
    let mut a = generate(11, 100, N);
    let z = generate(12, 100, N);
    let mut b: Vec<u64> = (0..N)
        .map(|i| if i % 2000 < 1200 { z[i] } else { a[i] })
        .collect();
    (a[0], a[N - 1]) = (1, 1);
    (b[0], b[N - 1]) = (2, 2);
    let (old, new) = (as_lines(&a), as_lines(&b));
    assert_eq!(totals(&diff(&old, &new, &PLAIN)), (4002, 20752, 20752));
    let new = new + "3\n";
    assert_eq!(totals(&diff(&old, &new, &PLAIN)), (3345, 16733, 16734));
}

#[test]
fn hunks_that_do_not_fit_together_are_noticed() {
    let fit = |hunks: &[(u32, u32, u32, u32)], old, new| {
        let hunks = hunks.iter().map(|&(a, b, c, d)| Hunk {
            old: a..b,
            new: c..d,
        });
        leave_equal_lines(&hunks.collect::<Vec<_>>(), old, new)
    };
    assert!(fit(&[], 3, 3));
    assert!(fit(&[(0, 1, 0, 0), (2, 2, 1, 3)], 3, 4));
    assert!(!fit(&[], 3, 4));
    assert!(!fit(&[(1, 2, 0, 1)], 3, 3));
    assert!(!fit(&[(1, 2, 1, 2), (2, 3, 3, 3)], 3, 3));
    assert!(!fit(&[(1, 4, 1, 4)], 3, 3));
    assert!(!fit(&[(2, 3, 2, 3), (1, 2, 1, 2)], 3, 3));
}
