//! Made-up histories, for those benchmarks that need a repository.

use std::{
    fmt::Write as _,
    io::{self, BufWriter, Write},
    path::Path,
    process::{ChildStdin, Command, Stdio},
};

/// Makes a bare repository at `dir` with the history that `write` writes, as it is imported: each
/// version of a file is stored over the one before, in chains of at most `depth` deltas.
pub fn import(
    git: &Path,
    dir: &Path,
    depth: u32,
    write: impl FnOnce(&mut Stream) -> io::Result<()>,
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
    let mut stream = Stream {
        out: BufWriter::with_capacity(1 << 20, input),
        commits: 0,
    };
    write(&mut stream)
        .and_then(|()| stream.out.flush())
        .expect("git reads all of it");
    drop(stream);
    assert!(child.wait().expect("git runs").success());
}

/// Packs the repository as `git gc` would: older versions are stored over newer ones.
pub fn repack(git: &Path, dir: &Path) {
    let mut repack = Command::new(git);
    let status = repack.arg("-C").arg(dir).args(["repack", "-adfq"]).status();
    assert!(status.expect("git runs").success());
}

/// What `git fast-import` reads.
pub struct Stream {
    out: BufWriter<ChildStdin>,
    commits: u32,
}

impl Stream {
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

/// A file whose lines change.
pub struct Text {
    pub lines: Vec<String>,
    random: u64,
}

impl Text {
    pub fn new(lines: u32) -> Text {
        let mut text = Text {
            lines: Vec::new(),
            random: 1,
        };
        for line in 0..lines {
            let words = text.words();
            text.lines.push(format!("{words} {line}\n"));
        }
        text
    }

    fn next(&mut self) -> u64 {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.random >> 33
    }

    fn words(&mut self) -> String {
        let mut words = String::new();
        for _ in 0..3 {
            let _ = write!(words, "{:x} ", self.next() & 0xffff);
        }
        words
    }

    /// Replaces one line, and now and then adds or removes another. The first line stays, so that
    /// blame has to go through all of history.
    pub fn change(&mut self) {
        for kind in 0..2 {
            let at = 1 + self.next() as usize % (self.lines.len() - 1);
            let line = self.words() + "\n";
            match (kind, self.next() % 8) {
                (0, _) => self.lines[at] = line,
                (_, 0) => self.lines.insert(at, line),
                (_, 1) if self.lines.len() > 8 => drop(self.lines.remove(at)),
                _ => {}
            }
        }
    }
}
