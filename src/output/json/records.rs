//! The records that all JSON outputs share: the header, commits, and the end.
//!
//! The header comes first, and the end last: without it, the output is incomplete. The version of
//! the schema counts up when a record changes in a way that readers could trip over; new keys do
//! not count. `docs/tblame.schema.json` is the schema.

use bstr::{BStr, ByteSlice};

use crate::{
    engine::{Request, Start},
    objects::ObjectId,
    output::{
        buffer::OutputBuffer,
        commit_provider::CommitProvider,
        commit_writer::CommitWriter,
        error::OutputError,
        json::values::{
            push_commit_text, push_flag, push_id, push_key, push_list, push_number, push_or_null,
            push_text,
        },
    },
    repository::commits::trailers,
};

/// The version of the schema.
const SCHEMA: u64 = 1;

/// The subject of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonKind {
    /// A blame.
    Blame,
    /// `--line-history`.
    LineHistory,
    /// `--file-history`.
    FileHistory,
    /// `--deletions`.
    Deletions,
    /// `--people`.
    People,
    /// `--tree`.
    Tree,
    /// `--patch`.
    Patch,
    /// `--places`.
    Places,
    /// `--why`.
    Why,
}

impl JsonKind {
    fn name(self) -> &'static str {
        match self {
            JsonKind::Blame => "blame",
            JsonKind::LineHistory => "line-history",
            JsonKind::FileHistory => "file-history",
            JsonKind::Deletions => "deletions",
            JsonKind::People => "people",
            JsonKind::Tree => "tree",
            JsonKind::Patch => "patch",
            JsonKind::Places => "places",
            JsonKind::Why => "why",
        }
    }
}

/// The further fields of the objects of a blame (`--json-fields`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonFields {
    /// The contents of the lines.
    pub text: bool,
    /// The first release that contains a commit.
    pub release: bool,
    /// The merge and the request that brought a commit.
    pub request: bool,
    /// The trailers of a commit's message.
    pub trailers: bool,
    /// The agents that wrote lines.
    pub agent: bool,
    /// With `--tree`, the entries of all files.
    pub lines: bool,
}

impl Default for JsonFields {
    fn default() -> Self {
        JsonFields {
            text: true,
            release: false,
            request: false,
            trailers: false,
            agent: false,
            lines: false,
        }
    }
}

impl JsonFields {
    /// Parses a list of names that are separated by commas; `none` stands for no field.
    ///
    /// # Errors
    ///
    /// A name that is unknown.
    pub fn parse(list: &BStr) -> Result<JsonFields, String> {
        let mut fields = JsonFields {
            text: false,
            ..JsonFields::default()
        };
        for name in list.split_str(",") {
            let field = match name {
                b"text" => &mut fields.text,
                b"release" => &mut fields.release,
                b"request" => &mut fields.request,
                b"trailers" => &mut fields.trailers,
                b"agent" => &mut fields.agent,
                b"lines" => &mut fields.lines,
                b"none" | b"" => continue,
                _ => return Err(name.to_str_lossy().into_owned()),
            };
            *field = true;
        }
        Ok(fields)
    }

    fn names(self) -> impl Iterator<Item = &'static str> {
        let all = [
            (self.text, "text"),
            (self.release, "release"),
            (self.request, "request"),
            (self.trailers, "trailers"),
            (self.agent, "agent"),
            (self.lines, "lines"),
        ];
        all.into_iter().filter(|(on, _)| *on).map(|(_, name)| name)
    }
}

/// The contents of the header.
#[derive(Debug, Clone, Copy)]
pub struct JsonHeader<'a> {
    /// The subject of the output.
    pub kind: JsonKind,
    /// The request that is answered.
    pub request: &'a Request,
    /// The subject is the work tree, whatever the request starts from.
    pub is_uncommitted: bool,
    /// The further fields of a blame.
    pub fields: JsonFields,
}

/// Writes the header before the first commit of a history.
pub fn write_header(writer: &mut CommitWriter<'_>, header: &JsonHeader<'_>) {
    writer.write_record(|out| push_header(out, header, None));
}

/// Writes the end of a history. `counted` is what one record is, `limited` says that the history
/// was not followed to its beginning.
pub fn write_end(writer: &mut CommitWriter<'_>, counted: &str, limited: bool) {
    let counts = [(counted, writer.count())];
    writer.write_record(|out| push_end(out, &counts, Some(limited)));
}

pub(crate) fn push_header(
    out: &mut OutputBuffer<'_>,
    header: &JsonHeader<'_>,
    line_count: Option<u64>,
) {
    let request = header.request;
    out.bytes(b"{\"type\":\"header\",\"program\":\"tblame\",\"version\":\"");
    out.bytes(env!("CARGO_PKG_VERSION").as_bytes());
    out.byte(b'"');
    push_number(out, "schema", SCHEMA);
    push_key(out, "kind");
    push_text(out, header.kind.name().as_bytes());
    push_key(out, "path");
    push_text(out, &request.path);
    let revision = match &request.start {
        Start::Commit(commit) if !header.is_uncommitted => Some(commit),
        _ => None,
    };
    push_or_null(out, "revision", revision, push_id);
    if let Some(count) = line_count {
        push_number(out, "lineCount", count);
    }
    push_key(out, "options");
    out.bytes(b"{\"ignoreWhitespace\":");
    out.bytes(if request.diff.ignore_whitespace {
        b"true"
    } else {
        b"false"
    });
    let score = |out: &mut OutputBuffer<'_>, score: u64| out.number(score);
    let movement = request.movement;
    push_or_null(out, "moves", movement.moves.map(u64::from), score);
    push_or_null(out, "copies", movement.copies.map(u64::from), score);
    push_number(out, "copyLevel", u64::from(movement.copy_level));
    push_flag(out, "firstParent", request.first_parent);
    push_flag(out, "reverse", request.reverse.is_some());
    push_number(out, "ignoredRevisions", request.ignored.len() as u64);
    push_or_null(out, "ranges", request.ranges.as_ref(), |out, ranges| {
        let ranges = ranges.iter().map(|range| {
            let (start, end) = (u64::from(range.start) + 1, range.end);
            format!("{{\"startLine\":{start},\"endLine\":{end}}}")
        });
        let ranges: Vec<String> = ranges.collect();
        out.bytes(format!("[{}]", ranges.join(",")).as_bytes());
    });
    let has_fields = matches!(
        header.kind,
        JsonKind::Blame | JsonKind::Tree | JsonKind::Patch | JsonKind::Places
    );
    if has_fields {
        let names: Vec<String> = header
            .fields
            .names()
            .map(|it| format!("\"{it}\""))
            .collect();
        push_key(out, "fields");
        out.bytes(format!("[{}]", names.join(",")).as_bytes());
    }
    out.bytes(b"}}\n");
}

pub(crate) fn push_commit(
    out: &mut OutputBuffer<'_>,
    id: &ObjectId,
    commits: &mut impl CommitProvider,
    fields: JsonFields,
) -> Result<(), OutputError> {
    let text = commits.text(id).map_err(OutputError::Commit)?;
    out.bytes(b"{\"type\":\"commit\",\"id\":");
    push_id(out, id);
    push_commit_text(out, &text);
    if let Some(change) = &text.change_id {
        push_key(out, "changeId");
        push_text(out, change);
    }
    if fields.release {
        let release = commits.release(id).map_err(OutputError::Commit)?;
        push_or_null(out, "release", release, |out, name| push_text(out, &name));
    }
    if fields.request {
        let arrival = commits.arrival(id).map_err(OutputError::Commit)?;
        push_or_null(out, "merge", arrival.merge.as_ref(), push_id);
        push_or_null(out, "request", arrival.request, |out, number| {
            push_text(out, number.to_string().as_bytes());
        });
    }
    if fields.trailers {
        let trailers = trailers::of_message(&text.message);
        push_list(out, "trailers", &trailers, |out, (key, value)| {
            out.bytes(b"{\"key\":");
            push_text(out, key);
            push_key(out, "value");
            push_text(out, value);
            out.byte(b'}');
        });
    }
    out.bytes(b"}\n");
    Ok(())
}

pub(crate) fn push_end(out: &mut OutputBuffer<'_>, counts: &[(&str, u64)], limited: Option<bool>) {
    out.bytes(b"{\"type\":\"end\"");
    for (key, count) in counts {
        push_number(out, key, *count);
    }
    if let Some(limited) = limited {
        push_flag(out, "limited", limited);
    }
    out.bytes(b"}\n");
}
