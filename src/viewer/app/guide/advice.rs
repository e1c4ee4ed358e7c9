//! Advice on making blames faster.

use std::time::Duration;

use crate::viewer::{
    app::{blame::view::Progress, state::App},
    model::blame_results::BlameReport,
};

/// Minimum expected saving for advice.
const MIN_SAVING: Duration = Duration::from_millis(50);

impl App {
    /// The report of the visible blame, if it has finished.
    pub fn report(&self) -> Option<&BlameReport> {
        match &self.view()?.progress {
            Progress::Finished(report) => Some(report),
            _ => None,
        }
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
