//! JSON lines: one object for each version.
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
//! | `author`, `committer`, `summary` | as in the objects of a blame |

use crate::{
    engine::FileRevision,
    objects::ObjectId,
    output::{
        buffer::OutputBuffer,
        commit_provider::CommitProvider,
        error::OutputError,
        file_history::revision_stream::RevisionFormat,
        json_values::{push_commit_text, push_flag, push_id, push_key, push_number, push_text},
    },
};

/// The JSON lines format of `--file-history`.
#[derive(Debug)]
pub struct JsonRevisions<'a, C> {
    commits: &'a mut C,
    /// The commits of the versions so far.
    ids: Vec<ObjectId>,
}

impl<'a, C: CommitProvider> JsonRevisions<'a, C> {
    /// Creates the format; commit metadata come from `commits`.
    pub fn new(commits: &'a mut C) -> Self {
        JsonRevisions {
            commits,
            ids: Vec::new(),
        }
    }
}

impl<C: CommitProvider> RevisionFormat for JsonRevisions<'_, C> {
    fn write(
        &mut self,
        out: &mut OutputBuffer<'_>,
        revision: &FileRevision<'_>,
    ) -> Result<(), OutputError> {
        let text = self.commits.text(&revision.commit);
        let text = text.map_err(OutputError::Commit)?;
        out.bytes(b"{\"type\":\"version\",\"commit\":");
        push_id(out, &revision.commit);
        push_key(out, "path");
        push_text(out, revision.path);
        push_key(out, "status");
        push_text(out, revision.change().name().as_bytes());
        push_flag(out, "merge", revision.is_merge);
        push_key(out, "mode");
        push_text(out, format!("{:o}", revision.entry.mode).as_bytes());
        push_key(out, "blob");
        push_id(out, &revision.entry.id);
        push_number(out, "added", u64::from(revision.added));
        push_number(out, "removed", u64::from(revision.removed));
        push_key(out, "previous");
        match &revision.previous {
            Some(previous) => {
                out.bytes(b"{\"commit\":");
                push_id(out, &previous.commit);
                push_key(out, "path");
                push_text(out, previous.path);
                out.byte(b'}');
            }
            None => out.bytes(b"null"),
        }
        push_key(out, "next");
        out.byte(b'[');
        let next = revision.children.iter();
        let next = next.filter_map(|child| self.ids.get(child.number as usize));
        for (nth, id) in next.enumerate() {
            if nth > 0 {
                out.byte(b',');
            }
            push_id(out, id);
        }
        out.byte(b']');
        if let Some(occurrences) = revision.occurrences {
            push_key(out, "occurrences");
            out.bytes(b"{\"count\":");
            out.number(occurrences.count);
            push_number(out, "previous", occurrences.previous);
            out.byte(b'}');
        }
        push_commit_text(out, &text);
        out.bytes(b"}\n");
        self.ids.push(revision.commit);
        Ok(())
    }

    fn skip(&mut self, revision: &FileRevision<'_>) {
        self.ids.push(revision.commit);
    }
}
