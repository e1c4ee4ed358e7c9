//! A program in a pseudo-terminal: typed input, its screen, and waiting for conditions.

use std::{
    io::{Read, Write},
    num::NonZero,
    path::Path,
    sync::mpsc::{self, Receiver, Sender},
    time::{Duration, Instant},
};

use portable_pty::{
    ChildKiller, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system,
};

use super::program::tblame_program;

/// The longest wait for a condition.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// How long output may still arrive after the program has ended, if another process keeps the
/// terminal open.
const TRAILING_OUTPUT: Duration = Duration::from_millis(200);

enum Event {
    /// Output of the program, and when it was read.
    Output(Instant, Vec<u8>),
    /// No process has the terminal open any longer.
    Closed,
    Exited(ExitStatus),
}

/// A program in a pseudo-terminal, killed when this is dropped.
pub struct Session {
    input: Box<dyn Write + Send>,
    master: Box<dyn MasterPty + Send>,
    killer: Box<dyn ChildKiller + Send + Sync>,
    process_id: Option<u32>,
    events: Receiver<Event>,
    parser: vt100::Parser,
    /// Everything that the program has written.
    pub output: Vec<u8>,
    /// The terminal says that lines are two columns wide.
    pub shows_lines_wide: bool,
    /// When it was started.
    pub started: Instant,
    last_output: Option<Instant>,
    status: Option<ExitStatus>,
    is_closed: bool,
}

/// A command that runs tblame.
pub fn tblame_command() -> CommandBuilder {
    CommandBuilder::new(tblame_program())
}

/// Keeps the user's configuration, state and repository away from a command.
fn isolate(command: &mut CommandBuilder, config: &Path) {
    command.env("XDG_CONFIG_HOME", config);
    // State cannot be saved there; the viewer ignores that.
    command.env("XDG_STATE_HOME", "/dev/null");
    command.env("TBLAME_CACHE", "off");
    for name in ["NO_COLOR", "COLORFGBG", "GIT_DIR", "GIT_WORK_TREE"] {
        command.env_remove(name);
    }
}

impl Session {
    /// Runs tblame with these arguments in a terminal of this many columns and rows.
    pub fn start(arguments: &[&str], size: (u16, u16)) -> Session {
        let mut command = tblame_command();
        command.args(arguments);
        Session::run(command, size)
    }

    /// Runs a command, isolated from the user's configuration.
    pub fn run(command: CommandBuilder, size: (u16, u16)) -> Session {
        Session::run_with_config(command, size, Path::new("/dev/null/none"))
    }

    /// Runs a command with the configuration in a directory.
    pub fn run_with_config(
        mut command: CommandBuilder,
        size: (u16, u16),
        config: &Path,
    ) -> Session {
        isolate(&mut command, config);
        Session::run_unisolated(command, size)
    }

    /// Runs a command in a terminal of the type `term`, without `COLORTERM`, as over ssh.
    pub fn run_in_type(mut command: CommandBuilder, size: (u16, u16), term: &str) -> Session {
        isolate(&mut command, Path::new("/dev/null/none"));
        for name in [
            "COLORTERM",
            "STY",
            "TMUX",
            "TERM_PROGRAM",
            "TERMINFO",
            "VTE_VERSION",
            "WT_SESSION",
        ] {
            command.env_remove(name);
        }
        command.env("TERM", term);
        Session::spawn(command, size)
    }

    /// Runs a command with the user's environment, in a terminal with true color.
    pub fn run_unisolated(mut command: CommandBuilder, size: (u16, u16)) -> Session {
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        Session::spawn(command, size)
    }

    fn spawn(mut command: CommandBuilder, (columns, rows): (u16, u16)) -> Session {
        if command.get_env("LC_ALL").is_none() {
            command.env("LC_ALL", "C.UTF-8");
        }
        let pair = native_pty_system()
            .openpty(pty_size(columns, rows))
            .expect("a pseudo-terminal can be opened");
        let started = Instant::now();
        let child = pair.slave.spawn_command(command);
        let mut child = child.expect("the program can be started");
        let (killer, process_id) = (child.clone_killer(), child.process_id());
        let (sender, events) = mpsc::channel();
        let reader = pair.master.try_clone_reader().expect("a reader");
        let output = sender.clone();
        std::thread::spawn(move || read(reader, &output));
        std::thread::spawn(move || {
            if let Ok(status) = child.wait() {
                sender.send(Event::Exited(status)).ok();
            }
        });
        Session {
            input: pair.master.take_writer().expect("a writer"),
            master: pair.master,
            killer,
            process_id,
            events,
            parser: vt100::Parser::new(nonzero(rows), nonzero(columns), 0),
            output: Vec::new(),
            shows_lines_wide: false,
            started,
            last_output: None,
            status: None,
            is_closed: false,
        }
    }

    /// The screen as a terminal shows it.
    pub fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    /// Types something at once.
    pub fn press(&mut self, keys: &str) {
        self.input.write_all(keys.as_bytes()).expect("the terminal");
        self.input.flush().expect("the terminal");
    }

    /// Types keys one by one.
    pub fn press_each(&mut self, keys: &str) {
        for key in keys.chars() {
            self.press(key.encode_utf8(&mut [0; 4]));
        }
    }

    /// Changes the size of the terminal. Later output is interpreted for the new size.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        let screen = self.parser.screen_mut();
        screen.set_size(nonzero(rows), nonzero(columns));
        let resized = self.master.resize(pty_size(columns, rows));
        resized.expect("a terminal can be resized");
    }

    /// The number of the program's process.
    pub fn process_id(&self) -> Option<u32> {
        self.process_id
    }

    /// Sends a signal, as `kill` names it.
    pub fn signal(&self, name: &str) {
        let id = self.process_id.expect("it runs").to_string();
        let mut kill = std::process::Command::new("kill");
        let status = kill.args(["-s", name, &id]).status();
        assert!(status.expect("kill").success());
    }

    /// Whether the program has ended, as far as events were read.
    pub fn has_exited(&self) -> bool {
        self.status.is_some()
    }

    /// Waits until the screen is as wanted; returns when it was written, or nothing after
    /// `timeout` or the end of the program.
    pub fn wait_until(
        &mut self,
        timeout: Duration,
        mut wanted: impl FnMut(&vt100::Screen) -> bool,
    ) -> Option<Instant> {
        let now = Instant::now();
        if wanted(self.screen()) {
            return Some(now);
        }
        let deadline = now + timeout;
        while !(self.is_closed && self.has_exited()) {
            let left = deadline.saturating_duration_since(Instant::now());
            let event = self.events.recv_timeout(left).ok()?;
            if let Some(at) = self.take(event)
                && wanted(self.screen())
            {
                return Some(at);
            }
        }
        None
    }

    /// Waits until the screen is as wanted, which `what` says in case of a failure.
    pub fn wait(&mut self, what: &str, wanted: impl FnMut(&vt100::Screen) -> bool) {
        if self.wait_until(TIMEOUT, wanted).is_none() {
            let text = self.screen().contents();
            let state = match &self.status {
                Some(status) => format!("the program ended ({status})"),
                None => "timeout".to_owned(),
            };
            panic!("{what}: {state} while the screen shows\n{text}");
        }
    }

    /// Waits until a text is on the screen.
    pub fn wait_for(&mut self, text: &str) {
        self.wait(text, |screen| screen.contents().contains(text));
    }

    /// Waits until something is on the screen and nothing was written for `quiet`; returns when
    /// output was written last.
    pub fn wait_until_stable(&mut self, quiet: Duration, timeout: Duration) -> Option<Instant> {
        let deadline = Instant::now() + timeout;
        while Instant::now() < deadline && !(self.is_closed && self.has_exited()) {
            match self.events.recv_timeout(quiet) {
                Ok(event) => drop(self.take(event)),
                Err(_) if self.screen().contents().trim().is_empty() => {}
                Err(_) => break,
            }
        }
        self.last_output
    }

    /// Waits until the program ends, and reads the rest of its output.
    pub fn end(&mut self) -> ExitStatus {
        let deadline = Instant::now() + TIMEOUT;
        while !self.is_closed || self.status.is_none() {
            let left = deadline.saturating_duration_since(Instant::now());
            let timeout = if self.has_exited() {
                TRAILING_OUTPUT
            } else {
                left
            };
            match self.events.recv_timeout(timeout) {
                Ok(event) => drop(self.take(event)),
                Err(_) => break,
            }
        }
        self.status.clone().expect("the program ends in time")
    }

    /// The terminal is as it was before the program started.
    pub fn assert_restored(&self) {
        let screen = self.screen();
        assert!(!screen.alternate_screen(), "the alternate screen was left");
        assert!(!screen.hide_cursor(), "the cursor is shown");
        assert!(!screen.bracketed_paste(), "bracketed paste is off");
    }

    /// Presses Escape and `q` in turn, every so often, until the program has ended. Not `^C`: while the viewer does not have the
    /// terminal, the kernel would discard what the terminal has not read yet.
    pub fn press_until_exit(&mut self, every: Duration, timeout: Duration) {
        let deadline = Instant::now() + timeout;
        for key in ["\x1b", "q"].into_iter().cycle() {
            if self.has_exited() {
                return;
            }
            assert!(Instant::now() < deadline, "{}", self.screen().contents());
            self.press(key);
            self.wait_until(every, |_| false);
        }
    }

    /// The modes of the terminal that concern lines and signals, as bits.
    #[cfg(unix)]
    pub fn local_modes(&self) -> u64 {
        let modes = self.master.get_termios().expect("it is a terminal");
        u64::from(modes.local_flags.bits())
    }

    /// Applies an event; returns the time of one that changed the screen.
    fn take(&mut self, event: Event) -> Option<Instant> {
        match event {
            Event::Output(at, bytes) => {
                self.parser.process(&bytes);
                if contains(&bytes, b"\x1b[6n") {
                    let (row, column) = self.screen().cursor_position();
                    let column = column + 1 + u16::from(self.shows_lines_wide);
                    self.press(&format!("\x1b[{};{column}R", row + 1));
                }
                self.output.extend(bytes);
                self.last_output = Some(at);
                return Some(at);
            }
            Event::Closed => self.is_closed = true,
            Event::Exited(status) => self.status = Some(status),
        }
        None
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It may have ended already.
        self.killer.kill().ok();
    }
}

fn read(mut reader: Box<dyn Read + Send>, events: &Sender<Event>) {
    let mut buffer = [0; 1 << 16];
    // The read fails once no process has the terminal open.
    while let Ok(count @ 1..) = reader.read(&mut buffer) {
        let event = Event::Output(Instant::now(), buffer[..count].to_vec());
        if events.send(event).is_err() {
            return;
        }
    }
    events.send(Event::Closed).ok();
}

/// The size of a terminal, without its size in pixels.
pub fn pty_size(columns: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    }
}

fn nonzero(count: u16) -> NonZero<u16> {
    NonZero::new(count).expect("a terminal has cells")
}

/// Whether `wanted` occurs in `bytes`.
pub fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}
