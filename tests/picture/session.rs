//! The real program in a pseudo-terminal.

use std::{
    ffi::OsString,
    io::{Read, Write},
    num::NonZero,
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    time::Duration,
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// When nothing was written for this long the screen is calm.
const CALM: Duration = Duration::from_millis(700);

/// A program that runs, and the screen of its terminal.
pub struct Session {
    pub screen: vt100::Parser,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
}

impl Session {
    /// Runs tblame as if nobody had used or configured it before.
    pub fn start(arguments: &[OsString], (columns, rows): (u16, u16)) -> Session {
        let size = PtySize {
            rows,
            cols: columns,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system()
            .openpty(size)
            .expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_tblame"));
        command.args(arguments);
        command.cwd(std::env::current_dir().expect("a current directory"));
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        command.env("XDG_STATE_HOME", "/dev/null");
        command.env("XDG_CONFIG_HOME", "/dev/null");
        for name in ["NO_COLOR", "COLORFGBG"] {
            command.env_remove(name);
        }
        let child = pair.slave.spawn_command(command).expect("the program");
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let keys = pair.master.take_writer().expect("a writer");
        let (sender, output) = mpsc::channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count) = reader.read(&mut buffer) {
                if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let cells = |count| NonZero::new(count).expect("a screen has a size");
        Session {
            screen: vt100::Parser::new(cells(rows), cells(columns), 0),
            keys,
            output,
            child,
            _master: pair.master,
        }
    }

    /// Waits until the screen is calm. What was written meanwhile is returned.
    pub fn settle(&mut self) -> Vec<u8> {
        let mut written = Vec::new();
        loop {
            match self.output.recv_timeout(CALM) {
                Ok(bytes) => {
                    self.screen.process(&bytes);
                    written.extend(bytes);
                }
                Err(RecvTimeoutError::Timeout)
                    if self.screen.screen().contents().trim().is_empty() => {}
                Err(_) => return written,
            }
        }
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &str) {
        for key in keys.chars() {
            self.keys
                .write_all(key.to_string().as_bytes())
                .expect("the terminal takes keys");
            self.keys.flush().expect("the terminal takes keys");
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The program may have ended by itself.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
