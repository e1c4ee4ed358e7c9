//! Several selected lines: selecting them with the mouse, and copying their text.

use crate::viewer::app::{blame::view::View, state::App};

/// The longest text that is copied, in bytes. Many terminals take no more than this.
pub(crate) const MAX_COPIED: usize = 74_994;

impl App {
    /// Selects the lines from `anchor`, where the mouse was pressed, to row `y` of the screen.
    /// Above and below the window, that scrolls by a line.
    pub(crate) fn drag_lines(&mut self, anchor: u32, y: u16) {
        let code = self.layout().code;
        let end = code.y + code.height;
        let row = y.clamp(code.y, end.saturating_sub(1).max(code.y)) - code.y;
        if y < code.y {
            self.scroll(-1);
        } else if y >= end {
            self.scroll(1);
        }
        let last = self.last_line();
        let shown = self.shown_at(u32::from(row));
        let line = shown.map_or(last, |(line, _)| line.min(last));
        let Some(view) = self.view_mut() else { return };
        if view.anchor.is_none() && line == anchor {
            return;
        }
        view.anchor = Some(anchor);
        view.is_dragged = true;
        self.select(line);
    }

    /// Ends a selection that was made with the mouse.
    pub(crate) fn end_dragged_lines(&mut self) {
        if let Some(view) = self.view_mut().filter(|view| view.is_dragged) {
            view.is_dragged = false;
            view.anchor = None;
        }
    }

    /// Copies the text of the selected lines, if several are being selected, and ends that.
    pub(crate) fn copy_lines(&mut self) -> bool {
        let Some((view, lines)) = self.view().and_then(|it| Some((it, it.chosen_lines()?))) else {
            return false;
        };
        match text_of(view, lines.clone()) {
            Some(text) => {
                let words = match lines.len() {
                    1 => "copied 1 line".to_owned(),
                    count => format!("copied {count} lines"),
                };
                self.put_on_clipboard(text, words);
                if let Some(view) = self.view_mut() {
                    view.anchor = None;
                }
            }
            None => self.show_message("too long to be copied: more than 75 kB"),
        }
        true
    }
}

/// Text without other control characters than tabs: pasted in a shell, they would be keys.
pub(crate) fn plain_text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let is_kept = |it: &char| *it == '\t' || !it.is_control();
    text.chars().filter(is_kept).collect()
}

/// Lines as text.
fn text_of(view: &View, lines: std::ops::Range<u32>) -> Option<String> {
    let mut text = String::new();
    for line in lines {
        text.push_str(&plain_text(view.text.line(line)));
        text.push('\n');
        if text.len() > MAX_COPIED {
            return None;
        }
    }
    Some(text)
}
