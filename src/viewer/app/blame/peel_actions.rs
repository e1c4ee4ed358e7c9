//! Peeling: a group is blamed as if its commit had not changed it, while the other lines stay as
//! they are.
//!
//! The answer is that of `git blame --ignore-rev COMMIT -L LINES`, with one `--ignore-rev` for each
//! commit that was peeled from the lines. Peeled groups can be put back, the last one first.

use std::{collections::BTreeSet, ops::Range};

use crate::{
    objects::ObjectId,
    viewer::{
        app::{
            blame::{
                peel::{Peel, PendingPeel},
                view::View,
            },
            state::{App, STILL_READING},
        },
        model::{
            abbreviation::short, keys::bindings::Action, source::Failure,
            toggled_options::ToggledOptions,
        },
        protocol::{BlameBatch, Effect, PeelJob},
    },
};

impl View {
    /// The groups that were peeled from a line (0-based), in this order.
    pub fn peels_of(&self, line: u32) -> impl Iterator<Item = &Peel> {
        let of_line = move |peel: &&Peel| peel.lines.contains(&line);
        self.peels.iter().filter(of_line)
    }

    /// The runs of `lines` from which the same commits were peeled, each with the options to blame
    /// it past these and past `commit`.
    fn parts_to_peel(
        &self,
        lines: Range<u32>,
        commit: ObjectId,
    ) -> Vec<(Range<u32>, ToggledOptions)> {
        let ends = self.peels.iter();
        let ends = ends.flat_map(|peel| [peel.lines.start, peel.lines.end]);
        let mut ends: BTreeSet<u32> = ends.filter(|end| lines.contains(end)).collect();
        ends.remove(&lines.start);
        ends.insert(lines.end);
        let mut parts: Vec<(Range<u32>, ToggledOptions)> = Vec::new();
        let mut start = lines.start;
        for end in ends {
            let mut options = ToggledOptions::clone(&self.options);
            let peeled = self.peels_of(start).map(|peel| peel.commit);
            options.ignored.extend(peeled);
            options.ignored.insert(commit);
            match parts.last_mut() {
                Some((last, same)) if *same == options => last.end = end,
                _ => parts.push((start..end, options)),
            }
            start = end;
        }
        parts
    }

    /// Replaces the attribution of lines from which `commit` is peeled.
    fn peel(&mut self, lines: Range<u32>, commit: ObjectId, found: BlameBatch) {
        let before = self.attribution.remove(lines.clone());
        self.add(found);
        self.peels.push(Peel {
            lines,
            commit,
            before,
        });
    }

    /// Undoes the last peel of a line, and those after it that share lines with it. Returns the
    /// last peel.
    fn put_back(&mut self, line: u32) -> Option<Peel> {
        let at = self.peels.iter().rposition(|it| it.lines.contains(&line))?;
        let mut undone = vec![self.peels[at].lines.clone()];
        let overlap = |a: &Range<u32>, b: &Range<u32>| a.start.max(b.start) < a.end.min(b.end);
        let mut last = at + 1;
        let mut taken = vec![at];
        while last < self.peels.len() {
            let lines = &self.peels[last].lines;
            if undone.iter().any(|other| overlap(other, lines)) {
                undone.push(lines.clone());
                taken.push(last);
            }
            last += 1;
        }
        let mut first = None;
        for at in taken.into_iter().rev() {
            let peel = self.peels.remove(at);
            self.attribution.remove(peel.lines.clone());
            for entry in &peel.before {
                let commit = self.commit_of_origin(entry.origin);
                self.attribution.add(commit, vec![entry.clone()]);
            }
            first = Some(peel);
        }
        first
    }
}

impl App {
    /// Blames the selected group past its commit.
    pub(crate) fn peel(&mut self) {
        if self.requests.peel.is_some() {
            return self.show_message(STILL_READING);
        }
        let Some((view, facts)) = self.selected_attribution() else {
            return self.unattributed(Action::Peel);
        };
        let commit = facts.commit.id;
        let Some(group) = view.attribution.group(view.pager.position.line) else {
            return;
        };
        if self.is_reversed() {
            return self.show_message("a blame with --reverse cannot be peeled");
        }
        if commit.is_null() {
            return self
                .show_message("this group is not committed yet: there is no commit to peel");
        }
        if facts.entry.unblamable {
            let message = format!("{} is peeled; no earlier line is alike", short(&commit));
            return self.show_message(message);
        }
        let parts = view.parts_to_peel(group.lines.clone(), commit);
        let (version, view) = (view.version.clone(), view.id);
        let id = self.requests.next_id();
        self.requests.peel = Some(PendingPeel {
            id,
            view,
            lines: group.lines,
            commit,
        });
        self.effects
            .push(Effect::Peel(PeelJob { id, version, parts }));
    }

    /// Stores the blame of a group past its commit.
    pub(crate) fn on_peeled(&mut self, id: u64, found: Result<BlameBatch, Failure>) {
        let Some(pending) = self.requests.peel.take_if(|pending| pending.id == id) else {
            return;
        };
        let Some(view) = self.view_mut().filter(|view| view.id == pending.view) else {
            return;
        };
        let found = match found {
            Ok(found) => found,
            Err(failure) => return self.show_message(failure.0),
        };
        let name = short(&pending.commit);
        let mut entries = found.origins.iter().flat_map(|origin| &origin.entries);
        if entries.all(|entry| entry.unblamable) {
            let message = format!("{name} added these lines: no earlier line is alike");
            return self.show_message(message);
        }
        view.peel(pending.lines, pending.commit, found);
        let count = view.peels_of(view.pager.position.line).count();
        let in_all = match count {
            0 | 1 => String::new(),
            count => format!(", {count} commits in all"),
        };
        let is_kept = view
            .selected()
            .is_some_and(|facts| facts.commit.id == pending.commit);
        let words = if is_kept {
            ": nothing before is like this line (*)"
        } else {
            " (◆; ? = found by likeness, * = none)"
        };
        self.show_filled(&format!(
            "{name} is peeled{in_all}{words}; {{put-back}} puts it back"
        ));
    }

    /// Puts back what was peeled last at the selected line.
    pub(crate) fn put_back(&mut self) {
        let Some(view) = self.view_mut() else { return };
        let line = view.pager.position.line;
        let Some(peel) = view.put_back(line) else {
            return self.show_filled("nothing is peeled from this line: {peel} does that");
        };
        self.show_message(format!("{} is back", short(&peel.commit)));
    }
}
