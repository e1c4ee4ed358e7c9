//! What lines are attributed to: by git, and in a view.

use std::{ffi::OsString, os::unix::ffi::OsStringExt};

use bstr::{BString, ByteSlice};
use tblame::internals::viewer::app::blame::view::View;

use crate::harness::{random_history::History, repository::TestRepo};

/// Commit, path and line (0-based) that a line is attributed to. No path if git quotes it.
pub type Answer = (String, Option<BString>, u32);

/// Whether git does not quote a path.
fn is_plain(path: &[u8]) -> bool {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && !b"\"\\".contains(byte);
    path.iter().all(is_plain)
}

/// What `git blame` says of a file of HEAD with options.
pub fn answers_of_git(repository: &TestRepo, options: &[String], path: &[u8]) -> Vec<Answer> {
    let mut arguments: Vec<OsString> = vec!["blame".into(), "--line-porcelain".into()];
    arguments.extend(options.iter().map(OsString::from));
    arguments.extend(["HEAD".into(), "--".into()]);
    arguments.push(OsString::from_vec(path.to_vec()));
    let text = repository.git(&arguments);
    let mut answers = Vec::new();
    let mut header: Option<(String, u32)> = None;
    for line in text.lines() {
        match &header {
            None => {
                let line = line.to_str_lossy();
                let mut words = line.split(' ');
                let (id, number) = (words.next().expect("an id"), words.next());
                let number: u32 = number.and_then(|it| it.parse().ok()).expect("a number");
                header = Some((id.to_owned(), number - 1));
            }
            Some((id, number)) => {
                if let Some(name) = line.strip_prefix(b"filename ") {
                    let name = Some(name).filter(|name| !name.starts_with(b"\""));
                    answers.push((id.clone(), name.map(BString::from), *number));
                } else if line.starts_with(b"\t") {
                    header = None;
                }
            }
        }
    }
    answers
}

/// What a view says of a line (0-based).
pub fn answer(view: &View, line: u32) -> Option<Answer> {
    let facts = view.attribution_of(line)?;
    let number = facts.entry.source_start + (line - facts.entry.lines.start);
    let path = Some(&*facts.origin.path).filter(|path| is_plain(path));
    Some((facts.commit.id.to_string(), path.cloned(), number))
}

/// What a view says of its lines.
pub fn answers(view: &View) -> Vec<Option<Answer>> {
    let count = view.text.line_count();
    (0..count).map(|line| answer(view, line)).collect()
}

/// The files of a history's HEAD that have some lines.
pub fn files_of_head(history: &History) -> Vec<Vec<u8>> {
    let head = history.repository.git_text(&["rev-parse", "HEAD"]);
    let at = history.ids.iter().position(|id| *id == head);
    let files = history.trees[at.expect("a commit of the history")].iter();
    let files = files.filter(|(_, file)| file.mode & 0o170000 == 0o100000 && file.bytes.len() > 20);
    files.map(|(path, _)| path.clone()).collect()
}
