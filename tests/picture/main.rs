//! Takes pictures of the program: runs it in a pseudo-terminal, types keys, waits until the screen
//! no longer changes, and writes it as an SVG file.
//!
//! `cargo bench --bench picture -- OUT.svg [--size 100x30] [--keys KEYS] [--colors 256|16] -- ARGUMENTS OF TBLAME`
//!
//! The pictures in `assets` are made by `cargo bench --bench picture` without arguments, and so is
//! the recording of a session with the demonstration: as an asciicast and as a picture that moves.

#[path = "../harness/mod.rs"]
mod harness;
mod long_history;
mod project;
mod recording;
mod svg;

use std::{ffi::OsString, fs, time::Duration};

use harness::program::tblame_program;
use harness::session::{Session, TIMEOUT, tblame_command};
use portable_pty::CommandBuilder;
use recording::Recording;

#[derive(Clone)]
struct Picture {
    file: String,
    columns: u16,
    rows: u16,
    keys: String,
    colors: Colors,
    arguments: Vec<OsString>,
}

/// The colors of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Colors {
    True,
    Indexed,
    Sixteen,
}

fn main() {
    // Cargo adds this one itself.
    let arguments: Vec<OsString> = std::env::args_os()
        .skip(1)
        .filter(|it| it != "--bench")
        .collect();
    let pictures = if arguments.is_empty() {
        let recording = Recording::of_the_demonstration((100, 28));
        write(
            concat!(env!("CARGO_MANIFEST_DIR"), "/assets/demo.cast"),
            &recording.cast(),
        );
        write(
            concat!(env!("CARGO_MANIFEST_DIR"), "/assets/demo.svg"),
            &recording.picture(),
        );
        of_a_long_history();
        of_a_directory();
        [of_the_readme(), of_the_histories()].concat()
    } else {
        vec![asked_for(arguments)]
    };
    for picture in pictures {
        let session = take(&picture);
        let drawn = svg::draw(session.screen(), is_light(&picture));
        write(&picture.file, &drawn);
    }
}

fn write(file: &str, text: &str) {
    fs::write(file, text).expect("the file can be written");
    println!("{file}");
}

fn of_the_readme() -> Vec<Picture> {
    let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");
    let of_theme = |theme: &str| Picture {
        file: format!("{assets}/demo-{theme}.svg"),
        columns: 104,
        rows: 32,
        // Without the tour.
        keys: "\u{14}12j".into(),
        colors: Colors::True,
        arguments: ["--demo", "--theme", theme].map(OsString::from).to_vec(),
    };
    ["dark", "light"].map(of_theme).into()
}

/// Views of the demonstration's history, for the README and the pages about them.
fn of_the_histories() -> Vec<Picture> {
    let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");
    let mut pictures = Vec::new();
    for (name, keys) in [
        ("line-history", "12jL"),
        ("file-history", "F"),
        ("deletions", "D"),
        ("origins", "13jO"),
        ("people", "A"),
    ] {
        for theme in ["dark", "light"] {
            pictures.push(Picture {
                file: format!("{assets}/{name}-{theme}.svg"),
                columns: 104,
                rows: 28,
                keys: format!("\u{14}{keys}"),
                colors: Colors::True,
                arguments: ["--demo", "--theme", theme].map(OsString::from).to_vec(),
            });
        }
    }
    pictures
}

/// The viewer while it waits for half of a blame.
fn of_a_long_history() {
    let repository = long_history::repository();
    for theme in ["dark", "light"] {
        let session = long_history::half_blamed(&repository, theme, (104, 28));
        let drawn = svg::draw(session.screen(), theme == "light");
        let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");
        write(&format!("{assets}/streaming-{theme}.svg"), &drawn);
    }
}

/// The directory of a project.
fn of_a_directory() {
    let repository = project::repository();
    for theme in ["dark", "light"] {
        let session = project::opened(&repository, theme, (120, 16));
        let drawn = svg::draw(session.screen(), theme == "light");
        let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");
        write(&format!("{assets}/directory-{theme}.svg"), &drawn);
    }
}

fn asked_for(arguments: Vec<OsString>) -> Picture {
    let mut picture = Picture {
        file: String::new(),
        columns: 100,
        rows: 30,
        keys: String::new(),
        colors: Colors::True,
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
            Some("--colors") => {
                let colors = text(words.next());
                picture.colors = match colors.as_str() {
                    "256" => Colors::Indexed,
                    "16" => Colors::Sixteen,
                    _ => panic!("--colors 256 or --colors 16"),
                };
            }
            Some("--") => picture.arguments.extend(words.by_ref()),
            _ => picture.file = text(Some(word)),
        }
    }
    picture
}

/// The theme asked for stands for the terminal's own colors.
fn is_light(picture: &Picture) -> bool {
    picture.arguments.iter().any(|argument| argument == "light")
}

fn take(picture: &Picture) -> Session {
    let size = (picture.columns, picture.rows);
    let mut session = start(&picture.arguments, size, picture.colors);
    if !picture.keys.is_empty() {
        session.press_each(&picture.keys);
        wait_until_stable(&mut session);
    }
    session
}

/// Runs tblame in the current directory, and waits until its screen is complete.
fn start(arguments: &[OsString], size: (u16, u16), colors: Colors) -> Session {
    let mut command = match colors {
        Colors::True => tblame_command(),
        // A session says that its terminal has true color.
        Colors::Indexed | Colors::Sixteen => {
            let mut command = CommandBuilder::new("env");
            command.args(["-u", "COLORTERM", "-u", "TMUX"]);
            if colors == Colors::Sixteen {
                command.arg("TERM=xterm");
            }
            command.arg(tblame_program());
            command
        }
    };
    command.args(arguments);
    command.cwd(std::env::current_dir().expect("a current directory"));
    let mut session = Session::run(command, size);
    wait_until_stable(&mut session);
    session
}

/// Waits until nothing is written any longer.
fn wait_until_stable(session: &mut Session) {
    session.wait_until_stable(Duration::from_millis(700), TIMEOUT);
}
