//! A moment by the clock of the person who recorded it.

use jiff::{Timestamp, Zoned, tz::Offset};

/// A moment with the time zone of the person who recorded it. Its dates, which are those that
/// people see, are by that person's clock: other clocks may show another day or year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Seconds since the epoch.
    pub time: i64,
    /// The time zone in seconds ahead of UTC. Zones that do not exist count as UTC.
    pub offset: i32,
}

impl Moment {
    /// The time on the clock, by a pattern of `strftime`; `None` outside of the calendar's years.
    pub fn format(self, pattern: &str) -> Option<String> {
        Some(self.zoned()?.strftime(pattern).to_string())
    }

    /// The year; `None` outside of the calendar's years.
    pub fn year(self) -> Option<i32> {
        let time = Timestamp::from_second(self.time).ok()?;
        Some(self.zone().to_datetime(time).year().into())
    }

    /// The seconds since the epoch at which a clock in UTC shows the same.
    pub fn shown_in_utc(self) -> i64 {
        self.time.saturating_add(self.zone().seconds().into())
    }

    fn zoned(self) -> Option<Zoned> {
        let time = Timestamp::from_second(self.time).ok()?;
        Some(time.to_zoned(self.zone().to_time_zone()))
    }

    fn zone(self) -> Offset {
        Offset::from_seconds(self.offset).unwrap_or(Offset::UTC)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_by_the_clock_of_the_time_zone() {
        let new_year = 1_577_836_800;
        for (time, offset, shown) in [
            (new_year, 0, Some("2020-01-01 00:00")),
            (new_year, -3600, Some("2019-12-31 23:00")),
            (new_year - 1, 3600, Some("2020-01-01 00:59")),
            (new_year, 360_000, Some("2020-01-01 00:00")),
            (i64::MAX, 3600, None),
            (i64::MIN, -3600, None),
        ] {
            let moment = Moment { time, offset };
            let utc = Moment {
                time: moment.shown_in_utc(),
                offset: 0,
            };
            let pattern = "%Y-%m-%d %H:%M";
            assert_eq!(moment.format(pattern).as_deref(), shown);
            assert_eq!(utc.format(pattern).as_deref(), shown);
            let year = shown.map(|shown| shown[..4].parse().expect("a year"));
            assert_eq!((moment.year(), utc.year()), (year, year));
        }
    }
}
