//! The switches: actions that change how all is shown or blamed, with their states. Some have no key by
//! default, and are performed in the list of columns and switches only.

use crate::{
    sanitize,
    viewer::{
        app::state::App,
        model::{
            color_mode::ColorMode,
            keys::bindings::{Action, BINDINGS},
            relative_dates::DateFormat,
        },
        pages::{blame::BlamePage, offers::refusal, page::Page},
    },
};

/// A switch.
#[derive(Debug)]
pub(super) struct Switch {
    /// What its state is of.
    pub(super) name: &'static str,
    /// What turns it on, off, or to its next value.
    pub(super) action: Action,
    /// What turns it back to its previous value, and the count before it.
    back: (Action, u32),
}

const fn switch(name: &'static str, action: Action) -> Switch {
    Switch {
        name,
        action,
        back: (action, 1),
    }
}

/// A switch with so many values, through which its action goes in a circle.
const fn circle(name: &'static str, action: Action, values: u32) -> Switch {
    Switch {
        name,
        action,
        back: (action, values - 1),
    }
}

/// The switches, in the order of the list.
const SWITCHES: &[Switch] = &[
    circle(
        "format of dates",
        Action::Dates,
        DateFormat::ALL.len() as u32,
    ),
    circle("colors", Action::Colors, ColorMode::ALL.len() as u32),
    switch("wrap long lines", Action::Wrap),
    switch("ignore whitespace", Action::Whitespace),
    switch("moves within the file", Action::DetectMoves),
    circle("copies from other files", Action::DetectCopies, 4),
    switch(".git-blame-ignore-revs", Action::IgnoreRevsFile),
    switch("details pane", Action::ToggleDetails),
    Switch {
        name: "height of the details pane",
        action: Action::GrowDetails,
        back: (Action::ShrinkDetails, 1),
    },
    switch("encoding", Action::Encoding),
    switch("theme", Action::Theme),
];

/// Those that do something here.
pub(super) fn usable(app: &App) -> impl Iterator<Item = &'static Switch> {
    let has_file = app.environment.ignore_revs_file.is_some();
    let switches = SWITCHES.iter();
    switches.filter(move |switch| has_file || switch.action != Action::IgnoreRevsFile)
}

impl Switch {
    /// The words of the help.
    pub(super) fn words(&self, app: &App) -> String {
        let mut bindings = BINDINGS.iter();
        let binding = bindings.find(|binding| binding.action == self.action);
        app.keymap.fill(binding.map_or("", |binding| binding.help))
    }

    /// True if it has more values than on and off.
    pub(super) fn has_values(&self) -> bool {
        self.back != (self.action, 1)
    }

    /// Its main key; empty if it has none.
    pub(super) fn key(&self, app: &App) -> String {
        let mut keys = app.keymap.keys(self.action);
        keys.next().map_or_else(String::new, ToString::to_string)
    }

    /// Its state: on or off, or its value.
    pub(super) fn state(&self, app: &App) -> String {
        let on = |is_on: bool| if is_on { "on" } else { "off" }.to_owned();
        let display = &app.display;
        let options = app.view().map(|view| &*view.options);
        match self.action {
            Action::Dates => display.columns.date.name().to_owned(),
            Action::Colors => display.color_mode.name().to_owned(),
            Action::Wrap => on(display.wrap),
            Action::Whitespace => on(options.is_some_and(|it| it.whitespace)),
            Action::DetectMoves => on(options.is_some_and(|it| it.moves || it.copies > 0)),
            Action::DetectCopies => match options.map_or(0, |it| it.copies) {
                0 => on(false),
                copies => vec!["-C"; copies.into()].join(" "),
            },
            Action::IgnoreRevsFile => on(options.is_some_and(|it| it.ignore_revs_file)),
            Action::ToggleDetails if !app.details.visible => "hidden".to_owned(),
            Action::ToggleDetails => "shown".to_owned(),
            Action::GrowDetails => match app.layout().details.height {
                1 => "1 row".to_owned(),
                rows => format!("{rows} rows"),
            },
            Action::Encoding => app
                .view()
                .map_or_else(String::new, |view| view.encoding.name()),
            Action::Theme => sanitize::line(app.theme.as_bytes()),
            _ => String::new(),
        }
    }

    /// Performs its action as a key does in the blame.
    pub(super) fn turn(&self, is_forward: bool, app: &mut App) {
        let (action, count) = if is_forward {
            (self.action, 1)
        } else {
            self.back
        };
        match refusal(&BlamePage, action, app) {
            Some(words) => app.show_message(words),
            None => {
                let count = Some(count).filter(|count| *count > 1);
                BlamePage.action(action, count, app);
                app.note_hint_used(action);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::model::keys::bindings::Binding;

    /// What has no key by default is a switch, or a motion that the keys of other programs have.
    #[test]
    fn every_action_has_a_key_or_is_a_switch() {
        let motions = [
            Action::Stop,
            Action::ScreenTop,
            Action::ScreenMiddle,
            Action::ScreenBottom,
            Action::SearchBackward,
        ];
        let (with_keys, without): (Vec<&Binding>, Vec<&Binding>) = BINDINGS
            .iter()
            .partition(|binding| !binding.keys.is_empty());
        let mut missing: Vec<Action> = without.iter().map(|binding| binding.action).collect();
        missing.retain(|action| {
            let turns = |it: &Switch| it.action == *action || it.back.0 == *action;
            !SWITCHES.iter().any(turns) && !motions.contains(action)
        });
        assert_eq!(missing, []);
        // What is rare is here, so that the help of the blame stays short.
        assert_eq!((with_keys.len(), without.len()), (79, 10));
    }
}
