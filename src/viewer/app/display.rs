//! Showing files in the encoding that was chosen.

use super::{App, encodings::Encoding};

impl App {
    /// Shows files in the encoding of this name from now on.
    pub(super) fn choose_encoding(&mut self, name: &str) {
        self.encoding = match name.trim() {
            "" | "auto" => None,
            name => match Encoding::named(name) {
                Some(encoding) => Some(encoding),
                None => return self.say(format!("no encoding is called “{name}”")),
            },
        };
        self.show_encoding();
        let name = self.view().map(|view| view.encoding.name());
        self.say(format!("shown as {}", name.unwrap_or_default()));
    }

    /// Shows the file on the screen in its encoding, if it is in another one still.
    pub(super) fn show_encoding(&mut self) {
        let Some(view) = self.view() else { return };
        let encoding = self.encoding.unwrap_or_else(|| Encoding::of(&view.raw));
        if view.encoding == encoding {
            return;
        }
        self.numbers += 1;
        let number = self.numbers;
        if let Some(view) = self.view_mut() {
            view.show_in(encoding, number);
        }
        self.colouring.clear();
        let lines = self.last_line().saturating_add(1);
        self.search = self.search.as_ref().map(|search| search.again(lines));
    }
}
