//! The text of the details pane.

use crate::{
    objects::ObjectId,
    repository::commits::trailers,
    sanitize,
    viewer::{
        app::{
            blame::view::LineAttribution,
            commit::{
                detail_line::{DetailKind, DetailLine, Link},
                reference_actions::ResolvedReference,
            },
            state::App,
        },
        model::{
            abbreviation::short,
            background::queries::CommitContextQuery,
            relative_dates,
            source::{CommitMetadata, Signature},
            texts::{
                message_references::{self, MessageReference},
                word_wrap,
            },
        },
        pages::page::PageKind,
    },
};

/// Most references of a message that are listed.
const MAX_LISTED_REFERENCES: usize = 8;

/// Width of a label and the blank after it, in columns.
const LABEL_WIDTH: usize = 11;

impl App {
    /// Requests the context of the selected commit if the details pane is visible.
    pub(crate) fn request_context(&mut self) {
        let diff = self.diff();
        let seen = diff.is_some() || self.layout().details.height > 0;
        let id = match diff {
            Some(diff) => diff.commit,
            None => self
                .selected_attribution()
                .map(|(_, facts)| facts.commit.id),
        };
        let Some(id) = id.filter(|id| seen && !id.is_null()) else {
            return;
        };
        if !self.contexts.knows(&id) {
            let number = self.ask(CommitContextQuery(id));
            self.contexts.ask(number, id);
        }
    }

    /// The lines of the details pane at its current width.
    pub fn detail_lines(&self) -> Vec<DetailLine> {
        self.commit_lines(self.pages.has(PageKind::Details))
    }

    /// The details of the selected commit, with all facts or only those for the small pane.
    pub(crate) fn commit_lines(&self, whole: bool) -> Vec<DetailLine> {
        let Some(facts) = self.view().and_then(|view| view.selected()) else {
            return Vec::new();
        };
        let width = usize::from(self.size.0).saturating_sub(2);
        let fact = |text: String| DetailLine::fact(&text, width);
        let commit = match &facts.commit.metadata {
            Ok(commit) => commit,
            Err(failure) => return vec![fact(format!("cannot read the commit: {failure}"))],
        };
        let id = Some(&facts.commit.id).filter(|id| !id.is_null());
        let mut lines = self.message_lines(id, commit, width);
        // Below the summary, since the pane may show no more than the first rows.
        let is_summary = |line: &DetailLine| line.kind == DetailKind::Summary;
        let at = lines.iter().take_while(|line| is_summary(line)).count();
        let facts_of_line = [self.origin_fact(), self.agent_fact(), self.peeled_fact()];
        lines.splice(at..at, facts_of_line.into_iter().flatten().map(fact));
        if whole {
            lines.push(fact(String::new()));
            lines.extend(author_lines(id, commit, self.now, width));
            lines.extend(origin_facts(&facts).into_iter().map(fact));
        }
        lines.extend(committer_line(commit, self.now, width));
        lines.extend(self.staged_state().map(|state| fact(state.to_owned())));
        lines
    }

    /// The AI agent that is recorded to have written the selected line.
    fn agent_fact(&self) -> Option<String> {
        let found = self.provenance.agent(&self.written_line()?)?;
        let agent = &found.agent;
        let mut words = agent.name().to_owned();
        let model = agent.model.as_ref().filter(|model| **model != words);
        for (before, text) in [(", ", model), (", used by ", agent.human.as_ref())] {
            if let Some(text) = text {
                words.push_str(before);
                words.push_str(text);
            }
        }
        let source = found.source.name();
        let words = sanitize::line(words.as_bytes());
        Some(format!("{:<10} {words} ({source})", "agent"))
    }

    /// The commits that were peeled from the selected line.
    fn peeled_fact(&self) -> Option<String> {
        let view = self.view()?;
        let peels = view.peels_of(view.pager.position.line);
        let peeled: Vec<String> = peels.map(|peel| short(&peel.commit)).collect();
        let keys = self.keymap.fill("{put-back} puts the last one back");
        (!peeled.is_empty()).then(|| format!("peeled     {}; {keys}", peeled.join(", ")))
    }

    /// The merge that brought a commit into the branch, with the number of its merge request, if
    /// known.
    pub fn merge_note(&self, id: &ObjectId) -> Option<String> {
        let (merge, summary) = self.provenance.merge(id)?;
        let numbered = |reference: &MessageReference| {
            matches!(
                reference,
                MessageReference::Issue(_) | MessageReference::MergeRequest(_)
            )
        };
        let references = message_references::find(summary);
        let number = references.iter().find(|(_, it)| numbered(it));
        let number = number.map_or_else(String::new, |(place, _)| {
            format!(" ({})", sanitize::line(&summary[place.clone()]))
        });
        Some(format!("merged by {}{number}", short(&merge)))
    }

    /// A commit's message and context.
    pub(crate) fn message_lines(
        &self,
        id: Option<&ObjectId>,
        commit: &CommitMetadata,
        width: usize,
    ) -> Vec<DetailLine> {
        let mut lines = Vec::new();
        let message = commit.message.trim_ascii();
        let (body, trailer_lines) = trailers::split(message);
        let message_references = self.message_references(id, commit);
        let line = |wrapped: word_wrap::WrappedLine, skipped: usize, kind: DetailKind| {
            let mut links = Vec::new();
            for (at, it) in message_references.iter().enumerate() {
                let place = it.place.as_ref().filter(|place| place.start >= skipped);
                let place = place.map(|place| place.start - skipped..place.end - skipped);
                if let Some(place) = place.and_then(|place| wrapped.place(&place)) {
                    links.push((place, Link::Reference(at)));
                }
            }
            DetailLine {
                links,
                ..DetailLine::new(wrapped.text, kind)
            }
        };
        let mut kind = DetailKind::Summary;
        for wrapped in word_wrap::wrap_with_offsets(body, width) {
            if wrapped.text.is_empty() {
                kind = DetailKind::Body;
            }
            lines.push(line(wrapped, 0, kind));
        }
        let blank = DetailLine::new(String::new(), DetailKind::Body);
        if !trailer_lines.is_empty() {
            lines.push(blank.clone());
            let skipped = message.len() - trailer_lines.len();
            let texts = word_wrap::wrap_with_offsets(trailer_lines, width).into_iter();
            lines.extend(texts.map(|wrapped| line(wrapped, skipped, DetailKind::Trailer)));
        }
        let context = self.context_lines(id, &message_references, width);
        if !context.is_empty() {
            lines.push(blank);
            lines.extend(context);
        }
        lines
    }

    /// Lines about a commit's context: references, merge, and URLs of the references in its
    /// message.
    pub(crate) fn context_lines(
        &self,
        id: Option<&ObjectId>,
        message_references: &[ResolvedReference],
        width: usize,
    ) -> Vec<DetailLine> {
        let mut lines = Vec::new();
        let fact =
            |label: &str, text: &str| DetailLine::fact(&format!("{label:<10} {text}"), width);
        let context = id.and_then(|id| self.contexts.of(id));
        if let Some(context) = context.filter(|context| !context.refs.is_empty()) {
            let names = context.refs.iter().map(|name| sanitize::line(name));
            lines.push(fact("refs", &names.collect::<Vec<_>>().join(", ")));
        }
        if let Some((merge, summary)) = id.and_then(|id| self.provenance.merge(id)) {
            let (id, summary) = (short(&merge), sanitize::line(summary));
            let mut line = fact("merged by", &format!("{id} {summary}"));
            let last = message_references.len().saturating_sub(1);
            if line.text.get(LABEL_WIDTH..LABEL_WIDTH + id.len()) == Some(&id) {
                line.links
                    .push((LABEL_WIDTH..LABEL_WIDTH + id.len(), Link::Reference(last)));
            }
            lines.push(line);
        }
        if let Some(name) = id.and_then(|id| self.provenance.release(id)) {
            lines.push(fact("first in", &sanitize::line(name)));
        }
        let mut shown: Vec<&str> = Vec::new();
        for (at, it) in message_references.iter().enumerate() {
            let url = it.url.as_ref().filter(|_| it.commit.is_none());
            let Some(url) = url.filter(|url| **url != it.name) else {
                continue;
            };
            if shown.len() < MAX_LISTED_REFERENCES && !shown.contains(&it.name.as_str()) {
                shown.push(&it.name);
                let mut line = fact(&it.name, url);
                let links = LABEL_WIDTH.min(line.text.len())..line.text.len();
                line.links.push((links, Link::Reference(at)));
                lines.push(line);
            }
        }
        lines
    }
}

/// The id, the change id and the author of a commit.
pub(crate) fn author_lines(
    id: Option<&ObjectId>,
    commit: &CommitMetadata,
    now: i64,
    width: usize,
) -> Vec<DetailLine> {
    let id = id.map(|id| DetailLine::fact(&format!("commit     {id}"), width));
    let author = person_line("author", &commit.author, now, width);
    let change = commit
        .change_id
        .as_ref()
        .map(|change| sanitize::line(change));
    let change = change.map(|change| DetailLine::fact(&format!("change     {change}"), width));
    id.into_iter().chain(change).chain([author]).collect()
}

/// The committer, if that says something: a person other than the author.
pub(crate) fn committer_line(
    commit: &CommitMetadata,
    now: i64,
    width: usize,
) -> Option<DetailLine> {
    let (author, committer) = (&commit.author, &commit.committer);
    let same = (&author.name, &author.mail) == (&committer.name, &committer.mail);
    // What GitHub commits for the people that press its buttons.
    let hosted = committer.mail == "noreply@github.com" && committer.name == "GitHub";
    (!same && !hosted).then(|| person_line("committer", committer, now, width))
}

fn person_line(label: &str, person: &Signature, now: i64, width: usize) -> DetailLine {
    let (name, mail) = (sanitize::line(&person.name), sanitize::line(&person.mail));
    let moment = relative_dates::moment(person.time, person.offset);
    let ago = relative_dates::ago(now, person.time);
    let text = format!("{label:<10} {name} <{mail}>  {moment} ({ago})");
    DetailLine::fact(&text, width)
}

fn origin_facts(facts: &LineAttribution<'_>) -> Vec<String> {
    let path = &facts.origin.path;
    let mut lines = vec![format!("file       {}", sanitize::line(path))];
    match &facts.origin.previous {
        Some((_, old)) if old != path => {
            lines.push(format!("old path   {}", sanitize::line(old)));
        }
        None if !facts.origin.boundary && !facts.commit.id.is_null() => {
            lines.push("old path   none: the commit added the file".to_owned());
        }
        _ => {}
    }
    lines.extend(line_notes(facts));
    lines
}

/// Notes about the attribution of a line.
pub(crate) fn line_notes(facts: &LineAttribution<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if facts.origin.boundary {
        lines.push("boundary   this blame does not look beyond the commit".to_owned());
    }
    if facts.entry.ignored {
        lines.push("ignored    attributed past an ignored commit by line similarity".to_owned());
    }
    if facts.entry.unblamable {
        lines.push("unblamable changed by an ignored commit; no earlier counterpart".to_owned());
    }
    lines
}
