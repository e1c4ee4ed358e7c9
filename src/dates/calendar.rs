//! Calendar arithmetic, the clock and time zones.

use std::{path::Path, sync::OnceLock};

use jiff::{Timestamp, tz::TimeZone};

/// Weekday names.
pub(crate) const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];
/// Month names.
pub(crate) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Seconds in a day.
pub(crate) const DAY: i64 = 86_400;

/// Broken-down time (C's `struct tm`). Months and days are 1-based; weekday 0 is Sunday.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BrokenDownTime {
    pub(crate) year: i64,
    pub(crate) month: u8,
    pub(crate) day: u8,
    pub(crate) hour: u8,
    pub(crate) minute: u8,
    pub(crate) second: u8,
    pub(crate) weekday: u8,
    /// Day of the year, 0-based.
    pub(crate) yearday: u16,
}

impl BrokenDownTime {
    /// Breaks down seconds since the epoch in UTC.
    pub(crate) fn from_seconds(seconds: i64) -> Self {
        let days = seconds.div_euclid(DAY);
        let rest = seconds.rem_euclid(DAY);
        let (year, month, day) = civil_from_days(days);
        let yearday = days - days_from_civil(year, 1, 1);
        // The casts are lossless: each value is bounded by its divisor.
        BrokenDownTime {
            year,
            month,
            day,
            hour: (rest / 3600) as u8,
            minute: (rest / 60 % 60) as u8,
            second: (rest % 60) as u8,
            weekday: (days + 4).rem_euclid(7) as u8,
            yearday: yearday as u16,
        }
    }
}

/// Converts days since 1970-01-01 to year, month (1–12) and day (1–31), proleptic Gregorian.
pub(crate) fn civil_from_days(days: i64) -> (i64, u8, u8) {
    // Years start in March here, so that the leap day comes last.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month as u8, day as u8)
}

/// Converts a date to days since 1970-01-01; `day` may be outside its month.
pub(crate) fn days_from_civil(year: i64, month: u8, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let shifted_month = (i64::from(month) + 9) % 12;
    let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The last second of C's `struct tm`, whose years are 32 bits from 1900 on.
pub(crate) const LAST_SECOND: i64 = 67_768_036_191_676_799;

/// The current time and the local time zone.
#[derive(Debug, Clone)]
pub struct Clock {
    now: i64,
    system_now: i64,
    /// The time does not go on.
    is_stopped: bool,
    has_older_dates: bool,
    /// Loaded at first use: most output does not need it.
    zone: OnceLock<TimeZone>,
}

impl Clock {
    /// A clock stopped at `now` (seconds since the epoch).
    pub fn new(now: i64, zone: TimeZone) -> Self {
        Clock {
            now,
            system_now: now,
            is_stopped: true,
            has_older_dates: false,
            zone: OnceLock::from(zone),
        }
    }

    /// The system's time and zone (`TZ`). `GIT_TEST_DATE_NOW` overrides the time, as in git.
    pub fn system() -> Self {
        let fixed = std::env::var("GIT_TEST_DATE_NOW")
            .ok()
            .and_then(|seconds| seconds.trim().parse().ok());
        let system_now = Timestamp::now().as_second();
        Clock {
            now: fixed.unwrap_or(system_now),
            system_now,
            is_stopped: fixed.is_some(),
            has_older_dates: false,
            zone: OnceLock::new(),
        }
    }

    fn zone(&self) -> &TimeZone {
        self.zone.get_or_init(local_zone)
    }

    /// Sets the system's time, if it differs from `now`.
    pub fn with_system_time(self, system_now: i64) -> Self {
        Clock { system_now, ..self }
    }

    /// Sets whether approximate dates mean what they meant before git 2.55.
    pub fn with_older_dates(self, has_older_dates: bool) -> Self {
        Clock {
            has_older_dates,
            ..self
        }
    }

    /// True if approximate dates mean what they meant before git 2.55.
    pub(crate) fn has_older_dates(&self) -> bool {
        self.has_older_dates
    }

    /// The current time in seconds since the epoch.
    pub fn now(&self) -> i64 {
        self.now
    }

    /// The time at the moment of the call; [`Clock::now`] is that at which the clock was made. The
    /// same for a stopped clock.
    pub fn renewed_now(&self) -> i64 {
        if self.is_stopped {
            self.now
        } else {
            Timestamp::now().as_second()
        }
    }

    /// The system's time: in some places git ignores `GIT_TEST_DATE_NOW`.
    pub(crate) fn system_now(&self) -> i64 {
        self.system_now
    }

    /// Local UTC offset at a time, in seconds east; 0 after [`LAST_SECOND`].
    pub(crate) fn offset(&self, seconds: i64) -> i64 {
        let at = timestamp(seconds).filter(|_| seconds <= LAST_SECOND);
        at.map_or(0, |at| self.zone().to_offset(at).seconds().into())
    }

    /// Local UTC offset at a time in git's notation: `hhmm` as a decimal number.
    ///
    /// As in git, 0 if the local year is outside 1970–2099.
    pub fn zone_number(&self, seconds: i64) -> i32 {
        let offset = self.offset(seconds);
        let local = BrokenDownTime::from_seconds(seconds.saturating_add(offset));
        if !(1970..2100).contains(&local.year) {
            return 0;
        }
        let minutes = (offset.abs() / 60) as i32;
        let number = minutes / 60 * 100 + minutes % 60;
        if offset < 0 { -number } else { number }
    }

    /// The local zone's abbreviation at a time, for example `CET`.
    pub(crate) fn zone_name(&self, seconds: i64) -> String {
        if self.zone().is_unknown() {
            return String::new();
        }
        let name = |at| self.zone().to_offset_info(at).abbreviation().to_owned();
        timestamp(seconds).map_or_else(|| "UTC".to_owned(), name)
    }

    /// True if daylight saving time is in effect.
    pub(crate) fn is_summer(&self, seconds: i64) -> bool {
        timestamp(seconds).is_some_and(|at| self.zone().to_offset_info(at).dst().is_dst())
    }

    /// Converts a local day and second of the day (which may exceed it) to seconds since the epoch.
    ///
    /// Like `tm_isdst` of C's `mktime`, `summer` chooses standard or daylight saving time, even if
    /// that is not in effect at this time.
    pub(crate) fn local_seconds(&self, days: i64, second: i64, summer: Option<bool>) -> i64 {
        let wall = days.saturating_mul(DAY).saturating_add(second);
        let Some(wall_as_utc) = timestamp(wall) else {
            return wall;
        };
        let civil = TimeZone::UTC.to_datetime(wall_as_utc);
        let offset = match self.zone().to_timestamp(civil) {
            // For nonexistent times, the offset before the gap applies.
            Ok(at) => wall_as_utc.as_second() - at.as_second(),
            Err(_) => 0,
        };
        let at = wall.saturating_sub(offset);
        match summer {
            Some(summer) => {
                let offset_in_effect = if self.is_summer(at) == summer {
                    Some(self.offset(at))
                } else {
                    self.nearest_offset(at, summer)
                };
                wall.saturating_sub(offset_in_effect.unwrap_or(offset))
            }
            None => at,
        }
    }

    /// The UTC offset of the nearest period with (or without) daylight saving time.
    fn nearest_offset(&self, seconds: i64, summer: bool) -> Option<i64> {
        /// Transitions examined in either direction.
        const MAX_TRANSITIONS: usize = 8;
        let at = timestamp(seconds)?;
        let distance = |other: Timestamp| (other.as_second() - at.as_second()).abs();
        let after = self.zone().following(at).take(MAX_TRANSITIONS);
        let after = after
            .filter(|change| change.dst().is_dst() == summer)
            .map(|change| (distance(change.timestamp()), change.offset()))
            .next();
        let mut before = None;
        for change in self.zone().preceding(at).take(MAX_TRANSITIONS) {
            // The state before a transition lasts until it.
            let earlier = Timestamp::from_second(change.timestamp().as_second() - 1).ok()?;
            let info = self.zone().to_offset_info(earlier);
            if info.dst().is_dst() == summer {
                before = Some((distance(change.timestamp()), info.offset()));
                break;
            }
        }
        let nearest = match (before, after) {
            (Some(before), Some(after)) if after.0 < before.0 => after,
            (Some(before), _) => before,
            (None, after) => after?,
        };
        Some(nearest.1.seconds().into())
    }
}

/// Converts to jiff's type. Times beyond its range are mapped to equivalent ones: the calendar
/// repeats every 400 years.
fn timestamp(seconds: i64) -> Option<Timestamp> {
    const YEAR_9000: i64 = 221_845_392_000;
    const CYCLE: i64 = 146_097 * DAY;
    let beyond = seconds.saturating_sub(YEAR_9000).max(0);
    let cycles = beyond / CYCLE + i64::from(beyond > 0);
    Timestamp::from_second(seconds - cycles * CYCLE).ok()
}

/// The zone of `TZ`, or the system's. Reads its file directly, as the C library does: a scan of the
/// whole database would take longer than most blames.
fn local_zone() -> TimeZone {
    let read = |path: &Path| TimeZone::tzif("local", &std::fs::read(path).ok()?).ok();
    let Some(name) = std::env::var_os("TZ") else {
        return read(Path::new("/etc/localtime"))
            .or_else(|| TimeZone::try_system().ok())
            .unwrap_or(TimeZone::UTC);
    };
    let name = name.to_string_lossy();
    let name = name.strip_prefix(':').unwrap_or(&name);
    if name.is_empty() {
        return TimeZone::UTC;
    }
    // `join` keeps absolute names.
    read(&Path::new("/usr/share/zoneinfo").join(name))
        .or_else(|| TimeZone::posix(name).ok())
        // Without rules, those of the United States apply.
        .or_else(|| TimeZone::posix(&format!("{name},M3.2.0,M11.1.0")).ok())
        .or_else(|| TimeZone::get(name).ok())
        .unwrap_or_else(|| unknown_zone(name))
}

/// UTC under the letters that `name` begins with, as the C library names a zone that it does not
/// know. A name shorter than three letters counts as none.
fn unknown_zone(name: &str) -> TimeZone {
    let letters = name.bytes().take_while(u8::is_ascii_alphabetic).count();
    TimeZone::posix(&format!("{}0", &name[..letters])).unwrap_or(TimeZone::unknown())
}

/// Converts a zone from `hhmm` in decimal to seconds, which overflow as in git.
pub(crate) fn zone_seconds(zone: i32) -> i32 {
    let magnitude = zone.unsigned_abs();
    let minutes = (magnitude / 100 * 60 + magnitude % 100).cast_signed();
    (minutes * zone.signum()).wrapping_mul(60)
}

/// Parses a stored zone as git does: as a number (`+05` is five minutes), 0 if invalid. What
/// exceeds 64 bits is the nearest such number, of which the lower half counts.
pub fn parse_zone(zone: &[u8]) -> i32 {
    let (sign, digits) = match zone {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        rest => (1, rest),
    };
    let digits = digits.iter().take_while(|digit| digit.is_ascii_digit());
    let number = digits.fold(0i64, |number, digit| {
        let digit = i64::from(digit - b'0') * sign;
        number.saturating_mul(10).saturating_add(digit)
    });
    number as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_agree() {
        for days in (-800_000..800_000).step_by(7) {
            let (year, month, day) = civil_from_days(days);
            assert_eq!(days_from_civil(year, month, i64::from(day)), days);
        }
        assert_eq!(civil_from_days(0), (1970, 1, 1));
        assert_eq!(civil_from_days(18_321), (2020, 2, 29));
        let broken = BrokenDownTime::from_seconds(1_612_337_706);
        assert_eq!((broken.weekday, broken.yearday), (3, 33));
    }

    #[test]
    fn zones() {
        assert_eq!(parse_zone(b"+05"), 5);
        assert_eq!(parse_zone(b"-0330"), -330);
        assert_eq!(parse_zone(b"(unknown)"), 0);
        assert_eq!(zone_seconds(-330), -12_600);
        assert_eq!(parse_zone(b"+2147483648"), i32::MIN);
        assert_eq!(parse_zone(b"+99999999999999999999"), -1);
        assert_eq!(parse_zone(b"-99999999999999999999"), 0);
        assert_eq!(zone_seconds(99_999_999), -694_964_956);
        assert_eq!(zone_seconds(i32::MIN), -1152);
        let clock = Clock::new(0, TimeZone::get("America/New_York").unwrap());
        assert_eq!(clock.zone_number(1_612_337_706), -500);
        assert_eq!(clock.zone_number(1_624_337_706), -400);
        assert_eq!(clock.zone_name(1_624_337_706), "EDT");
        assert_eq!(clock.zone_number(9_000_000_000), 0);
    }
}
