//! Mouse events.

use crate::viewer::{
    app::{commit::detail_line::Link, overlays::overlay::Overlay, state::App},
    model::{bindings::Action, columns::Column},
    protocol::{Effect, Gesture, Mouse},
};

impl App {
    /// Handles a mouse event. The overlays are offered it from the top down; an event that none of
    /// them handles goes to the blame view.
    pub(crate) fn mouse(&mut self, mouse: Mouse, effects: &mut Vec<Effect>) {
        // The selection may leave the line whose attribution an action waits for.
        self.status.waiting = None;
        for at in (0..self.overlays.len()).rev() {
            let Some(overlay) = self.overlays.get(at) else {
                continue;
            };
            match (overlay, mouse.gesture) {
                (Overlay::Themes(_) | Overlay::Question(_), _) => return,
                (Overlay::Columns(_), Gesture::Press) => return self.close_columns(),
                (Overlay::Help(_) | Overlay::Prompt(_) | Overlay::Finder(_), Gesture::Press) => {
                    self.clear_message();
                    return;
                }
                (Overlay::Finder(_), Gesture::Wheel(lines)) => return self.step_finder(lines),
                (Overlay::Help(_), Gesture::Wheel(lines)) => return self.scroll_help(lines),
                (Overlay::Diff(_), Gesture::Press) => {
                    self.clear_message();
                    return self.press_diff(mouse.at, effects);
                }
                (Overlay::Diff(_), Gesture::Wheel(lines)) => return self.scroll_diff(lines),
                (Overlay::Details(_), Gesture::Wheel(lines)) => return self.scroll_details(lines),
                _ => {}
            }
        }
        match mouse.gesture {
            Gesture::Wheel(lines) if self.is_on_details(mouse.at.1) => self.scroll_details(lines),
            Gesture::Wheel(lines) => self.scroll(lines),
            Gesture::Release => self.details.dragging = false,
            Gesture::Drag if self.details.dragging => self.drag_divider(mouse.at.1),
            Gesture::Drag => {}
            Gesture::Press => {
                self.clear_message();
                self.press(mouse.at, effects);
            }
        }
    }

    /// Whether a row of the screen is in the details pane.
    fn is_on_details(&self, y: u16) -> bool {
        let details = self.layout().details;
        (details.y..details.y + details.height).contains(&y)
    }

    fn press(&mut self, (x, y): (u16, u16), effects: &mut Vec<Effect>) {
        let layout = self.layout();
        if layout.details_title.height > 0 && y == layout.details_title.y {
            self.details.dragging = true;
            return;
        }
        if self.is_on_details(y) {
            let row = self.details.pager.position.top as usize + usize::from(y - layout.details.y);
            let lines = self.detail_lines();
            if let Some(link) = lines.get(row).and_then(|line| line.link_at(x)) {
                self.follow_link(link, effects);
            }
            return;
        }
        let code = layout.code;
        let on_code = (code.y..code.y + code.height).contains(&y);
        let shown = self.shown_at(u32::from(y.saturating_sub(code.y)));
        let (Some(view), Some((line, row)), true) = (self.view(), shown, on_code) else {
            return;
        };
        if line >= view.text.line_count() {
            return;
        }
        let group = view.attribution.group(line);
        let is_labelled = group.is_some_and(|group| group.is_labelled(line, row, y == code.y));
        let on_id = is_labelled && self.gutter().at(x) == Some(Column::Id);
        self.select(line);
        if on_id {
            self.open_diff(effects);
        }
    }

    /// Handles a press on a line of the diff, or on a link in its header.
    fn press_diff(&mut self, (x, y): (u16, u16), effects: &mut Vec<Effect>) {
        let area = self.layout().body();
        if !(area.y..area.y + area.height).contains(&y) {
            return;
        }
        let row = u64::from(y - area.y);
        self.page_diff(|pager, lines, window| {
            pager.position.line = pager.below(lines, window.wrap, pager.top(), row).0;
        });
        let link = self.overlays.diff().and_then(|diff| {
            let line = diff.header.get(diff.pager.position.line as usize)?;
            line.link_at(x)
        });
        if let Some(link) = link {
            self.follow_link(link, effects);
        }
    }

    fn follow_link(&mut self, link: Link, effects: &mut Vec<Effect>) {
        match link {
            Link::File(at) => self.show_file(at, effects),
            // The first press selects the reference, the second one follows it.
            Link::Reference(at) if self.selected_reference() == Some(at) => {
                self.follow_selected_reference(Action::Diff, effects);
            }
            Link::Reference(at) => self.select_reference(at),
        }
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
