//! Steps back and forward between the views of the history.

use crate::viewer::{
    app::{
        history::{PendingView, Returning},
        state::App,
    },
    pages::stack::BEFORE_VIEWS,
};

impl App {
    /// Goes back by `steps` steps, or cancels the pending one. A step back whose text is being read
    /// is continued instead.
    pub(crate) fn back(&mut self, steps: u32) {
        let mut from = self.history.current;
        if let (Some(pending), false) = (&self.history.pending, self.history.views.is_empty()) {
            match self.position_of_return(pending) {
                Some(at) => from = at,
                None => return self.cancel_step(),
            }
        }
        if from == 0 {
            let is_returning = self.history.pending.is_some() && !self.history.views.is_empty();
            if is_returning || !self.reopen_pages_of(BEFORE_VIEWS) {
                return self.show_message("nothing to go back to");
            }
            self.history.is_before_views = !self.history.views.is_empty();
            if self.history.views.is_empty() {
                // The first file is not waited for any longer.
                self.history.pending = None;
                self.resume();
            }
            return;
        }
        let to = from.saturating_sub(steps as usize);
        let over = self.history.views[to + 1..=self.history.current].iter();
        let over: Vec<u64> = over.map(|view| view.id).collect();
        self.leave(to, Some(over), None);
    }

    /// Cancels the pending step.
    pub(crate) fn cancel_step(&mut self) {
        self.cancel_pending();
        self.show_message("cancelled");
        self.resume();
    }

    /// The position of the view that a step back is to show.
    fn position_of_return(&self, pending: &PendingView) -> Option<usize> {
        let returning = pending.returning.as_ref()?;
        returning.over.as_ref()?;
        let mut views = self.history.views.iter();
        views.position(|view| view.id == returning.view)
    }

    /// Cancels the view that is being opened, and returns to the pages from which it was requested.
    pub(crate) fn cancel_pending(&mut self) {
        if self.history.pending.take().is_some() {
            self.reopen_pages();
        }
    }

    /// The number of the view that was opened last, of those that steps lead to.
    pub(crate) fn newest_view(&self) -> Option<u64> {
        self.history.views.last().map(|view| view.id)
    }

    /// True if a step back leads somewhere.
    pub(crate) fn has_earlier_step(&self) -> bool {
        let history = &self.history;
        history.current > 0 || history.pending.is_some() || self.pages.has_left(BEFORE_VIEWS)
    }

    /// True if a step forward leads somewhere.
    pub(crate) fn has_later_step(&self) -> bool {
        let history = &self.history;
        let is_last = history.current + 1 >= history.views.len();
        history.pending.is_none() && (history.is_before_views || !is_last)
    }

    /// Leaves the pages from which the first view was opened for the visible view.
    pub(crate) fn leave_first_pages(&mut self) {
        self.history.is_before_views = false;
        self.pages.leave(BEFORE_VIEWS);
    }

    /// Goes forward by steps.
    pub(crate) fn forward(&mut self, steps: u32) {
        if !self.has_later_step() {
            return self.show_message(if self.history.views.is_empty() {
                "no file was opened yet"
            } else {
                "nothing to go forward to"
            });
        }
        let mut steps = steps as usize;
        if self.history.is_before_views {
            self.leave_first_pages();
            steps = steps.saturating_sub(1);
        }
        if steps == 0 {
            return;
        }
        let last = self.history.views.len().saturating_sub(1);
        let to = self.history.current.saturating_add(steps);
        self.leave(to.min(last), None, None);
    }

    /// Shows another view of the history and resumes its blame, once its text has been read again if
    /// that was dropped. A step back says which views it leads over, by their numbers. `line` is
    /// gone to there.
    pub(crate) fn leave(&mut self, to: usize, over: Option<Vec<u64>>, line: Option<u32>) {
        self.cancel_pending();
        self.interrupt();
        let Some(view) = self.history.views.get(to) else {
            return;
        };
        if view.is_dropped {
            let id = view.id;
            let (path, revision) = (view.path.clone(), view.revision.clone());
            return self.request_view(PendingView {
                returning: Some(Returning {
                    view: id,
                    over,
                    line,
                }),
                ..PendingView::new(view.version.clone(), path, revision, view.options.clone())
            });
        }
        self.show_step(to, over, line);
        self.resume();
    }

    /// Makes a view of the history the visible one, as [`leave`](App::leave).
    pub(crate) fn show_step(&mut self, at: usize, over: Option<Vec<u64>>, line: Option<u32>) {
        self.leave_pages();
        self.history.current = at;
        self.history.is_before_views = false;
        self.details.pager.rewind();
        self.search_again();
        self.drop_far_views();
        match (over, self.view().map(|view| view.id)) {
            (Some(over), _) => {
                self.reopen_pages();
                self.offer_to_unsave(&over);
            }
            (None, Some(view)) => self.pages.forget_left(view),
            (None, None) => {}
        }
        if let Some(line) = line {
            self.jump(line);
        }
    }
}
