//! Selecting and following the references in a commit message.

use std::{ops::Range, sync::Arc};

use crate::{
    objects::ObjectId,
    sanitize,
    viewer::{
        app::{
            blame::navigation::short, commit::detail_line::Link, overlays::overlay::DetailsPage,
            state::App,
        },
        model::{
            bindings::Action,
            message_references::{self, MessageReference},
            source::CommitMetadata,
        },
        protocol::Effect,
    },
};

/// Length of the prefix of a message that is scanned for references, in bytes.
const MESSAGE: usize = 1 << 16;

/// Most references of a message.
const MOST: usize = 200;

/// A reference in a commit message, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedReference {
    /// Its byte range in the trimmed message; `None` if it is only in the commit's context.
    pub place: Option<Range<usize>>,
    /// Its text.
    pub name: String,
    /// Its URL, if known.
    pub page: Option<String>,
    /// Its commit, if it is one.
    pub commit: Option<ObjectId>,
}

impl App {
    /// The commit whose message is visible.
    fn shown_commit(&self) -> Option<(ObjectId, &Arc<CommitMetadata>)> {
        let (id, metadata) = match self.overlays.diff() {
            Some(diff) => (diff.commit?, diff.metadata.as_ref()?),
            None => {
                let (_, facts) = self.selected_facts()?;
                (facts.commit.id, &facts.commit.metadata)
            }
        };
        (!id.is_null()).then_some((id, metadata.as_ref().ok()?))
    }

    /// The references of a commit, in display order.
    pub(crate) fn referred(
        &self,
        id: Option<&ObjectId>,
        commit: &CommitMetadata,
    ) -> Vec<ResolvedReference> {
        let message = commit.message.trim_ascii();
        let message = &message[..message.len().min(MESSAGE)];
        let known = id.and_then(|id| self.contexts.of(id));
        let web = &self.environment.repository.web;
        let mut found = Vec::new();
        for (place, reference) in message_references::find(message) {
            let text = &message[place.clone()];
            let name = sanitize::line(text);
            let named = known.and_then(|known| known.named.iter().find(|(word, _)| *word == text));
            let commit = named.map(|(_, id)| *id);
            let page = match reference {
                MessageReference::Page => Some(name.clone()),
                MessageReference::Id if commit.is_none() => continue,
                MessageReference::Id => commit.and_then(|id| web.commit(&id)),
                MessageReference::Issue(_) | MessageReference::Merge(_) => web.reference(reference),
            };
            found.push(ResolvedReference {
                place: Some(place),
                name,
                page,
                commit,
            });
        }
        found.truncate(MOST);
        found.extend(
            known
                .and_then(|known| known.merge.as_ref())
                .map(|merge| ResolvedReference {
                    place: None,
                    name: short(&merge.id),
                    page: web.commit(&merge.id),
                    commit: Some(merge.id),
                }),
        );
        found
    }

    /// Index of the selected reference.
    pub fn picked(&self) -> Option<usize> {
        let (id, at) = self.details.picked?;
        let (shown, _) = self.shown_commit()?;
        (shown == id).then_some(at)
    }

    fn picked_reference(&self) -> Option<ResolvedReference> {
        let at = self.picked()?;
        let (id, metadata) = self.shown_commit()?;
        self.referred(Some(&id), metadata).into_iter().nth(at)
    }

    /// Selects the next reference.
    pub(crate) fn pick_next(&mut self, times: u32) {
        let Some((id, metadata)) = self.shown_commit() else {
            return self.say("no commit is shown");
        };
        let count = self.referred(Some(&id), metadata).len();
        if count == 0 {
            return self.say("this commit's message has no references");
        }
        let times = times as usize;
        let at = match self.picked() {
            Some(at) => (at + times) % count,
            None => (times - 1) % count,
        };
        self.pick(at);
        self.show_picked();
    }

    pub(crate) fn pick(&mut self, at: usize) {
        let Some((id, _)) = self.shown_commit() else {
            return;
        };
        self.details.picked = Some((id, at));
        let Some(picked) = self.picked_reference() else {
            return;
        };
        let name = &picked.name;
        let message = match (picked.commit, &picked.page) {
            (Some(id), Some(_)) => {
                let id = short(&id);
                format!("{{change}} goes to commit {id}, {{browse}} opens its page")
            }
            (Some(id), None) => format!("{{change}} goes to commit {}", short(&id)),
            (None, Some(page)) if page == name => "{browse} opens this page".to_owned(),
            (None, Some(page)) => format!("{{browse}} opens {page}"),
            (None, None) => return self.say(self.environment.repository.web.missing_reason()),
        };
        self.say(self.keymap.fill(&message));
    }

    /// Scrolls to the selected reference.
    fn show_picked(&mut self) {
        let Some(picked) = self.picked() else { return };
        let diff = self.overlays.diff().is_some();
        match self.overlays.details() {
            Some(_) => self.overlays.show_details(DetailsPage::Commit),
            None => self.details.visible |= !diff,
        }
        let lines = match self.overlays.diff() {
            Some(_) => self.diff_header(),
            None => self.detail_lines(),
        };
        let has = |links: &[(Range<usize>, Link)]| {
            links
                .iter()
                .any(|(_, link)| *link == Link::Reference(picked))
        };
        let Some(line) = lines.iter().position(|line| has(&line.links)) else {
            return;
        };
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        if let Some(diff) = self.overlays.diff_mut() {
            diff.pager.position.line = line;
            return;
        }
        let rows = u32::from(self.layout().details.height).max(1);
        let top = &mut self.details.pager.position.top;
        *top = (*top).clamp((line + 1).saturating_sub(rows), line);
    }

    /// Performs an action on the selected reference. Returns false if none is selected or the action does
    /// not apply.
    pub(crate) fn follow_picked(&mut self, action: Action, effects: &mut Vec<Effect>) -> bool {
        if !matches!(action, Action::Browse | Action::Change | Action::Close) {
            return false;
        }
        let Some(picked) = self.picked_reference() else {
            return false;
        };
        match (action, picked.commit, picked.page) {
            (Action::Close, ..) => self.details.picked = None,
            (Action::Change, Some(id), _) => self.open_commit(id, effects),
            (_, _, Some(page)) => {
                self.say(format!("opened {page}"));
                effects.push(Effect::Browse(page));
            }
            (_, _, None) => self.say(self.environment.repository.web.missing_reason()),
        }
        true
    }
}
