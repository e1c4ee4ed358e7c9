//! Opening the list of people, its keys, and whose lines stand out.

use crate::{
    repository::commits::people::{self, Person, PersonKey},
    sanitize,
    viewer::{
        app::{
            blame::view::View, overlays::overlay::Overlay, people::people_page::PeoplePage,
            state::App,
        },
        model::{
            bindings::Action,
            key::{Key, KeyCode},
            line_filter::LineFilter,
        },
    },
};

/// Rows that a page key moves.
const PAGE: usize = 10;

impl App {
    /// Opens the list, with the person selected whose lines stand out.
    pub(crate) fn open_people(&mut self) {
        let Some(view) = self.view() else { return };
        let mut page = PeoplePage::default();
        read(&mut page, view);
        let chosen = self.display.filter.person.as_ref().map(|(key, _)| key);
        page.row = chosen.map_or(0, |key| row_of(&page.people, key));
        self.overlays.push(Overlay::People(page));
    }

    /// Reads the people anew while the blame goes on.
    pub(crate) fn refresh_people(&mut self) {
        let view = self.history.view();
        let page = self.overlays.people_mut();
        let (Some(view), Some(page)) = (view, page) else {
            return;
        };
        if page.of == (view.id, view.attribution.attributed()) {
            return;
        }
        let selected = page.row.checked_sub(1);
        let selected = selected.and_then(|at| page.people.get(at));
        let selected = selected.map(|person| person.key.clone());
        read(page, view);
        page.row = selected.map_or(0, |key| row_of(&page.people, &key));
    }

    /// Handles a key while the list is open. Keys that move or close are as bound.
    pub(crate) fn people_key(&mut self, key: Key) {
        let Some(page) = self.overlays.people_mut() else {
            return;
        };
        let last = page.row_count() - 1;
        page.row = match (key.code, self.keymap.action(key)) {
            (KeyCode::Enter, _) => return self.choose_person(),
            (_, Some(Action::Down)) => (page.row + 1).min(last),
            (_, Some(Action::Up)) => page.row.saturating_sub(1),
            (_, Some(Action::PageDown)) => (page.row + PAGE).min(last),
            (_, Some(Action::PageUp)) => page.row.saturating_sub(PAGE),
            (_, Some(Action::Top)) => 0,
            (_, Some(Action::Bottom)) => last,
            (_, Some(Action::People | Action::Close | Action::Quit)) => {
                self.overlays.pop();
                return;
            }
            _ => return,
        };
    }

    /// Moves the selection in the list.
    pub(crate) fn step_people(&mut self, rows: i32) {
        if let Some(page) = self.overlays.people_mut() {
            let row = page.row.saturating_add_signed(rows as isize);
            page.row = row.min(page.row_count() - 1);
        }
    }

    fn choose_person(&mut self) {
        let Some(Overlay::People(page)) = self.overlays.pop() else {
            return;
        };
        let chosen = page.row.checked_sub(1).and_then(|at| page.people.get(at));
        let name = |person: &Person| sanitize::line(person.shown_name());
        let person = chosen.map(|person| (person.key.clone(), name(person)));
        self.set_filter(LineFilter {
            person,
            author: None,
            ..self.display.filter.clone()
        });
    }
}

fn read(page: &mut PeoplePage, view: &View) {
    let commits = view.commits().iter().zip(0..);
    let commits = commits.filter_map(|(commit, at)| {
        let metadata = commit.metadata.as_ref().ok()?;
        Some((metadata.people(), view.attribution.tally(at).lines))
    });
    page.people = people::people(commits);
    page.of = (view.id, view.attribution.attributed());
}

/// The row of a person, or the row `everybody`.
fn row_of(people: &[Person], key: &PersonKey) -> usize {
    let at = people.iter().position(|person| person.key == *key);
    at.map_or(0, |at| at + 1)
}
