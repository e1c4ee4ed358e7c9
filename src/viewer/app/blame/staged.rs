//! Whether uncommitted lines are staged.

use std::ops::Range;

use crate::viewer::{
    app::state::App,
    protocol::{Effect, RepositoryQuery, SharedText},
};

impl App {
    /// Asks which lines are not staged when an uncommitted line is selected.
    pub(crate) fn request_unstaged(&mut self, effects: &mut Vec<Effect>) {
        let Some((view, facts)) = self.selected_attribution() else {
            return;
        };
        let asked = self.requests.unstaged.is_some_and(|(id, _)| id == view.id);
        let uncommitted = facts.commit.id.is_null() && self.is_live(view);
        if !uncommitted || view.unstaged.is_some() || asked {
            return;
        }
        let query = RepositoryQuery::Unstaged {
            view: view.id,
            path: view.path.clone(),
            text: SharedText(view.raw.clone()),
        };
        self.requests.unstaged = Some((view.id, true));
        effects.push(Effect::Query(query));
    }

    /// Stores which lines of a view are not staged; `None` if that is not known.
    pub(crate) fn unstaged_found(&mut self, id: u64, lines: Option<Vec<Range<u32>>>) {
        if let Some((_, open)) = self
            .requests
            .unstaged
            .as_mut()
            .filter(|(asked, _)| *asked == id)
        {
            *open = false;
        }
        if let Some(view) = self.history.views.iter_mut().find(|view| view.id == id) {
            view.unstaged = lines;
        }
    }

    /// Whether the selected line, if it is uncommitted, is staged.
    pub(crate) fn staged_state(&self) -> Option<&'static str> {
        let (view, facts) = self.selected_attribution()?;
        let unstaged = view
            .unstaged
            .as_ref()
            .filter(|_| facts.commit.id.is_null())?;
        let line = view.pager.position.line;
        Some(match unstaged.iter().any(|lines| lines.contains(&line)) {
            true => "This line is not staged.",
            false => "This line is staged.",
        })
    }
}
