//! Incremental search in the code and in the commits of its lines.
//!
//! A search stops at every line whose code matches, and at the first line of every group whose
//! commit matches, where author and id are shown.

use std::ops::Range;

use bstr::BString;

use crate::{
    objects::ObjectId,
    viewer::{
        app::blame::view::{View, ViewCommit},
        model::{source::CommitMetadata, texts::pattern::Pattern},
    },
};

/// Bytes searched between checks for other messages.
const SLICE_LEN: usize = 1 << 20;

/// Most matching lines that are collected.
const MAX_MATCHING_LINES: usize = 1 << 20;

/// Fewest digits of an id prefix; shorter ones match too many ids.
const MIN_ID_DIGITS: usize = 4;

/// A direction of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Towards the end.
    Forward,
    /// Towards the start.
    Backward,
}

/// The result of a jump to a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Jump {
    /// At a line.
    To(u32, Direction),
    /// Nowhere: nothing matches.
    NoMatch,
}

/// The search of a pager, and the jump to its next match while that is not found yet.
#[derive(Debug, Clone, Default)]
pub struct ActiveSearch {
    search: Option<Search>,
    /// What another page was searched for since then.
    elsewhere: Option<Search>,
    jump: Option<Direction>,
    /// True if it was started towards the start, so that the next match is the one before.
    backward: bool,
    /// The first column in the window before a match scrolled it to the side, and now.
    sideways: Option<(usize, usize)>,
}

impl ActiveSearch {
    /// The search.
    pub fn get(&self) -> Option<&Search> {
        self.search.as_ref()
    }

    pub(crate) fn get_mut(&mut self) -> Option<&mut Search> {
        self.search.as_mut()
    }

    /// True if every line was searched.
    pub fn is_complete(&self) -> bool {
        self.search.as_ref().is_none_or(Search::is_complete)
    }

    /// Replaces the search.
    pub(crate) fn set(&mut self, search: Option<Search>) {
        self.search = search;
        self.elsewhere = None;
    }

    /// Notes a search of another page. It is none of this one until it is [taken](Self::take_elsewhere).
    pub(crate) fn note_elsewhere(&mut self, search: Option<Search>) {
        self.elsewhere = search;
    }

    /// The latest search of this page or of another one.
    pub(crate) fn latest(&self) -> Option<&Search> {
        self.elsewhere.as_ref().or(self.search.as_ref())
    }

    /// Makes the search of another page that of this one, which has so many lines.
    pub(crate) fn take_elsewhere(&mut self, line_count: u32) {
        if let Some(search) = self.elsewhere.take() {
            self.search = Some(search.restarted(line_count));
        }
    }

    /// Ends the search.
    pub(crate) fn clear(&mut self) {
        *self = ActiveSearch::default();
    }

    /// Searches for the same in other lines.
    pub(crate) fn restart(&mut self, line_count: u32) {
        self.search = self
            .search
            .as_ref()
            .map(|search| search.restarted(line_count));
    }

    /// Notes that a match scrolled the window to the side, from one first column to another.
    pub(crate) fn scrolled(&mut self, from: usize, to: usize) {
        let first = self.sideways.filter(|(_, now)| *now == from);
        let first = first.map_or(from, |(first, _)| first);
        self.sideways = (first != to).then_some((first, to));
    }

    /// The first column in the window without the search, where `left` is that with it.
    pub(crate) fn column_before(&self, left: usize) -> usize {
        let before = self.sideways.filter(|(_, now)| *now == left);
        before.map_or(left, |(before, _)| before)
    }

    /// Sets the direction in which the search was started.
    pub(crate) fn set_direction(&mut self, direction: Direction) {
        self.backward = direction == Direction::Backward;
    }

    /// The direction of the next match, or of the previous one.
    pub(crate) fn direction(&self, next: bool) -> Direction {
        if next != self.backward {
            Direction::Forward
        } else {
            Direction::Backward
        }
    }

    /// Requests a jump to the next match.
    pub(crate) fn want_jump(&mut self, direction: Direction) {
        self.jump = Some(direction);
    }

    /// True if a jump is requested.
    pub(crate) fn wants_jump(&self) -> bool {
        self.jump.is_some()
    }

    /// Cancels the requested jump.
    pub(crate) fn cancel_jump(&mut self) {
        self.jump = None;
    }

    /// The result of the requested jump once it is known. It starts at the line `from`, or before
    /// the first one.
    pub(crate) fn take_jump(&mut self, from: Option<u32>) -> Option<Jump> {
        let (search, direction) = (self.search.as_ref()?, self.jump?);
        let found = match (direction, from) {
            (Direction::Forward, Some(line)) => search.next(line),
            (Direction::Forward, None) => search.next_from(0),
            (Direction::Backward, line) => search.previous(line.unwrap_or(0)),
        };
        let jump = match found {
            SearchStep::Pending => return None,
            SearchStep::At(line) => Jump::To(line, direction),
            SearchStep::NoMatch => Jump::NoMatch,
        };
        self.jump = None;
        Some(jump)
    }
}

/// The match that a search finds next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchStep {
    /// The line that matches.
    At(u32),
    /// Not known until more of the file is searched.
    Pending,
    /// Nothing matches.
    NoMatch,
}

impl SearchStep {
    fn of(line: Option<&u32>) -> Self {
        line.map_or(SearchStep::NoMatch, |&line| SearchStep::At(line))
    }
}

/// A search through one file.
#[derive(Debug, Clone)]
pub struct Search {
    pattern: Pattern,
    /// The pattern as a prefix of ids, if it can be one.
    id: Option<String>,
    /// Lines whose code matches, ascending as all lists of lines here.
    lines: Vec<u32>,
    /// First lines of groups whose commit matches.
    group_starts: Vec<u32>,
    /// The union of both, each line once.
    stops: Vec<u32>,
    /// Which of the view's commits match.
    commits: Vec<bool>,
    /// How many lines were attributed when `group_starts` was made.
    attributed: Option<u32>,
    scanned: u32,
    total: u32,
}

impl Search {
    /// Creates a search. `None` for an empty or too large pattern.
    pub fn new(typed: &str, line_count: u32) -> Option<Self> {
        let pattern = Pattern::new(typed)?;
        let is_id = typed.len() >= MIN_ID_DIGITS && typed.bytes().all(|c| c.is_ascii_hexdigit());
        let id = is_id.then(|| typed.to_ascii_lowercase());
        Some(Search::unscanned(pattern, id, line_count))
    }

    /// The same search through another file, where the expression that was typed comes first again.
    pub fn restarted(&self, line_count: u32) -> Self {
        let typed = self
            .is_as_text()
            .then(|| Search::new(self.pattern(), line_count));
        typed
            .flatten()
            .unwrap_or_else(|| Search::unscanned(self.pattern.clone(), self.id.clone(), line_count))
    }

    /// This search, or one for the same as text if only that finds something.
    pub(crate) fn or_as_text(self, finds: impl Fn(&Search) -> bool) -> Search {
        if !self.is_expression() || finds(&self) {
            return self;
        }
        let text = self.pattern.as_text();
        let text = text.map(|text| Search::unscanned(text, None, self.total));
        text.filter(finds).unwrap_or(self)
    }

    /// Begins anew with the pattern as text once nothing matches.
    pub(crate) fn go_on_as_text(&mut self) {
        if self.is_complete()
            && self.stops.is_empty()
            && let Some(text) = self.pattern.as_text()
        {
            *self = Search::unscanned(text, None, self.total);
        }
    }

    /// True if the pattern means something else than its text.
    pub(crate) fn is_expression(&self) -> bool {
        self.pattern.is_expression()
    }

    /// True if the pattern is searched as text though it was not typed as such.
    pub(crate) fn is_as_text(&self) -> bool {
        self.pattern.is_as_text()
    }

    /// The pattern for a message.
    pub(crate) fn quoted(&self) -> String {
        let as_text = if self.is_as_text() { " as text" } else { "" };
        format!("“{}”{as_text}", self.pattern())
    }

    /// A search of which nothing is scanned yet.
    fn unscanned(pattern: Pattern, id: Option<String>, line_count: u32) -> Self {
        Search {
            pattern,
            id,
            lines: Vec::new(),
            group_starts: Vec::new(),
            stops: Vec::new(),
            commits: Vec::new(),
            attributed: None,
            scanned: 0,
            total: line_count,
        }
    }

    /// The pattern as typed.
    pub fn pattern(&self) -> &str {
        self.pattern.typed()
    }

    /// What is matched.
    pub(crate) fn expression(&self) -> &Pattern {
        &self.pattern
    }

    /// True if a line has the pattern.
    pub fn is_in(&self, line: &[u8]) -> bool {
        self.pattern.is_match(line)
    }

    /// Searches the next slice of the file.
    pub fn advance(&mut self, view: &View) {
        self.scan(|line| view.text.line(line));
        self.match_commits(view);
        if !view.is_running() {
            self.go_on_as_text();
        }
    }

    /// Searches the next slice of lines that a function provides.
    pub fn scan<'a>(&mut self, line: impl Fn(u32) -> &'a [u8]) {
        let mut looked = 0;
        let before = self.lines.len();
        while !self.is_complete() && looked < SLICE_LEN {
            let line = line(self.scanned);
            if self.pattern.is_match(line) {
                self.lines.push(self.scanned);
            }
            looked += line.len() + 16;
            self.scanned += 1;
        }
        if self.lines.len() > before {
            self.join();
        }
    }

    /// Searches new commits. While the blame runs this is deferred until there are many, so that
    /// the total cost stays linear in the size of the file.
    pub fn match_commits(&mut self, view: &View) {
        let now = view.attribution.attributed();
        let last = self.attributed.unwrap_or(0);
        let enough = now > last + last / 8 || now != last && !view.is_running();
        if self.attributed.is_some() && !enough {
            return;
        }
        self.attributed = Some(now);
        for commit in view.commits().iter().skip(self.commits.len()) {
            self.commits.push(self.matches_commit(commit));
        }
        let groups = view.attribution.groups(0..view.text.line_count());
        let found = groups.filter(|group| self.commits.get(group.commit as usize) == Some(&true));
        self.group_starts = found
            .map(|group| group.lines.start)
            .take(MAX_MATCHING_LINES)
            .collect();
        self.join();
    }

    fn join(&mut self) {
        self.stops.clear();
        self.stops.extend(&self.lines);
        self.stops.extend(&self.group_starts);
        // Two sorted runs, which this sort joins.
        self.stops.sort();
        self.stops.dedup();
    }

    fn matches_commit(&self, commit: &ViewCommit) -> bool {
        let metadata = commit.metadata.as_ref().ok();
        self.matches_id(&commit.id)
            || metadata.is_some_and(|metadata| {
                self.matches_author(metadata) || self.matches_summary(metadata)
            })
    }

    /// True if the pattern is a prefix of a commit's id.
    pub fn matches_id(&self, id: &ObjectId) -> bool {
        let wanted = self.id.as_deref();
        wanted.is_some_and(|wanted| !id.is_null() && id.to_hex().to_string().starts_with(wanted))
    }

    /// Where the pattern is in a commit.
    pub(crate) fn place_in(&self, commit: &ViewCommit) -> &'static str {
        let metadata = commit.metadata.as_ref();
        match metadata {
            Ok(metadata) if self.matches_summary(metadata) => "summary",
            Ok(metadata) if self.is_in(&metadata.author.name) => "author",
            Ok(metadata) if self.matches_author(metadata) => "author's address",
            _ => "id",
        }
    }

    /// True if the pattern matches the author's name or address.
    pub fn matches_author(&self, commit: &CommitMetadata) -> bool {
        let author = &commit.author;
        let mut person = BString::clone(&author.name);
        person.extend_from_slice(b" <");
        person.extend_from_slice(&author.mail);
        person.push(b'>');
        self.pattern.is_match(&person)
    }

    /// True if the pattern matches the summary.
    pub fn matches_summary(&self, commit: &CommitMetadata) -> bool {
        self.pattern.is_match(&commit.summary())
    }

    /// True if the whole file was searched.
    pub fn is_complete(&self) -> bool {
        self.scanned >= self.total || self.lines.len() >= MAX_MATCHING_LINES
    }

    /// Number of lines that the search stops at, found so far.
    pub fn count(&self) -> usize {
        self.stops.len()
    }

    /// The ordinal of a matching line (1-based).
    pub fn ordinal(&self, line: u32) -> Option<usize> {
        self.stops.binary_search(&line).ok().map(|index| index + 1)
    }

    /// True if the line itself has a match, and not only the commit of the group that it starts.
    pub fn is_in_code(&self, line: u32) -> bool {
        self.lines.binary_search(&line).is_ok()
    }

    /// The next matching line after `line`, wrapping around.
    pub fn next(&self, line: u32) -> SearchStep {
        self.next_from(line.saturating_add(1))
    }

    /// As [`next`](Self::next), with `line` itself.
    pub fn next_from(&self, line: u32) -> SearchStep {
        let index = self.stops.partition_point(|&found| found < line);
        match (self.stops.get(index), self.is_complete()) {
            (Some(&found), _) => SearchStep::At(found),
            (None, false) => SearchStep::Pending,
            (None, true) => SearchStep::of(self.stops.first()),
        }
    }

    /// The previous matching line before `line`, wrapping around.
    pub fn previous(&self, line: u32) -> SearchStep {
        if self.scanned < line && !self.is_complete() {
            return SearchStep::Pending;
        }
        let index = self.stops.partition_point(|&found| found < line);
        match (index.checked_sub(1), self.is_complete()) {
            (Some(index), _) => SearchStep::At(self.stops[index]),
            (None, false) => SearchStep::Pending,
            (None, true) => SearchStep::of(self.stops.last()),
        }
    }

    /// Matches of the pattern in a part of a line.
    pub fn matches(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let found = self
            .pattern
            .regex()
            .find_iter(bytes)
            .map(|found| found.range());
        found.filter(|range| !range.is_empty()).take(500).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::viewer::{
        app::blame::view::Progress,
        model::{
            source::{FileVersion, Signature},
            texts::text::Text,
        },
        protocol::{AttributedLines, AttributedOrigin, BlameBatch},
    };

    fn view(text: &[u8]) -> View {
        let text = Arc::new(Text::new(Arc::from(text)));
        let path = Arc::new("a".into());
        View::new(
            0,
            FileVersion::CommandLine,
            path,
            String::new(),
            Arc::default(),
            text,
        )
    }

    fn search(pattern: &str, view: &View) -> Search {
        let mut search = Search::new(pattern, view.text.line_count()).expect("a pattern");
        while !search.is_complete() {
            search.advance(view);
        }
        search
    }

    #[test]
    fn it_goes_around() {
        let file = view(b"a\nB\nc\nab\n");
        let found = search("b", &file);
        assert_eq!(found.count(), 2);
        assert_eq!(found.next(0), SearchStep::At(1));
        assert_eq!(found.next(3), SearchStep::At(1));
        assert_eq!(found.previous(1), SearchStep::At(3));
        assert_eq!(found.ordinal(3), Some(2));
        assert_eq!(search("B", &view(b"b\nB")).next(0), SearchStep::At(1));
        assert_eq!(search("x", &file).next(0), SearchStep::NoMatch);
    }

    #[test]
    fn what_is_no_expression_is_literal() {
        let file = view(b"f(x)\nfx\n");
        assert_eq!(search("f(", &file).count(), 1);
        assert_eq!(search("^f.$", &file).next(0), SearchStep::At(1));
    }

    #[test]
    fn an_expression_without_a_match_is_searched_as_text() {
        let file = view(b"f(x)\ng x\ng[1]\n");
        for (pattern, is_as_text, stops) in [
            ("f(x)", true, &[0][..]),
            ("g.x", false, &[1]),
            ("g[1]", true, &[2]),
            ("g(2)", true, &[]),
            ("nothing", false, &[]),
        ] {
            let mut file = view(file.text.bytes());
            file.progress = Progress::Interrupted;
            let found = search(pattern, &file);
            let known = (found.is_as_text(), &found.stops[..]);
            assert_eq!(known, (is_as_text, stops), "{pattern}");
            // Elsewhere the expression comes first again.
            let is_expression = !found.restarted(3).is_as_text();
            assert!(is_expression, "{pattern}");
            // More may be found while the blame runs.
            file.progress = Progress::Running(None);
            assert!(!search(pattern, &file).is_as_text(), "{pattern}");
        }
    }

    #[test]
    fn commits_are_found_where_their_groups_begin() {
        let mut file = view(b"one\ntwo\nthree\nfour Ada\n");
        let commit = |number: u8, name: &str, message: &str| {
            let person = Signature {
                name: name.into(),
                mail: "x@example.org".into(),
                time: 0,
                offset: 0,
            };
            let metadata = CommitMetadata {
                author: person.clone(),
                committer: person,
                co_authors: Vec::new(),
                message: message.into(),
                change_id: None,
                root: false,
                merge_parents: Vec::new(),
            };
            (ObjectId::from_bytes_or_panic(&[number; 20]), Ok(metadata))
        };
        let origin = |number: u8, start: u32| AttributedOrigin {
            commit: ObjectId::from_bytes_or_panic(&[number; 20]),
            path: Arc::new("a".into()),
            previous: None,
            boundary: false,
            entries: vec![AttributedLines {
                lines: start..start + 2,
                source_start: start,
                ignored: false,
                unblamable: false,
            }],
        };
        file.add(BlameBatch {
            commits: vec![commit(0xab, "Ada", "Begin"), commit(0xcd, "Ben", "Go on")],
            origins: vec![origin(0xab, 0), origin(0xcd, 2)],
        });
        let stops = |pattern: &str| search(pattern, &file).stops;
        assert_eq!(stops("ada"), [0, 3]);
        assert_eq!(stops("go on"), [2]);
        assert_eq!(stops("CDCD"), [2]);
        assert_eq!(stops("cd"), [] as [u32; 0]);
        assert_eq!(stops("example"), [0, 2]);
    }
}
