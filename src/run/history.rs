//! `--line-history`, `--file-history` and `--deletions`: follow lines or a file instead of blaming
//! lines.

use bstr::{BStr, BString, ByteSlice};
use regex::bytes::Regex;

use crate::{
    cli::HistoryKind,
    dates::date_format::DateMode,
    engine::{self, Engine, HistoryEnd, Request},
    error::{Error, Result},
    output::{
        OutputBuffer,
        commit_writer::CommitWriter,
        history::{
            json::JsonHistory,
            rows::HistoryRows,
            stream::{HistoryFormat, HistoryStream},
        },
        json::records::{self, JsonFields, JsonHeader, JsonKind},
        list_row::ListStyle,
        repository_commits::RepositoryCommits,
    },
    run::{
        errors,
        format_options::FormatOptions,
        standard_output::{self, StandardOutput},
    },
    sanitize,
};

/// One history that is written to standard output.
pub(super) struct HistoryRun<'a> {
    pub(super) engine: &'a mut Engine,
    pub(super) request: &'a Request,
    pub(super) kind: &'a HistoryKind,
    pub(super) json: bool,
    /// How rows are shown.
    pub(super) style: &'a ListStyle,
}

impl HistoryRun<'_> {
    /// Follows the lines or the file, and writes each commit. `has_date` says that a format of
    /// dates was chosen. Returns a note for a list that has no rows, too.
    ///
    /// # Errors
    ///
    /// If an object cannot be read or the output cannot be written.
    pub(super) fn write(
        self,
        format_options: &FormatOptions,
        has_date: bool,
        commits: &mut RepositoryCommits,
        stdout: &mut StandardOutput,
    ) -> Result<(HistoryEnd, Option<BString>)> {
        let eager = !stdout.is_regular_file();
        let mut writer = CommitWriter::new(OutputBuffer::new(stdout), eager);
        let request = self.request;
        let kind = match self.kind {
            HistoryKind::Lines => JsonKind::LineHistory,
            HistoryKind::File { .. } => JsonKind::FileHistory,
            HistoryKind::Deletions => JsonKind::Deletions,
        };
        if self.json {
            let header = JsonHeader {
                kind,
                request,
                is_uncommitted: false,
                fields: JsonFields::default(),
            };
            records::write_header(&mut writer, &header);
            return self.follow(JsonHistory::new(commits), writer);
        }
        let mut options = format_options.plain.clone();
        if !has_date {
            let short = DateMode::parse("short".into(), false);
            options.date = short.map_err(|err| Error::fatal(err.to_string()))?;
        }
        let format = HistoryRows::new(commits, request.path.as_bstr(), &options, self.style);
        self.follow(format, writer)
    }

    fn follow(
        self,
        format: impl HistoryFormat,
        writer: CommitWriter<'_>,
    ) -> Result<(HistoryEnd, Option<BString>)> {
        let mut sink = HistoryStream { writer, format };
        let (engine, request) = (&mut *self.engine, self.request);
        let (end, counted) = match self.kind {
            HistoryKind::Lines => (engine.line_history(request, &mut sink), "commits"),
            HistoryKind::File { search } => {
                let search = search
                    .as_ref()
                    .map(|text| regex_of(text.as_bstr()))
                    .transpose()?;
                let end = engine.file_history(request, search, &mut sink);
                (end, "commits")
            }
            HistoryKind::Deletions => (engine.deletions(request, &mut sink), "deletions"),
        };
        let is_empty = sink.writer.count() == 0 && !self.json;
        let end = finish(end, sink.writer, self.json.then_some(counted))?;
        let note = is_empty.then(|| self.nothing_found(&end));
        Ok((end, note))
    }

    /// The note for a list that has no rows.
    fn nothing_found(&self, end: &HistoryEnd) -> BString {
        let has_ranges = self.request.ranges.is_some();
        let words = match self.kind {
            HistoryKind::Lines => "no commit changed these lines".into(),
            HistoryKind::File { search: Some(text) } => {
                let text = sanitize::line(text);
                format!("no commit changed how often \"{text}\" occurs")
            }
            HistoryKind::File { search: None } => "no commit changed the file".into(),
            HistoryKind::Deletions if has_ranges => {
                "nothing was deleted between these lines".into()
            }
            HistoryKind::Deletions => "nothing was deleted from the file".into(),
        };
        let limit = if end.limited {
            " within the limits of the history"
        } else {
            ""
        };
        format!("note: {words}{limit}").into()
    }
}

/// The regular expression of a text as it is.
fn regex_of(text: &BStr) -> Result<Regex> {
    let bytes: String = text.iter().map(|byte| format!("\\x{byte:02x}")).collect();
    let regex = Regex::new(&format!("(?-u){bytes}"));
    regex.map_err(|_| Error::fatal("the text of --search is too long"))
}

/// Writes what is left; for JSON with an end, in which records are counted under the name
/// `counted`.
fn finish(
    end: std::result::Result<HistoryEnd, engine::Error>,
    mut writer: CommitWriter<'_>,
    counted: Option<&str>,
) -> Result<HistoryEnd> {
    if let Err(err) = &end
        && err.is_sign_of_damage()
        && !standard_output::has_begun()
    {
        return end.map_err(errors::blame_error);
    }
    if let (Ok(end), Some(counted)) = (&end, counted) {
        records::write_end(&mut writer, counted, end.limited);
    }
    writer.finish().map_err(errors::output_error)?;
    end.map_err(errors::blame_error)
}
