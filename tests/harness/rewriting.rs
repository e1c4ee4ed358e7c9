//! A repository that other processes rewrite while it is read: repack, gc, commit-graphs, multi-pack-indexes, branch
//! switches, edits, packed and deleted references.

use std::{
    collections::HashMap,
    path::PathBuf,
    process::{Command, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use super::{
    git::git_program,
    program::{ProgramOutput, first_different_line, tblame_program},
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
    session::{Session, tblame_command},
    stored_history::{PATH, make_history},
};

/// What the loop runs, besides commits and edits of the file.
const COMMANDS: [&[&str]; 14] = [
    &["repack", "-adq"],
    &["repack", "-dq"],
    &["gc", "-q", "--prune=now"],
    &["commit-graph", "write", "--reachable", "--changed-paths"],
    &["commit-graph", "write", "--reachable", "--split=no-merge"],
    &["commit-graph", "write", "--reachable", "--split=replace"],
    &["multi-pack-index", "write"],
    &["multi-pack-index", "repack"],
    &["multi-pack-index", "expire"],
    &["pack-refs", "--all", "--prune"],
    &["checkout", "-q", "-f", "main"],
    &["checkout", "-q", "-f", "other"],
    &["branch", "-q", "-f", "topic", "fixed"],
    &["branch", "-q", "-D", "topic"],
];

/// Words of messages that say that something could not be read.
const COMPLAINTS: [&str; 9] = [
    "missing",
    "corrupt",
    "cannot",
    "could not",
    "damaged",
    "fatal",
    "error",
    "failed",
    "bad ",
];

/// A repository to be rewritten.
pub struct Rewritten {
    repository: TestRepo,
    /// A commit that stays reachable, by the tag `fixed` too.
    fixed: String,
    /// Where tblame keeps blames.
    cache: PathBuf,
    /// From when to when `HEAD` was at a commit, at most.
    heads: Mutex<Vec<(Instant, Option<Instant>, String)>>,
    rewrites: AtomicUsize,
    is_over: AtomicBool,
}

/// What was done, and what was wrong.
#[derive(Debug, Default)]
pub struct Rounds {
    /// Blames in a pipe.
    pub blames: usize,
    /// Commands of the loop.
    pub rewrites: usize,
    /// Keys pressed in the viewer.
    pub keys: usize,
    /// Blames that failed because their reference was deleted.
    pub deleted: usize,
    pub failures: Vec<String>,
}

/// A blame of what was `HEAD` at the time.
struct OfHead {
    from: Instant,
    until: Instant,
    output: Vec<u8>,
}

impl Rewritten {
    /// A repository with its references in `references`.
    pub fn new(references: &str) -> Rewritten {
        let repository = TestRepo::with_references(ObjectFormat::Sha1, references);
        make_history(&repository);
        repository.git(&["tag", "fixed"]);
        repository.git(&["branch", "topic"]);
        repository.git(&["branch", "other", "HEAD~4"]);
        let fixed = repository.git_text(&["rev-parse", "HEAD"]);
        let begun = Instant::now();
        let cache = repository.root().with_file_name("cache");
        Rewritten {
            heads: Mutex::new(vec![(begun, None, fixed.clone())]),
            cache,
            fixed,
            repository,
            rewrites: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    /// Rewrites the repository while it is blamed and viewed, until at least `count` commands have run and `count`
    /// blames were made.
    pub fn run(&self, count: usize, seed: u64) -> Rounds {
        let mut all = Rounds::default();
        let blames = AtomicUsize::new(0);
        let expected = self
            .command_lines()
            .map(|arguments| self.git_blame(&arguments));
        std::thread::scope(|scope| {
            let blaming = scope.spawn(|| self.blame_until_over(&expected, &blames, Rng::new(seed)));
            let viewing = scope.spawn(|| self.view_until_over(Rng::new(seed + 1)));
            let mut rng = Rng::new(seed + 2);
            while self.rewrites.load(Ordering::Relaxed) < count
                || blames.load(Ordering::Relaxed) < count && !blaming.is_finished()
            {
                self.rewrite(&mut rng);
            }
            self.is_over.store(true, Ordering::Relaxed);
            for part in [blaming.join(), viewing.join()] {
                let part = part.expect("it reports what is wrong");
                all.blames += part.blames;
                all.keys += part.keys;
                all.deleted += part.deleted;
                all.failures.extend(part.failures);
            }
        });
        all.rewrites = self.rewrites.load(Ordering::Relaxed);
        all
    }

    /// Runs a command of the loop.
    fn rewrite(&self, rng: &mut Rng) {
        let number = self.rewrites.fetch_add(1, Ordering::Relaxed);
        let begun = Instant::now();
        let at = rng.below(COMMANDS.len() + 4);
        let moves_head = match COMMANDS.get(at) {
            Some(arguments) => {
                // Nothing to do is an error for some of them.
                self.git_quietly(arguments);
                arguments[0] == "checkout"
            }
            None => {
                let file = self.repository.root().join(PATH);
                let text = std::fs::read_to_string(&file).unwrap_or_default();
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                let edited = rng.below(lines.len());
                lines[edited] = format!("rewritten {number}");
                std::fs::write(&file, lines.join("\n") + "\n").expect("it is writable");
                let commits = at.is_multiple_of(2);
                if commits {
                    self.git_quietly(&["commit", "-q", "-a", "-m", "another version"]);
                }
                commits
            }
        };
        if moves_head {
            let head = self.repository.git_text(&["rev-parse", "HEAD"]);
            let mut heads = self.heads.lock().expect("no panic");
            heads.last_mut().expect("there is one").1 = Some(Instant::now());
            heads.push((begun, None, head));
        }
    }

    fn git_quietly(&self, arguments: &[&str]) {
        let mut command = self.repository.command(git_program());
        let status = command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.expect("git runs");
    }

    fn git_blame(&self, arguments: &[&str]) -> Vec<u8> {
        let arguments = arguments.iter().filter(|it| !it.starts_with("--threads"));
        let arguments: Vec<_> = [&"blame"].into_iter().chain(arguments).collect();
        self.repository.git(&arguments)
    }

    fn command_lines(&self) -> [[&str; 5]; 8] {
        let fixed = self.fixed.as_str();
        [
            ["--porcelain", "--threads=2", fixed, "--", PATH],
            ["--porcelain", "--threads=1", fixed, "--", PATH],
            ["--porcelain", "-C", fixed, "--", PATH],
            ["--incremental", "-w", "fixed", "--", PATH],
            ["--line-porcelain", "-M", "fixed~2", "--", PATH],
            ["--porcelain", "-s", "fixed~6..fixed", "--", PATH],
            ["--porcelain", "-s", "topic", "--", PATH],
            ["--porcelain", "-s", "HEAD", "--", PATH],
        ]
    }

    fn tblame(&self) -> Command {
        self.repository.command(tblame_program().as_os_str())
    }

    /// Blames in a pipe: commits by their ids and by references, and `HEAD`.
    fn blame_until_over(&self, expected: &[Vec<u8>], blames: &AtomicUsize, mut rng: Rng) -> Rounds {
        let lines = self.command_lines();
        let mut rounds = Rounds::default();
        let mut of_head = Vec::new();
        while !self.is_over.load(Ordering::Relaxed) {
            let at = rng.below(lines.len());
            let mut command = self.tblame();
            command.args(lines[at]);
            if rng.chance(25) {
                command.env("TBLAME_CACHE", "on");
                command.env("XDG_CACHE_HOME", &self.cache);
            }
            let from = Instant::now();
            let output = ProgramOutput::of(&mut command);
            rounds.blames += 1;
            blames.fetch_add(1, Ordering::Relaxed);
            let is_topic = lines[at].contains(&"topic");
            if is_topic
                && output.status == Some(128)
                && output.stderr == b"fatal: bad revision 'topic'\n"
            {
                rounds.deleted += 1;
                continue;
            }
            // git ends its last line.
            let mut stdout = output.stdout.clone();
            stdout.pop();
            if output.status != Some(0) || !output.stderr.is_empty() {
                let (status, stderr) = (output.status, output.stderr.escape_ascii());
                rounds
                    .failures
                    .push(format!("{:?}: status {status:?}: {stderr}", lines[at]));
            } else if lines[at].contains(&"HEAD") {
                of_head.push(OfHead {
                    from,
                    until: Instant::now(),
                    output: stdout,
                });
            } else if stdout != expected[at] {
                let difference = first_different_line(&expected[at], &stdout);
                rounds
                    .failures
                    .push(format!("{:?}: {difference}", lines[at]));
            }
        }
        let heads = self.heads.lock().expect("no panic");
        let mut answers: HashMap<&str, Vec<u8>> = HashMap::new();
        for blame in of_head {
            let mut possible = heads.iter().filter(|(from, until, _)| {
                *from <= blame.until && until.is_none_or(|until| until >= blame.from)
            });
            let is_right = possible.any(|(_, _, id)| {
                let answer = answers
                    .entry(id)
                    .or_insert_with(|| self.git_blame(&["--porcelain", id, "--", PATH]));
                *answer == blame.output
            });
            if !is_right {
                rounds
                    .failures
                    .push("the blame of no HEAD of that time".to_owned());
            }
        }
        rounds
    }

    /// Looks around in viewers that stay open for some seconds.
    fn view_until_over(&self, mut rng: Rng) -> Rounds {
        let mut rounds = Rounds::default();
        while !self.is_over.load(Ordering::Relaxed) {
            let mut command = tblame_command();
            command.args(["fixed", "--", PATH]);
            command.cwd(self.repository.root());
            command.env("GIT_CONFIG_NOSYSTEM", "1");
            command.env("HOME", self.repository.root().join(".."));
            let mut session = Session::run(command, (100, 30));
            session.wait_for("of 30");
            for _ in 0..rng.between(20, 60) {
                if self.is_over.load(Ordering::Relaxed) {
                    break;
                }
                let keys = *rng.pick(&[
                    "5j", "7k", ",", ",", "b", "<", ">", "\r", "\x1b", "L", "V", "n", "G", "g",
                    "W", "M", "C", "x", "\x12",
                ]);
                session.press(keys);
                rounds.keys += 1;
                session.wait_until_stable(Duration::from_millis(30), Duration::from_secs(10));
                let text = session.screen().contents();
                let complaint = COMPLAINTS.iter().find(|words| text.contains(**words));
                if let Some(words) = complaint {
                    rounds
                        .failures
                        .push(format!("{words:?} after {keys:?}:\n{text}"));
                    break;
                }
                if session.has_exited() {
                    rounds
                        .failures
                        .push(format!("it ended after {keys:?}:\n{text}"));
                    break;
                }
            }
            while !session.has_exited() {
                session.press("\x03");
                session.wait_until(Duration::from_millis(50), |_| false);
            }
            session.end();
            session.assert_restored();
        }
        rounds
    }
}
