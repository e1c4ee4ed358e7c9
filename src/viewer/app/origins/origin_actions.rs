//! Asking where lines were written, and which answer counts.

use std::sync::Arc;

use crate::{
    sanitize,
    text::thousands::thousands,
    viewer::{
        app::{
            blame::view::{Progress, View},
            origins::second_answer::SecondAnswer,
            state::{App, STILL_READING},
        },
        model::{
            abbreviation::short,
            background::{
                origins::{LineMovement, OriginQuery},
                queries::QueryKind,
                query::Answer,
            },
            gutter::Column,
            relative_dates,
            toggled_options::ToggledOptions,
        },
    },
};

/// What is looked for. The message until it is known ends with this.
const WHO_WROTE: &str = "who wrote lines that were moved or reindented (-w -C -C)";

impl App {
    /// The second answer for the visible view, if it is asked for.
    pub fn second_answer(&self) -> Option<&SecondAnswer> {
        let view = self.view()?;
        self.history.second.as_ref().filter(|it| it.of == view.id)
    }

    /// The options that were chosen for a view, also while it counts where lines were written.
    pub(crate) fn own_options<'a>(&'a self, view: &'a View) -> &'a Arc<ToggledOptions> {
        let second = self.history.second.as_ref();
        let second = second.filter(|it| it.of == view.id && it.is_exchanged);
        second.map_or(&view.options, |second| &second.view.options)
    }

    /// Shows who wrote lines that another commit touched last; then lets that count; then hides it.
    pub(crate) fn next_origin_state(&mut self) {
        if self.is_reversed() {
            return self.show_message("with --reverse, lines have no origin");
        }
        if !self.shows_origins() {
            self.display.columns.show(Column::Origin, true);
            let words = match self.gutter().width_of(Column::Origin) {
                0 => "the details name",
                _ => "the column names",
            };
            return self.show_message(format!("{words} {WHO_WROTE}"));
        }
        let view = self.history.views.get_mut(self.history.current);
        let second = self.history.second.as_mut();
        let Some((view, second)) = view.zip(second) else {
            return self.show_message(STILL_READING);
        };
        if second.is_exchanged {
            second.exchange(view);
            self.display.columns.show(Column::Origin, false);
            self.show_message("off: lines count for who touched them last");
        } else if second.is_finished() {
            second.exchange(view);
            self.show_filled(
                "moved and reindented lines now count for who wrote them (-w -C -C); {origins}: off",
            );
        } else if second.is_running() {
            return self.show_message(STILL_READING);
        } else {
            self.display.columns.show(Column::Origin, false);
            return self.show_message("it is not known where lines were written");
        }
        self.search_again();
    }

    pub(crate) fn shows_origins(&self) -> bool {
        self.display.columns.shows(Column::Origin, self.size.0)
    }

    /// Asks where the lines of the visible view were written, if that is to be shown and not known.
    /// The view's blame ends first, since it needs the processors.
    pub(crate) fn request_origins(&mut self) {
        let is_asked = self.shows_origins() || self.display.filter.unformatted;
        let shown = is_asked && self.history.pending.is_none() && !self.is_reversed();
        let view = self.history.view();
        let current = view.map(|view| view.id).filter(|_| shown);
        let known = self.history.second.as_ref().map(|second| second.of);
        if known.is_some() && known != current && self.history.pending.is_none() {
            self.forget_second_answer();
        }
        let Some(view) = self.view().filter(|_| shown) else {
            return;
        };
        if self.history.second.is_some() || !matches!(view.progress, Progress::Finished(_)) {
            return;
        }
        let query = OriginQuery {
            version: view.version.clone(),
            options: view.options.for_origins(),
            last: last_touches(view),
        };
        let options = query.options.clone().into();
        let id = self.ask(query);
        let Some(view) = self.view() else { return };
        let answer = view.with_options(id, options, String::new());
        self.history.second = Some(SecondAnswer::new(id, view.id, answer));
    }

    /// Drops the second answer; its view gets the first one back.
    fn forget_second_answer(&mut self) {
        let Some(mut second) = self.history.second.take() else {
            return;
        };
        if second.is_running() {
            self.cancel(QueryKind::Origins);
        }
        let mut views = self.history.views.iter_mut();
        if let Some(view) = views.find(|view| second.is_exchanged && view.id == second.of) {
            second.exchange(view);
        }
    }

    /// Stores a part of the second answer.
    pub(crate) fn on_origins(&mut self, id: u64, answer: Answer<OriginQuery>) {
        let second = self.history.second.as_mut();
        let Some(second) = second.filter(|second| second.id == id) else {
            return;
        };
        match answer {
            Answer::Found(batch) => second.view.add(batch),
            Answer::Ended(Ok((report, moved))) => {
                second.view.progress = Progress::Finished(report);
                second.set_moved(moved);
                self.count_origins();
            }
            Answer::Ended(Err(failure)) => {
                let message = format!("where lines were written: {failure}");
                second.view.progress = Progress::Failed(failure);
                self.show_message(message);
            }
        }
        self.prove_waiting_filter();
    }

    /// Says how many lines were written elsewhere, after the message that they are looked for.
    fn count_origins(&mut self) {
        let message = self.status.message.as_deref();
        if !message.is_some_and(|message| message.ends_with(WHO_WROTE)) {
            return;
        }
        let Some((second, view)) = self.second_answer().zip(self.view()) else {
            return;
        };
        let lines = 0..view.text.line_count();
        let count = lines.filter(|line| second.other(view, *line).is_some());
        let (lines, next) = match count.count() {
            0 => ("no line was".to_owned(), ""),
            1 => ("1 line was".to_owned(), "; {next-filtered} there"),
            count => (
                format!("{} lines were", thousands(count)),
                "; {next-filtered} next",
            ),
        };
        // Both answers skip the same commits.
        let options = &view.options;
        let skipped = if options.ignore_revs_file || !options.ignored.is_empty() {
            ", ignored commits aside"
        } else {
            ""
        };
        self.show_filled(&format!(
            "{lines} moved or reindented after being written (-w -C -C){skipped}{next}"
        ));
    }

    /// The first lines (0-based) of the runs that the answer that does not count attributes otherwise;
    /// `None` if they are not asked for or not known.
    pub(crate) fn starts_of_origins(&self) -> Option<Vec<u32>> {
        let (second, view) = self.second_answer().zip(self.view())?;
        let is_other = |line| second.other(view, line).is_some();
        let is_asked = second.is_finished() && self.shows_origins();
        is_asked.then(|| view.starts_of_runs(is_other))
    }

    /// The words of the answer that does not count about the selected line.
    pub(crate) fn origin_fact(&self) -> Option<String> {
        let (second, view) = (self.second_answer()?, self.view()?);
        let line = view.pager.position.line;
        let other = second.other(view, line)?;
        let metadata = other.commit.metadata.as_ref().ok()?;
        let author = &metadata.author;
        let movement = match second.movement(line) {
            Some(LineMovement::Moved) => "moved",
            Some(LineMovement::Reindented) => "reindented",
            None => "touched",
        };
        let name = sanitize::line(&author.name);
        let day = relative_dates::day(author.time, author.offset);
        let id = short(&other.commit.id);
        let label = if second.is_exchanged {
            "last touch"
        } else {
            "origin"
        };
        let words = if second.is_exchanged {
            format!("{movement} by {name} in {id}, {day}")
        } else {
            format!("written by {name} in {id}, {day}; {movement} since")
        };
        Some(format!("{label:<10} {words}"))
    }
}

/// The commits that touched the lines of a view last.
fn last_touches(view: &View) -> Vec<(std::ops::Range<u32>, crate::objects::ObjectId)> {
    let groups = view.attribution.groups(0..view.text.line_count());
    let touches = groups.filter_map(|group| {
        let commit = view.commits().get(group.commit as usize)?;
        Some((group.lines, commit.id))
    });
    touches.collect()
}
