//! What surrounds the selected commit: asked for when it is to be seen, and remembered.

use crate::{
    objects::ObjectId,
    sanitize,
    viewer::{
        app::{
            blame::navigation::short,
            commit::{
                detail_line::{DetailLine, Link},
                reference_actions::Referred,
            },
            state::App,
        },
        protocol::{Answer, Effect, Question},
    },
};

/// References of a message whose pages are listed.
const PAGES: usize = 8;

/// Columns of a fact's label, and the blank behind it.
const LABEL: usize = 11;

impl App {
    /// Asks what surrounds the selected commit if that has its place on the screen.
    pub(crate) fn ask_around(&mut self, effects: &mut Vec<Effect>) {
        let diff = self.overlays.diff();
        let seen = diff.is_some() || self.layout().details.height > 0;
        let id = match diff {
            Some(diff) => diff.commit,
            None => self.selected_facts().map(|(_, facts)| facts.commit.id),
        };
        let Some(id) = id.filter(|id| seen && !id.is_null()) else {
            return;
        };
        if self.contexts.ask(id) {
            effects.push(Effect::Ask(Question::CommitContext(id)));
        }
    }

    pub(crate) fn answer(&mut self, answer: Answer, effects: &mut Vec<Effect>) {
        match answer {
            Answer::CommitContext(id, found) => self.contexts.take(id, found),
            Answer::Files(number, names) => self.found_files(number, names),
            Answer::Listed(number, end) => self.listed(number, end),
            Answer::Stamp(view, stamp) => self.stamped(view, stamp, effects),
        }
    }

    /// What surrounds a commit, in lines: what points at it, what merged it, and the pages of what its
    /// message refers to.
    pub(crate) fn circumstance_lines(
        &self,
        id: Option<&ObjectId>,
        referred: &[Referred],
        width: usize,
    ) -> Vec<DetailLine> {
        let mut lines = Vec::new();
        let fact =
            |label: &str, text: &str| DetailLine::fact(&format!("{label:<10} {text}"), width);
        if let Some(known) = id.and_then(|id| self.contexts.of(id)) {
            if !known.references.is_empty() {
                let names = known.references.iter().map(|name| sanitize::line(name));
                lines.push(fact("here", &names.collect::<Vec<_>>().join(", ")));
            }
            if let Some(merge) = &known.merge {
                let summary = sanitize::line(&merge.summary);
                let id = short(&merge.id);
                let mut line = fact("merged by", &format!("{id} {summary}"));
                let last = referred.len().saturating_sub(1);
                if line.text.get(LABEL..LABEL + id.len()) == Some(&id) {
                    line.links
                        .push((LABEL..LABEL + id.len(), Link::Reference(last)));
                }
                lines.push(line);
            }
        }
        let mut shown: Vec<&str> = Vec::new();
        for (at, it) in referred.iter().enumerate() {
            let page = it.page.as_ref().filter(|_| it.commit.is_none());
            let Some(page) = page.filter(|page| **page != it.name) else {
                continue;
            };
            if shown.len() < PAGES && !shown.contains(&it.name.as_str()) {
                shown.push(&it.name);
                let mut line = fact(&it.name, page);
                let links = LABEL.min(line.text.len())..line.text.len();
                line.links.push((links, Link::Reference(at)));
                lines.push(line);
            }
        }
        lines
    }
}
