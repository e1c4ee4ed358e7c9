//! The width of the id column, which depends on the version of git.
//!
//! Since 2.56 git widens an abbreviated id by the largest number of marks (`^`, `*`, `?`) on any
//! shown line; before, always by one. tblame follows the newer rule. The output of an older git is
//! compared after the surplus digits of the wider column have been removed.

use std::{ffi::OsStr, io::Write, process::Command};

/// Whether these arguments ask for the human format, whose first column is the id.
pub fn has_id_column<A: AsRef<OsStr>>(arguments: &[A]) -> bool {
    let machine = [
        "--porcelain",
        "-p",
        "--por",
        "--line-porcelain",
        "--incremental",
    ];
    let mut options = arguments.iter().take_while(|word| word.as_ref() != "--");
    !options.any(|word| machine.iter().any(|machine| word.as_ref() == *machine))
}

/// How a git chooses the width of the id column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdWidth {
    /// As wide as the shown marks need.
    ByMarks,
    /// One more than the abbreviated id.
    AlwaysOneMore,
}

impl IdWidth {
    /// Determines the rule of `git` by blaming one line that has no marks.
    pub fn of(git: &OsStr) -> IdWidth {
        let dir = tempfile::tempdir().expect("a temporary directory can be made");
        let mut init = Command::new(git);
        init.arg("-C").arg(dir.path());
        let status = init.args(["init", "-q", "--bare"]).status();
        assert!(status.expect("git runs").success());
        let mut import = Command::new(git)
            .arg("-C")
            .arg(dir.path())
            .args(["fast-import", "--quiet"])
            .stdin(std::process::Stdio::piped())
            .spawn()
            .expect("git runs");
        let stream =
            "commit refs/heads/w\ncommitter A <a@b> 1 +0000\ndata 0\nM 644 inline f\ndata 2\nx\n";
        let mut stdin = import.stdin.take().expect("the pipe was asked for");
        stdin
            .write_all(stream.as_bytes())
            .expect("git fast-import reads its input");
        drop(stdin);
        assert!(import.wait().expect("git runs").success());
        let blame = Command::new(git)
            .arg("-C")
            .arg(dir.path())
            .args(["blame", "-s", "--root", "--abbrev=10", "w", "--", "f"])
            .output()
            .expect("git runs");
        match blame.stdout.iter().position(|&b| b == b' ') {
            Some(10) => IdWidth::ByMarks,
            Some(11) => IdWidth::AlwaysOneMore,
            _ => panic!("git blame printed {:?}", blame.stdout.escape_ascii()),
        }
    }

    /// Both outputs with ids of the same width: the surplus digits are removed.
    pub fn normalized(self, git: &[u8], tblame: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let same = (git.to_vec(), tblame.to_vec());
        if self == IdWidth::ByMarks {
            return same;
        }
        let columns = git.split(|&b| b == b'\n').map(IdColumn::of);
        let marks = columns.clone().map(|id| id.marks).max().unwrap_or(0);
        let width = columns.map(|id| id.width).max().unwrap_or(0);
        // A full id is as wide under both rules, and where an error cut the output short the marks
        // may be on lines that are missing.
        if git == tblame && (marks == 1 || width >= 40 || git.last() != Some(&b'\n')) {
            return same;
        }
        // With `-b` every id can be blank.
        let width = width.max(1 + marks);
        let git = cut_ids(git, width, usize::from(marks == 0));
        let more = marks.saturating_sub(1);
        (git, cut_ids(tblame, width + more, more))
    }
}

/// `text` without the last `count` bytes of each id column, which is `width` bytes wide.
fn cut_ids(text: &[u8], width: usize, count: usize) -> Vec<u8> {
    let cut = |line: &[u8]| {
        let start = IdColumn::of(line).start;
        let id = line.get(start..start + width).unwrap_or_default();
        let is_id = |b: &u8| b.is_ascii_hexdigit() || b"^*? ".contains(b);
        // What follows a newline in a path is a line without an id.
        if id.is_empty() || !id.iter().all(is_id) {
            return line.to_vec();
        }
        let end = start + width;
        [&line[..end - count], &line[end..]].concat()
    };
    let lines: Vec<_> = text.split(|&b| b == b'\n').map(cut).collect();
    lines.join(&b'\n')
}

/// Where the id begins in a line of human output: after a color.
pub fn id_start(line: &[u8]) -> usize {
    match line.strip_prefix(b"\x1b[") {
        Some(rest) => rest.iter().position(|&b| b == b'm').map_or(0, |m| m + 3),
        None => 0,
    }
}

/// The id in a line of human output.
struct IdColumn {
    /// Bytes before it: a color.
    start: usize,
    /// Marks at its start.
    marks: usize,
    /// Marks and digits together; 0 where it is blank.
    width: usize,
}

impl IdColumn {
    fn of(line: &[u8]) -> IdColumn {
        let start = id_start(line);
        let id = &line[start..];
        let marks = id.iter().take_while(|b| b"^*?".contains(b)).count();
        let digits = id[marks..]
            .iter()
            .take_while(|b| b.is_ascii_hexdigit())
            .count();
        IdColumn {
            start,
            marks,
            width: marks + digits,
        }
    }
}
