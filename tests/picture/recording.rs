//! A scripted session as a recording: an asciicast, and an animated picture.

use std::{ffi::OsString, fmt::Write};

use super::{Colors, harness::session::Session, start, svg, wait_until_stable};

/// Seconds that the end is shown.
const END: f64 = 4.0;

/// What is done in the demonstration, as the tour has it: seconds to wait before each key or word that is typed.
const SCRIPT: &[(f64, &str)] = &[
    (3.0, "j"),
    (0.4, "j"),
    (0.4, "j"),
    (0.4, "j"),
    (0.4, "j"),
    (0.4, "j"),
    (3.0, "}"),
    (3.0, ","),
    (3.5, "<"),
    (2.5, ">"),
    (2.5, "\r"),
    (4.0, "\u{1b}"),
    (3.0, "i"),
    (3.5, "/"),
    (0.6, "A"),
    (0.2, "d"),
    (0.2, "a"),
    (0.6, "\r"),
    (3.0, "c"),
    (3.5, "?"),
    (3.5, "\u{1b}"),
];

/// What the program wrote, and when (in seconds from the start, as the script has it).
pub struct Recording {
    size: (u16, u16),
    events: Vec<(f64, String)>,
    /// The rows of each screen, as pictures.
    screens: Vec<(f64, Vec<String>)>,
    end: f64,
}

impl Recording {
    /// Records the demonstration.
    pub fn of_the_demonstration(size: (u16, u16)) -> Recording {
        let arguments = ["--demo", "--theme", "dark"].map(OsString::from);
        let mut session = start(&arguments, size, Colors::True);
        let mut recording = Recording {
            size,
            events: Vec::new(),
            screens: Vec::new(),
            end: END,
        };
        let mut written = session.output.len();
        recording.add(0.2, &session.output, &session);
        let mut now = 0.2;
        for (pause, keys) in SCRIPT {
            now += pause;
            session.press_each(keys);
            wait_until_stable(&mut session);
            recording.add(now, &session.output[written..], &session);
            written = session.output.len();
        }
        recording.end = now + END;
        recording
    }

    fn add(&mut self, time: f64, written: &[u8], session: &Session) {
        let text = String::from_utf8_lossy(written).into_owned();
        self.events.push((time, text));
        let rows = svg::rows(session.screen(), false);
        self.screens.push((time, rows));
    }

    /// The recording in asciicast's second version.
    pub fn cast(&self) -> String {
        let (columns, rows) = self.size;
        let mut cast = format!(
            "{{\"version\": 2, \"width\": {columns}, \"height\": {rows}, \
             \"title\": \"tblame --demo\", \"env\": {{\"TERM\": \"xterm-256color\"}}}}\n"
        );
        for (time, text) in &self.events {
            writeln!(cast, "[{time:.3}, \"o\", {}]", quoted(text)).expect("memory");
        }
        // So that a player shows the end before it begins again.
        writeln!(cast, "[{:.3}, \"o\", \"\"]", self.end).expect("memory");
        cast
    }

    /// The recording as a picture that moves. Each row of the screen changes by itself.
    pub fn picture(&self) -> String {
        let mut body = String::new();
        let count = self.screens.first().map_or(0, |(_, rows)| rows.len());
        for row in 0..count {
            let mut at = 0;
            while at < self.screens.len() {
                let shown = &self.screens[at].1[row];
                let same = self.screens[at..].iter();
                let next = at + same.take_while(|(_, rows)| rows[row] == *shown).count();
                let time = |at: usize| self.screens.get(at).map_or(self.end, |(time, _)| *time);
                let start = if at == 0 { 0.0 } else { time(at) };
                self.show(&mut body, shown, start, time(next));
                at = next;
            }
        }
        svg::page(self.size, false, &body)
    }

    /// Shows a part of the picture for some time.
    fn show(&self, body: &mut String, part: &str, start: f64, end: f64) {
        let (start, end) = (start / self.end, end / self.end);
        if part.is_empty() || start == 0.0 && end >= 1.0 {
            return body.push_str(part);
        }
        let (values, times) = match (start == 0.0, end >= 1.0) {
            (true, _) => ("visible;hidden", format!("0;{end:.5}")),
            (false, true) => ("hidden;visible", format!("0;{start:.5}")),
            (false, false) => ("hidden;visible;hidden", format!("0;{start:.5};{end:.5}")),
        };
        // What knows no movement shows the beginning.
        let now = if start == 0.0 { "visible" } else { "hidden" };
        writeln!(
            body,
            "<g visibility=\"{now}\"><animate attributeName=\"visibility\" calcMode=\"discrete\" values=\"{values}\" \
             keyTimes=\"{times}\" dur=\"{:.3}s\" repeatCount=\"indefinite\"/>\n{part}</g>",
            self.end
        )
        .expect("memory");
    }
}

/// A string as JSON has it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => write!(quoted, "\\u{:04x}", c as u32).expect("memory"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
