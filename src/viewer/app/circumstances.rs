//! What surrounds the selected commit: asked for when it is to be seen, and remembered.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{
    App,
    details::{DetailKind, DetailLine},
    message::{Answer, Effect, Question},
    travel::short,
    view::LineFacts,
};
use crate::{
    objects::ObjectId,
    sanitize,
    viewer::{source::Circumstances, web},
};

/// Commits whose circumstances are remembered.
const MOST: usize = 4000;

/// References of a message whose pages are listed.
const PAGES: usize = 8;

/// What is known of what surrounds commits.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    asked: Option<ObjectId>,
    answers: FxHashMap<ObjectId, Arc<Circumstances>>,
}

impl Known {
    /// An answer is still to come.
    pub(super) fn is_asked(&self) -> bool {
        self.asked.is_some()
    }
}

impl App {
    /// Asks what surrounds the selected commit if that has its place on the screen.
    pub(super) fn ask_around(&mut self, effects: &mut Vec<Effect>) {
        let seen = self.change.is_some() || self.layout().details.height > 0;
        let id = self.view().and_then(|view| view.selected());
        let id = id.map(|facts| facts.commit.id).filter(|id| !id.is_null());
        let Some(id) = id.filter(|_| seen) else {
            return;
        };
        if self.known.asked != Some(id) && !self.known.answers.contains_key(&id) {
            self.known.asked = Some(id);
            effects.push(Effect::Ask(Question::Circumstances(id)));
        }
    }

    pub(super) fn answer(&mut self, answer: Answer) {
        match answer {
            Answer::Circumstances(id, found) => {
                if self.known.asked == Some(id) {
                    self.known.asked = None;
                }
                if self.known.answers.len() >= MOST {
                    self.known.answers.clear();
                }
                // What cannot be found out is left out: the blame does not need it.
                let found = Arc::new(found.unwrap_or_default());
                self.known.answers.insert(id, found);
            }
            Answer::Files(number, names) => self.found_files(number, names),
            Answer::Listed(number, end) => self.listed(number, end),
        }
    }

    /// What surrounds a commit, in lines: what points at it, what merged it, and the pages of the
    /// references in its message.
    pub(super) fn circumstance_lines(
        &self,
        facts: &LineFacts<'_>,
        width: usize,
    ) -> Vec<DetailLine> {
        let mut lines = Vec::new();
        let mut fact = |label: &str, text: &str| {
            let text = format!("{label:<10} {text}");
            lines.push(DetailLine {
                text: sanitize::clip(text.as_bytes(), width),
                kind: DetailKind::Fact,
            });
        };
        if let Some(known) = self.known.answers.get(&facts.commit.id) {
            if !known.references.is_empty() {
                let names = known.references.iter().map(|name| sanitize::line(name));
                fact("here", &names.collect::<Vec<_>>().join(", "));
            }
            if let Some(merge) = &known.merge {
                let summary = sanitize::line(&merge.summary);
                fact("merged by", &format!("{} {summary}", short(&merge.id)));
            }
        }
        let message = facts.commit.words.as_ref().map(|words| &words.message);
        let message =
            message.map(|message| String::from_utf8_lossy(&message[..message.len().min(1 << 16)]));
        let mut shown = Vec::new();
        for (at, reference) in web::references(message.as_deref().unwrap_or_default()) {
            let name = message.as_deref().ok().and_then(|text| text.get(at));
            let page = self.around.web.reference(reference);
            let (Some(name), Some(page)) = (name, page) else {
                continue;
            };
            if shown.len() < PAGES && !shown.contains(&reference) {
                shown.push(reference);
                fact(name, &page);
            }
        }
        lines
    }
}
