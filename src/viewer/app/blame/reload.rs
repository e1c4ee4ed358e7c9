//! Detecting changes of the work tree file and HEAD, and reloading.
//!
//! The status line reports a change; reloading is a step in the navigation history, so that the old
//! view is kept. Of a directory, only HEAD is looked at: its page is read again in its place.

use std::sync::Arc;

use bstr::BString;

use crate::viewer::{
    app::{blame::view::View, requests::StampReason, state::App},
    model::{
        background::queries::{Freshness, StampQuery},
        keys::bindings::Action,
        source::{Failure, FileVersion, Stamp, StampChange},
    },
    protocol::LineRef,
};

/// What can be done where the file of the work tree is not there.
pub(crate) const FILE_GONE: &str =
    "not in the work tree; {goto} and a revision opens the file as it was there";

impl App {
    /// True if the visible version can change.
    pub(crate) fn is_live(&self, view: &View) -> bool {
        match &view.version {
            FileVersion::WorkTree { .. } | FileVersion::Reloaded { .. } => true,
            FileVersion::Commit { .. } => false,
            FileVersion::CommandLine => self.environment.repository.command_line_changes,
        }
    }

    /// What is known of changes of what is visible, the page of a directory or else the blame.
    fn freshness(&self) -> Option<&Freshness> {
        let mut pages = self.pages.iter().rev();
        match pages.find_map(|page| page.reading()) {
            Some((_, freshness)) => Some(freshness),
            None => self.view().map(|view| &view.freshness),
        }
    }

    /// Checks whether the visible version has changed.
    pub(crate) fn on_poll(&mut self) {
        if self.requests.stamp.is_none() {
            self.ask_stamp(StampReason::Poll);
        }
    }

    /// Requests the stamp of a view when it is first shown.
    pub(crate) fn request_first_stamp(&mut self) {
        let freshness = self.freshness();
        if freshness.is_some_and(|freshness| freshness.stamp.is_none()) {
            self.on_poll();
        }
    }

    /// An external command ended, which may have changed the file.
    pub(crate) fn on_command_ended(&mut self, message: String) {
        self.show_message(message);
        self.ask_stamp(StampReason::Returned);
    }

    /// Reloads the visible version.
    pub(crate) fn reload(&mut self) {
        if !self.ask_stamp(StampReason::Reload) {
            self.show_message("this version does not change");
        }
    }

    fn ask_stamp(&mut self, reason: StampReason) -> bool {
        let Some((number, path)) = self.live_place() else {
            return false;
        };
        let id = self.ask(StampQuery { path });
        self.requests.stamp = Some((id, number, reason));
        true
    }

    /// The number of the view, or of the reading of a directory, that is visible and can change, and
    /// its path.
    fn live_place(&self) -> Option<(u64, Arc<BString>)> {
        let mut pages = self.pages.iter().rev();
        if let Some(page) = pages.find(|page| page.reading().is_some()) {
            let (reading, _) = page.reading()?;
            return match page.version()? {
                FileVersion::WorkTree { path } => Some((reading, path)),
                _ => None,
            };
        }
        let view = self.view().filter(|view| self.is_live(view))?;
        Some((view.id, view.path.clone()))
    }

    /// Stores the stamp of a request for the view or the page that asked. Answers to older requests
    /// are dropped.
    pub(crate) fn on_stamp(&mut self, request: u64, stamp: Result<Stamp, Failure>) {
        let asked = self
            .requests
            .stamp
            .take_if(|(asked, _, _)| *asked == request);
        let Some((_, id, reason)) = asked else { return };
        let mut stamp = match stamp {
            Err(failure) if reason == StampReason::Reload => return self.show_message(failure.0),
            stamp => stamp.unwrap_or_default(),
        };
        if self.environment.repository.command_line_commit.is_some() {
            // A blame that started at a commit does not depend on the work tree.
            stamp.file = None;
        }
        let here = self.view().is_some_and(|view| view.id == id);
        let view = self.history.views.iter_mut().find(|view| view.id == id);
        let Some(view) = view else {
            stamp.file = None;
            return self.on_stamp_of_directory(id, &stamp, reason);
        };
        let before = view.freshness.change;
        let is_same = view.freshness.take(&stamp);
        let now = view.freshness.change;
        let is_gone = now == Some(StampChange::FileGone);
        let is_asked = self.status.offer.is_some() || self.status.is_waiting();
        if here && now.is_some() && now != before && !is_asked {
            // An earlier message would hide the news where both have no room.
            self.clear_message();
        }
        match reason {
            StampReason::Reload | StampReason::Returned if here && is_gone => {
                self.show_filled(FILE_GONE);
            }
            StampReason::Reload if is_same => self.show_message("nothing has changed"),
            StampReason::Reload | StampReason::Returned if here && !is_same => {
                self.read_again(stamp)
            }
            _ => {}
        }
    }

    /// Stores a stamp for the page of a directory, if it still shows this reading.
    fn on_stamp_of_directory(&mut self, reading: u64, stamp: &Stamp, reason: StampReason) {
        let is_same = self.pages.iter_mut().find_map(|page| {
            let (number, freshness) = page.reading_mut()?;
            (number == reading).then(|| freshness.take(stamp))
        });
        if reason == StampReason::Returned && is_same == Some(false) {
            self.offer_action(Action::Reload, None);
        }
    }

    fn read_again(&mut self, stamp: Stamp) {
        if self.history.pending.is_some() {
            // Another step was requested meanwhile.
            return;
        }
        self.provenance.forget();
        let Some(view) = self.view() else { return };
        let position = view.pager.position;
        let of_command_line = match &view.version {
            FileVersion::CommandLine => true,
            FileVersion::Reloaded {
                of_command_line, ..
            } => *of_command_line,
            _ => false,
        };
        let version = FileVersion::Reloaded {
            path: view.path.clone(),
            of_command_line,
            reading: self.requests.blame_id + 1,
        };
        let revision = match &view.version {
            FileVersion::Reloaded { .. } => view.revision.clone(),
            _ => format!("{} (reloaded)", view.revision),
        };
        let from = LineRef {
            version: view.version.clone(),
            line: position.line,
        };
        self.open(version, Some(position.line), Some(from));
        if let Some(pending) = &mut self.history.pending {
            pending.revision = revision;
            pending.reread = Some((stamp, position));
        }
    }

    /// The change since the visible version was read, if it is known.
    pub fn change_notice(&self) -> Option<StampChange> {
        self.freshness()?.change
    }
}
