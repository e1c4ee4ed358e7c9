//! JSON lines: one object for each deletion.
//!
//! | key | value |
//! | --- | --- |
//! | `type` | `deletion` |
//! | `commit` | the id in hexadecimal, zeros for uncommitted changes |
//! | `path` | the file's path in that commit |
//! | `merge` | whether the commit has several parents |
//! | `lineBefore`, `lineAfter` | the nearest lines of the file before and after the deleted ones (1-based), or null |
//! | `previous` | `{"commit", "path", "ranges"}` of the deleted lines, in the first parent that has the file; one range |
//! | `author`, `committer`, `summary` | as in the objects of a blame |

use crate::{
    engine::Deletion,
    output::{
        buffer::OutputBuffer,
        commit_provider::CommitProvider,
        deletions::deletion_stream::DeletionFormat,
        error::OutputError,
        json_values::{
            push_commit_text, push_flag, push_id, push_key, push_or_null, push_ranges, push_text,
        },
    },
};

/// The JSON lines format of `--deletions`.
#[derive(Debug)]
pub struct JsonDeletions<'a, C> {
    commits: &'a mut C,
}

impl<'a, C: CommitProvider> JsonDeletions<'a, C> {
    /// Creates the format; commit metadata come from `commits`.
    pub fn new(commits: &'a mut C) -> Self {
        JsonDeletions { commits }
    }
}

impl<C: CommitProvider> DeletionFormat for JsonDeletions<'_, C> {
    fn write(
        &mut self,
        out: &mut OutputBuffer<'_>,
        deletion: &Deletion<'_>,
    ) -> Result<(), OutputError> {
        let text = self.commits.text(&deletion.commit);
        let text = text.map_err(OutputError::Commit)?;
        out.bytes(b"{\"type\":\"deletion\",\"commit\":");
        push_id(out, &deletion.commit);
        push_key(out, "path");
        push_text(out, deletion.path);
        push_flag(out, "merge", deletion.is_merge);
        let line = |out: &mut OutputBuffer<'_>, line: u32| out.number(u64::from(line) + 1);
        push_or_null(out, "lineBefore", deletion.before, line);
        push_or_null(out, "lineAfter", deletion.after, line);
        push_key(out, "previous");
        out.bytes(b"{\"commit\":");
        push_id(out, &deletion.parent);
        push_key(out, "path");
        push_text(out, deletion.parent_path);
        push_ranges(out, std::slice::from_ref(&deletion.lines), deletion.version);
        out.byte(b'}');
        push_commit_text(out, &text);
        out.bytes(b"}\n");
        Ok(())
    }
}
