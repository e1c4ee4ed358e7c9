//! Opening the list of people, and whose lines stand out.

use crate::{
    repository::commits::people::{self, Person},
    sanitize,
    viewer::{
        app::{
            blame::view::View, overlays::overlay::Overlay, people::people_page::PeoplePage,
            state::App,
        },
        model::line_filter::LineFilter,
    },
};

impl App {
    /// Opens the list, with the person selected whose lines stand out.
    pub(crate) fn open_people(&mut self) {
        let Some(view) = self.view() else { return };
        let mut page = PeoplePage::default();
        read(&mut page, view);
        let chosen = self.display.filter.person.as_ref().map(|(key, _)| key);
        page.list.selected = page.row_of(chosen);
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
        let selected = page.person(page.list.selected);
        let selected = selected.map(|person| person.key.clone());
        read(page, view);
        page.list.selected = page.row_of(selected.as_ref());
    }

    /// Closes the list and lets the lines of the selected person stand out.
    pub(crate) fn choose_person(&mut self) {
        let Some(Overlay::People(page)) = self.overlays.pop() else {
            return;
        };
        let chosen = page.person(page.list.selected);
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
