//! The event loop: turns input and the results of tasks into messages to the state, and runs the
//! effects that the state returns.
//!
//! A frame is drawn only after a change: at most 60 times a second, or 4 ms after the last frame if
//! it answers a key.

mod effects;
mod notes;
mod presses;
mod waiting;

use std::{
    collections::VecDeque,
    io,
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

use crossterm::event::Event;
use futures_util::{FutureExt, Stream, StreamExt};
use ratatui::buffer::Buffer;
use tokio::sync::mpsc;

use crate::{
    dates::calendar::Clock,
    system::test_panic,
    viewer::{
        app::{settings::arguments::ViewerArguments, state::App, update::update},
        event_loop::presses::{Press, PressPlace, Presses},
        external::run_external::{self, CommandEnd},
        frame_schedule::FrameSchedule,
        model::{
            external_commands::ExternalCommand,
            source::{BlameSource, FileVersion},
            toggled_options::ToggledOptions,
        },
        protocol::{Effect, Gesture, Message, Mouse},
        tasks::{task::RequestId, task_set::TaskSet},
        terminal::{
            input::{Input, translate},
            reply_filter::{self, Filtered, Reply, ReplyFilter},
            screen::Screen,
        },
        theme::theme_set::ThemeSet,
        ui::{ages, click_targets::ClickTargets, draw, hyperlinks},
    },
};

/// Time without events after which the loop checks whether the terminal has gone away and whether
/// the file has changed.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// The longest time for which a frame waits for input to be handled first.
const MAX_INPUT_TIME: Duration = Duration::from_millis(50);

/// How a run of the loop ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExitReason {
    /// The user quit.
    Quit,
    /// A signal, by its number.
    Signal(i32),
    /// The caller runs this command in the terminal, then runs the loop again.
    External(ExternalCommand),
    /// Nothing could be blamed; the error message.
    Failed(String),
    /// No work is left until the next input.
    Idle,
}

/// When the loop returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// When the user quits.
    Quit,
    /// When no input is available, no request is open and no frame is due.
    Idle,
}

/// The event loop, with the state, the screen and the tasks.
#[derive(Debug)]
pub struct EventLoop<S> {
    app: App,
    /// All themes, and the current one.
    themes: ThemeSet,
    screen: S,
    tasks: TaskSet,
    messages: mpsc::Receiver<Message>,
    /// Messages caused by effects, to be handled after them.
    answers: VecDeque<Message>,
    /// Effects to run at the start.
    initial_effects: Vec<Effect>,
    frames: FrameSchedule,
    /// The places that can be clicked in the last frame.
    click_targets: ClickTargets,
    presses: Presses,
    /// When the last input was received.
    last_input_at: Instant,
    /// When the file was last checked for changes.
    last_check_at: Instant,
    /// The blame prefetched since the last input.
    prefetched: Option<(RequestId, (FileVersion, Arc<ToggledOptions>))>,
    /// The idle task works since the last input.
    idle_work: Option<RequestId>,
    /// The state wants [`Message::ContinueWork`].
    work_pending: bool,
    exit_reason: Option<ExitReason>,
    /// Recognizes replies of the terminal.
    reply_filter: ReplyFilter,
    /// The terminal supports the background query.
    can_query: bool,
    /// The process is being suspended: nothing is drawn until SIGCONT.
    suspended: bool,
    /// The configured browser command.
    browser: Vec<String>,
    /// Tells the time; without it, time stands still.
    clock: Option<Clock>,
}

impl<S: Screen> EventLoop<S> {
    /// Starts the threads; nothing is drawn yet.
    ///
    /// # Errors
    /// The screen has no size, or the system cannot create a thread.
    pub fn new(
        arguments: ViewerArguments,
        themes: ThemeSet,
        screen: S,
        source: Box<dyn BlameSource>,
    ) -> io::Result<Self> {
        let size = screen.size()?;
        let browser = arguments.config.browser.clone();
        let (tasks, messages) = TaskSet::spawn(source)?;
        let (mut app, initial_effects) = App::new(arguments, (size.width, size.height));
        app.theme = themes.name().to_owned();
        Ok(EventLoop {
            app,
            themes,
            screen,
            tasks,
            messages,
            answers: VecDeque::new(),
            initial_effects,
            frames: FrameSchedule::new(),
            click_targets: ClickTargets::default(),
            presses: Presses::default(),
            last_input_at: Instant::now(),
            last_check_at: Instant::now(),
            prefetched: None,
            idle_work: None,
            work_pending: false,
            exit_reason: None,
            reply_filter: ReplyFilter::new(reply_filter::quit_wait(is_set)),
            can_query: false,
            suspended: false,
            browser,
            clock: None,
        })
    }

    /// Filters the reply to the background query out of the input.
    /// The first frame waits briefly for it; a later reply changes the theme of the drawn screen.
    pub fn filter_reply(&mut self, asked: Instant) {
        self.reply_filter.expect(asked);
    }

    /// Allows the background query when a theme is chosen that depends on the background.
    pub fn allow_query(&mut self) {
        self.can_query = true;
    }

    /// Lets ages grow by a clock.
    pub fn follow(&mut self, clock: Clock) {
        self.clock = Some(clock);
    }

    /// Tells the state the time, if there is a clock.
    fn look_at_clock(&mut self) -> io::Result<()> {
        let now = self.clock.as_ref().map(Clock::renewed_now);
        now.map_or(Ok(()), |now| self.pass_time(now))
    }

    /// Tells the state the time, in seconds since the epoch. A frame is drawn only if an age on the
    /// screen looks different then.
    ///
    /// # Errors
    /// The terminal went away.
    pub fn pass_time(&mut self, now: i64) -> io::Result<()> {
        if now == self.app.now {
            return Ok(());
        }
        self.frames.dirty |= ages::change(&self.app, now);
        let effects = update(&mut self.app, Message::Now(now));
        self.run_effects(effects)
    }

    /// Shows a message in the status line.
    ///
    /// # Errors
    /// The terminal went away.
    pub fn show_message(&mut self, message: String) -> io::Result<()> {
        self.send(Message::ShowStatus(message))
    }

    /// Removes a pending reply to the background query from the input. Otherwise an external
    /// command or the shell would read it. Returns the number of a terminating signal received
    /// meanwhile.
    pub async fn await_reply(
        &mut self,
        input: &mut (impl Stream<Item = io::Result<Input>> + Unpin),
    ) -> Option<i32> {
        while let Some(until) = self.reply_filter.quit_deadline() {
            match tokio::time::timeout_at(until.into(), input.next()).await {
                Ok(Some(Ok(Input::Terminal(event)))) => {
                    self.reply_filter.filter(event, Instant::now());
                }
                Ok(Some(Ok(Input::Signal(number)))) => return Some(number),
                Ok(Some(Ok(Input::Suspend))) => {
                    self.suspend().ok();
                }
                Ok(Some(Ok(Input::Resumed))) => {
                    self.suspended = false;
                    self.screen.resume().ok();
                }
                Ok(Some(Err(_)) | None) | Err(_) => break,
            }
        }
        if self.reply_filter.quit_deadline().is_some() {
            notes::note_silence();
        }
        None
    }

    /// The state.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// The screen.
    pub fn screen(&self) -> &S {
        &self.screen
    }

    /// The screen.
    pub fn screen_mut(&mut self) -> &mut S {
        &mut self.screen
    }

    /// The number of frames drawn.
    pub fn frames(&self) -> u64 {
        self.frames.frames()
    }

    /// Runs until the user quits, or as `until` says.
    ///
    /// # Errors
    /// The terminal went away.
    pub async fn run(
        &mut self,
        input: &mut (impl Stream<Item = io::Result<Input>> + Unpin),
        until: Until,
    ) -> io::Result<ExitReason> {
        let initial_effects = std::mem::take(&mut self.initial_effects);
        self.look_at_clock()?;
        self.run_effects(initial_effects)?;
        loop {
            let due = self.frame_due(until);
            if due.is_some_and(|due| due <= Instant::now()) && self.screen.is_written() {
                self.handle_waiting_input(input, until)?;
                if self.exit_reason.is_none() && !self.suspended {
                    self.draw()?;
                }
            }
            if let Some(exit_reason) = self.exit_reason.take() {
                return Ok(exit_reason);
            }
            if until == Until::Idle {
                match input.next().now_or_never() {
                    Some(Some(event)) => {
                        self.handle_input(event?)?;
                        continue;
                    }
                    Some(None) | None if self.is_at_rest() => return Ok(ExitReason::Idle),
                    Some(None) | None => {}
                }
            }
            self.wait(input, due, until).await?;
        }
    }

    /// Handles the input that is there already, so that one frame answers all of it: keys may come
    /// faster than frames can be drawn. Of input without an end there is a frame every now and
    /// then.
    fn handle_waiting_input(
        &mut self,
        input: &mut (impl Stream<Item = io::Result<Input>> + Unpin),
        until: Until,
    ) -> io::Result<()> {
        let begun = Instant::now();
        while self.exit_reason.is_none()
            && (until == Until::Idle || begun.elapsed() < MAX_INPUT_TIME)
            && let Some(Some(event)) = input.next().now_or_never()
        {
            self.handle_input(event?)?;
        }
        Ok(())
    }

    /// Sends what comes every now and then. Draws a frame only if it changes the screen, which is
    /// rare.
    fn send_check(&mut self, message: Message) -> io::Result<()> {
        let shown = |app: &App| {
            (
                app.change_notice(),
                app.status.message.clone(),
                app.history.pending.is_some(),
            )
        };
        let (dirty, before) = (self.frames.dirty, shown(&self.app));
        self.send(message)?;
        if shown(&self.app) == before {
            self.frames.dirty = dirty;
        }
        Ok(())
    }

    /// Requests a check whether the file has changed.
    fn poll_file(&mut self) -> io::Result<()> {
        self.last_check_at = Instant::now();
        self.look_at_clock()?;
        self.send_check(Message::Poll)
    }

    fn handle_input(&mut self, input: Input) -> io::Result<()> {
        self.last_input_at = Instant::now();
        self.look_at_clock()?;
        if self.last_check_at.elapsed() >= POLL_INTERVAL
            || matches!(input, Input::Terminal(Event::FocusGained))
        {
            self.poll_file()?;
        }
        if let Some((id, _)) = self.prefetched.take() {
            self.tasks.blame.cancel(id);
        }
        self.interrupt_idle();
        match input {
            Input::Signal(number) => {
                self.exit_reason = Some(ExitReason::Signal(number));
                Ok(())
            }
            Input::Suspend => {
                self.suspend()?;
                self.run_effects(Vec::new())
            }
            Input::Resumed => {
                self.suspended = false;
                self.frames.dirty = true;
                self.screen.resume()
            }
            Input::Terminal(event) => match self.reply_filter.filter(event, Instant::now()) {
                Filtered::Events(events) => events
                    .into_iter()
                    .try_for_each(|event| self.handle_event(event)),
                Filtered::Reply(reply) => self.handle_reply(reply),
            },
        }
    }

    fn handle_reply(&mut self, reply: Reply) -> io::Result<()> {
        notes::note_reply(reply);
        let changed = match reply {
            Reply::Background(Some(background)) => {
                self.themes.set_background(background);
                self.themes.depends_on_background()
            }
            Reply::Colors(depth) => self.themes.raise_depth(depth),
            Reply::Background(None) | Reply::Other => false,
        };
        if changed {
            self.theme_changed();
        }
        self.run_effects(Vec::new())
    }

    fn handle_event(&mut self, event: Event) -> io::Result<()> {
        if matches!(event, Event::Resize(..)) {
            // Of a screen that got smaller and large again between two frames, cells may be lost.
            self.screen.redraw()?;
        }
        let message = translate(event);
        if let Some(message) = &message {
            notes::note_input(&self.app, message);
        }
        match message {
            Some(Message::Mouse(mouse)) if mouse.gesture == Gesture::Press => self.press(mouse),
            Some(message) => {
                // Wheel events arrive in bursts and are drawn at the normal interval.
                self.frames.key_pressed |= matches!(message, Message::Key(_));
                self.send(message)
            }
            None => Ok(()),
        }
    }

    fn press(&mut self, mouse: Mouse) -> io::Result<()> {
        let place = PressPlace {
            at: mouse.at,
            target: self.click_targets.at(mouse.at),
            page: self.app.pages.top_id(),
        };
        let press = self.presses.press(place, Instant::now());
        match place.target {
            _ if press == Press::Stray => return Ok(()),
            Some(target) => return self.send(Message::Click(target)),
            None => self.send(Message::Mouse(mouse))?,
        }
        if press == Press::Second {
            let gesture = Gesture::DoublePress;
            self.send(Message::Mouse(Mouse { gesture, ..mouse }))?;
        }
        Ok(())
    }

    fn send(&mut self, message: Message) -> io::Result<()> {
        self.frames.dirty = true;
        let effects = update(&mut self.app, message);
        self.run_effects(effects)
    }

    fn suspend(&mut self) -> io::Result<()> {
        self.frames.dirty = true;
        if self.screen.suspend()? {
            self.suspended = true;
            Ok(())
        } else {
            self.answer_status("cannot suspend: no job-control shell");
            Ok(())
        }
    }

    /// Queues a message for the status line.
    fn answer_status(&mut self, message: impl Into<String>) {
        self.answers.push_back(Message::ShowStatus(message.into()));
    }

    fn draw(&mut self) -> io::Result<()> {
        let size = self.screen.size()?;
        if (size.width, size.height) != self.app.size {
            self.send(Message::Resize(size.width, size.height))?;
        }
        test_panic::reached("main");
        let begun = Instant::now();
        let (app, theme) = (&self.app, &self.themes.current().theme);
        let targets = &mut self.click_targets;
        let has_hyperlinks = self.screen.has_hyperlinks();
        let mut paint = |buffer: &mut Buffer| {
            *targets = draw::draw(app, theme, buffer);
            if has_hyperlinks {
                hyperlinks::shown(app, targets)
            } else {
                Vec::new()
            }
        };
        self.screen
            .draw(size, draw::scrolling_rows(app), &mut paint)?;
        self.frames.record(begun);
        if self.frames.frames() == 1 {
            notes::note_first_frame(&self.app);
        }
        Ok(())
    }

    /// Runs an external command with the terminal handed over to it. Returns the number of a
    /// terminating signal received meanwhile.
    ///
    /// # Errors
    /// The terminal went away.
    pub fn run_external(&mut self, command: &ExternalCommand) -> io::Result<Option<i32>> {
        let mut ended = None;
        let mut over = None;
        self.screen
            .run_external(&mut || match run_external::run(command) {
                CommandEnd::Message(message) => {
                    over = Some(message);
                    ControlFlow::Continue(())
                }
                CommandEnd::Signal(number) => {
                    ended = Some(number);
                    ControlFlow::Break(())
                }
            })?;
        if let Some(message) = over {
            self.send(Message::ExternalCommandEnded(message))?;
        }
        Ok(ended)
    }

    /// Ends the tasks and restores the terminal. Returns whether all of their threads have ended.
    pub fn close(mut self) -> bool {
        // The terminal needs some time for it, in which the tasks end.
        self.screen.leave();
        // The program ends, and the system takes the memory of large views back sooner than they
        // could be dropped.
        std::mem::forget(self.app);
        let have_ended = self.tasks.end(self.messages);
        drop(self.screen);
        have_ended
    }
}

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}
