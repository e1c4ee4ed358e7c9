//! The date formats of `--date`.

use std::{error, fmt, io::Write};

use bstr::{BStr, BString, ByteSlice};

use crate::dates::{
    calendar::{Broken, Clock, MONTHS, WEEKDAYS, zone_seconds},
    strftime,
};

/// The last year of C's `struct tm`.
const LAST_YEAR: i64 = i32::MAX as i64 + 1900;
/// Average length of a Gregorian year.
const SECONDS_OF_YEAR: i64 = 31_556_952;

/// A date format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// `2021-02-03 04:05:06 -0330`
    Iso,
    /// `2021-02-03T04:05:06-03:30`
    IsoStrict,
    /// `Wed, 3 Feb 2021 04:05:06 -0330`
    Rfc,
    /// `2021-02-03`
    Short,
    /// `Wed Feb 3 04:05:06 2021 -0330`
    Default,
    /// `1612337706 -0330`
    Raw,
    /// `1612337706`
    Unix,
    /// `17 hours ago`
    Relative,
    /// Omits the parts in common with the current date.
    Human,
    /// A `strftime` format.
    Format(BString),
}

/// A date format and the zone to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Style {
    /// The format.
    pub kind: Kind,
    /// Use the local time zone instead of the commit's.
    pub local: bool,
}

impl Default for Style {
    fn default() -> Self {
        Style {
            kind: Kind::Iso,
            local: false,
        }
    }
}

/// An invalid argument of `--date`, or an unrepresentable date. The messages are git's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// Unknown argument of `--date`.
    UnknownFormat(BString),
    /// `format` without a `strftime` format.
    MissingColon(BString),
    /// The local time is before the epoch.
    BeforeEpoch {
        /// Seconds since the epoch.
        time: u64,
        /// The zone, `hhmm` in decimal.
        zone: i32,
    },
    /// The time exceeds `time_t`.
    TooLarge(u64),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownFormat(text) => write!(f, "unknown date format {text}"),
            Error::MissingColon(text) => {
                write!(f, "date format missing colon separator: {text}")
            }
            Error::BeforeEpoch { time, zone } => {
                write!(f, "Timestamp before Unix epoch: {time} {zone:04}")
            }
            Error::TooLarge(time) => {
                write!(f, "Timestamp too large for this system: {time}")
            }
        }
    }
}

impl error::Error for Error {}

impl Style {
    /// Parses the argument of `--date`; `terminal` decides about `auto:`.
    ///
    /// # Errors
    ///
    /// If the format is unknown, or `format` has no colon.
    pub fn parse(argument: &BStr, terminal: bool) -> Result<Self, Error> {
        const KINDS: [(&str, Kind); 13] = [
            ("relative", Kind::Relative),
            ("iso8601-strict", Kind::IsoStrict),
            ("iso-strict", Kind::IsoStrict),
            ("iso8601", Kind::Iso),
            ("iso", Kind::Iso),
            ("rfc2822", Kind::Rfc),
            ("rfc", Kind::Rfc),
            ("short", Kind::Short),
            ("default", Kind::Default),
            ("human", Kind::Human),
            ("raw", Kind::Raw),
            ("unix", Kind::Unix),
            ("format", Kind::Format(BString::new(Vec::new()))),
        ];
        let argument = match argument.strip_prefix(b"auto:") {
            Some(rest) if terminal => rest.as_bstr(),
            Some(_) => "default".into(),
            None => argument,
        };
        let named: &BStr = if argument == "local" {
            "default-local".into()
        } else {
            argument
        };
        let unknown = || Error::UnknownFormat(argument.to_owned());
        let (kind, rest) = KINDS
            .into_iter()
            .find_map(|(name, kind)| Some((kind, named.strip_prefix(name.as_bytes())?)))
            .ok_or_else(unknown)?;
        let (local, rest) = match rest.strip_prefix(b"-local") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let kind = match (kind, rest) {
            (Kind::Format(_), [b':', template @ ..]) => Kind::Format(template.into()),
            (Kind::Format(_), _) => return Err(Error::MissingColon(argument.to_owned())),
            (kind, []) => kind,
            _ => return Err(unknown()),
        };
        Ok(Style { kind, local })
    }

    /// The width of the date column; longer dates are not truncated.
    pub fn width(&self, clock: &Clock) -> usize {
        match &self.kind {
            Kind::Iso | Kind::IsoStrict => 25,
            Kind::Rfc => 31,
            Kind::Short | Kind::Unix => 10,
            Kind::Default => 30,
            Kind::Raw | Kind::Human => 16,
            Kind::Relative => 22,
            Kind::Format(_) => {
                let mut sample = Vec::new();
                // The epoch is always representable.
                let _ = self.push(&mut sample, 0, 0, clock);
                sample.len()
            }
        }
    }

    /// Appends a formatted date, given in seconds since the epoch and a zone (`hhmm` in decimal).
    ///
    /// # Errors
    ///
    /// If the time is not representable. Relative, raw and unix formats never fail.
    pub fn push(
        &self,
        out: &mut Vec<u8>,
        time: u64,
        stored_zone: i32,
        clock: &Clock,
    ) -> Result<(), Error> {
        let signed = i64::try_from(time);
        let zone = match signed {
            Ok(time) if self.local => clock.zone_number(time),
            _ if self.local => 0,
            _ => stored_zone,
        };
        match &self.kind {
            Kind::Unix => {
                crate::decimal::push_number(out, time);
                return Ok(());
            }
            Kind::Raw => {
                crate::decimal::push_number(out, time);
                return push(out, format_args!(" {}", Zone(zone)));
            }
            Kind::Relative => return push_relative(out, time, clock.now()),
            _ => {}
        }
        let seconds = signed.map_err(|_| Error::TooLarge(time))?;
        let offset = match self.local {
            true => clock.offset(seconds),
            false => zone_seconds(zone),
        };
        let local = seconds.checked_add(offset).ok_or(Error::TooLarge(time))?;
        if local < 0 && !self.local {
            return Err(Error::BeforeEpoch { time, zone });
        }
        // Beyond the last year of `struct tm`, git shows the epoch.
        let (seconds, zone) = match local / SECONDS_OF_YEAR < LAST_YEAR - 1970 {
            true => (local, zone),
            false => (0, 0),
        };
        let at = Broken::from_seconds(seconds);
        let date = Date {
            at,
            zone,
            local: self.local,
        };
        match &self.kind {
            Kind::Iso => push(
                out,
                format_args!("{} {} {}", date.ymd(), date.hms(), Zone(zone)),
            ),
            Kind::IsoStrict => date.push_iso_strict(out),
            Kind::Short => push(out, format_args!("{}", date.ymd())),
            Kind::Rfc => push(
                out,
                format_args!(
                    "{}, {} {} {} {} {}",
                    date.weekday(),
                    at.day,
                    date.month(),
                    at.year,
                    date.hms(),
                    Zone(zone)
                ),
            ),
            Kind::Default => date.push_default(out),
            Kind::Human => date.push_human(out, time, clock),
            Kind::Format(template) => {
                let local_name = self.local.then(|| clock.zone_name(time as i64));
                let formatter = strftime::Formatter {
                    at: &at,
                    zone,
                    offset: if self.local { offset } else { 0 },
                    local_name: local_name.as_deref(),
                };
                formatter.push(out, template);
                Ok(())
            }
            Kind::Unix | Kind::Raw | Kind::Relative => Ok(()),
        }
    }
}

fn push(out: &mut Vec<u8>, arguments: fmt::Arguments<'_>) -> Result<(), Error> {
    // Writing to memory cannot fail.
    let _ = out.write_fmt(arguments);
    Ok(())
}

/// A zone in git's notation: a sign and at least four digits.
struct Zone(i32);

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+05}", self.0)
    }
}

/// `2021-02-03`
struct Ymd(Broken);

impl fmt::Display for Ymd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:04}-{:02}-{:02}",
            self.0.year, self.0.month, self.0.day
        )
    }
}

/// `04:05:06`
struct Hms(Broken);

impl fmt::Display for Hms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:02}:{:02}:{:02}",
            self.0.hour, self.0.minute, self.0.second
        )
    }
}

struct Date {
    at: Broken,
    zone: i32,
    local: bool,
}

impl Date {
    fn weekday(&self) -> &'static str {
        &WEEKDAYS[usize::from(self.at.weekday)][..3]
    }

    fn month(&self) -> &'static str {
        &MONTHS[usize::from(self.at.month) - 1][..3]
    }

    fn ymd(&self) -> Ymd {
        Ymd(self.at)
    }

    fn hms(&self) -> Hms {
        Hms(self.at)
    }

    fn push_iso_strict(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        push(out, format_args!("{}T{}", self.ymd(), self.hms()))?;
        if self.zone == 0 {
            return push(out, format_args!("Z"));
        }
        let sign = if self.zone < 0 { '-' } else { '+' };
        let magnitude = self.zone.unsigned_abs();
        push(
            out,
            format_args!("{sign}{:02}:{:02}", magnitude / 100, magnitude % 100),
        )
    }

    fn push_default(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        push(
            out,
            format_args!(
                "{} {} {} {} {}",
                self.weekday(),
                self.month(),
                self.at.day,
                self.hms(),
                self.at.year
            ),
        )?;
        if !self.local {
            push(out, format_args!(" {}", Zone(self.zone)))?;
        }
        Ok(())
    }

    /// Appends the `human` format.
    fn push_human(&self, out: &mut Vec<u8>, time: u64, clock: &Clock) -> Result<(), Error> {
        let at = self.at;
        let now_seconds = clock.now();
        let now = Broken::from_seconds(now_seconds.saturating_add(clock.offset(now_seconds)));
        if at.year != now.year {
            return push(out, format_args!("{} {} {}", self.month(), at.day, at.year));
        }
        let same_month = at.month == now.month;
        if same_month && at.day == now.day {
            return push_relative(out, time, now_seconds);
        }
        if same_month && at.day < now.day && at.day + 5 > now.day {
            push(
                out,
                format_args!("{} {:02}:{:02}", self.weekday(), at.hour, at.minute),
            )?;
            if !self.local && self.zone != clock.zone_number(now_seconds) {
                push(out, format_args!(" {}", Zone(self.zone)))?;
            }
            return Ok(());
        }
        push(
            out,
            format_args!(
                "{} {} {} {:02}:{:02}",
                self.weekday(),
                self.month(),
                at.day,
                at.hour,
                at.minute
            ),
        )
    }
}

/// Appends a relative date.
fn push_relative(out: &mut Vec<u8>, time: u64, now: i64) -> Result<(), Error> {
    let Some(seconds) = u64::try_from(now)
        .ok()
        .and_then(|now| now.checked_sub(time))
    else {
        return push(out, format_args!("in the future"));
    };
    let ago = |out: &mut Vec<u8>, count: u64, unit: &str| {
        let plural = if count == 1 { "" } else { "s" };
        push(out, format_args!("{count} {unit}{plural} ago"))
    };
    if seconds < 90 {
        return ago(out, seconds, "second");
    }
    let minutes = (seconds + 30) / 60;
    if minutes < 90 {
        return ago(out, minutes, "minute");
    }
    let hours = (minutes + 30) / 60;
    if hours < 36 {
        return ago(out, hours, "hour");
    }
    let days = (hours + 12) / 24;
    match days {
        0..14 => ago(out, days, "day"),
        14..70 => ago(out, (days + 3) / 7, "week"),
        70..365 => ago(out, (days + 15) / 30, "month"),
        365..1825 => {
            let months = (24 * days + 365) / 730;
            let (years, months) = (months / 12, months % 12);
            if months == 0 {
                return ago(out, years, "year");
            }
            let plural = if years == 1 { "" } else { "s" };
            push(out, format_args!("{years} year{plural}, "))?;
            ago(out, months, "month")
        }
        _ => ago(out, (days + 183) / 365, "year"),
    }
}
