//! The profile page: statistics of the visible blame, and advice on making it faster.

use std::time::Duration;

use crate::{
    output::profile_report::{ProfileReport, TimeSpent},
    viewer::{
        app::{
            blame::view::Progress,
            commit::detail_line::{DetailKind, DetailLine},
            overlays::overlay::DetailsPage,
            state::App,
        },
        model::{source::BlameReport, word_wrap},
    },
};

/// Minimum expected saving for advice.
const MIN_SAVING: Duration = Duration::from_millis(50);

/// Longest label of a line, in bytes.
const MAX_LABEL_LEN: usize = 16;

impl App {
    /// Shows the profile in the details pane, once the blame has finished.
    pub(crate) fn open_statistics(&mut self) {
        match self.view().map(|view| &view.progress) {
            Some(Progress::Finished(_)) => {
                self.enlarge_details(DetailsPage::Statistics);
            }
            Some(Progress::Running(_)) => self.show_message("the blame is still running"),
            _ => self.show_message("this blame did not finish"),
        }
    }

    /// Whether the details pane shows the profile instead of the commit.
    pub fn shows_statistics(&self) -> bool {
        self.overlays.details() == Some(DetailsPage::Statistics) && self.report().is_some()
    }

    /// The report of the visible blame, if it has finished.
    pub fn report(&self) -> Option<&BlameReport> {
        match &self.view()?.progress {
            Progress::Finished(report) => Some(report),
            _ => None,
        }
    }

    /// The lines of the profile page.
    pub(crate) fn profile_lines(&self) -> Vec<DetailLine> {
        let Some(blame) = self.report() else {
            return Vec::new();
        };
        let report = ProfileReport {
            opened: None,
            blaming: blame.elapsed,
            after: TimeSpent::default(),
            stats: blame.stats,
            profile: *blame.profile,
        };
        let kind = DetailKind::Fact;
        let width = usize::from(self.size.0).saturating_sub(2);
        let lines = report.lines().into_iter();
        let lines = lines.flat_map(|line| wrapped_below_value(line, width));
        lines.map(|text| DetailLine::new(text, kind)).collect()
    }

    /// Recommends a commit-graph, once, if that would have saved at least [`MIN_SAVING`].
    pub(crate) fn advise(&mut self) {
        let Some(profile) = self.report().map(|report| &report.profile) else {
            return;
        };
        let saving = profile.commit_graph_savings();
        let advice = profile.advice();
        if let (Some((saved, _)), Some(advice)) = (saving, advice)
            && saved >= MIN_SAVING
            && self.status.message.is_none()
            && !std::mem::replace(&mut self.guide.advised, true)
        {
            self.show_message(advice);
        }
    }
}

/// Wraps a line with a label; what follows is below the value.
fn wrapped_below_value(line: String, width: usize) -> Vec<String> {
    if line.len() <= width {
        return vec![line];
    }
    let label = line.find("  ").map_or(0, |end| end.min(MAX_LABEL_LEN));
    let value = line[label..].trim_start();
    let indent = match label {
        0 => 0,
        _ => line.len() - value.len(),
    };
    let mut rows = word_wrap::wrap(value.as_bytes(), width.saturating_sub(indent).max(1));
    for (row, at) in rows.iter_mut().zip(0..) {
        let before = if at == 0 { &line[..indent] } else { "" };
        *row = format!("{before:indent$}{row}");
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_lines_go_on_below_their_value() {
        let line = "heads      8756 read, 0 of them prefetched";
        assert_eq!(
            wrapped_below_value(line.to_owned(), 28),
            ["heads      8756 read, 0 of", "           them prefetched"]
        );
        assert_eq!(wrapped_below_value(line.to_owned(), 50), [line]);
        assert_eq!(
            wrapped_below_value("one two three".to_owned(), 8),
            ["one two", "three"]
        );
    }
}
