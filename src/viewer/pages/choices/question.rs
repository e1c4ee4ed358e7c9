//! A question that is answered with yes or no.

use ratatui::buffer::Buffer;

use crate::{
    objects::ObjectId,
    sanitize,
    viewer::{
        app::{display::layout::Area, state::App},
        model::keys::key::{Key, KeyCode},
        pages::page::{Handled, Page, PageKind},
        protocol::{Effect, Mouse},
        theme::styles::Theme,
        ui::{
            footer::Footer,
            paint::{self, RowWriter},
        },
    },
};

/// An open question. `y` means yes, any other key no.
#[derive(Debug)]
pub(crate) struct Question {
    /// The question.
    pub(crate) title: String,
    /// The lines below it, which say what it is about.
    pub(crate) lines: Vec<String>,
    /// The meaning of yes, in one or two words.
    pub(crate) yes: &'static str,
    /// The effects of yes.
    pub(crate) effects: Vec<Effect>,
    /// A commit that yes ignores in the visible view.
    pub(crate) ignore: Option<ObjectId>,
}

impl Page<App> for Question {
    fn kind(&self) -> PageKind {
        PageKind::Question
    }

    /// Any other key than yes, no and those that cancel a prompt keeps its own meaning.
    fn key(&mut self, key: Key, app: &mut App) -> Handled {
        app.pages.close_acting();
        if key == Key::plain(KeyCode::Char('y')) {
            if let Some(id) = self.ignore {
                app.ignore_commit(id);
            }
            app.effects.append(&mut self.effects);
            return Handled::Yes;
        }
        if key.code == KeyCode::Escape
            || key.is_interrupt()
            || key == Key::plain(KeyCode::Char('n'))
        {
            return Handled::Yes;
        }
        Handled::Pass
    }

    fn mouse(&mut self, _: Mouse, _: &mut App) -> Handled {
        Handled::Yes
    }

    /// Draws it over the last rows of the body.
    fn draw(&self, _: &App, theme: &Theme, body: Area, buffer: &mut Buffer) {
        let count = u16::try_from(self.lines.len()).unwrap_or(u16::MAX);
        let height = body.height.min(count.saturating_add(1));
        let area = Area {
            y: body.y + body.height - height,
            height,
            ..body
        };
        paint::fill(buffer, area, theme.bar());
        let texts = std::iter::once(&self.title).chain(&self.lines);
        for (text, y) in texts.zip(area.y..area.y + area.height) {
            let (blanks, style) = if y == area.y {
                (" ", theme.bar_emphasis())
            } else {
                ("   ", theme.bar())
            };
            let line = area.row(y);
            let mut row = RowWriter::new(buffer, line);
            row.put(blanks, style);
            row.put(&sanitize::line(text.as_bytes()), style);
        }
    }

    fn hints(&self, _: &App, footer: &mut Footer<'_>) -> bool {
        footer.key("y", self.yes, None);
        footer.key("Esc", "leave it", None);
        true
    }
}
