//! Trees that git never writes: modes that mean nothing, entries whose objects are of another kind or missing, odd names,
//! and trees that are not lists of entries.
//!
//! Trees that are not sorted, names that occur twice, and names that are a path to a file are not compared: `docs/security.md` says why.

use gix_hash::ObjectId;

use super::{Cases, breadth};
use crate::harness::{
    odd_objects::{Entry, OddObjects},
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

const MODES: [&str; 31] = [
    "100644",
    "100755",
    "100664",
    "100600",
    "100444",
    "0100644",
    "000000000000000000100644",
    "10000000000100644",
    "4000000100644",
    "1100644",
    "101644",
    "110644",
    "10644",
    "100",
    "0",
    "20644",
    "40000",
    "040000",
    "40755",
    "40644",
    "60000",
    "120000",
    "120644",
    "140000",
    "160000",
    "160644",
    "200000",
    "777777",
    "37777777777",
    "9",
    "-1",
];

const TEXTS: [&[u8]; 2] = [b"l1\nl2\nl3\n", b"l1\nx\nl3\n"];

/// A file or its directory with an odd mode: in the commit that is blamed, in its parent, and in both.
#[test]
fn odd_modes() {
    let mut cases = Cases::new("odd modes in trees");
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let objects = OddObjects::new(&repository);
    let blobs = TEXTS.map(|text| objects.write("blob", text));
    let tree = |mode: &str, name: &str, id: ObjectId| {
        let entry = Entry::new(mode.as_bytes(), name.as_bytes(), id);
        objects.tree(&[entry])
    };
    let [old, new] = blobs;
    let empty = objects.tree(&[]);
    for mode in MODES {
        let file = |mode, id| tree(mode, "f", id);
        let below = |mode, id| tree(mode, "d", tree("100644", "f", id));
        let usual = "100644";
        let histories = [
            ("f", vec![file(mode, old)]),
            (
                "f",
                vec![file(usual, old), file(mode, new), file(usual, new)],
            ),
            (
                "f",
                vec![file(usual, old), file(mode, old), file(usual, new)],
            ),
            (
                "f",
                vec![file(usual, old), file(usual, new), file(mode, new)],
            ),
            ("f", vec![file(usual, old), file(mode, new)]),
            ("f", vec![file(mode, old), file(mode, new)]),
            ("f", vec![file(mode, old), file(mode, old)]),
            ("f", vec![empty, file(mode, old)]),
            ("f", vec![file("160000", old), file(mode, new)]),
            ("f", vec![file("120000", old), file(mode, new)]),
            ("f", vec![file(mode, empty)]),
            ("f", vec![file(mode, empty), file(usual, new)]),
            ("g", vec![file(mode, old), tree(usual, "g", old)]),
            ("g", vec![file(mode, old), tree(mode, "g", new)]),
            ("d/f", vec![below("40000", old), below(mode, new)]),
            (
                "d/f",
                vec![below("40000", old), below(mode, old), below("40000", new)],
            ),
        ];
        for (nth, (path, trees)) in histories.into_iter().enumerate() {
            let last = objects.history(&trees).to_string();
            let case = format!("{mode}, {nth}");
            cases.compare(&repository, &case, &["--porcelain", &last, "--", path]);
        }
    }
    cases.finish(400);
}

/// A new file with the lines of one of an odd mode, which stays or was renamed.
#[test]
fn sources_with_odd_modes() {
    let mut cases = Cases::new("sources with odd modes");
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let objects = OddObjects::new(&repository);
    let lines = |count: usize| {
        let lines = (0..count).map(|at| format!("a line of its own, {at} of a few\n"));
        objects.write("blob", lines.collect::<String>().as_bytes())
    };
    let (old, longer) = (lines(12), lines(13));
    let entry = |mode: &str, name: &str, id| Entry::new(mode.as_bytes(), name.as_bytes(), id);
    let mut found = 0;
    for mode in MODES {
        let before = objects.tree(&[entry(mode, "a", old)]);
        for new_mode in ["100644", "120000", "160000", mode] {
            let copied = objects.tree(&[entry(mode, "a", old), entry(new_mode, "n", old)]);
            let renamed = objects.tree(&[entry(new_mode, "n", old)]);
            let edited = objects.tree(&[entry(new_mode, "n", longer)]);
            for (after, options) in [
                (copied, &["-s", "-C", "-C"][..]),
                (renamed, &["-s"]),
                (edited, &["-s"]),
            ] {
                let last = objects.history(&[before, after]).to_string();
                let arguments = [options, &[last.as_str(), "--", "n"]].concat();
                let case = format!("{mode}, {new_mode}");
                let output = cases.compare(&repository, &case, &arguments);
                found += usize::from(output.is_some_and(|output| output.status == Some(0)));
            }
        }
    }
    cases.finish(370);
    assert!(found > 200, "{found}");
}

/// Trees that are not lists of entries, blamed themselves and as parents.
#[test]
fn malformed_trees() {
    let mut cases = Cases::new("malformed trees");
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let objects = OddObjects::new(&repository);
    let [old, new] = TEXTS.map(|text| objects.write("blob", text));
    let entry = |mode: &str, name: &str| {
        let name = name.as_bytes();
        Entry::new(mode.as_bytes(), name, new).bytes()
    };
    let f = entry("100644", "f");
    let good = objects.tree(&[Entry::new(b"100644", b"f", old)]);
    let all = [
        vec![],
        [&f[..], &entry("9", "z")].concat(),
        [&entry("9", "a")[..], &f].concat(),
        [&f[..], b"100644 z"].concat(),
        [&f[..], b"100644 z\0abc"].concat(),
        [&f[..], &entry("100644", "")].concat(),
        [&entry("100644", "")[..], &f].concat(),
        [&f[..], b"\0"].concat(),
        [&f[..], b"\0", new.as_bytes()].concat(),
        [&f[..], b"x\0", new.as_bytes()].concat(),
        [&f[..], b"100644\0", new.as_bytes()].concat(),
        [&entry("100644", "a")[..], &entry("", "f")].concat(),
        [&entry("100644", "a")[..], b"100644 b", &f].concat(),
        [b"100644 ", &[b'x'; 60][..]].concat(),
        [b"9 x\0", new.as_bytes()].concat(),
        b"9 f\0abc".to_vec(),
        b"garbage".to_vec(),
        vec![0; 64],
    ];
    let mut all: Vec<Vec<u8>> = all.into_iter().collect();
    let two = [&entry("100644", "a")[..], &f].concat();
    all.extend((0..two.len()).map(|len| two[..len].to_vec()));
    for bytes in &all {
        let odd = objects.write("tree", bytes);
        let case = bytes.escape_ascii().to_string();
        for trees in [vec![odd], vec![good, odd], vec![odd, good]] {
            let last = objects.history(&trees).to_string();
            cases.compare(&repository, &case, &["--porcelain", &last, "--", "f"]);
        }
        // In a directory.
        let directory = |id| objects.tree(&[Entry::new(b"40000", b"d", id)]);
        let last = objects.history(&[directory(odd), directory(good)]);
        let last = last.to_string();
        cases.compare(&repository, &case, &["--porcelain", &last, "--", "d/f"]);
    }
    cases.finish(200);
}

/// A tree that is searched for what was renamed must not be deeper than git goes.
#[test]
fn deep_trees() {
    let mut cases = Cases::new("deep trees");
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let objects = OddObjects::new(&repository);
    let [old, new] = TEXTS.map(|text| objects.write("blob", text));
    for depth in [2047, 2048, 5000] {
        let mut tree = objects.tree(&[Entry::new(b"100644", b"x", new)]);
        for _ in 0..depth {
            tree = objects.tree(&[Entry::new(b"40000", b"d", tree)]);
        }
        let empty = objects.tree(&[]);
        let deep = Entry::new(b"40000", b"d", tree);
        let both = objects.tree(&[deep, Entry::new(b"100644", b"f", old)]);
        let last = objects.history(&[empty, both]).to_string();
        let case = depth.to_string();
        cases.compare(&repository, &case, &["--porcelain", &last, "--", "f"]);
    }
    cases.finish(3);
}

/// The bytes of an object that is no blob are its text, where an entry calls it a file.
#[test]
fn trees_as_texts() {
    let mut cases = Cases::new("trees as texts");
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let objects = OddObjects::new(&repository);
    let [blob, _] = TEXTS.map(|text| objects.write("blob", text));
    let odd = objects.tree(&[Entry::new(b"100644", b"a\nl2\nl3\nb", blob)]);
    for mode in ["100644", "120000", "160000"] {
        let tree = |id| objects.tree(&[Entry::new(mode.as_bytes(), b"f", id)]);
        let last = objects.history(&[tree(odd), tree(blob)]).to_string();
        for pack in [false, true] {
            if pack {
                repository.git(&["update-ref", "refs/heads/main", &last]);
                repository.git(&["repack", "-adq"]);
            }
            cases.compare(&repository, mode, &["--porcelain", &last, "--", "f"]);
        }
    }
    cases.finish(6);
}

/// A malformed entry before and after the one of the file, at every distance and in each commit.
#[test]
fn malformed_entries_at_every_distance() {
    const FILES: [&[u8]; 6] = [b"a", b"d", b"f", b"h", b"m", b"z"];
    const COMMITS: usize = 3;
    let mut cases = Cases::new("malformed entries at every distance");
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let objects = OddObjects::new(&repository);
    for malformed_commit in 0..COMMITS {
        for malformed in FILES {
            let trees: Vec<ObjectId> = (0..COMMITS)
                .map(|commit| {
                    let entries = FILES.map(|name| {
                        let text = format!("{commit}\n{}\n", name.escape_ascii());
                        let is_malformed = commit == malformed_commit && name == malformed;
                        let mode: &[u8] = if is_malformed { b"9" } else { b"100644" };
                        Entry::new(mode, name, objects.write("blob", text.as_bytes()))
                    });
                    objects.tree(&entries)
                })
                .collect();
            let last = objects.history(&trees).to_string();
            for name in FILES {
                let path = std::str::from_utf8(name).expect("it is ASCII");
                let case = format!(
                    "{} is malformed in commit {malformed_commit}",
                    malformed.escape_ascii()
                );
                cases.compare(&repository, &case, &["--porcelain", &last, "--", path]);
            }
        }
    }
    cases.finish(108);
}

const NAMES: [&[u8]; 13] = [
    b"a/b",
    b".git",
    b".GIT",
    b".",
    b"..",
    b"f\n",
    b"\xff\xfe",
    b"F",
    b"git~1",
    b"f/",
    b"/f",
    b" f",
    b"nul",
];

/// A history of a few files of which one tree is odd in one way.
fn odd_history(objects: &OddObjects<'_>, rng: &mut Rng) -> (String, ObjectId) {
    const COMMITS: usize = 5;
    let mut texts: Vec<Vec<u8>> = (0..6)
        .map(|file| format!("file {file}\none\ntwo\nthree\nfour\n").into_bytes())
        .collect();
    let mut name: &[u8] = b"g";
    let at = rng.below(COMMITS);
    let level = rng.below(3);
    let mut what = String::new();
    let mut trees = Vec::new();
    for commit in 0..COMMITS {
        for text in &mut texts {
            if rng.chance(50) {
                let line = format!("commit {commit}, {}\n", rng.below(1000));
                text.extend(line.into_bytes());
            }
        }
        if rng.chance(25) {
            name = if name == b"g" { b"h" } else { b"g" };
        }
        let ids: Vec<ObjectId> = texts
            .iter()
            .map(|text| objects.write("blob", text))
            .collect();
        let file = |name: &[u8], nth: usize| Entry::new(b"100644", name, ids[nth]);
        let mut make = |mut entries: Vec<Entry>, own: usize| {
            if commit == at && own == level {
                what = format!(
                    "commit {commit}, level {level}: {}",
                    change(&mut entries, rng)
                );
            }
            entries.sort_by_key(Entry::sort_key);
            objects.tree(&entries)
        };
        let inner = make(vec![file(b"f", 0)], 2);
        let inner = Entry::new(b"40000", b"e", inner);
        let middle = make(vec![inner, file(b"f", 1)], 1);
        let middle = Entry::new(b"40000", b"d", middle);
        let files = [(&b"a"[..], 2), (b"f", 3), (name, 4), (b"z", 5)];
        let mut entries: Vec<Entry> = files.map(|(name, nth)| file(name, nth)).into();
        entries.push(middle);
        trees.push(make(entries, 0));
    }
    (what, objects.history(&trees))
}

/// Makes one of the entries odd, so that no name is there twice.
fn change(entries: &mut Vec<Entry>, rng: &mut Rng) -> String {
    let at = rng.below(entries.len());
    let other = entries[rng.below(entries.len())].id;
    let entry = &mut entries[at];
    let name = entry.name.escape_ascii().to_string();
    match rng.below(4) {
        0 => {
            entry.mode = rng.pick::<&str>(&MODES).as_bytes().to_vec();
            format!("{name} has mode {}", entry.mode.escape_ascii())
        }
        1 => {
            entry.id = other;
            format!("{name} is {other}")
        }
        2 => {
            let byte = *rng.pick(&[0, 0x12]);
            entry.id = ObjectId::from_bytes_or_panic(&[byte; 20]);
            format!("{name} is {}", entry.id)
        }
        _ => {
            let (mode, odd) = (*rng.pick(&["100644", "40000"]), *rng.pick(&NAMES));
            entries.push(Entry::new(mode.as_bytes(), odd, other));
            format!("{mode} {} is {other}", odd.escape_ascii())
        }
    }
}

#[test]
fn histories_with_an_odd_tree() {
    let mut cases = Cases::new("histories with an odd tree");
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let objects = OddObjects::new(&repository);
    for seed in 0..60 * breadth() as u64 {
        let mut rng = Rng::new(seed);
        let (what, last) = odd_history(&objects, &mut rng);
        let last = last.to_string();
        for path in ["f", "d/f", "d/e/f", "h"] {
            let case = format!("seed {seed}: {what}");
            cases.compare(&repository, &case, &["--porcelain", &last, "--", path]);
        }
    }
    cases.finish(240);
}
