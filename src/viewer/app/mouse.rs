//! Mouse events.

use std::ops::Range;

use crate::viewer::{
    app::{
        commit::detail_line::Link,
        state::{App, Dragged},
    },
    model::{gutter::Column, keys::bindings::Action},
    pages::page::PageKind,
    protocol::{ClickTarget, Gesture, Mouse},
};

impl App {
    /// Handles a mouse event.
    pub(crate) fn mouse(&mut self, mouse: Mouse) {
        // The selection may leave the line whose attribution an action waits for.
        self.status.end_waiting();
        if mouse.gesture == Gesture::Copy {
            return self.copy_under(mouse.at);
        }
        match (mouse.gesture, self.dragging) {
            (Gesture::Release, Some(Dragged::Id(line))) => {
                self.dragging = None;
                if self.line() == line && !self.pages.cover_blame() {
                    self.open_diff();
                }
                return;
            }
            (Gesture::Press | Gesture::Release, _) => self.dragging = None,
            (Gesture::Drag, Some(dragged)) => return self.drag(dragged, mouse.at),
            _ => {}
        }
        self.offer_mouse(mouse);
    }

    /// Moves a part of the screen to where the mouse is.
    fn drag(&mut self, dragged: Dragged, (x, y): (u16, u16)) {
        match dragged {
            Dragged::Divider => self.drag_divider(y),
            Dragged::Scrollbar => self.drag_scrollbar(y),
            Dragged::Lines(anchor) => self.drag_lines(anchor, y),
            Dragged::Id(line) => {
                self.drag_lines(line, y);
                if self.view().is_some_and(|view| view.anchor.is_some()) {
                    self.dragging = Some(Dragged::Lines(line));
                }
            }
            Dragged::Scale => self.drag_scale(x),
            Dragged::Dates { column, x: start } => self.drag_dates(column, start, x),
        }
    }

    /// True if a row of the screen is in the details pane.
    pub(crate) fn is_on_details(&self, y: u16) -> bool {
        let details = self.layout().details;
        (details.y..details.y + details.height).contains(&y)
    }

    /// Handles a press on the blame or the details.
    pub(crate) fn press(&mut self, (x, y): (u16, u16)) {
        let layout = self.layout();
        if layout.details_title.height > 0 && y == layout.details_title.y {
            self.dragging = Some(Dragged::Divider);
            return;
        }
        if self.is_on_details(y) {
            let row = self.details.pager.position.top as usize + usize::from(y - layout.details.y);
            let lines = self.detail_lines();
            if let Some(link) = lines.get(row).and_then(|line| line.link_at(x)) {
                self.follow_link(link);
            }
            return;
        }
        let scale = layout.scale;
        if (scale.y..scale.y + scale.height).contains(&y) {
            if y + 1 == scale.y + scale.height {
                self.dragging = Some(Dragged::Scale);
                self.drag_scale(x);
            }
            return;
        }
        let code = layout.code;
        let on_code = (code.y..code.y + code.height).contains(&y);
        if on_code && self.scrollbar_width() > 0 && x + 1 == self.size.0 {
            self.dragging = Some(Dragged::Scrollbar);
            self.mark_before_jump();
            return self.press_scrollbar(y);
        }
        self.end_dragged_lines();
        let (Some(view), Some((line, row))) = (self.view(), self.line_at(y)) else {
            return;
        };
        let group = view.attribution.group(line);
        let is_labelled = group.is_some_and(|group| group.is_labelled(line, row, y == code.y));
        let on_id = is_labelled && self.gutter().column_at(x) == Some(Column::Id);
        self.select(line);
        self.dragging = Some(if on_id {
            Dragged::Id(line)
        } else {
            Dragged::Lines(line)
        });
    }

    /// The line of a row of the screen, and which of its own rows that is.
    pub(crate) fn line_at(&self, y: u16) -> Option<(u32, u32)> {
        let code = self.layout().code;
        let on_code = (code.y..code.y + code.height).contains(&y);
        let shown = self.shown_at(u32::from(y.saturating_sub(code.y)));
        let count = self.view()?.text.line_count();
        shown.filter(|&(line, _)| on_code && line < count)
    }

    /// Handles the second press of a double click on the blame.
    pub(crate) fn double_press(&mut self, (x, y): (u16, u16)) {
        self.dragging = None;
        let on_scrollbar = self.scrollbar_width() > 0 && x + 1 == self.size.0;
        if self.line_at(y).is_some() && !on_scrollbar {
            self.perform(Action::Diff, None);
        }
    }

    /// Follows a link of the details or of the header of a diff.
    pub(crate) fn follow_link(&mut self, link: Link) {
        match link {
            Link::File(at) => self.show_file(at),
            // The first press selects the reference, the second one follows it.
            Link::Reference(at) if self.selected_reference() == Some(at) => {
                self.follow_selected_reference(Action::Diff);
            }
            Link::Reference(at) => self.select_reference(at),
        }
    }

    /// Performs what a part of the screen does.
    pub(crate) fn click(&mut self, target: ClickTarget) {
        if self.pages.top_kind() == Some(PageKind::Question) {
            // A question takes the mouse, and nothing but a key answers it.
            return;
        }
        self.clear_message();
        self.status.end_waiting();
        self.status.count = None;
        self.status.prefix.clear();
        match target {
            ClickTarget::Action(action) => self.perform(action, None),
            ClickTarget::Date { column, x } => self.press_date(column, x),
            ClickTarget::Step(step) => {
                let covered = self.pages.len() > 0 || self.history.pending.is_some();
                let is_other = step != self.history.current && step < self.history.views.len();
                if is_other && !covered {
                    self.leave(step, None, None);
                }
            }
        }
    }

    /// The lines that a row of the scrollbar stands for.
    fn scrollbar_lines(&self, y: u16) -> Range<u32> {
        let code = self.layout().code;
        let rows = u64::from(code.height.max(1));
        let count = u64::from(self.last_line()) + 1;
        let row = u64::from(y.saturating_sub(code.y)).min(rows - 1);
        let line = |row: u64| u32::try_from(row * count / rows).unwrap_or(u32::MAX);
        line(row)..line(row + 1).max(line(row) + 1)
    }

    /// Goes to the place of a row of the scrollbar; to the selected commit's lines if it marks
    /// some.
    fn press_scrollbar(&mut self, y: u16) {
        let lines = self.scrollbar_lines(y);
        let marked = self.view().and_then(|view| {
            let commit = view.selected_commit()?;
            let mut groups = view.attribution.groups(lines.clone());
            let group = groups.find(|group| group.commit == commit)?;
            Some(group.lines.start.max(lines.start))
        });
        match marked {
            Some(line) => self.select_in_middle(line),
            None => self.drag_scrollbar(y),
        }
    }

    /// Goes to the place of a row of the scrollbar; its ends are those of the file.
    fn drag_scrollbar(&mut self, y: u16) {
        let code = self.layout().code;
        let line = match y {
            y if y <= code.y => 0,
            y if y + 1 >= code.y + code.height => self.last_line(),
            y => self.scrollbar_lines(y).start,
        };
        self.select_in_middle(line);
    }

    /// Moves the upper edge of the details pane to a row of the screen.
    fn drag_divider(&mut self, y: u16) {
        let area = self.layout().body();
        let rows = (area.y + area.height).saturating_sub(y + 1).max(1);
        self.set_details_rows(rows);
        // Dragging below the pane leaves one row.
        self.details.rows = self.details.rows.map(|rows| rows.max(1));
    }
}
