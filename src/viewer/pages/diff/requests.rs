//! Opening and closing diffs, and storing the answers about them.

use std::sync::Arc;

use bstr::BString;

use crate::{
    objects::ObjectId,
    viewer::{
        app::{
            commit::details::line_notes,
            diff_view::{DiffLines, DiffView},
            display::pager::{Lines, Pager, Window},
            state::App,
        },
        model::{
            abbreviation::short,
            diff::{Comparison, DiffRow, MAX_PARTS, VersionPair},
            keys::bindings::Action,
            source::{CommitChanges, CommitMetadata, Failure, FileVersion},
            texts::{encodings, wrap::Wrap},
        },
        pages::preview,
        protocol::{DiffEvent, DiffEventKind, DiffJob, DiffTarget, Effect},
    },
};

/// Rows below the selected line without which it does not count as being on the first screen.
pub(crate) const FIRST_SCREEN_MARGIN: u32 = 4;

/// Said where other files are asked for, and there is no commit that has any.
pub(super) const ONE_UNCOMMITTED_FILE: &str =
    "only one file is compared here; git diff | tblame --patch shows all";

impl App {
    fn diff_ids(&mut self) -> u64 {
        // One for the job, one for each side's highlighting.
        let id = self.requests.next_id();
        self.requests.last_id += 2;
        id
    }

    /// As [`diff_ids`](App::diff_ids), for several files: two for the highlighting of each.
    pub(super) fn part_ids(&mut self) -> u64 {
        let id = self.requests.next_id();
        self.requests.last_id += 2 * MAX_PARTS as u64;
        id
    }

    /// Opens the diff of the selected line's commit.
    pub(crate) fn open_diff(&mut self) {
        if let Some(commit) = self.emptying_commit() {
            return self.open_commit(commit);
        }
        let id = self.diff_ids();
        let Some((view, facts)) = self.selected_attribution() else {
            return self.unattributed(Action::Diff);
        };
        let commit = Some(facts.commit.id).filter(|id| !id.is_null());
        if let (true, Some(commit)) = (self.is_reversed(), commit) {
            // A line ends before a later version, which stands in place of the previous one.
            let line = Self::source_line(view, &facts);
            let Some((next, path)) = facts.origin.previous.clone() else {
                let last = short(&commit);
                let words = format!("no commit after {last} in this range has the file");
                return self
                    .show_filled(&format!("{words}; {{commit-diff}} shows what {last} did"));
            };
            return self.open_commit_at(next, path, Some(line));
        }
        let old = facts.origin.previous.clone();
        let cut = facts.origin.boundary && old.is_none();
        let versions = VersionPair {
            old,
            new: Some(Self::version_of(view, &facts)),
        };
        let job = DiffJob {
            id,
            target: DiffTarget::Line {
                commit,
                versions: versions.clone(),
                line: Self::source_line(view, &facts),
            },
            whitespace: view.options.whitespace,
        };
        let mut diff = DiffView {
            metadata: Some(facts.commit.metadata.clone()),
            notes: line_notes(&facts),
            line: Some(Self::source_line(view, &facts)),
            from_selected_line: true,
            boundary: cut,
            versions: Some(versions),
            ..DiffView::new(job.clone(), commit, view.path.clone())
        };
        if cut {
            let ends = "this blame does not look before the commit, so there is no diff";
            diff.comparison = Some(Err(Failure::new(ends)));
            diff.files = Some(Ok(CommitChanges::default()));
        } else {
            self.effects.push(Effect::Diff(job));
        }
        self.push_diff(diff);
    }

    /// Opens what is not committed of the file `path`, at its line (0-based). `old` is the version before,
    /// if there is one.
    pub(crate) fn open_uncommitted(
        &mut self,
        path: Arc<BString>,
        old: Option<(ObjectId, Arc<BString>)>,
        line: u32,
        metadata: Result<Arc<CommitMetadata>, Failure>,
    ) {
        let new = FileVersion::WorkTree {
            path: Arc::clone(&path),
        };
        let versions = VersionPair {
            old,
            new: Some(new),
        };
        let job = DiffJob {
            id: self.diff_ids(),
            target: DiffTarget::Line {
                commit: None,
                versions: versions.clone(),
                line,
            },
            whitespace: self.history.options.whitespace,
        };
        self.push_diff(DiffView {
            metadata: Some(metadata),
            line: Some(line),
            versions: Some(versions),
            ..DiffView::new(job.clone(), None, path)
        });
        self.effects.push(Effect::Diff(job));
    }

    /// Opens what a commit did, at the file of the diff or of the blame if that is among what it
    /// changed.
    pub(crate) fn open_commit(&mut self, commit: ObjectId) {
        let of_diff = self.diff().map(DiffView::paths);
        let path = of_diff.and_then(|(old, new)| new.or(old));
        let path = path.or_else(|| Some(&self.view()?.path));
        self.open_commit_at(commit, path.cloned().unwrap_or_default(), None);
    }

    /// Opens what a commit did, at the file `path` if that is among what it changed, and at its line
    /// (0-based) in the new version or else its first change.
    pub(crate) fn open_commit_at(
        &mut self,
        commit: ObjectId,
        path: Arc<BString>,
        line: Option<u32>,
    ) {
        let options = self
            .view()
            .map_or(&self.history.options, |view| &view.options);
        let whitespace = options.whitespace;
        let job = DiffJob {
            id: self.diff_ids(),
            target: DiffTarget::Commit {
                commit,
                path: path.clone(),
                parent: None,
            },
            whitespace,
        };
        self.push_diff(DiffView {
            line,
            ..DiffView::new(job.clone(), Some(commit), path)
        });
        self.details.selected_reference = None;
        self.effects.push(Effect::Diff(job));
    }

    /// Opens what a commit did to the files below a directory, which is empty for the root.
    pub(crate) fn open_commit_below(&mut self, commit: ObjectId, directory: Arc<BString>) {
        let options = self
            .view()
            .map_or(&self.history.options, |view| &view.options);
        let whitespace = options.whitespace;
        let below = (!directory.is_empty()).then(|| Arc::clone(&directory));
        let job = DiffJob {
            id: self.part_ids(),
            target: DiffTarget::All {
                commit,
                parent: None,
                below,
            },
            whitespace,
        };
        self.push_diff(DiffView::new(job.clone(), Some(commit), directory));
        self.details.selected_reference = None;
        self.effects.push(Effect::Diff(job));
    }

    /// Shows the diffs of all files of the selected commit, or of the commit of the topmost diff.
    /// If that shows all files already, shows the selected one alone.
    pub(crate) fn toggle_commit_diff(&mut self) {
        if let Some(diff) = self.diff().filter(|diff| diff.shows_whole_commit()) {
            let Some(at) = diff.file() else { return };
            return self.open_file(at);
        }
        let is_new = self.diff().is_none();
        if is_new {
            if self.selected_attribution().is_none() {
                return self.unattributed(Action::CommitDiff);
            }
            self.open_diff();
        }
        let Some(diff) = self.diff() else {
            return;
        };
        let Some(commit) = diff.commit else {
            return self.show_message(ONE_UNCOMMITTED_FILE);
        };
        if is_new {
            // The diff of the whole commit replaces that of the file.
            self.effects
                .retain(|effect| !matches!(effect, Effect::Diff(_)));
        }
        let id = self.part_ids();
        let Some(diff) = self.diff_mut() else {
            return;
        };
        let parent = match (&diff.files, &diff.versions) {
            (Some(Ok(changes)), _) => changes.parent,
            (_, Some(versions)) => versions.old.as_ref().map(|(parent, _)| *parent),
            (_, None) => None,
        };
        let job = DiffJob {
            id,
            target: DiffTarget::All {
                commit,
                parent,
                below: None,
            },
            whitespace: diff.job.whitespace,
        };
        let (line, versions) = (diff.line, diff.versions.take());
        *diff = DiffView {
            metadata: diff.metadata.take(),
            versions,
            line,
            from_selected_line: diff.from_selected_line,
            unfolded: diff.unfolded,
            ..DiffView::new(job.clone(), Some(commit), diff.view_path.clone())
        };
        self.details.selected_reference = None;
        self.effects.push(Effect::Diff(job));
    }

    /// Shows another of the commit's files.
    pub(crate) fn open_file(&mut self, at: usize) {
        let id = self.diff_ids();
        let Some(diff) = self.diff_mut() else {
            return;
        };
        let (Some(commit), Some(Ok(changes))) = (diff.commit, &diff.files) else {
            return;
        };
        let Some(file) = changes.files.get(at) else {
            return;
        };
        let versions = VersionPair::new(file, &commit, changes.parent);
        let job = DiffJob {
            id,
            target: DiffTarget::File(versions.clone()),
            whitespace: diff.job.whitespace,
        };
        *diff = DiffView {
            metadata: diff.metadata.take(),
            files: diff.files.take(),
            versions: Some(versions),
            ..DiffView::new(job.clone(), Some(commit), diff.view_path.clone())
        };
        self.details.selected_reference = None;
        self.effects.push(Effect::Diff(job));
    }

    /// Compares the file again, with whitespace counting or not.
    pub(crate) fn toggle_diff_whitespace(&mut self) {
        let Some(diff) = self.diff_mut() else {
            return;
        };
        if !matches!(diff.comparison, Some(Ok(_))) {
            return;
        }
        // The selection stays in its file and on its line, or near it.
        if let Some(at) = diff.selected_row() {
            let first = diff.selected_part().map_or(0, |part| part.row);
            let rows = diff.rows().get(first..=at).unwrap_or_default();
            let line = rows.iter().rev().find_map(|row| row.new_line());
            let start = diff.selected_part().map_or(0, |part| part.start.1);
            diff.line = line.map(|line| line - start);
            diff.versions = diff.versions().cloned();
        }
        diff.job.whitespace = !diff.job.whitespace;
        if let (Some(_), Some(versions), false) = (&diff.files, &diff.versions, diff.shows_all()) {
            diff.job.target = DiffTarget::File(versions.clone());
        }
        let job = diff.job.clone();
        diff.comparison = None;
        let message = if job.whitespace {
            "in this diff, whitespace does not count"
        } else {
            "in this diff, whitespace counts"
        };
        self.show_message(message);
        self.effects.push(Effect::Diff(job));
    }

    /// Closes the diff, and returns to what is below it.
    pub(crate) fn close_diff(&mut self) {
        self.details.selected_reference = None;
        self.pages.close_acting();
        self.pages.diffs.pop();
        self.request_incomplete_diff();
    }

    /// Requests the topmost diff again if answers about it were dropped while it was covered.
    pub(crate) fn request_incomplete_diff(&mut self) {
        let diff = self.diff();
        if let Some(diff) = diff.filter(|it| it.comparison.is_none() || it.files.is_none()) {
            self.effects.push(Effect::Diff(diff.job.clone()));
        }
    }

    /// Stores an answer about the topmost diff.
    pub(crate) fn on_diff_event(&mut self, event: DiffEvent) {
        let encoding = self.display.encoding;
        let encoding = encoding.or(self.view().and_then(|view| view.declared_encoding));
        let search = self.search.latest().cloned();
        let diff = self.diff_mut();
        let Some(diff) = diff.filter(|diff| diff.job.id == event.id) else {
            return;
        };
        let result = match event.kind {
            DiffEventKind::Metadata(metadata) => {
                return diff.metadata = Some(metadata.map(Arc::new));
            }
            DiffEventKind::Versions(versions) => return diff.versions = Some(versions),
            DiffEventKind::Files(files) => {
                if let (Err(failure), None) = (&files, &diff.comparison) {
                    diff.comparison = Some(Err(failure.clone()));
                }
                return diff.files = Some(files);
            }
            DiffEventKind::Diff(result) => result,
        };
        // Without the selected row of a diff of all files, its first file is that of the blame.
        let own = diff.versions.as_ref().and_then(|versions| {
            let (old, new) = diff.paths_of(versions);
            new.or(old).cloned()
        });
        if let DiffTarget::Commit { path, .. } = &diff.job.target
            && own.as_ref() != Some(path)
        {
            // The line is of a file that the commit did not change.
            diff.line = None;
        }
        diff.set_comparison(result.map(|comparison| Comparison {
            old: encodings::shown(&comparison.old, encoding),
            new: encodings::shown(&comparison.new, encoding),
            ..comparison
        }));
        diff.highlights = vec![Default::default(); diff.parts().len().max(1)];
        diff.pager.clear_caches();
        let count = u32::try_from(diff.rows().len()).unwrap_or(u32::MAX);
        // What was dropped was searched for something already, or for nothing.
        let search = if diff.dropped_at.is_some() {
            diff.search.get().cloned()
        } else {
            search
        };
        diff.search
            .set(search.map(|search| search.restarted(count)));
        let changed = |row: &DiffRow| matches!(row, DiffRow::Added(_) | DiffRow::Removed(_));
        let first = diff
            .parts()
            .iter()
            .position(|part| part.file.path() == own.as_ref());
        let first = first.map_or(0, |at| diff.parts()[at].row);
        let mut rows = diff.rows().iter().enumerate().skip(first);
        let row = diff.first_match(first).or_else(|| match diff.line {
            Some(line) => diff.row_of_new_line(line, first),
            None => Some(rows.find(|(_, row)| changed(row))?.0),
        });
        diff.first_row = row;
        self.renew_diff_header();
        // The header is seen above the diff, unless the line is below the first screen.
        let rows = u32::from(self.diff_rows());
        if let Some(diff) = self.diff_mut() {
            diff.select_row(row.unwrap_or(first));
            let line = diff.pager.position.line;
            let top = if line + FIRST_SCREEN_MARGIN < rows {
                0
            } else {
                // The screen is full.
                let last = diff.lines().count().saturating_sub(rows);
                line.saturating_sub(rows / 2).min(last)
            };
            diff.pager.set_top((top, 0));
            diff.return_to_dropped();
            // The header may be another one by now.
            self.renew_diff_header();
        }
        self.jump_in_read_diff();
    }

    /// Rows of the screen that the diff has.
    pub(crate) fn diff_rows(&self) -> u16 {
        self.layout().body().height
    }

    /// The columns that the lines of a diff have.
    fn diff_room(&self, diff: &DiffView) -> u16 {
        let width = self.size.0.saturating_sub(self.old_columns().width());
        width.saturating_sub(diff.margin(self.size.0))
    }

    /// How the lines of a diff wrap; `None` if they are cut.
    pub fn diff_wrapping(&self, diff: &DiffView) -> Option<Wrap> {
        let room = usize::from(self.diff_room(diff));
        (self.display.wrap && room > 0).then(|| Wrap::new(room))
    }

    /// True if all rows of a diff are on the screen at once.
    pub(super) fn shows_whole_diff(&self, diff: &DiffView) -> bool {
        let (lines, room) = (diff.lines(), u32::from(self.diff_rows()));
        let (wrap, count) = (self.diff_wrapping(diff), lines.count());
        let height = |line| wrap.map_or(1, |wrap| diff.pager.height(&lines, line, wrap));
        diff.pager.top() == (0, 0) && count <= room && (0..count).map(height).sum::<u32>() <= room
    }

    /// The window that the topmost diff has.
    fn diff_window(&self) -> Option<Window> {
        let diff = self.diff()?;
        Some(Window {
            rows: u32::from(self.diff_rows()).max(1),
            columns: usize::from(self.diff_room(diff)),
            wrap: self.diff_wrapping(diff),
        })
    }

    /// Moves in the topmost diff.
    pub(crate) fn page_diff(&mut self, run: impl FnOnce(&mut Pager, &DiffLines<'_>, Window)) {
        let Some(window) = self.diff_window() else {
            return;
        };
        if let Some(diff) = self.diff_mut() {
            let (pager, lines) = diff.pager_and_lines();
            run(pager, &lines, window);
        }
    }

    /// Lays out the header of the topmost diff.
    pub(crate) fn renew_diff_header(&mut self) {
        let header = self.diff_header();
        if let Some(diff) = self.diff_mut() {
            diff.set_header(header);
        }
    }

    /// Keeps the selected line on the screen, and the screen full.
    pub(crate) fn reveal_diff(&mut self) {
        self.renew_diff_header();
        self.page_diff(|pager, lines, window| pager.reveal(lines, window));
    }
}

impl DiffView {
    /// The row from `first` on with which a diff that begins at a match begins.
    fn first_match(&self, first: usize) -> Option<usize> {
        let is_wanted = self.begins_at_match && self.line.is_none();
        let search = self.search.get().filter(|_| is_wanted)?;
        let rows = self.rows().get(first..)?.iter();
        let matches = |row: &DiffRow| (*row, search.matches(self.line(*row)).len());
        preview::first_changed_match(rows.map(matches)).map(|at| first + at)
    }
}
