//! What became of a line, told by `git blame --reverse` alone.

use std::{ffi::OsString, os::unix::ffi::OsStringExt};

use bstr::ByteSlice;
use tblame::internals::viewer::model::background::line_outcome::LineOutcome;

/// A command of git: what it prints, or `None` if it fails.
pub type AskGit<'a> = &'a dyn Fn(&[OsString]) -> Option<Vec<u8>>;

/// A line (0-based) of a file in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub commit: String,
    pub path: Vec<u8>,
    pub line: u32,
}

/// The last commit with a line, and the commit after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub last: Place,
    pub next: Option<String>,
    /// That deleted the file.
    pub is_file_deleted: bool,
    /// Who wrote it, where HEAD does not descend from that commit.
    pub other_branch: Option<String>,
    /// The change was found before another parent of a merge.
    pub is_aside: bool,
}

impl Outcome {
    /// What tblame found; `is_aside` is for the caller to set, as tblame does not tell.
    pub fn of_tblame(outcome: &LineOutcome, is_aside: bool) -> Outcome {
        Outcome {
            last: Place {
                commit: outcome.last.commit.to_string(),
                path: outcome.last.path.to_vec(),
                line: outcome.last.line,
            },
            next: outcome.next.as_ref().map(|(commit, _)| commit.to_string()),
            is_file_deleted: matches!(outcome.next, Some((_, None))),
            other_branch: outcome.other_branch.map(|commit| commit.to_string()),
            is_aside,
        }
    }
}

/// `None` if git refuses.
pub fn outcome_of_git(git: AskGit<'_>, from: &Place) -> Option<Outcome> {
    let mut outcome = to_tip(git, from, "HEAD")?;
    while let Some(merge) = &outcome.next {
        let parents = git(&["rev-parse".into(), format!("{merge}^@").into()])?;
        let parents = parents.to_str_lossy().into_owned();
        let count = parents.lines().count();
        let others = parents
            .lines()
            .filter(|parent| *parent != outcome.last.commit);
        let side = others
            .filter(|_| count > 1)
            .find_map(|parent| to_tip(git, from, parent).filter(|side| side.next.is_some()));
        let Some(side) = side else { break };
        outcome = Outcome {
            is_aside: true,
            ..side
        };
    }
    Some(outcome)
}

/// What became of a line on the way to `tip`.
fn to_tip(git: AskGit<'_>, from: &Place, tip: &str) -> Option<Outcome> {
    let descends = |commit: &str| {
        let words = ["merge-base", "--is-ancestor", commit, tip];
        git(&words.map(OsString::from)).is_some()
    };
    let mut outcome = Outcome {
        last: from.clone(),
        next: None,
        is_file_deleted: false,
        other_branch: None,
        is_aside: false,
    };
    let mut from = from.clone();
    if !descends(&from.commit) {
        let (written, _) = blame(git, &[], &format!("{tip}..{}", from.commit), &from)?;
        if !descends(&written.commit) {
            outcome.other_branch = Some(written.commit);
            return Some(outcome);
        }
        from = written;
    }
    let range = format!("{}..{tip}", from.commit);
    (outcome.last, outcome.next) = blame(git, &["--reverse"], &range, &from)?;
    if outcome.next.is_none() {
        let range = format!("{}..{tip}", outcome.last.commit);
        let listed = git(&["log", "--format=%ct %H %P", &range].map(OsString::from))?;
        let listed = listed.to_str_lossy();
        let children = listed.lines().filter_map(|line| {
            let (time, ids) = line.split_once(' ')?;
            let (id, parents) = ids.split_once(' ')?;
            let mut all = parents.split(' ');
            let is_child = all.any(|parent| parent == outcome.last.commit);
            let time: i64 = time.parse().expect("a time");
            is_child.then(|| (parents.contains(' '), time, id.to_owned()))
        });
        outcome.next = children.min().map(|(_, _, id)| id);
        outcome.is_file_deleted = outcome.next.is_some();
    }
    Some(outcome)
}

/// What a blame of one line says, and the commit of its `previous`.
fn blame(
    git: AskGit<'_>,
    options: &[&str],
    range: &str,
    place: &Place,
) -> Option<(Place, Option<String>)> {
    let number = place.line + 1;
    let mut words: Vec<OsString> = vec!["blame".into(), "--line-porcelain".into()];
    words.extend(options.iter().map(OsString::from));
    words.extend([format!("-L{number},{number}").into(), range.into()]);
    words.extend(["--".into(), OsString::from_vec(place.path.clone())]);
    let output = git(&words)?;
    let mut fields = output.split(|byte| byte.is_ascii_whitespace());
    let commit = fields.next()?.to_str().ok()?.to_owned();
    let line: u32 = fields.next()?.to_str().ok()?.parse().ok()?;
    let header = |name: &str| {
        let mut lines = output.lines();
        lines.find_map(|line| line.strip_prefix(name.as_bytes()))
    };
    let previous = header("previous ").and_then(|rest| rest.split_str(" ").next());
    let found = Place {
        commit,
        path: unquoted(header("filename ")?),
        line: line - 1,
    };
    Some((found, previous.map(|id| id.to_str_lossy().into_owned())))
}

/// A name without the quotes and escapes of git.
fn unquoted(name: &[u8]) -> Vec<u8> {
    let inner = name.strip_prefix(b"\"");
    let Some(mut rest) = inner.and_then(|it| it.strip_suffix(b"\"")) else {
        return name.to_vec();
    };
    let mut bytes = Vec::new();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'\\' {
            bytes.push(first);
            continue;
        }
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 3 {
            let octal = rest[..3]
                .iter()
                .fold(0, |sum, &digit| sum * 8 + u32::from(digit - b'0'));
            bytes.push(u8::try_from(octal).expect("three octal digits of a byte"));
            rest = &rest[3..];
        } else {
            bytes.push(match rest[0] {
                b't' => b'\t',
                b'n' => b'\n',
                b'r' => b'\r',
                other => other,
            });
            rest = &rest[1..];
        }
    }
    bytes
}
