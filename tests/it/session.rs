//! The real program in a pseudo-terminal: what is typed into it, and its screen.

use std::{
    io::{Read, Write},
    num::NonZero,
    path::Path,
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

/// The longest wait for something to appear on the screen.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The program, and the screen of its terminal.
pub struct Session {
    pub master: Box<dyn MasterPty + Send>,
    pub keys: Box<dyn Write + Send>,
    pub child: Box<dyn Child + Send + Sync>,
    pub output: Receiver<Vec<u8>>,
    pub screen: vt100::Parser,
    /// Everything that was written.
    pub bytes: Vec<u8>,
}

impl Session {
    pub fn start(args: &[&str], size: (u16, u16)) -> Session {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_tblame"));
        command.args(args);
        Session::run(command, size)
    }

    pub fn run(command: CommandBuilder, size: (u16, u16)) -> Session {
        // Not the configuration of whoever runs the tests.
        Session::configured(command, size, Path::new("/dev/null/none"))
    }

    pub fn configured(
        mut command: CommandBuilder,
        (columns, rows): (u16, u16),
        config: &Path,
    ) -> Session {
        command.env("XDG_CONFIG_HOME", config);
        let size = PtySize {
            rows,
            cols: columns,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system()
            .openpty(size)
            .expect("a pseudo-terminal");
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        // Nothing can be kept there, which nobody is to notice.
        command.env("XDG_STATE_HOME", "/dev/null");
        for name in ["NO_COLOR", "COLORFGBG", "GIT_DIR", "GIT_WORK_TREE"] {
            command.env_remove(name);
        }
        let child = pair.slave.spawn_command(command).expect("the program");
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let keys = pair.master.take_writer().expect("a writer");
        let (sender, output) = mpsc::channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // The read fails when the program is gone.
            while let Ok(count) = reader.read(&mut buffer) {
                if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Session {
            master: pair.master,
            keys,
            child,
            output,
            screen: vt100::Parser::new(cells(rows), cells(columns), 0),
            bytes: Vec::new(),
        }
    }

    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("the terminal");
        self.keys.flush().expect("the terminal");
    }

    /// Waits until the screen shows what is wanted.
    pub fn wait(&mut self, what: &str, wanted: impl Fn(&vt100::Screen) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !wanted(self.screen.screen()) {
            let left = end.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => {
                    self.screen.process(&bytes);
                    self.bytes.extend(bytes);
                }
                Err(error) => {
                    let text = self.screen.screen().contents();
                    panic!("{what}: {error} while the screen shows\n{text}");
                }
            }
        }
    }

    pub fn wait_for(&mut self, text: &str) {
        self.wait(text, |screen| screen.contents().contains(text));
    }

    /// Waits until the program ends, and reads what it still writes.
    pub fn end(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("the program") {
                break status;
            }
            assert!(Instant::now() < end, "it goes on");
            if let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(5)) {
                self.screen.process(&bytes);
                self.bytes.extend(bytes);
            }
        };
        loop {
            match self.output.recv_timeout(Duration::from_millis(200)) {
                Ok(bytes) => {
                    self.screen.process(&bytes);
                    self.bytes.extend(bytes);
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return status,
            }
        }
    }

    pub fn assert_restored(&self) {
        let screen = self.screen.screen();
        assert!(!screen.alternate_screen(), "the other screen was left");
        assert!(!screen.hide_cursor(), "the cursor is shown");
        assert!(!screen.bracketed_paste(), "pasting is as it was");
    }

    pub fn signal(&self, name: &str) {
        let id = self.child.process_id().expect("it runs").to_string();
        let status = std::process::Command::new("kill")
            .args(["-s", name, &id])
            .status();
        assert!(status.expect("kill").success());
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.child.kill().ok();
    }
}

pub fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).expect("a terminal has cells")
}

pub fn find(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}
