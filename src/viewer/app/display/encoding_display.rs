//! Displaying files in the chosen encoding.

use std::sync::Arc;

use crate::viewer::{
    app::state::App,
    model::{
        source::Failure,
        texts::{
            encodings::{self, ConversionQuery, Encoding},
            text::{SharedText, Text},
        },
    },
};

impl App {
    /// Selects the encoding of all files by name.
    pub(crate) fn choose_encoding(&mut self, name: &str) {
        self.display.encoding = match name.trim() {
            "" | "auto" => None,
            name => match Encoding::named(name) {
                Some(encoding) => Some(encoding),
                None => return self.show_message(format!("unknown encoding “{name}”")),
            },
        };
        let wanted = self.wanted_encoding();
        let shown = self.view().map(|view| view.encoding);
        if let Some(encoding) = wanted.filter(|_| wanted == shown || self.is_quick()) {
            self.show_message(format!("shown as {}", encoding.name()));
        }
    }

    /// The encoding of the visible file: the chosen one, that of its byte order mark, the declared
    /// one, or UTF-8.
    fn wanted_encoding(&self) -> Option<Encoding> {
        let view = self.view()?;
        let own = || match Encoding::detect(&view.raw) {
            Encoding::Utf8 => view.declared_encoding.unwrap_or(Encoding::Utf8),
            marked => marked,
        };
        Some(self.display.encoding.unwrap_or_else(own))
    }

    /// True if the visible file is small enough to be converted on this thread.
    fn is_quick(&self) -> bool {
        self.view()
            .is_some_and(|view| view.raw.bytes().len() <= encodings::SMALL)
    }

    /// Converts the visible file if its encoding has changed. Large files are converted in the
    /// background and stay as they are until then.
    pub(crate) fn show_encoding(&mut self) {
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
        let (view, file) = (view.id, SharedText(view.raw.clone()));
        let asked = self.requests.conversion;
        if asked.is_some_and(|(_, of, from)| (of, from) == (view, encoding)) {
            return;
        }
        let id = self.ask(ConversionQuery { encoding, file });
        self.requests.conversion = Some((id, view, encoding));
    }

    /// The encoding that the file is being converted from.
    pub fn converting(&self) -> Option<Encoding> {
        self.requests.conversion.map(|(.., encoding)| encoding)
    }

    /// Takes a converted text. Another encoding may have been chosen since.
    pub(crate) fn on_conversion(&mut self, id: u64, text: Result<Arc<Text>, Failure>) {
        match (self.requests.conversion, text) {
            (Some((asked, _, encoding)), Ok(text)) if asked == id => self.show_in(encoding, text),
            (_, Ok(_)) => {}
            (_, Err(failure)) => self.show_message(failure.0),
        }
    }

    fn show_in(&mut self, encoding: Encoding, text: Arc<Text>) {
        self.requests.conversion = None;
        let id = self.requests.next_id();
        if let Some(view) = self.view_mut() {
            view.show_in(encoding, text, id);
        }
        self.requests.highlight.clear();
        let lines = self.last_line().saturating_add(1);
        self.search.restart(lines);
    }
}
