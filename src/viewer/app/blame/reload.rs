//! Detecting changes of the work tree file and HEAD, and reloading.
//!
//! The status line reports a change; reloading is a step in the navigation history, so that the old
//! view is kept.

use crate::viewer::{
    app::{blame::view::View, requests::StampReason, state::App},
    model::{
        background::queries::StampQuery,
        source::{Failure, FileVersion, Stamp, StampChange},
    },
    protocol::LineRef,
};

/// What can be done where the file of the visible version was removed.
const FILE_GONE: &str =
    "the file was removed; {goto}HEAD, or an older revision, opens it as it was there";

impl App {
    /// True if the visible version can change.
    pub(crate) fn is_live(&self, view: &View) -> bool {
        match &view.version {
            FileVersion::WorkTree { .. } | FileVersion::Reloaded { .. } => true,
            FileVersion::Commit { .. } => false,
            FileVersion::CommandLine => self.environment.repository.command_line_changes,
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
        if self.view().is_some_and(|view| view.stamp.is_none()) {
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
        let Some(view) = self.view().filter(|view| self.is_live(view)) else {
            return false;
        };
        let (view, path) = (view.id, view.path.clone());
        let id = self.ask(StampQuery { path });
        self.requests.stamp = Some((id, view, reason));
        true
    }

    /// Stores the stamp of a request for the view that asked. Answers to older requests are
    /// dropped.
    pub(crate) fn on_stamp(&mut self, request: u64, stamp: Result<Stamp, Failure>) {
        let mut stamp = stamp.unwrap_or_default();
        let asked = self
            .requests
            .stamp
            .take_if(|(asked, _, _)| *asked == request);
        let Some((_, id, reason)) = asked else { return };
        if self.environment.repository.command_line_commit.is_some() {
            // A blame that started at a commit does not depend on the work tree.
            stamp.file = None;
        }
        let here = self.view().is_some_and(|view| view.id == id);
        let view = self.history.views.iter_mut().find(|view| view.id == id);
        let Some(view) = view else { return };
        // Before the first stamp has come, nobody knows what the version was read from.
        let is_known = view.stamp.is_some();
        let before = view.stamp.get_or_insert_with(|| stamp.clone());
        view.changed = before.difference(&stamp);
        let is_same = is_known && view.changed.is_none();
        let is_gone = view.changed == Some(StampChange::FileGone);
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
        self.view()?.changed
    }
}
