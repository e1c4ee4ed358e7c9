//! `strftime` in the C locale with glibc's flags, for `--date=format:…`.
//!
//! jiff's `strtime` cannot replace it: it rejects the modifiers `E` and `O`, ignores widths of
//! textual and composite conversions, has no years beyond 9999, and expands `%N`, `%f`, `%Q`, `%q`
//! and `%Z` differently.

use std::io::Write;

use crate::dates::calendar::{BrokenDownTime, MONTHS, WEEKDAYS, days_from_civil, zone_seconds};

/// Maximum nesting of formats: `%c` and other composite conversions expand to formats.
const MAX_DEPTH: u8 = 3;
/// Limit of field widths, so that a format cannot request gigabytes.
const MAX_WIDTH: usize = 1024;

/// Formats one date.
///
/// git itself expands plain `%s`, `%z` and `%Z`; with flags they reach the C library, which does
/// not know the commit's zone.
pub(crate) struct StrftimeFormatter<'a> {
    /// The date in its zone.
    pub(crate) at: &'a BrokenDownTime,
    /// The zone as `hhmm` in decimal.
    pub(crate) zone: i32,
    /// The UTC offset in seconds that the C library uses.
    pub(crate) offset: i64,
    /// The zone's abbreviation, if it is the local one.
    pub(crate) local_name: Option<&'a str>,
}

/// The flags and width between `%` and the conversion specifier.
#[derive(Debug, Default, Clone, Copy)]
struct ConversionFlags {
    /// `_`, `-` or `0`.
    pad: Option<u8>,
    /// `^`: upper case.
    upper: bool,
    /// `#`: opposite case.
    swap: bool,
    /// Minimum field width.
    width: usize,
    /// No flags, width or modifier at all.
    none: bool,
}

impl StrftimeFormatter<'_> {
    /// Appends the formatted date. Unknown conversions are copied.
    pub(crate) fn push(&self, out: &mut Vec<u8>, template: &[u8]) {
        self.push_nested(out, template, 0);
    }

    fn push_nested(&self, out: &mut Vec<u8>, template: &[u8], depth: u8) {
        let mut rest = template;
        while let Some(percent) = memchr::memchr(b'%', rest) {
            out.extend_from_slice(&rest[..percent]);
            rest = &rest[percent..];
            let (flags, letter_at) = flags(rest);
            let Some(&letter) = rest.get(letter_at) else {
                break;
            };
            if !self.convert(out, letter, flags, depth) {
                pad(out, letter_at + 1, flags);
                out.extend_from_slice(&rest[..=letter_at]);
            }
            rest = &rest[letter_at + 1..];
        }
        out.extend_from_slice(rest);
    }

    /// Appends a conversion; false if the specifier is unknown.
    fn convert(&self, out: &mut Vec<u8>, letter: u8, flags: ConversionFlags, depth: u8) -> bool {
        let at = self.at;
        let hour12 = match at.hour % 12 {
            0 => 12,
            hour => hour,
        };
        let number = |out: &mut Vec<u8>, value: i64, width: usize, pad: u8| {
            push_number(out, value, width, pad, flags);
        };
        match letter {
            b'C' => number(out, at.year.div_euclid(100), 2, b'0'),
            b'd' => number(out, at.day.into(), 2, b'0'),
            b'e' => number(out, at.day.into(), 2, b' '),
            b'g' => number(out, self.iso_week().0.rem_euclid(100), 2, b'0'),
            // git's years have 32 bits.
            b'G' => number(out, (self.iso_week().0 as i32).into(), 1, b'0'),
            b'H' => number(out, at.hour.into(), 2, b'0'),
            b'I' => number(out, hour12.into(), 2, b'0'),
            b'j' => number(out, i64::from(at.yearday) + 1, 3, b'0'),
            b'k' => number(out, at.hour.into(), 2, b' '),
            b'l' => number(out, hour12.into(), 2, b' '),
            b'm' => number(out, at.month.into(), 2, b'0'),
            b'M' => number(out, at.minute.into(), 2, b'0'),
            b's' => crate::text::decimal::push_number(out, self.seconds()),
            b'S' => number(out, at.second.into(), 2, b'0'),
            b'u' => number(out, i64::from((at.weekday + 6) % 7) + 1, 1, b'0'),
            b'U' => number(out, self.week_from(0), 2, b'0'),
            b'V' => number(out, self.iso_week().1, 2, b'0'),
            b'w' => number(out, at.weekday.into(), 1, b'0'),
            b'W' => number(out, self.week_from(1), 2, b'0'),
            // A negative year is one whose number did not fit; the years since 1900 still do.
            b'y' if at.year < 0 => number(out, (at.year + (1 << 32)) % 100, 2, b'0'),
            b'y' => number(out, at.year.rem_euclid(100), 2, b'0'),
            b'Y' => number(out, at.year, 1, b'0'),
            b'z' => self.push_zone(out, flags),
            _ => return self.convert_text(out, letter, flags, depth),
        }
        true
    }

    /// Appends a textual or composite conversion; false if the specifier is unknown.
    fn convert_text(
        &self,
        out: &mut Vec<u8>,
        letter: u8,
        flags: ConversionFlags,
        depth: u8,
    ) -> bool {
        let weekday = WEEKDAYS[usize::from(self.at.weekday)];
        let month = MONTHS[usize::from(self.at.month) - 1];
        let half = if self.at.hour < 12 { "AM" } else { "PM" };
        let template = match letter {
            b'a' => return push_text(out, &weekday[..3], flags, SwapCase::Upper),
            b'A' => return push_text(out, weekday, flags, SwapCase::Upper),
            b'b' | b'h' => return push_text(out, &month[..3], flags, SwapCase::Upper),
            b'B' => return push_text(out, month, flags, SwapCase::Upper),
            b'p' => return push_text(out, half, flags, SwapCase::Lower),
            b'P' => return push_text(out, &half.to_ascii_lowercase(), flags, SwapCase::Upper),
            b'Z' => {
                let unnamed = if flags.none { "" } else { "GMT" };
                let name = self.local_name.unwrap_or(unnamed);
                return push_text(out, name, flags, SwapCase::Lower);
            }
            b'%' => return push_text(out, "%", flags, SwapCase::Upper),
            b'n' => return push_text(out, "\n", flags, SwapCase::Upper),
            b't' => return push_text(out, "\t", flags, SwapCase::Upper),
            b'c' => "%a %b %e %H:%M:%S %Y",
            b'D' | b'x' => "%m/%d/%y",
            b'F' => "%Y-%m-%d",
            b'r' => "%I:%M:%S %p",
            b'R' => "%H:%M",
            b'T' | b'X' => "%H:%M:%S",
            _ => return false,
        };
        if depth >= MAX_DEPTH {
            return false;
        }
        let mut text = Vec::new();
        self.push_nested(&mut text, template.as_bytes(), depth + 1);
        if flags.upper {
            text.make_ascii_uppercase();
        }
        pad(out, text.len(), flags);
        out.extend_from_slice(&text);
        true
    }

    /// Seconds since the epoch by git's own conversion, which is limited to the years 1970 to 2099.
    fn seconds(&self) -> u64 {
        let at = self.at;
        let local = match at.year {
            1970..2100 => {
                days_from_civil(at.year, at.month, at.day.into()) * 86_400
                    + i64::from(at.hour) * 3600
                    + i64::from(at.minute) * 60
                    + i64::from(at.second)
            }
            _ => -1,
        };
        // Unsigned in git.
        (local - i64::from(zone_seconds(self.zone))) as u64
    }

    /// Week of the year for weeks that start on weekday `first`; days before the first one are in
    /// week 0.
    fn week_from(&self, first: i64) -> i64 {
        let since_first = (i64::from(self.at.weekday) - first).rem_euclid(7);
        (i64::from(self.at.yearday) + 7 - since_first) / 7
    }

    /// ISO 8601 year and week: a week belongs to the year of its Thursday.
    fn iso_week(&self) -> (i64, i64) {
        let at = self.at;
        let monday_based = (i64::from(at.weekday) + 6) % 7;
        let thursday = days_from_civil(at.year, at.month, at.day.into()) - monday_based + 3;
        let (year, ..) = crate::dates::calendar::civil_from_days(thursday);
        (year, (thursday - days_from_civil(year, 1, 1)) / 7 + 1)
    }

    fn push_zone(&self, out: &mut Vec<u8>, flags: ConversionFlags) {
        let zone = if flags.none {
            self.zone
        } else {
            let minutes = (self.offset.abs() / 60) as i32;
            let number = minutes / 60 * 100 + minutes % 60;
            if self.offset < 0 { -number } else { number }
        };
        // glibc pads the sign and the digits separately.
        pad(out, 1, flags);
        out.push(if zone < 0 { b'-' } else { b'+' });
        push_number(out, i64::from(zone).abs(), 4, b'0', flags);
    }
}

/// Parses the flags after a `%`; also returns the offset of the specifier.
fn flags(text: &[u8]) -> (ConversionFlags, usize) {
    let mut flags = ConversionFlags::default();
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'_' | b'-' | b'0' => flags.pad = Some(byte),
            b'^' => flags.upper = true,
            b'#' => flags.swap = true,
            _ => break,
        }
        at += 1;
    }
    while let Some(digit) = text.get(at).filter(|byte| byte.is_ascii_digit()) {
        flags.width = (flags.width * 10 + usize::from(digit - b'0')).min(MAX_WIDTH);
        at += 1;
    }
    if matches!(text.get(at), Some(b'E' | b'O')) {
        at += 1;
    }
    flags.none = at == 1;
    (flags, at)
}

/// The effect of `#` on a text.
#[derive(PartialEq)]
enum SwapCase {
    Upper,
    Lower,
}

/// Appends padding for a text of `len` bytes.
fn pad(out: &mut Vec<u8>, len: usize, flags: ConversionFlags) {
    let byte = if flags.pad == Some(b'0') { b'0' } else { b' ' };
    out.resize(out.len() + flags.width.saturating_sub(len), byte);
}

fn push_text(out: &mut Vec<u8>, text: &str, flags: ConversionFlags, swap: SwapCase) -> bool {
    pad(out, text.len(), flags);
    let start = out.len();
    out.extend_from_slice(text.as_bytes());
    if flags.swap && swap == SwapCase::Lower {
        out[start..].make_ascii_lowercase();
    } else if flags.upper || flags.swap {
        out[start..].make_ascii_uppercase();
    }
    true
}

fn push_number(out: &mut Vec<u8>, value: i64, width: usize, pad: u8, flags: ConversionFlags) {
    let asked = flags.width;
    let width = width.max(asked);
    let _ = match flags.pad.unwrap_or(pad) {
        b'-' => write!(out, "{value:>asked$}"),
        b'_' | b' ' => write!(out, "{value:>width$}"),
        _ => write!(out, "{value:0width$}"),
    };
}
