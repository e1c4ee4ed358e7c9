//! Takes pictures of the real program: runs it in a pseudo-terminal, presses keys, waits until the
//! screen is calm, and writes the screen as an SVG file.
//!
//! `cargo bench --bench picture -- OUT.svg [--size 100x30] [--keys KEYS] -- ARGUMENTS OF TBLAME`
//!
//! The pictures in `assets` are made by `cargo bench --bench picture` without arguments.

mod svg;

use std::{
    ffi::OsString,
    fs,
    io::{Read, Write},
    num::NonZero,
    sync::mpsc::{self, RecvTimeoutError},
    time::Duration,
};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

/// When nothing was written for this long the screen is calm.
const CALM: Duration = Duration::from_millis(700);

struct Picture {
    file: String,
    columns: u16,
    rows: u16,
    keys: String,
    arguments: Vec<OsString>,
}

fn main() {
    // Cargo adds this one itself.
    let arguments: Vec<OsString> = std::env::args_os()
        .skip(1)
        .filter(|it| it != "--bench")
        .collect();
    let pictures = if arguments.is_empty() {
        of_the_readme()
    } else {
        vec![asked_for(arguments)]
    };
    for picture in pictures {
        let screen = take(&picture);
        fs::write(
            &picture.file,
            svg::draw(screen.screen(), is_light(&picture)),
        )
        .expect("the file can be written");
        println!("{}", picture.file);
    }
}

fn of_the_readme() -> Vec<Picture> {
    let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");
    ["dark", "light"]
        .map(|theme| Picture {
            file: format!("{assets}/demo-{theme}.svg"),
            columns: 104,
            rows: 32,
            keys: "12j".into(),
            arguments: ["--demo", "--theme", theme].map(OsString::from).to_vec(),
        })
        .into()
}

fn asked_for(arguments: Vec<OsString>) -> Picture {
    let mut picture = Picture {
        file: String::new(),
        columns: 100,
        rows: 30,
        keys: String::new(),
        arguments: vec![],
    };
    let mut words = arguments.into_iter();
    let text = |word: Option<OsString>| {
        word.and_then(|word| word.into_string().ok())
            .expect("an option's value")
    };
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--size") => {
                let size = text(words.next());
                let (columns, rows) = size.split_once('x').expect("--size COLUMNSxROWS");
                picture.columns = columns.parse().expect("a number of columns");
                picture.rows = rows.parse().expect("a number of rows");
            }
            Some("--keys") => picture.keys = text(words.next()),
            Some("--") => picture.arguments.extend(words.by_ref()),
            _ => picture.file = text(Some(word)),
        }
    }
    picture
}

/// The theme asked for stands for the terminal's own colours.
fn is_light(picture: &Picture) -> bool {
    picture.arguments.iter().any(|argument| argument == "light")
}

fn take(picture: &Picture) -> vt100::Parser {
    let size = PtySize {
        rows: picture.rows,
        cols: picture.columns,
        pixel_width: 0,
        pixel_height: 0,
    };
    let pair = native_pty_system()
        .openpty(size)
        .expect("a pseudo-terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_tblame"));
    command.args(&picture.arguments);
    command.cwd(std::env::current_dir().expect("a current directory"));
    command.env("TERM", "xterm-256color");
    command.env("COLORTERM", "truecolor");
    command.env("XDG_CONFIG_HOME", "/dev/null/none");
    for name in ["NO_COLOR", "COLORFGBG"] {
        command.env_remove(name);
    }
    let mut child = pair.slave.spawn_command(command).expect("the program");
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    let mut keys = pair.master.take_writer().expect("a writer");
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
    let mut screen = vt100::Parser::new(cells(picture.rows), cells(picture.columns), 0);
    let settle = |screen: &mut vt100::Parser| {
        loop {
            match output.recv_timeout(CALM) {
                Ok(bytes) => screen.process(&bytes),
                Err(RecvTimeoutError::Timeout) if screen.screen().contents().trim().is_empty() => {}
                Err(_) => break,
            }
        }
    };
    settle(&mut screen);
    for key in picture.keys.chars() {
        keys.write_all(key.to_string().as_bytes())
            .expect("the terminal takes keys");
        keys.flush().expect("the terminal takes keys");
    }
    if !picture.keys.is_empty() {
        settle(&mut screen);
    }
    // The program may have ended by itself.
    child.kill().ok();
    child.wait().ok();
    screen
}
