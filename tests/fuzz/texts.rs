//! Texts of people: mailmaps, dates, `-L`, keys, and what is shown of them.

use std::time::{Duration, Instant};

use bstr::{BStr, BString, ByteSlice};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use tblame::internals::{
    dates::{
        approxidate,
        calendar::Clock,
        date_format::{DateMode, DateNotation},
    },
    git_version::GitVersion,
    ranges::{FunctionRule, resolve},
    repository::commits::mailmap::Mailmap,
    sanitize::{self, Glyphs},
    viewer::{
        model::keys::key_sequence::KeySequence,
        terminal::reply_filter::{Filtered, ReplyFilter},
    },
};

use super::{Target, corpus, ensure, outcome, take};

/// Mailmaps, applied to people.
pub struct MailmapText;

impl Target for MailmapText {
    fn seeds(&self) -> Vec<Vec<u8>> {
        corpus("mailmap")
    }

    fn words(&self) -> &[&[u8]] {
        &[
            b"<", b">", b"<a@x>", b"<b@x>", b"A", b"#", b"\n", b" ", b"<>", b"\t", b"\0",
        ]
    }

    fn run(&mut self, input: &[u8]) -> Result<u64, String> {
        let mut map = Mailmap::default();
        map.add_file(input);
        let mut changed = 0;
        for (name, mail) in [("A", "a@x"), ("", "a@x"), ("B", "b@x"), ("C", "")] {
            let (mut new_name, mut new_mail) = (BString::from(name), BString::from(mail));
            map.apply_to_co_author(&mut new_name, &mut new_mail);
            let known = |text: &BString| memchr::memmem::find(input, text).is_some();
            ensure(new_name == name || known(&new_name), || {
                format!("{new_name}: no such name")
            })?;
            ensure(new_mail == mail || known(&new_mail), || {
                format!("{new_mail}: no such address")
            })?;
            changed += usize::from(new_name != name) + usize::from(new_mail != mail);
        }
        // Later lines win, so that the same lines again change nothing.
        let mut twice = map.clone();
        twice.add_file(input);
        ensure(twice == map, || "the same lines again change it".to_owned())?;
        Ok(outcome((changed, map.is_empty())))
    }
}

/// Approximate dates, and formats of `--date` with a date. The first byte decides.
pub struct Dates {
    clock: Clock,
}

impl Dates {
    pub fn new() -> Dates {
        Dates {
            clock: Clock::new(1_607_000_000, jiff::tz::TimeZone::UTC),
        }
    }
}

impl Target for Dates {
    fn seeds(&self) -> Vec<Vec<u8>> {
        corpus("dates")
    }

    fn words(&self) -> &[&[u8]] {
        &[
            b"yesterday",
            b"noon",
            b"ago",
            b"weeks",
            b"last",
            b"May",
            b"-",
            b":",
            b".",
            b"+0100",
            b"AM",
            b"%",
            b"%Y",
            b"-local",
            b"format:",
            b"iso8601-strict",
            b"never",
            b"@",
            b"99999999999999999999",
            b"T",
            b"Z",
            b"%s%z",
        ]
    }

    fn most_bytes(&self) -> usize {
        300
    }

    fn run(&mut self, mut input: &[u8]) -> Result<u64, String> {
        if input.first() != Some(&b'=') {
            let known = approxidate::parse_known(input, &self.clock);
            let date = approxidate::parse(input, &self.clock);
            ensure(known.is_none_or(|known| known == date), || {
                format!("{known:?} is not {date}")
            })?;
            return Ok(outcome((known.is_some(), date.checked_ilog2())));
        }
        take(&mut input);
        let seconds = u64::from_be_bytes(std::array::from_fn(|_| take(&mut input)));
        let zone = i32::from(i16::from_be_bytes([take(&mut input), take(&mut input)]));
        let Ok(mode) = DateMode::parse(input.as_bstr(), false) else {
            return Ok(1);
        };
        let mut out = Vec::new();
        let pushed = mode.push(&mut out, seconds, zone, &self.clock).is_ok();
        let is_own = matches!(mode.notation, DateNotation::Format(_));
        ensure(is_own || out.len() < 100, || format!("{} bytes", out.len()))?;
        Ok(outcome((
            pushed,
            out.len().min(60),
            mode.width(&self.clock).min(60),
        )))
    }
}

/// Arguments of `-L`, each on a line, for a text that follows them after a NUL.
pub struct LineRanges;

impl Target for LineRanges {
    fn seeds(&self) -> Vec<Vec<u8>> {
        let text = b"\0int main(void)\n{\n\treturn 0;\n}\n\nstatic f() {\n  x\n}\nlast";
        let arguments = corpus("line_ranges").into_iter();
        arguments.map(|line| [&line, &text[..]].concat()).collect()
    }

    fn words(&self) -> &[&[u8]] {
        &[
            b",",
            b"+",
            b"-",
            b"/",
            b"^",
            b"$",
            b":",
            b"\\(",
            b"\\)",
            b"\\1",
            b"*",
            b"[[:alpha:]]",
            b"[^",
            b"\\{2,3\\}",
            b"/main/",
            b"/}/",
            b":main",
            b"^/x/",
            b"\\|",
            b".",
            b"\n",
            b"\\w",
            b"\\<",
            b"[[=a=]]",
        ]
    }

    fn most_bytes(&self) -> usize {
        400
    }

    fn run(&mut self, input: &[u8]) -> Result<u64, String> {
        let end = memchr::memchr(0, input).unwrap_or(input.len());
        let (arguments, text) = (&input[..end], input.get(end + 1..).unwrap_or_default());
        let arguments: Vec<BString> = arguments.lines().map(BString::from).collect();
        let rule = match input.len() % 3 {
            0 => FunctionRule::default(),
            1 => FunctionRule::of_driver(BStr::new("cpp"), GitVersion::NEWEST),
            _ => FunctionRule::of_driver(BStr::new("python"), GitVersion::NEWEST),
        };
        let utf8 = input.len().is_multiple_of(2);
        let count = text.lines().count() as u32;
        match resolve(text, &arguments, BStr::new("file"), &rule, utf8) {
            Err(error) => Ok(outcome(error.status())),
            Ok(ranges) => {
                let mut last = 0;
                for range in &ranges {
                    let fits = range.start < range.end && range.end <= count;
                    ensure(fits && (last == 0 || range.start > last), || {
                        format!("{ranges:?} of {count} lines")
                    })?;
                    last = range.end;
                }
                Ok(outcome((ranges.len().min(5), last)))
            }
        }
    }
}

/// What is shown of any bytes.
pub struct Sanitiser;

/// Whether a terminal may get this character.
fn is_safe(character: char) -> bool {
    !character.is_control()
        && !matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        && !matches!(
            character,
            '\u{feff}' | '\u{e0000}'..='\u{e007f}' | '\u{61c}'
        )
}

impl Target for Sanitiser {
    fn seeds(&self) -> Vec<Vec<u8>> {
        corpus("sanitiser")
    }

    fn words(&self) -> &[&[u8]] {
        const WORDS: &[&[u8]] = &[
            b"\x1b[31m",
            b"\x1b]0;t\x07",
            b"\xc2\x9b",
            b"\t",
            "\u{202e}".as_bytes(),
            "\u{e0041}".as_bytes(),
            "\u{200d}".as_bytes(),
            "\u{fe0f}".as_bytes(),
            "👩".as_bytes(),
            "\u{301}".as_bytes(),
            "日".as_bytes(),
            b"\xff",
            b"\xed\xa0\x80",
            b"\xf4\x90\x80\x80",
            b"\r",
            b"\x7f",
            "🇩🇪".as_bytes(),
            "\u{1160}".as_bytes(),
        ];
        WORDS
    }

    fn most_bytes(&self) -> usize {
        500
    }

    fn run(&mut self, input: &[u8]) -> Result<u64, String> {
        let line = sanitize::line(input);
        ensure(line.chars().all(is_safe), || format!("{line:?}"))?;
        let (mut at, mut column) = (0, 0);
        for glyph in Glyphs::new(input) {
            let follows = glyph.start >= at && glyph.column == column && glyph.end > glyph.start;
            ensure(
                follows && glyph.columns > 0 && !glyph.text.is_empty(),
                || format!("{glyph:?}"),
            )?;
            (at, column) = (glyph.end, glyph.column + glyph.columns);
        }
        ensure(at <= input.len(), || {
            format!("{at} of {} bytes", input.len())
        })?;
        let width = sanitize::width(input);
        ensure(width == column, || format!("{width} columns, not {column}"))?;
        let whole: Vec<_> = Glyphs::new(input).collect();
        let positions = Glyphs::positions(input, 7);
        for columns in [0, 1, 2, 5, 40] {
            let clipped = sanitize::clip(input, columns);
            let clipped_width = sanitize::width(clipped.as_bytes());
            ensure(clipped_width <= columns, || {
                format!("{clipped:?} in {columns}")
            })?;
            let expected: Vec<_> = whole
                .iter()
                .filter(|glyph| glyph.column + glyph.columns > columns)
                .cloned()
                .collect();
            let from: Vec<_> = Glyphs::from_column(input, columns).collect();
            ensure(from == expected, || format!("from column {columns}"))?;
            let from: Vec<_> = Glyphs::from_positions(input, &positions, columns).collect();
            ensure(from == expected, || {
                format!("from column {columns} by positions")
            })?;
        }
        Ok(outcome((width.min(30), line.len().min(60))))
    }
}

/// Names of keys, and the keys that replies of a terminal arrive as.
pub struct Keys;

impl Target for Keys {
    fn seeds(&self) -> Vec<Vec<u8>> {
        let mut seeds = corpus("keys");
        seeds.extend([
            b"j\x1b]11;rgb:1e1e/1e1e/1e1e\x07k".to_vec(),
            b"\x1b]11;rgba:ff/ff/ff/ff\x1b\\".to_vec(),
            b"\x1bP1$r0;48:2::1:2:3m\x1b\\j".to_vec(),
            b"\x1bP1+r524742=38\x1b\\\x1b_Gi=1;OK\x1b\\q".to_vec(),
        ]);
        seeds
    }

    fn words(&self) -> &[&[u8]] {
        const WORDS: &[&[u8]] = &[
            b"\x1b]",
            b"\x1bP",
            b"\x1b\\",
            b"\x07",
            b"11;rgb:",
            b"ffff/",
            b"Ctrl-",
            b"Alt-",
            b"Shift-",
            b"F12",
            b"Space",
            b"Home",
            b" ",
            b"1$r48;2;1;2;3m",
            b"1+r5463",
            "é".as_bytes(),
            b"\x1b",
        ];
        WORDS
    }

    fn most_bytes(&self) -> usize {
        1500
    }

    fn run(&mut self, input: &[u8]) -> Result<u64, String> {
        let text = String::from_utf8_lossy(input);
        let sequence = KeySequence::named(&text);
        if let Some(sequence) = &sequence {
            let keys = sequence.keys().len();
            ensure((1..=4).contains(&keys), || format!("{keys} keys"))?;
            let name = sequence.to_string();
            ensure(KeySequence::named(&name).as_ref() == Some(sequence), || {
                format!("{sequence:?} is not {name:?}")
            })?;
        }
        let mut filter = ReplyFilter::new(Duration::from_millis(100));
        let start = Instant::now();
        filter.expect(start);
        let (mut given, mut passed, mut replies) = (0, 0, 0);
        let mut characters = text.chars();
        let mut now = start;
        while let Some(character) = characters.next() {
            let (character, held) = match character {
                '\x1b' => match characters.next() {
                    Some(next) => (next, KeyModifiers::ALT),
                    None => break,
                },
                '\x07' => ('g', KeyModifiers::CONTROL),
                character => (character, KeyModifiers::NONE),
            };
            if character == '~' {
                now += Duration::from_millis(300);
            }
            given += 1;
            match filter.filter(
                Event::Key(KeyEvent::new(KeyCode::Char(character), held)),
                now,
            ) {
                Filtered::Events(events) => passed += events.len(),
                Filtered::Reply(_) => replies += 1,
            }
        }
        passed += usize::from(filter.release().is_some());
        ensure(passed + replies <= given, || {
            format!("{passed} of {given} keys")
        })?;
        ensure(filter.release().is_none(), || {
            "it is released twice".to_owned()
        })?;
        // After a second without an end, keys are keys again.
        let later = now + Duration::from_secs(2);
        let key = Event::Key(KeyEvent::new(KeyCode::Char('j'), KeyModifiers::NONE));
        let passes =
            matches!(filter.filter(key, later), Filtered::Events(events) if !events.is_empty());
        ensure(passes, || "a key is swallowed".to_owned())?;
        Ok(outcome((
            sequence.is_some(),
            replies.min(4),
            passed.min(10),
            given.min(10),
        )))
    }
}
