//! `--patch --json`.

use rustc_hash::FxHashSet;

use crate::{
    objects::ObjectId,
    output::{
        buffer::OutputBuffer,
        commit_provider::CommitProvider,
        error::OutputError,
        json::{
            records::{self, JsonHeader},
            values::{push_id, push_key, push_number, push_or_null, push_text},
        },
        patch::{
            attributed::{AttributedHunk, OldLine, OldLineRole, PatchBase},
            patch_format::PatchFormat,
            summary::PatchSummary,
        },
    },
    repository::commits::line_counts::CommitAuthors,
};

/// The JSON lines of a patch: a `removed` or `neighbour` record for each attributed line of its old
/// side.
pub(crate) struct JsonPatch<'a, C> {
    commits: &'a mut C,
    header: JsonHeader<'a>,
    /// The commits written so far.
    written: FxHashSet<ObjectId>,
}

impl<'a, C: CommitProvider> JsonPatch<'a, C> {
    /// Creates the format; commit metadata come from `commits`.
    pub(crate) fn new(commits: &'a mut C, header: JsonHeader<'a>) -> Self {
        JsonPatch {
            commits,
            header,
            written: FxHashSet::default(),
        }
    }

    fn push_line(&self, out: &mut OutputBuffer<'_>, path: &[u8], line: &OldLine<'_>) {
        out.bytes(match line.role {
            OldLineRole::Removed => b"{\"type\":\"removed\",\"path\":",
            OldLineRole::Neighbour => b"{\"type\":\"neighbour\",\"path\":",
        });
        push_text(out, path);
        push_parent(out, line.parent);
        push_number(out, "line", u64::from(line.line) + 1);
        push_key(out, "commit");
        push_id(out, &line.commit);
        push_key(out, "originalPath");
        push_text(out, line.original_path);
        push_number(out, "originalLine", u64::from(line.original_line) + 1);
        if self.header.fields.text {
            push_key(out, "text");
            push_text(out, line.text);
        }
        out.bytes(b"}\n");
    }
}

impl<C: CommitProvider> PatchFormat for JsonPatch<'_, C> {
    fn authors(&mut self, commit: &ObjectId) -> Result<CommitAuthors, OutputError> {
        self.commits.authors(commit).map_err(OutputError::Commit)
    }

    fn begin(&mut self, out: &mut OutputBuffer<'_>) {
        records::push_header(out, &self.header, None);
    }

    fn base(&mut self, out: &mut OutputBuffer<'_>, base: &PatchBase) {
        out.bytes(b"{\"type\":\"base\",\"path\":");
        push_text(out, &base.path);
        push_parent(out, base.parent);
        push_key(out, "commit");
        push_id(out, &base.commit);
        push_key(out, "foundBy");
        push_text(out, base.rule.name().as_bytes());
        out.bytes(b"}\n");
    }

    fn hunk(
        &mut self,
        out: &mut OutputBuffer<'_>,
        hunk: &AttributedHunk<'_>,
    ) -> Result<(), OutputError> {
        for line in &hunk.old {
            if self.written.insert(line.commit) {
                records::push_commit(out, &line.commit, self.commits, self.header.fields)?;
            }
            let path = hunk.paths.get(line.parent.unwrap_or(0));
            let path = path.and_then(Option::as_ref).map_or(&b""[..], |path| path);
            self.push_line(out, path, line);
        }
        Ok(())
    }

    fn unapplied(&mut self, out: &mut OutputBuffer<'_>, line: u32, reason: &str) {
        out.bytes(b"{\"type\":\"unapplied\",\"patchLine\":");
        out.number(line.into());
        push_key(out, "reason");
        push_text(out, reason.as_bytes());
        out.bytes(b"}\n");
    }

    fn end(
        &mut self,
        out: &mut OutputBuffer<'_>,
        summary: &PatchSummary,
    ) -> Result<(), OutputError> {
        for (commit, lines) in summary.commits() {
            if summary.is_fixup_candidate(&commit) {
                out.bytes(b"{\"type\":\"fixup\",\"commit\":");
                push_id(out, &commit);
                push_number(out, "lines", lines.into());
                out.bytes(b"}\n");
            }
        }
        let counts = [
            ("commits", self.written.len() as u64),
            ("removed", summary.count(OldLineRole::Removed)),
            ("neighbours", summary.count(OldLineRole::Neighbour)),
            ("unapplied", summary.unapplied.into()),
        ];
        records::push_end(out, &counts, None);
        Ok(())
    }
}

/// The parent of a combined diff (1-based), or null.
fn push_parent(out: &mut OutputBuffer<'_>, parent: Option<usize>) {
    push_or_null(out, "parent", parent, |out, parent| {
        out.number(parent as u64 + 1)
    });
}
