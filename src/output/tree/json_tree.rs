//! JSON lines: one object for each entry of a directory. `docs/json.md` describes them.

use rustc_hash::FxHashSet;

use crate::{
    engine::{PlannedBlame, PlannedFile},
    objects::ObjectId,
    output::{
        buffer::OutputBuffer,
        commit_provider::CommitProvider,
        error::OutputError,
        json::{
            lines::{push_agents, push_entry},
            records::{self, JsonFields, JsonHeader},
            values::{
                push_flag, push_id, push_key, push_list, push_number, push_or_null, push_text,
            },
        },
        people::json_people::{push_share, push_years},
    },
    repository::tree::node::Node,
};

/// The JSON lines format of `--tree`.
#[derive(Debug)]
pub struct JsonTree<'a> {
    header: JsonHeader<'a>,
    /// The commits written so far.
    written: FxHashSet<ObjectId>,
    nodes: u64,
    files: u64,
    failed: u64,
    lines: u64,
    generated_files: u64,
    generated_lines: u64,
}

impl<'a> JsonTree<'a> {
    /// Creates the format.
    pub fn new(header: JsonHeader<'a>) -> Self {
        JsonTree {
            header,
            written: FxHashSet::default(),
            nodes: 0,
            files: 0,
            failed: 0,
            lines: 0,
            generated_files: 0,
            generated_lines: 0,
        }
    }

    /// The fields that were asked for.
    pub fn fields(&self) -> JsonFields {
        self.header.fields
    }

    /// Writes the header.
    pub fn begin(&self, out: &mut OutputBuffer<'_>) {
        records::push_header(out, &self.header, None);
    }

    /// Writes the lines of a file, if they were asked for.
    ///
    /// # Errors
    ///
    /// If a commit cannot be read.
    pub fn file(
        &mut self,
        out: &mut OutputBuffer<'_>,
        file: &PlannedFile,
        blame: &PlannedBlame,
        is_generated: bool,
        commits: &mut impl CommitProvider,
    ) -> Result<(), OutputError> {
        let fields = self.header.fields;
        if !fields.lines {
            return Ok(());
        }
        out.bytes(b"{\"type\":\"file\",\"path\":");
        push_text(out, &file.path);
        push_number(out, "lineCount", blame.line_count.into());
        push_flag(out, "generated", is_generated);
        out.bytes(b"}\n");
        for entry in &blame.entries {
            let Some(origin) = blame.origins.get(entry.origin.0 as usize) else {
                continue;
            };
            self.commit(out, &origin.commit, commits)?;
            let boundary = blame.boundaries.binary_search(&origin.commit).is_ok();
            push_entry(out, entry, &blame.origins, boundary);
            if fields.agent {
                push_agents(out, commits, entry, origin)?;
            }
            out.bytes(b"}\n");
        }
        Ok(())
    }

    fn commit(
        &mut self,
        out: &mut OutputBuffer<'_>,
        id: &ObjectId,
        commits: &mut impl CommitProvider,
    ) -> Result<(), OutputError> {
        if self.written.insert(*id) {
            records::push_commit(out, id, commits, self.header.fields)?;
        }
        Ok(())
    }

    /// Writes an entry of the directory.
    ///
    /// # Errors
    ///
    /// If its last commit cannot be read.
    pub fn node(
        &mut self,
        out: &mut OutputBuffer<'_>,
        node: &Node,
        commits: &mut impl CommitProvider,
    ) -> Result<(), OutputError> {
        if let Some(last) = &node.last_commit {
            self.commit(out, last, commits)?;
        }
        out.bytes(b"{\"type\":\"node\",\"path\":");
        push_text(out, &node.path);
        push_key(out, "kind");
        push_text(out, node.kind.name().as_bytes());
        push_or_null(out, "lastCommit", node.last_commit.as_ref(), push_id);
        push_flag(out, "boundary", node.is_boundary);
        if let Some(is_uncommitted) = node.is_uncommitted {
            push_flag(out, "uncommitted", is_uncommitted);
        }
        push_number(out, "files", node.files);
        push_number(out, "failed", node.failed);
        push_number(out, "lines", node.counts.lines());
        push_number(out, "generatedFiles", node.generated_files);
        push_number(out, "generatedLines", node.generated_lines);
        if self.header.fields.agent {
            push_number(out, "agentLines", node.agent_lines.unwrap_or(0));
        }
        let dates = node.counts.dates();
        let push_time =
            |out: &mut OutputBuffer<'_>, time: i64| out.bytes(time.to_string().as_bytes());
        push_or_null(out, "firstTime", dates.map(|dates| dates.0.time), push_time);
        push_or_null(out, "lastTime", dates.map(|dates| dates.1.time), push_time);
        push_years(out, &node.counts.years());
        push_list(out, "people", &node.counts.people(), |out, person| {
            out.bytes(b"{\"name\":");
            push_share(out, person);
            out.byte(b'}');
        });
        out.bytes(b"}\n");
        self.nodes += 1;
        self.files += node.files;
        self.failed += node.failed;
        self.lines += node.counts.lines();
        self.generated_files += node.generated_files;
        self.generated_lines += node.generated_lines;
        Ok(())
    }

    /// Writes the end.
    pub fn end(&self, out: &mut OutputBuffer<'_>) {
        let counts = [
            ("nodes", self.nodes),
            ("files", self.files),
            ("failed", self.failed),
            ("lines", self.lines),
            ("generatedFiles", self.generated_files),
            ("generatedLines", self.generated_lines),
        ];
        records::push_end(out, &counts, None);
    }
}
