//! Temporary repositories, and running programs in them apart from the user's settings.

use std::{
    ffi::{OsStr, OsString},
    io::Write,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};

use tempfile::TempDir;

use crate::id_width::IdWidth;

/// The git that decides what is right: `TBLAME_TEST_GIT`, or the one that is installed.
pub fn git_program() -> &'static OsStr {
    static PROGRAM: OnceLock<OsString> = OnceLock::new();
    PROGRAM.get_or_init(|| std::env::var_os("TBLAME_TEST_GIT").unwrap_or_else(|| "git".into()))
}

/// That git's rule for the width of the id column.
pub fn git_id_width() -> IdWidth {
    static WIDTH: OnceLock<IdWidth> = OnceLock::new();
    *WIDTH.get_or_init(|| IdWidth::of(git_program()))
}

/// A repository's hash function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hash {
    Sha1,
    Sha256,
}

/// A temporary repository with a work tree. It stays on disk when its test fails.
#[derive(Debug)]
pub struct Scratch {
    dir: Option<TempDir>,
    root: PathBuf,
}

impl Scratch {
    /// An empty repository on the branch `main`.
    pub fn new(hash: Hash) -> Scratch {
        let dir = tempfile::Builder::new()
            .prefix("tblame-it-")
            .tempdir()
            .expect("a temporary directory can be made");
        let root = dir.path().canonicalize().expect("it was just made");
        let scratch = Scratch {
            root: root.join("repo"),
            dir: Some(dir),
        };
        std::fs::create_dir(&scratch.root).expect("the directory is empty");
        let format = match hash {
            Hash::Sha1 => "--object-format=sha1",
            Hash::Sha256 => "--object-format=sha256",
        };
        scratch.git(&["init", "-q", "-b", "main", format, "."]);
        scratch
    }

    /// The work tree's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A command that runs `program` in the work tree's root and sees nothing of the user's
    /// settings.
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
        let mut command = self.command(git_program());
        command.args(arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("git runs");
        let mut stdin = child.stdin.take().expect("the pipe was asked for");
        let output = std::thread::scope(|scope| {
            // A command that does not read its input closes the pipe: no harm.
            scope.spawn(move || stdin.write_all(input).ok());
            child.wait_with_output().expect("git ends")
        });
        assert!(
            output.status.success(),
            "{command:?} failed: {}",
            output.stderr.escape_ascii()
        );
        let mut stdout = output.stdout;
        if stdout.last() == Some(&b'\n') {
            stdout.pop();
        }
        stdout
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

impl Drop for Scratch {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Some(dir) = self.dir.take()
        {
            eprintln!("the repository is kept in {}", dir.keep().display());
        }
    }
}
