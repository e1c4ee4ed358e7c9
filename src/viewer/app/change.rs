//! What the selected line's commit did to the file, on a screen of its own.

use std::sync::Arc;

use bstr::BString;

use super::{
    App,
    details::DetailLine,
    encodings,
    keymap::Action,
    message::{CompareJob, Compared, Comparison, DiffRow, Effect, Footing},
    travel::short,
};
use crate::{
    objects::ObjectId,
    viewer::source::{Failure, Place},
};

/// The change that is looked at. Its rows are numbered from the first of the diff; those of the
/// commit's words above it have negative numbers.
#[derive(Debug, Clone)]
pub struct Change {
    /// The commit.
    pub commit: ObjectId,
    /// The file before the commit; none if it introduced the file.
    pub old: Option<(ObjectId, Arc<BString>)>,
    /// The file in the commit.
    pub new: Place,
    /// Its diff, once it is there.
    pub diff: Option<Result<Comparison, Failure>>,
    /// The selected row.
    pub at: i64,
    /// The first row on the screen.
    pub top: i64,
    /// The first column on the screen (0-based).
    pub left: usize,
    number: u64,
    /// The line (0-based) of the new file that is looked for.
    line: u32,
}

impl Change {
    /// The rows of the diff.
    pub fn rows(&self) -> &[DiffRow] {
        match &self.diff {
            Some(Ok(comparison)) => &comparison.rows,
            _ => &[],
        }
    }

    /// The selected row, if it is one of the diff.
    fn selected(&self) -> Option<DiffRow> {
        let at = usize::try_from(self.at).ok()?;
        self.rows().get(at).copied()
    }
}

impl App {
    /// Opens the diff of the selected line's commit.
    pub(super) fn open_change(&mut self, effects: &mut Vec<Effect>) {
        let Some((view, facts)) = self.selected_facts() else {
            return self.unattributed(Action::Change);
        };
        let (commit, old) = (facts.commit.id, facts.origin.previous.clone());
        let cut = facts.origin.boundary && old.is_none();
        let new = Self::place_of(view, &facts);
        let line = Self::source_line(view, &facts);
        let whitespace = view.switches.whitespace;
        self.numbers += 1;
        let number = self.numbers;
        let ends = "this blame does not look before the commit, so there is no diff";
        self.change = Some(Change {
            commit,
            old: old.clone(),
            new: new.clone(),
            diff: cut.then(|| Err(Failure(ends.to_owned()))),
            at: 0,
            top: 0,
            left: 0,
            number,
            line,
        });
        if !cut {
            effects.push(Effect::Compare(CompareJob {
                number,
                old,
                new,
                whitespace,
                line,
            }));
        }
    }

    /// The diff is there, or why there is none.
    pub(super) fn compared(&mut self, compared: Compared) {
        let rows = i64::from(self.change_rows());
        let Some(change) = self.change.as_mut() else {
            return;
        };
        if change.number != compared.number {
            return;
        }
        let encoding = self.encoding;
        change.diff = Some(compared.result.map(|comparison| Comparison {
            old: encodings::shown(&comparison.old, encoding),
            new: encodings::shown(&comparison.new, encoding),
            ..comparison
        }));
        let line = change.line;
        let found = change
            .rows()
            .iter()
            .position(|row| !matches!(row, DiffRow::Hunk { .. }) && row.new_line() == Some(line));
        change.at = found.map_or(0, |at| at as i64);
        // The commit's words above the diff, unless the line is far below them.
        change.top = change.at - rows / 2;
    }

    /// The commit's words, as they stand above the diff.
    pub fn change_head(&self) -> Vec<DetailLine> {
        self.commit_lines(true)
    }

    /// Rows of the diff's screen between its first and its last line.
    fn change_rows(&self) -> u16 {
        self.layout().middle().height
    }

    /// Keeps the selected row on the screen, and the screen full.
    pub(super) fn reveal_change(&mut self) {
        let rows = i64::from(self.change_rows()).max(1);
        let head = self
            .change
            .as_ref()
            .map(|_| self.change_head().len() as i64);
        let (Some(change), Some(head)) = (&mut self.change, head) else {
            return;
        };
        let end = (change.rows().len() as i64).max(1);
        change.at = change.at.clamp(-head, end - 1);
        let margin = ((rows - 1) / 2).min(3);
        let (highest, lowest) = (change.at + margin + 1 - rows, change.at - margin);
        change.top = change.top.clamp(highest, lowest.max(highest));
        change.top = change.top.min(end - rows).max(-head);
    }

    /// Moves the selection and, where that is wanted, the screen.
    pub(super) fn scroll_change(&mut self, rows: i64) {
        if let Some(change) = &mut self.change {
            change.at = change.at.saturating_add(rows);
            change.top = change.top.saturating_add(rows);
        }
    }

    /// A key while a change is on the screen. False if it is none of its keys.
    pub(super) fn perform_change(
        &mut self,
        action: Action,
        count: u32,
        effects: &mut Vec<Effect>,
    ) -> bool {
        let page = i64::from(self.change_rows()).max(4) - 2;
        let Some(change) = &mut self.change else {
            return false;
        };
        let times = i64::from(count);
        match action {
            Action::Down => change.at += times,
            Action::Up => change.at -= times,
            Action::HalfDown => self.scroll_change(page / 2),
            Action::HalfUp => self.scroll_change(-page / 2),
            Action::PageDown => self.scroll_change(page),
            Action::PageUp => self.scroll_change(-page),
            Action::Top => change.at = i64::MIN / 2,
            Action::Bottom => change.at = i64::MAX / 2,
            Action::Left => change.left = change.left.saturating_sub(8),
            Action::Right => change.left = (change.left + 8).min(1 << 24),
            Action::LineStart => change.left = 0,
            Action::NextMatch | Action::NextGroup => self.next_hunk(true),
            Action::PreviousMatch | Action::PreviousGroup => {
                self.next_hunk(false);
            }
            Action::Before => self.change_before(effects),
            Action::At => self.change_at(effects),
            Action::Change | Action::Close | Action::Quit | Action::Back => self.change = None,
            Action::Copy
            | Action::CopyLink
            | Action::Browse
            | Action::Edit
            | Action::Run
            | Action::Print
            | Action::Help
            | Action::Redraw
            | Action::Suspend => return false,
            _ => {
                let words = "this key does nothing here: {close} returns to the blame";
                self.say(self.keymap.fill(words));
            }
        }
        true
    }

    /// Goes to the first changed line of the next part, or of the one before.
    fn next_hunk(&mut self, forward: bool) {
        let Some(change) = &mut self.change else {
            return;
        };
        let rows = change.rows();
        let changed = |at: usize| matches!(rows[at], DiffRow::Added(_) | DiffRow::Removed(_));
        let is_first = |at: &usize| changed(*at) && !at.checked_sub(1).is_some_and(changed);
        let mut firsts = (0..rows.len()).filter(is_first);
        let found = match forward {
            true => firsts.find(|&at| at as i64 > change.at),
            false => firsts.take_while(|&at| (at as i64) < change.at).last(),
        };
        match found {
            Some(at) => change.at = at as i64,
            None => {
                let which = if forward { "last" } else { "first" };
                self.say(format!("this is the {which} change"));
            }
        }
    }

    /// Blames the old side at the selected row.
    fn change_before(&mut self, effects: &mut Vec<Effect>) {
        let Some(change) = &self.change else { return };
        let Some((commit, path)) = change.old.clone() else {
            let id = short(&change.commit);
            return self.say(format!(
                "{id} introduced the file: nothing stands before it"
            ));
        };
        let place = Place::Commit { commit, path };
        let (line, from) = match change.selected() {
            Some(
                DiffRow::Context { old, .. } | DiffRow::Removed(old) | DiffRow::Hunk { old, .. },
            ) => (Some(old), None),
            Some(DiffRow::Added(line)) => {
                let place = change.new.clone();
                (None, Some(Footing { place, line }))
            }
            None => return self.say("select a line of the diff first"),
        };
        self.change = None;
        self.open(place, line, from, effects);
    }

    /// Blames the new side at the selected row.
    fn change_at(&mut self, effects: &mut Vec<Effect>) {
        let Some(change) = &self.change else { return };
        let line = match change.selected() {
            Some(DiffRow::Removed(_)) => {
                return self.say("this line is gone in the new file: , blames it in the old one");
            }
            Some(row) => row.new_line(),
            None => return self.say("select a line of the diff first"),
        };
        let place = change.new.clone();
        self.change = None;
        if self.view().is_some_and(|view| view.place == place) {
            self.jump(line.unwrap_or(0));
            return self.say("this is the blame at the commit already");
        }
        self.open(place, line, None, effects);
    }
}
