//! Damage to stored repositories: what tblame answers must be the pristine repository's answer, git's, or an error.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs::{self, Permissions},
    ops::Range,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use super::{
    git::git_program,
    program::{ProgramOutput, first_different_line, tblame_program},
    repository::TestRepo,
    rng::Rng,
    stored_history::{Form, PATH, files_below},
    tree_answers::{self, TreeAnswer},
};

/// A run that uses the processor for more seconds is ended, where the system can do that.
#[cfg(target_os = "linux")]
const MOST_CPU: u64 = 20;

/// A run that takes longer hangs.
const TIMEOUT: Duration = Duration::from_secs(200);

const ARGUMENTS: [&[&str]; 5] = [
    &["--porcelain", "HEAD", "--", PATH],
    &["--incremental", "HEAD~1", "--", PATH],
    &["--porcelain", "-C", "-C", "HEAD", "--", PATH],
    &["--porcelain", "--threads=1", "main", "--", PATH],
    &["--tree", "-r", "--json", "--json-fields=lines", "HEAD"],
];

/// The index of the arguments for all files.
const TREE: usize = ARGUMENTS.len() - 1;

#[derive(Debug, Clone, Copy)]
enum Fault {
    Truncated,
    Bit,
    /// A digit or a letter becomes another one.
    Digit,
    Zeros,
    Swapped,
}

/// How many cases ended how.
#[derive(Debug, Clone, Copy, Default)]
pub struct Outcomes {
    /// The pristine repository's answer.
    pub pristine: usize,
    /// Another one, which git gives too.
    pub as_git: usize,
    pub errors: usize,
}

impl Outcomes {
    pub fn cases(&self) -> usize {
        self.pristine + self.as_git + self.errors
    }
}

/// A repository in a form.
pub struct Fixture {
    form: Form,
    repository: TestRepo,
    /// What can be damaged, as it was.
    files: BTreeMap<PathBuf, Vec<u8>>,
    /// For each of [`ARGUMENTS`].
    pristine: Vec<ProgramOutput>,
    /// All files in the pristine repository.
    pristine_tree: TreeAnswer,
    /// The arguments that are tried.
    tried: Range<usize>,
}

impl Fixture {
    /// A repository whose streams are compressed by git's default or not at all.
    pub fn new(form: Form, is_compressed: bool) -> Fixture {
        let mut fixture = Fixture {
            form,
            repository: form.repository(is_compressed),
            files: BTreeMap::new(),
            pristine: Vec::new(),
            pristine_tree: TreeAnswer::default(),
            tried: 0..ARGUMENTS.len(),
        };
        if form == Form::Kept {
            let configuration = fixture.outside("config/tblame");
            fs::create_dir_all(&configuration).expect("it can be made");
            let settings = configuration.join("config.toml");
            fs::write(settings, "[cache]\nmin-time = 0\n").expect("it is writable");
            for arguments in ARGUMENTS {
                fixture.run(arguments);
            }
        }
        let is_damaged = |path: &Path| {
            let name = path.file_name().unwrap_or_default().as_encoded_bytes();
            // Their damage is compared elsewhere, and hooks and samples are not read.
            ![
                "config",
                "description",
                "index",
                "COMMIT_EDITMSG",
                "ORIG_HEAD",
            ]
            .iter()
            .any(|it| it.as_bytes() == name)
                && !path.components().any(|it| {
                    ["hooks", "logs", "rebase-merge"]
                        .map(OsStr::new)
                        .contains(&it.as_os_str())
                })
        };
        let mut found = Vec::new();
        for directory in fixture.directories() {
            found.extend(files_below(&directory).expect("it is readable"));
        }
        for path in found.into_iter().filter(|path| is_damaged(path)) {
            let bytes = fs::read(&path).expect("it is readable");
            if !bytes.is_empty() {
                fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("it is one's own");
                fixture.files.insert(path, bytes);
            }
        }
        assert!(!fixture.files.is_empty());
        for arguments in &ARGUMENTS[..TREE] {
            let git = fixture.run_git(arguments);
            assert_eq!(git.status, Some(0), "{form:?}: {git:?}");
            let tblame = fixture.run(arguments);
            assert_eq!(tblame.stdout, git.stdout, "{form:?}: {tblame:?}");
            fixture.pristine.push(git);
        }
        let tree = fixture.run(ARGUMENTS[TREE]);
        assert_eq!(tree.status, Some(0), "{form:?}: {tree:?}");
        fixture.pristine_tree = TreeAnswer::read(&tree.stdout);
        assert!(fixture.pristine_tree.files.len() >= 6, "{form:?}: {tree:?}");
        for path in &fixture.pristine_tree.listed {
            assert!(
                fixture.is_gits(&fixture.pristine_tree, path),
                "{form:?}: {path}"
            );
        }
        fixture.pristine.push(tree);
        fixture
    }

    /// Tries the blames of all files alone.
    pub fn only_trees(&mut self) {
        self.tried = TREE..ARGUMENTS.len();
    }

    /// True if the answer for a file is that of git in the repository as it is.
    fn is_gits(&self, answer: &TreeAnswer, path: &str) -> bool {
        let mut command = self.repository.command(git_program());
        command.args(["blame", "--line-porcelain", "HEAD", "--", path]);
        let git = run_bounded(command);
        git.status == Some(0) && tree_answers::origins_by_git(&git.stdout) == answer.origins(path)
    }

    /// True if git lists the same files in the repository as it is.
    fn has_gits_names(&self, answer: &TreeAnswer) -> bool {
        let mut command = self.repository.command(git_program());
        command.args(["ls-tree", "-r", "--name-only", "HEAD"]);
        let git = run_bounded(command);
        let names = String::from_utf8_lossy(&git.stdout).into_owned();
        git.status == Some(0) && names.lines().eq(answer.listed.iter())
    }

    /// As [`judge`](Self::judge), for all files: each must be right, or fail and be named.
    fn judge_tree(&self, tblame: &ProgramOutput, outcomes: &mut Outcomes) -> Result<(), String> {
        let words = String::from_utf8_lossy(&tblame.stderr).into_owned();
        let has_failed = match tblame.status {
            Some(0) => false,
            Some(128) if words.contains(" files could not be blamed") => true,
            Some(128 | 1) if !words.is_empty() => {
                outcomes.errors += 1;
                return Ok(());
            }
            _ => return Err(format!("{tblame:?}")),
        };
        let (answer, pristine) = (TreeAnswer::read(&tblame.stdout), &self.pristine_tree);
        let is_named = |path: &String| has_failed && words.contains(&format!("error: {path}: "));
        // A directory that cannot be read stands for its files.
        let (mut listed, mut expected) = (answer.listed.clone(), pristine.listed.clone());
        for directory in answer.listed.difference(&pristine.listed) {
            let below = format!("{directory}/");
            if is_named(directory) && expected.iter().any(|path| path.starts_with(&below)) {
                listed.remove(directory);
                expected.retain(|path| !path.starts_with(&below));
            }
        }
        if listed != expected && !self.has_gits_names(&answer) {
            return Err(format!("it lists {:?}", answer.listed));
        }
        let mut is_pristine = true;
        for path in &answer.listed {
            let entries = answer.files.get(path);
            if entries.is_none() {
                if !is_named(path) {
                    return Err(format!("nothing is said of {path}: {words}"));
                }
                is_pristine = false;
            } else if entries != pristine.files.get(path) {
                is_pristine = false;
                if !self.is_gits(&answer, path) {
                    return Err(format!("another answer for {path} than git's: {entries:?}"));
                }
            }
        }
        match (has_failed, is_pristine) {
            (true, _) => outcomes.errors += 1,
            (false, true) => outcomes.pristine += 1,
            (false, false) => outcomes.as_git += 1,
        }
        Ok(())
    }

    fn outside(&self, name: &str) -> PathBuf {
        self.repository.root().with_file_name(name)
    }

    /// Where files are damaged.
    fn directories(&self) -> Vec<PathBuf> {
        match self.form {
            Form::Kept => vec![self.outside("cache")],
            Form::Alternates => vec![
                self.repository.root().join(".git"),
                self.outside("other-objects"),
            ],
            _ => vec![self.repository.root().join(".git")],
        }
    }

    fn run(&self, arguments: &[&str]) -> ProgramOutput {
        let mut command = self.repository.command(tblame_program().as_os_str());
        command.args(arguments);
        if self.form == Form::Kept {
            command
                .env("TBLAME_CACHE", "on")
                .env("XDG_CACHE_HOME", self.outside("cache"))
                .env("XDG_CONFIG_HOME", self.outside("config"));
        }
        run_bounded(command)
    }

    fn run_git(&self, arguments: &[&str]) -> ProgramOutput {
        let mut command = self.repository.command(git_program());
        let arguments = arguments.iter().filter(|it| !it.starts_with("--threads"));
        command.arg("blame").args(arguments);
        run_bounded(command)
    }

    /// Damages a random file in some way, blames, and restores it.
    ///
    /// # Errors
    ///
    /// Describes a crash, a hang, an error without words, or an answer that is neither right nor git's.
    pub fn case(&self, rng: &mut Rng, outcomes: &mut Outcomes) -> Result<(), String> {
        let paths: Vec<_> = self.files.keys().collect();
        let path = *rng.pick(&paths);
        let original = &self.files[path];
        let fault = *rng.pick(&[
            Fault::Truncated,
            Fault::Bit,
            Fault::Digit,
            Fault::Digit,
            Fault::Zeros,
            Fault::Swapped,
        ]);
        let mut bytes = original.clone();
        apply(fault, &mut bytes, rng);
        let is_repaired = rng.chance(50) && repair(path, &mut bytes, self.hash());
        let outcome = self.blame_with(path, &bytes, rng, outcomes);
        outcome.map_err(|error| format!("{fault:?}, repaired: {is_repaired}: {error}"))
    }

    /// Every id, offset and checksum of the repository's indexes of packs and multi-pack-indexes with one bit changed at a few places, and
    /// every number of their fan-out tables with one: the file, the byte and the bit.
    pub fn index_bits(&self) -> Vec<(PathBuf, usize, u8)> {
        let mut bits = Vec::new();
        for (path, bytes) in &self.files {
            let is_multi = path.ends_with("multi-pack-index");
            if !is_multi && path.extension().is_none_or(|ext| ext != "idx") {
                continue;
            }
            let id_len = self.hash().len_in_bytes();
            let chunk = |name: &[u8]| chunk_at(bytes, 12, name).expect("git writes it").start;
            let fanout = if is_multi { chunk(b"OIDF") } else { 8 };
            let last = bytes[fanout + 1020..fanout + 1024].try_into();
            let count = u32::from_be_bytes(last.expect("it has four bytes")) as usize;
            // Tables with the lengths of their records, and the places in them.
            let ids = [(0, 0x10), (1, 0x80), (id_len - 1, 1)];
            let tables = if is_multi {
                vec![
                    (chunk(b"OIDL"), id_len, ids.to_vec()),
                    (chunk(b"OOFF"), 8, vec![(3, 1), (6, 1), (7, 4), (7, 0x20)]),
                ]
            } else {
                let checksums = 1032 + count * id_len;
                let offsets = vec![(2, 1), (3, 4), (3, 0x20)];
                vec![
                    (1032, id_len, ids.to_vec()),
                    (checksums, 4, vec![(1, 2)]),
                    (checksums + count * 4, 4, offsets),
                ]
            };
            for (start, len, places) in tables {
                for at in (0..count).map(|nth| start + nth * len) {
                    bits.extend(
                        places
                            .iter()
                            .map(|(byte, bit)| (path.clone(), at + byte, *bit)),
                    );
                }
            }
            bits.extend((0..256).map(|nth| (path.clone(), fanout + nth * 4 + 3, 1 << (nth % 8))));
        }
        bits
    }

    /// Changes one of the [`index_bits`](Self::index_bits), blames, and restores it.
    ///
    /// # Errors
    ///
    /// As those of [`case`](Self::case).
    pub fn index_bit(
        &self,
        (path, at, bit): &(PathBuf, usize, u8),
        rng: &mut Rng,
        outcomes: &mut Outcomes,
    ) -> Result<(), String> {
        let mut bytes = self.files[path].clone();
        bytes[*at] ^= bit;
        self.blame_with(path, &bytes, rng, outcomes)
    }

    /// Overwrites the ids of commits in commit-graphs by zeros, one after the other.
    ///
    /// # Errors
    ///
    /// As those of [`case`](Self::case).
    pub fn zeroed_graph_ids(&self, rng: &mut Rng, outcomes: &mut Outcomes) -> Result<(), String> {
        for (path, original) in &self.files {
            let Some(ids) = chunk_range(original, b"OIDL") else {
                continue;
            };
            if !original.starts_with(b"CGPH") {
                continue;
            }
            let id_len = self.hash().len_in_bytes();
            for at in ids.step_by(id_len) {
                let mut bytes = original.clone();
                bytes[at..at + id_len].fill(0);
                self.blame_with(path, &bytes, rng, outcomes)?;
            }
        }
        Ok(())
    }

    fn hash(&self) -> gix_hash::Kind {
        match self.form {
            Form::Sha256 => gix_hash::Kind::Sha256,
            _ => gix_hash::Kind::Sha1,
        }
    }

    /// Blames while a file has other contents.
    fn blame_with(
        &self,
        path: &Path,
        bytes: &[u8],
        rng: &mut Rng,
        outcomes: &mut Outcomes,
    ) -> Result<(), String> {
        let original = &self.files[path];
        let at = self.tried.start + rng.below(self.tried.len());
        fs::write(path, bytes).expect("it is writable");
        let tblame = self.run(ARGUMENTS[at]);
        let outcome = self.judge(&tblame, at, outcomes);
        self.restore(path, original);
        outcome.map_err(|error| {
            let changed = original.iter().zip(bytes).position(|(a, b)| a != b);
            let (form, name) = (self.form, path.display());
            format!(
                "{form:?}: at {changed:?} of {name}: {:?}: {error}",
                ARGUMENTS[at]
            )
        })
    }

    /// Exchanges offsets of a pack's index, each whole, or makes some refer to nothing, and repairs its checksum, blames, and restores it.
    ///
    /// # Errors
    ///
    /// As those of [`case`](Self::case).
    pub fn exchanged_offsets(&self, rng: &mut Rng, outcomes: &mut Outcomes) -> Result<(), String> {
        const FANOUT_END: usize = 8 + 256 * 4;
        let is_index = |path: &&PathBuf| path.extension().is_some_and(|ext| ext == "idx");
        let paths: Vec<_> = self.files.keys().filter(is_index).collect();
        let path = *rng.pick(&paths);
        let original = &self.files[path];
        let mut bytes = original.clone();
        let count = original[FANOUT_END - 4..FANOUT_END].try_into();
        let count = u32::from_be_bytes(count.expect("it has four bytes")) as usize;
        let id_len = self.hash().len_in_bytes();
        let offsets = FANOUT_END + count * (id_len + 4);
        for _ in 0..rng.between(1, 4) {
            let (one, other) = (rng.below(count), rng.below(count));
            for byte in 0..4 {
                bytes.swap(offsets + one * 4 + byte, offsets + other * 4 + byte);
            }
            // It refers to the table of long offsets then, which has none.
            if rng.chance(10) {
                bytes[offsets + one * 4] |= 0x80;
            }
        }
        assert!(repair(path, &mut bytes, self.hash()));
        self.blame_with(path, &bytes, rng, outcomes)
    }

    fn judge(
        &self,
        tblame: &ProgramOutput,
        at: usize,
        outcomes: &mut Outcomes,
    ) -> Result<(), String> {
        if at == TREE {
            return self.judge_tree(tblame, outcomes);
        }
        match tblame.status {
            Some(0) if tblame.stdout == self.pristine[at].stdout => outcomes.pristine += 1,
            Some(0) => {
                let git = self.run_git(ARGUMENTS[at]);
                if git.status != Some(0) || git.stdout != tblame.stdout {
                    let lines =
                        |output: &[u8]| output.iter().filter(|&&byte| byte == b'\n').count();
                    return Err(format!(
                        "another answer than git's, which has status {:?} and says {}\n{}\n{} and {} lines",
                        git.status,
                        git.stderr.escape_ascii(),
                        first_different_line(&self.pristine[at].stdout, &tblame.stdout),
                        lines(&self.pristine[at].stdout),
                        lines(&tblame.stdout),
                    ));
                }
                outcomes.as_git += 1;
            }
            Some(128 | 1) if !tblame.stderr.is_empty() => outcomes.errors += 1,
            _ => return Err(format!("{tblame:?}")),
        }
        Ok(())
    }

    /// Puts back what was damaged, and what a run has written.
    fn restore(&self, path: &Path, original: &[u8]) {
        if self.form != Form::Kept {
            fs::write(path, original).expect("it is writable");
            return;
        }
        for path in files_below(&self.outside("cache")).expect("it is readable") {
            if !self.files.contains_key(&path) {
                fs::remove_file(path).expect("it is one's own");
            }
        }
        for (path, bytes) in &self.files {
            // A new file: an older version of a blame may be another name of the same one.
            fs::remove_file(path).ok();
            fs::write(path, bytes).expect("it is writable");
            fs::set_permissions(path, Permissions::from_mode(0o600)).expect("it is one's own");
        }
    }
}

/// Runs a command, which is killed when it hangs.
pub fn run_bounded(mut command: Command) -> ProgramOutput {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let pid = rustix::process::Pid::from_child(&child);
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, prlimit};
        let limit = Rlimit {
            current: Some(MOST_CPU),
            maximum: Some(MOST_CPU),
        };
        // It may have ended already.
        prlimit(Some(pid), Resource::Cpu, limit).ok();
    }
    let (ended, end) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if end.recv_timeout(TIMEOUT) == Err(mpsc::RecvTimeoutError::Timeout) {
                rustix::process::kill_process(pid, rustix::process::Signal::KILL).ok();
            }
        });
        let output = child.wait_with_output().expect("the program ends");
        drop(ended);
        output.into()
    })
}

/// Another value for a byte: another digit for a digit.
pub fn changed(byte: u8, rng: &mut Rng) -> u8 {
    match byte {
        b'0'..=b'9' => b'0' + (byte - b'0' + 1 + rng.below(9) as u8) % 10,
        b'a'..=b'f' => b'a' + (byte - b'a' + 1 + rng.below(5) as u8) % 6,
        _ => byte ^ 1 << rng.below(8),
    }
}

fn apply(fault: Fault, bytes: &mut Vec<u8>, rng: &mut Rng) {
    let len = bytes.len();
    let range = |rng: &mut Rng| {
        let start = rng.below(len);
        start..len.min(start + rng.between(1, 64))
    };
    match fault {
        Fault::Truncated => bytes.truncate(rng.below(len)),
        Fault::Bit => bytes[rng.below(len)] ^= 1 << rng.below(8),
        Fault::Digit => {
            // Most bytes of what is compressed are no digits.
            let digits: Vec<_> = (0..len)
                .filter(|&at| bytes[at].is_ascii_hexdigit())
                .collect();
            let at = if digits.is_empty() {
                rng.below(len)
            } else {
                *rng.pick(&digits)
            };
            bytes[at] = changed(bytes[at], rng);
        }
        Fault::Zeros => {
            let range = range(rng);
            bytes[range].fill(0);
        }
        Fault::Swapped => {
            let (one, other) = (range(rng), rng.below(len));
            for (step, at) in one.enumerate() {
                bytes.swap(at, (other + step) % len);
            }
        }
    }
}

/// Writes the right checksum at the end of a file that has one; false for others.
fn repair(path: &Path, bytes: &mut [u8], kind: gix_hash::Kind) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let has_trailer = [".pack", ".idx", ".rev", ".graph"]
        .iter()
        .any(|end| name.ends_with(end))
        || ["multi-pack-index", "commit-graph"].contains(&&*name);
    has_trailer && repair_checksum(bytes, kind)
}

/// The byte range of a chunk of a commit-graph or of a remembered history, if it lies in the file.
pub fn chunk_range(bytes: &[u8], name: &[u8]) -> Option<Range<usize>> {
    chunk_at(bytes, 8, name)
}

/// The byte range of a chunk in a file whose table of contents is at `table`.
fn chunk_at(bytes: &[u8], table: usize, name: &[u8]) -> Option<Range<usize>> {
    let number = |at: usize| {
        let number = bytes.get(at..at + 8)?.try_into().ok()?;
        usize::try_from(u64::from_be_bytes(number)).ok()
    };
    let mut entries = (0..usize::from(*bytes.get(6)?)).map(|nth| table + nth * 12);
    let at = entries.find(|at| bytes.get(*at..*at + 4) == Some(name))?;
    let range = number(at + 4)?..number(at + 16)?;
    (range.start <= range.end && range.end <= bytes.len()).then_some(range)
}

/// Writes the right checksum at the end of a file; false if it is too short for one.
pub fn repair_checksum(bytes: &mut [u8], kind: gix_hash::Kind) -> bool {
    if bytes.len() < kind.len_in_bytes() {
        return false;
    }
    let (body, trailer) = bytes.split_at_mut(bytes.len() - kind.len_in_bytes());
    let mut hasher = gix_hash::hasher(kind);
    hasher.update(body);
    let sum = hasher.try_finalize().expect("no collision");
    trailer.copy_from_slice(sum.as_slice());
    true
}
