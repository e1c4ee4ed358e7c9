//! `--line-history` and `--file-history`: follow lines or a file instead of blaming lines.

use std::sync::Arc;

use bstr::ByteSlice;

use crate::{
    cli::Invocation,
    cpu_time,
    dates::date_format::DateMode,
    engine::{self, Engine, HistoryEnd, Request},
    error::{Error, Result},
    output::{
        OutputBuffer,
        commit_writer::CommitWriter,
        file_history::{
            json_revisions::JsonRevisions,
            revision_rows::RevisionRows,
            revision_stream::{RevisionFormat, RevisionStream},
        },
        json_records::{self, JsonFields, JsonHeader, JsonKind},
        line_history::{
            change_stream::{ChangeFormat, ChangeStream},
            json_changes::JsonChanges,
            rows::ChangeRows,
        },
    },
    repository::{Repository, request::prepare::PreparedRequest},
    run::{
        commits::RepositoryCommits, errors, format_options::FormatOptions,
        standard_output::StandardOutput, stats::PhaseTimer,
    },
};

/// Refuses options that have no meaning with `--line-history` and `--file-history`.
///
/// # Errors
///
/// Which option that is.
pub(super) fn check(invocation: &Invocation) -> Result<()> {
    let format = &invocation.format;
    let history = match (format.line_history, format.file_history) {
        (_, true) => "--file-history",
        (true, false) => "--line-history",
        (false, false) => return Ok(()),
    };
    let lines = format.file_history && !invocation.options.ranges.is_empty();
    let conflicts = [
        (format.file_history && format.line_history, "--line-history"),
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
    if invocation.format.json {
        let header = JsonHeader {
            kind: match invocation.format.file_history {
                true => JsonKind::FileHistory,
                false => JsonKind::LineHistory,
            },
            request,
            fields: JsonFields::default(),
        };
        json_records::write_header(&mut writer, &header);
    }
    let end = match (invocation.format.file_history, invocation.format.json) {
        (true, true) => file(
            &mut engine,
            request,
            JsonRevisions::new(commits),
            writer,
            true,
        ),
        (true, false) => {
            let rows = RevisionRows::new(commits, &options);
            file(&mut engine, request, rows, writer, false)
        }
        (false, true) => lines(
            &mut engine,
            request,
            JsonChanges::new(commits),
            writer,
            true,
        ),
        (false, false) => {
            let rows = ChangeRows::new(commits, request.path.as_bstr(), &options);
            lines(&mut engine, request, rows, writer, false)
        }
    }?;
    if let Some(timer) = timer {
        timer.walked(end.stats, end.profile);
    }
    Ok(())
}

fn lines(
    engine: &mut Engine,
    request: &Request,
    format: impl ChangeFormat,
    writer: CommitWriter<'_>,
    json: bool,
) -> Result<HistoryEnd> {
    let mut sink = ChangeStream { writer, format };
    let end = engine.line_history(request, &mut sink);
    if let (Ok(end), true) = (&end, json) {
        json_records::write_end(&mut sink.writer, end.limited);
    }
    sink.writer.finish().map_err(errors::output_error)?;
    end.map_err(errors::blame_error)
}

fn file(
    engine: &mut Engine,
    request: &Request,
    format: impl RevisionFormat,
    writer: CommitWriter<'_>,
    json: bool,
) -> Result<HistoryEnd> {
    let mut sink = RevisionStream { writer, format };
    let end = engine.file_history(request, &mut sink);
    if let (Ok(end), true) = (&end, json) {
        json_records::write_end(&mut sink.writer, end.limited);
    }
    sink.writer.finish().map_err(errors::output_error)?;
    end.map_err(errors::blame_error)
}
