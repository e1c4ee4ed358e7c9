//! What surrounds the selected commit: asked for when it is to be seen, and remembered.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{
    App,
    details::{DetailLine, Link},
    message::{Answer, Effect, Question},
    travel::short,
};
use crate::{
    objects::ObjectId,
    sanitize,
    viewer::{
        source::{Circumstances, Commit},
        web,
    },
};

/// Commits whose circumstances are remembered.
const MOST: usize = 4000;

/// References of a message whose pages are listed.
const PAGES: usize = 8;

/// Columns of a fact's label, and the blank behind it.
const LABEL: usize = 11;

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
        let id = match &self.change {
            Some(change) => change.commit,
            None => self.selected_facts().map(|(_, facts)| facts.commit.id),
        };
        let Some(id) = id.filter(|id| seen && !id.is_null()) else {
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
        id: Option<&ObjectId>,
        commit: &Commit,
        width: usize,
    ) -> Vec<DetailLine> {
        let mut lines = Vec::<DetailLine>::new();
        let fact =
            |label: &str, text: &str| DetailLine::fact(&format!("{label:<10} {text}"), width);
        if let Some(known) = id.and_then(|id| self.known.answers.get(id)) {
            if !known.references.is_empty() {
                let names = known.references.iter().map(|name| sanitize::line(name));
                lines.push(fact("here", &names.collect::<Vec<_>>().join(", ")));
            }
            if let Some(merge) = &known.merge {
                let summary = sanitize::line(&merge.summary);
                let id = short(&merge.id);
                lines.push(fact("merged by", &format!("{id} {summary}")));
                let end = LABEL + id.len();
                if let Some(line) = lines.last_mut().filter(|line| line.text.len() >= end) {
                    line.links.push((LABEL..end, Link::Commit(merge.id)));
                }
            }
        }
        let message = &commit.message;
        let message = String::from_utf8_lossy(&message[..message.len().min(1 << 16)]);
        let mut shown = Vec::new();
        for (at, reference) in web::references(&message) {
            let name = message.get(at);
            let page = self.around.web.reference(reference);
            let (Some(name), Some(page)) = (name, page) else {
                continue;
            };
            if shown.len() < PAGES && !shown.contains(&reference) {
                shown.push(reference);
                lines.push(fact(name, &page));
            }
        }
        lines
    }
}
