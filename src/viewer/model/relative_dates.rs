//! Dates and ages as text.

use crate::dates::moment::Moment;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const WEEK: i64 = 7 * DAY;
/// Mean Gregorian month and year, in seconds.
const MONTH: i64 = 2_629_746;
const YEAR: i64 = 12 * MONTH;

/// Units from large to small: smallest age at which the unit is used, its length in seconds, its
/// name and its abbreviation.
const UNITS: [(i64, i64, &str, &str); 7] = [
    (2 * YEAR, YEAR, "year", "y"),
    (2 * MONTH, MONTH, "month", "mo"),
    (2 * WEEK, WEEK, "week", "w"),
    (2 * DAY, DAY, "day", "d"),
    (2 * HOUR, HOUR, "hour", "h"),
    (90, MINUTE, "minute", "m"),
    (i64::MIN, 1, "second", "s"),
];

/// The format of dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DateFormat {
    /// `6 years`, or `6y` in a narrow column.
    #[default]
    Relative,
    /// `6y`.
    Age,
    /// `2014-03-02`.
    Short,
    /// `2014-03-02 14:03`.
    Iso,
}

impl DateFormat {
    /// All values with their names in the configuration.
    pub const ALL: [(&'static str, DateFormat); 4] = [
        ("relative", DateFormat::Relative),
        ("age", DateFormat::Age),
        ("short", DateFormat::Short),
        ("iso", DateFormat::Iso),
    ];

    /// The next format in the cycle.
    pub fn next(self) -> Self {
        match self {
            DateFormat::Relative => DateFormat::Age,
            DateFormat::Age => DateFormat::Short,
            DateFormat::Short => DateFormat::Iso,
            DateFormat::Iso => DateFormat::Relative,
        }
    }

    /// Name in the configuration.
    pub fn name(self) -> &'static str {
        let found = DateFormat::ALL.iter().find(|(_, format)| *format == self);
        found.map_or("", |(name, _)| name)
    }

    /// Possible widths of a date, narrowest first.
    pub fn widths(self) -> &'static [u16] {
        match self {
            DateFormat::Relative => &[4, 10],
            DateFormat::Age => &[4],
            DateFormat::Short => &[4, 7, 10],
            DateFormat::Iso => &[4, 7, 10, 16],
        }
    }

    /// The width that fits most dates.
    pub fn normal_width(self) -> u16 {
        match self {
            DateFormat::Relative | DateFormat::Age => 4,
            DateFormat::Short | DateFormat::Iso => 10,
        }
    }
}

fn unit(age: i64) -> (i64, &'static str, &'static str) {
    let age = age.max(0);
    let found = UNITS.iter().find(|unit| age >= unit.0);
    let (_, seconds, word, letter) = found.copied().unwrap_or(UNITS[6]);
    (age / seconds, word, letter)
}

/// The age in words: `6 years`, `1 minute`, or `the future` if `time` is after `now`.
pub fn age(now: i64, time: i64) -> String {
    match now.checked_sub(time) {
        Some(..0) => "the future".to_owned(),
        None => "ages".to_owned(),
        Some(age) => {
            let (count, word, _) = unit(age);
            let plural = if count == 1 { "" } else { "s" };
            format!("{count} {word}{plural}")
        }
    }
}

/// The age with `ago`, `now`, or `in the future`.
pub fn ago(now: i64, time: i64) -> String {
    match now.checked_sub(time) {
        Some(..0) => "in the future".to_owned(),
        Some(0) => "now".to_owned(),
        _ => format!("{} ago", age(now, time)),
    }
}

/// The age in at most four columns: `6y`, `11mo`.
pub fn short_age(now: i64, time: i64) -> String {
    match now.checked_sub(time) {
        Some(..0) => "new".to_owned(),
        None => "old".to_owned(),
        Some(age) => match unit(age) {
            (count, _, letter) if count < 100 => format!("{count}{letter}"),
            _ => "old".to_owned(),
        },
    }
}

/// True if the ages of a time are the same words at two moments.
pub fn look_alike(one: i64, other: i64, time: i64) -> bool {
    let seen = |now: i64| {
        let age = now.saturating_sub(time);
        (age < 0, unit(age))
    };
    seen(one) == seen(other)
}

/// The date `2014-03-02` in a time zone `offset` seconds ahead of UTC.
pub fn day(time: i64, offset: i32) -> String {
    let moment = Moment { time, offset };
    moment
        .format("%Y-%m-%d")
        .unwrap_or_else(|| format!("@{time}"))
}

/// The longest of `2014-03-02 14:03`, `2014-03-02`, `2014-03` and `2014` that fits `width` columns.
pub fn within(width: usize, time: i64, offset: i32) -> String {
    let pattern = match width {
        16.. => "%Y-%m-%d %H:%M",
        10.. => "%Y-%m-%d",
        7.. => "%Y-%m",
        _ => "%Y",
    };
    let moment = Moment { time, offset };
    moment.format(pattern).unwrap_or_else(|| "?".to_owned())
}

/// Date and time: `2014-03-02 14:03:22 +0200`.
pub fn moment(time: i64, offset: i32) -> String {
    let moment = Moment { time, offset };
    let text = moment.format("%Y-%m-%d %H:%M:%S %z");
    text.unwrap_or_else(|| format!("@{time}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_in_whole_units() {
        let ages = [
            0,
            1,
            89,
            90,
            7200,
            2 * DAY,
            20 * DAY,
            70 * DAY,
            400 * DAY,
            6 * YEAR,
        ];
        let shown: Vec<String> = ages.iter().map(|&seconds| age(seconds, 0)).collect();
        assert_eq!(
            shown.join(", "),
            "0 seconds, 1 second, 89 seconds, 1 minute, 2 hours, 2 days, 2 weeks, 2 months, 13 months, 6 years"
        );
        assert_eq!(ago(0, 5), "in the future");
        assert_eq!(short_age(400 * DAY, 0), "13mo");
    }

    #[test]
    fn ages_look_alike_until_a_text_changes() {
        let (mut changes, mut same) = (0, 0);
        let texts = |now: i64| (age(now, 0), short_age(now, 0));
        for now in (-5..4 * HOUR).chain((20 * DAY..40 * DAY).step_by(997)) {
            let like = look_alike(now, now + 2, 0);
            assert!(!like || texts(now) == texts(now + 2), "{now}");
            *(if like { &mut same } else { &mut changes }) += 1;
        }
        assert!(changes > 90 && same > 10_000, "{changes} {same}");
        assert!(look_alike(91 * DAY, 91 * DAY, 0));
    }

    #[test]
    fn dates_use_the_given_offset() {
        assert_eq!(day(1_393_718_400, 0), "2014-03-02");
        assert_eq!(moment(1_393_718_400, -3600), "2014-03-01 23:00:00 -0100");
        assert_eq!(day(i64::MAX, 0), format!("@{}", i64::MAX));
        let within = |width| within(width, 1_393_718_400, 0);
        let dates = [4, 9, 12, 20].map(within);
        assert_eq!(dates, ["2014", "2014-03", "2014-03-02", "2014-03-02 00:00"]);
    }

    #[test]
    fn any_age_fits_its_column() {
        for power in 0..63 {
            assert!(short_age(1 << power, 0).len() <= 4);
            assert!(age(1 << power, 0).len() < 20);
        }
    }
}
