//! Histories that grow and change, and a developer who blames after every step.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    fs,
    os::unix::ffi::OsStrExt,
};

use jiff::Timestamp;

use super::{TestCache, copy_directory, without_stats};
use crate::{
    generated::breadth,
    harness::{
        compare::Seconds,
        fast_import::Tree,
        git::git_program,
        program::{ProgramOutput, Stderr, tblame_program},
        random_history::{History, STORAGES},
        repository::ObjectFormat,
        rng::Rng,
    },
};

/// Steps in each history.
const STEPS: usize = 25;

/// Where replacement references are, and where they are by a variable.
const REPLACED: &str = "refs/replace/";
const ELSEWHERE: &str = "refs/elsewhere/";

#[test]
fn blames_after_every_step_are_the_same_with_kept_ones() {
    let histories = 5 * breadth() as u64;
    let first = std::env::var("TBLAME_TEST_FIRST_SEED").ok();
    let first: u64 = first.map_or(0, |seed| seed.parse().expect("a number"));
    let mut counts = Counts::default();
    for seed in first..first + histories {
        Growing::new(seed).run(&mut counts);
    }
    println!("{counts:?}");
    let shown = counts.differences.len().min(10);
    assert!(
        counts.differences.is_empty(),
        "{} of {} steps differ; the first {shown}:\n\n{}",
        counts.differences.len(),
        counts.steps,
        counts.differences[..shown].join("\n\n")
    );
    assert!(counts.steps >= histories as usize * STEPS / 2, "{counts:?}");
    for (count, what) in [
        (counts.hits, "hit"),
        (counts.splices, "splice"),
        (counts.misses, "miss"),
        (counts.succeeded, "success"),
        (counts.compared_with_git, "comparison with git"),
        (counts.verified, "verification"),
    ] {
        assert!(count > 0, "no {what}: {counts:?}");
    }
}

#[derive(Debug, Default)]
struct Counts {
    steps: usize,
    /// Blames that git made without an error.
    succeeded: usize,
    /// By the first run with the cache: the whole blame was kept; a part; nothing.
    hits: usize,
    splices: usize,
    misses: usize,
    compared_with_git: usize,
    /// Kept blames that were found to be right by `--verify-cache`.
    verified: usize,
    differences: Vec<String>,
}

/// A history of which the developer has the first commits, and the state of the repository.
pub struct Growing {
    pub seed: u64,
    pub rng: Rng,
    pub history: History,
    pub cache: TestCache,
    /// The number of the current commit.
    pub head: usize,
    /// The file that is looked at most.
    path: Vec<u8>,
    /// Options that decide a blame, of which the developer has some habits.
    pub habits: Vec<Vec<String>>,
    /// What is configured: lines of the repository's configuration.
    pub config: Vec<String>,
    original_config: Vec<u8>,
    /// Ids that have a replacement.
    replaced: BTreeSet<String>,
    /// Variables that change what ids mean.
    pub environment: Vec<(&'static str, &'static str)>,
    /// How often the objects were moved to an alternate.
    moves: usize,
}

impl Growing {
    pub fn new(seed: u64) -> Growing {
        let storage = STORAGES[seed as usize % STORAGES.len()];
        let format = match seed % 7 {
            6 => ObjectFormat::Sha256,
            _ => ObjectFormat::Sha1,
        };
        let history = History::generate(seed + 50_000, format, storage);
        let git = history.repository.root().join(".git");
        let mut rng = Rng::new(seed);
        let mut growing = Growing {
            seed,
            cache: TestCache::new(),
            head: rng.below(history.ids.len().div_ceil(2)),
            path: Vec::new(),
            habits: Vec::new(),
            config: Vec::new(),
            original_config: fs::read(git.join("config")).expect("there is a configuration"),
            replaced: BTreeSet::new(),
            environment: Vec::new(),
            moves: 0,
            history,
            rng,
        };
        growing.habits = vec![Vec::new(), Vec::new()];
        for _ in 0..2 {
            let habit = growing.draw_habit();
            growing.habits.push(habit);
        }
        growing.go_to(growing.head);
        growing.write_config();
        growing
    }

    fn run(mut self, counts: &mut Counts) {
        let known = counts.differences.len();
        for step in 0..STEPS {
            for _ in 0..*self.rng.pick(&[0, 1, 1, 1, 2]) {
                self.event();
            }
            self.blame(step, counts);
            if counts.differences.len() > known {
                eprintln!("{}", counts.differences[known]);
                // The repository stays as it is.
                std::mem::forget(self);
                return;
            }
        }
    }

    fn tree(&self) -> &Tree {
        &self.history.trees[self.head]
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        self.history
            .repository
            .write(path.as_bytes(), bytes.as_ref());
    }

    fn remove(&self, path: &str) {
        let path = self.history.repository.root().join(path);
        fs::remove_file(path).ok();
    }

    /// Writes a file of the work tree, whatever is there.
    fn check_out(&self, path: &[u8], bytes: &[u8]) {
        let root = self.history.repository.root();
        let mut at = root.to_owned();
        for part in path.split(|&b| b == b'/') {
            if at != root && !at.is_dir() {
                fs::remove_file(&at).ok();
            }
            at.push(OsStr::from_bytes(part));
        }
        if at.is_dir() && !at.is_symlink() {
            fs::remove_dir_all(&at).expect("it is writable");
        }
        fs::remove_file(&at).ok();
        self.history.repository.write(path, bytes);
    }

    fn go_to(&mut self, number: usize) {
        self.head = number;
        let id = format!("{}\n", self.history.ids[number]);
        self.write(".git/HEAD", id);
        let paths: Vec<_> = self.tree().keys().cloned().collect();
        if !paths.is_empty() && (!self.tree().contains_key(&self.path) || self.rng.chance(4)) {
            self.path.clone_from(self.rng.pick(&paths));
        }
        if let Some(file) = self.tree().get(&self.path) {
            self.check_out(&self.path, &file.bytes);
        }
    }

    /// Something happens between two blames.
    pub fn event(&mut self) {
        let last = self.history.ids.len() - 1;
        match self.rng.below(100) {
            // A commit, a pull.
            0..66 => {
                let steps = *self.rng.pick(&[1, 1, 1, 2, 4]);
                self.go_to((self.head + steps).min(last));
            }
            66..68 => {
                // Grafts may make it fail.
                self.cache.run(&self.history.repository, &["--warm"]);
            }
            // Another branch, one that was rewound or rewritten.
            68..74 => {
                let number = self.rng.below(self.history.ids.len());
                self.go_to(number);
            }
            74..78 => self.edit_work_tree(),
            78..79 => self.look_back(),
            79..81 => self.stage(),
            81..83 => {
                if self.rng.chance(50) {
                    let mut heads = String::new();
                    for _ in 0..self.rng.between(1, 2) {
                        heads += &self.commit();
                        heads.push('\n');
                    }
                    self.write(".git/MERGE_HEAD", heads);
                } else {
                    self.remove(".git/MERGE_HEAD")
                }
            }
            83..87 => self.replace(),
            87..88 => self.graft(),
            88..89 => self.shallow(),
            89..90 => self.change_environment(),
            90..91 => self.store_otherwise(),
            91..93 => self.attributes(),
            93..94 => self.mailmap(),
            94..96 => {
                let mut listed = String::new();
                for _ in 0..self.rng.below(4) {
                    listed += &self.commit();
                    listed.push('\n');
                }
                self.write("ignored", listed);
            }
            _ => self.configure(),
        }
    }

    /// The id of a random commit, often one of the recent ones.
    fn commit(&mut self) -> String {
        let number = if self.rng.chance(60) {
            self.head.saturating_sub(self.rng.below(8))
        } else {
            self.rng.below(self.history.ids.len())
        };
        self.history.ids[number].clone()
    }

    fn edit_work_tree(&mut self) {
        let Some(file) = self.tree().get(&self.path) else {
            return;
        };
        let bytes = file.bytes.clone();
        let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&b| b == b'\n').collect();
        for _ in 0..self.rng.below(4) {
            let at = self.rng.below(lines.len() + 1);
            match self.rng.below(3) {
                0 => lines.insert(at, b"of the work tree\n"),
                1 if at < lines.len() => {
                    lines.remove(at);
                }
                _ if at < lines.len() => lines[at] = b"  changed \n",
                _ => {}
            }
        }
        let text = lines.concat();
        self.check_out(&self.path, &text);
    }

    /// The index and the work tree become those of the commit, but for some files.
    pub fn soil_work_tree(&mut self) {
        let id = self.history.ids[self.head].clone();
        let paths: Vec<_> = self.tree().keys().cloned().collect();
        // What is in the way of a file stays.
        for words in [
            &["--no-replace-objects", "read-tree", &id][..],
            &["--no-replace-objects", "checkout-index", "-qfau"],
        ] {
            self.history.repository.git_output(words, b"");
        }
        for _ in 0..self.rng.below(5).min(paths.len()) {
            self.path.clone_from(self.rng.pick(&paths));
            let place = self.history.repository.root();
            let place = place.join(OsStr::from_bytes(&self.path));
            let kind = self.rng.below(4);
            match kind {
                0 => drop(fs::remove_file(place)),
                1 => self.write("of-the-work-tree.txt", "new\nlines\n"),
                _ => self.edit_work_tree(),
            }
            if self.rng.chance(50) {
                let changed: &OsStr = match kind {
                    1 => "of-the-work-tree.txt".as_ref(),
                    _ => OsStr::from_bytes(&self.path),
                };
                let update = ["update-index", "--add", "--remove", "--"];
                let mut words: Vec<&OsStr> = update.iter().map(OsStr::new).collect();
                words.push(changed);
                self.history.repository.git_output(&words, b"");
            }
        }
    }

    /// Takes the commit's files into the index, or the path of the work tree.
    fn stage(&mut self) {
        let repository = &self.history.repository;
        let id = &self.history.ids[self.head];
        repository.git(&["--no-replace-objects", "read-tree", id]);
        if self.rng.chance(40) {
            let path = OsStr::from_bytes(&self.path);
            let words: [&OsStr; 4] = [
                "update-index".as_ref(),
                "--add".as_ref(),
                "--".as_ref(),
                path,
            ];
            repository.git_output(&words, b"");
        }
    }

    /// The work tree's file becomes that of any commit.
    fn look_back(&mut self) {
        let versions = self.history.trees.iter();
        let versions: Vec<_> = versions.filter_map(|tree| tree.get(&self.path)).collect();
        if !versions.is_empty() {
            let bytes = self.rng.pick(&versions).bytes.clone();
            self.check_out(&self.path, &bytes);
        }
    }

    fn replace(&mut self) {
        if self.replaced.len() > 2 || (!self.replaced.is_empty() && self.rng.chance(30)) {
            // Any of them, which may leave a part of a chain.
            let at = self.rng.below(self.replaced.len());
            let id = self
                .replaced
                .iter()
                .nth(at)
                .expect("there are more")
                .clone();
            self.replaced.remove(&id);
            for base in [REPLACED, ELSEWHERE] {
                let reference = format!("{base}{id}");
                self.history.repository.git(&[
                    "--no-replace-objects",
                    "update-ref",
                    "-d",
                    &reference,
                ]);
            }
            return;
        }
        let newest = self.head + 1;
        let (number, kind) = match self.rng.below(10) {
            0..4 => (self.head.saturating_sub(self.rng.below(6)), "blob"),
            4..6 => (self.rng.below(newest), "blob"),
            6..8 => (self.rng.below(newest), "tree"),
            _ => (self.rng.below(newest), "commit"),
        };
        // A commit is replaced by an older one, so that there is no circle in the history.
        let other = match kind {
            "commit" => self.rng.below(number + 1),
            _ => self.rng.below(self.history.ids.len()),
        };
        let Some((id, object)) = self.object(number, kind).zip(self.object(other, kind)) else {
            return;
        };
        let pairs = match self.rng.below(12) {
            // By itself, in a loop, in a long chain with a loop, by one that is missing, and by one of another kind.
            0 => vec![(id.clone(), id)],
            1 => vec![(id.clone(), object.clone()), (object, id)],
            2 => {
                let missing = "1".repeat(id.len());
                vec![(id, missing)]
            }
            3 => {
                let tree = self.object(other, "tree");
                tree.map(|tree| (id, tree)).into_iter().collect()
            }
            _ => vec![(id, object)],
        };
        let base = self.rng.pick(&[REPLACED, REPLACED, REPLACED, ELSEWHERE]);
        for (id, object) in pairs {
            self.write(&format!(".git/{base}{id}"), format!("{object}\n"));
            self.replaced.insert(id);
        }
        if self.rng.chance(20) {
            self.history
                .repository
                .git(&["--no-replace-objects", "pack-refs", "--all"]);
        }
    }

    /// The id of a commit, of its root tree, or of the file that is looked at most.
    fn object(&self, number: usize, kind: &str) -> Option<String> {
        let id = &self.history.ids[number];
        let mut name = match kind {
            "commit" => return Some(id.clone()),
            "tree" => format!("{id}^{{tree}}").into_bytes(),
            _ => format!("{id}:").into_bytes(),
        };
        if kind == "blob" {
            let file = self.history.trees[number].get(&self.path)?;
            if file.mode == 0o160000 {
                return None;
            }
            name.extend_from_slice(&self.path);
        }
        let words = [
            "--no-replace-objects".as_ref(),
            "rev-parse".as_ref(),
            OsStr::from_bytes(&name),
        ];
        let words: [&OsStr; 3] = words;
        Some(self.history.repository.git_text(&words))
    }

    fn change_environment(&mut self) {
        self.environment = match self.rng.below(4) {
            0 => vec![("GIT_NO_REPLACE_OBJECTS", "1")],
            1 => vec![("GIT_REPLACE_REF_BASE", ELSEWHERE)],
            2 => vec![
                ("GIT_GRAFT_FILE", "/dev/null"),
                ("GIT_SHALLOW_FILE", "/dev/null"),
            ],
            _ => Vec::new(),
        };
    }

    /// The same objects in other files, or the same repository made anew.
    fn store_otherwise(&mut self) {
        let git = self.history.repository.root().join(".git");
        let aside = git.with_file_name("aside");
        match self.rng.below(4) {
            // Grafts and replacements may make these fail.
            0 => {
                let words = ["--no-replace-objects", "repack", "-adkq"];
                self.history.repository.git_output(&words, b"");
            }
            1 => {
                let words = [
                    "--no-replace-objects",
                    "commit-graph",
                    "write",
                    "--reachable",
                    "--changed-paths",
                ];
                self.history.repository.git_output(&words, b"");
            }
            // git follows alternates to a depth of five.
            2 if self.moves < 3 => {
                self.moves += 1;
                let name = format!("objects-{}", self.moves);
                fs::rename(git.join("objects"), git.join(&name)).expect("it is one's own");
                let alternate = format!("../{name}\n");
                self.write(".git/objects/info/alternates", alternate);
            }
            _ => {
                copy_directory(&git, &aside);
                fs::remove_dir_all(&git)
                    .and_then(|()| fs::rename(&aside, &git))
                    .expect("it is one's own");
            }
        }
    }

    fn graft(&mut self) {
        if self.rng.chance(50) {
            return self.remove(".git/info/grafts");
        }
        let mut text = String::new();
        for _ in 0..self.rng.between(1, 2) {
            let number = self.rng.below(self.head + 1);
            text += &self.history.ids[number];
            // Parents are older, so that there is no circle.
            for _ in 0..self.rng.below(3) {
                if number > 0 {
                    let parent = &self.history.ids[self.rng.below(number)];
                    text += &format!(" {parent}");
                }
            }
            text.push('\n');
        }
        self.write(".git/info/grafts", text);
    }

    fn shallow(&mut self) {
        if self.rng.chance(50) {
            return self.remove(".git/shallow");
        }
        let mut text = String::new();
        for _ in 0..self.rng.between(1, 3) {
            text += &self.commit();
            text.push('\n');
        }
        self.write(".git/shallow", text);
    }

    fn attributes(&mut self) {
        let patterns = ["* ", "*.txt ", "*.c ", "dir/** ", "c "];
        let attributes = ["diff=up", "-diff", "text", "diff=none", "encoding=latin1"];
        let mut text = String::new();
        for _ in 0..self.rng.below(3) {
            text.push_str(patterns[self.rng.below(patterns.len())]);
            text.push_str(attributes[self.rng.below(attributes.len())]);
            text.push('\n');
        }
        let place = *self.rng.pick(&[".git/info/attributes", ".gitattributes"]);
        self.write(place, text);
    }

    fn mailmap(&mut self) {
        let lines = [
            "New Name <a@example.com>\n",
            "Proper <proper@example.com> <x@example.com>\n",
            "Ann Leeward <ann@example.com> Ann Lee <ann@example.com>\n",
            "# nothing\n",
        ];
        let mut text = String::new();
        for _ in 0..self.rng.below(3) {
            text.push_str(lines[self.rng.below(lines.len())]);
        }
        self.write(".mailmap", text);
    }

    fn configure(&mut self) {
        const SETTINGS: [&str; 20] = [
            "[diff \"up\"]\n\ttextconv = tr a-m A-M <\n",
            // More lines, and fewer.
            "[diff \"up\"]\n\ttextconv = sed p\n",
            "[diff \"up\"]\n\ttextconv = sed 2d\n",
            "[diff \"up\"]\n\ttextconv = cat\n",
            "[diff]\n\talgorithm = histogram\n",
            "[diff]\n\talgorithm = patience\n",
            "[diff]\n\tindentHeuristic = false\n",
            "[diff]\n\trenames = false\n",
            "[diff]\n\trenameLimit = 1\n",
            "[blame]\n\tshowRoot = true\n",
            "[blame]\n\tignoreRevsFile = ignored\n",
            "[blame]\n\tmarkIgnoredLines = true\n[blame]\n\tmarkUnblamableLines = true\n",
            "[blame]\n\tblankBoundary = true\n",
            "[blame]\n\tdate = raw\n",
            "[core]\n\tuseReplaceRefs = false\n",
            "[core]\n\tabbrev = 12\n",
            "[core]\n\tcommitGraph = false\n",
            "[core]\n\tautocrlf = input\n",
            "[i18n]\n\tlogOutputEncoding = latin1\n",
            "[mailmap]\n\tfile = .mailmap\n",
        ];
        if self.config.len() > 2 || (!self.config.is_empty() && self.rng.chance(40)) {
            let at = self.rng.below(self.config.len());
            self.config.remove(at);
        } else {
            self.config.push((*self.rng.pick(&SETTINGS)).to_owned());
        }
        self.write_config();
    }

    fn write_config(&self) {
        let mut text = self.original_config.clone();
        text.extend_from_slice(b"[advice]\n\tgraftFileDeprecated = false\n");
        text.extend_from_slice(self.config.concat().as_bytes());
        self.write(".git/config", text);
        if !self.history.repository.root().join("ignored").exists() {
            self.write("ignored", "");
        }
    }

    fn draw_habit(&mut self) -> Vec<String> {
        let mut words = Vec::new();
        for _ in 0..self.rng.between(1, 2) {
            let word = match self.rng.below(12) {
                0 => "-w".to_owned(),
                1 => "-M".to_owned(),
                2 => "-C".to_owned(),
                3 => "-M5".to_owned(),
                4 => "--first-parent".to_owned(),
                5 => "--root".to_owned(),
                6 => "--no-follow".to_owned(),
                7 => "--diff-algorithm=histogram".to_owned(),
                8 => "--patience".to_owned(),
                _ => {
                    // Two of them may revert each other.
                    for _ in 0..self.rng.between(1, 4) {
                        let id = self.commit();
                        words.push(format!("--ignore-rev={id}"));
                    }
                    continue;
                }
            };
            if word == "-C" {
                words.extend(vec!["-C".to_owned(); self.rng.below(3)]);
            }
            words.push(word);
        }
        words
    }

    fn blame(&mut self, step: usize, counts: &mut Counts) {
        let mut words: Vec<OsString> = Vec::new();
        let json = self.rng.chance(12);
        let formats: [&[&str]; 7] = [
            &["--porcelain"],
            &["--line-porcelain"],
            &["--incremental"],
            &["--incremental"],
            &["-e", "-l"],
            &["-s", "-f", "-n"],
            &["--encoding=latin1", "--date=iso"],
        ];
        if json {
            words.push("--json".into());
        } else {
            words.extend(self.rng.pick(&formats).iter().map(OsString::from));
        }
        let habit = self.rng.pick(&self.habits).clone();
        words.extend(habit.into_iter().map(OsString::from));
        let number = match self.rng.below(10) {
            0..6 => self.head,
            6 => {
                let back = self.rng.below(6);
                self.head.saturating_sub(back)
            }
            _ => usize::MAX,
        };
        let is_file = |mode: u32| mode != 0o160000;
        let tree = self.history.trees.get(number);
        let tree = tree.unwrap_or(self.tree()).clone();
        let files = tree.iter().filter(|(_, file)| is_file(file.mode));
        let files: Vec<_> = files.map(|(path, _)| path.clone()).collect();
        if files.is_empty() {
            return;
        }
        let chosen = if files.contains(&self.path) && self.rng.chance(85) {
            self.path.clone()
        } else {
            self.rng.pick(&files).clone()
        };
        let lines = tree[&chosen].bytes.split_inclusive(|&b| b == b'\n').count();
        let work_tree = number == usize::MAX;
        if work_tree && chosen != self.path {
            let bytes = tree[&chosen].bytes.clone();
            self.check_out(&chosen, &bytes);
        }
        if self.rng.chance(25) {
            let from = self.rng.between(1, lines.max(1));
            words.push(format!("-L{from},+{}", self.rng.between(1, 12)).into());
        }
        if !work_tree {
            words.push(self.history.ids[number].clone().into());
        }
        words.push("--".into());
        words.push(OsStr::from_bytes(&chosen).to_owned());
        counts.steps += 1;
        if let Err(difference) = self.compare(&words, json, counts) {
            let config = self.config.concat();
            let root = self.history.repository.root().display();
            let shown: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
            counts.differences.push(format!(
                "seed {}, step {step}, {root}: {:?} tblame {}\n{config}{difference}",
                self.seed,
                self.environment,
                shown.join(" ")
            ));
        }
    }

    fn compare(
        &mut self,
        words: &[OsString],
        json: bool,
        counts: &mut Counts,
    ) -> Result<(), String> {
        let repository = &self.history.repository;
        let start = Timestamp::now();
        let threads = *self.rng.pick(&["--threads=1", "--threads=2"]);
        let environment = self.environment.iter().copied();
        let mut anew = repository.command(tblame_program().as_os_str());
        anew.env("XDG_CONFIG_HOME", self.cache.config_home());
        anew.envs(environment.clone());
        let anew = ProgramOutput::of(anew.arg(threads).args(words));
        let compares_git = !json;
        let git = if compares_git {
            counts.compared_with_git += 1;
            let mut git = repository.command(git_program());
            git.env("XDG_CONFIG_HOME", self.cache.config_home());
            git.envs(environment.clone());
            ProgramOutput::of(git.arg("blame").args(words))
        } else {
            anew.clone()
        };
        let mut first = self.cache.command(repository, &[threads, "--stats"]);
        first.envs(environment.clone());
        let (first, stats) = without_stats(ProgramOutput::of(first.args(words)));
        let mut second = self.cache.command(repository, &[threads]);
        second.envs(environment.clone());
        let second = ProgramOutput::of(second.args(words));
        let seconds = Seconds::since(start);
        let sorted = |output: &ProgramOutput| {
            if json {
                ProgramOutput {
                    stdout: lines_of_json(&output.stdout),
                    ..output.clone()
                }
            } else {
                seconds.masked(output).into_owned()
            }
        };
        if git.status == Some(0) {
            counts.succeeded += 1;
            if let Some(stats) = stats {
                match (stats.kept_lines, stats.visited) {
                    (0, _) => counts.misses += 1,
                    (_, 1) => counts.hits += 1,
                    _ => counts.splices += 1,
                }
            }
        }
        let git = sorted(&git);
        for (name, output) in [
            ("without the cache", &anew),
            ("the first time", &first),
            ("the second time", &second),
        ] {
            if let Some(difference) = sorted(output).difference(&git, Stderr::Whole) {
                return Err(format!("{name}, {stats:?}: {difference}"));
            }
        }
        if self.rng.chance(10) {
            let mut verified = self.cache.command(repository, &["--verify-cache"]);
            let verified = ProgramOutput::of(verified.envs(environment).args(words));
            let said = [&verified.stdout[..], &verified.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            if verified.status != Some(0) && said.contains("is wrong") {
                return Err(format!("verified: {said}"));
            }
            counts.verified += usize::from(verified.status == Some(0));
        }
        Ok(())
    }
}

/// The entries of `--json` as a sorted list of what is said of each line. A spliced blame finds them in another
/// order, and in other parts.
fn lines_of_json(stdout: &[u8]) -> Vec<u8> {
    let mut lines = Vec::new();
    for entry in String::from_utf8_lossy(stdout).lines() {
        if !entry.starts_with("{\"type\":\"entry\"") {
            // Who has not committed yet did so at the time of the run, and the end counts entries.
            let is_of_run =
                entry.contains("\"id\":\"0000000000") || entry.contains("\"type\":\"end\"");
            lines.extend((!is_of_run).then(|| format!("{entry}\n")));
            continue;
        }
        let number = |name: &str| -> usize {
            let at = entry.find(name).expect("an entry has this number") + name.len();
            let digits = entry[at..].split(|c: char| !c.is_ascii_digit()).next();
            digits
                .and_then(|digits| digits.parse().ok())
                .expect("a number")
        };
        let original = number("\"originalLine\":");
        let last = number("\"finalLine\":");
        let count = number("\"lineCount\":");
        let before = entry.find("\"originalLine\":").expect("it has one");
        let after = entry.find("\"boundary\":").expect("it has one");
        let end = entry.find(",\"lines\":").unwrap_or(entry.len());
        for at in 0..count {
            lines.push(format!(
                "{} {} {}{}\n",
                last + at,
                original + at,
                &entry[..before],
                &entry[after..end]
            ));
        }
    }
    lines.sort();
    lines.concat().into_bytes()
}
