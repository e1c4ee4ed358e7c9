//! Asking the terminal what its background is.
//!
//! The question (OSC 11) is written before the first frame. The answer comes as keys, which are
//! taken out of the others wherever it comes, so that none of it does anything.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyModifiers};

use crate::viewer::theme::styles::Background;

/// The question. Its end is the one that an answer copies which cannot be taken for Escape.
pub const QUESTION: &str = "\x1b]11;?\x07";

/// How long the first frame waits for the answer. A terminal on the same machine answers sooner, and
/// reading the file takes about as long.
pub const PATIENCE: Duration = Duration::from_millis(5);

/// How long after the question somebody who leaves is made to wait for the answer, which the shell
/// would take for keys. Only keys that were pressed before there was a frame can come before the
/// answer of a terminal that answers, so that nobody who saw something waits for one that does not.
const LINGER: Duration = Duration::from_millis(100);

/// The same where the terminal is far away.
const LINGER_FAR: Duration = Duration::from_millis(500);

/// How long an answer may take where those variables are set that `is_set` says.
pub fn linger(is_set: impl Fn(&str) -> bool) -> Duration {
    match is_set("SSH_CONNECTION") || is_set("SSH_TTY") {
        true => LINGER_FAR,
        false => LINGER,
    }
}

/// An answer that comes later than this is no answer.
const LATEST: Duration = Duration::from_secs(10);

/// What every answer begins with.
const BEGINNING: &str = "11;rgb";

/// Characters that an answer may have.
const LONGEST: usize = 40;

/// Whether terminals of this kind are known not to understand the question.
pub fn is_deaf(term: &str) -> bool {
    term.is_empty() || term == "dumb" || term == "linux" || term.starts_with("vt")
}

/// What an event turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// A part of what may be the answer.
    Nothing,
    /// No answer: these events, the last of which is the one that was told.
    Events(Vec<Event>),
    /// The answer, if it can be made sense of.
    Answer(Option<Background>),
}

/// Takes the answer out of the events.
#[derive(Debug, Clone)]
pub struct Listener {
    asked: Instant,
    linger: Duration,
    answered: bool,
    /// The events of what may be the answer, and what they spell.
    held: Vec<Event>,
    spelt: String,
    /// The last event was Escape, which may have been the first byte of the answer.
    escaped: bool,
}

impl Listener {
    /// The question was just asked. Whoever leaves waits for the answer until `linger` is over.
    pub fn new(asked: Instant, linger: Duration) -> Self {
        Listener {
            asked,
            linger,
            answered: false,
            held: Vec::new(),
            spelt: String::new(),
            escaped: false,
        }
    }

    /// Until when the first frame is to wait; not at all once the answer is there.
    pub fn patience(&self) -> Option<Instant> {
        (!self.answered).then(|| self.asked + PATIENCE)
    }

    /// Until when the answer is to be waited for at the end; not at all once it is there.
    pub fn lingers(&self) -> Option<Instant> {
        (!self.answered).then(|| self.asked + self.linger)
    }

    /// The answer may still come.
    pub fn is_open(&self, now: Instant) -> bool {
        !self.answered && now.duration_since(self.asked) < LATEST
    }

    /// Looks at an event.
    pub fn hear(&mut self, event: Event, now: Instant) -> Heard {
        let escaped = std::mem::replace(&mut self.escaped, is_escape(&event));
        let begins = is_key(&event, ']', KeyModifiers::ALT)
            || escaped && is_key(&event, ']', KeyModifiers::NONE);
        if self.held.is_empty() && !(begins && self.is_open(now)) {
            return Heard::Events(vec![event]);
        }
        if begins {
            // The answer may begin here; what was held was none.
            let held = std::mem::replace(&mut self.held, vec![event]);
            self.spelt.clear();
            return match held.is_empty() {
                true => Heard::Nothing,
                false => Heard::Events(held),
            };
        }
        let ends = is_key(&event, 'g', KeyModifiers::CONTROL)
            || is_key(&event, '\\', KeyModifiers::ALT)
            || is_key(&event, '\\', KeyModifiers::NONE) && self.spelt.ends_with('\x1b');
        if ends && self.spelt.starts_with(BEGINNING) {
            let spelt = std::mem::take(&mut self.spelt);
            self.held.clear();
            self.answered = true;
            return Heard::Answer(parse(spelt.trim_end_matches('\x1b')));
        }
        let letter = letter(&event);
        self.held.push(event);
        self.spelt.extend(letter);
        if letter.is_some() && may_become(&self.spelt) {
            return Heard::Nothing;
        }
        self.spelt.clear();
        Heard::Events(std::mem::take(&mut self.held))
    }
}

fn letter(event: &Event) -> Option<char> {
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

/// An answer can begin like this: `11;rgb:1e1e/1e1e/1e1e`.
fn may_become(spelt: &str) -> bool {
    let begun = spelt.len().min(BEGINNING.len());
    let rest = |rest: &str| {
        let letter = |c: char| c.is_ascii_hexdigit() || matches!(c, ':' | '/' | 'a' | '\x1b');
        rest.chars().all(letter)
    };
    spelt.len() <= LONGEST
        && spelt.is_ascii()
        && spelt[..begun] == BEGINNING[..begun]
        && rest(&spelt[begun..])
}

/// Dark or light, from `11;rgb:RR/GG/BB` with one to four digits each, or `rgba:` with one more.
fn parse(answer: &str) -> Option<Background> {
    let colours = answer.strip_prefix(BEGINNING)?;
    let colours = colours
        .strip_prefix('a')
        .unwrap_or(colours)
        .strip_prefix(':')?;
    let mut parts = colours.split('/').map(|part| {
        let digits = u32::try_from(part.len())
            .ok()
            .filter(|digits| (1..=4).contains(digits))?;
        let value = u32::from_str_radix(part, 16).ok()?;
        Some(f64::from(value) / f64::from(16u32.pow(digits) - 1))
    });
    let [red, green, blue] = [parts.next()??, parts.next()??, parts.next()??];
    // As bright as the eye finds it.
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

    /// The events that crossterm makes of bytes that a terminal sends at once.
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

    /// What is left of the events, and the answers.
    fn hear(parts: &[&str]) -> (Vec<Event>, Vec<Option<Background>>) {
        let now = Instant::now();
        let mut listener = Listener::new(now, LINGER);
        let (mut left, mut answers) = (Vec::new(), Vec::new());
        for event in parts.iter().flat_map(|part| events(part)) {
            match listener.hear(event, now) {
                Heard::Nothing => {}
                Heard::Events(events) => left.extend(events),
                Heard::Answer(answer) => answers.push(answer),
            }
        }
        (left, answers)
    }

    #[test]
    fn the_answer_is_taken_out() {
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
            // There is one answer.
            ("\x1b]11;rgb:0/0/0\x07\x1b]1", "\x1b]1", vec![dark]),
        ];
        for (text, left, answers) in cases {
            assert_eq!(hear(&[text]), (events(left), answers), "{text:?}");
        }
        // Its first byte came alone, or with an Escape that somebody pressed.
        let escape = events("\x1b");
        assert_eq!(hear(&["\x1b", "]11;rgb:0/0/0\x07"]), (escape, vec![dark]));
        assert_eq!(
            hear(&["\x1b]11;rgb:0/0/0\x1b", "\\j"]),
            (events("j"), vec![dark])
        );
    }

    #[test]
    fn nobody_waits_long_for_a_silent_terminal() {
        let now = Instant::now();
        let until = |name| {
            let listener = Listener::new(now, linger(|set| set == name));
            listener.lingers().map(|until| until - now)
        };
        assert_eq!(until("TERM"), Some(LINGER));
        assert_eq!(until("SSH_TTY"), Some(LINGER_FAR));
        let mut listener = Listener::new(now, LINGER);
        for event in events("\x1b]11;rgb:0/0/0\x07") {
            listener.hear(event, now);
        }
        assert_eq!(listener.lingers(), None);
    }

    #[test]
    fn what_comes_too_late_is_a_key() {
        let now = Instant::now();
        let mut listener = Listener::new(now, LINGER);
        let late = now + LATEST;
        let key = events("\x1b]").remove(0);
        assert_eq!(listener.hear(key.clone(), late), Heard::Events(vec![key]));
        assert!(!listener.is_open(late) && listener.is_open(now));
    }
}
