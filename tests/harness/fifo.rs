//! Named pipes: waiting for another process without polling a file.

use std::{path::Path, process::Command, sync::mpsc};

use super::session::TIMEOUT;

/// Creates a named pipe.
pub fn make_fifo(path: &Path) {
    let status = Command::new("mkfifo").arg(path).status();
    assert!(status.expect("mkfifo runs").success());
}

/// Waits until another process opens the pipe, and reads what it writes.
pub fn read_fifo(path: &Path) -> String {
    let (sender, text) = mpsc::channel();
    let path = path.to_owned();
    std::thread::spawn(move || sender.send(std::fs::read_to_string(path)));
    let text = text.recv_timeout(TIMEOUT).expect("it is written in time");
    text.expect("the pipe can be read")
}
