//! Which releases, merges and requests the screen needs.

use bstr::BString;

use crate::{
    objects::ObjectId,
    repository::agents::{agent::Agent, signature},
    sorting,
    viewer::{
        app::{
            blame::view::{View, ViewCommit},
            provenance::provenance_cache::MAX_CACHED,
            state::App,
        },
        model::{background::provenance::WrittenLine, color_mode::ColorMode, gutter::Column},
    },
};

impl App {
    /// Requests what the visible columns, the colors and the details show of commits and is not
    /// known yet, when the blame is done: it needs the processors, and the commits that it reads
    /// need not be read again.
    pub(crate) fn request_provenance(&mut self) {
        if self.provenance.is_asked() || self.view().is_some_and(View::is_running) {
            return;
        }
        let gutter = self.gutter();
        let shows_releases = gutter.width_of(Column::Release) > 0;
        let shows_requests =
            gutter.width_of(Column::Request) > 0 || self.display.color_mode == ColorMode::Request;
        let filter = &self.display.filter;
        let filters_releases = filter.release.is_some();
        // Motions join what one request brought, on the screen or not.
        let is_by_request = self.display.color_mode == ColorMode::Request;
        let filters_requests = filter.bringer.is_some() || is_by_request;
        let wanted = |is_shown: bool, is_filtered: bool| match (is_filtered, is_shown) {
            (true, _) => self.attributed_commits(),
            (false, true) => self.visible_commits(),
            (false, false) => Vec::new(),
        };
        let mut releases = wanted(shows_releases, filters_releases);
        let mut arrivals = wanted(shows_requests, filters_requests);
        let in_details = self.commit_in_details();
        releases.extend(in_details);
        arrivals.extend(in_details);
        let mut agents: Vec<WrittenLine> = self.line_in_details().into_iter().collect();
        agents.extend(self.lines_of_agents());
        if let Some(query) = self.provenance.unanswered(releases, arrivals, agents) {
            let id = self.ask(query.clone());
            self.provenance.ask(id, query);
        }
    }

    /// The commits of all lines.
    fn attributed_commits(&self) -> Vec<ObjectId> {
        let Some(view) = self.view() else {
            return Vec::new();
        };
        let ids = view.commits().iter().map(|commit| commit.id);
        ids.filter(|id| !id.is_null()).collect()
    }

    /// The commits of the visible lines.
    fn visible_commits(&self) -> Vec<ObjectId> {
        let Some(view) = self.view() else {
            return Vec::new();
        };
        let rows = u32::from(self.layout().code.height);
        let top = view.pager.position.top;
        let groups = view.attribution.groups(top..top.saturating_add(rows));
        let commits = groups.filter_map(|group| view.commits().get(group.commit as usize));
        let mut ids: Vec<ObjectId> = commits.map(|commit| commit.id).collect();
        ids.retain(|id| !id.is_null());
        sorting::sort(&mut ids);
        ids.dedup();
        ids
    }

    /// The selected line as it is in its commit, if the details are about it.
    fn line_in_details(&self) -> Option<WrittenLine> {
        let is_shown = !self.pages.cover_blame() && self.commit_in_details().is_some();
        self.written_line().filter(|_| is_shown)
    }

    /// The lines that an agent may have written, and of which that is not known: the visible ones, or
    /// all if the filter asks for agents. Lines are asked for only if the repository has notes on
    /// agents, or an agent signed their commit.
    fn lines_of_agents(&self) -> Vec<WrittenLine> {
        let Some(view) = self.view() else {
            return Vec::new();
        };
        let line_count = view.text.line_count();
        let is_filtered = self.display.filter.agent.is_some() && line_count as usize <= MAX_CACHED;
        let (top, bottom) = if is_filtered {
            (0, line_count)
        } else {
            let top = view.pager.position.top;
            let rows = u32::from(self.layout().code.height);
            (top, top.saturating_add(rows))
        };
        let are_shown = is_filtered
            || self.gutter().width_of(Column::Agent) > 0
            || self.display.color_mode == ColorMode::Agent;
        let has_notes = self.provenance.has_agent_notes().unwrap_or(are_shown);
        let mut named: Option<(u32, bool)> = None;
        let lines = (top..bottom.min(view.text.line_count())).filter(|&line| {
            let Some(facts) = view.attribution_of(line) else {
                return false;
            };
            let commit = facts.origin.commit;
            let is_named = match named {
                Some((last, is_named)) if last == commit => is_named,
                _ => is_signed(facts.commit),
            };
            named = Some((commit, is_named));
            (is_named || has_notes) && !facts.commit.id.is_null()
        });
        let lines = lines.filter_map(|line| Self::written_line_of(view, line));
        lines
            .filter(|line| !self.provenance.knows_agent(line))
            .collect()
    }

    /// The selected line as it is in its commit.
    pub(crate) fn written_line(&self) -> Option<WrittenLine> {
        let view = self.view()?;
        Self::written_line_of(view, view.pager.position.line)
    }

    /// A line (0-based) of a view as it is in its commit.
    fn written_line_of(view: &View, line: u32) -> Option<WrittenLine> {
        let facts = view.attribution_of(line)?;
        let offset = line.checked_sub(facts.entry.lines.start)?;
        Some(WrittenLine {
            commit: facts.commit.id,
            path: BString::clone(&facts.origin.path),
            line: facts.entry.source_start.saturating_add(offset),
        })
    }

    /// The agent that is recorded to have written a line (0-based) of a view, as far as it is
    /// known.
    pub(crate) fn agent_of_line(&self, view: &View, line: u32) -> Option<&Agent> {
        if !self.provenance.has_agents() {
            return None;
        }
        let written = Self::written_line_of(view, line)?;
        self.provenance.agent(&written).map(|found| &found.agent)
    }

    /// True if no agent is recorded to have written a line (0-based) of a view, as far as that is known.
    pub(crate) fn is_without_agent(&self, view: &View, line: u32) -> bool {
        let Some(facts) = view.attribution_of(line) else {
            return true;
        };
        let written = Self::written_line_of(view, line);
        let has_no_notes = self.provenance.has_agent_notes() == Some(false);
        facts.commit.id.is_null()
            || written.is_some_and(|written| self.provenance.knows_agent(&written))
            || has_no_notes && !is_signed(facts.commit)
    }

    /// The commit that the details are about.
    fn commit_in_details(&self) -> Option<ObjectId> {
        let of_page = self.pages.top().and_then(|page| page.commit(self));
        let id = match self.diff() {
            _ if of_page.is_some() => of_page?,
            Some(diff) => diff.commit?,
            None if self.layout().details.height == 0 => return None,
            None => self.view()?.selected()?.commit.id,
        };
        (!id.is_null()).then_some(id)
    }
}

/// True if an agent signed a commit.
fn is_signed(commit: &ViewCommit) -> bool {
    let metadata = commit.metadata.as_ref();
    metadata.is_ok_and(|metadata| signature::of_commit(metadata.signature()).is_some())
}
