//! Temporary repositories with random histories, and what git says about their files.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use tblame::{BlameEntry, FileBlame};

use crate::harness::{
    git::git_program,
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// A repository that is removed when this is dropped.
pub struct Scratch(TestRepo);

impl Scratch {
    /// An empty repository.
    pub fn new() -> Scratch {
        Scratch(TestRepo::new(ObjectFormat::Sha1))
    }

    /// A random history of `commits` commits on `main`, checked out, with a tag for every tenth.
    pub fn random(seed: u64, commits: u32) -> Scratch {
        let scratch = Scratch::new();
        let stream = random_history(seed, commits);
        let import = ["fast-import", "--quiet"];
        scratch.0.git_with_input(&import, stream.as_bytes());
        scratch.git(&["reset", "-q", "--hard", "main"]);
        scratch
    }

    pub fn root(&self) -> &Path {
        self.0.root()
    }

    pub fn write(&self, path: &str, text: &str) {
        self.0.write(path.as_bytes(), text.as_bytes());
    }

    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).expect("the file is read")
    }

    /// Commits the whole work tree.
    pub fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    /// Runs git, which must succeed, and returns its output without the last newline.
    pub fn git(&self, arguments: &[&str]) -> String {
        self.0.git_text(arguments)
    }

    /// As [`git`](Self::git), with the configuration of the user: the library reads it.
    /// `None` if git fails.
    fn git_as_user(&self, arguments: &[&str]) -> Option<String> {
        let mut command = self.0.command(git_program());
        command.env_remove("GIT_CONFIG_NOSYSTEM").env_remove("HOME");
        // The library reads no locale.
        command.env("LC_ALL", "C.UTF-8");
        for name in ["HOME", "XDG_CONFIG_HOME"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        let output = command.args(arguments).output().expect("git runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success().then_some(text)
    }

    /// What `git blame --line-porcelain` with these options says of each line.
    pub fn blame(&self, options: &[&str], path: &str) -> Vec<Line> {
        let lines = self.try_blame(options, path);
        lines.unwrap_or_else(|| panic!("git blame {options:?} {path}"))
    }

    /// As [`blame`](Self::blame); `None` if git refuses it.
    pub fn try_blame(&self, options: &[&str], path: &str) -> Option<Vec<Line>> {
        let run = |format: &[&str]| {
            let mut arguments = vec!["-c", "blame.markIgnoredLines=true"];
            arguments.extend(["-c", "blame.markUnblamableLines=true", "blame"]);
            arguments.extend(format);
            arguments.extend(options);
            arguments.extend(["--", path]);
            self.git_as_user(&arguments)
        };
        let mut lines = parse_porcelain(&run(&["--line-porcelain"])?);
        // Git before 2.50 shows the marks of ignored revisions in its plain format only.
        if options
            .iter()
            .any(|option| option.starts_with("--ignore-rev"))
        {
            for (line, row) in lines.iter_mut().zip(run(&["-s", "-l"])?.lines()) {
                let marks = row.split(|byte: char| byte.is_ascii_hexdigit()).next();
                for (mark, key) in [('?', "ignored"), ('*', "unblamable")] {
                    if marks.is_some_and(|marks| marks.contains(mark)) {
                        line.fields.insert(key.to_owned(), String::new());
                    }
                }
            }
        }
        Some(lines)
    }
}

/// A blamed line, with the fields of git's porcelain. Idents are left out of uncommitted lines, as
/// these have the current time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// Numbers are 1-based.
    pub number: u32,
    pub original: u32,
    pub commit: String,
    pub fields: BTreeMap<String, String>,
}

fn parse_porcelain(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut current: Option<Line> = None;
    for row in text.lines() {
        match &mut current {
            None => {
                let mut words = row.split(' ');
                let commit = words.next().expect("an id").to_owned();
                let mut number = || words.next().and_then(|word| word.parse().ok());
                let (original, number) = (number().expect("a line"), number().expect("a line"));
                current = Some(Line {
                    number,
                    original,
                    commit,
                    fields: BTreeMap::new(),
                });
            }
            Some(line) if !row.starts_with('\t') => {
                let (key, value) = row.split_once(' ').unwrap_or((row, ""));
                let is_ident = ["author", "committer", "summary"]
                    .iter()
                    .any(|name| key.starts_with(name));
                if !(is_ident && line.commit.bytes().all(|byte| byte == b'0')) {
                    line.fields.insert(key.to_owned(), value.to_owned());
                }
            }
            Some(_) => lines.extend(current.take()),
        }
    }
    lines
}

/// The lines of a blame in the same form.
pub fn lines_of(blame: &FileBlame) -> Vec<Line> {
    blame.into_iter().flat_map(lines_of_entry).collect()
}

pub fn lines_of_entry(entry: &BlameEntry) -> Vec<Line> {
    let mut fields = BTreeMap::new();
    let mut set = |key: &str, value: String| drop(fields.insert(key.to_owned(), value));
    let commit = entry.commit();
    if !entry.is_uncommitted() {
        for (role, ident) in [
            ("author", commit.author()),
            ("committer", commit.committer()),
        ] {
            let minutes = ident.offset_minutes();
            let sign = if minutes < 0 { '-' } else { '+' };
            let (hours, rest) = (minutes.abs() / 60, minutes.abs() % 60);
            set(role, ident.name().into_owned());
            set(&format!("{role}-mail"), format!("<{}>", ident.email()));
            set(&format!("{role}-time"), ident.seconds().to_string());
            set(&format!("{role}-tz"), format!("{sign}{hours:02}{rest:02}"));
        }
        set("summary", commit.summary().into_owned());
    }
    if let Some(previous) = entry.previous() {
        let path = previous.path();
        set(
            "previous",
            format!("{} {}", previous.commit_id(), path.display()),
        );
    }
    for (key, given) in [
        ("boundary", entry.is_boundary()),
        ("ignored", entry.is_ignored()),
        ("unblamable", entry.is_unblamable()),
    ] {
        if given {
            set(key, String::new());
        }
    }
    set("filename", entry.path().display().to_string());
    let line = |(number, original)| Line {
        number: number + 1,
        original: original + 1,
        commit: entry.commit_id().to_string(),
        fields: fields.clone(),
    };
    entry
        .lines()
        .zip(entry.original_lines())
        .map(line)
        .collect()
}

type Files = BTreeMap<String, Vec<String>>;

/// A stream for `git fast-import`. Commits edit, insert, delete, indent, move and copy lines, rename
/// files, and merge. `a.txt` is in every commit.
fn random_history(seed: u64, commits: u32) -> String {
    let mut random = Rng::new(seed);
    let mut history: Vec<Files> = Vec::new();
    let mut stream = String::new();
    for commit in 0..commits as usize {
        let first = match commit {
            0 => None,
            _ => Some(commit - 1 - random.below(commit.min(3))),
        };
        let second = (commit > 4 && random.below(5) == 0).then(|| commit - 1 - random.below(4));
        let second = second.filter(|second| Some(*second) != first);
        let mut files = match first {
            Some(first) => history[first].clone(),
            None => Files::from([
                ("a.txt".to_owned(), new_lines(&mut random, 40)),
                ("b.txt".to_owned(), new_lines(&mut random, 25)),
            ]),
        };
        if commit > 0 {
            for _ in 0..1 + random.below(3) {
                edit(&mut random, &mut files);
            }
        }
        writeln!(stream, "commit refs/heads/main\nmark :{}", commit + 1).expect("a string");
        let time = 1_600_000_000 + commit * 1000 - random.below(1500);
        for role in ["author", "committer"] {
            let name = random.below(4);
            let zone = ["+0000", "+0130", "-0800"][random.below(3)];
            writeln!(
                stream,
                "{role} Name {name} <{name}@example.com> {time} {zone}"
            )
            .expect("a string");
        }
        let message = format!("Commit {commit}\n\nBody.\n");
        writeln!(stream, "data {}\n{message}", message.len()).expect("a string");
        for (keyword, parent) in [("from", first), ("merge", second)] {
            if let Some(parent) = parent {
                writeln!(stream, "{keyword} :{}", parent + 1).expect("a string");
            }
        }
        stream.push_str("deleteall\n");
        for (path, lines) in &files {
            let text = lines.concat();
            writeln!(
                stream,
                "M 100644 inline {path}\ndata {}\n{text}",
                text.len()
            )
            .expect("a string");
        }
        if commit % 10 == 0 {
            writeln!(stream, "reset refs/tags/t{commit}\nfrom :{}\n", commit + 1)
                .expect("a string");
        }
        history.push(files);
    }
    stream
}

fn new_lines(random: &mut Rng, count: usize) -> Vec<String> {
    (0..count)
        .map(|_| format!("line {:x} of some length\n", random.below(1 << 16)))
        .collect()
}

fn edit(random: &mut Rng, files: &mut Files) {
    let paths: Vec<String> = files.keys().cloned().collect();
    let path = &paths[random.below(paths.len())];
    let other = &paths[random.below(paths.len())];
    let mut lines = files[path].clone();
    let at = random.below(lines.len() + 1);
    let end = (at + 1 + random.below(5)).min(lines.len());
    match random.below(8) {
        0 | 1 => {
            let count = 1 + random.below(4);
            let new = new_lines(random, count);
            drop(lines.splice(at..at, new));
        }
        2 if lines.len() > 20 => drop(lines.drain(at..end)),
        3 => lines[at..end]
            .iter_mut()
            .for_each(|line| line.insert_str(0, "    ")),
        4 => {
            let block: Vec<String> = lines.drain(at..end).collect();
            let to = random.below(lines.len() + 1);
            drop(lines.splice(to..to, block));
        }
        5 => {
            let source = &files[other];
            let start = random.below(source.len());
            let block = source[start..(start + 6).min(source.len())].to_vec();
            drop(lines.splice(at..at, block));
        }
        6 if paths.len() < 5 => {
            let new = format!("c{}.txt", random.below(100));
            if random.below(2) == 0 && path != "a.txt" {
                files.remove(path);
            }
            files.insert(new, lines);
            return;
        }
        _ => {
            let new = new_lines(random, end - at);
            drop(lines.splice(at..end, new));
        }
    }
    if !lines.is_empty() {
        files.insert(path.clone(), lines);
    }
}
