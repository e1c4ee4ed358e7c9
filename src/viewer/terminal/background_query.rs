//! Detecting the terminal's background with an OSC 11 query.
//!
//! The query is written before the first frame. crossterm delivers the reply as key events, which
//! are filtered out of the input so that they do not trigger actions.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyModifiers};

use crate::viewer::theme::terminal_colors::Background;

/// The query. Terminals end the reply as the query ended: BEL cannot be mistaken for Escape, as ST
/// could.
pub const QUERY: &str = "\x1b]11;?\x07";

/// How long the first frame waits for the reply. A local terminal replies sooner, and reading the
/// file takes about as long.
pub const FIRST_FRAME_REPLY_WAIT: Duration = Duration::from_millis(5);

/// How long after the query quitting waits for the reply, which the shell would otherwise read as
/// input. Short, because only keys typed before the first frame can arrive before the reply.
const QUIT_WAIT: Duration = Duration::from_millis(100);

/// [`QUIT_WAIT`] for a terminal across a network.
const REMOTE_QUIT_WAIT: Duration = Duration::from_millis(500);

/// How long quitting waits for the reply; `is_set` tells whether an environment variable is set.
pub fn quit_wait(is_set: impl Fn(&str) -> bool) -> Duration {
    match is_set("SSH_CONNECTION") || is_set("SSH_TTY") {
        true => REMOTE_QUIT_WAIT,
        false => QUIT_WAIT,
    }
}

/// A reply is recognized up to this long after the query.
const MAX_DELAY: Duration = Duration::from_secs(10);

/// Start of every reply, after the introducer `ESC ]`.
const REPLY_START: &str = "11;rgb";

/// Longest reply, in characters.
const MAX_REPLY_LEN: usize = 40;

/// Whether terminals with this `TERM` are known not to support the query.
pub fn lacks_query(term: &str) -> bool {
    term.is_empty() || term == "dumb" || term == "linux" || term.starts_with("vt")
}

/// The result of filtering one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filtered {
    /// The event is held back: it may be part of the reply.
    Nothing,
    /// No part of a reply: the events held back, then the one that was passed in.
    Events(Vec<Event>),
    /// The complete reply; `None` if its colour cannot be parsed.
    Answer(Option<Background>),
}

/// Filters the reply out of the input events.
#[derive(Debug, Clone)]
pub struct ReplyFilter {
    queried_at: Instant,
    quit_wait: Duration,
    is_answered: bool,
    /// The events that may be the start of the reply, and their characters.
    held: Vec<Event>,
    text: String,
    /// Whether the last event was Escape, which may have been the first byte of the reply.
    after_escape: bool,
}

impl ReplyFilter {
    /// Starts filtering after a query sent at `queried_at`.
    pub fn new(queried_at: Instant, quit_wait: Duration) -> Self {
        ReplyFilter {
            queried_at,
            quit_wait,
            is_answered: false,
            held: Vec::new(),
            text: String::new(),
            after_escape: false,
        }
    }

    /// When the first frame stops waiting for the reply; `None` once it has arrived.
    pub fn first_frame_deadline(&self) -> Option<Instant> {
        (!self.is_answered).then(|| self.queried_at + FIRST_FRAME_REPLY_WAIT)
    }

    /// When quitting stops waiting for the reply; `None` once it has arrived.
    pub fn quit_deadline(&self) -> Option<Instant> {
        (!self.is_answered).then(|| self.queried_at + self.quit_wait)
    }

    /// Whether a reply may still arrive.
    pub fn is_open(&self, now: Instant) -> bool {
        !self.is_answered && now.duration_since(self.queried_at) < MAX_DELAY
    }

    /// Filters one event.
    pub fn filter(&mut self, event: Event, now: Instant) -> Filtered {
        let after_escape = std::mem::replace(&mut self.after_escape, is_escape(&event));
        let begins = is_key(&event, ']', KeyModifiers::ALT)
            || after_escape && is_key(&event, ']', KeyModifiers::NONE);
        if self.held.is_empty() && !(begins && self.is_open(now)) {
            return Filtered::Events(vec![event]);
        }
        if begins {
            // A reply may start here; the events held so far were not part of one.
            let held = std::mem::replace(&mut self.held, vec![event]);
            self.text.clear();
            return match held.is_empty() {
                true => Filtered::Nothing,
                false => Filtered::Events(held),
            };
        }
        let ends = is_key(&event, 'g', KeyModifiers::CONTROL)
            || is_key(&event, '\\', KeyModifiers::ALT)
            || is_key(&event, '\\', KeyModifiers::NONE) && self.text.ends_with('\x1b');
        if ends && self.text.starts_with(REPLY_START) {
            let text = std::mem::take(&mut self.text);
            self.held.clear();
            self.is_answered = true;
            return Filtered::Answer(parse(text.trim_end_matches('\x1b')));
        }
        let reply_char = reply_char(&event);
        self.held.push(event);
        self.text.extend(reply_char);
        if reply_char.is_some() && is_reply_prefix(&self.text) {
            return Filtered::Nothing;
        }
        self.text.clear();
        Filtered::Events(std::mem::take(&mut self.held))
    }
}

fn reply_char(event: &Event) -> Option<char> {
    let Event::Key(key) = event else { return None };
    match key.code {
        KeyCode::Esc => Some('\x1b'),
        KeyCode::Char(c) if (key.modifiers - KeyModifiers::SHIFT).is_empty() => Some(c),
        _ => None,
    }
}

fn is_escape(event: &Event) -> bool {
    matches!(event, Event::Key(key) if key.code == KeyCode::Esc)
}

fn is_key(event: &Event, c: char, held: KeyModifiers) -> bool {
    matches!(event, Event::Key(key) if key.code == KeyCode::Char(c) && key.modifiers == held)
}

/// Whether the text is a prefix of a reply such as `11;rgb:1e1e/1e1e/1e1e`.
fn is_reply_prefix(text: &str) -> bool {
    let begun = text.len().min(REPLY_START.len());
    let rest = |rest: &str| {
        let reply_char = |c: char| c.is_ascii_hexdigit() || matches!(c, ':' | '/' | 'a' | '\x1b');
        rest.chars().all(reply_char)
    };
    text.len() <= MAX_REPLY_LEN
        && text.is_ascii()
        && text[..begun] == REPLY_START[..begun]
        && rest(&text[begun..])
}

/// Parses `11;rgb:R/G/B` with one to four hexadecimal digits each, or `11;rgba:R/G/B/A`.
fn parse(answer: &str) -> Option<Background> {
    let colors = answer.strip_prefix(REPLY_START)?;
    let colors = colors
        .strip_prefix('a')
        .unwrap_or(colors)
        .strip_prefix(':')?;
    let mut parts = colors.split('/').map(|part| {
        let digits = u32::try_from(part.len())
            .ok()
            .filter(|digits| (1..=4).contains(digits))?;
        let value = u32::from_str_radix(part, 16).ok()?;
        Some(f64::from(value) / f64::from(16u32.pow(digits) - 1))
    });
    let [red, green, blue] = [parts.next()??, parts.next()??, parts.next()??];
    // Luma (ITU-R BT.601).
    let brightness = 0.299 * red + 0.587 * green + 0.114 * blue;
    Some(if brightness > 0.5 {
        Background::Light
    } else {
        Background::Dark
    })
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyEvent;

    use super::*;

    /// The events that crossterm makes of bytes that arrive together.
    fn events(text: &str) -> Vec<Event> {
        let mut events = Vec::new();
        let mut letters = text.chars();
        while let Some(c) = letters.next() {
            let (c, held) = match c {
                '\x1b' => match letters.next() {
                    Some(c) => (c, KeyModifiers::ALT),
                    None => {
                        events.push(Event::Key(KeyCode::Esc.into()));
                        continue;
                    }
                },
                '\x07' => ('g', KeyModifiers::CONTROL),
                c => (c, KeyModifiers::NONE),
            };
            events.push(Event::Key(KeyEvent::new(KeyCode::Char(c), held)));
        }
        events
    }

    /// The events that pass the filter, and the replies.
    fn filter(parts: &[&str]) -> (Vec<Event>, Vec<Option<Background>>) {
        let now = Instant::now();
        let mut reply_filter = ReplyFilter::new(now, QUIT_WAIT);
        let (mut left, mut answers) = (Vec::new(), Vec::new());
        for event in parts.iter().flat_map(|part| events(part)) {
            match reply_filter.filter(event, now) {
                Filtered::Nothing => {}
                Filtered::Events(events) => left.extend(events),
                Filtered::Answer(answer) => answers.push(answer),
            }
        }
        (left, answers)
    }

    #[test]
    fn the_reply_is_filtered_out() {
        let (dark, light) = (Some(Background::Dark), Some(Background::Light));
        let cases = [
            ("j\x1b]11;rgb:1e1e/1e1e/1e1e\x07k", "jk", vec![dark]),
            ("\x1b]11;rgb:ffff/ffff/dddd\x1b\\j", "j", vec![light]),
            ("\x1b]11;rgb:f/f/d\x07", "", vec![light]),
            ("\x1b]11;rgba:ff/ff/ff/ff\x07", "", vec![light]),
            (
                "\x1b]11;rgb:zz/ff/ff\x07",
                "\x1b]11;rgb:zz/ff/ff\x07",
                vec![],
            ),
            ("\x1b]11;rgb:ff\x07j", "j", vec![None]),
            ("\x1b]12j", "\x1b]12j", vec![]),
            ("\x1b]\x07", "\x1b]\x07", vec![]),
            ("\x1b]1\x1b]11;rgb:0/0/0\x07", "\x1b]1", vec![dark]),
            // Only one reply is expected.
            ("\x1b]11;rgb:0/0/0\x07\x1b]1", "\x1b]1", vec![dark]),
        ];
        for (text, left, answers) in cases {
            assert_eq!(filter(&[text]), (events(left), answers), "{text:?}");
        }
        // The first byte arrives alone, or the reply follows an Escape key.
        let escape = events("\x1b");
        assert_eq!(filter(&["\x1b", "]11;rgb:0/0/0\x07"]), (escape, vec![dark]));
        assert_eq!(
            filter(&["\x1b]11;rgb:0/0/0\x1b", "\\j"]),
            (events("j"), vec![dark])
        );
    }

    #[test]
    fn quitting_waits_briefly_for_a_reply() {
        let now = Instant::now();
        let until = |name| {
            let reply_filter = ReplyFilter::new(now, quit_wait(|set| set == name));
            reply_filter.quit_deadline().map(|until| until - now)
        };
        assert_eq!(until("TERM"), Some(QUIT_WAIT));
        assert_eq!(until("SSH_TTY"), Some(REMOTE_QUIT_WAIT));
        let mut reply_filter = ReplyFilter::new(now, QUIT_WAIT);
        for event in events("\x1b]11;rgb:0/0/0\x07") {
            reply_filter.filter(event, now);
        }
        assert_eq!(reply_filter.quit_deadline(), None);
    }

    #[test]
    fn a_late_reply_is_treated_as_keys() {
        let now = Instant::now();
        let mut reply_filter = ReplyFilter::new(now, QUIT_WAIT);
        let late = now + MAX_DELAY;
        let key = events("\x1b]").remove(0);
        assert_eq!(
            reply_filter.filter(key.clone(), late),
            Filtered::Events(vec![key])
        );
        assert!(!reply_filter.is_open(late) && reply_filter.is_open(now));
    }
}
