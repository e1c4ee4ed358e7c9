//! Moving through a commit's diff, and out of it.

use crate::{
    sanitize,
    viewer::{
        app::{
            blame::{navigation::short, rows::Spot, search::Search},
            commit::details::Link,
            diff::diff_view::Change,
            state::{App, PromptKind},
        },
        model::{keymap::Action, source::FileVersion},
        protocol::{DiffRow, Effect, LineRef},
    },
};

/// Columns that one step to the side scrolls.
const SIDE: usize = 8;

impl App {
    /// Keeps the selected row on the screen, and the screen full.
    pub(crate) fn reveal_change(&mut self) {
        let rows = u64::from(self.change_rows()).max(1);
        if let Some(change) = &mut self.change {
            let end = (change.rows().len() as i64).max(1);
            change.at = change.at.min(end - 1);
        }
        self.learn_breaks();
        let found = self.stacked_change(|change, head, stack| {
            let index = |row: i64| u32::try_from(row.saturating_add(head)).unwrap_or(0);
            let line = index(change.at).min(stack.last);
            let margin = ((rows - 1) / 2).min(3);
            let lowest = stack.above((line, 0), margin);
            let highest = stack.above(stack.below(stack.end_of(line), margin), rows - 1);
            let top = match change.top.0.saturating_add(head) < 0 {
                true => (0, 0),
                false => (index(change.top.0).min(stack.last), change.top.1),
            };
            let top = top.min(stack.end_of(top.0));
            let top = top.clamp(highest.min(lowest), highest.max(lowest));
            let end = stack.above(stack.end_of(stack.last), rows - 1);
            (i64::from(line) - head, number(top.min(end), head))
        });
        if let (Some(change), Some((at, top))) = (&mut self.change, found) {
            (change.at, change.top) = (at, top);
        }
    }

    /// Remembers how the long lines near the selection are broken.
    fn learn_breaks(&mut self) {
        let rows = i64::from(self.change_rows()).max(1);
        let wrap = self.change.as_ref().map(|it| self.change_wrapping(it));
        let (Some(change), Some(Some(wrap))) = (&mut self.change, wrap) else {
            return;
        };
        let mut broken = std::mem::take(&mut change.broken);
        for middle in [change.at, change.top.0] {
            for row in middle.saturating_sub(rows)..middle.saturating_add(rows) {
                let shown = usize::try_from(row).ok();
                if let Some(shown) = shown.and_then(|row| change.rows().get(row)) {
                    broken.learn(row as u32, change.line(*shown), wrap);
                }
            }
        }
        change.broken = broken;
    }

    /// Moves the selection and, where that is wanted, the screen.
    pub(crate) fn scroll_change(&mut self, rows: i64) {
        let by = rows.unsigned_abs();
        let found = self.stacked_change(|change, head, stack| {
            let step = |spot: Spot| match rows < 0 {
                true => stack.above(spot, by),
                false => stack.below(spot, by),
            };
            let index = |row: i64| u32::try_from(row.saturating_add(head)).unwrap_or(0);
            let at = step((index(change.at), 0)).0;
            let top = step((index(change.top.0), change.top.1));
            (i64::from(at) - head, number(top, head))
        });
        if let (Some(change), Some((at, top))) = (&mut self.change, found) {
            // A line that takes more rows than that is passed all the same.
            let stuck = at == change.at && top == change.top;
            change.at = at + if stuck { rows.signum() } else { 0 };
            change.top = top;
        }
    }

    /// A key while a change is on the screen. False if it is none of its keys.
    pub(crate) fn perform_change(
        &mut self,
        action: Action,
        count: Option<u32>,
        effects: &mut Vec<Effect>,
    ) -> bool {
        let page = i64::from(self.change_rows()).max(4) - 2;
        if let (Action::Change, Some(file)) = (action, self.selected_file()) {
            self.open_file(file, effects);
            return true;
        }
        let Some(change) = &mut self.change else {
            return false;
        };
        let times = i64::from(count.unwrap_or(1));
        match action {
            Action::Down | Action::Up => {
                let way = if action == Action::Down {
                    times
                } else {
                    -times
                };
                if !self.read_tall_row(way) {
                    self.change_to(|change| change.at.saturating_add(way));
                }
            }
            Action::HalfDown => self.scroll_change(page / 2 * times),
            Action::HalfUp => self.scroll_change(-page / 2 * times),
            Action::PageDown => self.scroll_change(page * times),
            Action::PageUp => self.scroll_change(-page * times),
            Action::Top if count.is_none() => change.at = i64::MIN / 2,
            Action::Bottom if count.is_none() => change.at = i64::MAX / 2,
            Action::Top | Action::Bottom => self.go_to_new_line(count.unwrap_or(1)),
            Action::Left | Action::Right | Action::LineStart | Action::LineEnd => {
                self.scroll_change_aside(action, count.unwrap_or(1));
            }
            Action::Wrap => self.turn_wrap(),
            Action::Search => self.ask(PromptKind::Search),
            Action::NextMatch | Action::PreviousMatch if change.search.is_some() => {
                for _ in 0..times.min(1000) {
                    self.seek_in_change(action == Action::NextMatch);
                }
            }
            Action::NextMatch | Action::NextGroup => self.next_hunk(true, times),
            Action::PreviousMatch | Action::PreviousGroup => self.next_hunk(false, times),
            Action::NextSame | Action::PreviousSame => {
                let by = isize::try_from(times).unwrap_or(isize::MAX);
                let by = if action == Action::NextSame { by } else { -by };
                self.next_file(by, effects);
            }
            Action::Before => self.change_before(effects),
            Action::At => self.change_at(effects),
            Action::Change | Action::Close | Action::Quit | Action::Back => {
                self.close_change(effects);
            }
            Action::Whitespace => self.turn_change_whitespace(effects),
            Action::Copy | Action::CopyLink | Action::Browse => {
                self.take_out(action, effects);
            }
            Action::Edit | Action::Run if change.own => return false,
            Action::Print | Action::Help | Action::Redraw | Action::Suspend => return false,
            _ => {
                let words = "this key does nothing here: {close} returns";
                self.say(self.keymap.fill(words));
            }
        }
        true
    }

    /// The file that is selected in the list above the diff, if it is not the one that is shown.
    fn selected_file(&self) -> Option<usize> {
        let change = self.change.as_ref().filter(|change| change.at < 0)?;
        let head = self.change_head();
        let line = usize::try_from(change.at + head.len() as i64).ok()?;
        let mut links = head.get(line)?.links.iter();
        let file = links.find_map(|(_, link)| match link {
            Link::File(at) => Some(*at),
            Link::Reference(_) => None,
        });
        file.filter(|at| change.file() != Some(*at))
    }

    /// Goes where a function says, no further than the rows there are.
    fn change_to(&mut self, to: impl FnOnce(&Change) -> i64) {
        let head = self.change_head().len() as i64;
        if let Some(change) = &mut self.change {
            change.at = to(change).max(-head);
        }
    }

    /// Steps through a selected line that is taller than the screen. False if it has no further
    /// rows.
    fn read_tall_row(&mut self, way: i64) -> bool {
        let rows = u64::from(self.change_rows()).max(1);
        let found = self.stacked_change(|change, head, stack| {
            let index = |row: i64| u32::try_from(row.saturating_add(head)).unwrap_or(0);
            let line = index(change.at);
            let top = (index(change.top.0), change.top.1);
            if u64::from(stack.end_of(line).1) < rows {
                return None;
            }
            let bottom = stack.below(top, rows - 1);
            let by = way.unsigned_abs();
            match way < 0 {
                true if top > (line, 0) => Some(stack.above(top, by).max((line, 0))),
                false if bottom < stack.end_of(line) => Some(stack.below(top, by)),
                _ => None,
            }
            .map(|top| number(top, head))
        });
        let (Some(Some(top)), Some(change)) = (found, &mut self.change) else {
            return false;
        };
        change.top = top;
        true
    }

    /// Selects a line of the new file by its number (1-based), or the next one that is shown.
    pub(crate) fn go_to_new_line(&mut self, number: u32) {
        let Some(change) = &mut self.change else {
            return;
        };
        let line = number.saturating_sub(1);
        let shown = |row: &DiffRow| !matches!(row, DiffRow::Hunk { .. });
        let at = change
            .rows()
            .iter()
            .position(|row| shown(row) && row.new_line().is_some_and(|new| new >= line));
        change.at = at.map_or(i64::MAX / 2, |at| at as i64);
    }

    fn scroll_change_aside(&mut self, action: Action, times: u32) {
        if self.wrap {
            return self.say("lines are wrapped: no horizontal scrolling");
        }
        let (width, rows) = (self.size.0, self.change_rows());
        let Some(change) = &mut self.change else {
            return;
        };
        let room = usize::from(width.saturating_sub(change.margin(width)));
        let columns = |row: DiffRow| sanitize::width(change.line(row));
        let by = SIDE * times as usize;
        let left = match action {
            Action::Left => change.left.saturating_sub(by),
            Action::LineStart => 0,
            Action::LineEnd => {
                let end = change.selected().map_or(0, columns);
                end.saturating_sub(room.saturating_sub(1))
            }
            _ => {
                // No further than the widest line that is on the screen.
                let first = usize::try_from(change.top.0).unwrap_or(0);
                let seen = change.rows().iter().skip(first).take(rows.into());
                let widest = seen.map(|row| columns(*row)).max().unwrap_or(0);
                let most = widest.saturating_sub(room / 2).max(change.left);
                (change.left + by).min(most)
            }
        };
        change.left = left;
    }

    /// Goes to the first changed line of the next part, or of the one before.
    fn next_hunk(&mut self, forward: bool, times: i64) {
        for _ in 0..times.min(100_000) {
            let Some(change) = &mut self.change else {
                return;
            };
            let rows = change.rows();
            let changed = |at: usize| matches!(rows[at], DiffRow::Added(_) | DiffRow::Removed(_));
            let is_first = |at: &usize| changed(*at) && !at.checked_sub(1).is_some_and(changed);
            let from = usize::try_from(change.at).ok();
            let found = match forward {
                true => {
                    let mut rest = from.map_or(0, |at| at + 1)..rows.len();
                    rest.find(is_first)
                }
                false => (0..from.unwrap_or(0).min(rows.len())).rev().find(is_first),
            };
            match found {
                Some(at) => change.at = at as i64,
                None => {
                    let files = change.files.as_ref().and_then(|files| files.as_ref().ok());
                    let others = files.is_some_and(|changes| changes.files.len() > 1);
                    let words = match (others, forward) {
                        (false, true) => "this is the last change",
                        (false, false) => "this is the first change",
                        (true, true) => {
                            "this is the file's last change: {next-same} goes to the next file"
                        }
                        (true, false) => {
                            "this is the file's first change: {previous-same} goes to the file before"
                        }
                    };
                    return self.say(self.keymap.fill(words));
                }
            }
        }
    }

    /// Goes to another file of the commit.
    fn next_file(&mut self, by: isize, effects: &mut Vec<Effect>) {
        let Some(change) = &self.change else { return };
        let count = match &change.files {
            None => return self.say("looking for the commit's files…"),
            Some(Err(failure)) => return self.say(failure.0.clone()),
            Some(Ok(changes)) => changes.files.len(),
        };
        let last = count.saturating_sub(1);
        let at = change.file();
        let to = match (at, by > 0) {
            (Some(at), _) => at.saturating_add_signed(by).min(last),
            (None, true) => 0,
            (None, false) => last,
        };
        if count == 0 || at == Some(to) {
            return self.say(match (count, by > 0) {
                (0 | 1, _) => "this is the commit's only file",
                (_, true) => "this is the commit's last file",
                (_, false) => "this is the commit's first file",
            });
        }
        self.open_file(to, effects);
    }

    /// Begins a search through the diff; with nothing, repeats the last one.
    pub(crate) fn search_change(&mut self, pattern: &str) {
        let Some(change) = &mut self.change else {
            return;
        };
        let count = u32::try_from(change.rows().len()).unwrap_or(u32::MAX);
        if !pattern.is_empty() {
            change.search = Search::new(pattern, count);
            if change.search.is_none() {
                return self.say("this pattern is too large");
            }
            // The blame is searched for the same.
            let lines = self.view().map_or(0, |view| view.text.line_count());
            self.search = Search::new(pattern, lines);
        }
        self.seek_in_change(true);
    }

    fn seek_in_change(&mut self, forward: bool) {
        if let Some(change) = &mut self.change {
            change.seek = Some(forward);
        }
        self.advance_change_search();
    }

    /// Looks at a slice of the diff, and goes to the match that is waited for if it is known.
    pub(crate) fn advance_change_search(&mut self) {
        let Some(change) = &mut self.change else {
            return;
        };
        let Some(mut search) = change.search.take() else {
            return;
        };
        search.scan(|row| {
            change
                .rows()
                .get(row as usize)
                .map_or(&[], |row| change.line(*row))
        });
        let seek = change.seek.take();
        let from = u32::try_from(change.at).unwrap_or(0);
        let found = match seek {
            // From above the diff, its first row counts.
            Some(true) if change.at < 0 => search.next_from(0),
            Some(true) => search.next(from),
            Some(false) => search.previous(from),
            None => Some(None),
        };
        let pattern = search.pattern().to_owned();
        change.search = Some(search);
        match (seek, found) {
            (None, _) => {}
            (_, Some(Some(row))) => {
                change.at = i64::from(row);
                self.reveal_change_match();
            }
            (seek, Some(None)) => change.seek = seek,
            (_, None) => self.say(format!("nothing here matches “{pattern}”")),
        }
    }

    /// Scrolls to the side if the selected row's match is out of sight.
    fn reveal_change_match(&mut self) {
        let width = self.size.0;
        let Some(change) = self.change.as_mut().filter(|_| !self.wrap) else {
            return;
        };
        let room = usize::from(width.saturating_sub(change.margin(width)));
        let Some(bytes) = change.selected().map(|row| change.line(row)) else {
            return;
        };
        let found = change.search.as_ref().map(|search| search.matches(bytes));
        let Some(found) = found.and_then(|found| found.into_iter().next()) else {
            return;
        };
        let column = sanitize::width(&bytes[..found.start]);
        if !(change.left..change.left + room).contains(&column) {
            change.left = match column < room {
                true => 0,
                false => column.saturating_sub(room / 2),
            };
        }
    }

    /// Blames the old side at the selected row.
    fn change_before(&mut self, effects: &mut Vec<Effect>) {
        let Some((change, sides)) = self.change_sides() else {
            return self.say("the commit's files are still being read");
        };
        let Some((commit, path)) = sides.old.clone() else {
            let words = match change.commit {
                Some(id) => format!(
                    "{} introduced the file: nothing stands before it",
                    short(&id)
                ),
                None => "nothing stands before this".to_owned(),
            };
            return self.say(words);
        };
        let version = FileVersion::Commit { commit, path };
        let (line, from) = match (change.selected(), sides.new.clone()) {
            (
                Some(
                    DiffRow::Context { old, .. }
                    | DiffRow::Removed(old)
                    | DiffRow::Hunk { old, .. },
                ),
                _,
            ) => (Some(old), None),
            (Some(DiffRow::Added(line)), Some(version)) => (None, Some(LineRef { version, line })),
            // The file without a line: only its mode changed, or its name.
            _ if change.rows().is_empty() => (Some(0), None),
            _ => return self.say("select a line of the diff first"),
        };
        self.leave_change();
        self.open(version, line, from, effects);
    }

    /// Blames the new side at the selected row.
    fn change_at(&mut self, effects: &mut Vec<Effect>) {
        let Some((change, sides)) = self.change_sides() else {
            return self.say("the commit's files are still being read");
        };
        let Some(version) = sides.new.clone() else {
            return self.say("the commit removed the file: , blames it as it was before");
        };
        let line = match change.selected() {
            Some(DiffRow::Removed(_)) => {
                return self.say("this line is gone in the new file: , blames it in the old one");
            }
            Some(row) => row.new_line(),
            None if change.rows().is_empty() => Some(0),
            None => return self.say("select a line of the diff first"),
        };
        self.leave_change();
        if self.view().is_some_and(|view| view.version == version) {
            self.jump(line.unwrap_or(0));
            return self.say("already at this commit");
        }
        self.open(version, line, None, effects);
    }

    fn change_sides(&self) -> Option<(&Change, &crate::viewer::protocol::Sides)> {
        let change = self.change.as_ref()?;
        Some((change, change.sides.as_ref()?))
    }

    /// A blame takes the place of all that is open of commits.
    fn leave_change(&mut self) {
        self.behind.clear();
        self.picked = None;
        self.change = None;
    }

    /// Copies or opens what the diff is of.
    fn take_out(&mut self, action: Action, effects: &mut Vec<Effect>) {
        let Some(change) = &self.change else { return };
        let Some(id) = change.commit else {
            return self.say("not committed yet: there is no link to this line");
        };
        let text = match action {
            Action::Copy => Some(id.to_string()),
            Action::CopyLink => {
                let row = change.selected();
                let version = change.sides.as_ref().and_then(|sides| {
                    let old = sides.old.as_ref();
                    match (row, &sides.new) {
                        (Some(DiffRow::Removed(line)), _) => {
                            old.map(|(commit, path)| (*commit, path.clone(), line))
                        }
                        (row, Some(FileVersion::Commit { commit, path })) => {
                            let line = row.and_then(DiffRow::new_line).unwrap_or(0);
                            Some((*commit, path.clone(), line))
                        }
                        _ => None,
                    }
                });
                version.and_then(|(commit, path, line)| {
                    let path: &bstr::BStr = path.as_slice().into();
                    self.around.web.file(&commit, path, line)
                })
            }
            _ => self.around.web.commit(&id),
        };
        let Some(text) = text else {
            return self.say(self.around.web.missing_reason());
        };
        if action == Action::Browse {
            self.say(format!("opened {text}"));
            effects.push(Effect::Browse(text));
        } else {
            self.say(format!("copied {text}"));
            effects.push(Effect::Copy(text));
        }
    }
}

/// A row of the stack by the number that the change gives it.
fn number((index, part): Spot, head: i64) -> (i64, u32) {
    (i64::from(index) - head, part)
}
