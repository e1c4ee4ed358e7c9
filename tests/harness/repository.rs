//! Temporary repositories, and commands that run in them isolated from the user's configuration.

use std::{
    ffi::OsStr,
    io::Write,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

use super::git::{git_program, git_version_text};

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
        std::fs::create_dir(&repository.root).expect("the directory is empty");
        let format = match hash {
            ObjectFormat::Sha1 => "--object-format=sha1",
            ObjectFormat::Sha256 => "--object-format=sha256",
        };
        let references = format!("--ref-format={references}");
        repository.git(&["init", "-q", "-b", "main", format, &references, "."]);
        repository
    }

    /// The work tree's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A command that runs `program` in the work tree's root, at a fixed time and isolated from
    /// the user's environment and configuration.
    pub fn command(&self, program: &OsStr) -> Command {
        let mut command = Command::new(program);
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
        let mut child = command
            .args(arguments)
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

    /// Writes a file of the work tree.
    pub fn write(&self, path: &[u8], bytes: &[u8]) {
        let path = self.root.join(OsStr::from_bytes(path));
        std::fs::create_dir_all(path.parent().expect("it is below the root"))
            .and_then(|()| std::fs::write(&path, bytes))
            .unwrap_or_else(|error| panic!("cannot write {path:?}: {error}"));
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
