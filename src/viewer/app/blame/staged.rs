//! Telling staged lines from those that are not.

use std::ops::Range;

use crate::viewer::{
    app::state::App,
    model::{background::queries::UnstagedQuery, source::Failure, texts::text::SharedText},
};

impl App {
    /// Asks which lines are not staged when an uncommitted line is selected.
    pub(crate) fn request_unstaged(&mut self) {
        let Some((view, facts)) = self.selected_attribution() else {
            return;
        };
        let asked = self.requests.unstaged.is_some_and(|(id, _)| id == view.id);
        let uncommitted = facts.commit.id.is_null() && self.is_live(view);
        if !uncommitted || view.unstaged.is_some() || asked {
            return;
        }
        let view_id = view.id;
        let query = UnstagedQuery {
            path: view.path.clone(),
            text: SharedText(view.raw.clone()),
        };
        let id = self.ask(query);
        self.requests.unstaged = Some((view_id, Some(id)));
    }

    /// Stores which lines of a view are not staged, if that is known.
    pub(crate) fn on_unstaged(&mut self, id: u64, lines: Result<Vec<Range<u32>>, Failure>) {
        let Some((view, awaited)) = &mut self.requests.unstaged else {
            return;
        };
        if awaited.take_if(|awaited| *awaited == id).is_none() {
            return;
        }
        let mut views = self.history.views.iter_mut();
        if let Some(view) = views.find(|it| it.id == *view) {
            view.unstaged = lines.ok();
        }
    }

    /// What is said of the selected line, which is uncommitted.
    pub(crate) fn uncommitted_words(&self) -> &'static str {
        let view = self.view();
        let unstaged = view.and_then(|view| Some((view, view.unstaged.as_ref()?)));
        let is_unstaged = unstaged.map(|(view, unstaged)| {
            let line = view.pager.position.line;
            unstaged.iter().any(|lines| lines.contains(&line))
        });
        match is_unstaged {
            Some(true) => "This line is uncommitted; it is not staged.",
            Some(false) => "This line is uncommitted; it is staged.",
            None => "This line is uncommitted.",
        }
    }
}
