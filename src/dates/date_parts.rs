//! What both ways of reading a date know: words, numbers, and the fields they fill.

use crate::dates::calendar::{Broken, DAY, days_from_civil};

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
/// With the plural, so that "sundays" is a word of the list.
pub(crate) const WEEKDAYS: [&str; 7] = [
    "sundays",
    "mondays",
    "tuesdays",
    "wednesdays",
    "thursdays",
    "fridays",
    "saturdays",
];
/// What is known of a date and time.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Fields {
    pub(crate) year: Option<i64>,
    /// 1 to 12.
    pub(crate) month: Option<u8>,
    pub(crate) day: Option<i64>,
    pub(crate) hour: Option<i64>,
    pub(crate) minute: Option<i64>,
    pub(crate) second: Option<i64>,
}

impl Fields {
    pub(crate) fn of(at: &Broken) -> Self {
        Fields {
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

    /// False if the numbers are no time of day.
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

    /// False if the numbers are no date. With `now`, a date without year takes its year, and one
    /// more than ten days ahead of it is refused.
    ///
    /// Without `now`, month and day are kept even if the year makes no sense, as git does.
    pub(crate) fn set_date(
        &mut self,
        (year, month, day): (Option<i64>, i64, i64),
        now: Option<i64>,
    ) -> bool {
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
    pub(crate) fn days_and_seconds(&self) -> Option<(i64, i64)> {
        let (year, month, day) = (self.year?, self.month?, self.day.unwrap_or(-1));
        if !(1970..2100).contains(&year) {
            return None;
        }
        let second = self.hour? * 3600 + self.minute? * 60 + self.second?;
        Some((days_from_civil(year, month, day), second))
    }

    /// Seconds since the epoch if this is UTC.
    pub(crate) fn utc(&self) -> Option<i64> {
        let (days, seconds) = self.days_and_seconds()?;
        Some(days * DAY + seconds)
    }
}

/// The number that `text` starts with, and its digits' count.
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

/// The letters that `text` starts with.
pub(crate) fn word(text: &[u8]) -> &[u8] {
    let len = text
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    &text[..len]
}

/// How many letters of `name` the word at the start of `text` has, 0 if it is another word.
///
/// A digit belongs to a word.
pub(crate) fn letters_of(text: &[u8], name: &str) -> usize {
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

pub(crate) fn position(text: &[u8], names: &[&str], at_least: usize) -> Option<usize> {
    names
        .iter()
        .position(|name| letters_of(text, name) >= at_least)
}

/// Read numbers joined by `:`, `-`, `/` or `.` at the start of `text` into `fields`.
///
/// Returns how many bytes were read, or `None` if they are neither time nor date.
pub(crate) fn joined_numbers(text: &[u8], fields: &mut Fields, now: i64) -> Option<usize> {
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
