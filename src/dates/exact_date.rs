//! git's parser for complete dates: date and time in the usual notations.

use crate::dates::{
    calendar::{BrokenDownTime, Clock, DAY},
    date_fields::{
        DateFields, MONTHS, WEEKDAYS, joined_numbers, letters_of, number, position,
        starts_with_digit, word,
    },
};

/// Numbers from here on are seconds since the epoch.
const MIN_TIMESTAMP: u64 = 100_000_000;

/// Zone names with their UTC offsets in hours, including daylight saving time.
const ZONES: [(&str, i64); 44] = [
    ("idlw", -12),
    ("nt", -11),
    ("cat", -10),
    ("hst", -10),
    ("hdt", -9),
    ("yst", -9),
    ("ydt", -8),
    ("pst", -8),
    ("pdt", -7),
    ("mst", -7),
    ("mdt", -6),
    ("cst", -6),
    ("cdt", -5),
    ("est", -5),
    ("edt", -4),
    ("ast", -3),
    ("adt", -2),
    ("wat", -1),
    ("gmt", 0),
    ("utc", 0),
    ("z", 0),
    ("wet", 0),
    ("bst", 1),
    ("cet", 1),
    ("met", 1),
    ("mewt", 1),
    ("mest", 2),
    ("cest", 2),
    ("mesz", 2),
    ("fwt", 1),
    ("fst", 2),
    ("eet", 2),
    ("eest", 3),
    ("wast", 7),
    ("wadt", 8),
    ("cct", 8),
    ("jst", 9),
    ("east", 10),
    ("eadt", 11),
    ("gst", 10),
    ("nzt", 12),
    ("nzst", 12),
    ("nzdt", 13),
    ("idle", 12),
];

/// Parses a complete date and time; `None` if the text is not one.
pub(crate) fn parse_exact(text: &[u8], clock: &Clock) -> Option<i64> {
    if let Some(seconds) = text.strip_prefix(b"@").and_then(stored) {
        return Some(seconds);
    }
    let mut reader = ExactDateParser {
        fields: DateFields::default(),
        offset: None,
        utc: false,
        now: clock.system_now(),
    };
    let mut rest = text;
    while let Some(&byte) = rest.first().filter(|&&byte| byte != b'\n') {
        let read = match byte {
            _ if byte.is_ascii_alphabetic() => reader.word(rest),
            _ if byte.is_ascii_digit() => reader.digits(rest),
            b'-' | b'+' if starts_with_digit(&rest[1..]) => reader.zone(rest),
            _ => 1,
        };
        rest = &rest[read..];
    }
    let (days, seconds) = reader.fields.days_and_seconds()?;
    if reader.utc {
        return Some(days * DAY + seconds);
    }
    Some(match reader.offset {
        Some(minutes) => days * DAY + seconds - minutes * 60,
        None => clock.local_seconds(days, seconds, None),
    })
}

/// Parses `12345 +0100`: seconds and a zone as in commits.
fn stored(text: &[u8]) -> Option<i64> {
    let (seconds, len) = number(text);
    match &text[len..] {
        [b' ', b'+' | b'-', rest @ ..] if len > 0 => {
            let (_, digits) = number(rest);
            let ends = matches!(rest.get(digits), None | Some(b'\n'));
            (digits == 4 && ends).then(|| i64::try_from(seconds).ok())?
        }
        _ => None,
    }
}

struct ExactDateParser {
    fields: DateFields,
    /// Minutes east of UTC.
    offset: Option<i64>,
    /// The fields are in UTC: they come from a timestamp.
    utc: bool,
    now: i64,
}

impl ExactDateParser {
    /// Parses a word; returns its length.
    fn word(&mut self, text: &[u8]) -> usize {
        if let Some(month) = position(text, &MONTHS, 3) {
            self.fields.month = Some(month as u8 + 1);
            return word(text).len();
        }
        if position(text, &WEEKDAYS, 3).is_some() {
            return word(text).len();
        }
        let zone = ZONES.iter().find(|(name, _)| {
            let letters = letters_of(text, name);
            letters >= 3 || letters == name.len()
        });
        if let Some((_, hours)) = zone {
            self.offset.get_or_insert(hours * 60);
            return word(text).len();
        }
        for (name, afternoon) in [("pm", 12), ("am", 0)] {
            if letters_of(text, name) == 2 {
                // In git, an unknown hour is -1.
                let hour = self.fields.hour.unwrap_or(-1) % 12 + afternoon;
                self.fields.hour = (hour >= 0).then_some(hour);
                return 2;
            }
        }
        if text[0] == b'T' && starts_with_digit(&text[1..]) && self.fields.hour.is_none() {
            (self.fields.minute, self.fields.second) = (Some(0), Some(0));
            return 1;
        }
        word(text).len()
    }

    /// Parses digits and numbers joined to them; returns the length.
    fn digits(&mut self, text: &[u8]) -> usize {
        let (value, count) = number(text);
        if value >= MIN_TIMESTAMP
            && self.fields.nothing_known()
            && let Ok(seconds) = i64::try_from(value)
        {
            self.fields = DateFields::new(&BrokenDownTime::from_seconds(seconds));
            self.utc = true;
            return count;
        }
        if let Some(read) = joined_numbers(text, &mut self.fields, self.now) {
            return read;
        }
        let value = i64::try_from(value).unwrap_or(i64::MAX);
        match count {
            8 => {
                let date = (Some(value / 10_000), value / 100 % 100, value % 100);
                self.fields.set_date(date, None);
                return count;
            }
            6 => {
                let set = self
                    .fields
                    .set_time(value / 10_000, value / 100 % 100, value % 100);
                if set && text.get(count) == Some(&b'.') && starts_with_digit(&text[count + 1..]) {
                    return count + 1 + number(&text[count + 1..]).1;
                }
                return count;
            }
            _ => {}
        }
        self.lone_number(value, count);
        count
    }

    /// Interprets a single number by its digits and the fields that are missing.
    fn lone_number(&mut self, value: i64, digits: usize) {
        let fields = &mut self.fields;
        let after_t = fields.hour.is_none() && fields.minute == Some(0) && fields.second == Some(0);
        if after_t {
            let time = match digits {
                4 => Some((value / 100, value % 100)),
                2 => Some((value, 0)),
                _ => None,
            };
            if time.is_some_and(|(hour, minute)| fields.set_time(hour, minute, 0)) {
                return;
            }
            (fields.minute, fields.second) = (None, None);
        }
        match digits {
            4 => {
                if value <= 1400 && self.offset.is_none() {
                    self.offset = Some(value / 100 * 60 + value % 100);
                } else if value > 1900 && value < 2100 {
                    fields.year = Some(value);
                }
            }
            3.. => {}
            _ if value > 0 && value < 32 && fields.day.is_none() => fields.day = Some(value),
            2 if fields.year.is_none() && value < 10 && fields.day.is_some() => {
                fields.year = Some(2000 + value);
            }
            2 if fields.year.is_none() && value >= 70 => fields.year = Some(1900 + value),
            _ if value > 0 && value < 13 && fields.month.is_none() => {
                fields.month = Some(value as u8);
            }
            _ => {}
        }
    }

    /// Parses `+0100`, `+01:00` or `+01`; returns the length.
    fn zone(&mut self, text: &[u8]) -> usize {
        let (value, count) = number(&text[1..]);
        let mut len = 1 + count;
        let parsed = match count {
            4 => Some((value / 100, value % 100)),
            2 if text.get(len) == Some(&b':') => {
                let (minutes, digits) = number(&text[len + 1..]);
                len += 1 + digits;
                (digits == 2).then_some((value, minutes))
            }
            2 => Some((value, 0)),
            _ => None,
        };
        if let Some((hours @ 0..24, minutes @ 0..60)) = parsed {
            let offset = (hours * 60 + minutes) as i64;
            self.offset = Some(if text[0] == b'-' { -offset } else { offset });
        }
        len
    }
}
