//! Dates that are typed among other names: only whole ones whose meaning is clear.
//!
//! git's approxidate skips what it does not know, so that it would take a file name for a date.

use std::sync::LazyLock;

use bstr::ByteSlice;
use regex::bytes::{Captures, Regex};

use crate::dates::{
    approxidate,
    calendar::{Clock, DAY, civil_from_days, days_from_civil},
};

/// A day or a month, perhaps with a time; or `yesterday`, `last week`, `3 years ago`, `2.weeks.ago`.
static DATE: LazyLock<Regex> = LazyLock::new(|| {
    const TIME: &str =
        r"(noon|midnight|([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d)?( ?(Z|[+-]\d\d:?\d\d))?)";
    const UNIT: &str = "(second|minute|hour|day|week|month|year)s?";
    const COUNT: &str = r"(\d{1,9}|one|two|three|four|five|six|seven|eight|nine|ten)";
    let forms = [
        format!(r"(?<year>\d{{4}})-(?<month>\d\d)(-(?<day>\d\d)(?<time>[ T]{TIME})?)?"),
        format!("yesterday([ .]{TIME})?"),
        format!("last[ .]({UNIT}|(mon|tues|wednes|thurs|fri|satur|sun)day)"),
        format!("({COUNT}[ .]{UNIT}[ .])+ago"),
    ];
    let pattern = format!("^(?i-u:{})$", forms.join("|"));
    Regex::new(&pattern).expect("a constant expression")
});

/// A number of units in the words of [`DATE`].
static SPANS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i-u)(\d+)[ .]([a-z]{3})").expect("a constant expression"));

/// Units by their first letters, none longer than it can be, in seconds.
const UNITS: [(&[u8], i64); 7] = [
    (b"sec", 1),
    (b"min", 60),
    (b"hou", 3600),
    (b"day", DAY),
    (b"wee", 7 * DAY),
    (b"mon", 28 * DAY),
    (b"yea", 365 * DAY),
];

/// The time that a text stands for if it is nothing but a date, in seconds since the epoch. A day
/// stands for its end, a month for its beginning. What is before the epoch is negative.
pub fn parse(text: &[u8], clock: &Clock) -> Option<i64> {
    let found = DATE.captures(text)?;
    if found.name("year").is_some() {
        return calendar_date(text, &found, clock);
    }
    let span = |span: Captures<'_>| {
        let unit = UNITS
            .iter()
            .find(|(name, _)| span[2].eq_ignore_ascii_case(name))?;
        Some(span[1].to_str().ok()?.parse::<i64>().ok()? * unit.1)
    };
    // For a year that git's dates do not have, approxidate takes the current one.
    if SPANS.captures_iter(text).filter_map(span).sum::<i64>() > clock.now() {
        return Some(-1);
    }
    approxidate::parse_known(text, clock)
}

/// The time of a day or a month with digits.
fn calendar_date(text: &[u8], found: &Captures<'_>, clock: &Clock) -> Option<i64> {
    let number = |name: &str| found.name(name)?.as_bytes().to_str().ok()?.parse().ok();
    let (year, month): (i64, i64) = (number("year")?, number("month")?);
    let day = number("day");
    let month = u8::try_from(month).ok()?;
    let days = days_from_civil(year, month, day.unwrap_or(1));
    let (_, same_month, same_day) = civil_from_days(days);
    if (same_month, i64::from(same_day)) != (month, day.unwrap_or(1)) {
        return None;
    }
    // git reads times of these years only.
    if found.name("time").is_some() && (1970..2100).contains(&year) {
        return approxidate::parse_known(text, clock);
    }
    let second = if day.is_some() { DAY - 1 } else { 0 };
    Some(clock.local_seconds(days, second, None))
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;

    /// Thursday 2021-02-04 00:53:20.
    const NOW: i64 = 1_612_400_000;

    #[test]
    fn only_whole_dates_are_dates() {
        let clock = Clock::new(NOW, TimeZone::UTC);
        for (text, date) in [
            ("2015-06-01", Some(1_433_203_199)),
            ("2015-06", Some(1_433_116_800)),
            ("2015-06-01 12:00", Some(1_433_160_000)),
            ("2015-06-01T12:00:05Z", Some(1_433_160_005)),
            ("2015-06-01 12:00:05 +0200", Some(1_433_152_805)),
            ("2015-06-01 noon", Some(1_433_160_000)),
            ("2016-02-29", Some(1_456_790_399)),
            ("1970-01-01", Some(DAY - 1)),
            ("1969-12-31", Some(-1)),
            ("1960-01-01", Some(-315_532_801)),
            ("1800-01-01 12:00", Some(-5_364_576_001)),
            ("2200-01-01", Some(7_258_204_799)),
            ("3 years ago", Some(NOW - 1096 * DAY)),
            ("3.years.ago", Some(NOW - 1096 * DAY)),
            ("2.weeks.ago", Some(NOW - 14 * DAY)),
            ("Two Weeks 1 day ago", Some(NOW - 15 * DAY)),
            ("52 years ago", Some(-1)),
            ("200 years ago", Some(-1)),
            ("5000 months ago", Some(-1)),
            ("999999999.weeks.ago", Some(-1)),
            ("yesterday", Some(NOW - DAY)),
            ("last week", Some(NOW - 7 * DAY)),
            ("last.monday", Some(NOW - 3 * DAY)),
        ] {
            assert_eq!(parse(text.as_bytes(), &clock), date, "{text}");
        }
        for text in [
            "",
            "2015",
            "2015-6",
            "2015-06-",
            "2015-06-01xyz",
            "2015-06-01 foo",
            "2015-06-01:src/server.c",
            "2015-06-01 12:00:src/server.c",
            "2015-06-01 25:00",
            "2015-13-45",
            "2015-02-29",
            "2015-00-01",
            "2015-06-00",
            "may.c",
            "3",
            "main",
            "june",
            "june 2015",
            "2 lines ago",
            "5 ago",
            "ago",
            "last",
            "last words",
            "yesterdays",
            "3 years",
            "3 years ago.c",
            "99999999999 years ago",
        ] {
            assert_eq!(parse(text.as_bytes(), &clock), None, "{text}");
        }
    }
}
