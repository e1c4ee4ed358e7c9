//! Dates as people write them: `--since=2.weeks.ago`, `yesterday noon`, `2021-02-03 04:05 -0330`.
//!
//! A text that is a whole date and time is read as such; otherwise each word and number changes
//! what is known so far, starting from now, and what is not understood is skipped.

use super::calendar::{Broken, Clock, DAY, days_from_civil};

/// Numbers from here on are seconds since the epoch.
const EPOCH_NUMBERS: u64 = 100_000_000;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
/// With the plural, so that "sundays" is a word of the list.
const WEEKDAYS: [&str; 7] = [
    "sundays",
    "mondays",
    "tuesdays",
    "wednesdays",
    "thursdays",
    "fridays",
    "saturdays",
];
const COUNTS: [&str; 10] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];
const UNITS: [(&str, i64); 5] = [
    ("seconds", 1),
    ("minutes", 60),
    ("hours", 3600),
    ("days", DAY),
    ("weeks", 7 * DAY),
];
/// Names of zones with their offset from UTC in hours, summer time included.
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

/// Read a date; what is not understood counts as now.
///
/// Returns seconds since the epoch.
pub fn parse(text: &[u8], clock: &Clock) -> i64 {
    exact(text, clock).unwrap_or_else(|| Approximation::new(clock).read(text))
}

/// What is known of a date and time.
#[derive(Debug, Clone, Copy, Default)]
struct Fields {
    year: Option<i64>,
    /// 1 to 12.
    month: Option<u8>,
    day: Option<i64>,
    hour: Option<i64>,
    minute: Option<i64>,
    second: Option<i64>,
}

impl Fields {
    fn of(at: &Broken) -> Self {
        Fields {
            year: Some(at.year),
            month: Some(at.month),
            day: Some(at.day.into()),
            hour: Some(at.hour.into()),
            minute: Some(at.minute.into()),
            second: Some(at.second.into()),
        }
    }

    fn nothing_known(&self) -> bool {
        !self.any_date() && self.hour.is_none() && self.minute.is_none() && self.second.is_none()
    }

    fn any_date(&self) -> bool {
        self.year.is_some() || self.month.is_some() || self.day.is_some()
    }

    fn date_known(&self) -> bool {
        self.year.is_some() && self.month.is_some() && self.day.is_some()
    }

    /// False if the numbers are no time of day.
    fn set_time(&mut self, hour: i64, minute: i64, second: i64) -> bool {
        let valid =
            (0..=24).contains(&hour) && (0..60).contains(&minute) && (0..=60).contains(&second);
        if valid {
            self.hour = Some(hour);
            self.minute = Some(minute);
            self.second = Some(second);
        }
        valid
    }

    /// False if the numbers are no date. With `now`, a date without year takes its year, and one
    /// more than ten days ahead of it is refused.
    ///
    /// Without `now`, month and day are kept even if the year makes no sense, as git does.
    fn set_date(&mut self, (year, month, day): (Option<i64>, i64, i64), now: Option<i64>) -> bool {
        // Git keeps 32 bits of each, and -1 for a missing year.
        let year = year
            .map(|year| i64::from(year as i32))
            .filter(|year| *year != -1);
        if !(1..13).contains(&month) || !(1..32).contains(&day) {
            return false;
        }
        // Bounded by the check above.
        let month = month as u8;
        let full_year = match year {
            None => now.map(|now| Broken::from_seconds(now).year),
            Some(year @ 1970..2100) => Some(year),
            Some(year @ 71..100) => Some(1900 + year),
            Some(year) if year < 38 => Some(2000 + year),
            Some(_) => None,
        };
        if let Some(now) = now {
            let mut whole = *self;
            (whole.year, whole.month, whole.day) = (full_year, Some(month), Some(day));
            if full_year.is_none() || whole.utc().is_some_and(|at| now + 10 * DAY < at) {
                return false;
            }
        }
        (self.month, self.day) = (Some(month), Some(day));
        if year.is_some() && full_year.is_some() {
            self.year = full_year;
        }
        full_year.is_some()
    }

    /// Day number and second of the day, if all is known and the year is one git counts in.
    ///
    /// A missing day is no hindrance: git counts with the -1 that stands for it.
    fn days_and_seconds(&self) -> Option<(i64, i64)> {
        let (year, month, day) = (self.year?, self.month?, self.day.unwrap_or(-1));
        if !(1970..2100).contains(&year) {
            return None;
        }
        let second = self.hour? * 3600 + self.minute? * 60 + self.second?;
        Some((days_from_civil(year, month, day), second))
    }

    /// Seconds since the epoch if this is UTC.
    fn utc(&self) -> Option<i64> {
        let (days, seconds) = self.days_and_seconds()?;
        Some(days * DAY + seconds)
    }
}

/// The number that `text` starts with, and its digits' count.
fn number(text: &[u8]) -> (u64, usize) {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value = text[..count].iter().fold(0u64, |value, digit| {
        value
            .saturating_mul(10)
            .saturating_add(u64::from(digit - b'0'))
    });
    (value, count)
}

fn starts_with_digit(text: &[u8]) -> bool {
    text.first().is_some_and(u8::is_ascii_digit)
}

/// The letters that `text` starts with.
fn word(text: &[u8]) -> &[u8] {
    let len = text
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    &text[..len]
}

/// How many letters of `name` the word at the start of `text` has, 0 if it is another word.
///
/// A digit belongs to a word.
fn letters_of(text: &[u8], name: &str) -> usize {
    let len = text
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    let prefix = name.as_bytes().get(..len);
    match prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(&text[..len])) {
        true => len,
        false => 0,
    }
}

fn position(text: &[u8], names: &[&str], at_least: usize) -> Option<usize> {
    names
        .iter()
        .position(|name| letters_of(text, name) >= at_least)
}

/// Read numbers joined by `:`, `-`, `/` or `.` at the start of `text` into `fields`.
///
/// Returns how many bytes were read, or `None` if they are neither time nor date.
fn joined_numbers(text: &[u8], fields: &mut Fields, now: i64) -> Option<usize> {
    let (first, mut at) = number(text);
    let separator = *text.get(at)?;
    if !matches!(separator, b':' | b'-' | b'/' | b'.') || !starts_with_digit(&text[at + 1..]) {
        return None;
    }
    let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let first = signed(first);
    let (second, len) = number(&text[at + 1..]);
    let second = signed(second);
    at += 1 + len;
    let mut third = None;
    if text.get(at) == Some(&separator) && starts_with_digit(&text[at + 1..]) {
        let (value, len) = number(&text[at + 1..]);
        third = Some(signed(value));
        at += 1 + len;
    }
    if separator == b':' {
        if !fields.set_time(first, second, third.unwrap_or(0)) {
            return None;
        }
        // Fractions of a second, unless it could be the day of a date still to come.
        if text.get(at) == Some(&b'.') && starts_with_digit(&text[at + 1..]) && fields.date_known()
        {
            at += 1 + number(&text[at + 1..]).1;
        }
        return Some(at);
    }
    let year_first = first > 70
        && third.is_some_and(|third| {
            fields.set_date((Some(first), second, third), None)
                || fields.set_date((Some(first), third, second), None)
        });
    let known = year_first
        // With dots, the day before the month is more likely.
        || (separator != b'.' && fields.set_date((third, first, second), Some(now)))
        || fields.set_date((third, second, first), Some(now))
        || (separator == b'.' && fields.set_date((third, first, second), Some(now)));
    known.then_some(at)
}

/// Read a text that gives both date and time.
fn exact(text: &[u8], clock: &Clock) -> Option<i64> {
    if let Some(seconds) = text.strip_prefix(b"@").and_then(stored) {
        return Some(seconds);
    }
    let mut reader = Exact {
        fields: Fields::default(),
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

/// `12345 +0100`: seconds and a zone as commits have them.
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

struct Exact {
    fields: Fields,
    /// Minutes east of UTC.
    offset: Option<i64>,
    /// The fields come from seconds since the epoch.
    utc: bool,
    now: i64,
}

impl Exact {
    /// Read a word; returns its length.
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
                // Git's unknown hour is -1.
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

    /// Read digits and what is joined to them; returns how many bytes.
    fn digits(&mut self, text: &[u8]) -> usize {
        let (value, count) = number(text);
        if value >= EPOCH_NUMBERS
            && self.fields.nothing_known()
            && let Ok(seconds) = i64::try_from(value)
        {
            self.fields = Fields::of(&Broken::from_seconds(seconds));
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

    /// What a number of few digits may be.
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

    /// Read `+0100`, `+01:00` or `+01`; returns the length.
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

/// A date approached word by word.
struct Approximation<'a> {
    clock: &'a Clock,
    now: Broken,
    fields: Fields,
    weekday: u8,
    /// Summer time was in force at the last known moment.
    summer: bool,
    /// A number whose meaning the next word decides.
    pending: i64,
}

impl<'a> Approximation<'a> {
    fn new(clock: &'a Clock) -> Self {
        let seconds = clock.now();
        let now = Broken::from_seconds(seconds + clock.offset(seconds));
        Approximation {
            clock,
            now,
            fields: Fields {
                hour: Some(now.hour.into()),
                minute: Some(now.minute.into()),
                second: Some(now.second.into()),
                ..Fields::default()
            },
            weekday: now.weekday,
            summer: clock.is_summer(seconds),
            pending: 0,
        }
    }

    fn read(mut self, text: &[u8]) -> i64 {
        let mut rest = text;
        while let Some(&byte) = rest.first() {
            let read = if byte.is_ascii_digit() {
                self.settle_pending();
                self.digits(rest)
            } else if byte.is_ascii_alphabetic() {
                self.word(rest);
                word(rest).len()
            } else {
                1
            };
            rest = &rest[read..];
        }
        self.settle_pending();
        self.go_back(0)
    }

    fn digits(&mut self, text: &[u8]) -> usize {
        if let Some(read) = joined_numbers(text, &mut self.fields, self.clock.now()) {
            return read;
        }
        let (value, count) = number(text);
        // "Dec 02", but nothing longer may start with a zero.
        if text[0] != b'0' || count <= 2 {
            // Git keeps 32 bits of it.
            self.pending = i64::from(value as i32);
        }
        count
    }

    /// A number that no word claimed is the day, the month or the year, whatever is missing.
    fn settle_pending(&mut self) {
        let number = std::mem::take(&mut self.pending);
        let fields = &mut self.fields;
        if number <= 0 {
            // Nothing, or what overflowed: git takes a negative day for an unknown one.
        } else if fields.day.is_none() && number < 32 {
            fields.day = Some(number);
        } else if fields.month.is_none() && number < 13 {
            fields.month = Some(number as u8);
        } else if fields.year.is_none() {
            fields.year = match number {
                1970..2100 => Some(number),
                70..100 => Some(1900 + number),
                0..38 => Some(2000 + number),
                _ => None,
            };
        }
    }

    /// Complete the date from now, then go back some seconds, which git counts in 32 bits.
    fn go_back(&mut self, seconds: i32) -> i64 {
        let fields = self.fields;
        let day = fields.day.unwrap_or(self.now.day.into());
        let month = fields.month.unwrap_or(self.now.month);
        // Git counts years from 1900: before that is like not known.
        let year = fields.year.filter(|year| *year >= 1900).unwrap_or_else(|| {
            // A month without year that is still to come was last year's.
            self.now.year - i64::from(month > self.now.month)
        });
        let time = [(fields.hour, 3600), (fields.minute, 60), (fields.second, 1)];
        let second_of_day = time
            .iter()
            .map(|(value, unit)| value.unwrap_or(0) * unit)
            .sum();
        let days = days_from_civil(year, month, day);
        let at = self
            .clock
            .local_seconds(days, second_of_day, Some(self.summer))
            .saturating_sub(seconds.into());
        self.move_to(at);
        at
    }

    fn move_to(&mut self, seconds: i64) {
        let at = Broken::from_seconds(seconds.saturating_add(self.clock.offset(seconds)));
        self.fields = Fields::of(&at);
        self.weekday = at.weekday;
        self.summer = self.clock.is_summer(seconds);
    }

    fn word(&mut self, text: &[u8]) {
        if let Some(month) = position(text, &MONTHS, 3) {
            self.fields.month = Some(month as u8 + 1);
            return;
        }
        if self.special(text) {
            return;
        }
        if self.pending == 0 {
            let count = COUNTS
                .iter()
                .position(|name| letters_of(text, name) == name.len());
            if let Some(count) = count {
                self.pending = count as i64 + 1;
            } else if letters_of(text, "last") == 4 {
                self.pending = 1;
            }
            return;
        }
        // The plural may be missing.
        let unit = UNITS
            .iter()
            .find(|(name, _)| letters_of(text, name) + 1 >= name.len());
        if let Some((_, seconds)) = unit {
            let back = seconds.wrapping_mul(std::mem::take(&mut self.pending));
            self.go_back(back as i32);
        } else if let Some(weekday) = position(text, &WEEKDAYS, 3) {
            let mut weeks = std::mem::take(&mut self.pending) - 1;
            let days = i64::from(self.weekday) - weekday as i64;
            if days <= 0 {
                weeks += 1;
            }
            self.go_back((days + 7 * weeks).wrapping_mul(DAY) as i32);
        } else if letters_of(text, "months") >= 5 {
            self.go_back(0);
            let months = std::mem::take(&mut self.pending);
            let now = self.fields.month.map_or(0, i64::from) - 1;
            let month = now - months;
            self.fields.month = Some(month.rem_euclid(12) as u8 + 1);
            self.fields.year = self.fields.year.map(|year| year + month.div_euclid(12));
        } else if letters_of(text, "years") >= 4 {
            self.go_back(0);
            let years = std::mem::take(&mut self.pending);
            self.fields.year = self.fields.year.map(|year| year - years);
        }
    }

    /// Words with a meaning of their own; false if this is none.
    fn special(&mut self, text: &[u8]) -> bool {
        const WORDS: [&str; 9] = [
            "yesterday",
            "noon",
            "midnight",
            "tea",
            "pm",
            "am",
            "never",
            "now",
            "today",
        ];
        let found = WORDS
            .iter()
            .find(|name| letters_of(text, name) == name.len());
        match found.copied() {
            Some("yesterday") => {
                self.pending = 0;
                self.go_back(DAY as i32);
            }
            Some("noon") => self.last_time_of_day(12),
            Some("midnight") => self.last_time_of_day(0),
            Some("tea") => self.last_time_of_day(17),
            Some("pm") => self.half_of_day(12),
            Some("am") => self.half_of_day(0),
            Some("never") => {
                self.pending = 0;
                self.move_to(0);
            }
            Some("now") => {
                self.pending = 0;
                self.go_back(0);
            }
            _ => return false,
        }
        true
    }

    /// The last time that it was this hour.
    fn last_time_of_day(&mut self, hour: i64) {
        self.settle_pending();
        if self.fields.hour.is_some_and(|now| now < hour) {
            self.go_back(DAY as i32);
        }
        self.fields.set_time(hour, 0, 0);
    }

    /// A pending number is the hour; otherwise the known hour moves to this half.
    fn half_of_day(&mut self, start: i64) {
        let number = std::mem::take(&mut self.pending);
        let mut hour = self.fields.hour.unwrap_or(0);
        if number != 0 {
            hour = number;
            (self.fields.minute, self.fields.second) = (Some(0), Some(0));
        }
        self.fields.hour = Some(hour % 12 + start);
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;

    /// Thursday 2021-02-04 00:53:20.
    const NOW: i64 = 1_612_400_000;

    #[test]
    fn words_and_numbers() {
        let clock = Clock::new(NOW, TimeZone::UTC);
        for (text, expected) in [
            ("12 month ago", 1_580_777_600),
            ("3.weeks", NOW - 21 * DAY),
            ("dec 3", 1_606_956_800),
            ("last friday", NOW - 6 * DAY),
            ("noon", 1_612_353_600),
            ("friday", NOW),
            ("never", 0),
            ("garbage", NOW),
            ("2021-02-03T10:11:12Z", 1_612_347_072),
            ("2005-04-07 22:13:13 -0700", 1_112_937_193),
            ("123456789", 123_456_789),
            ("@12345 +0100", 12_345),
        ] {
            assert_eq!(parse(text.as_bytes(), &clock), expected, "{text}");
        }
    }

    #[test]
    fn any_bytes_are_a_date() {
        let clock = Clock::new(NOW, TimeZone::UTC);
        for text in [
            &b"\xff\xfe 9999999999999999999999 days"[..],
            b"@",
            b"+",
            b"1:",
            b"-9",
            b"T",
        ] {
            parse(text, &clock);
        }
        parse("4294967295 months ago".as_bytes(), &clock);
        parse("2147483647 years 9 months".as_bytes(), &clock);
    }
}
