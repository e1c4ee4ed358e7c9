//! The parser of patches, compared with the texts that git and `diff` made them from.

use std::{fs, process::Command};

use tblame::internals::patch::{
    file::{PatchedFile, PrefixUse},
    parser::{FaultReason, Patch},
};

use crate::{
    fuzz::mutator::Mutator,
    harness::{
        compare::seed_count,
        program::ProgramOutput,
        random_text,
        repository::{ObjectFormat, TestRepo},
        rng::Rng,
    },
};

fn parse(text: &[u8]) -> Patch {
    Patch::parse(text.into()).expect("a small patch")
}

fn old_names(file: &PatchedFile) -> Vec<Option<(String, PrefixUse)>> {
    let name = |name: &Option<_>| name.as_ref().map(shown);
    file.old.iter().map(name).collect()
}

fn shown(name: &tblame::internals::patch::file::PatchName) -> (String, PrefixUse) {
    (name.path.to_string(), name.prefix)
}

/// The lines of each hunk's old side, with their numbers (0-based).
fn old_lines(patch: &Patch, file: &PatchedFile, parent: usize) -> Vec<(u32, Vec<u8>)> {
    let mut found = Vec::new();
    for hunk in &file.hunks {
        let range = hunk.old[parent].clone();
        let lines = hunk.lines(&patch.text);
        let lines = lines.filter(|line| line.is_in_old(parent));
        let lines: Vec<_> = range.clone().zip(lines).collect();
        assert_eq!(lines.len(), range.len(), "line {}", hunk.line);
        found.extend(lines.iter().map(|(at, line)| (*at, line.text.to_vec())));
    }
    found
}

const MAIL: &str = "\
From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001
From: A U Thor <author@example.com>
Subject: [PATCH] Change
--- not a name
---
 one | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)

diff --git a/sub/one b/sub/one
index 1234567..89abcde 100644
--- a/sub/one
+++ b/sub/one
@@ -3,2 +3,2 @@ diff --git a/no b/no
--- a/removed, not a name
+++ b/added, not a name

\\ No newline at end of file
-- 
2.47.3
";

#[test]
fn what_is_around_hunks_is_no_part_of_them() {
    let patch = parse(MAIL.as_bytes());
    assert_eq!((patch.files.len(), &*patch.faults), (1, &[][..]));
    let file = &patch.files[0];
    let name = Some(("a/sub/one".to_owned(), PrefixUse::First));
    assert_eq!(old_names(file), [name]);
    assert_eq!(file.old_blobs, ["1234567"]);
    let commit = file.commit.as_ref().expect("that of the mail");
    assert!(commit.starts_with(b"0123456789"));
    let lines = old_lines(&patch, file, 0);
    let expected = [(2, b"-- a/removed, not a name".to_vec()), (3, Vec::new())];
    assert_eq!(lines, expected);
    let body = &patch.text[file.hunks[0].body.clone()];
    assert!(body.ends_with(b"end of file\n"));
}

#[test]
fn names_are_those_that_the_writer_meant() {
    let whole = |path: &str| Some((path.to_owned(), PrefixUse::None));
    let first = |path: &str| Some((path.to_owned(), PrefixUse::First));
    let unknown = |path: &str| Some((path.to_owned(), PrefixUse::Unknown));
    let hunk = "@@ -1 +1 @@\n-a\n+b\n";
    for (headers, old, new) in [
        (
            "diff --git a/x b/x\n--- a/x\n+++ b/x\n",
            first("a/x"),
            first("b/x"),
        ),
        (
            "diff --git i/x w/x\n--- i/x\n+++ w/x\n",
            first("i/x"),
            first("w/x"),
        ),
        (
            "diff --git a/x a/x\n--- a/x\n+++ a/x\n",
            whole("a/x"),
            whole("a/x"),
        ),
        (
            "diff --git \"a/\\303\\244\\tb\" \"b/\\303\\244\\tb\"\n\
             --- \"a/\\303\\244\\tb\"\n+++ \"b/\\303\\244\\tb\"\n",
            first("a/ä\tb"),
            first("b/ä\tb"),
        ),
        (
            "diff --git a/a b b/a b\n--- a/a b\t\n+++ b/a b\t\n",
            first("a/a b"),
            first("b/a b"),
        ),
        (
            "diff --git a/x y b/z\nsimilarity index 90%\nrename from x y\nrename to z\n\
             index 1234..5678 100644\n--- a/x y\t\n+++ b/z\n",
            whole("x y"),
            whole("z"),
        ),
        (
            "diff --git a/x b/x\nnew file mode 100644\nindex 0000000..1234\n--- /dev/null\n+++ b/x\n",
            None,
            unknown("b/x"),
        ),
        (
            "diff --git a/x b/x\ndeleted file mode 100644\nindex 1234..0000000\n--- a/x\n+++ /dev/null\n",
            first("a/x"),
            None,
        ),
        (
            "diff -u one/x.c two/x.c\n--- one/x.c\t2026-01-01 00:00:00.000000000 +0000\n\
             +++ two/x.c\t2026-01-02 00:00:00.000000000 +0000\n",
            first("one/x.c"),
            first("two/x.c"),
        ),
        ("--- x.orig\n+++ x\n", unknown("x.orig"), unknown("x")),
    ] {
        for end in ["\n", "\r\n"] {
            let text = format!("{headers}{hunk}").replace('\n', end);
            let patch = parse(text.as_bytes());
            assert_eq!((patch.files.len(), &*patch.faults), (1, &[][..]), "{text}");
            let file = &patch.files[0];
            assert_eq!(file.hunks.len(), 1, "{text}");
            assert_eq!(file.has_crlf, end != "\n");
            assert_eq!(old_names(file), std::slice::from_ref(&old), "{text}");
            assert_eq!(file.new.as_ref().map(shown), new, "{text}");
        }
    }
}

#[test]
fn files_without_hunks_are_files() {
    let text = "\
diff --git a/mode b/mode
old mode 100644
new mode 100755
diff --git a/bytes b/bytes
index 1234567..89abcde 100644
Binary files a/bytes and b/bytes differ
diff --git a/more b/more
index 1234567..89abcde 100644
GIT binary patch
literal 3
Kcmb<-^>JflWcUC9GfMz4

literal 0
HcmV?d00001

diff --git a/from b/to
similarity index 100%
rename from from
rename to to
";
    let patch = parse(text.as_bytes());
    let facts = patch.files.iter().map(|file| {
        let name = file.old[0].as_ref().expect("an old name");
        (name.path.to_string(), file.is_binary, file.is_renamed)
    });
    let expected = [
        ("a/mode", false, false),
        ("a/bytes", true, false),
        ("a/more", true, false),
        ("from", false, true),
    ];
    let expected = expected.map(|(path, binary, renamed)| (path.to_owned(), binary, renamed));
    assert_eq!(facts.collect::<Vec<_>>(), expected);
    assert_eq!(patch.faults, []);
}

#[test]
fn a_combined_diff_has_an_old_side_for_each_parent() {
    let text = "\
commit fba448069c6a51dd68646643d56e0e204f2fe1d1
Merge: 45a2b0d 577ec8a

    m

diff --cc f
index 00b1faa,e7c4c44..15f144a
--- a/f
+++ b/f
@@@ -1,2 -4,2 +1,2 @@@
  a
- y
 -x
++z
";
    let patch = parse(text.as_bytes());
    assert_eq!((patch.files.len(), &*patch.faults), (1, &[][..]));
    let file = &patch.files[0];
    let name = Some(("a/f".to_owned(), PrefixUse::First));
    assert_eq!(old_names(file), [name.clone(), name]);
    assert_eq!(file.old_blobs, ["00b1faa", "e7c4c44"]);
    let lines = |parent| old_lines(&patch, file, parent);
    assert_eq!(lines(0), [(0, b"a".to_vec()), (1, b"y".to_vec())]);
    assert_eq!(lines(1), [(3, b"a".to_vec()), (4, b"x".to_vec())]);
}

#[test]
fn a_combined_diff_may_lack_lines_before_its_first_one() {
    let text = "--- a/f\n+++ b/f\n@@@ -3,2 -2,4 +3,2 @@@\n  a\n -y\n++z\n";
    for end in ["", "\ndiff --cc g\n"] {
        let patch = parse(format!("{text}{end}").as_bytes());
        assert_eq!(&*patch.faults, []);
        let lines = |parent| old_lines(&patch, &patch.files[0], parent);
        assert_eq!(lines(0), [(3, b"a".to_vec())]);
        assert_eq!(lines(1), [(3, b"a".to_vec()), (4, b"y".to_vec())]);
    }
    // After another first line, it is cut off.
    let cut = text.replace("  a\n", " -y\n  a\n");
    let faults = parse(cut.as_bytes()).faults;
    let reasons: Vec<_> = faults.iter().map(|it| it.reason).collect();
    assert_eq!(reasons, [FaultReason::Count]);
}

#[test]
fn damaged_hunks_are_told_by_their_lines() {
    let names = "--- a/x\n+++ b/x\n";
    for (text, line, reason) in [
        (
            format!("{names}@@ -1,2 +1 @@\n-a\n+b\n"),
            3,
            FaultReason::Count,
        ),
        (
            format!("{names}@@ -1 +1 @@\n-a\n-a\n+b\n"),
            3,
            FaultReason::Count,
        ),
        (
            format!("{names}@@ -1 +1 @@\n-a\n?b\n"),
            3,
            FaultReason::Count,
        ),
        (format!("{names}@@ -1 +1 @@"), 3, FaultReason::Count),
        (
            format!("{names}@@ -0,1 +1 @@\n-a\n+b\n"),
            3,
            FaultReason::Header,
        ),
        (
            format!("{names}@@ -4294967295,9 +1 @@\n"),
            3,
            FaultReason::Header,
        ),
        (
            format!("{names}@@ -1,99999999999 +1 @@\n"),
            3,
            FaultReason::Header,
        ),
        (format!("{names}@@ -1 +1\n-a\n+b\n"), 3, FaultReason::Header),
        (
            "x\n@@ -1 +1 @@\n-a\n+b\n".to_owned(),
            2,
            FaultReason::NoFile,
        ),
        (
            format!("{names}@@ -5 +5 @@\n-a\n+b\n@@ -5 +5 @@\n-a\n+b\n"),
            6,
            FaultReason::Order,
        ),
        (
            format!("{names}@@ -5 +5 @@\n-a\n+b\n@@@ -9 -9 +5 @@@\n--a\n++b\n"),
            6,
            FaultReason::Sides,
        ),
    ] {
        let patch = parse(text.as_bytes());
        let faults: Vec<_> = patch.faults.iter().map(|it| (it.line, it.reason)).collect();
        assert_eq!(faults, [(line, reason)], "{text}");
        assert_eq!(&*patch.text, text.as_bytes());
    }
    assert!(parse(b"").is_empty());
    assert!(parse(b"no patch\n--- at all\n+++ here\n").is_empty());
}

/// Two texts, and each way to write their differences.
struct Pair {
    old: Vec<u8>,
    new: Vec<u8>,
    patches: Vec<Vec<u8>>,
}

fn pairs(seeds: u64) -> Vec<Pair> {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let (one, two) = (repository.root().join("one"), repository.root().join("two"));
    let pairs = (0..seeds).map(|seed| {
        let mut rng = Rng::new(seed);
        let mut text = random_text::fresh(&mut rng, 40);
        let old = text.join();
        for _ in 0..rng.between(1, 4) {
            random_text::edit(&mut rng, &mut text);
        }
        let new = text.join();
        fs::write(&one, &old).expect("a directory of its own");
        fs::write(&two, &new).expect("a directory of its own");
        let context = format!("-U{}", rng.below(5));
        let git = ["diff", "--no-index", "--text", &context, "one", "two"];
        let git = repository.git_output(&git, b"").stdout;
        let mut diff = Command::new("diff");
        diff.args(["--text", &context, "one", "two"]);
        let diff = ProgramOutput::of(diff.current_dir(repository.root())).stdout;
        Pair {
            old,
            new,
            patches: vec![git, diff],
        }
    });
    pairs.collect()
}

#[test]
fn hunks_have_the_lines_of_both_texts() {
    let mut compared = 0;
    for (seed, pair) in pairs(seed_count(60)).iter().enumerate() {
        for text in &pair.patches {
            let patch = parse(text);
            assert_eq!(patch.faults, [], "seed {seed}");
            assert_eq!(&*patch.text, text);
            let hunks = patch.files.iter().flat_map(|file| &file.hunks);
            let lines = |text: &[u8]| -> Vec<Vec<u8>> {
                let lines = text.split_inclusive(|&byte| byte == b'\n');
                lines
                    .map(|it| it.strip_suffix(b"\n").unwrap_or(it).to_vec())
                    .collect()
            };
            let (mut old, new) = (lines(&pair.old), lines(&pair.new));
            // The hunks make the new text of the old one.
            let hunks: Vec<_> = hunks.collect();
            for hunk in hunks.iter().rev() {
                let range = hunk.old[0].start as usize..hunk.old[0].end as usize;
                let side = |is_old: bool| {
                    let lines = hunk.lines(&patch.text).filter(move |line| {
                        let is_added = line.is_new();
                        !line.marks.is_empty()
                            && if is_old {
                                !is_added
                            } else {
                                !line.is_removed()
                            }
                    });
                    lines.map(|line| line.text.to_vec()).collect::<Vec<_>>()
                };
                assert_eq!(old[range.clone()], side(true), "seed {seed}");
                old.splice(range, side(false));
                compared += 1;
            }
            assert_eq!(old, new, "seed {seed}");
        }
    }
    assert!(compared > 60, "{compared}");
}

#[test]
fn damaged_patches_are_read_without_panics() {
    let mut pool: Vec<Vec<u8>> = pairs(12)
        .into_iter()
        .flat_map(|pair| pair.patches)
        .collect();
    pool.retain(|patch| !patch.is_empty());
    pool.push(MAIL.into());
    pool.push(
        b"diff --cc f\n--- a/f\n+++ b/f\n@@@ -1,2 -4,2 +1,2 @@@\n  a\n- y\n -x\n++z\n".to_vec(),
    );
    let words: &[&[u8]] = &[
        b"\n@@ -1,3 +1,3 @@\n",
        b"\n@@@ -1 -1 +1 @@@\n",
        b"\n--- a/x\n+++ b/x\n",
        b"\ndiff --git a/x b/x\n",
        b"\nrename from \"\\303\"\n",
        b"\\ No newline\n",
        b"\r\n",
        b"index 1234,5678..9abc\n",
    ];
    let mutator = Mutator {
        words,
        most_bytes: 1 << 16,
    };
    let mut rng = Rng::new(1);
    let mut hunks = 0;
    for _ in 0..seed_count(3000) {
        let text = mutator.mutated(&pool, &mut rng);
        let patch = parse(&text);
        assert_eq!(&*patch.text, text);
        let mut end = 0;
        for file in &patch.files {
            for hunk in &file.hunks {
                assert!(end <= hunk.header.start && hunk.header.end == hunk.body.start);
                end = hunk.body.end;
                for parent in 0..hunk.old.len() {
                    let lines = hunk.lines(&patch.text);
                    let count = lines.filter(|line| line.is_in_old(parent)).count();
                    assert_eq!(count, hunk.old[parent].len());
                }
                hunks += 1;
            }
        }
        assert!(end <= text.len());
    }
    assert!(hunks > 1000, "{hunks}");
}
