//! Toggling blame options.
//!
//! Each change is a step in the navigation history: the same text is blamed again, and going back
//! restores the previous result.

use std::sync::Arc;

use crate::{
    repository::request::ignored_revisions::ROOT_FILE,
    viewer::{
        app::{
            blame::{navigation::short, view::View},
            state::App,
        },
        model::{bindings::Action, external_commands::IgnoreEntry, switches::Switches},
        protocol::Effect,
    },
};

impl App {
    /// Toggles an option of the visible view.
    pub(crate) fn switch(&mut self, action: Action, effects: &mut Vec<Effect>) {
        let Some(view) = self.view().filter(|_| self.history.pending.is_none()) else {
            return self.say("the file is still being read");
        };
        let mut switches = Switches::clone(&view.switches);
        if action == Action::SaveIgnored
            && let Err(message) = self.save(effects)
        {
            return self.say(message);
        }
        let turned = match action {
            Action::Whitespace => switches.toggle_whitespace(),
            Action::Moves => switches.toggle_moves(),
            Action::Copies => switches.cycle_copies(),
            Action::IgnoredFile => self.toggle_ignored_file(&mut switches),
            _ => self.ignore(&mut switches),
        };
        match turned {
            Ok((step, note)) => {
                self.blame_again(switches, step, effects);
                self.say(note);
            }
            Err(note) => self.say(note),
        }
    }

    fn toggle_ignored_file(&self, switches: &mut Switches) -> SwitchResult {
        let Some(file) = &self.environment.ignored_file else {
            return Err(format!("this work tree has no {ROOT_FILE}"));
        };
        switches.ignored_file = !switches.ignored_file;
        let problem = file.problem.as_ref();
        let problem = problem.map_or(String::new(), |problem| format!("; {problem}"));
        let commits = match file.count {
            1 => "its commit is".to_owned(),
            count => format!("its {count} commits are"),
        };
        Ok(match switches.ignored_file {
            true => (
                "ignore file".to_owned(),
                format!("{ROOT_FILE}: {commits} looked through{problem}"),
            ),
            false => (
                "no ignore file".to_owned(),
                format!("{ROOT_FILE} is not used: {commits} blamed again"),
            ),
        })
    }

    /// Appends the selected line's commit to the ignore file, then ignores it.
    fn save(&self, effects: &mut Vec<Effect>) -> Result<(), String> {
        let facts = self.view().and_then(View::selected);
        let Some(facts) = facts.filter(|facts| !facts.commit.id.is_null()) else {
            // Ignoring it reports the reason.
            return Ok(());
        };
        let Some(list) = self.environment.repository.ignore_list.clone() else {
            return Err("there is no work tree with an ignore file to save it to".to_owned());
        };
        let metadata = facts.commit.metadata.as_ref().ok();
        effects.push(Effect::Save(IgnoreEntry {
            list,
            id: facts.commit.id,
            subject: metadata
                .map(|metadata| metadata.summary())
                .unwrap_or_default(),
        }));
        Ok(())
    }

    fn ignore(&self, switches: &mut Switches) -> SwitchResult {
        let Some(facts) = self.view().and_then(View::selected) else {
            return Err("this line is not attributed yet".to_owned());
        };
        let id = facts.commit.id;
        if id.is_null() {
            return Err("this line is not committed yet: there is nothing to ignore".to_owned());
        }
        if facts.entry.unblamable || switches.ignored.contains(&id) {
            let id = short(&id);
            return Err(format!(
                "{id} is ignored already: this line stood nowhere before it"
            ));
        }
        switches.ignored.insert(id);
        let id = short(&id);
        Ok((
            format!("ignore {id}"),
            self.keymap
                .fill(&format!("{id} is ignored; {{back}} takes it back")),
        ))
    }

    fn blame_again(&mut self, switches: Switches, step: String, effects: &mut Vec<Effect>) {
        self.interrupt();
        let number = self.requests.next_number();
        let Some(view) = self.view() else { return };
        let view = view.again(number, Arc::new(switches), step);
        let job = self.job(view.version.clone(), view.switches.clone());
        self.step_to(view);
        effects.push(Effect::Blame(job));
    }

    /// Whether the toggled option changed the attribution of a line (0-based) of the visible view.
    pub fn is_changed(&self, line: u32) -> bool {
        let (view, before) = match self.view() {
            Some(view) if view.step.is_some() => (view, self.history.current.checked_sub(1)),
            _ => return false,
        };
        let before = before.and_then(|before| self.history.views.get(before));
        let answers = (
            view.facts(line),
            before.and_then(|before| before.facts(line)),
        );
        matches!(answers, (Some(now), Some(before))
            if now.commit.id != before.commit.id || now.origin.path != before.origin.path)
    }

    /// The options that are on in the visible view; empty if none is.
    pub fn switched_on(&self) -> String {
        let Some(view) = self.view() else {
            return String::new();
        };
        let mut options = view.switches.to_string();
        if let Some(file) = self
            .environment
            .ignored_file
            .as_ref()
            .filter(|_| view.switches.ignored_file)
        {
            if !options.is_empty() {
                options.push(' ');
            }
            let doubt = if file.problem.is_some() { "!" } else { "" };
            options.push_str(&format!("ignore file ({}{doubt})", file.count));
        }
        options
    }
}

/// The step's name in the header and a message, or why nothing was toggled.
type SwitchResult = Result<(String, String), String>;

impl Switches {
    fn toggle_whitespace(&mut self) -> SwitchResult {
        self.whitespace = !self.whitespace;
        Ok(match self.whitespace {
            true => labels("-w", "white space does not count"),
            false => labels("no -w", "white space counts again"),
        })
    }

    fn toggle_moves(&mut self) -> SwitchResult {
        if self.copies > 0 {
            return Err("-C follows moved lines too: C again until it is off".to_owned());
        }
        self.moves = !self.moves;
        Ok(match self.moves {
            true => labels("-M", "lines that moved within the file are followed"),
            false => labels("no -M", "lines that moved are not followed"),
        })
    }

    fn cycle_copies(&mut self) -> SwitchResult {
        self.copies = (self.copies + 1) % 4;
        Ok(match self.copies {
            0 => labels("no -C", "lines of other files are not followed"),
            1 => labels("-C", "lines from files of the same commit are followed"),
            2 => labels(
                "-C -C",
                "lines from any file of the commit that made this one, too",
            ),
            _ => labels("-C -C -C", "lines from any file of any commit, too"),
        })
    }
}

fn labels(step: &str, note: &str) -> (String, String) {
    (step.to_owned(), note.to_owned())
}
