//! `--json`: JSON lines, one object for each entry as soon as it is blamed. `docs/json.md`
//! describes them.

use std::sync::Arc;

use bstr::ByteSlice;
use rustc_hash::FxHashSet;

use crate::{
    engine::{Entry, Origin, OriginId},
    objects::ObjectId,
    output::{
        buffer::OutputBuffer,
        commit_provider::CommitProvider,
        error::OutputError,
        json::{
            records::{self, JsonHeader},
            values::{
                push_flag, push_key, push_list, push_number, push_or_null, push_place, push_text,
            },
        },
        stream::EntryFormat,
    },
    text::line_offsets::LineOffsets,
};

/// The JSON lines format.
#[derive(Debug)]
pub struct JsonLines<'a, C> {
    commits: &'a mut C,
    header: JsonHeader<'a>,
    has_header: bool,
    contents: Arc<[u8]>,
    /// The start offset of each line, then the end of the file.
    bounds: Vec<usize>,
    /// The commits written so far.
    written: FxHashSet<ObjectId>,
    entries: u64,
    lines: u64,
}

impl<'a, C: CommitProvider> JsonLines<'a, C> {
    /// Creates the format; commit metadata come from `commits`.
    pub fn new(commits: &'a mut C, header: JsonHeader<'a>) -> Self {
        JsonLines {
            commits,
            header,
            has_header: false,
            contents: Arc::from(&[][..]),
            bounds: vec![0],
            written: FxHashSet::default(),
            entries: 0,
            lines: 0,
        }
    }

    fn write_header(&mut self, out: &mut OutputBuffer<'_>) {
        if !self.has_header {
            self.has_header = true;
            let lines = self.bounds.len().saturating_sub(1);
            records::push_header(out, &self.header, Some(lines as u64));
        }
    }
}

impl<C: CommitProvider> EntryFormat for JsonLines<'_, C> {
    fn started(&mut self, contents: &Arc<[u8]>) {
        self.contents = Arc::clone(contents);
        self.bounds = LineOffsets::new(contents).into_bounds();
    }

    fn write(
        &mut self,
        out: &mut OutputBuffer<'_>,
        entry: &Entry,
        origins: &[Origin],
        boundary: bool,
    ) -> Result<(), OutputError> {
        let Some(origin) = origins.get(entry.origin.0 as usize) else {
            return Ok(());
        };
        self.write_header(out);
        if self.written.insert(origin.commit) {
            records::push_commit(out, &origin.commit, self.commits, self.header.fields)?;
        }
        push_entry(out, entry, origins, boundary);
        if self.header.fields.text {
            push_list(out, "lines", entry.lines.clone(), |out, line| {
                push_text(out, self.line(line));
            });
        }
        if self.header.fields.agent {
            push_agents(out, self.commits, entry, origin)?;
        }
        out.bytes(b"}\n");
        self.entries += 1;
        self.lines += u64::from(entry.lines.end.saturating_sub(entry.lines.start));
        Ok(())
    }

    fn end(&mut self, out: &mut OutputBuffer<'_>) {
        self.write_header(out);
        let counts = [
            ("commits", self.written.len() as u64),
            ("entries", self.entries),
            ("lines", self.lines),
        ];
        records::push_end(out, &counts, None);
    }
}

impl<C> JsonLines<'_, C> {
    /// A line without its newline.
    fn line(&self, line: u32) -> &[u8] {
        let line = line as usize;
        let bounds = (self.bounds.get(line), self.bounds.get(line + 1));
        let (Some(&start), Some(&end)) = bounds else {
            return &[];
        };
        let text = &self.contents[start..end];
        text.strip_suffix(b"\n").unwrap_or(text)
    }
}

/// Appends the keys that every entry has. The object is left open.
pub(crate) fn push_entry(
    out: &mut OutputBuffer<'_>,
    entry: &Entry,
    origins: &[Origin],
    boundary: bool,
) {
    let Some(origin) = origins.get(entry.origin.0 as usize) else {
        return;
    };
    out.bytes(b"{\"type\":\"entry\",\"commit\":");
    push_place(out, &origin.commit, &origin.path);
    let count = u64::from(entry.lines.end.saturating_sub(entry.lines.start));
    push_number(out, "originalLine", u64::from(entry.source_start) + 1);
    push_number(out, "finalLine", u64::from(entry.lines.start) + 1);
    push_number(out, "lineCount", count);
    push_flag(out, "boundary", boundary);
    push_flag(out, "ignored", entry.ignored);
    push_flag(out, "unblamable", entry.unblamable);
    let previous = origin
        .previous
        .and_then(|OriginId(at)| origins.get(at as usize));
    push_or_null(out, "previous", previous, |out, previous| {
        out.bytes(b"{\"commit\":");
        push_place(out, &previous.commit, &previous.path);
        out.byte(b'}');
    });
}

/// Appends what agents wrote of an entry, with its lines in the blamed version.
pub(crate) fn push_agents(
    out: &mut OutputBuffer<'_>,
    commits: &mut impl CommitProvider,
    entry: &Entry,
    origin: &Origin,
) -> Result<(), OutputError> {
    let count = entry.lines.end.saturating_sub(entry.lines.start);
    let lines = entry.source_start..entry.source_start.saturating_add(count);
    let found = commits
        .agents(&origin.commit, origin.path.as_bstr(), lines)
        .map_err(OutputError::Commit)?;
    push_list(out, "agents", &found, |out, found| {
        out.bytes(b"{\"finalLine\":");
        let first = found.lines.start - entry.source_start + entry.lines.start;
        out.number(u64::from(first) + 1);
        push_number(out, "lineCount", found.lines.len() as u64);
        push_key(out, "source");
        push_text(out, found.source.name().as_bytes());
        let agent = &found.agent;
        for (key, text) in [
            ("tool", &agent.tool),
            ("model", &agent.model),
            ("human", &agent.human),
        ] {
            push_or_null(out, key, text.as_ref(), |out, text| {
                push_text(out, text.as_bytes())
            });
        }
        out.byte(b'}');
    });
    Ok(())
}
