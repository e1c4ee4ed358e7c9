//! The commits that changed lines: the same as those of `git log -L`.

mod command_line;
mod generated;
mod own_lines;
mod rules;

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::{OsStrExt, OsStringExt},
};

use bstr::ByteSlice;

use crate::harness::{
    git::git_program,
    program::{ProgramOutput, tblame_program},
    repository::TestRepo,
};

/// A commit that changed lines, and the lines in it: pairs of a first and a last line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundChange {
    pub commit: String,
    pub lines: Vec<(u32, u32)>,
}

/// The changes that `git log -L` finds for `ranges` of the file at `path`, in its order; `None` if git ends with an error.
/// Lines are left out for merges, which git shows without them.
pub fn changes_of_git(
    repository: &TestRepo,
    revision: &str,
    path: &[u8],
    ranges: &[String],
    options: &[&str],
) -> Option<Vec<FoundChange>> {
    let mut command = repository.command(git_program());
    command.args(["log", "--no-color", "--text", "--format=commit %H %P"]);
    command.args(options);
    for range in ranges {
        let argument = [b"-L", range.as_bytes(), b":", path].concat();
        command.arg(OsString::from_vec(argument));
    }
    let output = ProgramOutput::of(command.arg(revision));
    if output.status != Some(0) {
        return None;
    }
    let mut found: Vec<FoundChange> = Vec::new();
    let mut is_merge = false;
    for line in output.stdout.lines() {
        if let Some(ids) = line.strip_prefix(b"commit ") {
            let ids: Vec<_> = ids.to_str_lossy().split(' ').map(str::to_owned).collect();
            is_merge = ids.len() > 2;
            found.push(FoundChange {
                commit: ids[0].clone(),
                lines: Vec::new(),
            });
        } else if let Some(header) = line.strip_prefix(b"@@ -")
            && !is_merge
        {
            let new = header.to_str_lossy();
            let new = new.split(['+', ' ']).nth(2).expect("a hunk header");
            let (start, count) = new.split_once(',').unwrap_or((new, "1"));
            let number = |text: &str| text.parse::<u32>().expect("a number");
            let (start, count) = (number(start), number(count));
            let change = found.last_mut().expect("a commit comes first");
            change.lines.push((start, start + count - 1));
        }
    }
    Some(found)
}

/// The changes that tblame finds, with the same arguments and further `options`.
pub fn changes_of_tblame(
    repository: &TestRepo,
    revision: &str,
    path: &[u8],
    ranges: &[String],
    options: &[&str],
) -> Vec<FoundChange> {
    let mut command = repository.command(tblame_program().as_os_str());
    command.args(["--line-history", "--json"]).args(options);
    for range in ranges {
        command.arg(format!("-L{range}"));
    }
    command.args([
        OsStr::new(revision),
        OsStr::new("--"),
        OsStr::from_bytes(path),
    ]);
    let output = ProgramOutput::of(&mut command);
    assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
    assert_eq!(output.stderr.as_bstr(), b"");
    let records: Vec<&[u8]> = output.stdout.lines().collect();
    let [header, changes @ .., end] = &*records else {
        panic!("there is a header and an end");
    };
    assert!(header.starts_with(b"{\"type\":\"header\""));
    assert!(
        end.starts_with(format!("{{\"type\":\"end\",\"commits\":{},", changes.len()).as_bytes())
    );
    changes
        .iter()
        .map(|object| change_of_object(object))
        .collect()
}

/// Reads an object of `--json`. Quotes in strings are escaped, so that keys are found as they are.
fn change_of_object(object: &[u8]) -> FoundChange {
    let text = object.to_str_lossy();
    let (before, own) = text.split_once("\"path\":").expect("a path");
    let (own, _) = own.split_once("\"previous\":").expect("a previous version");
    let is_merge = own.contains("\"merge\":true");
    let number = |text: &str| {
        let digits = text.split(|c: char| !c.is_ascii_digit()).next();
        digits
            .and_then(|digits| digits.parse().ok())
            .expect("a number")
    };
    let starts = own.split("\"startLine\":").skip(1).filter(|_| !is_merge);
    let lines = starts.map(|text| {
        let (_, end) = text.split_once("\"endLine\":").expect("an end");
        (number(text), number(end))
    });
    FoundChange {
        commit: before.split('"').nth(7).expect("an id").to_owned(),
        lines: lines.collect(),
    }
}
