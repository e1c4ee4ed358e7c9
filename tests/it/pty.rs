//! A program in a pseudo-terminal.

use std::{
    io::{Read, Write},
    num::NonZero,
    sync::mpsc::{self, Receiver},
    time::Instant,
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// A program that runs, and what leads to it and from it.
pub struct Pty {
    keys: Box<dyn Write + Send>,
    pub child: Box<dyn Child + Send + Sync>,
    /// What the program writes, and when that was read.
    pub output: Receiver<(Instant, Vec<u8>)>,
    /// To be given what the program writes; of the terminal's size.
    pub screen: vt100::Parser,
}

impl Pty {
    /// Runs `command` in a terminal of so many columns and rows that knows all colours. It hangs up when
    /// its other end is dropped, which is returned too.
    pub fn run(
        mut command: CommandBuilder,
        (columns, rows): (u16, u16),
    ) -> (Pty, Box<dyn MasterPty + Send>) {
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
        let child = pair.slave.spawn_command(command).expect("the program");
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let keys = pair.master.take_writer().expect("a writer");
        let (sender, output) = mpsc::channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 1 << 16];
            // The read fails when the program is gone.
            while let Ok(count) = reader.read(&mut buffer) {
                let bytes = buffer[..count].to_vec();
                if count == 0 || sender.send((Instant::now(), bytes)).is_err() {
                    break;
                }
            }
        });
        let pty = Pty {
            keys,
            child,
            output,
            screen: vt100::Parser::new(cells(rows), cells(columns), 0),
        };
        (pty, pair.master)
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("the terminal");
        self.keys.flush().expect("the terminal");
    }
}

/// A number of rows or columns.
pub fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).expect("a terminal has cells")
}
