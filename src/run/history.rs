//! `--line-history`, `--file-history` and `--deletions`: follow lines or a file instead of blaming
//! lines.

use bstr::{BStr, ByteSlice};
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
        repository_commits::RepositoryCommits,
    },
    run::{
        errors,
        format_options::FormatOptions,
        standard_output::{self, StandardOutput},
    },
};

/// One history that is written to standard output.
pub(super) struct HistoryRun<'a> {
    pub(super) engine: &'a mut Engine,
    pub(super) request: &'a Request,
    pub(super) kind: &'a HistoryKind,
    pub(super) json: bool,
}

impl HistoryRun<'_> {
    /// Follows the lines or the file, and writes each commit. `has_date` says that a format of
    /// dates was chosen.
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
    ) -> Result<HistoryEnd> {
        stdout.begin()?;
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
        let format = HistoryRows::new(commits, request.path.as_bstr(), &options);
        self.follow(format, writer)
    }

    fn follow(self, format: impl HistoryFormat, writer: CommitWriter<'_>) -> Result<HistoryEnd> {
        let mut sink = HistoryStream { writer, format };
        let (engine, request) = (self.engine, self.request);
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
        finish(end, sink.writer, self.json.then_some(counted))
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
