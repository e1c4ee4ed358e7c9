//! JSON lines: one object for each place. `docs/json.md` describes them.

use bstr::BStr;
use rustc_hash::FxHashSet;

use crate::{
    objects::ObjectId,
    output::{
        buffer::OutputBuffer,
        commit_provider::CommitProvider,
        error::OutputError,
        json::{
            records::{self, JsonHeader},
            values::{push_flag, push_id, push_key, push_number, push_or_null, push_text},
        },
    },
};

/// A place of the input.
#[derive(Debug, Clone, Copy)]
pub struct PlaceRecord<'a> {
    /// The number of the input's line, 1-based.
    pub input_line: u64,
    /// From the root of the tree; as written if there is no such file.
    pub path: &'a BStr,
    /// The commit whose file it is, if the input names that.
    pub revision: Option<ObjectId>,
    /// The line of the file, 1-based.
    pub line: Option<u32>,
    /// The column as written.
    pub column: Option<u32>,
    /// The commit that wrote the line, and whether it is a boundary; or why that is not known.
    pub written: Result<(ObjectId, bool), &'a BStr>,
    /// The input's line, without its line ending.
    pub text: &'a [u8],
    /// The line goes on beyond the text.
    pub is_cut: bool,
}

/// The JSON lines format of `--places`.
#[derive(Debug)]
pub struct JsonPlaces<'a> {
    header: JsonHeader<'a>,
    /// The commits written so far.
    written: FxHashSet<ObjectId>,
    places: u64,
}

impl<'a> JsonPlaces<'a> {
    /// Creates the format.
    pub fn new(header: JsonHeader<'a>) -> Self {
        JsonPlaces {
            header,
            written: FxHashSet::default(),
            places: 0,
        }
    }

    /// Writes the header.
    pub fn begin(&self, out: &mut OutputBuffer<'_>) {
        records::push_header(out, &self.header, None);
    }

    /// Writes a place, after its commit if that is new.
    ///
    /// # Errors
    ///
    /// If the commit cannot be read.
    pub fn place(
        &mut self,
        out: &mut OutputBuffer<'_>,
        place: &PlaceRecord<'_>,
        commits: &mut impl CommitProvider,
    ) -> Result<(), OutputError> {
        let written = place.written.ok();
        let mut author = None;
        if let Some((commit, _)) = &written {
            author = Some(commits.text(commit).map_err(OutputError::Commit)?);
            if self.written.insert(*commit) {
                records::push_commit(out, commit, commits, self.header.fields)?;
            }
        }
        out.bytes(b"{\"type\":\"place\"");
        push_number(out, "inputLine", place.input_line);
        push_key(out, "path");
        push_text(out, place.path);
        if let Some(revision) = &place.revision {
            push_key(out, "revision");
            push_id(out, revision);
        }
        let push_count = |out: &mut OutputBuffer<'_>, number: u32| out.number(number.into());
        push_or_null(out, "line", place.line, push_count);
        push_or_null(out, "column", place.column, push_count);
        let commit = written.as_ref().map(|(commit, _)| commit);
        push_or_null(out, "commit", commit, push_id);
        let author = author.as_ref().map(|text| &text.author);
        push_or_null(out, "author", author, |out, it| push_text(out, &it.name));
        push_or_null(out, "time", author, |out, it| out.number(it.time));
        if let Some((_, boundary)) = written {
            push_flag(out, "boundary", boundary);
        }
        if let Err(problem) = place.written {
            push_key(out, "problem");
            push_text(out, problem);
        }
        if self.header.fields.text {
            push_key(out, "text");
            push_text(out, place.text);
            if place.is_cut {
                push_flag(out, "textCut", true);
            }
        }
        out.bytes(b"}\n");
        self.places += 1;
        Ok(())
    }

    /// Writes the end, after so many lines of input.
    pub fn end(&self, out: &mut OutputBuffer<'_>, lines: u64) {
        let counts = [
            ("commits", self.written.len() as u64),
            ("places", self.places),
            ("lines", lines),
        ];
        records::push_end(out, &counts, None);
    }
}
