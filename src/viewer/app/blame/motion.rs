//! Moving through the file.

use crate::viewer::{
    app::{
        blame::{rows::Spot, search::Search},
        display::layout::Pane,
        state::{App, Way},
    },
    model::keymap::Action,
};

/// Columns that one step to the side scrolls.
const SIDE: usize = 8;

impl App {
    /// Rows of code on the screen.
    fn rows(&self) -> u32 {
        u32::from(self.layout().code.height).max(1)
    }

    pub(crate) fn last_line(&self) -> u32 {
        let lines = self.view().map_or(0, |view| view.text.line_count());
        lines.saturating_sub(1)
    }

    fn line(&self) -> u32 {
        self.view().map_or(0, |view| view.position.line)
    }

    /// Selects a line, scrolling no further than needed.
    pub(crate) fn select(&mut self, line: u32) {
        let last = self.last_line();
        let line = line.min(last);
        if line != self.line() {
            self.pane_top = 0;
        }
        if let Some(view) = self.view_mut() {
            view.position.line = line;
        }
    }

    /// Selects a line, and brings it to the middle if it is not on the screen.
    pub(crate) fn jump(&mut self, line: u32) {
        self.select(line);
        let rows = self.rows();
        let (line, top) = (self.line(), self.top());
        let (last, _) = self.below(top, u64::from(rows) - 1);
        if !(top.0..=last).contains(&line) {
            self.set_top(self.above((line, 0), u64::from(rows / 2)));
        }
    }

    /// Keeps the selected line on the screen, with some lines around it, and the screen full.
    pub(crate) fn reveal(&mut self) {
        let rows = self.rows();
        let last = self.last_line();
        let margin = u64::from((rows.saturating_sub(1) / 2).min(3));
        let wrap = self.wrapping();
        let Some(view) = self.view_mut() else { return };
        let position = &mut view.position;
        position.line = position.line.min(last);
        position.top = position.top.min(last);
        if wrap.is_none() {
            position.row = 0;
        }
        let (line, top) = (position.line, position.top);
        let near = |line: u32, before: u32| {
            line.saturating_sub(before)..line.saturating_add(rows).min(last + 1)
        };
        if let Some(wrap) = wrap {
            view.break_lines(near(top, rows), wrap);
            view.break_lines(near(line, rows), wrap);
        } else if position.left > 0 {
            view.mark(near(top, 0));
        }
        let top = self.top();
        let top = top.min(self.end_of(top.0));
        let lowest = self.above((line, 0), margin);
        let highest = self.above(self.below(self.end_of(line), margin), u64::from(rows) - 1);
        // A line that is taller than the screen may be anywhere between.
        let top = top.clamp(highest.min(lowest), highest.max(lowest));
        self.set_top(top.min(self.lowest_top(rows)));
    }

    /// Scrolls by lines, taking the selection along only where it would leave the screen.
    pub(crate) fn scroll(&mut self, lines: i32) {
        if self.help.is_none() && self.change.is_some() {
            return self.scroll_change(i64::from(lines));
        }
        if self.help.is_some() || self.pane == Pane::Focused {
            return self.scroll_pane(lines);
        }
        let rows = self.rows();
        let by = u64::from(lines.unsigned_abs());
        let top = match lines < 0 {
            true => self.above(self.top(), by),
            false => self.below(self.top(), by).min(self.lowest_top(rows)),
        };
        self.set_top(top);
        let line = self.line_near(top, lines < 0);
        self.select(line);
    }

    /// The selected line, or the nearest to it that can be seen whole, and not at the very edge,
    /// when `top` is the first row; `up` prefers lines above.
    fn line_near(&self, top: Spot, up: bool) -> u32 {
        let rows = self.rows();
        let margin = (rows.saturating_sub(1) / 2).min(3);
        let end = self.end_of(self.last_line());
        let bottom = self.below(top, u64::from(rows) - 1);
        let low = match top {
            (0, 0) => (0, 0),
            top => self.below(top, u64::from(margin)),
        };
        let high = match bottom == end {
            true => bottom,
            false => self.below(top, u64::from(rows - 1 - margin)),
        };
        let first = low.0 + u32::from(low.1 > 0);
        let last = match high == self.end_of(high.0) {
            true => high.0,
            false => high.0.saturating_sub(1),
        };
        let line = self.line();
        match (first <= last, up) {
            (true, _) => line.clamp(first, last),
            (false, true) if last >= top.0 => last,
            (false, false) if first <= bottom.0 => first,
            // One line is taller than the screen.
            (false, true) => top.0,
            (false, false) => bottom.0,
        }
    }

    /// Scrolls the commit's words.
    pub(crate) fn scroll_words(&mut self, lines: i32) {
        self.pane_top = self.pane_top.saturating_add_signed(lines as isize);
    }

    fn scroll_pane(&mut self, lines: i32) {
        let lines = lines as isize;
        match &mut self.help {
            Some(top) => *top = top.saturating_add_signed(lines),
            None => self.pane_top = self.pane_top.saturating_add_signed(lines),
        }
    }

    /// The highest line that the commit's pane may begin with.
    pub(crate) fn pane_end(&self) -> usize {
        let room = usize::from(self.layout().details.height);
        if self.pane_top == 0 || room == 0 {
            return 0;
        }
        self.details().len().saturating_sub(room)
    }

    /// A motion while the help or the commit's words are being read.
    pub(crate) fn read_on(&mut self, action: Action, count: u32) {
        let height = match self.help {
            Some(_) => self.help_height(),
            None => self.layout().details.height,
        };
        let page = i32::from(height.max(4)) - 1;
        let count = i32::try_from(count).unwrap_or(i32::MAX);
        let far = i32::MAX / 2;
        match action {
            Action::Down => self.scroll_pane(count),
            Action::Up => self.scroll_pane(-count),
            Action::HalfDown => self.scroll_pane(page / 2),
            Action::HalfUp => self.scroll_pane(-page / 2),
            Action::PageDown => self.scroll_pane(page),
            Action::PageUp => self.scroll_pane(-page),
            Action::Top => self.scroll_pane(-far),
            Action::Bottom => self.scroll_pane(far),
            _ => {}
        }
    }

    /// A motion through the file. `count` is what was typed before the key.
    pub(crate) fn go(&mut self, action: Action, count: Option<u32>) {
        let times = count.unwrap_or(1);
        let (line, last, rows) = (self.line(), self.last_line(), self.rows());
        let half = (rows / 2).max(1);
        let page = rows.saturating_sub(2).max(1);
        match action {
            Action::Down if self.read_tall(times, false) => {}
            Action::Up if self.read_tall(times, true) => {}
            Action::Down => self.select(line.saturating_add(times)),
            Action::Up => self.select(line.saturating_sub(times)),
            Action::Left | Action::Right | Action::LineStart | Action::LineEnd if self.wrap => {
                self.say("lines are wrapped: no horizontal scrolling");
            }
            Action::HalfDown => self.turn(i64::from(half) * i64::from(times)),
            Action::HalfUp => self.turn(-i64::from(half) * i64::from(times)),
            Action::PageDown => self.turn(i64::from(page) * i64::from(times)),
            Action::PageUp => self.turn(-i64::from(page) * i64::from(times)),
            Action::Top | Action::Bottom => {
                let end = if action == Action::Top { 0 } else { last };
                self.leave_mark();
                self.jump(count.map_or(end, |count| count.saturating_sub(1)));
            }
            Action::Left => self.scroll_side(|left| left.saturating_sub(SIDE * times as usize)),
            Action::Right => self.scroll_side(|left| left + SIDE * times as usize),
            Action::LineStart => self.scroll_side(|_| 0),
            Action::LineEnd => self.scroll_to_end(),
            Action::NextGroup | Action::PreviousGroup | Action::NextSame | Action::PreviousSame => {
                self.step(action, times);
            }
            _ => {}
        }
    }

    /// Steps through the rows of a selected line that is taller than the screen. False if the line
    /// has no further ones.
    fn read_tall(&mut self, times: u32, up: bool) -> bool {
        let (line, top, rows) = (self.line(), self.top(), self.rows());
        if self.height(line) <= rows {
            return false;
        }
        let bottom = self.below(top, u64::from(rows) - 1);
        let further = match up {
            true => top > (line, 0),
            false => bottom < self.end_of(line),
        };
        if further {
            self.set_top(match up {
                true => self.above(top, u64::from(times)).max((line, 0)),
                false => self.below(top, u64::from(times)),
            });
        }
        further
    }

    /// Moves the screen and the selection together.
    fn turn(&mut self, lines: i64) {
        let by = lines.unsigned_abs();
        let (before, line) = (self.top(), self.line());
        let top = match lines < 0 {
            true => self.above(before, by),
            false => self.below(before, by).min(self.lowest_top(self.rows())),
        };
        // A line that is taller than the screen is passed when the screen cannot move any more.
        let from = match lines < 0 {
            true if top == before => (line, 0),
            false if top == before => self.end_of(line),
            _ => before.max((line, 0)),
        };
        let (line, _) = match lines < 0 {
            true => self.above(from, by),
            false => self.below(from, by),
        };
        self.set_top(top);
        self.select(line);
    }

    fn scroll_side(&mut self, to: impl Fn(usize) -> usize) {
        let room = usize::from(self.size.0.saturating_sub(self.gutter().width() + 1));
        let rows = self.rows();
        let Some(view) = self.view_mut() else { return };
        let to = to(view.position.left);
        if to > view.position.left {
            // No further than the widest line that is on the screen.
            let top = view.position.top;
            let lines = top..(top + rows).min(view.text.line_count());
            view.mark(lines.clone());
            if !lines
                .clone()
                .any(|line| view.glyphs(line, to).next().is_some())
            {
                let widest = lines.map(|line| view.width(line)).max();
                let end = widest.unwrap_or(0).saturating_sub(room / 2);
                view.position.left = view.position.left.max(end);
                return;
            }
        }
        view.position.left = to;
    }

    fn scroll_to_end(&mut self) {
        let room = usize::from(self.size.0.saturating_sub(self.gutter().width() + 1));
        if let Some(view) = self.view_mut() {
            let line = view.position.line;
            view.mark(line..line + 1);
            let width = view.width(line);
            view.position.left = width.saturating_sub(room.saturating_sub(1));
        }
    }

    fn step(&mut self, action: Action, times: u32) {
        let same = matches!(action, Action::NextSame | Action::PreviousSame);
        for _ in 0..times {
            let Some(view) = self.view() else { return };
            let line = view.position.line;
            let commit = view.selected_commit();
            let found = match (action, commit) {
                (Action::NextGroup, _) => view.attribution.next_group(line),
                (Action::PreviousGroup, _) => view.attribution.previous_group(line),
                (Action::NextSame, Some(commit)) => view.attribution.next_of(commit, line),
                (_, Some(commit)) => view.attribution.previous_of(commit, line),
                (_, None) => return self.say("this line is not attributed yet"),
            };
            let last = self.last_line();
            let Some(found) = found.filter(|&found| found <= last) else {
                let what = if same { " of this commit" } else { "" };
                let next = matches!(action, Action::NextGroup | Action::NextSame);
                let which = if next { "last" } else { "first" };
                return self.say(format!("this is the {which} group{what}"));
            };
            self.jump(found);
        }
    }

    /// Goes where the words of the prompt say: `120`, `50%`, `$`.
    pub(crate) fn goto_words(&mut self, words: &str) {
        let last = self.last_line();
        let percent = words
            .strip_suffix('%')
            .and_then(|n| n.trim().parse::<u64>().ok());
        let line = words.parse::<u64>().ok();
        match (words, line, percent) {
            ("", ..) => {}
            ("$", ..) => {
                self.leave_mark();
                self.jump(last);
            }
            (_, Some(line), _) => {
                let line = u32::try_from(line.saturating_sub(1)).unwrap_or(u32::MAX);
                if line > last {
                    self.say(format!("the file has {} lines", u64::from(last) + 1));
                }
                self.leave_mark();
                self.jump(line);
            }
            (_, _, Some(percent)) => {
                let line = (u64::from(last) * percent.min(100)).div_ceil(100);
                self.leave_mark();
                self.jump(u32::try_from(line).unwrap_or(last));
            }
            _ => self.say(format!("“{words}” is not a line: try 120, 50% or $")),
        }
    }

    /// Begins a search with what was typed; with nothing, repeats the last one.
    pub(crate) fn start_search(&mut self, pattern: &str) {
        let Some(lines) = self.view().map(|view| view.text.line_count()) else {
            return;
        };
        if !pattern.is_empty() {
            self.search = Search::new(pattern, lines);
            if self.search.is_none() {
                return self.say("this pattern is too large");
            }
        }
        self.seek = Some(Way::Next);
        self.advance_search();
    }

    /// Repeats the search.
    pub(crate) fn repeat_search(&mut self, forward: bool, times: u32) {
        if self.search.is_none() {
            return self.say("no search pattern: / starts a search");
        }
        for _ in 0..times.min(1000) {
            self.seek = Some(if forward { Way::Next } else { Way::Previous });
            self.advance_search();
        }
    }

    /// Looks at a slice of the file, and goes to the match that is waited for if it is known.
    pub(crate) fn advance_search(&mut self) {
        let line = self.line();
        let Some(view) = self.views.get(self.at) else {
            return;
        };
        let Some(search) = &mut self.search else {
            return;
        };
        search.advance(view);
        let found = match self.seek {
            None => return,
            Some(Way::Next) => search.next(line),
            Some(Way::Previous) => search.previous(line),
        };
        match found {
            Some(None) => {}
            Some(Some(found)) => {
                let around = match self.seek {
                    Some(Way::Next) => found <= line,
                    _ => found >= line,
                };
                self.seek = None;
                self.leave_mark();
                self.jump(found);
                self.show_match(found);
                if around {
                    self.say("the search wrapped around");
                }
            }
            None => {
                let mut words = format!("nothing matches “{}”", search.pattern());
                if view.is_running() {
                    words.push_str(" so far: the blame goes on");
                }
                self.seek = None;
                self.say(words);
            }
        }
    }

    /// Scrolls to the side if the match of a line is not on the screen.
    fn show_match(&mut self, line: u32) {
        let room = usize::from(self.size.0.saturating_sub(self.gutter().width() + 2));
        let wrap = self.wrapping();
        let (Some(search), Some(view)) = (&self.search, self.views.get_mut(self.at)) else {
            return;
        };
        let found = search.matches(view.text.line(line));
        let Some(found) = found.into_iter().next() else {
            return;
        };
        if let Some(wrap) = wrap {
            view.break_lines(line..line + 1, wrap);
            let row = view.row_of(line, found.start, wrap);
            let (top, rows) = (self.top(), u64::from(self.rows()));
            if !(top..=self.below(top, rows - 1)).contains(&(line, row)) {
                self.set_top(self.above((line, row), rows / 2));
            }
            return;
        }
        view.mark(line..line + 1);
        let mut glyphs = view.glyphs(line, 0);
        let column = glyphs.find(|glyph| glyph.end > found.start);
        let column = column.map_or(0, |glyph| glyph.column);
        if !(view.position.left..view.position.left + room).contains(&column) {
            view.position.left = match column < room {
                true => 0,
                false => column.saturating_sub(room / 2),
            };
        }
    }
}
