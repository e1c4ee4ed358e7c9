//! The steps of the guided tour.

use crate::viewer::{
    app::{guide::tour::Tour, state::App},
    model::{bindings::Action, color_mode::ColorMode, word_wrap},
};

/// Maximum rows of a step.
const MAX_ROWS: u16 = 4;

/// Maximum number of actions recorded per step.
const MAX_ACTIONS: usize = 100;

/// A step of the tour. `{action}` in the text is replaced by the action's first key.
struct TourStep {
    text: &'static str,
    /// Whether the step is done, from the state and the actions performed during it.
    done: fn(&App, &[Action]) -> bool,
}

const fn step(text: &'static str, done: fn(&App, &[Action]) -> bool) -> TourStep {
    TourStep { text, done }
}

const STEPS: &[TourStep] = &[
    step(
        "On the left is who wrote each line. {down} and {up} select another one",
        |_, actions| actions.contains(&Action::Down) || actions.contains(&Action::Up),
    ),
    step(
        "All lines of the selected commit are highlighted. {next-of-commit} goes to the next ones",
        |_, actions| actions.contains(&Action::NextOfCommit),
    ),
    step(
        "{blame-parent} blames the file as it was before this line's commit",
        |app, actions| actions.contains(&Action::BlameParent) && app.history.current > 0,
    ),
    step(
        "The first line shows the steps you took. {back} goes back, {forward} forward",
        |app, _| app.history.current == 0 && app.history.pending.is_none(),
    ),
    step("{diff} shows what the commit did to the file", |app, _| {
        app.overlays.diff().is_some()
    }),
    step(
        "In a diff, {blame-parent} blames the old side and {blame-commit} the new one. {close} returns",
        |app, _| app.overlays.diff().is_none() && app.history.pending.is_none(),
    ),
    step(
        "{ignore} ignores a commit that only reformats; lines that change get a mark",
        |app, actions| {
            let switched = [Action::Ignore, Action::Whitespace, Action::DetectMoves];
            app.history.current > 0 && switched.iter().any(|action| actions.contains(action))
        },
    ),
    step(
        "{search} searches code, authors and summaries: try {search}Ben and Enter",
        |app, actions| app.search.get().is_some() && actions.contains(&Action::Search),
    ),
    step(
        "{colors} colours the lines by their age instead",
        |app, _| app.display.color_mode != ColorMode::Shades,
    ),
    step(
        "{help} lists all keys. {close} closes the list",
        |app, actions| actions.contains(&Action::Help) && app.overlays.help().is_none(),
    ),
    step("End of the tour. {quit} quits", |_, _| false),
];

impl App {
    /// Starts the tour, or goes to its next step.
    pub(crate) fn next_step(&mut self) {
        self.guide.tour = match self.guide.tour.take() {
            None => Some(Tour::default()),
            Some(tour) if tour.at + 1 < STEPS.len() => Some(Tour {
                at: tour.at + 1,
                actions: Vec::new(),
            }),
            Some(_) => None,
        };
    }

    /// Records an action for the tour.
    pub(crate) fn note_action(&mut self, action: Action) {
        if let Some(tour) = self
            .guide
            .tour
            .as_mut()
            .filter(|tour| tour.actions.len() < MAX_ACTIONS)
        {
            tour.actions.push(action);
        }
    }

    /// Goes to the next step of the tour if the current one is done.
    pub(crate) fn follow_tour(&mut self) {
        let Some(tour) = &self.guide.tour else { return };
        let done = STEPS.get(tour.at).is_some_and(|step| {
            let idle = self.overlays.prompt().is_none() && self.status.waiting.is_none();
            idle && (step.done)(self, &tour.actions)
        });
        if done {
            self.next_step();
        }
    }

    /// Rows of the tour on the screen: those of its longest step, so that the layout is the same for
    /// all steps.
    pub(crate) fn tour_rows(&self) -> u16 {
        if self.guide.tour.is_none() {
            return 0;
        }
        let rows = (0..STEPS.len()).map(|at| self.step_lines(at).len()).max();
        u16::try_from(rows.unwrap_or(0)).unwrap_or(MAX_ROWS)
    }

    /// The current step, wrapped to the screen's width: its number, the text, and the keys to skip it.
    pub fn tour_lines(&self) -> Vec<String> {
        let tour = self.guide.tour.as_ref();
        tour.map_or_else(Vec::new, |tour| self.step_lines(tour.at))
    }

    fn step_lines(&self, at: usize) -> Vec<String> {
        let Some(step) = STEPS.get(at) else {
            return Vec::new();
        };
        let end = match at + 1 == STEPS.len() {
            true => "({tour} ends it)",
            false => "({tour} skips, {end-tour} ends)",
        };
        let text = format!("{} of {}  {}  {end}", at + 1, STEPS.len(), step.text);
        let text = self.keymap.fill(&text);
        let width = usize::from(self.size.0).saturating_sub(2);
        let mut lines = word_wrap::wrap(text.as_bytes(), width);
        lines.truncate(usize::from(MAX_ROWS));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::model::bindings::BINDINGS;

    #[test]
    fn every_placeholder_of_the_tour_names_an_action() {
        for step in STEPS {
            for part in step.text.split('{').skip(1) {
                let name = part.split('}').next().unwrap();
                let known = BINDINGS.iter().any(|it| it.action.name() == name);
                assert!(known, "{name}");
            }
        }
    }
}
