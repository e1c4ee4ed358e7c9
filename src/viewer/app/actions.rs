//! Performing actions: which page an action goes to, and actions of the blame view.

use crate::viewer::{
    app::{display::pager::Unwrapped, state::App},
    model::{keys::bindings::Action, line_filter::LineFilter},
    pages::page::PageKind,
    protocol::Effect,
};

impl App {
    /// Performs an action.
    pub(crate) fn perform(&mut self, action: Action, count: Option<u32>) {
        self.note_action(action);
        let (before, effects_before) = (self.footprint(), self.effects.len());
        self.dispatch(action, count);
        if self.effects.len() > effects_before || self.footprint() != before {
            self.note_hint_used(action);
        } else if self.status.is_still_reading() {
            self.status.refused = Some((action, count));
        }
    }

    /// Performs the action again that was refused because something is still read, until it is not
    /// refused for that any more, or the message is replaced.
    pub(crate) fn perform_refused(&mut self) {
        let is_still_reading = self.status.is_still_reading();
        let refused = self.status.refused.take();
        if let Some((action, count)) = refused.filter(|_| is_still_reading) {
            self.clear_message();
            self.perform(action, count);
            // The details may have opened.
            self.reveal();
        }
    }

    /// The parts of the state that an action changes unless it fails: a failure leaves only a
    /// message.
    fn footprint(&self) -> impl PartialEq + use<> {
        let history = &self.history;
        let view = history.view();
        let position = view.map(|view| (view.pager.position, view.peels.len()));
        (
            (history.current, history.views.len(), position),
            (history.pending.is_some(), self.pages.len()),
            (
                self.display.color_mode,
                self.display.wrap,
                self.display.deletions,
            ),
            self.details.selected_reference,
        )
    }

    fn dispatch(&mut self, action: Action, count: Option<u32>) {
        match action {
            Action::Tour => return self.next_step(),
            Action::EndTour => return self.guide.tour = None,
            Action::QuitAll => return self.effects.push(Effect::Quit),
            _ => {}
        }
        let times = count.unwrap_or(1);
        let is_help = self.pages.top_kind() == Some(PageKind::Help);
        if !is_help && self.pages.list().is_none() {
            if action == Action::NextReference {
                return self.select_next_reference(times);
            }
            if self.follow_selected_reference(action) {
                return;
            }
        }
        self.offer_action(action, count);
    }

    /// Ends the selection of lines, or else clears the search, or else the filter.
    pub(crate) fn close_in_blame(&mut self) {
        let anchor = self.view_mut().and_then(|view| view.anchor.take());
        if anchor.is_some() {
            return;
        }
        if self.search.get().is_some() || self.display.filter.is_empty() {
            self.end_search()
        } else {
            self.set_filter(LineFilter::default())
        }
    }

    /// Scrolls the details pane; positive is down.
    pub(crate) fn scroll_details(&mut self, lines: i32) {
        self.details.pager.scroll_window(lines);
    }

    pub(crate) fn resize_details(&mut self, by: i16) {
        let rows = self.layout().details.height;
        self.set_details_rows(rows.saturating_add_signed(by).max(1));
    }

    /// Sets the height of the details pane, limited by the layout.
    pub(crate) fn set_details_rows(&mut self, rows: u16) {
        self.pages.close_kind(PageKind::Details);
        self.details.visible = true;
        self.details.rows = Some(rows);
        // Stores the limited height, so that shrinking starts from the visible one.
        self.details.rows = Some(self.layout().details.height);
    }

    /// Gives the enlarged details pane the rows that its lines and the change need.
    pub(crate) fn fit_details(&mut self) {
        if !self.pages.has(PageKind::Details) {
            return;
        }
        let lines = self.detail_lines().len();
        // Without rows that stand for the change, words do.
        let screen = usize::from(self.size.1);
        let change = self.line_change();
        let change = change.map_or(0, |change| change.shown(screen).len().max(1));
        let needed = match self.layout().message_and_change() {
            (_, Some(_)) => lines.max(change),
            (_, None) if change > 0 => lines + 1 + change,
            (_, None) => lines,
        };
        self.details.needed = u16::try_from(needed).unwrap_or(u16::MAX);
    }

    /// Keeps the window of the details pane within its lines.
    pub(crate) fn reveal_details(&mut self) {
        let rows = u32::from(self.layout().details.height);
        // Where it has no room, it stays where it is.
        if rows > 0 && !self.details.pager.is_at_start() {
            let lines = Unwrapped(self.detail_lines().len());
            self.details.pager.fill_window(&lines, rows);
        }
    }
}

/// The rows by which an action scrolls a window of `height` rows, positive is down; `None` if it
/// does not scroll.
pub(crate) fn scrolled_rows(action: Action, times: u32, height: u16) -> Option<i32> {
    let page = i32::from(height.max(4)) - 1;
    let times = i32::try_from(times).unwrap_or(i32::MAX);
    let far = i32::MAX / 2;
    Some(match action {
        Action::Down | Action::ScrollDown => times,
        Action::Up | Action::ScrollUp => -times,
        Action::HalfDown => (page / 2).saturating_mul(times),
        Action::HalfUp => -(page / 2).saturating_mul(times),
        Action::PageDown => page.saturating_mul(times),
        Action::PageUp => -page.saturating_mul(times),
        Action::Top => -far,
        Action::Bottom => far,
        _ => return None,
    })
}
