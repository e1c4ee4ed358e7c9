//! JSON lines: one object for each commit.
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
//! | `author`, `committer`, `summary` | as in the objects of a blame |

use crate::{
    engine::{LineChange, OwnChange},
    output::{
        buffer::OutputBuffer,
        commit_provider::CommitProvider,
        error::OutputError,
        json_values::{
            push_commit_text, push_flag, push_id, push_key, push_line_numbers, push_ranges,
            push_text,
        },
        line_history::change_stream::ChangeFormat,
    },
};

/// The JSON lines format of `--line-history`.
#[derive(Debug)]
pub struct JsonChanges<'a, C> {
    commits: &'a mut C,
}

impl<'a, C: CommitProvider> JsonChanges<'a, C> {
    /// Creates the format; commit metadata come from `commits`.
    pub fn new(commits: &'a mut C) -> Self {
        JsonChanges { commits }
    }
}

impl<C: CommitProvider> ChangeFormat for JsonChanges<'_, C> {
    fn write(
        &mut self,
        out: &mut OutputBuffer<'_>,
        change: &LineChange<'_>,
    ) -> Result<(), OutputError> {
        let text = self.commits.text(&change.commit);
        let text = text.map_err(OutputError::Commit)?;
        out.bytes(b"{\"type\":\"change\",\"commit\":");
        push_id(out, &change.commit);
        push_key(out, "path");
        push_text(out, change.path);
        push_flag(out, "birth", change.is_birth());
        push_flag(out, "merge", change.is_merge);
        push_flag(out, "inferred", change.is_inferred);
        push_ranges(out, change.lines, change.version);
        push_key(out, "previous");
        match &change.previous {
            Some(previous) => {
                out.bytes(b"{\"commit\":");
                push_id(out, &previous.commit);
                push_key(out, "path");
                push_text(out, previous.path);
                push_ranges(out, previous.lines, previous.version);
                out.byte(b'}');
            }
            None => out.bytes(b"null"),
        }
        push_key(out, "ownChange");
        out.bytes(match change.own_change {
            OwnChange::Wrote => b"\"wrote\"",
            OwnChange::Changed => b"\"changed\"",
            OwnChange::None => b"\"none\"",
        });
        push_line_numbers(out, "ownRanges", change.own_lines);
        push_commit_text(out, &text);
        out.bytes(b"}\n");
        Ok(())
    }
}
