//! The steps of the guided tour.
//!
//! A step names only keys that work where the user is. Where the state prevents what the step is
//! about, its text says how to get out of that state.

use unicode_width::UnicodeWidthStr;

use crate::{
    repository::commits::word_wrap,
    sanitize,
    viewer::{
        app::{
            blame::view::LineAttribution,
            guide::tour::{Snapshot, Tour},
            state::App,
        },
        model::{color_mode::ColorMode, diff::DiffRow, keys::bindings::Action},
        pages::page::PageKind,
    },
};

/// Maximum rows of a step.
const MAX_ROWS: u16 = 4;

/// Maximum characters of the name that is proposed for a search.
const MAX_NAME_LEN: usize = 12;

/// Maximum number of actions recorded per step.
const MAX_ACTIONS: usize = 100;

/// A step of the tour. `{action}` in a text is replaced by the action's first key, and `{author}`
/// by the name of the selected line's author.
struct TourStep {
    /// Where its keys work.
    place: Place,
    /// It goes on with what the step before has done, and is skipped with it.
    follows: bool,
    /// The text for each state, the first that applies. The last one applies always.
    texts: &'static [StepText],
    /// True if the step is done, from the state and the actions that had an effect during it.
    done: fn(&App, &[Action]) -> bool,
}

/// A text, and in which state it applies.
type StepText = (fn(&App) -> bool, &'static str);

/// Where the keys of a step work.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Blame,
    Diff,
    Anywhere,
}

/// The texts while something is open in which the keys of a step do not work.
const OBSTACLES: &[StepText] = &[
    (
        |app| app.pages.top_kind() == Some(PageKind::Help),
        "{close} closes the list of keys, and the tour goes on",
    ),
    (
        |app| app.pages.top_kind() == Some(PageKind::Diff),
        "{close} closes the diff, and the tour goes on",
    ),
    (
        |app| app.pages.top_kind() == Some(PageKind::Details),
        "{close} closes the message, and the tour goes on",
    ),
    (
        |app| app.pages.len() > 0,
        "Esc closes this, and the tour goes on",
    ),
];

const STEPS: &[TourStep] = &[
    TourStep {
        place: Place::Blame,
        follows: false,
        texts: &[
            (
                |app| app.selected_line() == 0,
                "On the left is who wrote each line. {down} selects the next one",
            ),
            (
                |app| app.selected_line() == app.last_line(),
                "On the left is who wrote each line. {up} selects the one above",
            ),
            (
                always,
                "On the left is who wrote each line. {down} and {up} select another one",
            ),
        ],
        done: |_, actions| actions.contains(&Action::Down) || actions.contains(&Action::Up),
    },
    TourStep {
        place: Place::Blame,
        follows: false,
        texts: &[
            (
                |app| has_one_group(app) && app.history.current > 0,
                "In this version, the selected commit has no other lines. {back} goes back to the last one",
            ),
            (
                |app| has_one_group(app) && app.selected_line() == app.last_line(),
                "The selected commit has no other lines here. {up} selects the line above",
            ),
            (
                has_one_group,
                "The selected commit has no other lines here. {down} selects the next line",
            ),
            (
                always,
                "All lines of the selected commit are highlighted. {next-of-commit} goes to the next ones",
            ),
        ],
        done: |_, actions| {
            actions.contains(&Action::NextOfCommit) || actions.contains(&Action::PreviousOfCommit)
        },
    },
    TourStep {
        place: Place::Blame,
        follows: false,
        texts: &[
            (
                |app| is_first(app) && app.history.current > 0,
                "This line's commit added the file. {back} goes back to a later version first",
            ),
            (
                |app| is_first(app) && app.selected_line() == app.last_line(),
                "This line's commit added the file. {up} selects another line first",
            ),
            (
                is_first,
                "This line's commit added the file. {down} selects another line first",
            ),
            (
                always,
                "{blame-parent} blames the file as it was before this line's commit",
            ),
        ],
        done: |app, actions| actions.contains(&Action::BlameParent) && app.history.current > 0,
    },
    TourStep {
        place: Place::Blame,
        follows: true,
        texts: &[(
            always,
            "The first line shows the steps that you took. {back} goes back",
        )],
        done: |app, actions| actions.contains(&Action::Back) || app.history.current == 0,
    },
    TourStep {
        place: Place::Blame,
        follows: true,
        texts: &[
            (
                |app| app.history.current + 1 >= app.history.views.len(),
                "{back} goes back again, to the file from which you came",
            ),
            (always, "{forward} goes forward again"),
        ],
        done: |app, actions| {
            // What follows has more to show in the newer version.
            let has_returned = actions.last() == Some(&Action::Back);
            let is_only_one = app.history.views.len() == 1;
            is_only_one || (has_returned && actions.contains(&Action::Forward))
        },
    },
    TourStep {
        place: Place::Blame,
        follows: false,
        texts: &[(always, "{diff} shows what the commit did to the file")],
        done: |app, _| app.diff().is_some(),
    },
    TourStep {
        place: Place::Diff,
        follows: true,
        texts: &[
            (
                |app| !has_side(app, Side::Old),
                "The commit added the file: there is no old side to blame. {close} returns",
            ),
            (
                |app| !has_side(app, Side::New),
                "The commit removed the file: there is no new side to blame. {close} returns",
            ),
            (
                |app| is_in_header(app),
                "{down} goes down to the lines of the diff, from which either side can be blamed",
            ),
            (
                |app| matches!(selected_row(app), Some(DiffRow::Removed(_))),
                "{blame-parent} blames the old side, which has this line. {close} returns",
            ),
            (
                always,
                "{blame-parent} blames the old side of the diff and {blame-commit} the new one. {close} returns",
            ),
        ],
        done: |app, _| app.diff().is_none(),
    },
    TourStep {
        place: Place::Blame,
        follows: false,
        texts: &[
            (
                |app| {
                    is_selected(app, |line| {
                        line.commit.id.is_null() || line.entry.unblamable
                    }) && app.selected_line() == app.last_line()
                },
                "There is no commit here that could be ignored. {up} selects another line first",
            ),
            (
                |app| {
                    is_selected(app, |line| {
                        line.commit.id.is_null() || line.entry.unblamable
                    })
                },
                "There is no commit here that could be ignored. {down} selects another line first",
            ),
            (
                always,
                "{ignore} ignores a commit that only reformats; lines that change get a mark",
            ),
        ],
        done: |app, _| {
            app.view().is_some_and(|view| {
                view.toggled_option.is_some() || !view.options.ignored.is_empty()
            })
        },
    },
    TourStep {
        place: Place::Blame,
        follows: false,
        texts: &[
            (
                |app| author_name(app).is_some(),
                "{search} searches code, authors and summaries: try {search}{author} and Enter",
            ),
            (
                always,
                "{search} searches code, authors and summaries; Enter goes to the first match",
            ),
        ],
        done: |app, actions| app.search.get().is_some() && actions.contains(&Action::Search),
    },
    TourStep {
        place: Place::Blame,
        follows: false,
        texts: &[(always, "{colors} colors the lines by their age instead")],
        done: |app, _| app.display.color_mode != ColorMode::Shades,
    },
    TourStep {
        place: Place::Blame,
        follows: false,
        texts: &[(
            always,
            "{line-history} lists the commits that changed this line, with the text as it was then",
        )],
        done: |app, actions| {
            actions.contains(&Action::LineHistory) && !app.pages.has(PageKind::LineHistory)
        },
    },
    TourStep {
        place: Place::Blame,
        follows: false,
        texts: &[(
            always,
            "{file-history} lists the versions of the file, and how much each changed",
        )],
        done: |app, actions| {
            actions.contains(&Action::FileHistory) && !app.pages.has(PageKind::FileHistory)
        },
    },
    TourStep {
        place: Place::Blame,
        follows: false,
        texts: &[
            (
                |app| is_where_it_began(app) && has_older_version(app),
                "Time-lapse: {older-version} goes to the version of the file before this one, at the same line",
            ),
            (
                always,
                "{next-change} goes to the next commit that changed this line, and says what it did",
            ),
        ],
        done: |_, actions| actions.contains(&Action::NextChange),
    },
    TourStep {
        place: Place::Blame,
        follows: false,
        texts: &[(always, "{deletions} marks where lines were deleted")],
        done: |app, _| app.display.deletions,
    },
    TourStep {
        place: Place::Blame,
        follows: false,
        texts: &[(
            always,
            "{people} lists who wrote how many of the lines, and when",
        )],
        done: |app, actions| actions.contains(&Action::People) && app.pages.len() == 0,
    },
    TourStep {
        place: Place::Anywhere,
        follows: false,
        texts: &[
            (
                |app| app.pages.has(PageKind::Help),
                "The keys that matter most; {help} shows all. {close} closes the list",
            ),
            (always, "{help} lists the keys of any page"),
        ],
        done: |app, actions| actions.contains(&Action::Help) && !app.pages.has(PageKind::Help),
    },
    TourStep {
        place: Place::Blame,
        follows: false,
        texts: &[(always, "End of the tour. {quit} quits")],
        done: |_, _| false,
    },
];

fn always(_: &App) -> bool {
    true
}

/// True if a predicate holds for the attribution of the selected line.
fn is_selected(app: &App, predicate: impl Fn(&LineAttribution<'_>) -> bool) -> bool {
    let selected = app.selected_attribution();
    selected.is_some_and(|(_, line)| predicate(&line))
}

/// True if the selected commit has a single group of lines, as far as is known.
fn has_one_group(app: &App) -> bool {
    app.view()
        .is_some_and(|view| view.selected_tally().groups == 1 && !view.is_running())
}

/// True if this is the version that the viewer began with, perhaps with other options.
fn is_where_it_began(app: &App) -> bool {
    let began = app.history.views.first();
    began.is_some_and(|first| app.view().is_some_and(|view| view.version == first.version))
}

/// True if the file has several versions, as far as is known.
fn has_older_version(app: &App) -> bool {
    let known = app.history.versions.as_ref();
    known.is_none_or(|known| known.is_running() || known.list.revisions().len() > 1)
}

/// True if nothing can be blamed before the selected line's commit.
fn is_first(app: &App) -> bool {
    is_selected(app, |line| line.origin.previous.is_none())
}

/// A side of a diff.
#[derive(Clone, Copy)]
enum Side {
    Old,
    New,
}

/// True if the diff has a side that can be blamed.
fn has_side(app: &App, side: Side) -> bool {
    let versions = app.diff().and_then(|diff| diff.versions.as_ref());
    versions.is_some_and(|versions| match side {
        Side::Old => versions.old.is_some(),
        Side::New => versions.new.is_some(),
    })
}

fn is_in_header(app: &App) -> bool {
    app.diff()
        .is_some_and(|diff| diff.selected_row().is_none() && !diff.rows().is_empty())
}

fn selected_row(app: &App) -> Option<DiffRow> {
    app.diff()?.selected()
}

/// The first word of the name of the selected line's author, if it is a pattern that finds him.
fn author_name(app: &App) -> Option<String> {
    let (_, line) = app.selected_attribution()?;
    let name = &line.commit.metadata.as_ref().ok()?.author.name;
    let name = std::str::from_utf8(name).ok()?;
    let word = name.split(' ').next()?;
    let simple = word.chars().all(char::is_alphanumeric) && !word.is_empty();
    (simple && word.chars().count() <= MAX_NAME_LEN).then(|| word.to_owned())
}

impl Snapshot {
    fn of(app: &App) -> Self {
        let line = app.view().map_or(0, |view| view.pager.position.line);
        Snapshot {
            place: (app.history.current, line),
            is_opening: app.history.pending.is_some(),
            is_asking: app.requests.outcome.is_some(),
            pages: app.pages.len(),
            color_mode: app.display.color_mode,
        }
    }
}

impl App {
    /// Notes for the tour that an action is being performed.
    pub(crate) fn note_action(&mut self, action: Action) {
        let before = Snapshot::of(self);
        if let Some(tour) = &mut self.guide.tour {
            tour.performed = Some((action, before));
        }
    }

    /// Records the performed action if it had an effect.
    pub(crate) fn record_action(&mut self) {
        let now = Snapshot::of(self);
        let Some(tour) = &mut self.guide.tour else {
            return;
        };
        if let Some((action, before)) = tour.performed.take()
            && before != now
            && tour.actions.len() < MAX_ACTIONS
        {
            tour.actions.push(action);
        }
    }

    /// Starts the tour, or skips its step with those that go on with it.
    pub(crate) fn next_step(&mut self) {
        let Some(tour) = self.guide.tour.take() else {
            self.guide.tour = Some(Tour::default());
            return;
        };
        let mut next = tour.at + 1..STEPS.len();
        self.guide.tour = next.find(|at| !STEPS[*at].follows).map(Tour::at);
    }

    /// Goes to the next step of the tour if the current one is done.
    pub(crate) fn follow_tour(&mut self) {
        self.record_action();
        let Some(tour) = &self.guide.tour else { return };
        let next = tour.at + 1;
        let done = STEPS.get(tour.at).is_some_and(|step| {
            let idle = !self.pages.is_typing()
                && !self.status.is_waiting()
                && self.history.pending.is_none();
            idle && (step.done)(self, &tour.actions)
        });
        if done {
            self.guide.tour = (next < STEPS.len()).then(|| Tour::at(next));
        }
    }

    fn selected_line(&self) -> u32 {
        self.view().map_or(0, |view| view.pager.position.line)
    }

    /// The text of a step (0-based) in the current state.
    fn step_text(&self, at: usize) -> Option<&'static str> {
        let step = STEPS.get(at)?;
        let works = match (step.place, self.pages.top_kind()) {
            (Place::Anywhere, Some(PageKind::Help | PageKind::Details | PageKind::Diff))
            | (_, None)
            | (Place::Diff, Some(PageKind::Diff)) => true,
            (place, kind) => place == Place::Blame && kind == Some(PageKind::SearchPrompt),
        };
        let texts = if works { step.texts } else { OBSTACLES };
        let text = texts.iter().find(|(applies, _)| applies(self));
        text.map(|(_, text)| *text)
    }

    /// The actions that the current step names, in order.
    pub fn tour_actions(&self) -> Vec<Action> {
        let at = self.guide.tour.as_ref().map(|tour| tour.at);
        let text = at.and_then(|at| self.step_text(at)).unwrap_or_default();
        let names = text.split('{').skip(1);
        let names = names.filter_map(|rest| rest.split('}').next());
        names.filter_map(Action::named).collect()
    }

    /// Rows of the tour on the screen: those of its longest text, so that the layout is the same
    /// for all steps.
    pub(crate) fn tour_rows(&self) -> u16 {
        if self.guide.tour.is_none() {
            return 0;
        }
        let width = self.size.0;
        if let Some((_, rows)) = self.guide.tour_rows.get().filter(|(of, _)| *of == width) {
            return rows;
        }
        let name = "m".repeat(MAX_NAME_LEN);
        let texts = STEPS.iter().flat_map(|step| step.texts).chain(OBSTACLES);
        let rows = texts.map(|(_, text)| self.fill_step(STEPS.len() - 2, text, &name).len());
        let rows = u16::try_from(rows.max().unwrap_or(0)).unwrap_or(MAX_ROWS);
        self.guide.tour_rows.set(Some((width, rows)));
        rows
    }

    /// The current step, wrapped to the screen's width: its number, the text, and the keys to skip
    /// it.
    pub fn tour_lines(&self) -> Vec<String> {
        let Some(tour) = &self.guide.tour else {
            return Vec::new();
        };
        let text = self.step_text(tour.at).unwrap_or_default();
        self.fill_step(tour.at, text, &author_name(self).unwrap_or_default())
    }

    /// The rows of a step. The keys that skip it stand at the right end of the first row, or alone in
    /// it on a narrow screen: in one place for all steps.
    fn fill_step(&self, at: usize, text: &str, author: &str) -> Vec<String> {
        let text = self.keymap.fill(&text.replace("{author}", author));
        let number = format!("{} of {}", at + 1, STEPS.len());
        let keys = if at + 1 == STEPS.len() {
            "({tour} ends it)"
        } else {
            "({tour} skips, {end-tour} ends)"
        };
        let keys = self.keymap.fill(keys);
        let width = usize::from(self.size.0).saturating_sub(2);
        let right = |row: &str| {
            let blanks = width.saturating_sub(row.width() + keys.width());
            format!("{row}{}{keys}", " ".repeat(blanks.max(1)))
        };
        let mut lines = if width < 3 * keys.width() {
            let mut lines = vec![sanitize::clip(right(&number).as_bytes(), width)];
            lines.extend(word_wrap::wrap(text.as_bytes(), width));
            lines
        } else {
            let text = format!("{number}  {text}");
            let mut lines = word_wrap::wrap(text.as_bytes(), width - keys.width() - 2);
            if let Some(first) = lines.first_mut() {
                *first = right(first);
            }
            lines
        };
        lines.truncate(usize::from(MAX_ROWS));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placeholder_of_the_tour_names_an_action() {
        for (_, text) in STEPS.iter().flat_map(|step| step.texts).chain(OBSTACLES) {
            for part in text.split('{').skip(1) {
                let name = part.split('}').next().unwrap();
                assert!(name == "author" || Action::named(name).is_some(), "{name}");
            }
        }
    }
}
