//! Searching the file.

use crate::viewer::app::{
    blame::search::{Direction, Jump, Search},
    state::{App, STILL_READING},
};

/// The message where a search is repeated without one.
pub(crate) const NO_PATTERN: &str = "no search pattern: {search} starts a search";

/// The message where the next match is before what was searched.
pub(crate) const WRAPPED_AROUND: &str = "the search wrapped around";

/// The message about a pattern that cannot be searched for.
pub(crate) const TOO_LARGE_PATTERN: &str = "this pattern is too large";

/// The message where nothing matches a pattern.
fn no_match(pattern: &str) -> String {
    format!("nothing matches {pattern}; Tab looks in all versions")
}

impl App {
    /// Starts a search with the input of the prompt; without any, repeats the last one.
    pub(crate) fn start_search(&mut self, pattern: &str, direction: Direction) {
        let Some(lines) = self.view().map(|view| view.text.line_count()) else {
            return;
        };
        if !pattern.is_empty() {
            self.search.set(Search::new(pattern, lines));
            if self.search.get().is_none() {
                return self.show_message(TOO_LARGE_PATTERN);
            }
        }
        if !self.has_search() {
            return self.show_filled(NO_PATTERN);
        }
        self.search.set_direction(direction);
        self.search.want_jump(direction);
        self.advance_search();
    }

    /// Repeats the search.
    pub(crate) fn repeat_search(&mut self, forward: bool, times: u32) {
        if !self.has_search() {
            return self.show_filled(NO_PATTERN);
        }
        for _ in 0..times.min(1000) {
            self.search.want_jump(self.search.direction(forward));
            self.advance_search();
        }
    }

    /// True if there is a search to repeat: that of the file, or else the latest one of another page, which
    /// becomes that of the file.
    fn has_search(&mut self) -> bool {
        let lines = self.view().map_or(0, |view| view.text.line_count());
        if self.search.get().is_none() {
            self.search.take_elsewhere(lines);
        }
        self.search.get().is_some()
    }

    /// Searches a slice of the file, and jumps to the match that is waited for once it is known.
    pub(crate) fn advance_search(&mut self) {
        let line = self.line();
        let Some(view) = self.history.view() else {
            return;
        };
        let Some(search) = self.search.get_mut() else {
            return;
        };
        search.advance(view);
        let (running, pattern) = (view.is_running(), search.quoted());
        match self.search.take_jump(Some(line)) {
            None => {}
            Some(Jump::To(found, direction)) => {
                let around = match direction {
                    Direction::Forward => found <= line,
                    Direction::Backward => found >= line,
                };
                let typing = self.pages.is_typing();
                if !typing {
                    self.mark_before_jump();
                }
                self.jump(found);
                self.show_match(found);
                if around && !typing {
                    self.show_message(WRAPPED_AROUND);
                }
            }
            Some(Jump::NoMatch) if self.pages.is_typing() => {}
            Some(Jump::NoMatch) => {
                self.show_message(if running {
                    format!("nothing matches {pattern} so far: {STILL_READING}")
                } else {
                    no_match(&pattern)
                });
            }
        }
    }

    /// The pattern that nothing matches, while the message says so, which offers to look in all versions.
    pub(crate) fn missed_pattern(&self) -> Option<String> {
        let search = self.search.get().filter(|_| self.pages.len() == 0)?;
        let said = self.status.message.as_deref()?;
        let is_said = said.ends_with(&no_match(&search.quoted()));
        is_said.then(|| search.pattern().to_owned())
    }

    /// Scrolls to the side only while no match in a line is on the screen otherwise.
    fn show_match(&mut self, line: u32) {
        let mut window = self.code_window();
        window.columns = window.columns.saturating_sub(1);
        let (Some(search), Some(view)) = (self.search.get(), self.history.view_mut()) else {
            return;
        };
        let found = search.matches(view.text.line(line));
        let left = view.pager.position.left;
        let home = self.search.column_before(left);
        view.pager
            .show_bytes(&*view.text, window, line, (&found, home));
        let now = view.pager.position.left;
        if now != left {
            self.search.scrolled(left, now);
        }
    }

    /// Ends the search. What it scrolled to the side is scrolled back.
    pub(crate) fn end_search(&mut self) {
        if let Some(view) = self.history.view_mut() {
            let left = &mut view.pager.position.left;
            *left = self.search.column_before(*left);
        }
        self.search.clear();
    }
}
