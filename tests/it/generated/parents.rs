//! Commits whose parents are repeated, missing or of another kind: in commit objects, grafts, the
//! file of `-S`, shallow repositories and merges in progress.

use super::{Cases, breadth};
use crate::harness::{
    git::{Version, git_version},
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// A history of three commits, a side branch, and objects of every kind.
struct Fixture {
    repository: TestRepo,
    /// What a parent may be: its description and id.
    parents: Vec<(&'static str, String)>,
    trees: Vec<String>,
    first: String,
    missing: String,
}

fn lines(numbers: impl IntoIterator<Item = u32>) -> Vec<u8> {
    let lines = numbers.into_iter().map(|number| format!("{number}\n"));
    lines.collect::<String>().into_bytes()
}

/// One to three of the parents and their description.
fn some_of(parents: &[(&str, String)], rng: &mut Rng) -> (String, Vec<String>) {
    let count = rng.between(1, 3);
    let mut picked: Vec<&(&str, String)> = (0..count).map(|_| rng.pick(parents)).collect();
    if rng.chance(40) {
        picked.push(picked[0]);
    }
    let kinds: Vec<_> = picked.iter().map(|(kind, _)| *kind).collect();
    let ids = picked.into_iter().map(|(_, id)| id.clone());
    (kinds.join(", "), ids.collect())
}

impl Fixture {
    fn new(format: ObjectFormat) -> Fixture {
        let repository = TestRepo::new(format);
        for (name, text) in [("a", lines(1..6)), ("b", lines(1..7)), ("c", lines(2..8))] {
            repository.write(b"f", &text);
            repository.git(&["add", "f"]);
            repository.git(&["commit", "-q", "-m", name]);
        }
        repository.git(&["checkout", "-q", "-b", "side", "main~1"]);
        repository.write(b"f", &lines(1..9));
        repository.git(&["commit", "-qam", "side"]);
        repository.git(&["tag", "-a", "-m", "t", "tag"]);
        repository.git(&["tag", "-a", "-m", "t", "nested", "tag"]);
        repository.git(&["tag", "-a", "-m", "t", "of-blob", "main:f"]);
        repository.git(&["checkout", "-q", "main"]);
        repository.write(b"f", &lines([2, 3, 10, 5, 6, 11]));
        let id = |name: &str| repository.git_text(&["rev-parse", name]);
        let missing = "1".repeat(id("main").len());
        let parents = [
            ("first", "main~2"),
            ("second", "main~1"),
            ("head", "main"),
            ("side", "side"),
            ("tag", "tag"),
            ("nested tag", "nested"),
            ("tag of a blob", "of-blob"),
            ("blob", "main:f"),
        ];
        let mut parents = Vec::from(parents.map(|(kind, name)| (kind, id(name))));
        parents.push(("missing", missing.clone()));
        Fixture {
            trees: vec![id("main^{tree}"), id("main~1^{tree}"), id("side^{tree}")],
            first: id("main~2"),
            parents,
            missing,
            repository,
        }
    }

    /// One to three parents and their description.
    fn some_parents(&self, rng: &mut Rng) -> (String, Vec<String>) {
        some_of(&self.parents, rng)
    }

    fn commit(&self, tree: &str, parents: &[String]) -> String {
        let mut text = format!("tree {tree}\n");
        for parent in parents {
            text += &format!("parent {parent}\n");
        }
        let ident = "A <a@example.com> 1650000000 +0000";
        text += &format!("author {ident}\ncommitter {ident}\n\nodd parents\n");
        let words = [
            "hash-object",
            "--literally",
            "-t",
            "commit",
            "-w",
            "--stdin",
        ];
        let id = self.repository.git_with_input(&words, text.as_bytes());
        String::from_utf8(id).expect("an id")
    }
}

/// The git from whose version on messages that a tag is no commit name the tag: earlier ones name
/// the object in it.
const NAMES_TAGS: Version = (2, 55);

const OPTIONS: [&[&str]; 10] = [
    &["--porcelain"],
    &["--incremental"],
    &["-s"],
    &["-M"],
    &["-C", "-C"],
    &["--no-follow"],
    &["--first-parent"],
    &["-w", "-L2,3"],
    &["--root", "--line-porcelain"],
    &["-C", "-C", "-C", "--no-follow"],
];

#[test]
fn commits_with_odd_parents() {
    let mut cases = Cases::new("commits with odd parents");
    for (seed, format) in [(1, ObjectFormat::Sha1), (2, ObjectFormat::Sha256)] {
        let fixture = Fixture::new(format);
        let mut rng = Rng::new(seed);
        for _ in 0..20 * breadth() {
            let (mut case, parents) = fixture.some_parents(&mut rng);
            let mut tip = fixture.commit(rng.pick::<String>(&fixture.trees), &parents);
            for _ in 0..rng.below(3) {
                let (more, mut parents) = fixture.some_parents(&mut rng);
                parents.insert(rng.below(parents.len()), tip);
                tip = fixture.commit(rng.pick::<String>(&fixture.trees), &parents);
                case = format!("({case}) among {more}");
            }
            for _ in 0..3 {
                let mut arguments = rng.pick(&OPTIONS).to_vec();
                let range = format!("{}..{tip}", fixture.first);
                match rng.below(5) {
                    0 => arguments.push(&range),
                    1 => arguments.extend(["--reverse", &range]),
                    _ => arguments.push(&tip),
                }
                arguments.extend(["--", "f"]);
                cases.compare(&fixture.repository, &case, &arguments);
            }
        }
    }
    cases.finish(120);
}

#[test]
fn grafts_and_shallow_commits() {
    let mut cases = Cases::new("grafts and shallow commits");
    let fixture = Fixture::new(ObjectFormat::Sha1);
    let (head, second) = (&fixture.parents[2].1, &fixture.parents[1].1);
    let mut rng = Rng::new(3);
    for _ in 0..25 * breadth() {
        let mut text = String::new();
        for _ in 0..rng.between(1, 3) {
            let commit = *rng.pick(&[head, second]);
            // A graft must not make a commit its own ancestor: git would never end.
            let acceptable = |(kind, _): &&(&str, String)| match *kind {
                "head" => false,
                "second" | "side" => commit == head,
                // Which of two messages git prints for a tag depends on what it read before.
                kind => !kind.contains("tag"),
            };
            let parents: Vec<_> = fixture.parents.iter().filter(acceptable).collect();
            let mut words = vec![commit.as_str()];
            for _ in 0..rng.below(4) {
                words.push(&rng.pick(&parents).1);
            }
            let separator = *rng.pick(&[" ", " ", " ", "  ", "\t", ""]);
            text += &words.join(separator);
            text += *rng.pick(&["\n", "\n", "\n", " \n", "\r\n", "x\n", "\n\n# comment\n"]);
        }
        let file = *rng.pick(&["info/grafts", "shallow", "-S"]);
        let path = format!(".git/{}", if file == "-S" { "ancestry" } else { file });
        fixture.repository.write(path.as_bytes(), text.as_bytes());
        for _ in 0..2 {
            let mut arguments = rng.pick(&OPTIONS).to_vec();
            if file == "-S" {
                arguments.extend(["-S", ".git/ancestry"]);
            }
            let operands: [&[&str]; 4] = [
                &["f"],
                &["main", "--", "f"],
                &["side..", "f"],
                // Here git counts on parents that exist.
                if text.contains(&fixture.missing) {
                    &["main", "f"]
                } else {
                    &["main~1..", "f"]
                },
            ];
            arguments.extend(*rng.pick(&operands));
            let case = format!("{file}: {text:?}");
            cases.compare(&fixture.repository, &case, &arguments);
        }
        std::fs::remove_file(fixture.repository.root().join(path)).expect("it is there");
    }
    cases.finish(50);
}

#[test]
fn merges_in_progress() {
    let mut cases = Cases::new("merges in progress");
    let mut fixture = Fixture::new(ObjectFormat::Sha1);
    if git_version() < NAMES_TAGS {
        fixture.parents.retain(|(kind, _)| *kind != "tag of a blob");
    }
    fixture.repository.write(b"added", b"a line\n");
    fixture.repository.git(&["add", "added"]);
    fixture.repository.write(b"untracked", b"a line\n");
    let mut rng = Rng::new(4);
    for _ in 0..25 * breadth() {
        let (case, ids) = fixture.some_parents(&mut rng);
        let mut text = ids.join("\n") + "\n";
        match rng.below(8) {
            0 => drop(text.pop()),
            1 => text.push_str("no id\n"),
            2 => text = text.replace('\n', " \n"),
            3 => text = text.replace('\n', "\r\n"),
            4 => text.insert(0, '\n'),
            5 => text = text[..text.len() - 2].to_owned(),
            _ => {}
        }
        fixture
            .repository
            .write(b".git/MERGE_HEAD", text.as_bytes());
        for _ in 0..2 {
            let mut arguments = rng.pick(&OPTIONS).to_vec();
            let operands: [&[&str]; 7] = [
                &["f"],
                &["f"],
                &["--contents", "f", "f"],
                &["HEAD", "--", "f"],
                &["added"],
                &["untracked"],
                &["missing"],
            ];
            arguments.extend(*rng.pick(&operands));
            cases.compare(
                &fixture.repository,
                &format!("{case}: {text:?}"),
                &arguments,
            );
        }
    }
    cases.finish(50);
}
