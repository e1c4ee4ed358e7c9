//! The agents of lines: compared with notes that git shows, and the place of each line that git blame tells.

use std::collections::BTreeMap;

use bstr::ByteSlice;

use crate::{
    harness::{
        program::{ProgramOutput, tblame_program},
        repository::{ObjectFormat, TestRepo},
        rng::Rng,
    },
    json::{schema::Schema, value::Value},
};

/// Histories, and commits of each.
const SEEDS: u64 = 8;
const COMMITS: usize = 12;

/// The agent of each line (1-based) that `--json-fields=agent` tells: its source and its tool.
fn agents(repository: &TestRepo, path: &str) -> BTreeMap<u64, (String, Option<String>)> {
    let mut command = repository.command(tblame_program().as_os_str());
    let output = ProgramOutput::of(command.args(["--json-fields=agent", "HEAD", "--", path]));
    assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
    let text = String::from_utf8(output.stdout).expect("JSON is UTF-8");
    let schema = Schema::of_json();
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let record = Value::read(line);
        assert_eq!(schema.check(&record), Ok(()), "{line}");
        for part in record.get("agents").map_or(&[][..], items) {
            let number = |key: &str| part.get(key).and_then(Value::number).expect("a number");
            let text = |key: &str| part.get(key).and_then(Value::text).map(str::to_owned);
            for line in number("finalLine")..number("finalLine") + number("lineCount") {
                let source = text("source").expect("a source");
                let before = found.insert(line, (source, text("tool")));
                assert_eq!(before, None, "line {line} is told once");
            }
        }
    }
    found
}

fn items(value: &Value) -> &[Value] {
    match value {
        Value::List(items) => items,
        _ => &[],
    }
}

/// What git tells: by line of `path` the agent, from the notes that `git notes show` prints and the commit, path and line of
/// `git blame --porcelain`.
fn expected(repository: &TestRepo, path: &str) -> BTreeMap<u64, (String, Option<String>)> {
    let blame = repository.git(&["blame", "--line-porcelain", "HEAD", "--", path]);
    let blame = blame.to_str_lossy().into_owned();
    let mut found = BTreeMap::new();
    let mut place: Option<(String, u64, u64)> = None;
    let mut notes: BTreeMap<String, String> = BTreeMap::new();
    for line in repository.git(&["notes", "--ref=ai", "list"]).lines() {
        let line = line.to_str_lossy();
        let (_, commit) = line.split_once(' ').expect("two ids");
        let note = repository.git(&["notes", "--ref=ai", "show", commit]);
        notes.insert(commit.to_owned(), note.to_str_lossy().into_owned());
    }
    for line in blame.lines() {
        if let Some(path) = line.strip_prefix("filename ") {
            let (commit, original, last) = place.take().expect("a header before");
            if let Some(note) = notes.get(&commit) {
                let tool = tool_in(note, path, original);
                found.extend(tool.map(|tool| (last, ("note".to_owned(), Some(tool)))));
            } else {
                let message = repository.git(&["log", "-1", "--format=%B", &commit]);
                if message.contains_str("Assisted-by: Codex") {
                    found.insert(last, ("trailer".to_owned(), Some("Codex".to_owned())));
                }
            }
        } else if !line.starts_with('\t') && place.is_none() {
            let words: Vec<&str> = line.split(' ').collect();
            if let [commit, original, last, ..] = words[..]
                && commit.len() == 40
                && let (Ok(original), Ok(last)) = (original.parse(), last.parse())
            {
                place = Some((commit.to_owned(), original, last));
            }
        }
    }
    found
}

/// The session's tool is named after the session: `tool-SESSION`.
fn tool_in(note: &str, path: &str, line: u64) -> Option<String> {
    let mut file = "";
    let mut found = None;
    for text in note.lines().take_while(|text| *text != "---") {
        match text.strip_prefix("  ") {
            None => file = text.trim_matches('"'),
            Some(sessions) if file == path => {
                let (session, ranges) = sessions.split_once(' ').expect("ranges");
                let has = ranges.split(',').any(|range| {
                    let (first, last) = range.split_once('-').unwrap_or((range, range));
                    let [first, last]: [u64; 2] =
                        [first, last].map(|it| it.parse().expect("a line"));
                    (first..=last).contains(&line)
                });
                if has {
                    found = Some(format!("tool-{session}"));
                }
            }
            Some(_) => {}
        }
    }
    found
}

#[test]
fn agents_are_those_of_the_notes() {
    let (mut from_notes, mut from_trailers, mut without) = (0, 0, 0);
    for seed in 0..SEEDS {
        let mut rng = Rng::new(seed);
        let repository = TestRepo::new(ObjectFormat::Sha1);
        let mut lines: Vec<String> = Vec::new();
        let mut path = "a file";
        for number in 0..COMMITS {
            for nth in 0..1 + rng.below(5) {
                let at = rng.below(lines.len() + 1);
                lines.insert(at, format!("line {number} {nth} of {seed}\n"));
            }
            if number == COMMITS / 2 {
                repository.git(&["mv", path, "renamed"]);
                path = "renamed";
            }
            repository.write(path.as_bytes(), lines.concat().as_bytes());
            repository.git(&["add", path]);
            let message = match rng.below(3) {
                0 => "Change it\n\nAssisted-by: Codex:m-1\n",
                _ => "Change it\n",
            };
            repository.git(&["commit", "-q", "-m", message]);
            if rng.below(2) == 0 {
                let mut note = String::new();
                for name in [path, "another"] {
                    let name = if name.contains(' ') {
                        format!("\"{name}\"")
                    } else {
                        name.to_owned()
                    };
                    note += &format!("{name}\n");
                    for session in ["s1", "s2"] {
                        let first = 1 + rng.below(lines.len());
                        let last = (first + rng.below(4)).min(lines.len());
                        let single = 1 + rng.below(lines.len());
                        note += &format!("  {session} {first}-{last},{single}\n");
                    }
                }
                note += "---\n{\"schema_version\":\"authorship/3.0.0\",\"prompts\":{\
                    \"s1\":{\"agent_id\":{\"tool\":\"tool-s1\",\"model\":\"m\"},\"human_author\":\"A\"},\
                    \"s2\":{\"agent_id\":{\"tool\":\"tool-s2\"}}}}\n";
                repository.git(&["notes", "--ref=ai", "add", "-m", &note, "HEAD"]);
            }
        }
        if seed % 2 == 1 {
            fan_out(&repository);
        }
        let found = agents(&repository, path);
        assert_eq!(found, expected(&repository, path), "seed {seed}");
        for (source, _) in found.values() {
            match source.as_str() {
                "note" => from_notes += 1,
                _ => from_trailers += 1,
            }
        }
        without += lines.len() - found.len();
    }
    assert!(
        from_notes > 30 && from_trailers > 10 && without > 30,
        "{from_notes} {from_trailers} {without}"
    );
}

/// Adds notes on objects that do not exist, until git makes directories of the ids' first digits.
fn fan_out(repository: &TestRepo) {
    let blob = repository.git(&["hash-object", "-w", "--stdin"]);
    let blob = blob.to_str_lossy().trim().to_owned();
    let tree = repository.git(&["ls-tree", "refs/notes/ai"]);
    let mut directories: BTreeMap<String, String> = BTreeMap::new();
    for line in tree.to_str_lossy().lines() {
        let (what, id) = line.split_once('\t').expect("a name");
        let list = directories.entry(id[..2].to_owned()).or_default();
        *list += &format!("{what}\t{}\n", &id[2..]);
    }
    let mut root = String::new();
    for (name, list) in directories {
        let id = repository.git_with_input(&["mktree"], list.as_bytes());
        root += &format!("040000 tree {}\t{name}\n", id.to_str_lossy().trim());
    }
    root += &format!("100644 blob {blob}\tzz\n");
    let tree = repository.git_with_input(&["mktree"], root.as_bytes());
    let tree = tree.to_str_lossy().trim().to_owned();
    let commit = repository.git(&["commit-tree", "-m", "notes", &tree]);
    repository.git(&["update-ref", "refs/notes/ai", commit.to_str_lossy().trim()]);
}

#[test]
fn without_notes_nothing_is_told() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"file", b"one\n");
    repository.git(&["add", "file"]);
    repository.git(&["commit", "-q", "-m", "Add it"]);
    assert_eq!(agents(&repository, "file"), BTreeMap::new());
    // A reference to something else.
    let head = repository.git(&["rev-parse", "HEAD:file"]);
    repository.git(&["update-ref", "refs/notes/ai", head.to_str_lossy().trim()]);
    assert_eq!(agents(&repository, "file"), BTreeMap::new());
}

/// Commits the file `file` with so many lines, by `author`; the id.
fn commit(repository: &TestRepo, lines: usize, author: &str, message: &str) -> String {
    let text: String = (0..lines).map(|line| format!("line {line}\n")).collect();
    repository.write(b"file", text.as_bytes());
    repository.git(&["add", "file"]);
    let author = format!("--author={author}");
    repository.git(&["commit", "-q", "--allow-empty", "-m", message, &author]);
    repository
        .git_text(&["rev-parse", "HEAD"])
        .trim()
        .to_owned()
}

/// A note that says that a session wrote the lines of `file` that `ranges` names.
fn note(ranges: &str, base: &str) -> String {
    format!(
        "file\n  s_00aa11bb22cc33::t_44dd55ee66ff77 {ranges}\n---\n\
         {{\"schema_version\": \"authorship/3.0.0\", \"base_commit_sha\": \"{base}\", \"prompts\": {{}},\n\
         \"sessions\": {{\"s_00aa11bb22cc33\": {{\"agent_id\": {{\"tool\": \"writer\", \"model\": \"m\"}}}}}}}}"
    )
}

fn by(
    source: &str,
    tool: &str,
    lines: std::ops::RangeInclusive<u64>,
) -> Vec<(u64, (String, Option<String>))> {
    lines
        .map(|line| (line, (source.to_owned(), Some(tool.to_owned()))))
        .collect()
}

#[test]
fn notes_for_another_commit_tell_nothing() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let ann = "Ann <ann@example.org>";
    let first = commit(&repository, 1, ann, "One");
    let second = commit(&repository, 2, ann, "Two");
    let last = commit(&repository, 6, ann, "Three\n\nAssisted-by: Codex");
    let zeros = "0".repeat(40);
    let trailer = by("trailer", "Codex", 3..=6);
    for (ranges, base, expected) in [
        ("3-4", last.as_str(), by("note", "writer", 3..=4)),
        // As older notes, and notes that do not say it.
        ("3-4", &second, by("note", "writer", 3..=4)),
        ("3-4", &zeros, by("note", "writer", 3..=4)),
        ("3-4", "", by("note", "writer", 3..=4)),
        // Only other lines.
        ("1", &last, Vec::new()),
        // As squashes leave them: the note of another commit, or of a longer file.
        ("3-4", &first, trailer.clone()),
        ("3-4", &"1".repeat(40), trailer.clone()),
        ("3-4", "not an id", trailer.clone()),
        ("3-4,7", &last, trailer.clone()),
        ("3-6", &last, by("note", "writer", 3..=6)),
    ] {
        repository.git(&[
            "notes",
            "--ref=ai",
            "add",
            "-f",
            "-m",
            &note(ranges, base),
            "HEAD",
        ]);
        let found = agents(&repository, "file");
        assert_eq!(found, expected.into_iter().collect(), "{ranges} of {base}");
    }
    // git concatenates the notes of commits that a rebase squashes.
    repository.git(&[
        "notes",
        "--ref=ai",
        "add",
        "-f",
        "-m",
        &note("2", &second),
        &second,
    ]);
    repository.git(&[
        "notes",
        "--ref=ai",
        "add",
        "-f",
        "-m",
        &note("3-4", &last),
        &last,
    ]);
    let squash = [
        "-c",
        "notes.rewriteRef=refs/notes/ai",
        "-c",
        "sequence.editor=sed -i 2s/pick/fixup/",
        "rebase",
        "-q",
        "-i",
        &first,
    ];
    repository.git(&squash);
    let copied = repository.git_text(&["notes", "--ref=ai", "show", "HEAD"]);
    assert_eq!(copied.matches("schema_version").count(), 2, "{copied}");
    assert_eq!(agents(&repository, "file"), BTreeMap::new());
}

#[test]
fn lines_of_people_and_unknown_writers_are_nobodys() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(
        &repository,
        6,
        "Ann <ann@example.org>",
        "One\n\nAssisted-by: Codex",
    );
    let note = note("1-6", "").replace(
        "---\n",
        "  h_fedcba98765432 2\n  z_fedcba98765432 3\n  fedcba9876543210 4\n---\n",
    );
    repository.git(&["notes", "--ref=ai", "add", "-m", &note, "HEAD"]);
    let found: Vec<u64> = agents(&repository, "file").into_keys().collect();
    assert_eq!(found, [1, 5, 6]);
}

#[test]
fn authors_are_agents_and_people_of_the_mailmap_are_not() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, 1, "Jules <jules@example.org>", "One");
    commit(&repository, 2, "Codex <codex@openai.com>", "Two");
    commit(&repository, 3, "Ann (aider) <ann@example.org>", "Three");
    commit(
        &repository,
        4,
        "Claude <noreply@anthropic.com>",
        "Four\n\nAssisted-by: Codex",
    );
    commit(
        &repository,
        5,
        "Ann <ann@example.org>",
        "Five\n\nMade-with: Cursor",
    );
    // Who commits may have written nothing.
    repository.write(b"file", b"line 0\nline 1\nline 2\nline 3\nline 4\nline 5\n");
    repository.git(&["add", "file"]);
    let committer = ["-c", "user.name=Codex", "-c", "user.email=codex@openai.com"];
    let arguments = [
        "commit",
        "-q",
        "-m",
        "Six",
        "--author=Ann <ann@example.org>",
    ];
    repository.git(&[&committer[..], &arguments[..]].concat());
    let mut expected = by("author", "Codex", 2..=2);
    expected.extend(by("author", "Aider", 3..=3));
    expected.extend(by("author", "Claude", 4..=4));
    expected.extend(by("trailer", "Cursor", 5..=5));
    let mut expected: BTreeMap<_, _> = expected.into_iter().collect();
    assert_eq!(agents(&repository, "file"), expected);
    repository.write(b".mailmap", b"Ann <ann@example.org> <codex@openai.com>\n");
    expected.remove(&2);
    assert_eq!(agents(&repository, "file"), expected);
}
