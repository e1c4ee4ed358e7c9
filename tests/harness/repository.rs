//! Temporary repositories, and commands that run in them isolated from the user's configuration.

use std::{
    collections::HashMap,
    ffi::OsStr,
    fs,
    io::Write,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use tempfile::TempDir;

use super::git::{git_program, git_version_text, program_path};

/// The current time for git and tblame where they honour `GIT_TEST_DATE_NOW`: 2020-12-03.
///
/// It makes relative dates, approximate dates and colors by age independent of the system's clock.
const NOW: &str = "1607000000";

/// A repository's object format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectFormat {
    Sha1,
    Sha256,
}

/// The directories and files that `git init` made at a place with options, each directory before what it has.
type NewRepositories = HashMap<(PathBuf, [String; 2]), Arc<Vec<(PathBuf, Option<Vec<u8>>)>>>;

/// To write them again takes a small part of the time of `git init`.
static NEW_REPOSITORIES: LazyLock<Mutex<NewRepositories>> = LazyLock::new(Mutex::default);

/// Git commands that start another git afterwards, which looks whether there is much to pack.
const WITH_MAINTENANCE: [&str; 3] = ["commit", "fetch", "merge"];

/// A temporary repository with a work tree. It stays on disk when its test fails.
#[derive(Debug)]
pub struct TestRepo {
    dir: Option<TempDir>,
    root: PathBuf,
}

impl TestRepo {
    /// An empty repository on the branch `main`.
    pub fn new(hash: ObjectFormat) -> TestRepo {
        TestRepo::with_references(hash, "files")
    }

    /// As [`new`](Self::new), with the storage format of its references.
    pub fn with_references(hash: ObjectFormat, references: &str) -> TestRepo {
        TestRepo::below(&std::env::temp_dir(), hash, references)
    }

    /// As [`with_references`](Self::with_references), in a temporary directory of another place than usual.
    pub fn below(place: &Path, hash: ObjectFormat, references: &str) -> TestRepo {
        let dir = tempfile::Builder::new()
            .prefix("tblame-it-")
            .tempdir_in(place)
            .expect("a temporary directory can be made");
        let root = dir.path().canonicalize().expect("it was just made");
        let repository = TestRepo {
            root: root.join("repo"),
            dir: Some(dir),
        };
        fs::create_dir(&repository.root).expect("the directory is empty");
        let format = match hash {
            ObjectFormat::Sha1 => "--object-format=sha1",
            ObjectFormat::Sha256 => "--object-format=sha256",
        };
        let references = format!("--ref-format={references}");
        repository.initialize(place, [format.to_owned(), references]);
        repository
    }

    fn initialize(&self, place: &Path, options: [String; 2]) {
        let mut known = NEW_REPOSITORIES
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let entries = known.entry((place.to_owned(), options));
        let new = entries.or_insert_with_key(|(_, [format, references])| {
            let model = self.root.with_file_name("model");
            let model_name = model.to_str().expect("the path is UTF-8");
            self.git(&["init", "-q", "-b", "main", format, references, model_name]);
            let mut found = Vec::new();
            read_below(&model, Path::new(".git"), &mut found);
            fs::remove_dir_all(&model).expect("it was just made");
            Arc::new(found)
        });
        let new = Arc::clone(new);
        drop(known);
        for (path, contents) in new.iter() {
            let path = self.root.join(path);
            match contents {
                Some(bytes) => fs::write(path, bytes),
                None => fs::create_dir(path),
            }
            .expect("the directory is empty");
        }
    }

    /// The work tree's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A command that runs `program` in the work tree's root, at a fixed time and isolated from
    /// the user's environment and configuration.
    pub fn command(&self, program: &OsStr) -> Command {
        let found = program_path(program);
        let mut command = Command::new(found.unwrap_or_else(|| program.into()));
        command
            .current_dir(&self.root)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.root.join(".."))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "A U Thor")
            .env("GIT_AUTHOR_EMAIL", "author@example.com")
            .env("GIT_AUTHOR_DATE", "1600000000 +0100")
            .env("GIT_COMMITTER_NAME", "C O Mitter")
            .env("GIT_COMMITTER_EMAIL", "committer@example.com")
            .env("GIT_COMMITTER_DATE", "1600000001 -0330")
            .env("GIT_TEST_DATE_NOW", NOW)
            // Each blame is made anew; the tests of the cache turn it on.
            .env("TBLAME_CACHE", "off")
            // Without the cache, the installed git would be asked each time.
            .env("TBLAME_GIT_COMPAT", git_version_text())
            .env("LC_ALL", "C")
            .env("TZ", "UTC");
        command
    }

    /// Runs git, which must succeed, and returns what it printed, without the last newline.
    pub fn git<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Vec<u8> {
        self.git_with_input(arguments, b"")
    }

    /// Runs git with `input` as its standard input.
    pub fn git_with_input<A: AsRef<OsStr>>(&self, arguments: &[A], input: &[u8]) -> Vec<u8> {
        let output = self.git_output(arguments, input);
        assert!(
            output.status.success(),
            "git {:?} failed: {}",
            Vec::from_iter(arguments.iter().map(AsRef::as_ref)),
            output.stderr.escape_ascii()
        );
        let mut stdout = output.stdout;
        if stdout.last() == Some(&b'\n') {
            stdout.pop();
        }
        stdout
    }

    /// Runs git, which may fail, with `input` as its standard input.
    pub fn git_output<A: AsRef<OsStr>>(&self, arguments: &[A], input: &[u8]) -> Output {
        let mut command = self.command(git_program());
        let name = arguments.first().map(AsRef::as_ref);
        if WITH_MAINTENANCE
            .iter()
            .any(|it| name == Some(OsStr::new(it)))
        {
            command.args(["-c", "maintenance.auto=false"]);
        }
        command.args(arguments);
        if input.is_empty() {
            // Without a thread that writes.
            return command.stdin(Stdio::null()).output().expect("git runs");
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("git runs");
        let mut stdin = child.stdin.take().expect("the pipe was asked for");
        std::thread::scope(|scope| {
            // A command that does not read its input closes the pipe, which is no error.
            scope.spawn(move || stdin.write_all(input).ok());
            child.wait_with_output().expect("git ends")
        })
    }

    /// Clones it into a directory of its work tree, without blobs but for those of the work tree there.
    pub fn clone_without_blobs(&self, options: &[&str]) -> PathBuf {
        self.git(&["config", "uploadpack.allowFilter", "true"]);
        let origin = format!("file://{}", self.root().display());
        let clone = self.root().join("clone");
        let target = clone.to_str().expect("the path is ASCII");
        let clone_words = ["clone", "-q", "--filter=blob:none"];
        self.git(&[&clone_words, options, &[&origin, target]].concat());
        clone
    }

    /// As [`git`](Self::git), for output that is text.
    pub fn git_text<A: AsRef<OsStr>>(&self, arguments: &[A]) -> String {
        String::from_utf8(self.git(arguments)).expect("the output is UTF-8")
    }

    /// Appends to the repository's configuration, in less time than `git config`.
    pub fn configure(&self, text: &str) {
        let file = fs::OpenOptions::new()
            .append(true)
            .open(self.root.join(".git/config"));
        file.and_then(|mut file| file.write_all(text.as_bytes()))
            .expect("the configuration is writable");
    }

    /// Writes a file of the work tree.
    pub fn write(&self, path: &[u8], bytes: &[u8]) {
        let path = self.root.join(OsStr::from_bytes(path));
        fs::create_dir_all(path.parent().expect("it is below the root"))
            .and_then(|()| fs::write(&path, bytes))
            .unwrap_or_else(|error| panic!("cannot write {path:?}: {error}"));
    }
}

/// Appends a directory of `root` and all below it but for sample hooks.
fn read_below(root: &Path, directory: &Path, found: &mut Vec<(PathBuf, Option<Vec<u8>>)>) {
    found.push((directory.to_owned(), None));
    for entry in fs::read_dir(root.join(directory)).expect("git made it") {
        let path = directory.join(entry.expect("git made it").file_name());
        if root.join(&path).is_dir() {
            read_below(root, &path, found);
        } else if !path.starts_with(".git/hooks") {
            let bytes = fs::read(root.join(&path)).expect("git made it");
            found.push((path, Some(bytes)));
        }
    }
}

impl Drop for TestRepo {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Some(dir) = self.dir.take()
        {
            eprintln!("the repository is kept in {}", dir.keep().display());
        }
    }
}
