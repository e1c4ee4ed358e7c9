//! What the mouse does.

use crate::viewer::{
    app::{commit::details::Link, display::layout::Pane, state::App},
    model::{columns::Column, keymap::Action},
    protocol::{Effect, Gesture, Mouse},
};

impl App {
    pub(super) fn mouse(&mut self, mouse: Mouse, effects: &mut Vec<Effect>) {
        let (_, y) = mouse.at;
        // The selection may move away from the line whose commit is waited for.
        self.waiting = None;
        if mouse.gesture == Gesture::Press && self.chooser.is_some() {
            return self.close_columns();
        }
        if self.themes.is_some() {
            return;
        }
        match mouse.gesture {
            Gesture::Wheel(lines) if self.is_on_words(y) => self.scroll_words(lines),
            Gesture::Wheel(lines) => self.scroll(lines),
            Gesture::Release => self.dragging = false,
            Gesture::Drag => {
                if self.dragging {
                    self.drag_divider(y);
                }
            }
            Gesture::Press => {
                self.note = None;
                if self.help.is_none() && self.prompt.is_none() && self.finder.is_none() {
                    self.press(mouse.at, effects);
                }
            }
        }
    }

    /// The row shows the selected commit's words.
    fn is_on_words(&self, y: u16) -> bool {
        let details = self.layout().details;
        let open = self.help.is_none() && self.change.is_none();
        open && (details.y..details.y + details.height).contains(&y)
    }

    fn press(&mut self, (x, y): (u16, u16), effects: &mut Vec<Effect>) {
        let layout = self.layout();
        if self.change.is_some() {
            let area = layout.middle();
            if (area.y..area.y + area.height).contains(&y) {
                self.press_change((x, y - area.y), effects);
            }
            return;
        }
        if layout.rule.height > 0 && y == layout.rule.y {
            self.dragging = true;
            return;
        }
        if self.is_on_words(y) {
            let row = self.pane_top + usize::from(y - layout.details.y);
            if let Some(link) = self.details().get(row).and_then(|line| line.link_at(x)) {
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
        // Only where an id is written.
        let group = view.attribution.group(line);
        let begins = group.map(|group| group.lines.start == line && row == 0);
        let named = begins.is_some_and(|begins| begins || y == code.y);
        let on_id = named && self.gutter().at(x) == Some(Column::Id);
        self.select(line);
        if on_id {
            self.open_change(effects);
        }
    }

    /// A press on a row of a commit's diff, or on what in its words leads elsewhere.
    fn press_change(&mut self, (x, row): (u16, u16), effects: &mut Vec<Effect>) {
        let found = self.stacked_change(|change, head, stack| {
            let top = u32::try_from(change.top.0.saturating_add(head)).unwrap_or(0);
            let (line, _) = stack.below((top, change.top.1), u64::from(row));
            (i64::from(line) - head, line as usize)
        });
        let (Some((at, line)), Some(change)) = (found, &mut self.change) else {
            return;
        };
        change.at = at;
        if at < 0
            && let Some(link) = self
                .change_head()
                .get(line)
                .and_then(|line| line.link_at(x))
        {
            self.follow_link(link, effects);
        }
    }

    fn follow_link(&mut self, link: Link, effects: &mut Vec<Effect>) {
        match link {
            Link::File(at) => self.open_file(at, effects),
            // The first press shows what a second one does.
            Link::Reference(at) if self.picked() == Some(at) => {
                self.follow_picked(Action::Change, effects);
            }
            Link::Reference(at) => self.pick(at),
        }
    }

    /// Moves the line over the commit's pane to a row.
    fn drag_divider(&mut self, y: u16) {
        let area = self.layout().middle();
        let rows = (area.y + area.height).saturating_sub(y + 1).max(1);
        self.pane = Pane::Open(Some(rows));
        // No more than there is room for, so that the keys go on from what is seen.
        self.chosen_pane = Some(self.layout().details.height.max(1));
        self.pane = Pane::Open(self.chosen_pane);
    }
}
