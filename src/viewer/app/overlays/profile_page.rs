//! What the blame on the screen did, and what would make it faster.

use std::time::Duration;

use crate::{
    output::profile_report::{ProfileReport, TimeSpent},
    viewer::{
        app::{
            blame::view::Progress,
            commit::{
                detail_line::{DetailKind, DetailLine},
                word_wrap,
            },
            overlays::overlay::DetailsPage,
            state::App,
        },
        model::source::BlameReport,
    },
};

/// What has to be saved for a word about it.
const WORTH_A_WORD: Duration = Duration::from_millis(50);

impl App {
    /// Shows what the blame did where the commit's words are.
    pub(crate) fn open_profile(&mut self) {
        match self.view().map(|view| &view.progress) {
            Some(Progress::Finished(_)) => {
                self.overlays.show_details(DetailsPage::Profile);
                self.details.pager.position.top = 0;
            }
            Some(Progress::Running(_)) => self.say("the blame is still running"),
            _ => self.say("this blame did not finish"),
        }
    }

    /// The blame's account is on the screen, instead of the commit's words.
    pub fn shows_profile(&self) -> bool {
        self.overlays.details() == Some(DetailsPage::Profile) && self.outcome().is_some()
    }

    /// What the blame on the screen did, if it has ended.
    pub fn outcome(&self) -> Option<&BlameReport> {
        match &self.view()?.progress {
            Progress::Finished(outcome) => Some(outcome),
            _ => None,
        }
    }

    pub(crate) fn profile_lines(&self) -> Vec<DetailLine> {
        let Some(outcome) = self.outcome() else {
            return Vec::new();
        };
        let account = ProfileReport {
            opened: None,
            blaming: outcome.elapsed,
            after: TimeSpent::default(),
            stats: outcome.stats,
            profile: *outcome.profile,
        };
        let kind = DetailKind::Fact;
        let width = usize::from(self.size.0).saturating_sub(2);
        let fit = |line: String| match line.len() <= width {
            true => vec![line],
            false => word_wrap::wrap(line.as_bytes(), width),
        };
        let lines = account.lines().into_iter().flat_map(fit);
        lines.map(|text| DetailLine::new(text, kind)).collect()
    }

    /// Says once what a commit-graph would bring, where that is worth a word.
    pub(crate) fn advise(&mut self) {
        let Some(profile) = self.outcome().map(|outcome| &outcome.profile) else {
            return;
        };
        let worth = profile.commit_graph_savings();
        let advice = profile.advice();
        if let (Some((saved, _)), Some(advice)) = (worth, advice)
            && saved >= WORTH_A_WORD
            && self.status.note.is_none()
            && !std::mem::replace(&mut self.guide.advised, true)
        {
            self.say(advice);
        }
    }
}
