//! The diff task: diffs two versions of a file, and lists the files that a commit changed.

use std::{io, ops::ControlFlow, sync::Arc};

use bstr::{BStr, BString, ByteSlice};
use tokio::sync::mpsc::Sender;

use crate::{
    diff::{self, Differ, Hunk, LineInterner},
    engine::Chunks,
    objects::{ObjectId, is_submodule},
    ranges::FunctionRule,
    sorting,
    viewer::{
        model::{
            diff::{
                Comparison, DiffRow, FilePart, FunctionName, MAX_PARTS, VersionPair, counterparts,
            },
            source::{CommitChanges, Failure, FileChange, FileVersion, VersionReader},
            texts::text::Text,
        },
        protocol::{DiffEvent, DiffEventKind, DiffJob, DiffTarget, Message},
        tasks::task::{Handler, Task, TaskContext, TaskRequest},
    },
};

/// The length in bytes beyond which no further file is compared with others.
const MAX_COMMIT_LEN: usize = 1 << 26;

/// Context lines before and after a change.
pub(super) const CONTEXT: u32 = 3;

impl TaskRequest for DiffJob {}

/// The handler of the diff task.
struct Comparer(Box<dyn VersionReader>);

/// Starts the task.
///
/// # Errors
/// The system cannot create a thread.
pub fn spawn(
    texts: Box<dyn VersionReader>,
    messages: Sender<Message>,
) -> io::Result<Task<DiffJob>> {
    Task::spawn(Comparer(texts), messages)
}

impl Handler for Comparer {
    type Request = DiffJob;

    fn handle(&mut self, job: &DiffJob, context: &TaskContext<'_>) {
        // A break means that the event loop has ended.
        let _ = run(self.0.as_mut(), job, context);
    }

    fn panicked(&mut self, job: &DiffJob, _: &str, context: &TaskContext<'_>) {
        let failed = || Failure::new("internal error: the diff failed");
        for kind in [
            DiffEventKind::Diff(Err(failed())),
            DiffEventKind::Files(Err(failed())),
        ] {
            let _ = report(job, kind, context);
        }
    }
}

fn report(job: &DiffJob, kind: DiffEventKind, context: &TaskContext<'_>) -> ControlFlow<()> {
    let id = job.id;
    context.send(Message::Diff(DiffEvent { id, kind }))
}

/// Runs a job and sends its results.
fn run(texts: &mut dyn VersionReader, job: &DiffJob, context: &TaskContext<'_>) -> ControlFlow<()> {
    let stop = &|| context.is_cancelled();
    let report = |kind| report(job, kind, context);
    match &job.target {
        DiffTarget::File(versions) => report(DiffEventKind::Diff(compare(
            texts,
            versions,
            None,
            job.whitespace,
        ))),
        DiffTarget::Line {
            commit,
            versions,
            line,
        } => {
            let diff = compare(texts, versions, Some(*line), job.whitespace);
            report(DiffEventKind::Diff(diff))?;
            let parent = versions.old.as_ref().map(|(parent, _)| *parent);
            let files = match commit {
                Some(commit) => texts.changes(commit, parent, stop),
                None => Ok(CommitChanges::default()),
            };
            report(DiffEventKind::Files(files))
        }
        DiffTarget::All {
            commit,
            parent,
            below,
        } => {
            report(DiffEventKind::Metadata(texts.commit(commit)))?;
            let files = texts.changes(commit, *parent, stop);
            if let Ok(changes) = &files {
                let below = below.as_ref().map(|below| below.as_bstr());
                let shown = shown_files(changes, below);
                let diff = compare_all(texts, commit, changes, shown, job.whitespace, stop);
                report(DiffEventKind::Diff(Ok(diff)))?;
            }
            report(DiffEventKind::Files(files))
        }
        DiffTarget::Commit {
            commit,
            path,
            parent,
        } => {
            report(DiffEventKind::Metadata(texts.commit(commit)))?;
            let files = texts.changes(commit, *parent, stop);
            if let Ok(changes) = &files {
                let same = |file: &&FileChange| file.path() == Some(path);
                let file = changes.files.iter().find(same);
                if let Some(file) = file.or(changes.files.first()) {
                    let versions = VersionPair::new(file, commit, changes.parent);
                    report(DiffEventKind::Versions(versions.clone()))?;
                    let diff = compare(texts, &versions, None, job.whitespace);
                    report(DiffEventKind::Diff(diff))?;
                } else {
                    let message = match parent {
                        Some(_) => "no file differs from this parent",
                        None => "the commit changed no file",
                    };
                    report(DiffEventKind::Diff(Err(Failure::new(message))))?;
                }
            }
            report(DiffEventKind::Files(files))
        }
    }
}

/// The indexes of the files that are shown: those below a directory, or all if there are none.
fn shown_files(changes: &CommitChanges, below: Option<&BStr>) -> Vec<usize> {
    let is_below = |side: &Option<(Arc<BString>, u32)>| {
        let path = side.as_ref().map(|(path, _)| path.as_slice());
        let rest = path
            .zip(below)
            .and_then(|(path, below)| path.strip_prefix(below.as_bytes()));
        rest.is_some_and(|rest| rest.starts_with(b"/"))
    };
    let files = changes.files.iter().enumerate();
    let shown = files.filter(|(_, file)| is_below(&file.old) || is_below(&file.new));
    let shown: Vec<usize> = shown.map(|(index, _)| index).collect();
    if shown.is_empty() {
        return (0..changes.files.len()).collect();
    }
    shown
}

/// Compares files of a commit, by their indexes, within [`MAX_COMMIT_LEN`].
fn compare_all(
    texts: &mut dyn VersionReader,
    commit: &ObjectId,
    changes: &CommitChanges,
    shown: Vec<usize>,
    whitespace: bool,
    stop: &dyn Fn() -> bool,
) -> Comparison {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    let (mut rows, mut parts, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    let mut start = (0, 0);
    for &index in shown.iter().take(MAX_PARTS) {
        let file = &changes.files[index];
        if stop() {
            break;
        }
        let versions = VersionPair::new(file, commit, changes.parent);
        let too_long = old.len() + new.len() > MAX_COMMIT_LEN;
        let compared = if too_long {
            Err(Failure::new("not compared: the commit is too large"))
        } else {
            compare(texts, &versions, None, whitespace)
        };
        let empty = || Arc::new(Text::new(Arc::from([])));
        let part = |texts, failure| FilePart {
            index,
            file: file.clone(),
            versions: versions.clone(),
            texts,
            start,
            row: rows.len(),
            failure,
        };
        let number = u32::try_from(parts.len()).unwrap_or(u32::MAX);
        match compared {
            Ok(one) => {
                let row = rows.len();
                let binary = one.old.is_binary() || one.new.is_binary();
                let shift = u32::try_from(row + 1).unwrap_or(u32::MAX);
                let failure = binary.then(|| Failure::new("binary file"));
                parts.push(part([one.old.clone(), one.new.clone()], failure));
                rows.push(DiffRow::File(number));
                pairs.push(None);
                if !binary {
                    rows.extend(one.rows.iter().map(|row| row.plus(start)));
                    let shifted = one.counterparts.iter();
                    pairs.extend(shifted.map(|at| at.map(|at| at.saturating_add(shift))));
                    append(&mut old, &one.old);
                    append(&mut new, &one.new);
                    start.0 += one.old.line_count();
                    start.1 += one.new.line_count();
                }
            }
            Err(failure) => {
                parts.push(part([empty(), empty()], Some(failure)));
                rows.push(DiffRow::File(number));
                pairs.push(None);
            }
        }
    }
    let omitted_files = changes.files.len() - shown.len().min(MAX_PARTS) + changes.more;
    if omitted_files > 0 {
        rows.push(DiffRow::OmittedFiles);
        pairs.push(None);
    }
    let [old, new] = compared_texts([old, new].map(Arc::from), whitespace);
    Comparison {
        parts,
        omitted_files,
        old,
        new,
        rows,
        counterparts: pairs,
        modes: (None, None),
        similarity: None,
        copied: false,
    }
}

/// The lines of two versions, with what ends them where that differs and white space counts.
fn compared_texts(versions: [Arc<[u8]>; 2], whitespace: bool) -> [Arc<Text>; 2] {
    let texts = versions.map(Text::new);
    let texts = if whitespace {
        texts
    } else {
        Text::with_differing_ends(texts)
    };
    texts.map(Arc::new)
}

/// Appends a text, which ends with a newline then.
fn append(all: &mut Vec<u8>, text: &Text) {
    all.extend_from_slice(text.bytes());
    if !text.bytes().is_empty() && !text.bytes().ends_with(b"\n") {
        all.push(b'\n');
    }
}

/// Sets the function that each hunk is in: the last function line of the old version before it.
fn name_functions(rows: &mut [DiffRow], old: &Text, rule: &FunctionRule) {
    let Ok(functions) = rule.compile(true) else {
        return;
    };
    let (mut searched, mut last) = (0, None);
    for row in rows {
        if let DiffRow::HunkHeader {
            old: start,
            function,
            ..
        } = row
        {
            let mut lines = (searched..*start).rev();
            let named = lines.find_map(|line| {
                let name = functions.function_name(old.line(line))?;
                Some(FunctionName {
                    line,
                    start: u32::try_from(name.start).ok()?,
                    end: u32::try_from(name.end).ok()?,
                })
            });
            last = named.or(last);
            searched = *start;
            *function = last;
        }
    }
}

fn compare(
    texts: &mut dyn VersionReader,
    versions: &VersionPair,
    line: Option<u32>,
    whitespace: bool,
) -> Result<Comparison, Failure> {
    let before = versions
        .old
        .as_ref()
        .map(|(commit, path)| FileVersion::Commit {
            commit: *commit,
            path: path.clone(),
        });
    let mut side = |version: Option<&FileVersion>| -> Result<(Option<u32>, Arc<[u8]>), Failure> {
        let Some(version) = version else {
            return Ok((None, Arc::from([])));
        };
        let mode = texts.mode(version)?;
        if mode.is_some_and(is_submodule) {
            let message = "this is a submodule's commit: there is no text to compare";
            return Err(Failure::new(message));
        }
        Ok((mode, texts.contents(version)?))
    };
    let (old_mode, old) = side(before.as_ref())?;
    let (new_mode, new) = side(versions.new.as_ref())?;
    let failure = |error: diff::DiffError| Failure::new(error);
    let options = diff::DiffOptions {
        ignore_whitespace: whitespace,
        ..texts.diff_options()
    };
    let mut lines = LineInterner::new(whitespace);
    let (mut old_tokens, mut new_tokens) = (Vec::new(), Vec::new());
    lines.tokenize(&old, &mut old_tokens).map_err(failure)?;
    lines.tokenize(&new, &mut new_tokens).map_err(failure)?;
    let mut hunks = Vec::new();
    Differ::default()
        .hunks(&lines, &old_tokens, &new_tokens, &options, &mut hunks)
        .map_err(failure)?;
    let (mut similarity, mut copied) = (None, false);
    if let (Some((_, before)), Some(FileVersion::Commit { commit, path })) =
        (&versions.old, &versions.new)
        && before != path
    {
        similarity = Some(if old == new {
            100
        } else {
            Chunks::new(&old).percent(&Chunks::new(&new))
        });
        let old_path = FileVersion::Commit {
            commit: *commit,
            path: before.clone(),
        };
        copied = texts.mode(&old_path)?.is_some();
    }
    let [old, new] = compared_texts([old, new], whitespace);
    let mut rows = rows(&hunks, (0, 0), new.line_count(), line, usize::MAX);
    if let Some(place) = before.as_ref().or(versions.new.as_ref()) {
        name_functions(&mut rows, &old, &texts.function_rule(place));
    }
    let pairs = counterparts(&rows, |at| match rows[at] {
        DiffRow::Removed(line) => old.line(line),
        row => row.new_line().map_or(&[][..], |line| new.line(line)),
    });
    Ok(Comparison {
        parts: Vec::new(),
        omitted_files: 0,
        old,
        new,
        counterparts: pairs,
        rows,
        modes: (old_mode, new_mode),
        similarity,
        copied,
    })
}

/// The rows of a diff whose new side has `count` lines: every change, and `line` (0-based) if
/// given, with [`CONTEXT`] lines around them. They begin at the lines `old` and `new`, and end
/// soon after `most` rows.
pub(super) fn rows(
    hunks: &[Hunk],
    (mut old, mut new): (u32, u32),
    count: u32,
    line: Option<u32>,
    most: usize,
) -> Vec<DiffRow> {
    let with_context = |start: u32, end: u32| {
        start.saturating_sub(CONTEXT)..end.saturating_add(CONTEXT).min(count)
    };
    let mut windows: Vec<_> = hunks
        .iter()
        .map(|hunk| with_context(hunk.new.start, hunk.new.end))
        .collect();
    if let Some(line) = line.filter(|&line| line < count) {
        windows.push(with_context(line, line + 1));
    }
    sorting::sort_by_key(&mut windows, |window| window.start);
    let mut rows = Vec::new();
    let mut hunks = hunks.iter().peekable();
    for window in windows {
        if rows.len() > most {
            break;
        }
        if rows.is_empty() || window.start > new {
            old += window.start - new;
            new = window.start;
            rows.push(DiffRow::HunkHeader {
                old,
                new,
                function: None,
            });
        }
        loop {
            if let Some(hunk) = hunks.next_if(|hunk| hunk.new.start == new) {
                rows.extend(hunk.old.clone().take(most).map(DiffRow::Removed));
                rows.extend(hunk.new.clone().take(most).map(DiffRow::Added));
                (old, new) = (hunk.old.end, hunk.new.end);
            } else if new < window.end {
                rows.push(DiffRow::Context { old, new });
                (old, new) = (old + 1, new + 1);
            } else {
                break;
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(hunks: &[Hunk], count: u32, line: u32) -> String {
        let rows = rows(hunks, (0, 0), count, Some(line), usize::MAX)
            .into_iter()
            .map(|row| match row {
                DiffRow::File(_) | DiffRow::OmittedFiles => unreachable!("rows of several files"),
                DiffRow::HunkHeader { old, new, .. } => format!("@{old},{new}"),
                DiffRow::Context { old, new } => format!("{old}={new}"),
                DiffRow::Removed(line) => format!("-{line}"),
                DiffRow::Added(line) => format!("+{line}"),
            });
        rows.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn changes_have_context_lines() {
        let hunk = |old, new| Hunk { old, new };
        assert_eq!(
            shown(&[hunk(5..6, 5..7), hunk(20..21, 21..21)], 22, 6),
            "@2,2 2=2 3=3 4=4 -5 +5 +6 6=7 7=8 8=9 @17,18 17=18 18=19 19=20 -20 21=21"
        );
        // Adjacent changes and the requested line share one hunk.
        assert_eq!(
            shown(&[hunk(1..2, 1..2), hunk(5..5, 5..6)], 8, 7),
            "@0,0 0=0 -1 +1 2=2 3=3 4=4 +5 5=6 6=7"
        );
        assert_eq!(shown(&[hunk(0..2, 0..0)], 0, 0), "@0,0 -0 -1");
        assert_eq!(shown(&[hunk(3..5, 3..3)], 3, 2), "@0,0 0=0 1=1 2=2 -3 -4");
        assert_eq!(shown(&[], 9, 8), "@5,5 5=5 6=6 7=7 8=8");
        assert_eq!(shown(&[], 0, 0), "");
    }

    #[test]
    fn removed_and_added_lines_of_a_change_are_paired() {
        use DiffRow::{Added, Context, Removed};
        let same = Context { old: 0, new: 0 };
        let rows = [
            Removed(1),
            Removed(2),
            Added(1),
            same,
            Added(3),
            Added(4),
            Removed(9),
            Added(5),
        ];
        let texts = [
            "burn(oil);",
            "light(the_wick, 3);",
            "light(the_wick, 4);",
            "}",
            "same();",
            "other();",
            "trim();",
            "none of it",
        ];
        // By what they have in common, and of as many lines by their order.
        let expected = [None, Some(2), Some(1), None, None, None, Some(7), Some(6)];
        assert_eq!(counterparts(&rows, |at| texts[at]), expected);
        let rows = [
            Removed(1),
            Removed(2),
            Added(1),
            Added(2),
            Added(3),
            Added(4),
        ];
        let texts = [
            "/* Off: don't send it. */",
            "if (flags & (OFF|SKIP)) return ERR;",
            "/* Off: don't send it.",
            " * Pushing: sends it nevertheless. */",
            "if ((flags & (OFF|SKIP)) &&",
            "    !(flags & PUSHING)) return ERR;",
        ];
        let expected = [Some(2), Some(4), Some(0), None, Some(1), None];
        assert_eq!(counterparts(&rows, |at| texts[at]), expected);
        // What is only reindented is paired with itself, whatever is around it.
        let rows = [
            Removed(1),
            Removed(2),
            Removed(3),
            Added(1),
            Added(2),
            Added(3),
        ];
        let texts = [
            "burn(oil);",
            "burn(gas);",
            "trim();",
            "while (dark) {",
            "\tburn(oil);",
            "\tburn(gas);",
        ];
        let expected = [Some(4), Some(5), None, None, Some(0), Some(1)];
        assert_eq!(counterparts(&rows, |at| texts[at]), expected);
    }
}
