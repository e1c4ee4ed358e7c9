//! The width of the id column, which depends on the version of git.
//!
//! The newest git widens a shortened id by the largest number of marks (`^`, `*`, `?`) on any
//! shown line, older ones always by one. tblame follows the newest rule. An old git's output is
//! compared by cutting the column that is wider, digit by digit accounted for.

use std::{ffi::OsStr, io::Write, process::Command};

/// Whether these arguments ask for human output, whose first column is the id.
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
    /// As wide as the marks shown need.
    ByMarks,
    /// One more than the shortened id.
    AlwaysOneMore,
}

impl IdWidth {
    /// Asks `git` itself, with a history of one line that has no marks.
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

    /// Whether git's output and tblame's are the same but for the rule.
    pub fn same(self, git: &[u8], tblame: &[u8]) -> bool {
        if self == IdWidth::ByMarks {
            return git == tblame;
        }
        let columns = git.split(|&b| b == b'\n').map(IdColumn::of);
        let marks = columns.clone().map(|id| id.marks).max().unwrap_or(0);
        let width = columns.map(|id| id.width).max().unwrap_or(0);
        // A full id is as wide under both rules, and where an error cut the output short the marks
        // may be on lines that are missing.
        if git == tblame && (marks == 1 || width >= 40 || git.last() != Some(&b'\n')) {
            return true;
        }
        let (git_cut, tblame_cut) = match marks {
            0 => (1, 0),
            _ => (0, marks - 1),
        };
        // With `-b` every id can be blank.
        let width = width.max(1 + marks);
        let mut ours = tblame.split(|&b| b == b'\n');
        git.split(|&b| b == b'\n').all(|theirs| {
            ours.next().is_some_and(|ours| {
                let start = IdColumn::of(theirs).start;
                let id = theirs.get(start..start + width).unwrap_or_default();
                let is_id = |b: &u8| b.is_ascii_hexdigit() || b"^*? ".contains(b);
                // What follows a newline in a path is a line without an id.
                if !id.is_empty() && id.iter().all(is_id) {
                    let end = start + width;
                    cut(theirs, end, git_cut) == cut(ours, end + tblame_cut, tblame_cut)
                } else {
                    theirs == ours
                }
            })
        }) && ours.next().is_none()
    }
}

/// Where a line of human output has its id.
struct IdColumn {
    /// Bytes before it: a colour.
    start: usize,
    /// Marks at its start.
    marks: usize,
    /// Marks and digits together; 0 where it is blank.
    width: usize,
}

impl IdColumn {
    fn of(line: &[u8]) -> IdColumn {
        let start = match line.strip_prefix(b"\x1b[") {
            Some(rest) => rest.iter().position(|&b| b == b'm').map_or(0, |m| m + 3),
            None => 0,
        };
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

/// `line` without the `count` bytes that end at `end`.
fn cut(line: &[u8], end: usize, count: usize) -> Vec<u8> {
    let end = end.min(line.len());
    let start = end.saturating_sub(count);
    [&line[..start], &line[end..]].concat()
}
