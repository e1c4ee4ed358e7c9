//! Moving through the file.

use crate::viewer::{
    app::{
        blame::view::View,
        display::{
            pager::{Pager, Sideways, Window, WindowPlace},
            rows::LineRow,
        },
        state::{App, STILL_READING},
    },
    model::{
        keys::bindings::Action,
        texts::{text::Text, wrap::Wrap},
    },
};

impl App {
    /// Columns for the code, right of the gutter.
    pub fn code_width(&self) -> u16 {
        let width = self.size.0.saturating_sub(self.gutter().width());
        width.saturating_sub(self.scrollbar_width())
    }

    /// Columns of the scrollbar at the right edge; 0 if all lines are visible or the screen is
    /// narrow.
    pub fn scrollbar_width(&self) -> u16 {
        let lines = self.view().map_or(0, |view| view.text.line_count());
        let rows = u32::from(self.layout().code.height);
        u16::from(self.size.0 >= 20 && (self.display.wrap || lines > rows))
    }

    /// How lines wrap; `None` if they are cut.
    pub fn wrapping(&self) -> Option<Wrap> {
        if !self.display.wrap {
            return None;
        }
        let width = usize::from(self.code_width());
        (width > 0).then(|| Wrap::new(width))
    }

    /// The window that the code has.
    pub(crate) fn code_window(&self) -> Window {
        Window {
            rows: u32::from(self.layout().code.height).max(1),
            columns: usize::from(self.code_width()),
            wrap: self.wrapping(),
        }
    }

    /// How many rows a line takes.
    pub fn height(&self, line: u32) -> u32 {
        match (self.wrapping(), self.view()) {
            (Some(wrap), Some(view)) => view.pager.height(&*view.text, line, wrap),
            _ => 1,
        }
    }

    /// The row `rows` below another one, or the file's last.
    pub fn below(&self, row: LineRow, rows: u64) -> LineRow {
        let wrap = self.wrapping();
        let view = self.view();
        view.map_or(row, |view| view.pager.below(&*view.text, wrap, row, rows))
    }

    /// The row `rows` above another one, or the file's first.
    pub fn above(&self, row: LineRow, rows: u64) -> LineRow {
        let wrap = self.wrapping();
        let view = self.view();
        view.map_or(row, |view| view.pager.above(&*view.text, wrap, row, rows))
    }

    /// The first row on the screen.
    pub fn top(&self) -> LineRow {
        self.view().map_or((0, 0), |view| view.pager.top())
    }

    /// The row of the file in a row of the code (0-based), if there is one.
    pub fn shown_at(&self, row: u32) -> Option<LineRow> {
        let wrap = self.wrapping();
        let view = self.view()?;
        view.pager.row_at(&*view.text, wrap, row)
    }

    pub(crate) fn last_line(&self) -> u32 {
        let lines = self.view().map_or(0, |view| view.text.line_count());
        lines.saturating_sub(1)
    }

    pub(crate) fn line(&self) -> u32 {
        self.view().map_or(0, |view| view.pager.position.line)
    }

    /// Moves in the blame. The details pane starts at its top when another line is selected.
    fn page_blame(&mut self, run: impl FnOnce(&mut Pager, &Text, Window)) {
        let window = self.code_window();
        let Some(view) = self.view_mut() else { return };
        let before = view.pager.position.line;
        run(&mut view.pager, &view.text, window);
        if view.pager.position.line != before {
            self.details.pager.rewind();
        }
    }

    /// Selects a line, scrolling no further than needed.
    pub(crate) fn select(&mut self, line: u32) {
        let line = line.min(self.last_line());
        self.page_blame(|pager, _, _| pager.position.line = line);
    }

    /// Selects a line, and scrolls it to the middle if it is not on the screen.
    pub(crate) fn jump(&mut self, line: u32) {
        self.page_blame(|pager, text, window| pager.jump(text, window, line));
    }

    /// As [`jump`](Self::jump), and shows where the line begins.
    pub(crate) fn jump_to_start(&mut self, line: u32) {
        self.page_blame(|pager, text, window| pager.jump_to_start(text, window, line));
    }

    /// Selects a line in the middle of the screen.
    pub(crate) fn select_in_middle(&mut self, line: u32) {
        self.page_blame(|pager, text, window| {
            pager.position.line = line;
            pager.scroll_line_to(text, window, WindowPlace::Middle);
        });
    }

    /// Keeps the selected line on the screen.
    pub(crate) fn reveal(&mut self) {
        let window = self.code_window();
        if let Some(view) = self.view_mut() {
            view.pager.reveal(&*view.text, window);
        }
    }

    /// Scrolls by lines, taking the selection along only where it would leave the screen.
    pub(crate) fn scroll(&mut self, lines: i32) {
        self.page_blame(|pager, text, window| pager.scroll(text, window, lines));
    }

    /// Wraps long lines, or cuts them.
    pub(crate) fn toggle_wrap(&mut self) {
        self.display.wrap = !self.display.wrap;
        let view = self.history.view_mut().map(|view| &mut view.pager);
        let diff = self.pages.diffs.last_mut().map(|diff| &mut diff.pager);
        for pager in view.into_iter().chain(diff) {
            pager.position.left = 0;
            pager.position.row = 0;
        }
        self.show_filled(if self.display.wrap {
            "long lines are wrapped"
        } else {
            "long lines are cut: {left} and {right} scroll to the side"
        });
    }

    /// A motion through the file. `count` is what was typed before the key.
    pub(crate) fn go(&mut self, action: Action, count: Option<u32>) {
        let times = count.unwrap_or(1);
        let lines = i64::from(times);
        let rows = self.code_window().rows;
        let half = i64::from((rows / 2).max(1));
        let page = i64::from(rows.saturating_sub(2).max(1));
        match action {
            Action::Down => self.step(lines),
            Action::Up => self.step(-lines),
            Action::HalfDown => self.page(half * lines),
            Action::HalfUp => self.page(-half * lines),
            Action::PageDown => self.page(page * lines),
            Action::PageUp => self.page(-page * lines),
            Action::ScrollDown => self.scroll(signed(lines)),
            Action::ScrollUp => self.scroll(signed(-lines)),
            Action::LineToTop | Action::LineToMiddle | Action::LineToBottom => {
                if let Some(count) = count {
                    self.mark_before_jump();
                    self.select(count.saturating_sub(1));
                }
                let place = window_place(action);
                self.page_blame(|pager, text, window| pager.scroll_line_to(text, window, place));
            }
            Action::ScreenTop | Action::ScreenMiddle | Action::ScreenBottom => {
                let place = window_place(action);
                self.page_blame(|pager, text, window| pager.select_at(text, window, place));
            }
            Action::GoToPercent => match count {
                Some(percent) => {
                    self.mark_before_jump();
                    self.jump_to_start(percent_of(self.last_line(), percent.into()));
                }
                None => self.show_filled(NO_PERCENTAGE),
            },
            Action::Top | Action::Bottom => {
                self.mark_before_jump();
                match (count, action) {
                    (Some(count), _) => self.jump_to_start(count.saturating_sub(1)),
                    (None, Action::Top) => self.jump_to_start(0),
                    (None, _) => self.jump(self.last_line()),
                }
            }
            Action::NextGroup
            | Action::PreviousGroup
            | Action::NextOfCommit
            | Action::PreviousOfCommit => {
                self.step_groups(action, times);
            }
            _ => {
                if let Some(by) = sideways(action, times) {
                    self.scroll_sideways(by);
                }
            }
        }
    }

    fn step(&mut self, lines: i64) {
        self.page_blame(|pager, text, window| pager.step(text, window, lines));
    }

    fn page(&mut self, rows: i64) {
        self.page_blame(|pager, text, window| pager.page(text, window, rows));
    }

    fn scroll_sideways(&mut self, by: Sideways) {
        if self.display.wrap {
            return self.show_message(WRAPPED);
        }
        self.page_blame(|pager, text, window| pager.scroll_sideways(text, window, by));
    }

    fn step_groups(&mut self, action: Action, times: u32) {
        let mut left = times;
        // The line after the first step, and the steps that were left then: the groups of a commit
        // are gone through in a circle, of which whole rounds are left out.
        let mut first = None;
        while left > 0 {
            let moved = match action {
                Action::NextGroup | Action::PreviousGroup => self.step_group(action),
                _ => self.step_group_of_commit(action),
            };
            if let Err(message) = moved {
                return self.show_message(message);
            }
            left -= 1;
            let line = self.view().map(|view| view.pager.position.line);
            match first {
                None => first = Some((line, left)),
                Some((start, then)) if start == line => left %= then - left,
                Some(_) => {}
            }
        }
    }

    /// Goes to the next or the previous group.
    fn step_group(&mut self, action: Action) -> Result<(), &'static str> {
        let running = self.view().is_some_and(View::is_running);
        let found = self.group_beside(action).ok_or(match action {
            _ if running => STILL_READING,
            Action::NextGroup => "this is the last group",
            _ => "this is the first group",
        })?;
        self.jump(found);
        Ok(())
    }

    /// The first line of the next or the previous group.
    pub(super) fn group_beside(&self, action: Action) -> Option<u32> {
        let view = self.view()?;
        let line = view.pager.position.line;
        let found = match action {
            Action::NextGroup => self.next_group(view, line),
            _ => self.previous_group(view, line),
        };
        found.filter(|&found| found <= self.last_line())
    }

    /// Goes to the next or the previous group of the selected commit; from its last one to the
    /// first.
    fn step_group_of_commit(&mut self, action: Action) -> Result<(), &'static str> {
        let Some(view) = self.view() else {
            return Ok(());
        };
        let commit = view.selected_commit();
        let commit = commit.ok_or("this line is not attributed yet")?;
        let (line, groups) = (view.pager.position.line, &view.attribution);
        let (found, end, message) = match action {
            Action::NextOfCommit => (
                groups.next_of(commit, line),
                groups.first_of(commit),
                "wrapped around to the commit's first group",
            ),
            _ => (
                groups.previous_of(commit, line),
                groups.last_of(commit),
                "wrapped around to the commit's last group",
            ),
        };
        let running = view.is_running();
        match found.or(end.filter(|_| groups.tally(commit).groups > 1)) {
            Some(to) => {
                self.jump(to);
                if found.is_none() {
                    self.show_message(message);
                }
                Ok(())
            }
            None if running => Err(STILL_READING),
            None => Err("this commit has no other group"),
        }
    }
}

/// The message about a percentage without its number.
pub(crate) const NO_PERCENTAGE: &str =
    "a number before {go-to-percent} goes to that percentage of the file: 50{go-to-percent}";

/// The line at a percentage of a file.
pub(crate) fn percent_of(last_line: u32, percent: u64) -> u32 {
    let line = (u64::from(last_line) * percent.min(100)).div_ceil(100);
    u32::try_from(line).unwrap_or(last_line)
}

/// A number of rows, limited to what a window scrolls by.
pub(crate) fn signed(rows: i64) -> i32 {
    i32::try_from(rows).unwrap_or(if rows < 0 { i32::MIN } else { i32::MAX })
}

/// The place in the window that an action is about.
pub(crate) fn window_place(action: Action) -> WindowPlace {
    match action {
        Action::LineToTop | Action::ScreenTop => WindowPlace::Top,
        Action::LineToBottom | Action::ScreenBottom => WindowPlace::Bottom,
        _ => WindowPlace::Middle,
    }
}

/// The message about horizontal motions while lines wrap.
pub(crate) const WRAPPED: &str = "lines are wrapped: no horizontal scrolling";

/// The action of a turn of the wheel to the side; right is positive.
pub(crate) fn side_action(by: i32) -> Action {
    if by > 0 { Action::Right } else { Action::Left }
}

/// The horizontal motion of an action.
pub(crate) fn sideways(action: Action, times: u32) -> Option<Sideways> {
    Some(match action {
        Action::Left => Sideways::Left(times),
        Action::Right => Sideways::Right(times),
        Action::LineStart => Sideways::Start,
        Action::LineEnd => Sideways::End,
        _ => return None,
    })
}
