//! The real program in a pseudo-terminal: what is typed into it, and its screen.

use std::{
    path::Path,
    sync::mpsc::RecvTimeoutError,
    time::{Duration, Instant},
};

use portable_pty::{CommandBuilder, ExitStatus, MasterPty};

use crate::pty::Pty;

/// The longest wait for something to appear on the screen.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The program in its terminal.
pub struct Session {
    pub pty: Pty,
    pub master: Box<dyn MasterPty + Send>,
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

    pub fn configured(mut command: CommandBuilder, size: (u16, u16), config: &Path) -> Session {
        command.env("XDG_CONFIG_HOME", config);
        // Nothing can be kept there, which nobody is to notice.
        command.env("XDG_STATE_HOME", "/dev/null");
        for name in ["NO_COLOR", "COLORFGBG", "GIT_DIR", "GIT_WORK_TREE"] {
            command.env_remove(name);
        }
        let (pty, master) = Pty::run(command, size);
        Session {
            pty,
            master,
            bytes: Vec::new(),
        }
    }

    pub fn press(&mut self, keys: &str) {
        self.pty.press(keys);
    }

    /// Waits until the screen shows what is wanted.
    pub fn wait(&mut self, what: &str, wanted: impl Fn(&vt100::Screen) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !wanted(self.pty.screen.screen()) {
            let left = end.saturating_duration_since(Instant::now());
            match self.pty.output.recv_timeout(left) {
                Ok((_, bytes)) => {
                    self.pty.screen.process(&bytes);
                    self.bytes.extend(bytes);
                }
                Err(error) => {
                    let text = self.pty.screen.screen().contents();
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
            if let Some(status) = self.pty.child.try_wait().expect("the program") {
                break status;
            }
            assert!(Instant::now() < end, "it goes on");
            if let Ok((_, bytes)) = self.pty.output.recv_timeout(Duration::from_millis(5)) {
                self.pty.screen.process(&bytes);
                self.bytes.extend(bytes);
            }
        };
        loop {
            match self.pty.output.recv_timeout(Duration::from_millis(200)) {
                Ok((_, bytes)) => {
                    self.pty.screen.process(&bytes);
                    self.bytes.extend(bytes);
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return status,
            }
        }
    }

    pub fn assert_restored(&self) {
        let screen = self.pty.screen.screen();
        assert!(!screen.alternate_screen(), "the other screen was left");
        assert!(!screen.hide_cursor(), "the cursor is shown");
        assert!(!screen.bracketed_paste(), "pasting is as it was");
    }

    pub fn signal(&self, name: &str) {
        let id = self.pty.child.process_id().expect("it runs").to_string();
        let status = std::process::Command::new("kill")
            .args(["-s", name, &id])
            .status();
        assert!(status.expect("kill").success());
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.pty.child.kill().ok();
    }
}

pub fn find(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}
