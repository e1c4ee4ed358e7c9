//! `--line-history`, `--file-history` and `--deletions`: follow lines or a file instead of blaming lines.

use std::sync::Arc;

use bstr::{BString, ByteSlice};

use crate::{
    cli::{Invocation, OutputFormat},
    cpu_time,
    dates::date_format::DateMode,
    engine::{self, Deletion, Engine, FileRevision, HistoryEnd, LineChange, Request},
    error::{Error, Result},
    output::{
        OutputBuffer,
        commit_writer::CommitWriter,
        history::{
            json::{JsonChanges, JsonDeletions, JsonRevisions},
            rows::{ChangeRows, DeletionRows, RevisionRows},
            stream::{HistoryStream, RecordFormat},
        },
        json_records::{self, JsonFields, JsonHeader, JsonKind},
    },
    repository::{Repository, request::prepare::PreparedRequest},
    run::{
        commits::RepositoryCommits,
        errors,
        format_options::FormatOptions,
        standard_output::{self, StandardOutput},
        stats::PhaseTimer,
    },
};

/// Refuses options that have no meaning with a history.
///
/// # Errors
///
/// Which option that is.
pub(super) fn check(invocation: &Invocation) -> Result<()> {
    let format = &invocation.format;
    let histories = [
        (format.deletions, "--deletions"),
        (format.file_history, "--file-history"),
        (format.line_history, "--line-history"),
        (format.people, "--people"),
    ];
    if let Some(text) = &format.search {
        if !format.file_history {
            return Err(Error::fatal("--search needs --file-history"));
        }
        if text.is_empty() || text.contains(&b'\n') {
            return Err(Error::fatal("--search needs a text within a line"));
        }
    }
    let mut histories = histories.iter().filter(|(given, _)| *given);
    let Some((_, history)) = histories.next() else {
        return Ok(());
    };
    if let Some((_, other)) = histories.next() {
        return Err(Error::fatal(format!(
            "{history} cannot be used with {other}"
        )));
    }
    let lines = format.file_history && !invocation.options.ranges.is_empty();
    let conflicts = [
        (lines, "-L"),
        (invocation.options.reverse, "--reverse"),
        (format.incremental, "--incremental"),
        (format.line_porcelain, "--line-porcelain"),
        (format.porcelain, "--porcelain"),
        (format.annotate_command, "--annotate"),
        (format.show_stats, "--show-stats"),
    ];
    match conflicts.iter().find(|(given, _)| *given) {
        Some((_, name)) => Err(Error::fatal(format!(
            "{history} cannot be used with {name}"
        ))),
        None => Ok(()),
    }
}

/// Follows the lines or the file, and writes each commit to standard output.
///
/// # Errors
///
/// If an object cannot be read or the output cannot be written.
pub(super) fn write(
    repository: &Arc<Repository>,
    invocation: &Invocation,
    prepared: &PreparedRequest,
    format_options: &FormatOptions,
    commits: &mut RepositoryCommits,
    timer: Option<&mut PhaseTimer>,
    stdout: &mut StandardOutput,
) -> Result<()> {
    stdout.begin()?;
    let threads = invocation.threads.unwrap_or_else(engine::default_threads);
    let mut engine = Engine::new(Arc::clone(repository.store()), threads);
    if timer.is_some() {
        engine.measure_times(cpu_time::of_thread);
    }
    let mut options = format_options.plain.clone();
    if invocation.format.date.is_none() && repository.config().date.is_none() {
        let short = DateMode::parse("short".into(), false);
        options.date = short.map_err(|err| Error::fatal(err.to_string()))?;
    }
    let eager = !stdout.is_regular_file();
    let mut writer = CommitWriter::new(OutputBuffer::new(stdout), eager);
    let request = &prepared.request;
    let (kind, json) = (kind(&invocation.format), invocation.format.json);
    if json {
        let header = JsonHeader {
            kind,
            request,
            fields: JsonFields::default(),
        };
        json_records::write_header(&mut writer, &header);
    }
    let search = invocation.format.search.clone();
    let end = match (kind, json) {
        (JsonKind::FileHistory, true) => {
            let format = JsonRevisions::new(commits);
            file(&mut engine, request, search, format, writer, json)
        }
        (JsonKind::FileHistory, false) => {
            let format = RevisionRows::new(commits, &options);
            file(&mut engine, request, search, format, writer, json)
        }
        (JsonKind::Deletions, true) => {
            let format = JsonDeletions::new(commits);
            deletions(&mut engine, request, format, writer, json)
        }
        (JsonKind::Deletions, false) => {
            let format = DeletionRows::new(commits, &options);
            deletions(&mut engine, request, format, writer, json)
        }
        (_, true) => {
            let format = JsonChanges::new(commits);
            lines(&mut engine, request, format, writer, json)
        }
        (_, false) => {
            let format = ChangeRows::new(commits, request.path.as_bstr(), &options);
            lines(&mut engine, request, format, writer, json)
        }
    }?;
    if let Some(timer) = timer {
        timer.walked(end.stats, end.profile);
    }
    Ok(())
}

/// Which history was asked for.
fn kind(format: &OutputFormat) -> JsonKind {
    match (format.file_history, format.deletions) {
        (true, _) => JsonKind::FileHistory,
        (_, true) => JsonKind::Deletions,
        (false, false) => JsonKind::LineHistory,
    }
}

fn lines(
    engine: &mut Engine,
    request: &Request,
    format: impl for<'r> RecordFormat<LineChange<'r>>,
    writer: CommitWriter<'_>,
    json: bool,
) -> Result<HistoryEnd> {
    let mut sink = HistoryStream { writer, format };
    let end = engine.line_history(request, &mut sink);
    finish(end, sink.writer, json.then_some("commits"))
}

fn file(
    engine: &mut Engine,
    request: &Request,
    search: Option<BString>,
    format: impl for<'r> RecordFormat<FileRevision<'r>>,
    writer: CommitWriter<'_>,
    json: bool,
) -> Result<HistoryEnd> {
    let mut sink = HistoryStream { writer, format };
    let end = engine.file_history(request, search, &mut sink);
    finish(end, sink.writer, json.then_some("commits"))
}

fn deletions(
    engine: &mut Engine,
    request: &Request,
    format: impl for<'r> RecordFormat<Deletion<'r>>,
    writer: CommitWriter<'_>,
    json: bool,
) -> Result<HistoryEnd> {
    let mut sink = HistoryStream { writer, format };
    let end = engine.deletions(request, &mut sink);
    finish(end, sink.writer, json.then_some("deletions"))
}

/// Writes what is left; for JSON with an end, in which records are counted under the name `counted`.
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
        json_records::write_end(&mut writer, counted, end.limited);
    }
    writer.finish().map_err(errors::output_error)?;
    end.map_err(errors::blame_error)
}
