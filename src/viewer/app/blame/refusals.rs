//! Why an action cannot act on the selected line: one answer for the key that is pressed and for the
//! footer, which does not offer it then.

use crate::viewer::{
    app::{
        blame::{
            navigation::{EMPTY_FILE, UNATTRIBUTED, no_earlier_version},
            options::NOTHING_TO_IGNORE,
            view::{LineAttribution, View},
        },
        external_actions::uncommitted,
        state::App,
    },
    model::{
        abbreviation::short,
        keys::bindings::{Action, BINDINGS, HelpSection},
    },
};

impl App {
    /// Why an action cannot act on the selected line of the blame; `None` if it can, or if that turns out
    /// only when it tries.
    pub(crate) fn refusal(&self, action: Action) -> Option<String> {
        let view = self.view()?;
        if action == Action::Diff && self.deletions_in_words().is_some() {
            return None;
        }
        if action == Action::Diff && self.emptying_commit().is_some() {
            return None;
        }
        if view.text.line_count() == 0 && needs_line(action) {
            return Some(EMPTY_FILE.to_owned());
        }
        match action {
            Action::NextParent if view.merge_step.is_none() => {
                let words = "no merge here: {next-parent} works before lines of a merge, after \
                             {blame-parent}";
                return Some(self.keymap.fill(words));
            }
            Action::OlderVersion | Action::NewerVersion => return self.refuses_step(action),
            Action::NextReference => return self.refuses_reference(),
            // The text of several lines.
            Action::CopyId if view.anchor.is_some() => return None,
            _ if !needs_commit(action) => return None,
            _ => {}
        }
        match view.selected() {
            Some(facts) => self.refuses_commit(action, view, &facts),
            None => (!view.is_running()).then(|| UNATTRIBUTED.to_owned()),
        }
    }

    /// Why an action cannot act on the commit of the selected line.
    fn refuses_commit(
        &self,
        action: Action,
        view: &View,
        facts: &LineAttribution<'_>,
    ) -> Option<String> {
        let (id, origin) = (&facts.commit.id, &facts.origin);
        let web = &self.environment.repository.web;
        match action {
            Action::BlameParent if self.is_reversed() => {
                let words = "is the last commit with this line: {blame-commit} blames there, \
                             {diff} shows it";
                Some(format!("{} {}", short(id), self.keymap.fill(words)))
            }
            Action::BlameParent if origin.previous.is_some() => None,
            Action::BlameParent if id.is_null() => Some(no_earlier_version(id)),
            Action::BlameParent if origin.boundary => {
                let id = short(id);
                Some(format!(
                    "{id} is a boundary commit: older history is not blamed"
                ))
            }
            Action::BlameParent => {
                let words = self.keymap.fill("{commit-diff} shows what else it did");
                Some(format!("{}; {words}", no_earlier_version(id)))
            }
            Action::BlameCommit if id.is_null() => {
                Some("this line is not committed yet".to_owned())
            }
            Action::BlameCommit => {
                let is_here = Self::version_of(view, facts) == view.version;
                is_here.then(|| format!("already at {}", short(id)))
            }
            Action::Ignore => id.is_null().then(|| NOTHING_TO_IGNORE.to_owned()),
            _ if id.is_null() && uncommitted(action).is_some() => {
                uncommitted(action).map(str::to_owned)
            }
            Action::CopyLink => {
                let page = self.page_of_line();
                page.is_none().then(|| web.missing_reason())
            }
            Action::Browse => (!web.has_pages()).then(|| web.missing_reason()),
            _ => None,
        }
    }

    /// True if a motion of the blame would stay where it is, or if nothing is known of the line yet.
    pub(crate) fn is_idle(&self, action: Action) -> bool {
        // Nothing is read yet.
        let Some(view) = self.view() else {
            return ![Action::Quit, Action::Help].contains(&action);
        };
        let line = view.pager.position.line;
        match action {
            // It would wait for the line's commit.
            _ if needs_commit(action) && view.is_running() && view.selected().is_none() => true,
            Action::Down => line >= self.last_line(),
            Action::Up => line == 0,
            Action::Back => !self.has_earlier_step(),
            Action::Forward => !self.has_later_step(),
            Action::Tour => self.guide.tour.is_some(),
            Action::NextGroup | Action::PreviousGroup => self.group_beside(action).is_none(),
            Action::NextOfCommit => view.selected_tally().groups <= 1,
            _ => false,
        }
    }
}

/// True if an action of the blame is about a line, and not about the file or the program.
fn needs_line(action: Action) -> bool {
    use Action as A;
    let of_file = [
        A::Goto,
        A::Wrap,
        A::Edit,
        A::OpenFile,
        A::ToggleDetails,
        A::GrowDetails,
        A::ShrinkDetails,
    ];
    let binding = BINDINGS.iter().find(|binding| binding.action == action);
    match binding.map(|binding| binding.section) {
        _ if of_file.contains(&action) => false,
        Some(
            HelpSection::Move
            | HelpSection::Groups
            | HelpSection::Find
            | HelpSection::Commit
            | HelpSection::External,
        ) => true,
        _ => matches!(
            action,
            A::BlameParent
                | A::BlameCommit
                | A::LineHistory
                | A::SelectLines
                | A::NextChange
                | A::Ignore
                | A::Peel
                | A::PutBack
                | A::Whitespace
        ),
    }
}

/// True if an action is about the commit of the selected line.
fn needs_commit(action: Action) -> bool {
    matches!(
        action,
        Action::BlameParent
            | Action::BlameCommit
            | Action::Diff
            | Action::CommitDiff
            | Action::Details
            | Action::CopyId
            | Action::CopyLink
            | Action::Browse
            | Action::Ignore
            | Action::RunCommand
    )
}
