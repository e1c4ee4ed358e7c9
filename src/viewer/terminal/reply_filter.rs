//! Filtering control strings, such as the terminal's replies to queries, out of the input.
//!
//! crossterm delivers a reply as key events, which must not trigger actions. A control string is
//! `ESC` and an introducer (OSC, DCS, SOS, PM or APC), and ends with ST or BEL. A person who
//! presses the keys of an introducer is slower: if nothing follows at once, it is released as a
//! key.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyModifiers};

use crate::viewer::theme::terminal_colors::{Background, ColorDepth};

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
    if is_set("SSH_CONNECTION") || is_set("SSH_TTY") {
        REMOTE_QUIT_WAIT
    } else {
        QUIT_WAIT
    }
}

/// How long the start of a control string waits for its next character. Keys are pressed more
/// slowly.
const ESCAPE_TIMEOUT: Duration = Duration::from_millis(50);

/// How long a control string lasts at most.
const MAX_DURATION: Duration = Duration::from_secs(1);

/// As [`ESCAPE_TIMEOUT`] and [`MAX_DURATION`] for what can be a reply that is expected: it may come in
/// pieces, or be read late on a busy machine.
const REPLY_TIMEOUT: Duration = Duration::from_secs(5);

/// Most characters of a control string that are stored.
const MAX_STORED: usize = 1000;

/// The last characters of the introducers of OSC, DCS, SOS, PM and APC.
const INTRODUCERS: &str = "]PX^_";

/// Start of every reply to the background query, after its introducer.
const BACKGROUND_START: &str = "11;rgb";

/// A reply of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// The background; `None` if its color cannot be parsed.
    Background(Option<Background>),
    /// The terminal has at least these colors.
    Colors(ColorDepth),
    /// Something else that is no input.
    Other,
}

/// The result of filtering one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filtered {
    /// The input: the event that was held back, if it was, and the one that was passed in, unless
    /// it is held back or a part of a control string.
    Events(Vec<Event>),
    /// A complete control string.
    Reply(Reply),
}

/// A control string that has begun.
#[derive(Debug, Clone)]
struct ControlString {
    introducer: char,
    begun: Instant,
    /// The event of the introducer, until the next character has arrived.
    held: Option<Event>,
    /// It may be a reply that is expected.
    is_expected: bool,
    text: String,
}

impl ControlString {
    /// How long its start is held back.
    fn held_for(&self) -> Duration {
        if self.is_expected {
            REPLY_TIMEOUT
        } else {
            ESCAPE_TIMEOUT
        }
    }

    fn age(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.begun)
    }

    /// True if its time is over.
    fn is_over(&self, now: Instant) -> bool {
        self.age(now) > MAX_DURATION.max(self.held_for())
    }

    /// True if it goes on with a character, and not with a key that was pressed later. All replies to the
    /// queries begin with a digit.
    fn goes_on_with(&self, character: Option<char>, now: Instant) -> bool {
        self.held.is_none()
            || character.is_some_and(|c| c.is_ascii_digit())
            || self.age(now) <= ESCAPE_TIMEOUT
    }

    fn reply(&self) -> Reply {
        match self.introducer {
            ']' if self.text.starts_with(BACKGROUND_START) => {
                Reply::Background(parse_background(&self.text))
            }
            'P' => said_colors(&self.text).map_or(Reply::Other, Reply::Colors),
            _ => Reply::Other,
        }
    }
}

/// Filters control strings out of the input events.
#[derive(Debug, Clone)]
pub struct ReplyFilter {
    /// When the background was asked for, if it was.
    queried_at: Option<Instant>,
    quit_wait: Duration,
    is_answered: bool,
    string: Option<ControlString>,
    /// When Escape arrived, if that was the last event.
    escape: Option<Instant>,
}

impl ReplyFilter {
    /// A filter before any query.
    pub fn new(quit_wait: Duration) -> Self {
        ReplyFilter {
            queried_at: None,
            quit_wait,
            is_answered: false,
            string: None,
            escape: None,
        }
    }

    /// The background query was sent. It is the last of several queries: terminals answer them in
    /// their order.
    pub fn expect(&mut self, queried_at: Instant) {
        self.queried_at = Some(queried_at);
    }

    /// True if the background was asked for.
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

    /// When the event that is held back turns out to be a key unless another arrives; `None` if
    /// none is held back.
    pub fn release_deadline(&self) -> Option<Instant> {
        let string = self.string.as_ref()?;
        let held = string.held.as_ref();
        held.map(|_| string.begun + string.held_for())
    }

    /// Ends a control string that has begun, and returns the event that was held back.
    pub fn release(&mut self) -> Option<Event> {
        self.string.take()?.held
    }

    /// Filters one event.
    pub fn filter(&mut self, event: Event, now: Instant) -> Filtered {
        let Event::Key(key) = &event else {
            return Filtered::Events(vec![event]);
        };
        let elapsed = |since: Instant| now.saturating_duration_since(since);
        self.string.take_if(|string| string.is_over(now));
        let escape_timeout = match self.unanswered() {
            Some(_) => MAX_DURATION,
            None => ESCAPE_TIMEOUT,
        };
        let after_escape = self.escape.take();
        let after_escape = after_escape.is_some_and(|at| elapsed(at) < escape_timeout);
        let is_awaited = self
            .unanswered()
            .is_some_and(|at| elapsed(at) < 2 * REPLY_TIMEOUT);
        // crossterm reports Shift with capital letters.
        let modifiers = key.modifiers - KeyModifiers::SHIFT;
        let escaped = match key.code {
            KeyCode::Char(c) if modifiers == KeyModifiers::ALT => Some(c),
            KeyCode::Char(c) if after_escape && modifiers.is_empty() => Some(c),
            _ => None,
        };
        if let Some(introducer) = escaped.filter(|c| INTRODUCERS.contains(*c)) {
            let held = self.release();
            // Escape alone is a key more often than the start of a reply.
            let is_whole = modifiers == KeyModifiers::ALT && "]P".contains(introducer);
            self.string = Some(ControlString {
                introducer,
                begun: now,
                held: Some(event),
                is_expected: is_awaited && is_whole,
                text: String::new(),
            });
            return Filtered::Events(held.into_iter().collect());
        }
        self.escape = (key.code == KeyCode::Esc).then_some(now);
        let is_bel = key.code == KeyCode::Char('g') && modifiers == KeyModifiers::CONTROL;
        if (is_bel || escaped == Some('\\'))
            && let Some(string) = self.string.take()
        {
            let reply = string.reply();
            self.is_answered |= matches!(reply, Reply::Background(_));
            return Filtered::Reply(reply);
        }
        let part = match key.code {
            KeyCode::Char(c) if modifiers.is_empty() && escaped.is_none() => Some(Some(c)),
            KeyCode::Esc => Some(None),
            _ => None,
        };
        if let (Some(character), Some(string)) = (part, &mut self.string)
            && string.goes_on_with(character, now)
        {
            string.held = None;
            let is_stored = string.text.len() < MAX_STORED;
            string.text.extend(character.filter(|_| is_stored));
            return Filtered::Events(Vec::new());
        }
        // No control string has this key.
        let held = self.release();
        Filtered::Events(held.into_iter().chain([event]).collect())
    }
}

/// The colors that a reply tells of: true color if one to DECRQSS has the background that the query
/// set, 256 if it has the nearest of these, and true color if one to XTGETTCAP has `Tc` or `RGB`.
/// Terminals separate by colons, with or without an empty field, or by semicolons.
fn said_colors(text: &str) -> Option<ColorDepth> {
    if let Some(attributes) = text.strip_prefix("1$r") {
        let attributes = attributes.replace(':', ";").replace(";;", ";");
        let attributes = attributes.trim_end_matches('m');
        let is_index = |index: &str| index.parse::<u8>().is_ok();
        return if attributes.ends_with("48;2;1;2;3") {
            Some(ColorDepth::True)
        } else if attributes
            .rsplit_once("48;5;")
            .is_some_and(|(_, it)| is_index(it))
        {
            Some(ColorDepth::Indexed)
        } else {
            None
        };
    }
    let capability = text.strip_prefix("1+r").map(str::to_ascii_uppercase)?;
    let is_true = capability.starts_with("5463") || capability.starts_with("524742");
    is_true.then_some(ColorDepth::True)
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

    /// The events that pass the filter, and the replies. What is held back at the end is released.
    fn filter_all(
        filter: &mut ReplyFilter,
        parts: &[&str],
        now: Instant,
    ) -> (Vec<Event>, Vec<Reply>) {
        let (mut left, mut replies) = (Vec::new(), Vec::new());
        for event in parts.iter().flat_map(|part| events(part)) {
            match filter.filter(event, now) {
                Filtered::Events(events) => left.extend(events),
                Filtered::Reply(reply) => replies.push(reply),
            }
        }
        if filter.release_deadline().is_some() {
            left.extend(filter.release());
        }
        (left, replies)
    }

    fn expecting(now: Instant, quit_wait: Duration) -> ReplyFilter {
        let mut reply_filter = ReplyFilter::new(quit_wait);
        reply_filter.expect(now);
        reply_filter
    }

    #[test]
    fn control_strings_are_filtered_whether_or_not_a_reply_is_expected() {
        let dark = Reply::Background(Some(Background::Dark));
        let light = Reply::Background(Some(Background::Light));
        let unknown = Reply::Background(None);
        let (true_color, other) = (Reply::Colors(ColorDepth::True), Reply::Other);
        let indexed = Reply::Colors(ColorDepth::Indexed);
        let cases: &[(&str, &str, &[Reply])] = &[
            ("j\x1b]11;rgb:1e1e/1e1e/1e1e\x07k", "jk", &[dark]),
            ("\x1b]11;rgb:ffff/ffff/dddd\x1b\\j", "j", &[light]),
            ("\x1b]11;rgb:f/f/d\x07", "", &[light]),
            ("\x1b]11;rgba:ff/ff/ff/ff\x07", "", &[light]),
            ("\x1b]11;rgb:zz/ff/ff\x07", "", &[unknown]),
            ("\x1b]11;rgb:ff\x07j", "j", &[unknown]),
            ("\x1b]12;rgb:0/0/0\x07j", "j", &[other]),
            ("\x1b]52;c;aGk=\x1b\\j", "j", &[other]),
            ("\x1b]\x07", "", &[other]),
            ("\x1b]1\x1b]11;rgb:0/0/0\x07", "", &[dark]),
            ("\x1b]\x1b]11;rgb:0/0/0\x07", "\x1b]", &[dark]),
            ("\x1bP1$r0;48:2::1:2:3m\x1b\\j", "j", &[true_color]),
            ("\x1bP1$r48;2;1;2;3m\x1b\\", "", &[true_color]),
            ("\x1bP1$r0;48:5:16m\x1b\\j", "j", &[indexed]),
            ("\x1bP1$r48;5;16m\x1b\\j", "j", &[indexed]),
            ("\x1bP1$r0;48:5:m\x1b\\j", "j", &[other]),
            ("\x1bP1$r0;40m\x1b\\j", "j", &[other]),
            ("\x1bP0$r\x1b\\", "", &[other]),
            ("\x1bP1+r5463\x1b\\", "", &[true_color]),
            ("\x1bP1+r524742=38\x1b\\", "", &[true_color]),
            ("\x1bP0+r5463\x1b\\", "", &[other]),
            ("\x1bP>|term 1.0\x1b\\q", "q", &[other]),
            ("\x1b_Gi=1;OK\x1b\\q", "q", &[other]),
            ("\x1b^private: qq\x1b\\q", "q", &[other]),
            ("\x1bXstring \u{e9}\u{1f600}\x1b\\q", "q", &[other]),
            // Keys that no control string has.
            ("\x1b]", "\x1b]", &[]),
            ("\x1bP\x1bj", "\x1bP\x1bj", &[]),
            ("\x1bP1\x1bjk", "\x1bjk", &[]),
            ("Pq\x1bqg]\\", "Pq\x1bqg]\\", &[]),
        ];
        let now = Instant::now();
        for (text, left, replies) in cases {
            for mut filter in [ReplyFilter::new(QUIT_WAIT), expecting(now, QUIT_WAIT)] {
                let filtered = filter_all(&mut filter, &[text], now);
                assert_eq!(filtered, (events(left), replies.to_vec()), "{text:?}");
            }
        }
        // The first byte arrives alone, or ST is torn.
        let escape = events("\x1b");
        for mut filter in [ReplyFilter::new(QUIT_WAIT), expecting(now, QUIT_WAIT)] {
            let parts = ["\x1b", "]11;rgb:0/0/0\x07"];
            let filtered = filter_all(&mut filter, &parts, now);
            assert_eq!(filtered, (escape.clone(), vec![dark]));
            let filtered = filter_all(&mut filter, &["\x1b]11;rgb:0/0/0\x1b", "\\j"], now);
            assert_eq!(filtered, (events("j"), vec![dark]));
        }
    }

    #[test]
    fn the_keys_of_a_person_are_passed_on() {
        let start = Instant::now();
        let mut filter = ReplyFilter::new(QUIT_WAIT);
        let at = |millis| start + Duration::from_millis(millis);
        let key = |text: &str| events(text).remove(0);
        // Escape, and later the character.
        for (now, text) in [(0, "\x1b"), (60, "]"), (60, "1"), (70, "\x1b]")] {
            let passed = filter.filter(key(text), at(now));
            let expected = if now < 70 { events(text) } else { vec![] };
            assert_eq!(passed, Filtered::Events(expected), "{now} {text:?}");
        }
        // The introducer alone is released.
        assert_eq!(filter.release_deadline(), Some(at(70) + ESCAPE_TIMEOUT));
        assert_eq!(filter.release(), Some(key("\x1b]")));
        assert_eq!((filter.release(), filter.release_deadline()), (None, None));
        // A string that does not end takes no key after a second.
        filter.filter(key("\x1bP"), at(200));
        for (now, is_key) in [(210, false), (1100, false), (1201, true)] {
            let expected = if is_key { events("j") } else { vec![] };
            let passed = filter.filter(key("j"), at(now));
            assert_eq!(passed, Filtered::Events(expected), "{now}");
        }
        // What is no key is never held back.
        filter.filter(key("\x1bP"), at(2000));
        let resize = Event::Resize(80, 24);
        let passed = filter.filter(resize.clone(), at(2001));
        assert_eq!(passed, Filtered::Events(vec![resize]));
    }

    #[test]
    fn a_reply_that_comes_in_pieces_is_no_input() {
        let start = Instant::now();
        for (pause, text, reply) in [
            (
                190,
                "\x1b]11;rgb:ffff/ffff/ffff\x07",
                Reply::Background(Some(Background::Light)),
            ),
            (
                290,
                "\x1bP1$r0;48:5:16m\x1b\\",
                Reply::Colors(ColorDepth::Indexed),
            ),
        ] {
            let mut filter = expecting(start, QUIT_WAIT);
            let mut now = start;
            let mut replies = Vec::new();
            for event in events(text) {
                now += Duration::from_millis(pause);
                assert!(filter.release_deadline().is_none_or(|until| until > now));
                match filter.filter(event, now) {
                    Filtered::Events(events) => assert_eq!(events, vec![], "{text:?}"),
                    Filtered::Reply(reply) => replies.push(reply),
                }
            }
            assert_eq!(replies, [reply]);
        }
        // A person's keys, and those after a terminal that does not reply.
        let at = |millis| start + Duration::from_millis(millis);
        let key = |text: &str| events(text).remove(0);
        let mut filter = expecting(start, QUIT_WAIT);
        filter.filter(key("\x1b]"), at(0));
        let passed = filter.filter(key("j"), at(200));
        assert_eq!(passed, Filtered::Events(events("\x1b]j")));
        filter.filter(key("\x1b]"), at(20_000));
        let deadline = at(20_000) + ESCAPE_TIMEOUT;
        assert_eq!(filter.release_deadline(), Some(deadline));
    }

    #[test]
    fn the_text_of_a_control_string_is_bounded() {
        let now = Instant::now();
        let mut filter = ReplyFilter::new(QUIT_WAIT);
        let text = format!("\x1b]{}", "1".repeat(3 * MAX_STORED));
        assert_eq!(filter_all(&mut filter, &[&text], now), (vec![], vec![]));
        let stored = filter.string.as_ref().map(|string| string.text.len());
        assert_eq!(stored, Some(MAX_STORED));
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
        assert_eq!(ReplyFilter::new(QUIT_WAIT).quit_deadline(), None);
        let mut reply_filter = expecting(now, QUIT_WAIT);
        for event in events("\x1b]11;rgb:0/0/0\x07") {
            reply_filter.filter(event, now);
        }
        assert_eq!(reply_filter.quit_deadline(), None);
    }
}
