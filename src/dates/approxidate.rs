//! git's approxidate: `--since=2.weeks.ago`, `yesterday noon`, `2021-02-03 04:05 -0330`.
//!
//! Text with a complete date and time is parsed exactly; otherwise each word and number modifies
//! the current time, and anything unknown is skipped.

use bstr::ByteSlice;

use crate::dates::{
    calendar::{BrokenDownTime, Clock, DAY, days_from_civil},
    date_fields::{
        DateFields, MONTHS, WEEKDAYS, joined_numbers, letters_of, number, position, word,
    },
    exact_date,
};

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

/// Parses a date to seconds since the epoch; unknown text means now.
pub fn parse(text: &[u8], clock: &Clock) -> i64 {
    exact_date::parse_exact(text, clock).unwrap_or_else(|| ApproxidateParser::new(clock).read(text))
}

/// As [`parse`]; `None` if no part of the text is known.
pub fn parse_known(text: &[u8], clock: &Clock) -> Option<i64> {
    if let Some(exact) = exact_date::parse_exact(text, clock) {
        return Some(exact);
    }
    let mut parser = ApproxidateParser::new(clock);
    let date = parser.read(text);
    parser.knows.then_some(date)
}

/// True if the meaning of a text may depend on [`Clock::with_older_dates`].
pub fn depends_on_version(text: &[u8]) -> bool {
    let text = text.to_ascii_lowercase();
    let digits = text.split(|byte| !byte.is_ascii_digit());
    ["today", "noon", "tea"].iter().any(|word| text.contains_str(word))
        // Numbers of 32 bits have nine digits or more, and may be negative.
        || digits.map(<[u8]>::len).any(|count| count > 8)
}

/// The state of an approximate parse.
struct ApproxidateParser<'a> {
    clock: &'a Clock,
    now: BrokenDownTime,
    fields: DateFields,
    weekday: u8,
    /// Daylight saving time was in effect at the last resolved time.
    summer: bool,
    /// A number whose meaning depends on the next word; 0 if none.
    pending: i64,
    /// How many days before the current one are meant if no day follows (32 bits in git).
    days_back: i32,
    /// A word or number was understood.
    knows: bool,
}

impl<'a> ApproxidateParser<'a> {
    fn new(clock: &'a Clock) -> Self {
        let seconds = clock.now();
        let now = BrokenDownTime::from_seconds(seconds + clock.offset(seconds));
        ApproxidateParser {
            clock,
            now,
            fields: DateFields {
                hour: Some(now.hour.into()),
                minute: Some(now.minute.into()),
                second: Some(now.second.into()),
                ..DateFields::default()
            },
            weekday: now.weekday,
            summer: clock.is_summer(seconds),
            pending: 0,
            days_back: 0,
            knows: false,
        }
    }

    fn read(&mut self, text: &[u8]) -> i64 {
        let mut rest = text;
        while let Some(&byte) = rest.first() {
            let read = if byte.is_ascii_digit() {
                self.settle_pending();
                self.knows = true;
                self.digits(rest)
            } else if byte.is_ascii_alphabetic() {
                self.knows |= self.word(rest);
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
        // Leading zeros are accepted in one or two digits only, as in "Dec 02".
        if text[0] != b'0' || count <= 2 {
            // git truncates to 32 bits.
            self.pending = i64::from(value as i32);
        }
        count
    }

    /// Uses a pending number as the first missing one of day, month and year.
    fn settle_pending(&mut self) {
        let number = std::mem::take(&mut self.pending);
        let fields = &mut self.fields;
        if number == 0 {
        } else if number < 0 {
            // It has overflowed. In git a negative day is unknown, and newer versions count days
            // back with it.
            if fields.day.is_none() && !self.clock.has_older_dates() {
                self.days_back = (-1 - number) as i32;
            }
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

    /// Completes the date from the current one, then subtracts `seconds` (32 bits in git).
    fn go_back(&mut self, seconds: i32) -> i64 {
        let fields = self.fields;
        let days_back = std::mem::take(&mut self.days_back);
        let seconds = match (fields.day, seconds) {
            (None, 0) => days_back.wrapping_mul(DAY as i32),
            _ => seconds,
        };
        let day = fields.day.unwrap_or(self.now.day.into());
        let month = fields.month.unwrap_or(self.now.month);
        // git counts years from 1900; negative ones mean unknown.
        let year = fields.year.filter(|year| *year >= 1900).unwrap_or_else(|| {
            // A later month than the current one, without a year, is in the last year.
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
        let at = BrokenDownTime::from_seconds(seconds.saturating_add(self.clock.offset(seconds)));
        self.fields = DateFields::new(&at);
        self.weekday = at.weekday;
        self.summer = self.clock.is_summer(seconds);
    }

    /// Applies a word; false if it is unknown.
    fn word(&mut self, text: &[u8]) -> bool {
        if let Some(month) = position(text, &MONTHS, 3) {
            self.fields.month = Some(month as u8 + 1);
            return true;
        }
        if self.keyword(text) {
            return true;
        }
        if self.pending == 0 {
            let count = COUNTS
                .iter()
                .position(|name| letters_of(text, name) == name.len());
            if let Some(count) = count {
                self.pending = count as i64 + 1;
            } else if letters_of(text, "last") == 4 {
                self.pending = 1;
            } else {
                return false;
            }
            return true;
        }
        // Without the plural `s`, too.
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
        } else {
            return false;
        }
        true
    }

    /// Applies a keyword; false if `text` does not start with one.
    fn keyword(&mut self, text: &[u8]) -> bool {
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
                self.forget_day();
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
            Some("today") if !self.clock.has_older_dates() => {
                self.forget_day();
                let now = DateFields::new(&self.now);
                let time = |of: &DateFields| (of.hour, of.minute, of.second);
                if time(&self.fields) == time(&now) {
                    self.fields.set_time(0, 0, 0);
                }
                self.go_back(0);
            }
            _ => return false,
        }
        true
    }

    /// Forgets a pending number, and in newer versions the day.
    fn forget_day(&mut self) {
        self.pending = 0;
        if !self.clock.has_older_dates() {
            self.fields.day = None;
            self.days_back = 0;
        }
    }

    /// The most recent occurrence of this hour; in newer versions only if no day is given.
    fn last_time_of_day(&mut self, hour: i64) {
        self.settle_pending();
        if self.fields.hour.is_some_and(|now| now < hour) {
            if self.clock.has_older_dates() {
                self.go_back(DAY as i32);
            } else if self.fields.day.is_none() {
                self.days_back = 1;
            }
        }
        self.fields.set_time(hour, 0, 0);
    }

    /// `am` or `pm`: for a pending number as the hour, otherwise for the current hour.
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
    fn a_day_counts_before_the_time_of_day() {
        const MIDNIGHT: i64 = 1_612_396_800;
        const NOON: i64 = MIDNIGHT + 12 * 3600;
        let clock = Clock::new(NOW, TimeZone::UTC);
        let older = clock.clone().with_older_dates(true);
        for (text, expected, before) in [
            ("noon", NOON - DAY, NOON - DAY),
            ("today", MIDNIGHT, NOW),
            ("10:30 today", MIDNIGHT + 37_800, MIDNIGHT + 37_800),
            ("noon today", NOON, NOON - DAY),
            ("noon yesterday", NOON - DAY, NOON - 2 * DAY),
            ("noon 5 days ago", NOON - 5 * DAY, NOON - 6 * DAY),
            ("Feb 3 noon", NOON - DAY, NOON - 2 * DAY),
            ("noon Jan", NOON - 32 * DAY, NOON - 32 * DAY),
            ("4102444800", 2_077_169_408, NOW),
        ] {
            assert_eq!(parse(text.as_bytes(), &clock), expected, "{text}");
            assert_eq!(parse(text.as_bytes(), &older), before, "{text}");
            let depends = depends_on_version(text.as_bytes());
            assert!(depends || expected == before, "{text}");
        }
    }
}
