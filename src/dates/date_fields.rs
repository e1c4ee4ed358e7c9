//! Common parts of the exact and the approximate date parser: words, numbers, date fields.

use crate::dates::calendar::{BrokenDownTime, DAY, days_from_civil};

pub(crate) const MONTHS: [&str; 12] = [
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
/// In the plural, so that "sundays" matches too.
pub(crate) const WEEKDAYS: [&str; 7] = [
    "sundays",
    "mondays",
    "tuesdays",
    "wednesdays",
    "thursdays",
    "fridays",
    "saturdays",
];

/// The parts of a date and time parsed so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DateFields {
    pub(crate) year: Option<i64>,
    /// 1 to 12.
    pub(crate) month: Option<u8>,
    pub(crate) day: Option<i64>,
    pub(crate) hour: Option<i64>,
    pub(crate) minute: Option<i64>,
    pub(crate) second: Option<i64>,
}

impl DateFields {
    pub(crate) fn new(at: &BrokenDownTime) -> Self {
        DateFields {
            year: Some(at.year),
            month: Some(at.month),
            day: Some(at.day.into()),
            hour: Some(at.hour.into()),
            minute: Some(at.minute.into()),
            second: Some(at.second.into()),
        }
    }

    pub(crate) fn nothing_known(&self) -> bool {
        !self.any_date() && self.hour.is_none() && self.minute.is_none() && self.second.is_none()
    }

    pub(crate) fn any_date(&self) -> bool {
        self.year.is_some() || self.month.is_some() || self.day.is_some()
    }

    pub(crate) fn date_known(&self) -> bool {
        self.year.is_some() && self.month.is_some() && self.day.is_some()
    }

    /// Sets the time of day; false if it is invalid.
    pub(crate) fn set_time(&mut self, hour: i64, minute: i64, second: i64) -> bool {
        let valid =
            (0..=24).contains(&hour) && (0..60).contains(&minute) && (0..=60).contains(&second);
        if valid {
            self.hour = Some(hour);
            self.minute = Some(minute);
            self.second = Some(second);
        }
        valid
    }

    /// Sets the date; false if it is invalid. With `now`, its year is the default, and dates more
    /// than ten days in the future are rejected.
    ///
    /// Without `now`, month and day are set even if the year is invalid, as in git.
    pub(crate) fn set_date(
        &mut self,
        (year, month, day): (Option<i64>, i64, i64),
        now: Option<i64>,
    ) -> bool {
        // git truncates to 32 bits, and a year of -1 means unknown.
        let year = year
            .map(|year| i64::from(year as i32))
            .filter(|year| *year != -1);
        if !(1..13).contains(&month) || !(1..32).contains(&day) {
            return false;
        }
        // Lossless after the check above.
        let month = month as u8;
        let full_year = match year {
            None => now.map(|now| BrokenDownTime::from_seconds(now).year),
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

    /// Days since the epoch and second of the day, if complete and in the years that git supports.
    ///
    /// The day may be missing: git then computes with -1, which stands for unknown.
    pub(crate) fn days_and_seconds(&self) -> Option<(i64, i64)> {
        let (year, month, day) = (self.year?, self.month?, self.day.unwrap_or(-1));
        if !(1970..2100).contains(&year) {
            return None;
        }
        let second = self.hour? * 3600 + self.minute? * 60 + self.second?;
        Some((days_from_civil(year, month, day), second))
    }

    /// Seconds since the epoch, for fields in UTC.
    pub(crate) fn utc(&self) -> Option<i64> {
        let (days, seconds) = self.days_and_seconds()?;
        Some(days * DAY + seconds)
    }
}

/// The number at the start of `text` and its number of digits.
pub(crate) fn number(text: &[u8]) -> (u64, usize) {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value = text[..count].iter().fold(0u64, |value, digit| {
        value
            .saturating_mul(10)
            .saturating_add(u64::from(digit - b'0'))
    });
    (value, count)
}

pub(crate) fn starts_with_digit(text: &[u8]) -> bool {
    text.first().is_some_and(u8::is_ascii_digit)
}

/// The letters at the start of `text`.
pub(crate) fn word(text: &[u8]) -> &[u8] {
    let len = text
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    &text[..len]
}

/// The length of the word at the start of `text` if it is a prefix of `name`, otherwise 0.
///
/// Digits are part of a word.
pub(crate) fn letters_of(text: &[u8], name: &str) -> usize {
    let len = text
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    let prefix = name.as_bytes().get(..len);
    if prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(&text[..len])) {
        len
    } else {
        0
    }
}

/// The index of the first of `names` that the word at the start of `text` abbreviates to `at_least`
/// letters or more.
pub(crate) fn position(text: &[u8], names: &[&str], at_least: usize) -> Option<usize> {
    names
        .iter()
        .position(|name| letters_of(text, name) >= at_least)
}

/// Parses a time or date of numbers separated by `:`, `-`, `/` or `.` at the start of `text`.
///
/// Returns its length, or `None` if it is neither.
pub(crate) fn joined_numbers(text: &[u8], fields: &mut DateFields, now: i64) -> Option<usize> {
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
        // Skip fractional seconds, unless no date has been parsed and this may be its day.
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
        // With dots, day before month is more likely.
        || (separator != b'.' && fields.set_date((third, first, second), Some(now)))
        || fields.set_date((third, second, first), Some(now))
        || (separator == b'.' && fields.set_date((third, first, second), Some(now)));
    known.then_some(at)
}
