//! Selecting and following the references in a commit message.

use std::{ops::Range, sync::Arc};

use crate::{
    objects::ObjectId,
    repository::provenance::request_number::RequestNumber,
    sanitize,
    viewer::{
        app::{
            blame::{navigation::EMPTY_FILE, view::View},
            commit::detail_line::Link,
            state::{App, refused},
        },
        model::{
            abbreviation::short,
            keys::bindings::Action,
            source::CommitMetadata,
            texts::message_references::{self, MessageReference},
        },
        pages::page::PageKind,
    },
};

/// Most references of a message.
const MAX_REFERENCES: usize = 200;

/// A reference in a commit message, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedReference {
    /// Its byte range in the trimmed message; `None` if it is only in the commit's context.
    pub place: Option<Range<usize>>,
    /// Its text.
    pub name: String,
    /// Its URL, if known.
    pub url: Option<String>,
    /// Its commit, if it is one.
    pub commit: Option<ObjectId>,
}

impl App {
    /// The commit whose message is visible.
    fn shown_commit(&self) -> Option<(ObjectId, &Arc<CommitMetadata>)> {
        let (id, metadata) = match self.diff() {
            Some(diff) => (diff.commit?, diff.metadata.as_ref()?),
            None => {
                let (_, facts) = self.selected_attribution()?;
                (facts.commit.id, &facts.commit.metadata)
            }
        };
        (!id.is_null()).then_some((id, metadata.as_ref().ok()?))
    }

    /// The references of a commit, in display order.
    pub(crate) fn message_references(
        &self,
        id: Option<&ObjectId>,
        commit: &CommitMetadata,
    ) -> Vec<ResolvedReference> {
        let message = commit.message.trim_ascii();
        let message = &message[..message.len().min(message_references::MAX_SCANNED_LEN)];
        let known = id.and_then(|id| self.contexts.of(id));
        let web = &self.environment.repository.web;
        let mut found = Vec::new();
        for (place, reference) in message_references::find(message) {
            let text = &message[place.clone()];
            let name = sanitize::line(text);
            let commit = known.and_then(|known| {
                known
                    .mentioned_commits
                    .iter()
                    .find(|(word, _)| *word == text)
            });
            let commit = commit.map(|(_, id)| *id);
            let url = match reference {
                MessageReference::Url => Some(message_references::encoded_url(text)),
                MessageReference::Id if commit.is_none() => continue,
                MessageReference::Id => commit.and_then(|id| web.commit(&id)),
                MessageReference::Issue(_) | MessageReference::MergeRequest(_) => {
                    web.reference(reference)
                }
            };
            found.push(ResolvedReference {
                place: Some(place),
                name,
                url,
                commit,
            });
        }
        found.truncate(MAX_REFERENCES);
        // What is said beside the message leads somewhere too.
        let request = id.and_then(|id| self.provenance.arrival(id)?.request);
        let request = request.map(|number| {
            let reference = match number {
                RequestNumber::Pull(number) => MessageReference::Issue(number),
                RequestNumber::Merge(number) => MessageReference::MergeRequest(number),
            };
            (number.to_string(), web.reference(reference))
        });
        if let Some((name, Some(url))) = request
            && found.iter().all(|it| it.name != name)
        {
            found.push(ResolvedReference {
                place: None,
                name,
                url: Some(url),
                commit: None,
            });
        }
        found.extend(
            id.and_then(|id| self.provenance.merge(id))
                .map(|(merge, _)| ResolvedReference {
                    place: None,
                    name: short(&merge),
                    url: web.commit(&merge),
                    commit: Some(merge),
                }),
        );
        found
    }

    /// Index of the selected reference.
    pub fn selected_reference(&self) -> Option<usize> {
        let (id, at) = self.details.selected_reference?;
        let (shown, _) = self.shown_commit()?;
        (shown == id).then_some(at)
    }

    /// The references of the commit whose message is visible, in display order.
    pub(crate) fn shown_references(&self) -> Vec<ResolvedReference> {
        let shown = self.shown_commit();
        shown.map_or_else(Vec::new, |(id, metadata)| {
            self.message_references(Some(&id), metadata)
        })
    }

    fn resolved_selection(&self) -> Option<ResolvedReference> {
        let at = self.selected_reference()?;
        self.shown_references().into_iter().nth(at)
    }

    /// Why no reference can be followed.
    pub(crate) fn refuses_reference(&self) -> Option<String> {
        let is_of_blame = self.diff().is_none();
        if is_of_blame && self.view().is_some_and(|view| view.text.line_count() == 0) {
            return Some(EMPTY_FILE.to_owned());
        }
        let Some((id, metadata)) = self.shown_commit() else {
            let is_read = match self.diff() {
                Some(diff) => diff.commit.is_none() || diff.metadata.is_some(),
                None => !self.view().is_none_or(View::is_running),
            };
            let words = "there is no commit here whose message could have references";
            return Some(refused(is_read, words));
        };
        let all = self.message_references(Some(&id), metadata);
        let leads = |it: &ResolvedReference| it.commit.is_some() || it.url.is_some();
        if all.is_empty() {
            // The merge that brought it may be one.
            let is_sought = self.provenance.is_asked() || self.view().is_some_and(View::is_running);
            let is_read = self.provenance.arrival(&id).is_some() || !is_sought;
            return Some(refused(is_read, "this commit's message has no references"));
        }
        let web = &self.environment.repository.web;
        (!all.iter().any(leads)).then(|| web.missing_reason())
    }

    /// Selects the next reference, once all is read that could be one.
    pub(crate) fn select_next_reference(&mut self, times: u32) {
        if let Some(words) = self.refuses_reference() {
            return self.show_message(words);
        }
        let count = self.shown_references().len();
        let times = times as usize;
        let at = match self.selected_reference() {
            Some(at) => (at + times) % count,
            None => (times - 1) % count,
        };
        self.select_reference(at);
        if let Some(diff) = self.diff_mut() {
            diff.unfolded = true;
        }
        self.reveal_selected_reference();
    }

    pub(crate) fn select_reference(&mut self, at: usize) {
        let Some((id, _)) = self.shown_commit() else {
            return;
        };
        self.details.selected_reference = Some((id, at));
        let Some(selected) = self.resolved_selection() else {
            return;
        };
        let count = self.shown_references().len();
        let place = match count {
            1 => "the only reference: {close} ends, ".to_owned(),
            _ => format!(
                "reference {} of {count}: {{next-reference}} next, {{close}} ends, ",
                at + 1
            ),
        };
        let place = self.keymap.fill(&place);
        let name = &selected.name;
        let leads = match (selected.commit, &selected.url) {
            (Some(id), Some(_)) => {
                let id = short(&id);
                format!("{{diff}} goes to {id}, {{browse}} opens its page")
            }
            (Some(id), None) => format!("{{diff}} goes to {}", short(&id)),
            (None, Some(url)) if url == name => "{browse} opens this page".to_owned(),
            (None, Some(url)) => {
                // An address is no template.
                let words = self.keymap.fill("{browse} opens");
                return self.show_message(format!("{place}{words} {url}"));
            }
            // Why, the key that would open it says.
            (None, None) => "no page of it is known".to_owned(),
        };
        let leads = self.keymap.fill(&leads);
        self.show_message(format!("{place}{leads}"));
    }

    /// Scrolls to the selected reference.
    fn reveal_selected_reference(&mut self) {
        let Some(selected) = self.selected_reference() else {
            return;
        };
        // The whole message is shown from now on.
        self.renew_diff_header();
        let diff = self.diff().is_some();
        self.details.visible |= !diff && !self.pages.has(PageKind::Details);
        let lines = match self.diff() {
            Some(diff) => diff.header.clone(),
            None => self.detail_lines(),
        };
        let has = |links: &[(Range<usize>, Link)]| {
            links
                .iter()
                .any(|(_, link)| *link == Link::Reference(selected))
        };
        let Some(line) = lines.iter().position(|line| has(&line.links)) else {
            return;
        };
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        if let Some(diff) = self.diff_mut() {
            diff.pager.position.line = line;
            return;
        }
        let rows = u32::from(self.layout().details.height).max(1);
        let top = &mut self.details.pager.position.top;
        *top = (*top).clamp((line + 1).saturating_sub(rows), line);
    }

    /// Performs an action on the selected reference. Returns false if none is selected or the
    /// action does not apply.
    pub(crate) fn follow_selected_reference(&mut self, action: Action) -> bool {
        if !matches!(action, Action::Browse | Action::Diff | Action::Close) {
            return false;
        }
        let Some(selected) = self.resolved_selection() else {
            return false;
        };
        match (action, selected.commit, selected.url) {
            (Action::Close, ..) => self.details.selected_reference = None,
            (Action::Diff, Some(id), _) => self.open_commit(id),
            (_, _, Some(url)) => {
                self.browse(url);
            }
            (_, _, None) => self.show_message(self.environment.repository.web.missing_reason()),
        }
        true
    }
}
