//! The keys in the status line.

use ratatui::style::{Modifier, Style};
use unicode_width::UnicodeWidthStr;

use crate::{
    sanitize,
    viewer::{
        model::keys::{bindings::Action, keymap::Keymap},
        pages::list::{KeyHelp, help_action, legend_sign},
        protocol::ClickTarget,
        theme::{roles::Foreground, styles::Theme},
        ui::paint::RowWriter,
    },
};

/// The most important keys.
const FIRST_KEYS: usize = 6;

/// Draws keys into the status line.
#[derive(Debug)]
pub struct Footer<'a> {
    pub(crate) theme: &'a Theme,
    pub(crate) keymap: &'a Keymap,
    pub(crate) row: RowWriter<'a>,
    /// The key that is highlighted.
    pub(crate) suggested: Option<Action>,
}

impl Footer<'_> {
    /// The key of an action, if it has one.
    pub(crate) fn key_of(&self, action: Action) -> Option<String> {
        self.keymap.keys(action).next().map(|key| key.to_string())
    }

    /// The columns of the key of an action with words for it; 0 if it has no key.
    pub(crate) fn action_width(&self, action: Action, words: &str) -> usize {
        let key = self.key_of(action);
        key.map_or(0, |key| key_width(&key, words))
    }

    /// The columns of the first keys of a status line, which neither a legend nor a count takes.
    pub(crate) fn first_width(&self, hints: &[(Action, &str)]) -> usize {
        let first = hints.iter().take(FIRST_KEYS);
        first
            .map(|(action, words)| self.action_width(*action, words))
            .sum()
    }

    /// As [`first_width`](Self::first_width), of the keys of a help.
    pub(crate) fn first_help_width(&self, help: &[KeyHelp]) -> usize {
        let keys = help.iter().filter(|(keys, _)| legend_sign(keys).is_none());
        let hints = keys.take(FIRST_KEYS).map(|help| self.hint(help));
        hints.map(|(key, words)| key_width(&key, words)).sum()
    }

    /// The first key of a help, with the words for it before a colon.
    fn hint<'a>(&self, (keys, words): &KeyHelp) -> (String, &'a str) {
        let key = keys.split("  ").next().unwrap_or_default();
        let words = words.split(':').next().unwrap_or_default();
        (self.keymap.fill(key), words)
    }

    /// Draws an input with the cursor at its end, which stays visible.
    pub(crate) fn typed(&mut self, text: &str) {
        let text = sanitize::line(text.as_bytes());
        let room = usize::from(self.row.remaining()).saturating_sub(1);
        let bar = self.theme.bar();
        self.row.put(&sanitize::clip_left(&text, room), bar);
        self.row.put(" ", bar.add_modifier(Modifier::REVERSED));
    }

    /// Draws the keys of some actions, as far as there is room.
    pub(crate) fn actions(&mut self, hints: &[(Action, &str)]) {
        for at in self.fitting_actions(hints) {
            let (action, words) = hints[at];
            self.action(action, words);
        }
    }

    /// As [`fitting`](Self::fitting), of actions.
    fn fitting_actions(&self, hints: &[(Action, &str)]) -> Vec<usize> {
        let widths = hints
            .iter()
            .map(|(action, words)| self.action_width(*action, words));
        let help = hints.iter().position(|(action, _)| *action == Action::Help);
        self.fitting(&widths.collect::<Vec<_>>(), help)
    }

    /// The positions of the keys that have room, by the columns of all. The key at `help` lists all
    /// keys, and is never the one that is left out.
    fn fitting(&self, widths: &[usize], mut help: Option<usize>) -> Vec<usize> {
        let mut room = usize::from(self.row.remaining());
        let mut fitting = Vec::new();
        for (at, width) in widths.iter().enumerate() {
            help = help.filter(|help| *help > at);
            if width + help.map_or(0, |help| widths[help]) > room {
                fitting.extend(help.filter(|help| widths[*help] <= room));
                break;
            }
            room -= width;
            fitting.push(at);
        }
        fitting
    }

    /// Highlights the key of an action among these. If it would not be among those that have room, it
    /// stands at the end of the row, with words of its own.
    pub(crate) fn suggest(&mut self, action: Action, words: &str, hints: &[(Action, &str)]) {
        let fitting = self.fitting_actions(hints).into_iter();
        let is_shown = fitting.map(|at| hints[at].0).any(|shown| shown == action);
        let needed = self.action_width(action, words) + 10;
        if !is_shown && needed <= usize::from(self.row.remaining()) {
            let key = self.key_of(action).unwrap_or_default();
            let (style, target) = (self.suggested_style(), ClickTarget::Action(action));
            self.row.put_right(" ", self.theme.bar());
            let words = format!(" {key} {words} ");
            self.row.put_target_right(&words, style, target);
        }
        self.suggested = Some(action);
    }

    fn suggested_style(&self) -> Style {
        if self.theme.needs_marks() {
            let style = self.theme.bar_emphasis();
            return style.add_modifier(Modifier::REVERSED);
        }
        let style = self.theme.bar_tint(Foreground::Mark);
        style.add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
    }

    /// Draws the key of an action, if it has one. Returns whether there is room for it.
    pub(crate) fn action(&mut self, action: Action, words: &str) -> bool {
        let Some(key) = self.key_of(action) else {
            return true;
        };
        self.key(&key, words, Some(ClickTarget::Action(action)))
    }

    /// Draws the keys and signs of a help, as far as there is room. A key that does not fit is the last,
    /// but for signs. Its words before a colon stand here.
    pub(crate) fn help(&mut self, help: &[KeyHelp]) {
        let mut is_full = false;
        for part in help.split_inclusive(|(keys, _)| legend_sign(keys).is_some()) {
            let is_key = |(keys, _): &&KeyHelp| legend_sign(keys).is_none() && !is_full;
            let hints = part.iter().filter(is_key).map(|help| {
                let (key, words) = self.hint(help);
                (key, words, help_action(help.0))
            });
            let hints: Vec<_> = hints.collect();
            let widths = hints.iter().map(|(key, words, _)| key_width(key, words));
            let of_help = |(_, _, action): &(_, _, _)| *action == Some(Action::Help);
            let help_key = hints.iter().position(of_help);
            let fitting = self.fitting(&widths.collect::<Vec<_>>(), help_key);
            is_full |= fitting.len() < hints.len();
            for at in fitting {
                let (key, words, action) = &hints[at];
                self.key(key, words, action.map(ClickTarget::Action));
            }
            for (keys, words) in part {
                if let Some(sign) = legend_sign(keys) {
                    self.legend(sign, words.split(':').next().unwrap_or_default());
                }
            }
        }
    }

    /// Draws what a sign means, if there is room. It is no key, and does not look like one.
    pub(crate) fn legend(&mut self, sign: &str, words: &str) {
        let words = format!("{sign} = {words}  ");
        if words.width() <= usize::from(self.row.remaining()) {
            self.row.put(&words, self.theme.bar());
        }
    }

    /// Draws a key and what it does. Returns whether there is room for it.
    pub(crate) fn key(&mut self, key: &str, words: &str, target: Option<ClickTarget>) -> bool {
        let fits = key_width(key, words) <= usize::from(self.row.remaining());
        if fits {
            let (bar, words) = (self.theme.bar(), format!(" {words}"));
            let suggested = self.suggested.map(ClickTarget::Action);
            let styles = if target.is_some() && target == suggested {
                [self.suggested_style(); 2]
            } else {
                [self.theme.bar_emphasis(), bar]
            };
            for (piece, style) in [key, &words].into_iter().zip(styles) {
                match target {
                    Some(target) => self.row.put_target(piece, style, target),
                    None => self.row.put(piece, style),
                }
            }
            self.row.put("  ", bar);
        }
        fits
    }
}

/// The columns of a key with words for it and the blanks around them.
fn key_width(key: &str, words: &str) -> usize {
    key.width() + words.width() + 3
}
