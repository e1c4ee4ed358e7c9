//! The text of the details pane.

use unicode_width::UnicodeWidthStr;

use crate::{
    objects::ObjectId,
    repository::{
        agents::signature,
        commits::{trailers, word_wrap},
    },
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
        },
        pages::page::PageKind,
    },
};

/// Most references of a message that are listed.
const MAX_LISTED_REFERENCES: usize = 8;

/// Most rows of a subject where the message below it is what one looks for.
const MAX_SUBJECT_ROWS: usize = 2;

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
        let (area, _) = self.layout().message_and_change();
        let width = usize::from(area.width).saturating_sub(2);
        let Some(facts) = self.view().and_then(|view| view.selected()) else {
            let emptying = self
                .emptying()
                .filter(|revision| !revision.commit.is_null());
            let commit = emptying.and_then(|it| Some((&it.commit, it.metadata.as_ref().ok()?)));
            return commit.map_or_else(Vec::new, |(id, commit)| {
                self.message_lines(Some(id), commit, whole, width)
            });
        };
        let fact = |text: String| DetailLine::fact(&text, width);
        let commit = match &facts.commit.metadata {
            Ok(commit) => commit,
            Err(failure) => return vec![fact(format!("cannot read the commit: {failure}"))],
        };
        let id = Some(&facts.commit.id).filter(|id| !id.is_null());
        let mut lines = match id {
            Some(_) => self.message_lines(id, commit, whole, width),
            None => {
                let rows = word_wrap::wrap(self.uncommitted_words().as_bytes(), width);
                let line = |text| DetailLine::new(text, DetailKind::Summary);
                rows.into_iter().map(line).collect()
            }
        };
        // Below the summary and what brought it, since the pane may show no more than these rows.
        let is_first = |line: &DetailLine| line.kind != DetailKind::Body;
        let at = lines.iter().take_while(|line| is_first(line)).count();
        // The small pane has its rows for the line before.
        let facts_of_line = [self.origin_fact(), self.peeled_fact().filter(|_| whole)];
        lines.splice(at..at, facts_of_line.into_iter().flatten().map(fact));
        if whole {
            lines.push(fact(String::new()));
            lines.extend(self.agent_fact().map(fact));
            lines.extend(author_lines(id, commit, self.now, width));
            lines.extend(origin_facts(&facts).into_iter().map(fact));
        }
        lines.extend(committer_lines(commit, self.now, width));
        lines
    }

    /// The AI agent that is recorded to have written the selected line.
    fn agent_fact(&self) -> Option<String> {
        let found = self.provenance.agent(&self.written_line()?)?;
        let agent = &found.agent;
        let mut words = agent.name_and_model();
        if let Some(human) = &agent.human {
            words.push_str(", used by ");
            words.push_str(human);
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

    /// What brought a commit, the first release that has it, and the agent that wrote the selected
    /// line, or that signed the commit of another one, as far as that is known, in one line.
    fn provenance_line(
        &self,
        (id, commit): (&ObjectId, &CommitMetadata),
        message_references: &[ResolvedReference],
        width: usize,
    ) -> Option<DetailLine> {
        let mut parts: Vec<(String, Option<Link>)> = Vec::new();
        let link = |name: &str| {
            let at = message_references.iter().position(|it| it.name == name);
            at.map(Link::Reference)
        };
        let arrival = self.provenance.arrival(id).unwrap_or_default();
        if let Some(number) = arrival.request {
            let (kind, name) = (number.kind(), number.to_string());
            parts.push((format!("{kind} {name}"), link(&name)));
        }
        if let Some(merge) = arrival.merge {
            let merge = short(&merge);
            parts.push((format!("merged by {merge}"), link(&merge)));
        }
        if let Some(name) = self.provenance.release(id) {
            parts.push((format!("first in {}", sanitize::line(name)), None));
        }
        let line = self.written_line().filter(|line| line.commit == *id);
        let signed;
        let agent = match line {
            Some(line) => self.provenance.agent(&line).map(|found| &found.agent),
            None => {
                signed = signature::of_commit(commit.signature());
                signed.as_ref().map(|(agent, _)| agent)
            }
        };
        if let Some(agent) = agent {
            let words = |name: &str| format!("agent {}", sanitize::line(name.as_bytes()));
            let used: usize = parts.iter().map(|(words, _)| words.width() + 3).sum();
            let whole = words(&agent.name_and_model());
            let words = if used + whole.width() <= width {
                whole
            } else {
                words(agent.name())
            };
            parts.push((words, None));
        }
        let mut line = DetailLine::new(String::new(), DetailKind::Provenance);
        for (words, link) in parts {
            if !line.text.is_empty() {
                line.text.push_str(" · ");
            }
            // The last word is the name.
            let name = words.rfind(' ').map_or(0, |blank| blank + 1);
            let start = line.text.len() + name;
            line.text.push_str(&words);
            line.links
                .extend(link.map(|link| (start..line.text.len(), link)));
        }
        line.text = sanitize::clip(line.text.as_bytes(), width);
        line.links.retain(|(place, _)| place.end <= line.text.len());
        (!line.text.is_empty()).then_some(line)
    }

    /// A commit's message and context, with what brought it below the summary. The merge has a line
    /// of its own among the `whole` details.
    pub(crate) fn message_lines(
        &self,
        id: Option<&ObjectId>,
        commit: &CommitMetadata,
        whole: bool,
        width: usize,
    ) -> Vec<DetailLine> {
        let mut lines: Vec<DetailLine> = Vec::new();
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
        let subject = subject_len(body);
        let most = if whole || self.diff().is_some() {
            usize::MAX
        } else {
            MAX_SUBJECT_ROWS
        };
        let rows = word_wrap::fill_with_offsets(&body[..subject], width, most).into_iter();
        lines.extend(rows.map(|wrapped| line(wrapped, 0, DetailKind::Summary)));
        let provenance =
            id.and_then(|id| self.provenance_line((id, commit), &message_references, width));
        // It stands in place of the blank line.
        let is_in_place = provenance.is_some();
        lines.extend(provenance);
        let skipped = subject + 1;
        if let Some(rest) = body.get(skipped..) {
            let rows = word_wrap::wrap_with_offsets(rest, width).into_iter();
            let rows = rows.skip(usize::from(is_in_place));
            lines.extend(rows.map(|wrapped| line(wrapped, skipped, DetailKind::Body)));
        }
        let blank = DetailLine::new(String::new(), DetailKind::Body);
        if !trailer_lines.is_empty() {
            lines.push(blank.clone());
            let skipped = message.len() - trailer_lines.len();
            let texts = word_wrap::wrap_with_offsets(trailer_lines, width).into_iter();
            lines.extend(texts.map(|wrapped| line(wrapped, skipped, DetailKind::Trailer)));
        }
        let context = self.context_lines(id, &message_references, whole, width);
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
        whole: bool,
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
        let merge = id
            .filter(|_| whole)
            .and_then(|id| self.provenance.merge(id));
        if let Some((merge, summary)) = merge {
            let (id, summary) = (short(&merge), sanitize::line(summary));
            let mut line = fact("merged by", &format!("{id} {summary}"));
            let last = message_references.len().saturating_sub(1);
            if line.text.get(LABEL_WIDTH..LABEL_WIDTH + id.len()) == Some(&id) {
                line.links
                    .push((LABEL_WIDTH..LABEL_WIDTH + id.len(), Link::Reference(last)));
            }
            lines.push(line);
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

/// The length of the first paragraph of a message, without the LF at its end.
fn subject_len(message: &[u8]) -> usize {
    let mut at = 0;
    for line in message.split(|&byte| byte == b'\n') {
        if at > 0 && line.trim_ascii().is_empty() {
            break;
        }
        at += line.len() + 1;
    }
    at.saturating_sub(1).min(message.len())
}

/// The id, the change id and the author of a commit. What is not committed has none of these.
pub(crate) fn author_lines(
    id: Option<&ObjectId>,
    commit: &CommitMetadata,
    now: i64,
    width: usize,
) -> Vec<DetailLine> {
    let Some(id) = id else { return Vec::new() };
    let id = DetailLine::fact(&format!("commit     {id}"), width);
    let author = person_lines("author", &commit.author, now, width);
    let change = commit
        .change_id
        .as_ref()
        .map(|change| sanitize::line(change));
    let change = change.map(|change| DetailLine::fact(&format!("change     {change}"), width));
    std::iter::once(id).chain(change).chain(author).collect()
}

/// The committer, if that says something: a person other than the author.
pub(crate) fn other_committer(commit: &CommitMetadata) -> Option<&Signature> {
    let (author, committer) = (&commit.author, &commit.committer);
    let same = (&author.name, &author.mail) == (&committer.name, &committer.mail);
    // What GitHub commits for the people that press its buttons.
    let hosted = committer.mail == "noreply@github.com" && committer.name == "GitHub";
    Some(committer).filter(|_| !same && !hosted)
}

/// The [`other_committer`] with the date.
pub(crate) fn committer_lines(commit: &CommitMetadata, now: i64, width: usize) -> Vec<DetailLine> {
    let committer = other_committer(commit);
    committer.map_or_else(Vec::new, |committer| {
        person_lines("committer", committer, now, width)
    })
}

/// A person with the date, in a row of its own where one row has no room for both.
fn person_lines(label: &str, person: &Signature, now: i64, width: usize) -> Vec<DetailLine> {
    let (name, mail) = (sanitize::line(&person.name), sanitize::line(&person.mail));
    let moment = relative_dates::moment(person.time, person.offset);
    let ago = relative_dates::ago(now, person.time);
    let person = format!("{label:<10} {name} <{mail}>");
    let date = format!("{moment} ({ago})");
    let rows = if sanitize::width(person.as_bytes()) + 2 + date.len() <= width {
        vec![format!("{person}  {date}")]
    } else {
        vec![person, format!("{:<10} {date}", "date")]
    };
    rows.iter()
        .map(|row| DetailLine::fact(row, width))
        .collect()
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
