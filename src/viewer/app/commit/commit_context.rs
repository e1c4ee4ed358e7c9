//! The context of the selected commit, requested when it becomes visible.

use crate::{
    objects::ObjectId,
    sanitize,
    viewer::{
        app::{
            blame::navigation::short,
            commit::{
                detail_line::{DetailLine, Link},
                reference_actions::ResolvedReference,
            },
            state::App,
        },
        protocol::{Effect, MetadataAnswer, MetadataQuery},
    },
};

/// Most references of a message that are listed.
const PAGES: usize = 8;

/// Width of a label and the blank after it, in columns.
const LABEL: usize = 11;

impl App {
    /// Requests the context of the selected commit if the details pane is visible.
    pub(crate) fn request_commit_contexts(&mut self, effects: &mut Vec<Effect>) {
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
            effects.push(Effect::Query(MetadataQuery::CommitContext(id)));
        }
    }

    pub(crate) fn answer(&mut self, answer: MetadataAnswer, effects: &mut Vec<Effect>) {
        match answer {
            MetadataAnswer::CommitContext(id, found) => self.contexts.take(id, found),
            MetadataAnswer::Files(number, names) => self.found_files(number, names),
            MetadataAnswer::Listed(number, end) => self.listed(number, end),
            MetadataAnswer::Stamp(view, stamp) => self.stamped(view, stamp, effects),
        }
    }

    /// Lines about a commit's context: references, merge, and URLs of the references in its message.
    pub(crate) fn circumstance_lines(
        &self,
        id: Option<&ObjectId>,
        referred: &[ResolvedReference],
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
