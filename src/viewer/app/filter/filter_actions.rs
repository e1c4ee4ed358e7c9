//! Choosing which lines stand out, and going from one of them to the next.

use std::ops::Range;

use bstr::ByteSlice;

use crate::{
    objects::ObjectId,
    text::thousands::{counted, thousands},
    viewer::{
        app::{
            blame::view::View,
            deletions::deletion_actions::NO_DELETIONS,
            origins::second_answer::SecondAnswer,
            prompt_history::PromptKind,
            state::{App, STILL_READING},
        },
        model::{
            background::{
                directory_lines::FileCount, line_history::HistoryProgress, origins::LineMovement,
            },
            keys::bindings::Action,
            line_filter::{Bringer, LineFilter},
        },
        pages::page::PageKind,
    },
};

/// What can be done with a filter.
const FILTER_KEYS: &str = "{next-filtered} next, {filter} changes, {close} ends";

impl App {
    /// Opens the prompt. The present filter is the latest one of those that can be called back.
    pub(crate) fn open_filter_prompt(&mut self) {
        let text = self.display.filter.to_string();
        self.prompt_history.add(PromptKind::Filter, &text);
        self.open_prompt(PromptKind::Filter);
    }

    /// Lets the lines of a typed filter stand out, or lists only its places.
    pub(crate) fn type_filter(&mut self, text: &str) {
        match LineFilter::parse(text) {
            Ok(mut filter) => {
                let person = self.display.filter.person.clone();
                // The name of the chosen person still stands for this person.
                filter.person = person.filter(|(_, name)| {
                    let is_same = filter.author.as_ref().is_some_and(|it| it.typed() == name);
                    if is_same {
                        filter.author = None;
                    }
                    is_same
                });
                self.offer_filter(&filter);
            }
            Err(problem) => self.show_message(problem),
        }
    }

    /// Lets other lines stand out, and says how many they are.
    pub(crate) fn set_filter(&mut self, filter: LineFilter) {
        let before = std::mem::replace(&mut self.display.filter, filter);
        self.display.filter_before = None;
        let filter = &self.display.filter;
        if filter.is_empty() {
            return self.show_message("no filter: all lines stand out alike");
        }
        if filter.unformatted && self.pages.has(PageKind::Directory) {
            self.display.filter = before;
            return self.show_message("-formatted is for the lines of a file, not for directories");
        }
        let keys = self.keymap.fill(FILTER_KEYS);
        let view = self.view().filter(|_| !self.pages.cover_blame());
        if filter.asks() || view.is_none_or(View::is_running) {
            let message = self.waiting_words();
            self.display.filter_before = Some((view.map(|view| view.id), before));
            self.show_message(message);
            return self.prove_waiting_filter();
        }
        self.prove_filter(before, &keys);
    }

    /// Says which lines are looked for, while it is not known whether there are any.
    fn waiting_words(&self) -> String {
        let keys = self.keymap.fill("{filter} changes, {close} ends");
        let filter = self.display.filter.in_words();
        format!("lines of {filter}: {STILL_READING}; {keys}")
    }

    /// Says how many lines the filter has, and goes to the nearest. Without any, the one before holds
    /// again.
    fn prove_filter(&mut self, before: LineFilter, keys: &str) {
        let filter = &self.display.filter;
        let count = self.view().map_or(0, |view| self.count_filtered(view));
        if count == 0 {
            return self.refuse_filter(before);
        }
        let lines = counted(count, "line");
        let message = format!("{lines} of {}; {keys}", filter.in_words());
        self.show_nearest_filtered();
        self.show_message(message);
    }

    /// Proves a filter that waited for the blame, or for what is asked about commits and lines, once
    /// all of that is known.
    pub(crate) fn prove_waiting_filter(&mut self) {
        let Some(view) = self.view().filter(|view| !view.is_running()) else {
            return;
        };
        if self.display.filter_before.is_none() {
            return;
        }
        let filter = &self.display.filter;
        let is_known = |id: &ObjectId| {
            let provenance = &self.provenance;
            let release = provenance.release(id).is_some() || provenance.is_unreleased(id);
            id.is_null()
                || (filter.release.is_none() || release)
                    && (filter.bringer.is_none() || provenance.arrival(id).is_some())
        };
        let has_agent = |line| self.agent_of_line(view, line).is_some();
        let knows_agent = |line| has_agent(line) || self.is_without_agent(view, line);
        let mut lines = 0..view.text.line_count();
        if !view.commits().iter().all(|commit| is_known(&commit.id))
            || filter.agent.is_some() && !lines.all(knows_agent)
            || filter.unformatted && !self.knows_reindented()
        {
            return;
        }
        let (keys, number) = (self.keymap.fill(FILTER_KEYS), view.id);
        let before = self.display.filter_before.take();
        if let Some((_, before)) = before.filter(|(of, _)| *of == Some(number)) {
            self.prove_filter(before, &keys);
        }
    }

    /// Proves a filter once all lines of a directory are counted.
    pub(crate) fn prove_filter_of_directory(&mut self, asked: &LineFilter, files: &FileCount) {
        let is_present = *asked == self.display.filter && !asked.is_empty();
        let before = &mut self.display.filter_before;
        let before = before.take_if(|(of, _)| is_present && of.is_none());
        let Some((_, before)) = before else { return };
        if files.lines == 0 {
            return self.refuse_filter(before);
        }
        let (waiting, keys) = (self.waiting_words(), self.keymap.fill(FILTER_KEYS));
        let filter = self.display.filter.in_words();
        self.replace_message(&waiting, &format!("lines of {filter}; {keys}"));
    }

    /// Goes back to the filter before one that no line has.
    fn refuse_filter(&mut self, before: LineFilter) {
        let filter = std::mem::replace(&mut self.display.filter, before);
        let names = match &filter.bringer {
            Some(Bringer::Request(number)) => self.count_commits_naming(&number.to_string()),
            _ => 0,
        };
        self.show_message(match names {
            0 => {
                let words = filter.in_words();
                let release = filter
                    .release_like_author()
                    .map_or_else(String::new, |name| {
                        format!("; if that is a release: release:{name}")
                    });
                format!("no line here is of {words}: filter unchanged{release}")
            }
            1 => format!("no line here came with {filter}, but 1 commit names it"),
            count => format!("no line here came with {filter}, but {count} commits name it"),
        });
    }

    /// The number of commits of the visible view whose messages have the number of a request.
    fn count_commits_naming(&self, number: &str) -> usize {
        let has_number = |message: &[u8]| {
            let mut found = message.find_iter(number);
            found.any(|at| {
                !message
                    .get(at + number.len())
                    .is_some_and(u8::is_ascii_digit)
            })
        };
        let commits = self.view().map_or(&[][..], View::commits).iter();
        let messages = commits.filter_map(|commit| commit.metadata.as_ref().ok());
        messages.filter(|it| has_number(&it.message)).count()
    }

    /// Goes to the nearest line that stands out if there is none on the screen.
    fn show_nearest_filtered(&mut self) {
        let Some(view) = self.view() else { return };
        let (first, _) = self.top();
        let rows = u32::from(self.layout().code.height);
        let shown = (0..rows).rev().find_map(|row| self.shown_at(row));
        let last = shown.map_or(first, |(line, _)| line);
        let line = self.line();
        let runs = self.filtered_lines(view);
        if runs.iter().any(|run| run.start <= last && run.end > first) {
            return;
        }
        let nearest = runs.iter().map(|run| line.clamp(run.start, run.end - 1));
        if let Some(nearest) = nearest.min_by_key(|found| found.abs_diff(line)) {
            self.mark_before_jump();
            self.jump(nearest);
        }
    }

    fn count_filtered(&self, view: &View) -> u32 {
        let runs = self.filtered_lines(view);
        runs.into_iter().map(|lines| lines.end - lines.start).sum()
    }

    /// The runs of lines that stand out; adjoining ones are not joined.
    fn filtered_lines(&self, view: &View) -> Vec<Range<u32>> {
        let runs = self.lines_of(&self.display.filter, view);
        runs.into_iter().map(|(lines, _)| lines).collect()
    }

    /// The runs of lines that a filter has, each with the number of its commit in the view; adjoining
    /// ones are not joined.
    pub(crate) fn lines_of(&self, filter: &LineFilter, view: &View) -> Vec<(Range<u32>, u32)> {
        // Whether a line was only reindented, or who wrote it, differs within groups.
        let is_by_line = filter.unformatted || filter.agent.is_some();
        let groups = view.attribution.groups(0..view.text.line_count());
        let runs = groups.flat_map(|group| {
            let lines: Vec<Range<u32>> = if is_by_line {
                group.lines.map(|line| line..line + 1).collect()
            } else {
                vec![group.lines]
            };
            lines.into_iter().map(move |lines| (lines, group.commit))
        });
        runs.filter(|(lines, _)| !self.excludes(filter, view, lines.start))
            .collect()
    }

    /// True if a line is drawn faintly, because the filter does not have it.
    pub fn is_dimmed(&self, view: &View, line: u32) -> bool {
        self.excludes(&self.display.filter, view, line)
    }

    /// True if a filter does not have a line. It has those that are not attributed, and those whose
    /// release or request is not known yet.
    fn excludes(&self, filter: &LineFilter, view: &View, line: u32) -> bool {
        if filter.is_empty() {
            return false;
        }
        let Some(facts) = view.attribution_of(line) else {
            return false;
        };
        let id = &facts.commit.id;
        let metadata = facts.commit.metadata.as_ref().ok();
        let is_ignored = facts.entry.unblamable || view.options.ignored.contains(id);
        metadata.is_some_and(|metadata| {
            !filter.admits(&metadata.people())
                || !filter.summary.is_empty()
                    && !filter.admits_summary(metadata.summary().as_bstr())
        }) || filter.unformatted && (is_ignored || self.is_reindented(line))
            || self.is_of_other_bringer(filter, id)
            || self.is_of_other_release(filter, id)
            || self.is_of_other_agent(filter, view, line)
    }

    /// True if the last change of a line of the visible view was to its white space alone, as far
    /// as it is known.
    fn is_reindented(&self, line: u32) -> bool {
        let second = self.second_answer().filter(|second| !second.is_exchanged);
        second.is_some_and(|second| second.movement(line) == Some(LineMovement::Reindented))
    }

    /// True if nothing more becomes known of which lines were only reindented.
    fn knows_reindented(&self) -> bool {
        let second = self.second_answer();
        self.is_reversed() || second.is_some_and(|second| !second.is_running())
    }

    fn is_of_other_bringer(&self, filter: &LineFilter, id: &ObjectId) -> bool {
        filter.bringer.is_some()
            && match self.provenance.arrival(id) {
                Some(arrival) => !filter.admits_arrival(&arrival),
                None => id.is_null(),
            }
    }

    fn is_of_other_release(&self, filter: &LineFilter, id: &ObjectId) -> bool {
        let release = self.provenance.release(id);
        let is_known = release.is_some() || id.is_null() || self.provenance.is_unreleased(id);
        is_known && !filter.admits_release(release)
    }

    fn is_of_other_agent(&self, filter: &LineFilter, view: &View, line: u32) -> bool {
        filter.agent.is_some()
            && match self.agent_of_line(view, line) {
                None => self.is_without_agent(view, line),
                agent => !filter.admits_agent(agent),
            }
    }

    /// Goes to the next or the previous run of lines that the filter has, or without one to a mark
    /// of deleted lines or to lines that were moved, around the end of the file.
    pub(crate) fn step_filtered(&mut self, action: Action, times: u32) {
        let is_filtered = !self.display.filter.is_empty() || self.deletion_marks().is_some();
        let origins = self.starts_of_origins().filter(|_| !is_filtered);
        let is_step = !is_filtered && origins.is_none() && self.marks_step();
        let is_blamed = self.view().is_some_and(|view| !view.is_running());
        // Where lines begin that are gone to, what they are, the words if there are none, and whether
        // all are known.
        let (starts, of, none, is_read) = match self.deletion_marks() {
            _ if !self.display.filter.is_empty() => {
                let runs = self.view().map(|view| self.filtered_runs(view));
                let is_read = is_blamed && self.display.filter_before.is_none();
                let of = self.display.filter.in_words();
                let none = format!("no line here is of {of}");
                (runs.unwrap_or_default(), of, none, is_read)
            }
            Some(marks) => {
                let none = match &marks.progress {
                    HistoryProgress::Failed(failure) => failure.0.clone(),
                    _ => NO_DELETIONS.to_owned(),
                };
                (
                    marks.lines(),
                    "deleted lines".to_owned(),
                    none,
                    !marks.is_running(),
                )
            }
            None if origins.is_some() => {
                let of = "lines that were moved or reindented".to_owned();
                let none = "no line was moved or reindented".to_owned();
                (origins.unwrap_or_default(), of, none, true)
            }
            None if is_step => {
                let none = "this step changed no line".to_owned();
                (self.starts_of_step(), "this step".to_owned(), none, true)
            }
            None => match self.starts_of_option() {
                Some(starts) => {
                    let of = "those that the option changed".to_owned();
                    let none = "the option changed no line".to_owned();
                    (starts, of, none, is_blamed)
                }
                None => {
                    let is_read = !self.awaits_marks();
                    let words = self.keymap.fill("{filter} chooses which lines stand out");
                    return self.refuse(is_read, &words);
                }
            },
        };
        let line = self.line();
        let count = starts.len();
        if count == 0 {
            return self.refuse(is_read, &none);
        }
        let more = if is_read { "" } else { "+" };
        let times = times as usize % count.max(1);
        let times = if times == 0 { count } else { times };
        let (to, wrapped) = match action {
            Action::NextFiltered => {
                let next = starts.partition_point(|&start| start <= line) + times - 1;
                (next % count, next >= count)
            }
            _ => {
                let before = starts.partition_point(|&start| start < line);
                ((before + count - times) % count, before < times)
            }
        };
        self.mark_before_jump();
        self.jump(starts[to]);
        let around = if wrapped { " (around the end)" } else { "" };
        let (number, count) = (thousands(to + 1), thousands(count));
        let deleted = self.deletions_in_words();
        let message = match deleted.filter(|_| self.display.filter.is_empty()) {
            Some(words) => {
                let shows = self.keymap.fill("{diff} shows them");
                format!("{words} ({number} of {count}{more}); {shows}{around}")
            }
            None if is_step => format!("change {number} of {count} of this version{around}"),
            None => format!("group {number} of {count}{more} of {of}{around}"),
        };
        self.show_message(message);
    }

    /// True if [`App::step_filtered`] goes to the lines that an option changed.
    pub(crate) fn steps_through_option(&self) -> bool {
        let view = self.view();
        self.display.filter.is_empty()
            && self.deletion_marks().is_none()
            && self.starts_of_origins().is_none()
            && view.is_some_and(|view| view.step.is_none() && view.toggled_option.is_some())
    }

    /// True if lines are looked for that can be gone to.
    fn awaits_marks(&self) -> bool {
        let second = self.second_answer();
        let is_running = second.map_or_else(
            || self.view().is_some_and(View::is_running),
            SecondAnswer::is_running,
        );
        let awaits_origins = self.shows_origins() && !self.is_reversed() && is_running;
        self.display.deletions && self.deletion_marks().is_none() || awaits_origins
    }

    /// Marks the differences to the version before the step. False if no step led here.
    fn marks_step(&mut self) -> bool {
        let step = self.view_mut().and_then(|view| view.step.as_mut());
        step.is_some_and(|step| {
            step.marks_changes = true;
            true
        })
    }

    /// The lines at which the other version differs.
    fn starts_of_step(&self) -> Vec<u32> {
        let step = self.view().and_then(|view| view.step.as_ref());
        let Some(changes) = step.map(|step| &step.changes) else {
            return Vec::new();
        };
        let last = self
            .view()
            .map_or(0, |view| view.text.line_count())
            .saturating_sub(1);
        let starts = changes.lines.iter().map(|lines| lines.start);
        let mut starts: Vec<u32> = starts
            .chain(changes.gaps.iter().map(|gap| (*gap).min(last)))
            .collect();
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    /// The first lines of the runs that stand out.
    fn filtered_runs(&self, view: &View) -> Vec<u32> {
        let mut runs = Vec::new();
        let mut end = None;
        for lines in self.filtered_lines(view) {
            if end != Some(lines.start) {
                runs.push(lines.start);
            }
            end = Some(lines.end);
        }
        runs
    }
}
