//! Showing files in the encoding that was chosen.

use std::sync::Arc;

use crate::viewer::{
    app::state::App,
    model::{
        encodings::{self, Encoding},
        text::Text,
    },
    protocol::{Effect, File},
};

impl App {
    /// Shows files in the encoding of this name from now on.
    pub(crate) fn choose_encoding(&mut self, name: &str) {
        self.display.encoding = match name.trim() {
            "" | "auto" => None,
            name => match Encoding::named(name) {
                Some(encoding) => Some(encoding),
                None => return self.say(format!("unknown encoding “{name}”")),
            },
        };
        let wanted = self.wanted_encoding();
        let shown = self.view().map(|view| view.encoding);
        if let Some(encoding) = wanted.filter(|_| wanted == shown || self.is_quick()) {
            self.say(format!("shown as {}", encoding.name()));
        }
    }

    /// The encoding that the file on the screen is to be shown in: the chosen one, the one that its
    /// byte order mark tells, the one that it is said to be in, or UTF-8.
    fn wanted_encoding(&self) -> Option<Encoding> {
        let view = self.view()?;
        let own = || match Encoding::of(&view.raw) {
            Encoding::Utf8 => view.named.unwrap_or(Encoding::Utf8),
            marked => marked,
        };
        Some(self.display.encoding.unwrap_or_else(own))
    }

    /// To convert the file on the screen takes no time worth speaking of.
    fn is_quick(&self) -> bool {
        self.view()
            .is_some_and(|view| view.raw.bytes().len() <= encodings::SMALL)
    }

    /// Shows the file on the screen in its encoding, if it is in another one still. What takes long
    /// is done elsewhere; until then, the file stays as it is.
    pub(crate) fn show_encoding(&mut self, effects: &mut Vec<Effect>) {
        let (Some(view), Some(encoding)) = (self.view(), self.wanted_encoding()) else {
            return;
        };
        if view.encoding == encoding {
            self.requests.conversion = None;
            return;
        }
        if encoding == Encoding::Utf8 || self.is_quick() {
            let text = encoding.convert(&view.raw);
            return self.show_in(encoding, text);
        }
        let (view, file) = (view.number, File(view.raw.clone()));
        if self.requests.conversion.replace((view, encoding)) != Some((view, encoding)) {
            effects.push(Effect::Convert {
                view,
                encoding,
                file,
            });
        }
    }

    /// The encoding that the file is being converted from.
    pub fn converting(&self) -> Option<Encoding> {
        self.requests.conversion.map(|(_, encoding)| encoding)
    }

    /// The text of a view is there in an encoding.
    pub(crate) fn converted(&mut self, view: u64, encoding: Encoding, text: Arc<Text>) {
        // Something else may be wanted by now.
        if self
            .requests
            .conversion
            .take_if(|it| *it == (view, encoding))
            .is_some()
        {
            self.show_in(encoding, text);
        }
    }

    fn show_in(&mut self, encoding: Encoding, text: Arc<Text>) {
        self.requests.conversion = None;
        let number = self.requests.next_number();
        if let Some(view) = self.view_mut() {
            view.show_in(encoding, text, number);
        }
        self.requests.highlight.clear();
        let lines = self.last_line().saturating_add(1);
        self.search.restart(lines);
    }
}
