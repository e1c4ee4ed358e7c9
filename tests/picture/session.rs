//! The real program in a pseudo-terminal.

use std::{ffi::OsString, sync::mpsc::RecvTimeoutError, time::Duration};

use portable_pty::{CommandBuilder, MasterPty};

use super::pty::Pty;

/// When nothing was written for this long the screen is calm.
const CALM: Duration = Duration::from_millis(700);

/// The program in its terminal.
pub struct Session {
    pub pty: Pty,
    _master: Box<dyn MasterPty + Send>,
}

impl Session {
    /// Runs tblame as if nobody had used or configured it before.
    pub fn start(arguments: &[OsString], size: (u16, u16)) -> Session {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_tblame"));
        command.args(arguments);
        command.cwd(std::env::current_dir().expect("a current directory"));
        command.env("XDG_STATE_HOME", "/dev/null");
        command.env("XDG_CONFIG_HOME", "/dev/null");
        for name in ["NO_COLOR", "COLORFGBG"] {
            command.env_remove(name);
        }
        let (pty, _master) = Pty::run(command, size);
        Session { pty, _master }
    }

    /// Waits until the screen is calm. What was written meanwhile is returned.
    pub fn settle(&mut self) -> Vec<u8> {
        let mut written = Vec::new();
        loop {
            match self.pty.output.recv_timeout(CALM) {
                Ok((_, bytes)) => {
                    self.pty.screen.process(&bytes);
                    written.extend(bytes);
                }
                Err(RecvTimeoutError::Timeout)
                    if self.pty.screen.screen().contents().trim().is_empty() => {}
                Err(_) => return written,
            }
        }
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &str) {
        for key in keys.chars() {
            self.pty.press(key.encode_utf8(&mut [0; 4]));
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The program may have ended by itself.
        self.pty.child.kill().ok();
        self.pty.child.wait().ok();
    }
}
