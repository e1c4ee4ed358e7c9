//! `--line-history`: follows lines instead of blaming them.

use std::sync::Arc;

use bstr::ByteSlice;

use crate::{
    cli::Invocation,
    cpu_time,
    dates::date_format::DateMode,
    engine::{self, Engine, LineHistoryEnd},
    error::{Error, Result},
    output::{
        OutputBuffer,
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

/// Refuses options that have no meaning with `--line-history`.
///
/// # Errors
///
/// Which option that is.
pub(super) fn check(invocation: &Invocation) -> Result<()> {
    let format = &invocation.format;
    let conflicts = [
        (invocation.options.reverse, "--reverse"),
        (format.incremental, "--incremental"),
        (format.line_porcelain, "--line-porcelain"),
        (format.porcelain, "--porcelain"),
        (format.annotate_command, "--annotate"),
        (format.show_stats, "--show-stats"),
    ];
    match conflicts.iter().find(|(given, _)| *given) {
        Some((_, name)) => Err(Error::fatal(format!(
            "--line-history cannot be used with {name}"
        ))),
        None => Ok(()),
    }
}

/// Follows the lines, and writes each commit that changed them to standard output.
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
    let end = match invocation.format.json {
        true => stream(&mut engine, prepared, JsonChanges::new(commits), stdout)?,
        false => {
            let path = prepared.request.path.as_bstr();
            let mut options = format_options.plain.clone();
            if invocation.format.date.is_none() && repository.config().date.is_none() {
                let short = DateMode::parse("short".into(), false);
                options.date = short.map_err(|err| Error::fatal(err.to_string()))?;
            }
            let rows = ChangeRows::new(commits, path, &options);
            stream(&mut engine, prepared, rows, stdout)?
        }
    };
    if let Some(timer) = timer {
        timer.walked(end.stats, end.profile);
    }
    Ok(())
}

fn stream(
    engine: &mut Engine,
    prepared: &PreparedRequest,
    format: impl ChangeFormat,
    stdout: &mut StandardOutput,
) -> Result<LineHistoryEnd> {
    let eager = !stdout.is_regular_file();
    let mut sink = ChangeStream::new(OutputBuffer::new(stdout), format, eager);
    let end = engine.line_history(&prepared.request, &mut sink);
    sink.finish().map_err(errors::output_error)?;
    end.map_err(errors::blame_error)
}
