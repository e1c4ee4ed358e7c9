//! The chooser of themes, and keeping for next time what was chosen.

use std::path::PathBuf;

use crate::viewer::{
    app::state::App,
    config::{
        columns,
        setting_change::{SettingChange, quoted},
    },
    model::{
        columns::Columns,
        keymap::{Action, Key, KeyCode},
    },
    protocol::Effect,
};

/// The list of themes, while it is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThemeChooser {
    /// The themes that there are.
    pub names: Vec<String>,
    /// The one that is selected and, unless there is a problem with it, on the screen.
    pub row: usize,
    /// The one to return to.
    before: usize,
    /// Why the selected one cannot be shown.
    pub problem: Option<String>,
}

/// What the configuration file says, as far as it can be changed from here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The file; none if there is no place for one.
    pub file: Option<PathBuf>,
    /// The theme's name, as it is written there.
    pub theme: String,
    /// The columns.
    pub columns: Columns,
}

/// What could be written to the configuration file, and the question whether it is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    changes: Vec<SettingChange>,
    words: String,
}

impl App {
    /// Opens the list of themes with the one selected that is on the screen.
    pub(crate) fn open_themes(&mut self, names: Vec<String>, current: usize) {
        if !names.is_empty() {
            let row = current.min(names.len() - 1);
            self.themes = Some(ThemeChooser {
                names,
                row,
                before: row,
                problem: None,
            });
        }
    }

    /// A key while the list is open: those that move and close are as bound.
    pub(crate) fn themes_key(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let Some(chooser) = &mut self.themes else {
            return;
        };
        let last = chooser.names.len() - 1;
        let row = match (key.code, self.keymap.action(key)) {
            (KeyCode::Enter, _) => return self.keep_theme(),
            (_, Some(Action::Down)) => (chooser.row + 1).min(last),
            (_, Some(Action::Up)) => chooser.row.saturating_sub(1),
            (_, Some(Action::Top)) => 0,
            (_, Some(Action::Bottom)) => last,
            (_, Some(Action::Theme | Action::Close | Action::Quit)) => {
                effects.push(Effect::Theme(chooser.names[chooser.before].clone()));
                self.themes = None;
                return;
            }
            _ => return,
        };
        if row != chooser.row {
            chooser.row = row;
            chooser.problem = None;
            effects.push(Effect::Theme(chooser.names[row].clone()));
        }
    }

    fn keep_theme(&mut self) {
        let Some(chooser) = self.themes.take() else {
            return;
        };
        let name = &chooser.names[chooser.row];
        if let Some(problem) = &chooser.problem {
            self.say(problem.clone());
            self.themes = Some(chooser);
            return;
        }
        let (tables, key, value) = (&[], "theme", quoted(name));
        if value != self.kept.theme {
            self.offer(vec![SettingChange { tables, key, value }]);
        }
    }

    /// The theme that was wanted cannot be shown.
    pub(crate) fn unfit(&mut self, words: String) {
        if let Some(chooser) = &mut self.themes {
            chooser.problem = Some(words.clone());
        }
        self.say(words);
    }

    /// Closes the chooser of columns.
    pub(crate) fn close_columns(&mut self) {
        self.chooser = None;
        self.offer(columns::changes(&self.kept.columns, &self.columns));
    }

    /// Asks whether what was chosen is to be kept for next time.
    fn offer(&mut self, changes: Vec<SettingChange>) {
        let (Some(file), Some(first)) = (&self.kept.file, changes.first()) else {
            return;
        };
        let what = match changes.len() {
            1 => first.words(),
            count => format!("these {count} settings"),
        };
        let words = format!("for next time too? y writes {what} to {}", file.display());
        self.say(words.clone());
        self.offer = Some(Offer { changes, words });
    }

    /// What is to be written, if this key answers the question that is on the screen.
    pub(crate) fn accept_offer(&mut self, key: Key) -> Option<Effect> {
        let offer = self.offer.take()?;
        let asked = self.note.as_ref() == Some(&offer.words);
        let file = self.kept.file.clone()?;
        let changes = offer.changes;
        (asked && key == Key::plain(KeyCode::Char('y'))).then_some(Effect::Keep { file, changes })
    }

    /// What was offered is in the file now, or why not.
    pub(crate) fn kept(&mut self, changes: &[SettingChange], result: Result<String, String>) {
        if result.is_ok() {
            match changes.first() {
                Some(change) if change.tables.is_empty() => {
                    self.kept.theme = change.value.clone();
                }
                _ => self.kept.columns = self.columns.clone(),
            }
        }
        self.say(result.unwrap_or_else(|words| words));
    }
}
