//! Actions in the diff view.

use crate::viewer::{
    app::{
        blame::{
            motion::{NO_PERCENTAGE, WRAPPED, percent_of, sideways, signed, window_place},
            navigation::step_name,
            search::{Direction, Jump, Search},
            search_actions::TOO_LARGE_PATTERN,
        },
        commit::detail_line::Link,
        diff_view::DiffView,
        display::pager::Lines,
        prompt_history::PromptKind,
        state::{App, STILL_READING},
    },
    model::{diff::DiffRow, keys::bindings::Action, source::FileVersion},
    pages::{
        diff::{refusals::part_beside, requests::FIRST_SCREEN_MARGIN},
        page::Handled,
    },
};

impl App {
    /// Handles a press on a line of the diff, or on a link in its header.
    pub(crate) fn press_diff(&mut self, (x, y): (u16, u16)) {
        let area = self.layout().body();
        if !(area.y..area.y + area.height).contains(&y) {
            return;
        }
        let row = u64::from(y - area.y);
        self.page_diff(|pager, lines, window| {
            pager.position.line = pager.below(lines, window.wrap, pager.top(), row).0;
        });
        let link = self.diff().and_then(|diff| {
            let line = diff.header.get(diff.pager.position.line as usize)?;
            line.link_at(x)
        });
        if let Some(link) = link {
            self.follow_link(link);
        }
    }

    fn step_diff(&mut self, by: i64) {
        self.page_diff(|pager, lines, window| pager.step(lines, window, by));
    }

    /// Moves the selection and the window by rows; positive is down.
    pub(crate) fn page_diff_rows(&mut self, rows: i64) {
        self.page_diff(|pager, lines, window| pager.page(lines, window, rows));
    }

    /// An action while a diff is open.
    pub(crate) fn diff_action(&mut self, action: Action, count: Option<u32>) -> Handled {
        let page = i64::from(self.diff_rows()).max(4) - 2;
        if let (Action::Diff, Some(file)) = (action, self.selected_file()) {
            self.show_file(file);
            return Handled::Yes;
        }
        let Some(diff) = self.diff_mut() else {
            return Handled::Pass;
        };
        let times = i64::from(count.unwrap_or(1));
        match action {
            Action::Down => self.step_diff(times),
            Action::Up => self.step_diff(-times),
            Action::HalfDown => self.page_diff_rows(page / 2 * times),
            Action::HalfUp => self.page_diff_rows(-page / 2 * times),
            Action::PageDown => self.page_diff_rows(page * times),
            Action::PageUp => self.page_diff_rows(-page * times),
            Action::Top if count.is_none() => diff.pager.position.line = 0,
            Action::Bottom if count.is_none() => diff.pager.position.line = u32::MAX,
            Action::Top | Action::Bottom => self.go_to_new_line(count.unwrap_or(1)),
            Action::Left | Action::Right | Action::LineStart | Action::LineEnd => {
                self.scroll_diff_sideways(action, count.unwrap_or(1));
            }
            Action::Wrap => self.wrap_or_set_tabs(count),
            Action::ScrollDown => self.scroll_diff_window(times),
            Action::ScrollUp => self.scroll_diff_window(-times),
            Action::LineToTop | Action::LineToMiddle | Action::LineToBottom => {
                let place = window_place(action);
                self.page_diff(|pager, lines, window| pager.scroll_line_to(lines, window, place));
            }
            Action::ScreenTop | Action::ScreenMiddle | Action::ScreenBottom => {
                let place = window_place(action);
                self.page_diff(|pager, lines, window| pager.select_at(lines, window, place));
            }
            Action::GoToPercent => match count {
                Some(percent) => {
                    self.page_diff(|pager, lines, _| {
                        let last = lines.count().saturating_sub(1);
                        pager.position.line = percent_of(last, percent.into());
                    });
                }
                None => self.show_filled(NO_PERCENTAGE),
            },
            Action::Goto => self.open_prompt(PromptKind::Goto),
            Action::SearchWord => self.search_word(Direction::Forward),
            Action::SearchWordBackward => self.search_word(Direction::Backward),
            Action::SearchBackward => self.open_prompt(PromptKind::SearchBackward),
            Action::Search => self.open_prompt(PromptKind::Search),
            Action::NextMatch | Action::PreviousMatch if diff.search.get().is_some() => {
                for _ in 0..times.min(1000) {
                    let forward = action == Action::NextMatch;
                    self.repeat_search_in_diff(forward);
                }
            }
            Action::NextMatch | Action::NextGroup => self.next_hunk(true, times),
            Action::PreviousMatch | Action::PreviousGroup => self.next_hunk(false, times),
            Action::NextOfCommit | Action::PreviousOfCommit => {
                let by = isize::try_from(times).unwrap_or(isize::MAX);
                let by = if action == Action::NextOfCommit {
                    by
                } else {
                    -by
                };
                self.next_file(by);
            }
            Action::CommitDiff => self.toggle_commit_diff(),
            Action::NextParent => self.compare_with_next_parent(),
            Action::Details => self.fold_message(),
            Action::BlameParent => self.diff_before(),
            Action::BlameCommit => self.diff_at(),
            Action::Forward => self.forward(1),
            Action::Diff | Action::Close | Action::Quit | Action::Back => {
                self.close_diff();
            }
            Action::Whitespace => self.toggle_diff_whitespace(),
            Action::Origins => self.toggle_old_lines(),
            Action::CopyId | Action::CopyLink | Action::Browse => {
                self.diff_external_action(action);
            }
            Action::Edit | Action::RunCommand if diff.from_selected_line => return Handled::Pass,
            // The file that is blamed below may have changed.
            Action::Help | Action::Redraw | Action::Reload | Action::Suspend => {
                return Handled::Pass;
            }
            _ => self.nothing_here(),
        }
        Handled::Yes
    }

    /// Shows the whole message from its start on, or its start alone and what was shown before.
    fn fold_message(&mut self) {
        let rows = u32::from(self.diff_rows());
        let Some(diff) = self.diff_mut() else { return };
        diff.unfolded = !diff.unfolded;
        let before = if diff.unfolded {
            diff.folded_at.replace(diff.pager.wanted())
        } else {
            diff.folded_at.take()
        };
        self.renew_diff_header();
        let Some(diff) = self.diff_mut() else { return };
        match before {
            _ if diff.unfolded && diff.pager.position.line + FIRST_SCREEN_MARGIN >= rows => {
                diff.pager.follow((0, (0, 0)));
            }
            Some(place) if diff.selected_row().is_none() => diff.pager.follow(place),
            _ => {}
        }
    }

    /// The file that is selected in the list above the diff, if it is not the one that is shown.
    fn selected_file(&self) -> Option<usize> {
        let diff = self.diff()?;
        let line = diff.header.get(diff.pager.position.line as usize)?;
        let file = line.links.iter().find_map(|(_, link)| match link {
            Link::File(at) => Some(*at),
            Link::Reference(_) => None,
        });
        file.filter(|at| diff.shows_all() || diff.file() != Some(*at))
    }

    /// Shows a file of the list: by itself, or where it is in a diff of all files.
    pub(crate) fn show_file(&mut self, at: usize) {
        let all = self.diff_mut().filter(|diff| diff.shows_all());
        let Some(diff) = all else {
            return self.open_file(at);
        };
        let part = diff.parts().iter().find(|part| part.index == at);
        match part.map(|part| part.row) {
            Some(row) => self.show_part(row),
            // A file elsewhere than in the directory that is shown.
            None => self.open_file(at),
        }
    }

    /// Selects a line of the new file by its number (1-based), or the next one that is shown.
    pub(crate) fn go_to_new_line(&mut self, number: u32) {
        let Some(diff) = self.diff_mut() else {
            return;
        };
        let first = diff.selected_part().map_or(0, |part| part.row);
        let at = diff.row_of_new_line(number.saturating_sub(1), first);
        diff.select_row(at.unwrap_or(usize::MAX));
    }

    fn scroll_diff_sideways(&mut self, action: Action, times: u32) {
        if self.display.wrap {
            return self.show_message(WRAPPED);
        }
        if let Some(by) = sideways(action, times) {
            self.page_diff(|pager, lines, window| pager.scroll_sideways(lines, window, by));
        }
    }

    /// Goes to the first changed line of the next hunk, or of the one before.
    fn next_hunk(&mut self, forward: bool, times: i64) {
        for _ in 0..times.min(100_000) {
            match self.hunk_beside(forward) {
                Ok(line) => {
                    self.page_diff(|pager, lines, window| pager.jump(lines, window, line));
                    self.center_diff_line(line);
                }
                Err(words) => return self.show_message(words),
            }
        }
    }

    /// Scrolls a line to the middle if it is on the last rows of the screen.
    fn center_diff_line(&mut self, line: u32) {
        let rows = u32::from(self.diff_rows());
        self.page_diff(|pager, _, _| {
            if line.saturating_sub(pager.position.top) > rows * 2 / 3 {
                pager.set_top((line.saturating_sub(rows / 2), 0));
            }
        });
    }

    /// Goes to another file of the commit.
    fn next_file(&mut self, by: isize) {
        if self.diff().is_some_and(DiffView::shows_all) {
            return self.next_part(by);
        }
        match self.file_beside(by) {
            Ok(at) => self.open_file(at),
            Err(words) => self.show_message(words),
        }
    }

    /// Goes to another file of a diff of all files.
    fn next_part(&mut self, by: isize) {
        match self.diff().map(|diff| part_beside(diff, by)) {
            Some(Ok(row)) => self.show_part(row),
            Some(Err(words)) => self.show_message(words),
            None => {}
        }
    }

    /// Selects the row where a file begins, at the top of the screen.
    fn show_part(&mut self, row: usize) {
        if let Some(diff) = self.diff_mut() {
            diff.select_row(row);
        }
        let top = window_place(Action::LineToTop);
        self.page_diff(|pager, lines, window| pager.scroll_line_to(lines, window, top));
    }

    /// Starts a search through the diff; without a pattern, repeats the last one.
    pub(crate) fn search_diff(&mut self, pattern: &str, direction: Direction) {
        let Some(diff) = self.diff_mut() else {
            return;
        };
        let count = u32::try_from(diff.rows().len()).unwrap_or(u32::MAX);
        if !pattern.is_empty() {
            diff.search.set(Search::new(pattern, count));
            if diff.search.get().is_none() {
                return self.show_message(TOO_LARGE_PATTERN);
            }
            // The next diff is searched for the same, and the blame if it has no search.
            self.search.note_elsewhere(Search::new(pattern, 0));
        }
        if let Some(diff) = self.diff_mut() {
            diff.search.set_direction(direction);
        }
        self.jump_in_diff(direction);
    }

    fn repeat_search_in_diff(&mut self, forward: bool) {
        if let Some(diff) = self.diff() {
            self.jump_in_diff(diff.search.direction(forward));
        }
    }

    fn scroll_diff_window(&mut self, rows: i64) {
        self.page_diff(|pager, lines, window| pager.scroll(lines, window, signed(rows)));
    }

    fn jump_in_diff(&mut self, direction: Direction) {
        if let Some(diff) = self.diff_mut() {
            diff.search.want_jump(direction);
        }
        self.advance_diff_search();
    }

    /// Jumps to the match that waited for the diff, unless something else was pressed since then.
    pub(crate) fn jump_in_read_diff(&mut self) {
        let is_awaited = self.status.is_still_reading();
        let diff = self.diff_mut().filter(|diff| diff.search.wants_jump());
        match diff {
            Some(_) if is_awaited => {
                self.clear_message();
                self.advance_diff_search();
            }
            Some(diff) => diff.search.cancel_jump(),
            None => {}
        }
    }

    /// Searches a slice of the diff, and jumps to the match that is waited for once it is known.
    pub(crate) fn advance_diff_search(&mut self) {
        let Some(diff) = self.diff_mut() else {
            return;
        };
        if diff.comparison.is_none() {
            // What is wanted waits for it.
            if diff.search.wants_jump() && !self.pages.is_typing() {
                self.show_message(STILL_READING);
            }
            return;
        }
        let mut search = std::mem::take(&mut diff.search);
        let pattern = search.get_mut().map(|it| {
            it.scan(|row| {
                let row = diff.rows().get(row as usize);
                row.map_or(&[], |row| diff.line(*row))
            });
            it.go_on_as_text();
            it.quoted()
        });
        let from = diff.selected_row();
        let from = from.map(|row| u32::try_from(row).unwrap_or(u32::MAX));
        let found = search.take_jump(from);
        diff.search = search;
        match (found, pattern) {
            (Some(Jump::To(row, _)), _) => {
                diff.select_row(row as usize);
                self.show_diff_match();
            }
            (Some(Jump::NoMatch), Some(pattern)) if !self.pages.is_typing() => {
                self.show_message(format!("nothing here matches {pattern}"));
            }
            _ => {}
        }
    }

    /// Scrolls to the match in the selected row if it is not on the screen.
    fn show_diff_match(&mut self) {
        let found = self.diff().and_then(|diff| {
            let row = *diff.rows().get(diff.selected_row()?)?;
            let found = diff.search.get()?.matches(diff.line(row));
            Some((diff.pager.position.line, found.first()?.start))
        });
        if let Some((line, byte)) = found {
            self.page_diff(|pager, lines, window| pager.show_byte(lines, window, line, byte));
        }
    }

    /// Blames the old side at the selected row, unless that is [refused](App::diff_refusal).
    fn diff_before(&mut self) {
        let Some((diff, (version, line, from))) = self.diff().zip(self.old_side().ok()) else {
            return;
        };
        let name = diff
            .commit
            .map(|id| step_name(true, &id, diff.commit_metadata()));
        self.details.selected_reference = None;
        self.open(version, line, from);
        if let Some(name) = name {
            self.name_step(name);
        }
    }

    /// Blames the new side at the selected row, unless that is [refused](App::diff_refusal).
    fn diff_at(&mut self) {
        let Some((diff, (version, line))) = self.diff().zip(self.new_side().ok()) else {
            return;
        };
        let name = diff
            .commit
            .map(|id| step_name(false, &id, diff.commit_metadata()));
        if self.view().is_some_and(|view| view.version == version) {
            self.details.selected_reference = None;
            self.pages.close_leaving();
            self.jump(line.unwrap_or(0));
            return self.show_message("back in the file, which is as of this commit");
        }
        self.details.selected_reference = None;
        self.open(version, line, None);
        if let Some(name) = name {
            self.name_step(name);
        }
    }

    /// Copies or opens the commit or file of the diff.
    fn diff_external_action(&mut self, action: Action) {
        let Some(diff) = self.diff() else {
            return;
        };
        let Some(id) = diff.commit else { return };
        let text = match action {
            Action::CopyId => Some(id.to_string()),
            Action::CopyLink => {
                let row = diff.selected();
                let version = diff.versions().and_then(|versions| {
                    let old = versions.old.as_ref();
                    match (row, &versions.new) {
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
                    self.environment.repository.web.file(&commit, path, line)
                })
            }
            _ => self.environment.repository.web.commit(&id),
        };
        let Some(text) = text else {
            return self.show_message(self.environment.repository.web.missing_reason());
        };
        if action == Action::Browse {
            self.browse(text);
        } else {
            self.copy(text);
        }
    }
}
