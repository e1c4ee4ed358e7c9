//! Where an action of the diff leads, or why it cannot act on the selected row: one answer for the key
//! that is pressed and for the footer, which does not offer it then.

use crate::viewer::{
    app::{
        blame::navigation::no_earlier_version,
        diff_view::DiffView,
        external_actions::uncommitted,
        state::{App, STILL_READING, refused},
    },
    model::{
        diff::{DiffRow, VersionPair},
        keys::bindings::Action,
        source::FileVersion,
    },
    pages::diff::requests::ONE_UNCOMMITTED_FILE,
    protocol::LineRef,
};

/// The message where a row of the header is selected, which is of neither side.
const NO_LINE: &str = "select a line of the diff first";

impl App {
    /// Why an action cannot act on the selected row of the diff.
    pub(super) fn diff_refusal(&self, action: Action) -> Option<String> {
        let web = &self.environment.repository.web;
        let is_uncommitted = self.diff()?.commit.is_none();
        match action {
            Action::BlameParent => self.old_side().err(),
            Action::BlameCommit => self.new_side().err(),
            Action::NextReference => self.refuses_reference(),
            Action::CommitDiff if is_uncommitted => Some(ONE_UNCOMMITTED_FILE.to_owned()),
            _ if is_uncommitted && uncommitted(action).is_some() => {
                uncommitted(action).map(str::to_owned)
            }
            Action::Browse => (!web.has_pages()).then(|| web.missing_reason()),
            _ => None,
        }
    }

    /// True if an action would change nothing of what is seen.
    pub(super) fn is_diff_idle(&self, action: Action) -> bool {
        match action {
            Action::Origins => self.diff().is_some_and(DiffView::has_no_old_lines),
            Action::NextGroup => self.hunk_beside(true).is_err(),
            Action::PreviousGroup => self.hunk_beside(false).is_err(),
            Action::NextOfCommit => match self.diff() {
                Some(diff) if diff.shows_all() => part_beside(diff, 1).is_err(),
                _ => self.file_beside(1).is_err(),
            },
            _ => false,
        }
    }

    /// The version of the old side, the line of the selected row in it, and the line of the new side
    /// whose counterpart is looked for.
    pub(super) fn old_side(&self) -> Result<(FileVersion, Option<u32>, Option<LineRef>), String> {
        let (diff, versions) = self.diff_versions().ok_or(STILL_READING)?;
        let Some((commit, path)) = versions.old.clone() else {
            return Err(match diff.commit {
                Some(id) => no_earlier_version(&id),
                None => "there is no earlier version".to_owned(),
            });
        };
        let (line, from) = match (diff.selected(), versions.new.clone()) {
            (
                Some(
                    DiffRow::Context { old, .. }
                    | DiffRow::Removed(old)
                    | DiffRow::HunkHeader { old, .. },
                ),
                _,
            ) => (Some(old), None),
            (Some(DiffRow::File(_)), _) => (Some(0), None),
            (Some(DiffRow::Added(line)), Some(version)) => (None, Some(LineRef { version, line })),
            // The file without a line: only its mode changed, or its name.
            _ if diff.rows().is_empty() => (Some(0), None),
            _ => return Err(NO_LINE.to_owned()),
        };
        Ok((FileVersion::Commit { commit, path }, line, from))
    }

    /// The version of the new side, and the line of the selected row in it.
    pub(super) fn new_side(&self) -> Result<(FileVersion, Option<u32>), String> {
        let (diff, versions) = self.diff_versions().ok_or(STILL_READING)?;
        let filled = |template| Err(self.keymap.fill(template));
        let Some(version) = versions.new.clone() else {
            return filled(
                "the commit removed the file: {blame-parent} blames it as it was before",
            );
        };
        let line = match diff.selected() {
            Some(DiffRow::Removed(_)) => {
                return filled(
                    "this line is gone in the new file: {blame-parent} blames it in the old one",
                );
            }
            Some(DiffRow::File(_)) => Some(0),
            Some(row) => row.new_line(),
            None if diff.rows().is_empty() => Some(0),
            None => return Err(NO_LINE.to_owned()),
        };
        Ok((version, line))
    }

    fn diff_versions(&self) -> Option<(&DiffView, &VersionPair)> {
        let diff = self.diff()?;
        Some((diff, diff.versions()?))
    }

    /// The line of the page with the first changed row of the next hunk, or of the one before.
    pub(super) fn hunk_beside(&self, forward: bool) -> Result<u32, String> {
        let diff = self.diff().ok_or(STILL_READING)?;
        let rows = diff.rows();
        let changed = |at: usize| matches!(rows[at], DiffRow::Added(_) | DiffRow::Removed(_));
        let is_first = |at: &usize| changed(*at) && !at.checked_sub(1).is_some_and(changed);
        let from = diff.selected_row();
        let found = if forward {
            let mut rest = from.map_or(0, |at| at + 1)..rows.len();
            rest.find(is_first)
        } else {
            (0..from.unwrap_or(0).min(rows.len())).rev().find(is_first)
        };
        if let Some(at) = found {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            return Ok(diff.header_len().saturating_add(at));
        }
        let by = if forward { 1 } else { -1 };
        let is_file_beside = if diff.shows_all() {
            let part = diff.part_at(from.unwrap_or(0)).checked_add_signed(by);
            part.is_some_and(|part| part < diff.parts().len())
        } else {
            self.file_beside(by).is_ok()
        };
        let words = self.keymap.fill(match (is_file_beside, forward) {
            (false, true) => "this is the last change",
            (false, false) => "this is the first change",
            (true, true) => {
                "this is the file's last change: {next-of-commit} goes to the next file"
            }
            (true, false) => {
                "this is the file's first change: {previous-of-commit} goes to the file before"
            }
        });
        Err(refused(diff.comparison.is_some(), &words))
    }

    /// The position of another file of the commit, so many further on or back.
    pub(super) fn file_beside(&self, by: isize) -> Result<usize, String> {
        let diff = self.diff().ok_or(STILL_READING)?;
        if diff.commit.is_none() {
            return Err(ONE_UNCOMMITTED_FILE.to_owned());
        }
        let count = match &diff.files {
            None => return Err(STILL_READING.to_owned()),
            Some(Err(failure)) => return Err(failure.0.clone()),
            Some(Ok(changes)) => changes.files.len(),
        };
        let last = count.saturating_sub(1);
        let at = diff.file();
        let to = match (at, by > 0) {
            (Some(at), _) => at.saturating_add_signed(by).min(last),
            (None, true) => 0,
            (None, false) => last,
        };
        if count == 0 || at == Some(to) {
            return Err(end_of_files(count, by > 0).to_owned());
        }
        Ok(to)
    }
}

/// The row where another file of a diff of all files begins, so many further on or back.
pub(super) fn part_beside(diff: &DiffView, by: isize) -> Result<usize, String> {
    let mut starts = diff.parts().iter().map(|part| part.row);
    let found = match diff.selected_row() {
        // Above the diff.
        None => starts.next(),
        Some(row) if by > 0 => starts.filter(|start| *start > row).nth(by as usize - 1),
        Some(row) => {
            let before: Vec<usize> = starts.filter(|start| *start < row).collect();
            before.into_iter().nth_back(by.unsigned_abs() - 1)
        }
    };
    let is_read = diff.comparison.is_some();
    found.ok_or_else(|| refused(is_read, end_of_files(diff.parts().len(), by > 0)))
}

/// The words where a commit has no further file.
fn end_of_files(count: usize, forward: bool) -> &'static str {
    match (count, forward) {
        (0 | 1, _) => "this is the commit's only file",
        (_, true) => "this is the commit's last file",
        (_, false) => "this is the commit's first file",
    }
}
