//! What each action does.

use crate::viewer::{
    app::{
        blame::marks::Naming,
        display::layout::Pane,
        state::{App, Prompt, PromptKind},
    },
    model::{color_mode::Colouring, keymap::Action},
    protocol::Effect,
};

impl App {
    pub(crate) fn perform(
        &mut self,
        action: Action,
        count: Option<u32>,
        effects: &mut Vec<Effect>,
    ) {
        self.note_action(action);
        self.learn(action);
        match action {
            Action::Tour => return self.next_step(),
            Action::EndTour => return self.tour = None,
            _ => {}
        }
        if self.help.is_none() && action == Action::NextReference {
            return self.pick_next(count.unwrap_or(1));
        }
        if self.help.is_none() && self.follow_picked(action, effects) {
            return;
        }
        if self.help.is_none()
            && self.change.is_some()
            && self.perform_change(action, count, effects)
        {
            return;
        }
        match action {
            Action::Change if self.help.is_none() => self.open_change(effects),
            Action::Quit if self.help.is_none() && self.pane != Pane::Focused => {
                effects.push(Effect::Quit);
            }
            Action::Suspend => effects.push(Effect::Suspend),
            Action::Redraw => effects.push(Effect::Redraw),
            Action::Help if self.help.is_none() => self.help = Some(0),
            Action::Quit | Action::Help | Action::Close | Action::Details | Action::Change => {
                self.close(action);
            }
            _ if self.help.is_some() => self.read_on(action, count.unwrap_or(1)),
            Action::ToggleDetails => {
                self.pane = match self.pane {
                    Pane::Hidden => Pane::Open(self.chosen_pane),
                    _ => Pane::Hidden,
                }
            }
            Action::GrowDetails => self.resize_pane(1),
            Action::ShrinkDetails => self.resize_pane(-1),
            Action::Colours => {
                self.colour_mode = match self.colour_mode {
                    Colouring::Shades => Colouring::Age,
                    Colouring::Age => Colouring::Author,
                    Colouring::Author => Colouring::Commit,
                    Colouring::Commit => Colouring::Shades,
                }
            }
            Action::Columns if self.change.is_none() => self.chooser = Some(0),
            Action::Theme => effects.push(Effect::Themes),
            Action::Dates => self.next_date(),
            Action::Copy | Action::CopyLink | Action::Browse | Action::Edit | Action::Run => {
                self.go_outside(action, effects)
            }
            Action::Print => {
                self.print = !self.print;
                self.say(match self.print {
                    true => "the lines on the screen are printed when you leave",
                    false => "nothing is printed when you leave",
                });
            }
            Action::Account => self.open_account(),
            Action::Reload => self.reload(effects),
            Action::Before => self.before(effects),
            Action::At => self.blame_at(effects),
            Action::Back => self.back(count.unwrap_or(1), effects),
            Action::Forward => self.forward(count.unwrap_or(1), effects),
            Action::Whitespace
            | Action::Moves
            | Action::Copies
            | Action::Ignore
            | Action::SaveIgnored
            | Action::IgnoreRevsFile => self.switch(action, effects),
            _ if self.pane == Pane::Focused => self.read_on(action, count.unwrap_or(1)),
            Action::Goto => self.ask(PromptKind::Goto),
            Action::Search => self.ask(PromptKind::Search),
            Action::NextMatch => self.repeat_search(true, count.unwrap_or(1)),
            Action::PreviousMatch => self.repeat_search(false, count.unwrap_or(1)),
            Action::Encoding => self.ask(PromptKind::Encoding),
            Action::Find => self.open_finder(effects),
            Action::Wrap => self.turn_wrap(),
            Action::Mark => self.name_mark(Naming::Set),
            Action::ToMark => self.name_mark(Naming::Go),
            _ => self.go(action, count),
        }
    }

    /// Closes what is open; `Tab` opens the commit's words when nothing is.
    fn close(&mut self, action: Action) {
        if self.help.is_some() {
            self.help = None;
        } else if self.pane == Pane::Focused {
            self.account = false;
            self.pane = Pane::Open(self.chosen_pane);
            self.pane_top = 0;
        } else if action == Action::Details {
            self.pane = Pane::Focused;
            self.pane_top = 0;
        } else if action == Action::Close {
            self.search = None;
            self.seek = None;
        }
    }

    pub(crate) fn ask(&mut self, kind: PromptKind) {
        self.prompt = Some(Prompt {
            kind,
            text: String::new(),
        });
    }

    fn resize_pane(&mut self, by: i16) {
        let now = self.layout().details.height;
        let rows = now.saturating_add_signed(by).max(1);
        self.chosen_pane = Some(rows);
        self.pane = Pane::Open(self.chosen_pane);
        // No more than there is room for, so that shrinking begins at what is seen.
        self.chosen_pane = Some(self.layout().details.height);
        self.pane = Pane::Open(self.chosen_pane);
    }
}
