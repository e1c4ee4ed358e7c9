//! Brings keys, reports and the screen together.
//!
//! Everything that happens becomes a message to the state; what the state wants done is done here.
//! The screen is drawn only after something happened, and at most sixty times a second.

use std::{
    io,
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

use crossterm::event::Event;
use futures_util::{FutureExt, Stream, StreamExt};
use ratatui::buffer::Buffer;
use tokio::sync::mpsc;

use crate::viewer::{
    app::{opening::Opening, state::App, update::update},
    config::edit,
    model::{
        external_commands::ExternalCommand,
        source::{BlameSource, FileVersion},
        switches::Switches,
    },
    protocol::{Answer, Effect, Message},
    tasks::{
        blame::BlameRequest,
        convert::ConvertRequest,
        run_external::{self, CommandEnd},
        task::RequestId,
        task_set::TaskSet,
    },
    terminal::{
        background_query::{self, Filtered, ReplyFilter},
        input::{Input, translate},
        screen::Screen,
    },
    theme::{styles::Theme, theme_set::ThemeSet},
    ui::draw,
};

/// The shortest time between two frames.
const FRAME: Duration = Duration::from_nanos(1_000_000_000 / 60);

/// The shortest time from the beginning of a frame to one that answers a key: nobody is to wait for it
/// only because a frame was just drawn for something else.
const ANSWER: Duration = Duration::from_millis(4);

/// The shortest time from the end of a frame to one that answers a key. A slow terminal takes long to
/// show a frame; all that is pressed meanwhile is answered at once.
const PAUSE: Duration = Duration::from_millis(1);

/// How long the screen may stay empty while the first text is being read.
const BLANK: Duration = Duration::from_millis(50);

/// How long nothing must be done before the likely next step is looked at ahead.
const IDLE: Duration = Duration::from_millis(300);

/// How often it is looked whether there is a terminal still, and whether the file changed.
const ROUND: Duration = Duration::from_secs(2);

/// How a run of the loop ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The person left.
    Quit,
    /// A signal, by its number.
    Signal(i32),
    /// The terminal is to be handed over for this; then the loop is to be run again.
    External(ExternalCommand),
    /// There was nothing to show, and why.
    Failed(String),
    /// There is nothing more to do until somebody presses a key.
    Idle,
}

/// When the loop is to return by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// When the person leaves.
    Quit,
    /// When there is nothing more to do: input, background and screen are at rest.
    Idle,
}

/// The loop with all it holds together.
#[derive(Debug)]
pub struct EventLoop<S> {
    app: App,
    theme: Theme,
    screen: S,
    tasks: TaskSet,
    messages: mpsc::Receiver<Message>,
    /// The first effects are still to be performed.
    first: Vec<Effect>,
    begun: Instant,
    /// When the last frame was begun, and when the terminal had taken it.
    drawn: Option<(Instant, Instant)>,
    dirty: bool,
    /// When somebody did something last.
    touched: Instant,
    /// When it was asked last whether the file changed.
    looked: Instant,
    /// The blame that is or was prefetched since then.
    prefetched: Option<(RequestId, (FileVersion, Arc<Switches>))>,
    /// A key is to be answered by the next frame.
    asked: bool,
    /// The state asked for [`Message::Continue`].
    more: bool,
    ending: Option<Ending>,
    frames: u64,
    /// The terminal was asked what its background is.
    reply_filter: Option<ReplyFilter>,
    /// It can be asked.
    can_query: bool,
    /// The terminal was given back, until the process was stopped and continued.
    away: bool,
    /// The themes that there are.
    themes: Option<ThemeSet>,
    /// The program that shows pages, if one is configured.
    browser: Vec<String>,
}

impl<S: Screen> EventLoop<S> {
    /// Starts the threads; nothing is drawn yet.
    ///
    /// # Errors
    /// The screen has no size, or the system no threads.
    pub fn new(
        opening: Opening,
        theme: Theme,
        screen: S,
        source: Box<dyn BlameSource>,
    ) -> io::Result<Self> {
        let size = screen.size()?;
        let browser = opening.config.browser.clone();
        let (tasks, messages) = TaskSet::spawn(source)?;
        let (app, first) = App::new(opening, (size.width, size.height));
        Ok(EventLoop {
            app,
            theme,
            screen,
            tasks,
            messages,
            first,
            begun: Instant::now(),
            drawn: None,
            dirty: true,
            touched: Instant::now(),
            looked: Instant::now(),
            prefetched: None,
            asked: false,
            more: false,
            ending: None,
            frames: 0,
            reply_filter: None,
            can_query: false,
            away: false,
            themes: None,
            browser,
        })
    }

    /// Waits for the terminal's answer to what its background is.
    /// The first frame waits for a moment only; what comes later changes the theme on the screen.
    pub fn filter_reply(&mut self, asked: Instant) {
        self.reply_filter = Some(ReplyFilter::new(asked, background_query::quit_wait(is_set)));
    }

    /// Gives the themes to choose from. The terminal can be asked for its background should one be
    /// chosen that depends on it.
    pub fn set_themes(&mut self, themes: ThemeSet, can_query: bool) {
        self.themes = Some(themes);
        self.can_query = can_query;
    }

    /// Shows everything in what is worn now.
    fn apply_theme(&mut self) -> io::Result<()> {
        let Some(found) = self.themes.as_ref().map(ThemeSet::current) else {
            return Ok(());
        };
        self.theme = found.theme.clone();
        self.dirty = true;
        found
            .warning
            .clone()
            .map_or(Ok(()), |words| self.warn(words))
    }

    fn change_theme(&mut self, name: &str) -> io::Result<()> {
        let Some(themes) = &mut self.themes else {
            return Ok(());
        };
        if let Err(words) = themes.switch_to(name) {
            return self.tell(Message::Unfit(words));
        }
        if themes.depends_on_background() && self.can_query && self.reply_filter.is_none() {
            self.screen.query(background_query::QUERY)?;
            self.reply_filter = Some(ReplyFilter::new(
                Instant::now(),
                background_query::quit_wait(is_set),
            ));
        }
        self.apply_theme()
    }

    /// Shows words at the foot of the screen.
    ///
    /// # Errors
    /// The terminal went away.
    pub fn warn(&mut self, words: String) -> io::Result<()> {
        self.tell(Message::Trouble(words))
    }

    /// Takes an answer out of the input that is still on its way, so that nobody else reads it.
    pub async fn await_reply(
        &mut self,
        input: &mut (impl Stream<Item = io::Result<Input>> + Unpin),
    ) {
        let Some(reply_filter) = &mut self.reply_filter else {
            return;
        };
        while let Some(until) = reply_filter.quit_deadline() {
            match tokio::time::timeout_at(until.into(), input.next()).await {
                Ok(Some(Ok(Input::Terminal(event)))) => {
                    reply_filter.filter(event, Instant::now());
                }
                Ok(Some(Ok(_))) => {}
                Ok(Some(Err(_)) | None) | Err(_) => return,
            }
        }
    }

    /// The state.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// The screen.
    pub fn screen(&self) -> &S {
        &self.screen
    }

    /// The screen, to be changed from outside.
    pub fn screen_mut(&mut self) -> &mut S {
        &mut self.screen
    }

    /// How many frames were drawn.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Runs until the person leaves, or until everything is at rest.
    ///
    /// # Errors
    /// The terminal went away.
    pub async fn run(
        &mut self,
        input: &mut (impl Stream<Item = io::Result<Input>> + Unpin),
        until: Until,
    ) -> io::Result<Ending> {
        let first = std::mem::take(&mut self.first);
        self.perform(first)?;
        loop {
            let due = self.frame_due();
            if due.is_some_and(|due| due <= Instant::now()) {
                self.draw()?;
            }
            if let Some(ending) = self.ending.take() {
                return Ok(ending);
            }
            if until == Until::Idle {
                match input.next().now_or_never() {
                    Some(Some(event)) => {
                        self.take(event?)?;
                        continue;
                    }
                    Some(None) | None if self.is_at_rest() => return Ok(Ending::Idle),
                    Some(None) | None => {}
                }
            }
            self.wait(input, due, until).await?;
        }
    }

    fn is_at_rest(&self) -> bool {
        (!self.dirty || self.away) && !self.more && !self.app.is_busy()
    }

    /// When the next frame is to be drawn, if one is.
    fn frame_due(&self) -> Option<Instant> {
        if self.away {
            return None;
        }
        let empty = self.app.view().is_none();
        let reply_filter = self.reply_filter.as_ref();
        let answer = reply_filter.and_then(ReplyFilter::first_frame_deadline);
        let next = self.drawn.map(|(begun, ended)| match self.asked {
            true => (begun + ANSWER).max(ended + PAUSE),
            false => ended + FRAME,
        });
        frame_due(self.dirty, empty, answer, self.begun, next)
    }

    /// When and where there is something to look at ahead.
    fn next_step(&self, until: Until) -> Option<(Instant, (FileVersion, Arc<Switches>))> {
        if until == Until::Idle || !self.is_at_rest() {
            return None;
        }
        let step = self.app.likely_step()?;
        let known = self.prefetched.as_ref();
        let known = known.is_some_and(|(_, prefetched)| *prefetched == step);
        (!known).then(|| (self.touched + IDLE, step))
    }

    /// Waits for the next thing to happen, and takes it. Keys come first.
    async fn wait(
        &mut self,
        input: &mut (impl Stream<Item = io::Result<Input>> + Unpin),
        due: Option<Instant>,
        until: Until,
    ) -> io::Result<()> {
        let frame = async {
            match due {
                Some(due) => tokio::time::sleep_until(due.into()).await,
                None => std::future::pending().await,
            }
        };
        let step = self.next_step(until);
        let idle = async {
            match step {
                Some((due, step)) => {
                    tokio::time::sleep_until(due.into()).await;
                    step
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            event = input.next(), if until == Until::Quit => match event {
                Some(event) => self.take(event?)?,
                // Nobody can press a key any more.
                None => self.ending = Some(Ending::Quit),
            },
            () = frame => {}
            Some(message) = self.messages.recv() => match message {
                Message::Answer(Answer::Stamp(..)) => self.take_stamp(message)?,
                message => self.tell(message)?,
            },
            () = std::future::ready(()), if self.more => {
                self.more = false;
                self.tell(Message::Continue)?;
            }
            () = tokio::time::sleep(ROUND), if until == Until::Quit => {
                if !self.screen.is_connected() {
                    return Err(io::Error::other("the terminal is gone"));
                }
                self.look_around()?;
            }
            (version, switches) = idle => {
                let request = BlameRequest::Prefetch(version.clone(), switches.clone());
                let id = self.tasks.blame.start(request);
                self.prefetched = Some((id, (version, switches)));
            }
        }
        Ok(())
    }

    /// Takes a stamp. Usually nothing has changed, and then nothing is drawn.
    fn take_stamp(&mut self, message: Message) -> io::Result<()> {
        let shown = |app: &App| {
            (
                app.changed_words(),
                app.status.note.clone(),
                app.history.pending.is_some(),
            )
        };
        let (dirty, before) = (self.dirty, shown(&self.app));
        self.tell(message)?;
        if shown(&self.app) == before {
            self.dirty = dirty;
        }
        Ok(())
    }

    /// Looks whether what is on the screen changed.
    fn look_around(&mut self) -> io::Result<()> {
        self.looked = Instant::now();
        let effects = update(&mut self.app, Message::Look);
        self.perform(effects)
    }

    fn take(&mut self, input: Input) -> io::Result<()> {
        self.touched = Instant::now();
        if self.looked.elapsed() >= ROUND || matches!(input, Input::Terminal(Event::FocusGained)) {
            self.look_around()?;
        }
        if let Some((id, _)) = self.prefetched.take() {
            self.tasks.blame.cancel(id);
        }
        match input {
            Input::Signal(number) => {
                self.ending = Some(Ending::Signal(number));
                Ok(())
            }
            Input::Stop => self.suspend(),
            Input::Continue => {
                self.away = false;
                self.dirty = true;
                self.screen.resume()
            }
            Input::Terminal(event) => {
                let Some(reply_filter) = &mut self.reply_filter else {
                    return self.take_event(event);
                };
                match reply_filter.filter(event, Instant::now()) {
                    Filtered::Nothing => Ok(()),
                    Filtered::Events(events) => events
                        .into_iter()
                        .try_for_each(|event| self.take_event(event)),
                    Filtered::Answer(None) => Ok(()),
                    Filtered::Answer(Some(background)) => {
                        let Some(themes) = &mut self.themes else {
                            return Ok(());
                        };
                        themes.set_background(background);
                        match themes.depends_on_background() {
                            true => self.apply_theme(),
                            false => Ok(()),
                        }
                    }
                }
            }
        }
    }

    fn take_event(&mut self, event: Event) -> io::Result<()> {
        match translate(event) {
            Some(message) => {
                // What comes in floods, such as the wheel, has frames enough.
                self.asked |= matches!(message, Message::Key(_));
                self.tell(message)
            }
            None => Ok(()),
        }
    }

    fn tell(&mut self, message: Message) -> io::Result<()> {
        self.dirty = true;
        let effects = update(&mut self.app, message);
        self.perform(effects)
    }

    fn perform(&mut self, effects: Vec<Effect>) -> io::Result<()> {
        for effect in effects {
            match effect {
                Effect::Blame(job) => {
                    self.tasks.blame.start(BlameRequest::Blame(job));
                }
                Effect::CancelBlame => self.tasks.blame.cancel_all(),
                Effect::Compare(job) => {
                    self.tasks.diff.start(job);
                }
                Effect::Colour(jobs) => {
                    self.tasks.highlight.start(jobs);
                }
                Effect::Copy(text) => self.screen.copy(&text)?,
                Effect::Browse(page) => {
                    if let Err(words) = run_external::browse(&page, &self.browser) {
                        // The page can be opened elsewhere.
                        self.screen.copy(&page)?;
                        self.tell(Message::Trouble(format!("{words}; copied {page}")))?;
                    }
                }
                Effect::External(command) => self.ending = Some(Ending::External(command)),
                Effect::Ask(question) => {
                    self.tasks.metadata.start(question);
                }
                Effect::Save(save) => {
                    let words = run_external::save(&save);
                    self.tell(Message::Trouble(words))?;
                }
                Effect::Convert {
                    view,
                    encoding,
                    file,
                } => {
                    let request = ConvertRequest {
                        view,
                        encoding,
                        file,
                    };
                    self.tasks.convert.start(request);
                }
                Effect::Themes => {
                    let (names, current) = match &self.themes {
                        Some(themes) if self.theme.has_colours() => themes.names(),
                        _ => {
                            let words = "this terminal shows no colours".to_owned();
                            self.warn(words)?;
                            continue;
                        }
                    };
                    self.tell(Message::Themes { names, current })?;
                }
                Effect::Theme(name) => self.change_theme(&name)?,
                Effect::Keep { file, changes } => {
                    let result = edit::save(&file, &changes);
                    self.tell(Message::Kept(changes, result))?;
                }
                Effect::Continue => self.more = true,
                Effect::Redraw => self.screen.redraw()?,
                Effect::Suspend => self.suspend()?,
                Effect::Quit => {
                    let failed = self.app.failure.clone().map(Ending::Failed);
                    self.ending = Some(failed.unwrap_or(Ending::Quit));
                }
            }
        }
        Ok(())
    }

    fn suspend(&mut self) -> io::Result<()> {
        self.dirty = true;
        match self.screen.suspend()? {
            true => {
                self.away = true;
                Ok(())
            }
            false => self.warn("no shell is there to go on from".to_owned()),
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        let size = self.screen.size()?;
        if (size.width, size.height) != self.app.size {
            self.tell(Message::Resize(size.width, size.height))?;
        }
        let begun = Instant::now();
        let (app, theme) = (&self.app, &self.theme);
        let mut paint = |buffer: &mut Buffer| draw::draw(app, theme, buffer);
        self.screen
            .draw(size, draw::scrolling_rows(app), &mut paint)?;
        self.dirty = false;
        self.asked = false;
        self.drawn = Some((begun, Instant::now()));
        self.frames += 1;
        Ok(())
    }

    /// Does what the loop ended for, with the terminal handed over. A signal that asked to end
    /// meanwhile is returned, by its number.
    ///
    /// # Errors
    /// The terminal went away.
    pub fn run_external(&mut self, command: &ExternalCommand) -> io::Result<Option<i32>> {
        let mut ended = None;
        let mut over = None;
        self.screen
            .run_external(&mut || match run_external::run(command) {
                CommandEnd::Words(words) => {
                    over = Some(words);
                    ControlFlow::Continue(())
                }
                CommandEnd::Signal(number) => {
                    ended = Some(number);
                    ControlFlow::Break(())
                }
            })?;
        if let Some(words) = over {
            self.tell(Message::Returned(words))?;
        }
        Ok(ended)
    }

    /// What is to be printed at the end, line by line.
    pub fn printout(&self) -> Vec<String> {
        match self.app.display.print {
            true => draw::printout(&self.app, &self.theme),
            false => Vec::new(),
        }
    }

    /// Gives the screen back, then ends the threads.
    pub fn close(self) {
        drop(self.screen);
        self.tasks.join(self.messages);
    }
}

/// When the next frame is due; `next` says when another one may follow the last. Pure, so that it can be tested without a clock.
fn frame_due(
    dirty: bool,
    empty: bool,
    answer: Option<Instant>,
    begun: Instant,
    next: Option<Instant>,
) -> Option<Instant> {
    match next {
        _ if !dirty => None,
        Some(next) => Some(next),
        // A first frame without text would only flicker, unless reading takes long.
        None if empty => Some(begun + BLANK),
        None => Some(answer.unwrap_or(begun)),
    }
}

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_drawn_only_when_something_happened() {
        let begun = Instant::now();
        let later = begun + Duration::from_secs(1);
        assert_eq!(frame_due(false, false, None, begun, Some(later)), None);
        assert_eq!(
            frame_due(true, false, None, begun, Some(later)),
            Some(later)
        );
        assert_eq!(
            frame_due(true, true, None, begun, None),
            Some(begun + BLANK)
        );
        assert_eq!(frame_due(true, false, None, begun, None), Some(begun));
        // The terminal may still say what colours it has.
        assert_eq!(
            frame_due(true, false, Some(later), begun, None),
            Some(later)
        );
    }
}
