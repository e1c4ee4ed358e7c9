//! Steps to other versions of the visible file.

use crate::{
    objects::ObjectId,
    text::thousands::line_number,
    viewer::{
        app::{
            blame::navigation::{no_earlier_version, step_name},
            display::pager::Position,
            file_history::{
                known_versions::{AwaitedVersion, KnownVersions},
                outcome_actions::outcome_in_words,
                version_scale::VersionScale,
                version_step::VersionStep,
            },
            state::App,
        },
        model::{
            abbreviation::short,
            background::line_history::HistoryProgress,
            keys::bindings::Action,
            source::FileVersion,
            texts::line_map::{ChangedPlaces, MappedLine, MappingQuality},
        },
        protocol::LineRef,
    },
};

impl App {
    /// Goes to an older or a newer version of the visible file.
    pub(crate) fn step_versions(&mut self, action: Action, count: u32) {
        let start = self.find_versions(None);
        let Some(known) = &mut self.history.versions else {
            return;
        };
        let is_newer = action == Action::NewerVersion;
        let mut from = self
            .history
            .pending
            .as_ref()
            .and_then(|it| it.step.as_ref());
        let view = self.history.views.get(self.history.current);
        from = from.or(view.and_then(|view| view.step.as_ref()));
        let from = from.filter(|step| step.list == known.id);
        let mut came_from = from.and_then(|step| step.from);
        let mut at = start;
        let mut is_known = true;
        for _ in 0..count {
            let next = at.and_then(|at| {
                if is_newer {
                    known.list.newer(at, came_from)
                } else {
                    known.list.older(at)
                }
            });
            is_known = next.is_some();
            if !is_known {
                break;
            }
            (came_from, at) = (at, next);
        }
        if !is_known && known.is_running() && (!is_newer || known.list.revisions().is_empty()) {
            known.waiting = Some(AwaitedVersion::Step(action, count));
            return self.show_message("looking for versions… Esc cancels");
        }
        if let Some(to) = at.filter(|_| at != start) {
            return self.go_to_revision(to, None);
        }
        let known = self.history.versions.as_ref();
        if let Some(words) = known.map(|known| self.end_of_versions(known, start, is_newer)) {
            self.show_message(words);
        }
    }

    /// Why there is no step to an older or a newer version, while steps are taken.
    pub(crate) fn refuses_step(&self, action: Action) -> Option<String> {
        let step = self
            .step_in_sight()
            .filter(|_| self.history.pending.is_none())?;
        let known = self.history.versions.as_ref()?;
        let is_newer = action == Action::NewerVersion;
        let next = if is_newer {
            known.list.newer(step.at, step.from)
        } else {
            known.list.older(step.at)
        };
        let is_end = next.is_none() && (is_newer || !known.is_running());
        is_end.then(|| self.end_of_versions(known, Some(step.at), is_newer))
    }

    /// Goes to a version of the list, to the line `place` (0-based) or else to the counterpart of the
    /// selected line. The view of the last step is replaced, so that going back leads to where the steps
    /// began.
    pub(crate) fn go_to_revision(&mut self, at: usize, place: Option<u32>) {
        let Some(known) = &self.history.versions else {
            return;
        };
        let (Some(version), Some(revision)) = (known.version(at), known.list.get(at)) else {
            return;
        };
        let list = known.id;
        let name = if revision.commit.is_null() {
            None
        } else {
            let metadata = revision.metadata.as_deref().ok();
            Some(step_name(false, &revision.commit, metadata))
        };
        let Some(view) = self.view() else { return };
        if view.version == version && self.history.pending.is_none() {
            return;
        }
        let from = known.position(&view.version);
        let step = VersionStep {
            list,
            at,
            from,
            is_newer: from.is_some_and(|from| at < from),
            changes: ChangedPlaces::default(),
            marks_changes: from.is_some_and(|from| known.list.are_neighbours(from, at)),
        };
        let line = LineRef {
            version: view.version.clone(),
            line: view.pager.position.line,
        };
        let line = Some(line).filter(|_| place.is_none());
        self.open(version, place, line);
        if let Some(name) = name {
            self.name_step(name);
        }
        if let Some(pending) = &mut self.history.pending {
            pending.step = Some(step);
        }
    }

    /// Shows the line that the selected one became in the version of a step, at the same place of
    /// the screen.
    pub(crate) fn follow_line_of_step(
        &mut self,
        before: Position,
        mapped_line: MappedLine,
        notice: Option<String>,
    ) {
        let Some(view) = self.view_mut() else { return };
        let position = &mut view.pager.position;
        position.line = mapped_line.line;
        position.top = mapped_line
            .line
            .saturating_sub(before.line - before.top.min(before.line));
        position.left = before.left;
        let is_newer = view.step.as_ref().is_some_and(|step| step.is_newer);
        if let MappingQuality::NoCounterpart(place) = mapped_line.quality {
            view.insertion = Some((place, mapped_line.line));
        }
        if let Some(by) = notice {
            if matches!(mapped_line.quality, MappingQuality::NoCounterpart(_)) {
                view.deleted = Some((mapped_line.line, by.clone()));
            }
            let words = outcome_in_words(mapped_line.quality, mapped_line.line, &by);
            return self.show_message(words);
        }
        let words = match (mapped_line.quality, is_newer) {
            (MappingQuality::NoCounterpart(_), is_newer) => {
                if is_newer {
                    "is gone"
                } else {
                    "was not there yet"
                }
            }
            (MappingQuality::Replaced, true) => "was replaced",
            (MappingQuality::Replaced, false) => "replaced this one",
            _ => return,
        };
        self.show_message(format!("line {} {words}", line_number(before.line)));
    }

    /// The rows of the scale of versions: while steps are taken, if nothing covers the file.
    pub(crate) fn scale_rows(&self) -> u16 {
        if self.step_in_sight().is_some() && !self.pages.cover_blame() {
            2
        } else {
            0
        }
    }

    /// The step that led to the visible view, if its list of versions is known.
    pub fn step_in_sight(&self) -> Option<&VersionStep> {
        let step = self.view()?.step.as_ref()?;
        let known = self.history.versions.as_ref()?;
        (step.list == known.id).then_some(step)
    }

    /// The scale of the versions.
    pub fn version_scale(&self) -> Option<VersionScale> {
        let known = self.history.versions.as_ref()?;
        VersionScale::new(self.size.0, known.list.span()?)
    }

    /// Goes to the version at a column of the scale.
    pub(crate) fn drag_scale(&mut self, x: u16) {
        let Some(scale) = self.version_scale() else {
            return;
        };
        let time = scale.time(x);
        let versions = self.history.versions.as_ref();
        if let Some(at) = versions.and_then(|known| known.list.nearest(time, scale.margin())) {
            self.go_to_revision(at, None);
        }
    }

    /// Why there is no version beyond one.
    fn end_of_versions(&self, known: &KnownVersions, at: Option<usize>, is_newer: bool) -> String {
        let revision = at.and_then(|at| known.list.get(at));
        match (revision, &known.progress) {
            (_, HistoryProgress::Failed(failure)) => failure.0.clone(),
            _ if is_newer => match self.begins_before_head(known) {
                Some(begin) => {
                    let (begin, goto) = (short(&begin), self.keymap.fill("{goto}"));
                    format!("no newer version up to {begin}; {goto}HEAD opens that of HEAD")
                }
                None => "this is the newest version".to_owned(),
            },
            (Some(revision), HistoryProgress::Finished(true)) => {
                no_earlier_version(&revision.commit)
            }
            _ => "older history is not looked at".to_owned(),
        }
    }

    /// The commit whose history the versions are, if that is not HEAD, as far as it is known.
    fn begins_before_head(&self, known: &KnownVersions) -> Option<ObjectId> {
        let begin = match &known.query.version {
            FileVersion::Commit { commit, .. } => Some(*commit),
            FileVersion::CommandLine => self.environment.repository.command_line_commit,
            FileVersion::WorkTree { .. } | FileVersion::Reloaded { .. } => None,
        };
        let mut stamps = self
            .history
            .views
            .iter()
            .filter_map(|view| view.freshness.stamp.as_ref());
        begin.filter(|begin| !stamps.any(|stamp| stamp.head == Some(*begin)))
    }
}
