//! JSON lines of the histories: one object for each record. All have `author`, `committer` and
//! `summary` of the commit, as in the objects of a blame.
//!
//! ## `--line-history`
//!
//! | key | value |
//! | --- | --- |
//! | `type` | `change` |
//! | `commit` | the id in hexadecimal, zeros for uncommitted changes |
//! | `path` | the file's path in that commit |
//! | `birth` | whether the commit added all of the lines |
//! | `merge` | whether the commit has several parents |
//! | `inferred` | whether the lines were followed to it by likeness (`-M`) |
//! | `ownChange` | what the commit did to the requested lines themselves: `wrote`, `changed`, or `none` where it changed only lines around them |
//! | `ownRanges` | the lines in that commit that they come from, by likeness: a list of `{"startLine", "endLine"}` |
//! | `ranges` | the lines in that commit: a list of `{"startLine", "endLine", "lines"}`, 1-based and inclusive, with the contents of the lines without newlines |
//! | `previous` | `{"commit", "path", "ranges"}` of the lines before the change, in the first parent that has the file, or null; the list of ranges is empty if the commit added all lines |
//!
//! ## `--file-history`
//!
//! | key | value |
//! | --- | --- |
//! | `type` | `version` |
//! | `commit` | the id in hexadecimal, zeros for uncommitted changes |
//! | `path` | the file's path in that commit |
//! | `status` | `added`, `modified`, `renamed` or `typeChanged` |
//! | `merge` | whether the commit has several parents |
//! | `mode`, `blob` | the file's mode, in octal as a string, and the id of its contents |
//! | `added`, `removed` | the numbers of lines that were added and removed since the previous version |
//! | `previous` | `{"commit", "path"}` of the file in the first parent that has it, or null |
//! | `next` | the ids of the commits before this one in the list whose versions were made from this one |
//! | `occurrences` | with `--search`, `{"count", "previous"}`: how often the text is in this version and in the previous one |
//!
//! ## `--deletions`
//!
//! | key | value |
//! | --- | --- |
//! | `type` | `deletion` |
//! | `commit` | the id in hexadecimal, zeros for uncommitted changes |
//! | `path` | the file's path in that commit |
//! | `merge` | whether the commit has several parents |
//! | `lineBefore`, `lineAfter` | the nearest lines of the file before and after the deleted ones (1-based), or null |
//! | `previous` | `{"commit", "path", "ranges"}` of the deleted lines, in the first parent that has the file; one range |

use std::sync::Arc;

use crate::{
    engine::{Deletion, FileRevision, LineChange, OwnChange},
    objects::ObjectId,
    output::{
        buffer::OutputBuffer,
        commit_provider::CommitProvider,
        error::OutputError,
        history::stream::{HistoryFormat, Written},
        json::values::{
            push_commit_text, push_flag, push_id, push_key, push_line_numbers, push_list,
            push_number, push_or_null, push_place, push_ranges, push_text,
        },
    },
    repository::commits::commit_text::CommitText,
};

/// The JSON lines format of the histories.
#[derive(Debug)]
pub struct JsonHistory<'a, C> {
    commits: &'a mut C,
    /// The commits of the versions so far.
    versions: Vec<ObjectId>,
}

impl<'a, C: CommitProvider> JsonHistory<'a, C> {
    /// Creates the format; commit metadata come from `commits`.
    pub fn new(commits: &'a mut C) -> Self {
        JsonHistory {
            commits,
            versions: Vec::new(),
        }
    }

    fn text(&mut self, commit: &ObjectId) -> Result<Arc<CommitText>, OutputError> {
        self.commits.text(commit).map_err(OutputError::Commit)
    }
}

impl<C: CommitProvider> HistoryFormat for JsonHistory<'_, C> {
    fn change(&mut self, out: &mut OutputBuffer<'_>, change: &LineChange<'_>) -> Written {
        let text = self.text(&change.commit)?;
        out.bytes(b"{\"type\":\"change\",\"commit\":");
        push_place(out, &change.commit, change.path);
        push_flag(out, "birth", change.is_birth());
        push_flag(out, "merge", change.is_merge);
        push_flag(out, "inferred", change.is_inferred);
        push_ranges(out, change.lines, change.version);
        push_or_null(
            out,
            "previous",
            change.previous.as_ref(),
            |out, previous| {
                out.bytes(b"{\"commit\":");
                push_place(out, &previous.commit, previous.path);
                push_ranges(out, previous.lines, previous.version);
                out.byte(b'}');
            },
        );
        push_key(out, "ownChange");
        out.bytes(match change.own_change {
            OwnChange::Wrote => b"\"wrote\"",
            OwnChange::Changed(_) => b"\"changed\"",
            OwnChange::None => b"\"none\"",
        });
        push_line_numbers(out, "ownRanges", change.own_lines);
        push_end(out, &text);
        Ok(())
    }

    fn revision(&mut self, out: &mut OutputBuffer<'_>, revision: &FileRevision<'_>) -> Written {
        let text = self.text(&revision.commit)?;
        out.bytes(b"{\"type\":\"version\",\"commit\":");
        push_place(out, &revision.commit, revision.path);
        push_key(out, "status");
        push_text(out, revision.change().name().as_bytes());
        push_flag(out, "merge", revision.is_merge);
        push_key(out, "mode");
        push_text(out, format!("{:o}", revision.entry.mode).as_bytes());
        push_key(out, "blob");
        push_id(out, &revision.entry.id);
        push_number(out, "added", u64::from(revision.added));
        push_number(out, "removed", u64::from(revision.removed));
        push_or_null(
            out,
            "previous",
            revision.previous.as_ref(),
            |out, previous| {
                out.bytes(b"{\"commit\":");
                push_place(out, &previous.commit, previous.path);
                out.byte(b'}');
            },
        );
        let next = revision.children.iter();
        let next = next.filter_map(|child| self.versions.get(child.number as usize));
        push_list(out, "next", next, push_id);
        if let Some(occurrences) = revision.occurrences {
            push_key(out, "occurrences");
            out.bytes(b"{\"count\":");
            out.number(occurrences.count);
            push_number(out, "previous", occurrences.previous);
            out.byte(b'}');
        }
        self.versions.push(revision.commit);
        push_end(out, &text);
        Ok(())
    }

    fn deletion(&mut self, out: &mut OutputBuffer<'_>, deletion: &Deletion<'_>) -> Written {
        let text = self.text(&deletion.commit)?;
        out.bytes(b"{\"type\":\"deletion\",\"commit\":");
        push_place(out, &deletion.commit, deletion.path);
        push_flag(out, "merge", deletion.is_merge);
        let line = |out: &mut OutputBuffer<'_>, line: u32| out.number(u64::from(line) + 1);
        push_or_null(out, "lineBefore", deletion.before, line);
        push_or_null(out, "lineAfter", deletion.after, line);
        push_key(out, "previous");
        out.bytes(b"{\"commit\":");
        push_place(out, &deletion.parent, deletion.parent_path);
        push_ranges(out, std::slice::from_ref(&deletion.lines), deletion.version);
        out.byte(b'}');
        push_end(out, &text);
        Ok(())
    }

    fn skip(&mut self, revision: &FileRevision<'_>) {
        self.versions.push(revision.commit);
    }
}

/// Appends the keys of the commit, and the end of the record.
fn push_end(out: &mut OutputBuffer<'_>, text: &CommitText) {
    push_commit_text(out, text);
    out.bytes(b"}\n");
}
