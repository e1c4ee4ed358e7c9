//! The date formats of `--date`.

use std::{error, fmt, io::Write};

use bstr::{BStr, BString, ByteSlice};

use crate::dates::{
    calendar::{BrokenDownTime, Clock, LAST_SECOND, MONTHS, WEEKDAYS, zone_seconds},
    strftime,
};

/// A date format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DateNotation {
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
pub struct DateMode {
    /// The format.
    pub notation: DateNotation,
    /// Use the local time zone instead of the commit's.
    pub local: bool,
}

impl Default for DateMode {
    fn default() -> Self {
        DateMode {
            notation: DateNotation::Iso,
            local: false,
        }
    }
}

/// An invalid argument of `--date`, or an unrepresentable date. The messages are git's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DateError {
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
    /// The local time exceeds the largest number.
    LocalTooLarge {
        /// Seconds since the epoch.
        time: u64,
        /// The zone, `hhmm` in decimal.
        zone: i32,
    },
    /// The local time exceeds `time_t`.
    TooLarge(u64),
}

impl fmt::Display for DateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DateError::UnknownFormat(text) => write!(f, "unknown date format {text}"),
            DateError::MissingColon(text) => {
                write!(f, "date format missing colon separator: {text}")
            }
            DateError::BeforeEpoch { time, zone } => {
                write!(f, "Timestamp before Unix epoch: {time} {zone:04}")
            }
            DateError::LocalTooLarge { time, zone } => {
                write!(f, "Timestamp+tz too large: {time} {}", ZoneOffset(*zone))
            }
            DateError::TooLarge(time) => {
                write!(f, "Timestamp too large for this system: {time}")
            }
        }
    }
}

impl error::Error for DateError {}

impl DateMode {
    /// Parses the argument of `--date`; `terminal` decides about `auto:`.
    ///
    /// # Errors
    ///
    /// If the format is unknown, or `format` has no colon.
    pub fn parse(argument: &BStr, terminal: bool) -> Result<Self, DateError> {
        const NOTATIONS: [(&str, DateNotation); 13] = [
            ("relative", DateNotation::Relative),
            ("iso8601-strict", DateNotation::IsoStrict),
            ("iso-strict", DateNotation::IsoStrict),
            ("iso8601", DateNotation::Iso),
            ("iso", DateNotation::Iso),
            ("rfc2822", DateNotation::Rfc),
            ("rfc", DateNotation::Rfc),
            ("short", DateNotation::Short),
            ("default", DateNotation::Default),
            ("human", DateNotation::Human),
            ("raw", DateNotation::Raw),
            ("unix", DateNotation::Unix),
            ("format", DateNotation::Format(BString::new(Vec::new()))),
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
        let unknown = || DateError::UnknownFormat(argument.to_owned());
        let (notation, rest) = NOTATIONS
            .into_iter()
            .find_map(|(name, notation)| Some((notation, named.strip_prefix(name.as_bytes())?)))
            .ok_or_else(unknown)?;
        let (local, rest) = match rest.strip_prefix(b"-local") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let notation = match (notation, rest) {
            (DateNotation::Format(_), [b':', template @ ..]) => {
                DateNotation::Format(template.into())
            }
            (DateNotation::Format(_), _) => {
                return Err(DateError::MissingColon(argument.to_owned()));
            }
            (notation, []) => notation,
            _ => return Err(unknown()),
        };
        Ok(DateMode { notation, local })
    }

    /// The width of the date column; longer dates are not truncated.
    pub fn width(&self, clock: &Clock) -> usize {
        match &self.notation {
            DateNotation::Iso | DateNotation::IsoStrict => 25,
            DateNotation::Rfc => 31,
            DateNotation::Short | DateNotation::Unix => 10,
            DateNotation::Default => 30,
            DateNotation::Raw | DateNotation::Human => 16,
            DateNotation::Relative => 22,
            DateNotation::Format(_) => {
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
    ) -> Result<(), DateError> {
        let signed = i64::try_from(time);
        let zone = match signed {
            Ok(time) if self.local => clock.zone_number(time),
            _ if self.local => 0,
            _ => stored_zone,
        };
        match &self.notation {
            DateNotation::Unix => {
                crate::text::decimal::push_number(out, time);
                return Ok(());
            }
            DateNotation::Raw => {
                crate::text::decimal::push_number(out, time);
                return push(out, format_args!(" {}", ZoneOffset(zone)));
            }
            DateNotation::Relative => return push_relative(out, time, clock.now()),
            _ => {}
        }
        let (local, offset) = if self.local {
            let seconds = signed.map_err(|_| DateError::TooLarge(time))?;
            let offset = clock.offset(seconds);
            let local = seconds.checked_add(offset);
            (local.ok_or(DateError::TooLarge(time))?, offset)
        } else {
            (local_seconds(time, zone)?, 0)
        };
        // Beyond the last year of `struct tm`, git shows the epoch.
        let is_valid = local <= LAST_SECOND;
        let (seconds, zone) = if is_valid { (local, zone) } else { (0, 0) };
        let mut at = BrokenDownTime::from_seconds(seconds);
        // `struct tm` counts years from 1900; C prints the sum in 32 bits.
        at.year = i64::from(at.year as i32);
        let date = ZonedDate {
            at,
            zone,
            local: self.local,
        };
        match &self.notation {
            DateNotation::Iso => push(
                out,
                format_args!("{} {} {}", date.ymd(), date.hms(), ZoneOffset(zone)),
            ),
            DateNotation::IsoStrict => date.push_iso_strict(out),
            DateNotation::Short => push(out, format_args!("{}", date.ymd())),
            DateNotation::Rfc => push(
                out,
                format_args!(
                    "{}, {} {} {} {} {}",
                    date.weekday(),
                    at.day,
                    date.month(),
                    at.year,
                    date.hms(),
                    ZoneOffset(zone)
                ),
            ),
            DateNotation::Default => date.push_default(out),
            DateNotation::Human => date.push_human(out, time, clock),
            DateNotation::Format(template) => {
                let has_name = self.local && is_valid;
                let local_name = has_name.then(|| clock.zone_name(time as i64));
                let formatter = strftime::StrftimeFormatter {
                    at: &at,
                    zone,
                    offset,
                    local_name: local_name.as_deref(),
                };
                formatter.push(out, template);
                Ok(())
            }
            DateNotation::Unix | DateNotation::Raw | DateNotation::Relative => Ok(()),
        }
    }
}

/// The seconds from the epoch to a time in its zone, as a clock there shows them.
fn local_seconds(time: u64, zone: i32) -> Result<i64, DateError> {
    let offset = zone_seconds(zone);
    // As in git, an offset that has overflowed counts modulo 2⁶⁴.
    let unsigned = |seconds: i32| i64::from(seconds).cast_unsigned();
    if zone > 0 && time.checked_add(unsigned(offset)).is_none() {
        return Err(DateError::LocalTooLarge { time, zone });
    }
    if zone < 0 && time < unsigned(offset.wrapping_neg()) {
        return Err(DateError::BeforeEpoch { time, zone });
    }
    let local = time.wrapping_add(unsigned(offset));
    i64::try_from(local).map_err(|_| DateError::TooLarge(local))
}

fn push(out: &mut Vec<u8>, arguments: fmt::Arguments<'_>) -> Result<(), DateError> {
    // Writing to memory cannot fail.
    let _ = out.write_fmt(arguments);
    Ok(())
}

/// A zone in git's notation: a sign and at least four digits.
struct ZoneOffset(i32);

impl fmt::Display for ZoneOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+05}", self.0)
    }
}

/// `2021-02-03`
struct Ymd(BrokenDownTime);

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
struct Hms(BrokenDownTime);

impl fmt::Display for Hms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:02}:{:02}:{:02}",
            self.0.hour, self.0.minute, self.0.second
        )
    }
}

struct ZonedDate {
    at: BrokenDownTime,
    zone: i32,
    local: bool,
}

impl ZonedDate {
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

    fn push_iso_strict(&self, out: &mut Vec<u8>) -> Result<(), DateError> {
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

    fn push_default(&self, out: &mut Vec<u8>) -> Result<(), DateError> {
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
            push(out, format_args!(" {}", ZoneOffset(self.zone)))?;
        }
        Ok(())
    }

    /// Appends the `human` format.
    fn push_human(&self, out: &mut Vec<u8>, time: u64, clock: &Clock) -> Result<(), DateError> {
        let at = self.at;
        let now_seconds = clock.now();
        let now =
            BrokenDownTime::from_seconds(now_seconds.saturating_add(clock.offset(now_seconds)));
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
                push(out, format_args!(" {}", ZoneOffset(self.zone)))?;
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
fn push_relative(out: &mut Vec<u8>, time: u64, now: i64) -> Result<(), DateError> {
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
