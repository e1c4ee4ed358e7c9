//! Showing who wrote the lines of the old side, and asking for what is missing.

use std::{ops::Range, sync::Arc};

use crate::viewer::{
    app::{
        blame::view::{Progress, View},
        diff_view::DiffView,
        old_lines::blamed_old_sides::{BlamedOldSide, MAX_KEPT, OldColumns, OldRow},
        state::App,
    },
    model::{
        background::{old_lines::OldLinesQuery, queries::QueryKind, query::Answer},
        blame_results::BlameReport,
        diff::DiffRow,
        file_version::FileVersion,
        texts::text::Text,
        toggled_options::ToggledOptions,
    },
};

impl App {
    /// The gutter beside the old side of the topmost diff; nothing while it is off, or where no old line
    /// on the screen matters.
    pub(crate) fn old_columns(&self) -> OldColumns {
        // How many rows a wrapped line takes does not depend on those around it.
        let is_needed = self.diff().is_some_and(|diff| {
            diff.has_old_lines && (self.display.wrap || self.sees_old_lines(diff))
        });
        if !self.old_lines.is_shown || !is_needed {
            return OldColumns::default();
        }
        OldColumns::new(self.size.0)
    }

    /// Shows who wrote the lines of the old side, or hides it.
    pub(crate) fn toggle_old_lines(&mut self) {
        self.old_lines.is_shown = !self.old_lines.is_shown;
        if !self.old_lines.is_shown {
            return self.show_message("who wrote the old side is hidden");
        }
        if OldColumns::new(self.size.0).width() == 0 {
            self.old_lines.is_shown = false;
            return self.show_message("the screen is too narrow for who wrote the old side");
        }
        let diff = self.diff();
        let is_seen = diff.is_some_and(|diff| self.sees_old_lines(diff));
        let words = "who wrote removed lines (|), and the lines beside insertions (~)";
        self.show_message(if diff.is_some_and(DiffView::has_no_old_lines) {
            "no lines are removed here, and none are beside insertions".to_owned()
        } else if is_seen {
            words.to_owned()
        } else {
            format!("{words}; none on this screen")
        });
    }

    /// True if the screen shows an old line of a diff that matters.
    fn sees_old_lines(&self, diff: &DiffView) -> bool {
        let mut seen = diff.visible_rows(self.diff_rows());
        seen.any(|at| diff.has_old_line(at))
    }

    /// What is known of the old line of a row of a diff; `None` for rows without one that matters.
    pub fn old_line(&self, diff: &DiffView, at: usize) -> Option<OldRow<'_>> {
        let row = *diff.rows().get(at).filter(|_| diff.has_old_line(at))?;
        let is_removed = matches!(row, DiffRow::Removed(_));
        let line = diff.in_file(at, row).old_line()?;
        let side = self.old_lines.sides.iter().find(|side| {
            let version = diff.old_version(diff.part_at(at));
            let is_it = version.is_some_and(|version| side.query.version == version);
            is_it && side.query.options == **self.options_of_old_lines()
        });
        Some(OldRow {
            is_removed,
            written: side.and_then(|side| side.view.attribution_of(line)),
        })
    }

    /// The options that the blame below has.
    fn options_of_old_lines(&self) -> &Arc<ToggledOptions> {
        self.view()
            .map_or(&self.history.options, |view| &view.options)
    }

    /// Asks for the first visible version that is not known, one after the other.
    pub(crate) fn request_old_lines(&mut self) {
        let wanted = self.wanted_old_lines();
        if self.pages.diffs.is_empty() {
            self.cancel_old_lines();
            self.old_lines.sides.clear();
            return;
        }
        let running = self
            .old_lines
            .sides
            .iter()
            .find(|side| side.view.is_running());
        match running {
            Some(side) if wanted.iter().any(|(query, _)| *query == side.query) => return,
            Some(_) => self.cancel_old_lines(),
            None => {}
        }
        let known = &self.old_lines.sides;
        let is_new = |query: &OldLinesQuery| known.iter().all(|side| side.query != *query);
        let next = wanted.into_iter().find(|(query, _)| is_new(query));
        let Some((query, text)) = next else {
            return;
        };
        let id = self.ask(query.clone());
        let options = self.options_of_old_lines().clone();
        let path = match &query.version {
            FileVersion::Commit { path, .. } => Arc::clone(path),
            _ => Arc::default(),
        };
        let view = View::new(
            id,
            query.version.clone(),
            path,
            String::new(),
            options,
            text,
        );
        self.old_lines.sides.truncate(MAX_KEPT - 1);
        self.old_lines
            .sides
            .push_front(BlamedOldSide { id, query, view });
    }

    fn cancel_old_lines(&mut self) {
        let count = self.old_lines.sides.len();
        self.old_lines.sides.retain(|side| !side.view.is_running());
        if self.old_lines.sides.len() < count {
            self.cancel(QueryKind::OldLines);
        }
    }

    /// The versions on the old side of the visible rows, with their texts.
    fn wanted_old_lines(&self) -> Vec<(OldLinesQuery, Arc<Text>)> {
        let Some(diff) = self.diff().filter(|_| self.old_columns().width() > 0) else {
            return Vec::new();
        };
        let mut wanted: Vec<(OldLinesQuery, Arc<Text>)> = Vec::new();
        let mut last = None;
        for at in diff.visible_rows(self.diff_rows()) {
            let part = diff.part_at(at);
            if !diff.has_old_line(at) || last.replace(part) == Some(part) {
                continue;
            }
            let (Some(version), Some([text, _])) = (diff.old_version(part), diff.texts_of(part))
            else {
                continue;
            };
            let options = ToggledOptions::clone(self.options_of_old_lines());
            wanted.push((OldLinesQuery { version, options }, Arc::clone(text)));
        }
        wanted
    }

    /// Stores a part of an answer.
    pub(crate) fn on_old_lines(&mut self, id: u64, answer: Answer<OldLinesQuery>) {
        let mut sides = self.old_lines.sides.iter_mut();
        let Some(side) = sides.find(|side| side.id == id) else {
            return;
        };
        match answer {
            Answer::Found(batch) => side.view.add(batch),
            Answer::Ended(Ok(())) => {
                side.view.progress = Progress::Finished(BlameReport::default());
            }
            Answer::Ended(Err(failure)) => {
                let message = format!("who wrote the old side: {failure}");
                side.view.progress = Progress::Failed(failure);
                self.show_message(message);
            }
        }
    }
}

impl DiffView {
    /// The old version of a part, if there is a text of it.
    fn old_version(&self, part: usize) -> Option<FileVersion> {
        let versions = match self.parts().get(part) {
            Some(part) => &part.versions,
            None => self.versions.as_ref()?,
        };
        let (commit, path) = versions.old.clone()?;
        Some(FileVersion::Commit { commit, path })
    }

    /// The rows of the diff that a window of so many rows shows, or a few more.
    fn visible_rows(&self, rows: u16) -> Range<usize> {
        let (top, header) = (self.pager.position.top, self.header_len());
        let first = top.saturating_sub(header) as usize;
        let past = top.saturating_add(rows.into()).saturating_sub(header) as usize;
        first..past.min(self.rows().len()).max(first)
    }
}
