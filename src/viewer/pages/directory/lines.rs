//! What is known of the lines of the entries of a directory.

use std::{cmp::Reverse, collections::BTreeMap};

use bstr::BString;

use crate::{
    repository::commits::people::PersonKey,
    sanitize, sorting,
    viewer::{
        model::{
            background::directory_lines::{
                AgeSpan, CountProgress, DirectoryLinesQuery, EntryLines, FileCount,
            },
            background::query::Answer,
            color_mode::hue,
            file_version::Failure,
            line_filter::{DateSpan, LineFilter},
        },
        pages::count_words::count_words,
    },
};

/// The message while it is not known which entries have lines of a filter.
pub(super) const COUNTING: &str = "the lines are being counted";

/// The hues of the people whose names are in colors, which are apart in themes with four of them, too.
const HUES: [u8; 4] = [0, 3, 6, 9];

/// The lines of the entries of a directory.
#[derive(Debug, Default)]
pub(super) struct ListingLines {
    /// By entry, once something of it is counted.
    pub(super) entries: Vec<Option<EntryLines>>,
    /// The first and the last year with lines.
    pub(super) years: Option<(i32, i32)>,
    pub(super) ages: AgeSpan,
    /// Those whose names are in colors: their hues and names.
    pub(super) people: Vec<(u8, PersonKey, BString)>,
    pub(super) progress: LinesProgress,
    /// The number of the query; 0 once its answer is not awaited.
    pub(super) id: u64,
    /// Which lines were asked for last, and whether those of generated files were too.
    pub(super) asked: (LineFilter, bool),
    /// Which lines are counted in `entries`, likewise.
    pub(super) counted: (LineFilter, bool),
    /// The query was given up for that of a page above this one.
    pub(super) is_paused: bool,
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

    /// Why nothing can be counted, if so.
    pub(super) fn failure(&self) -> Option<String> {
        match &self.progress {
            LinesProgress::Ended(Err(failure)) if self.entries.iter().all(Option::is_none) => {
                Some(sanitize::line(failure.0.as_bytes()))
            }
            _ => None,
        }
    }

    /// True if only some lines count.
    pub(super) fn are_filtered(&self) -> bool {
        !self.counted.0.is_empty()
    }

    /// The numbers of lines that count, and of all that are counted.
    pub(super) fn counts(&self) -> Option<(u64, u64)> {
        match &self.progress {
            LinesProgress::Running(CountProgress::Files(files))
            | LinesProgress::Ended(Ok(files)) => Some((files.lines, files.all_lines)),
            _ => None,
        }
    }

    /// Those who wrote most of entries, on the screen or not, with the most such lines first, as many as
    /// have a hue that nobody else has. Mostly, a person keeps the hue where others come and go.
    fn people_in_colors(&self) -> Vec<(u8, PersonKey, BString)> {
        let entries = self.entries.iter().flatten();
        let firsts = entries.filter_map(|lines| lines.people.first());
        let mut people: BTreeMap<&PersonKey, (u64, &BString)> = BTreeMap::new();
        for (key, name, lines) in firsts {
            people.entry(key).or_insert((0, name)).0 += u64::from(*lines);
        }
        let mut people: Vec<_> = people.into_iter().collect();
        sorting::sort_by_key(&mut people, |(_, (lines, _))| Reverse(*lines));
        let mut free = HUES.to_vec();
        let people = people.into_iter().map_while(|(key, (_, name))| {
            let wanted = HUES[usize::from(hue(key.as_bytes())) % HUES.len()];
            let at = free.iter().position(|hue| *hue == wanted).unwrap_or(0);
            (!free.is_empty()).then(|| (free.remove(at), key.clone(), name.clone()))
        });
        people.collect()
    }

    /// The first and the last year that bars are for: those with lines, as far as the filter can have them.
    pub(super) fn years_of_bars(&self) -> Option<(i32, i32)> {
        let (first, last) = self.years?;
        let dates = self.counted.0.dates.as_ref();
        let (from, to) = dates.map_or((None, None), DateSpan::years);
        let chosen = (
            from.unwrap_or(first).max(first),
            to.unwrap_or(last).min(last),
        );
        Some(chosen)
            .filter(|(first, last)| first <= last)
            .or(self.years)
    }

    /// Takes a part of the answer. `place` is the position of the entry of a name.
    pub(super) fn take(
        &mut self,
        answer: Answer<DirectoryLinesQuery>,
        place: impl Fn(&[u8]) -> Option<usize>,
    ) {
        let has_lines = match &answer {
            Answer::Found(found) => matches!(found.progress, CountProgress::Files(_)),
            Answer::Ended(end) => end.is_ok(),
        };
        // What was counted stays until other lines are.
        if self.counted != self.asked && has_lines {
            self.counted = self.asked.clone();
            self.entries.fill(None);
        }
        match answer {
            Answer::Found(found) => {
                for (name, lines) in found.entries {
                    let entry = place(&name).and_then(|at| self.entries.get_mut(at));
                    if let Some(entry) = entry {
                        *entry = Some(lines);
                    }
                }
                self.years = found.years.or(self.years);
                if found.ages != AgeSpan::default() {
                    self.ages = found.ages;
                }
                self.progress = LinesProgress::Running(found.progress);
            }
            Answer::Ended(end) => self.progress = LinesProgress::Ended(end),
        }
        self.people = self.people_in_colors();
    }

    /// How much is counted, until everything is.
    pub(super) fn words(&self) -> Option<String> {
        match &self.progress {
            LinesProgress::Waiting => None,
            LinesProgress::Running(progress) => count_words(progress),
            // What is not counted is said below the rows.
            LinesProgress::Ended(Ok(_)) => None,
            LinesProgress::Ended(Err(failure)) => Some(sanitize::line(failure.0.as_bytes())),
        }
    }
}
