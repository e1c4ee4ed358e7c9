//! Filtering the terminal's replies to queries out of the input.
//!
//! crossterm delivers a reply as key events, which must not trigger actions. The reply to the
//! background query (OSC 11) is recognized after the query. Device control strings (DCS) and
//! application program commands (APC) are recognized at any time: no key sends them, but other
//! programs may have asked for them.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyModifiers};

use crate::viewer::theme::terminal_colors::Background;

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

/// A reply to the background query is recognized up to this long after it.
const MAX_DELAY: Duration = Duration::from_secs(10);

/// Start of every reply to the background query, after the introducer `ESC ]`.
const BACKGROUND_START: &str = "11;rgb";

/// Longest reply to the background query, in characters.
const MAX_BACKGROUND_LEN: usize = 40;

/// Longest other reply, in characters.
const MAX_REPLY_LEN: usize = 1000;

/// A reply of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// The background; `None` if its colour cannot be parsed.
    Background(Option<Background>),
    /// The terminal has true colour.
    TrueColor,
    /// Something else that is no input.
    Other,
}

/// The result of filtering one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filtered {
    /// The event is held back: it may be part of a reply.
    Nothing,
    /// No part of a reply: the events held back, then the one that was passed in.
    Events(Vec<Event>),
    /// A complete reply.
    Reply(Reply),
}

/// The kind of a control string, by its introducer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ControlString {
    /// An operating system command, `ESC ]`.
    Osc,
    /// A device control string, `ESC P`.
    Dcs,
    /// An application program command, `ESC _`.
    Apc,
}

impl ControlString {
    const ALL: [(char, ControlString); 3] = [
        (']', ControlString::Osc),
        ('P', ControlString::Dcs),
        ('_', ControlString::Apc),
    ];

    /// Whether the text is a prefix of such a reply, so that keys are held back as briefly as possible.
    fn accepts(self, text: &str) -> bool {
        let rest = text.trim_end_matches('\x1b');
        match self {
            ControlString::Osc => is_background_prefix(text),
            // `1$r0;48:2::1:2:3m`, `1+r5463`, `>|name`: parameters, then a mark.
            ControlString::Dcs => {
                let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
                let is_mark = |c| matches!(c, '$' | '+' | '>' | '!' | '|');
                text.len() <= MAX_REPLY_LEN && (rest.is_empty() || rest.starts_with(is_mark))
            }
            // Replies about images.
            ControlString::Apc => {
                text.len() <= MAX_REPLY_LEN && (rest.is_empty() || rest.starts_with('G'))
            }
        }
    }

    /// Parses a complete text; `None` if it is no reply.
    fn parse(self, text: &str) -> Option<Reply> {
        match self {
            ControlString::Osc if text.starts_with(BACKGROUND_START) => {
                Some(Reply::Background(parse_background(text)))
            }
            ControlString::Osc => None,
            ControlString::Dcs if says_true_color(text) => Some(Reply::TrueColor),
            ControlString::Dcs | ControlString::Apc => (!text.is_empty()).then_some(Reply::Other),
        }
    }
}

/// Filters replies out of the input events.
#[derive(Debug, Clone)]
pub struct ReplyFilter {
    /// When the background was asked for, if it was.
    queried_at: Option<Instant>,
    quit_wait: Duration,
    is_answered: bool,
    /// The control string that may have begun, and its events and characters so far.
    begun: Option<ControlString>,
    held: Vec<Event>,
    text: String,
    /// Whether the last event was Escape, which may have been the first byte of a reply.
    after_escape: bool,
}

impl ReplyFilter {
    /// A filter before any query.
    pub fn new(quit_wait: Duration) -> Self {
        ReplyFilter {
            queried_at: None,
            quit_wait,
            is_answered: false,
            begun: None,
            held: Vec::new(),
            text: String::new(),
            after_escape: false,
        }
    }

    /// The background query was sent. It is the last of several queries: terminals answer them in
    /// their order.
    pub fn expect(&mut self, queried_at: Instant) {
        self.queried_at = Some(queried_at);
    }

    /// Whether the background was asked for.
    pub fn has_queried(&self) -> bool {
        self.queried_at.is_some()
    }

    fn unanswered(&self) -> Option<Instant> {
        self.queried_at.filter(|_| !self.is_answered)
    }

    /// When the first frame stops waiting for the reply; `None` unless one is expected.
    pub fn first_frame_deadline(&self) -> Option<Instant> {
        Some(self.unanswered()? + FIRST_FRAME_REPLY_WAIT)
    }

    /// When quitting stops waiting for the reply; `None` unless one is expected.
    pub fn quit_deadline(&self) -> Option<Instant> {
        Some(self.unanswered()? + self.quit_wait)
    }

    /// Whether a reply to the query may still arrive.
    pub fn is_open(&self, now: Instant) -> bool {
        let queried_at = self.unanswered();
        queried_at.is_some_and(|queried_at| now.duration_since(queried_at) < MAX_DELAY)
    }

    /// Filters one event.
    pub fn filter(&mut self, event: Event, now: Instant) -> Filtered {
        let after_escape = std::mem::replace(&mut self.after_escape, is_escape(&event));
        let open = self.is_open(now);
        let begins = ControlString::ALL.iter().find(|(c, kind)| {
            let begins = is_key(&event, *c, KeyModifiers::ALT)
                || open && after_escape && is_key(&event, *c, KeyModifiers::NONE);
            begins && (open || *kind != ControlString::Osc)
        });
        if let Some(&(_, kind)) = begins {
            // A reply may start here; the events held so far were not part of one.
            let held = std::mem::replace(&mut self.held, vec![event]);
            self.text.clear();
            self.begun = Some(kind);
            return match held.is_empty() {
                true => Filtered::Nothing,
                false => Filtered::Events(held),
            };
        }
        let Some(kind) = self.begun else {
            return Filtered::Events(vec![event]);
        };
        let ends = is_key(&event, 'g', KeyModifiers::CONTROL)
            || is_key(&event, '\\', KeyModifiers::ALT)
            || is_key(&event, '\\', KeyModifiers::NONE) && self.text.ends_with('\x1b');
        if ends && let Some(reply) = kind.parse(self.text.trim_end_matches('\x1b')) {
            self.text.clear();
            self.held.clear();
            self.begun = None;
            self.is_answered |= matches!(reply, Reply::Background(_));
            return Filtered::Reply(reply);
        }
        let reply_char = reply_char(&event);
        self.held.push(event);
        self.text.extend(reply_char);
        if reply_char.is_some() && kind.accepts(&self.text) {
            return Filtered::Nothing;
        }
        self.text.clear();
        self.begun = None;
        Filtered::Events(std::mem::take(&mut self.held))
    }
}

/// Whether a reply to DECRQSS has the background that the query set, or one to XTGETTCAP has `Tc` or
/// `RGB`. Terminals separate by colons, with or without an empty field, or by semicolons.
fn says_true_color(text: &str) -> bool {
    if let Some(attributes) = text.strip_prefix("1$r") {
        let attributes = attributes.replace(':', ";").replace(";;", ";");
        return attributes.trim_end_matches('m').ends_with("48;2;1;2;3");
    }
    let capability = text.strip_prefix("1+r").map(str::to_ascii_uppercase);
    capability.is_some_and(|hex| hex.starts_with("5463") || hex.starts_with("524742"))
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
    // crossterm reports Shift with capital letters.
    matches!(event, Event::Key(key)
        if key.code == KeyCode::Char(c) && key.modifiers - KeyModifiers::SHIFT == held)
}

/// Whether the text is a prefix of a reply such as `11;rgb:1e1e/1e1e/1e1e`.
fn is_background_prefix(text: &str) -> bool {
    let begun = text.len().min(BACKGROUND_START.len());
    let rest = |rest: &str| {
        let reply_char = |c: char| c.is_ascii_hexdigit() || matches!(c, ':' | '/' | 'a' | '\x1b');
        rest.chars().all(reply_char)
    };
    text.len() <= MAX_BACKGROUND_LEN
        && text.is_ascii()
        && text[..begun] == BACKGROUND_START[..begun]
        && rest(&text[begun..])
}

/// Parses `11;rgb:R/G/B` with one to four hexadecimal digits each, or `11;rgba:R/G/B/A`.
fn parse_background(answer: &str) -> Option<Background> {
    let colors = answer.strip_prefix(BACKGROUND_START)?;
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

    fn expecting(now: Instant, quit_wait: Duration) -> ReplyFilter {
        let mut reply_filter = ReplyFilter::new(quit_wait);
        reply_filter.expect(now);
        reply_filter
    }

    /// The events that pass the filter, and the replies.
    fn filter(parts: &[&str]) -> (Vec<Event>, Vec<Reply>) {
        let now = Instant::now();
        let mut reply_filter = expecting(now, QUIT_WAIT);
        let (mut left, mut answers) = (Vec::new(), Vec::new());
        for event in parts.iter().flat_map(|part| events(part)) {
            match reply_filter.filter(event, now) {
                Filtered::Nothing => {}
                Filtered::Events(events) => left.extend(events),
                Filtered::Reply(reply) => answers.push(reply),
            }
        }
        (left, answers)
    }

    #[test]
    fn the_reply_is_filtered_out() {
        let dark = Reply::Background(Some(Background::Dark));
        let light = Reply::Background(Some(Background::Light));
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
            ("\x1b]11;rgb:ff\x07j", "j", vec![Reply::Background(None)]),
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
            let reply_filter = expecting(now, quit_wait(|set| set == name));
            reply_filter.quit_deadline().map(|until| until - now)
        };
        assert_eq!(until("TERM"), Some(QUIT_WAIT));
        assert_eq!(until("SSH_TTY"), Some(REMOTE_QUIT_WAIT));
        let mut reply_filter = expecting(now, QUIT_WAIT);
        for event in events("\x1b]11;rgb:0/0/0\x07") {
            reply_filter.filter(event, now);
        }
        assert_eq!(reply_filter.quit_deadline(), None);
    }

    #[test]
    fn a_late_reply_is_treated_as_keys() {
        let now = Instant::now();
        let mut reply_filter = expecting(now, QUIT_WAIT);
        let late = now + MAX_DELAY;
        let key = events("\x1b]").remove(0);
        assert_eq!(
            reply_filter.filter(key.clone(), late),
            Filtered::Events(vec![key])
        );
        assert!(!reply_filter.is_open(late) && reply_filter.is_open(now));
    }

    #[test]
    fn control_strings_are_filtered_without_a_query() {
        let cases = [
            ("\x1bP1$r0;48:2::1:2:3m\x1b\\j", "j", vec![Reply::TrueColor]),
            ("\x1bP1$r48;2;1;2;3m\x1b\\", "", vec![Reply::TrueColor]),
            ("\x1bP1$r0;48:5:16m\x1b\\j", "j", vec![Reply::Other]),
            ("\x1bP0$r\x1b\\", "", vec![Reply::Other]),
            ("\x1bP1+r5463\x1b\\", "", vec![Reply::TrueColor]),
            ("\x1bP1+r524742=38\x1b\\", "", vec![Reply::TrueColor]),
            ("\x1bP0+r5463\x1b\\", "", vec![Reply::Other]),
            ("\x1bP>|term 1.0\x1b\\q", "q", vec![Reply::Other]),
            ("\x1b_Gi=1;OK\x1b\\q", "q", vec![Reply::Other]),
            // Keys that are no reply.
            ("\x1bPj", "\x1bPj", vec![]),
            ("\x1bP1j", "\x1bP1j", vec![]),
            ("\x1b_j", "\x1b_j", vec![]),
            ("\x1b]11;rgb:0/0/0\x07", "\x1b]11;rgb:0/0/0\x07", vec![]),
        ];
        for (text, left, replies) in cases {
            let now = Instant::now();
            let mut reply_filter = ReplyFilter::new(QUIT_WAIT);
            assert_eq!(reply_filter.quit_deadline(), None);
            let (mut passed, mut found) = (Vec::new(), Vec::new());
            for event in events(text) {
                match reply_filter.filter(event, now) {
                    Filtered::Nothing => {}
                    Filtered::Events(events) => passed.extend(events),
                    Filtered::Reply(reply) => found.push(reply),
                }
            }
            assert_eq!((passed, found), (events(left), replies), "{text:?}");
        }
    }
}
