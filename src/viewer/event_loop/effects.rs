//! Performing the effects that the state returns.

use std::{io, time::Instant};

use crate::viewer::{
    app::update::update,
    config::edit,
    event_loop::{EventLoop, ExitReason},
    external::run_external,
    protocol::{Effect, Message},
    tasks::{blame::BlameRequest, highlight},
    terminal::{screen::Screen, terminal_queries},
};

impl<S: Screen> EventLoop<S> {
    /// Runs effects in order. Messages that they cause are handled after the last one.
    pub(super) fn run_effects(&mut self, mut effects: Vec<Effect>) -> io::Result<()> {
        loop {
            for effect in effects {
                self.run_effect(effect)?;
            }
            let Some(message) = self.answers.pop_front() else {
                return Ok(());
            };
            self.frames.dirty = true;
            effects = update(&mut self.app, message);
        }
    }

    fn run_effect(&mut self, effect: Effect) -> io::Result<()> {
        match effect {
            Effect::Blame(job) => {
                self.tasks.blame.start(BlameRequest::Blame(job));
            }
            Effect::CancelBlame => self.tasks.blame.cancel_kind(BlameRequest::WHOLE),
            Effect::Peel(job) => {
                // The user waits for it, but not for what is computed ahead.
                if let Some((prefetched, _)) = self.prefetched.take() {
                    self.tasks.blame.cancel(prefetched);
                }
                self.tasks.blame.start(BlameRequest::Peel(job));
            }
            Effect::Diff(job) => {
                self.tasks.diff.start(job);
            }
            Effect::Query(id, request) => self.tasks.queries.start(id, request),
            Effect::Cancel(kind) => self.tasks.queries.cancel(kind),
            Effect::Highlight(jobs) => {
                // Without colors, code looks the same with and without its syntax.
                if self.themes.current().theme.has_colors() {
                    self.tasks.highlight.start(jobs);
                } else {
                    let plain = jobs.iter().map(highlight::plain_report);
                    self.answers.extend(plain.map(Message::Highlight));
                }
            }
            Effect::Copy(text) => self.screen.copy(&text)?,
            Effect::Browse(page) => {
                if let Err(message) = run_external::browse(&page, &self.browser) {
                    // The user can paste the URL into a browser on another machine.
                    self.screen.copy(&page)?;
                    self.answers
                        .push_back(Message::ShowStatus(format!("{message}; copied {page}")));
                }
            }
            Effect::External(command) => self.exit_reason = Some(ExitReason::External(command)),
            Effect::AppendIgnoredRevision(save) => {
                let result = run_external::save(&save);
                self.answers
                    .push_back(Message::IgnoredRevisionSaved(save, result));
            }
            Effect::RemoveIgnoredRevision(entry) => {
                let message = run_external::remove_saved(&entry);
                self.answers.push_back(Message::ShowStatus(message));
            }
            Effect::Themes => {
                if self.themes.current().theme.has_colors() {
                    let (names, current) = self.themes.names();
                    self.answers.push_back(Message::Themes { names, current });
                } else {
                    self.answer_status("this terminal shows no colors");
                }
            }
            Effect::Theme(name) => self.change_theme(&name)?,
            Effect::SaveSettings { file, changes } => {
                let result = edit::save(&file, &changes);
                self.answers
                    .push_back(Message::SettingsSaved(changes, result));
            }
            Effect::ContinueWork => self.work_pending = true,
            Effect::Redraw => self.screen.redraw()?,
            Effect::Suspend => self.suspend()?,
            Effect::Quit => {
                let failed = self.app.failure.clone().map(ExitReason::Failed);
                self.exit_reason = Some(failed.unwrap_or(ExitReason::Quit));
            }
        }
        Ok(())
    }

    /// Redraws with the current theme and shows its warning, if it has one.
    pub(super) fn theme_changed(&mut self) {
        self.frames.dirty = true;
        if let Some(warning) = self.themes.current().warning.clone() {
            self.answer_status(warning);
        }
    }

    fn change_theme(&mut self, name: &str) -> io::Result<()> {
        let themes = &mut self.themes;
        if let Err(message) = themes.switch_to(name) {
            self.answers.push_back(Message::ThemeFailed(message));
            return Ok(());
        }
        self.app.theme = themes.name().to_owned();
        if themes.depends_on_background() && self.can_query && !self.reply_filter.has_queried() {
            self.screen.query(terminal_queries::BACKGROUND_QUERY)?;
            self.reply_filter.expect(Instant::now());
        }
        self.theme_changed();
        Ok(())
    }
}
