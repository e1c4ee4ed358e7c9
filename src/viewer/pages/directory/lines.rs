//! What is known of the lines of the entries of a directory.

use crate::{
    sanitize,
    viewer::{
        model::{
            background::directory_lines::{
                CountProgress, DirectoryLinesQuery, EntryLines, FileCount,
            },
            background::query::Answer,
            file_version::Failure,
        },
        ui::header::thousands,
    },
};

/// The lines of the entries of a directory.
#[derive(Debug, Default)]
pub(super) struct ListingLines {
    /// By entry, once something of it is counted.
    pub(super) entries: Vec<Option<EntryLines>>,
    /// The first and the last year with lines.
    pub(super) years: Option<(i32, i32)>,
    pub(super) progress: LinesProgress,
    /// The number of the query; 0 once its answer is not awaited.
    pub(super) id: u64,
}

/// How far the lines are known.
#[derive(Debug, Default)]
pub(super) enum LinesProgress {
    /// They are asked for after the last changes.
    #[default]
    Waiting,
    Running(CountProgress),
    Ended(Result<FileCount, Failure>),
}

impl ListingLines {
    /// True if nothing more is to come.
    pub(super) fn have_ended(&self) -> bool {
        matches!(self.progress, LinesProgress::Ended(_))
    }

    /// Takes a part of the answer. `place` is the position of the entry of a name.
    pub(super) fn take(
        &mut self,
        answer: Answer<DirectoryLinesQuery>,
        place: impl Fn(&[u8]) -> Option<usize>,
    ) {
        match answer {
            Answer::Found(found) => {
                for (name, lines) in found.entries {
                    let entry = place(&name).and_then(|at| self.entries.get_mut(at));
                    if let Some(entry) = entry {
                        *entry = Some(lines);
                    }
                }
                self.years = found.years.or(self.years);
                self.progress = LinesProgress::Running(found.progress);
            }
            Answer::Ended(end) => self.progress = LinesProgress::Ended(end),
        }
    }

    /// How much is counted, until everything is.
    pub(super) fn words(&self) -> Option<String> {
        let failed = |files: &FileCount| match files.failed {
            0 => None,
            1 => Some("1 file cannot be read".to_owned()),
            failed => Some(format!("{} files cannot be read", thousands(failed))),
        };
        Some(match &self.progress {
            LinesProgress::Waiting => return None,
            LinesProgress::Running(CountProgress::History(0, _)) => "reading history…".to_owned(),
            LinesProgress::Running(CountProgress::History(done, all)) => {
                format!("{} of {} commits", thousands(done), thousands(all))
            }
            LinesProgress::Running(CountProgress::Files(files)) => {
                let (counted, all) = (thousands(files.counted), thousands(files.all));
                let failed = failed(files).map_or(String::new(), |words| format!(", {words}"));
                format!("{counted} of {all} files{failed}")
            }
            LinesProgress::Ended(Ok(files)) => return failed(files),
            LinesProgress::Ended(Err(failure)) => sanitize::line(failure.0.as_bytes()),
        })
    }
}
