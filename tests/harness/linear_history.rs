//! Linear histories, streamed into `git fast-import` so that they can be very large.

use std::{
    fmt::Write as _,
    io::{self, BufWriter, Write},
    path::Path,
    process::{ChildStdin, Command, Stdio},
};

use super::rng::Rng;

/// Creates a bare repository at `dir` with the history that `write` streams. Each version of a file
/// is stored as a delta against the one before, in chains of at most `depth`.
pub fn import(
    git: &Path,
    dir: &Path,
    depth: u32,
    write: impl FnOnce(&mut ImportStream) -> io::Result<()>,
) {
    let mut init = Command::new(git);
    let status = init
        .args(["init", "-q", "--bare", "-b", "main"])
        .arg(dir)
        .status();
    assert!(status.expect("git runs").success());
    let mut import = Command::new(git);
    import.arg("-C").arg(dir);
    import.args(["fast-import", "--quiet", &format!("--depth={depth}")]);
    let mut child = import.stdin(Stdio::piped()).spawn().expect("git runs");
    let input = child.stdin.take().expect("it is piped");
    let mut stream = ImportStream {
        out: BufWriter::with_capacity(1 << 20, input),
        commits: 0,
    };
    write(&mut stream)
        .and_then(|()| stream.out.flush())
        .expect("git reads all of it");
    drop(stream);
    assert!(child.wait().expect("git runs").success());
}

/// Repacks as `git gc` does: older versions become deltas against newer ones.
pub fn repack(git: &Path, dir: &Path) {
    let mut repack = Command::new(git);
    let status = repack.arg("-C").arg(dir).args(["repack", "-adfq"]).status();
    assert!(status.expect("git runs").success());
}

/// The input of `git fast-import`.
pub struct ImportStream {
    out: BufWriter<ChildStdin>,
    commits: u32,
}

impl ImportStream {
    /// Begins a commit on top of the last one; files follow.
    pub fn commit(&mut self) -> io::Result<()> {
        self.commits += 1;
        let (number, time) = (self.commits, 1_000_000_000 + u64::from(self.commits) * 60);
        let message = format!("Change number {number}\n");
        write!(
            self.out,
            "commit refs/heads/main\ncommitter C O Mitter <committer@example.com> {time} +0000\n\
             data {}\n{message}",
            message.len()
        )
    }

    /// The next file of the commit that was begun.
    pub fn file(&mut self, path: &str, text: &str) -> io::Result<()> {
        write!(
            self.out,
            "M 100644 inline {path}\ndata {}\n{text}\n",
            text.len()
        )
    }
}

/// A file of random lines that change.
pub struct ChangingFile {
    pub lines: Vec<String>,
    rng: Rng,
}

impl ChangingFile {
    pub fn new(lines: u32) -> ChangingFile {
        let mut text = ChangingFile {
            lines: Vec::new(),
            rng: Rng::new(1),
        };
        for line in 0..lines {
            let words = text.words();
            text.lines.push(format!("{words} {line}\n"));
        }
        text
    }

    fn words(&mut self) -> String {
        let mut words = String::new();
        for _ in 0..3 {
            let _ = write!(words, "{:x} ", self.rng.below(0x10000));
        }
        words
    }

    /// Replaces one line, and in a quarter of all calls adds or removes another. The first line
    /// never changes, so that a blame has to walk the whole history.
    pub fn change(&mut self) {
        for kind in 0..2 {
            let at = 1 + self.rng.below(self.lines.len() - 1);
            let line = self.words() + "\n";
            match (kind, self.rng.below(8)) {
                (0, _) => self.lines[at] = line,
                (_, 0) => self.lines.insert(at, line),
                (_, 1) if self.lines.len() > 8 => drop(self.lines.remove(at)),
                _ => {}
            }
        }
    }
}
