//! The bound on the memory of views that are not visible.
//!
//! Beyond it, the views that are farthest from the visible one in the navigation history lose their
//! text and their blame. Their version, options and position stay: going back reads and blames them
//! again. The views next to the visible one keep everything, so that one step shows them at once.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    sorting,
    viewer::{
        app::{
            blame::view::{Progress, View},
            history::Returning,
            state::App,
        },
        model::{source::FileVersion, texts::text::Text},
    },
};

/// The bytes that views may have together, as far as they are counted.
pub const MAX_LEN: usize = 64 << 20;

impl App {
    /// Drops the contents of views until the rest is within the bound.
    pub(crate) fn drop_far_views(&mut self) {
        let (history, pages) = (&mut self.history, &mut self.pages);
        let views = &history.views;
        pages.retain_left(|left| views.iter().any(|view| view.id == left));
        let current = history.current;
        let mut by_distance: Vec<usize> = (0..history.views.len()).collect();
        sorting::sort_by_key(&mut by_distance, |&at| at.abs_diff(current));
        let second = history.second.as_ref().map(|second| second.of);
        let (mut len, mut seen) = (0usize, BTreeSet::new());
        let mut dropped = Vec::new();
        for at in by_distance {
            let view = &history.views[at];
            let own = view.memory_len(&mut seen) + pages.left_memory_len(view.id);
            let is_far = at.abs_diff(current) > 1 && second != Some(view.id);
            if is_far && len.saturating_add(own) > history.max_len && view.can_be_read_again() {
                dropped.push(at)
            } else {
                len = len.saturating_add(own)
            }
        }
        if dropped.is_empty() {
            return;
        }
        for &at in &dropped {
            keep_changed_lines(&mut history.views, at);
            keep_changed_lines(&mut history.views, at + 1);
        }
        let ignored = history.views.iter().flat_map(|view| &view.options.ignored);
        let ignored: BTreeSet<_> = ignored.copied().collect();
        for at in dropped {
            let view = &mut history.views[at];
            // Their summaries are written to the file of ignored revisions.
            for commit in view.commits() {
                if let (true, Ok(metadata)) = (ignored.contains(&commit.id), &commit.metadata) {
                    let summary = metadata.summary();
                    history.ignored_summaries.insert(commit.id, summary);
                }
            }
            view.drop_contents();
            pages.drop_left_contents(view.id);
        }
    }

    /// The text of a view of the history was read again.
    pub(crate) fn on_text_read_again(&mut self, returning: Returning, text: Arc<Text>) {
        let mut views = self.history.views.iter();
        let Some(at) = views.position(|view| view.id == returning.view) else {
            return;
        };
        let text_id = self.requests.next_id();
        self.history.views[at].restore(text, text_id);
        self.show_step(at, returning.over, returning.line);
    }
}

/// Keeps which lines the option changed that was toggled in the view at `at`, if its blame and the
/// one before are complete.
fn keep_changed_lines(views: &mut [View], at: usize) {
    let (before, after) = views.split_at_mut(at.min(views.len()));
    let (Some(before), Some(view)) = (before.last(), after.first_mut()) else {
        return;
    };
    let is_complete = |view: &View| matches!(view.progress, Progress::Finished(_));
    if view.toggled_option.is_some() && is_complete(before) && is_complete(view) {
        let lines = 0..view.text.line_count();
        let changed = lines.filter(|&line| view.differs(before, line)).collect();
        view.changed_lines = Some(changed);
    }
}

impl View {
    /// True if reading and blaming the version again has the same result.
    fn can_be_read_again(&self) -> bool {
        // Another file of the work tree may have changed, and what was peeled is not known to the
        // blame.
        self.peels.is_empty()
            && !matches!(self.version, FileVersion::WorkTree { .. })
            && !matches!(self.progress, Progress::Failed(_))
    }

    /// Drops the blame, and the text of what is committed.
    fn drop_contents(&mut self) {
        self.drop_blame();
        self.progress = Progress::Interrupted;
        if matches!(self.version, FileVersion::Commit { .. }) {
            self.show_in(
                self.encoding,
                Arc::new(Text::new(Arc::from([]))),
                self.text_id,
            );
            self.raw = Arc::clone(&self.text);
            self.is_dropped = true;
        }
    }
}
