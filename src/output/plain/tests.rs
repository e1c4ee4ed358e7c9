use bstr::ByteSlice;
use jiff::tz::TimeZone;

use crate::{
    dates::{calendar::Clock, date_format},
    engine::Blame,
    output::{
        abbreviation::{Abbrev, MarkColumns},
        buffer::OutputBuffer,
        color::AgeColors,
        fixture::{self, FIRST, FixtureCommits, SECOND, entry, id, ident, origin, text},
        marks::IgnoreMarks,
        plain::{PlainOptions, write},
    },
};

fn options() -> PlainOptions {
    // 17 hours after the second commit.
    PlainOptions::new(Clock::new(1_612_400_000, TimeZone::UTC))
}

fn written(blame: &Blame, texts: &mut FixtureCommits, options: &PlainOptions) -> String {
    let mut out = Vec::new();
    let mut buffer = OutputBuffer::new(&mut out);
    write(&mut buffer, blame, "a.txt".into(), texts, options).unwrap();
    buffer.flush().unwrap();
    drop(buffer);
    String::from_utf8(out).unwrap()
}

/// The first two lines of the example with changed options.
fn example(change: impl FnOnce(&mut PlainOptions)) -> Vec<String> {
    changed(|_, options| change(options))
}

fn changed(change: impl FnOnce(&mut Blame, &mut PlainOptions)) -> Vec<String> {
    let (mut blame, mut texts) = fixture::blame();
    let mut options = options();
    change(&mut blame, &mut options);
    let output = written(&blame, &mut texts, &options);
    output.lines().take(2).map(str::to_owned).collect()
}

#[test]
fn columns() {
    let ann = "(Ann Lee 2020-01-01 10:00:00 +0100 1) one";
    let bo = "(Bö Ünal 2021-02-03 04:05:06 -0330 2) two and more";
    assert_eq!(
        example(|_| ()),
        [format!("^9aa4d58 {ann}"), format!("0cff639f {bo}")]
    );
    // Without boundaries there are no marks, and the id column is narrower.
    assert_eq!(
        changed(|blame, _| blame.boundaries.clear()),
        [format!("9aa4d58 {ann}"), format!("0cff639 {bo}")]
    );
    assert_eq!(
        changed(|blame, options| {
            blame.boundaries.clear();
            options.mark_columns = MarkColumns::One;
        }),
        [format!("9aa4d58a {ann}"), format!("0cff639f {bo}")]
    );
    assert_eq!(
        example(|o| o.blank_boundary = true),
        [format!("        {ann}"), format!("0cff639 {bo}")]
    );
    assert_eq!(
        example(|o| o.email = true),
        [
            "^9aa4d58 (<ann@example.com> 2020-01-01 10:00:00 +0100 1) one",
            "0cff639f (<bo@example.com>  2021-02-03 04:05:06 -0330 2) two and more"
        ]
    );
    assert_eq!(
        example(|o| (o.no_author, o.name, o.number) = (true, true, true)),
        [
            "^9aa4d58 a.txt 1 1) one",
            "0cff639f a.txt 2 2) two and more"
        ]
    );
    assert_eq!(
        example(|o| o.raw_time = true)[0],
        "^9aa4d58 (Ann Lee 1577869200 +0100 1) one"
    );
    assert_eq!(
        example(|o| o.abbrev = Abbrev::Fixed(12)),
        [
            format!("^9aa4d58a7b32 {ann}"),
            format!("0cff639f11523 {bo}")
        ]
    );
    assert_eq!(
        example(|o| o.score = true),
        [
            format!("^9aa4d58  4 03 {ann}"),
            format!("0cff639f 11 02 {bo}")
        ]
    );
    assert_eq!(
        example(|o| o.long = true),
        [format!("^{} {ann}", &FIRST[..39]), format!("{SECOND} {bo}")]
    );
    assert_eq!(
        example(|o| o.abbrev = Abbrev::Unique(64)),
        [format!("^{FIRST} {ann}"), format!("{SECOND} {bo}")]
    );
}

#[test]
fn dates_are_padded_to_their_column() {
    let relative = date_format::DateMode {
        notation: date_format::DateNotation::Relative,
        local: false,
    };
    assert_eq!(
        example(|o| o.date = relative),
        [
            "^9aa4d58 (Ann Lee 1 year, 1 month ago    1) one",
            "0cff639f (Bö Ünal 17 hours ago           2) two and more"
        ]
    );
    let year = date_format::DateMode::parse("format:%Y-%m".into(), false).unwrap();
    assert_eq!(
        example(|o| o.date = year)[0],
        "^9aa4d58 (Ann Lee    2020-01 1) one"
    );
    let empty = date_format::DateMode::parse("format:".into(), false).unwrap();
    assert_eq!(
        example(|o| o.date = empty)[0],
        "^9aa4d58 (Ann Lee            1) one"
    );
}

#[test]
fn annotate() {
    assert_eq!(
        example(|o| o.annotate = true),
        [
            "9aa4d58\t(   Ann Lee\t2020-01-01 10:00:00 +0100\t1)one",
            "0cff639\t( Bö Ünal\t2021-02-03 04:05:06 -0330\t2)two and more"
        ]
    );
    let ignored = |o: &mut PlainOptions| {
        o.annotate = true;
        (o.no_author, o.name, o.number, o.score) = (true, true, true, true);
        o.coloring.repeated = Some(b"\x1b[36m".to_vec());
    };
    assert_eq!(example(ignored), example(|o| o.annotate = true));
}

#[test]
fn marks() {
    let (mut blame, mut texts) = fixture::blame();
    blame.entries[0].ignored = true;
    blame.entries[1].unblamable = true;
    let mut options = options();
    let unmarked = written(&blame, &mut texts, &options);
    options.marks = IgnoreMarks {
        ignored: true,
        unblamable: true,
    };
    let marked = written(&blame, &mut texts, &options);
    let ids = |text: &str| -> Vec<String> {
        text.lines()
            .map(|line| line.split(" (").next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        ids(&unmarked),
        ["^9aa4d58", "0cff639f", "^9aa4d58", "0cff639f"]
    );
    assert_eq!(
        ids(&marked),
        ["^?9aa4d58", "*0cff639f", "^9aa4d58a", "0cff639f1"]
    );
    options.blank_boundary = true;
    let blanked = written(&blame, &mut texts, &options);
    assert_eq!(
        ids(&blanked),
        ["?       ", "*0cff639", "        ", "0cff639f"]
    );
}

#[test]
fn wide_names_and_other_paths() {
    let (mut blame, mut texts) = fixture::blame();
    blame.contents = b"line\n".repeat(13).into();
    blame.origins[1] = origin(FIRST, "old.txt", None);
    blame.origins[0] = origin(SECOND, "d/né w.txt", None);
    blame.entries = vec![entry(11..12, 11, 1), entry(12..13, 12, 0)];
    let name = ident("李小龍", "<l@x>", 1_577_869_200, "+0100");
    texts.texts.insert(id(FIRST), text(name, "x"));
    let name = ident("A very long author name", "<a@x>", 1_643_774_706, "+0000");
    texts.texts.insert(id(SECOND), text(name, "x"));
    assert_eq!(
        written(&blame, &mut texts, &options()),
        "^9aa4d58 old.txt     (李小龍                  2020-01-01 10:00:00 +0100 12) line\n\
         0cff639f d/né w.txt (A very long author name 2022-02-02 04:05:06 +0000 13) line\n"
    );
}

#[test]
fn an_invalid_date_fails_after_the_id() {
    let (mut blame, mut texts) = fixture::blame();
    let bad = ident("Bad", "<b@x>", 100, "-0700");
    texts.texts.insert(id(SECOND), text(bad, "x"));
    blame.entries.truncate(2);
    let mut out = Vec::new();
    let mut buffer = OutputBuffer::new(&mut out);
    let err = write(&mut buffer, &blame, "a.txt".into(), &mut texts, &options()).unwrap_err();
    assert_eq!(err.to_string(), "Timestamp before Unix epoch: 100 -700");
    buffer.flush().unwrap();
    drop(buffer);
    assert!(out.ends_with(b"one\n0cff639f"), "{}", out.as_bstr());
}

#[test]
fn colors() {
    let (mut blame, mut texts) = fixture::blame();
    blame.entries = vec![entry(0..2, 0, 1), entry(2..3, 2, 0), entry(3..4, 3, 0)];
    let mut options = options();
    options.no_author = true;
    options.coloring.repeated = Some(b"<R>".to_vec());
    assert_eq!(
        written(&blame, &mut texts, &options),
        "^9aa4d58 1) one\n<R>^9aa4d58 2) \x1b[mtwo and more\n\
         0cff639f 3) three\n<R>0cff639f 4) \x1b[mfour\n"
    );
    options.coloring.by_age = Some(AgeColors {
        limits: vec![(1_600_000_000, b"<old>".to_vec())],
        newest: Vec::new(),
    });
    assert_eq!(
        written(&blame, &mut texts, &options),
        "<old>^9aa4d58 1) \x1b[mone\n<R>^9aa4d58 2) \x1b[mtwo and more\n\
         0cff639f 3) \x1b[mthree\n<R>0cff639f 4) \x1b[mfour\n"
    );
}
