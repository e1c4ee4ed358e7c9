//! git's color syntax, and the coloring of lines by repetition and age.

use std::{error, fmt};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    dates::{approxidate, calendar::Clock},
    output::buffer::OutputBuffer,
};

/// Headers of files.
pub(crate) const BOLD: &[u8] = b"\x1b[1m";
/// What is about the answer, not part of it.
pub(crate) const QUIET: &[u8] = b"\x1b[2m";
/// Removed lines.
pub(crate) const RED: &[u8] = b"\x1b[31m";
/// Added lines.
pub(crate) const GREEN: &[u8] = b"\x1b[32m";
const NO_COLOR: &[u8] = b"\x1b[m";

/// An invalid color. The message is git's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidColor(pub BString);

impl fmt::Display for InvalidColor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid color value: {}", self.0)
    }
}

impl error::Error for InvalidColor {}

/// An invalid value of `color.blame.highlightRecent`. The messages are git's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgeColorsError {
    /// An invalid color. git also reports [`InvalidColor`] before this error.
    ExpectingColor(InvalidColor),
    /// The value ends with a date.
    MustEndWithColor,
}

impl fmt::Display for AgeColorsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AgeColorsError::ExpectingColor(color) => write!(f, "expecting a color: {}", color.0),
            AgeColorsError::MustEndWithColor => write!(f, "must end with a color"),
        }
    }
}

impl error::Error for AgeColorsError {}

/// Which lines to color.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Coloring {
    /// `--color-lines`: the escape sequence for lines of the same commit as the previous line.
    pub repeated: Option<Vec<u8>>,
    /// `--color-by-age`: the escape sequences by author time.
    pub by_age: Option<AgeColors>,
}

/// Colors by age; each applies to author times up to a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgeColors {
    /// Limits in seconds since the epoch with their escape sequences, in the given order.
    pub limits: Vec<(u64, Vec<u8>)>,
    /// The escape sequence beyond all limits.
    pub newest: Vec<u8>,
}

/// The default of `color.blame.highlightRecent`.
pub const DEFAULT_AGES: &str = "blue,12 month ago,white,1 month ago,red";

/// Colors that are seen on black and on white, for more ages: what is searched for is often years old.
pub const LEGIBLE_AGES: &str = "brightblue,5 year ago,cyan,12 month ago,default,1 month ago,red";

impl AgeColors {
    /// Parses a value of `color.blame.highlightRecent`: colors and approxidates in alternation.
    ///
    /// # Errors
    ///
    /// If a color is invalid, or the value ends with a date.
    pub fn parse(value: &BStr, clock: &Clock) -> Result<Self, AgeColorsError> {
        let mut limits = Vec::new();
        let mut color = None;
        for word in value
            .split(|byte| *byte == b',')
            .map(|word| word.trim_ascii())
        {
            color = match color {
                None => Some(parse(word.as_bstr()).map_err(AgeColorsError::ExpectingColor)?),
                Some(color) => {
                    let limit = approxidate::parse(word, clock);
                    // Unsigned in git: a date before the epoch becomes the largest number.
                    limits.push((limit as u64, color));
                    None
                }
            };
        }
        let newest = color.ok_or(AgeColorsError::MustEndWithColor)?;
        Ok(AgeColors { limits, newest })
    }

    /// The escape sequence for an author time.
    pub fn color(&self, time: u64) -> &[u8] {
        let found = self.limits.iter().find(|(limit, _)| *limit >= time);
        found.map_or(&self.newest, |(_, color)| color)
    }
}

/// The escape sequence of `--color-lines` for a value of `color.blame.repeatedLines` (`None`:
/// unset).
///
/// The default is cyan, also for a value without any color.
///
/// # Errors
///
/// If the value is not a color.
pub fn repeated(value: Option<&BStr>) -> Result<Vec<u8>, InvalidColor> {
    let escape = value.map_or(Ok(Vec::new()), parse)?;
    Ok(if escape.is_empty() {
        b"\x1b[36m".to_vec()
    } else {
        escape
    })
}

/// A foreground or background color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColorValue {
    None,
    /// The foreground code: 30 to 37, 39, 90 to 97.
    Basic(u8),
    Indexed(u8),
    Rgb(u8, u8, u8),
}

/// Parses a color of git's configuration to an SGR escape sequence, empty for none.
///
/// # Errors
///
/// If a word is neither a color nor an attribute, or there are more than two colors.
pub fn parse(value: &BStr) -> Result<Vec<u8>, InvalidColor> {
    let invalid = || InvalidColor(value.to_owned());
    let mut reset = false;
    let mut attributes = 0u32;
    let mut colors = Vec::new();
    let words = value.split(|byte| is_space(*byte));
    for word in words.filter(|word| !word.is_empty()) {
        if word == b"reset" {
            reset = true;
        } else if let Some(color) = parse_color(word) {
            if colors.len() == 2 {
                return Err(invalid());
            }
            colors.push(color);
        } else {
            attributes |= 1 << parse_attribute(word).ok_or_else(invalid)?;
        }
    }
    let mut parameters: Vec<String> = Vec::new();
    if reset {
        parameters.push(String::new());
    }
    let set = (0..u32::BITS).filter(|code| attributes & (1 << code) != 0);
    parameters.extend(set.map(|code| code.to_string()));
    for (color, offset) in colors.into_iter().zip([0, 10]) {
        match color {
            ColorValue::None => {}
            ColorValue::Basic(code) => parameters.push((code + offset).to_string()),
            ColorValue::Indexed(index) => parameters.push(format!("{};5;{index}", 38 + offset)),
            ColorValue::Rgb(r, g, b) => parameters.push(format!("{};2;{r};{g};{b}", 38 + offset)),
        }
    }
    if parameters.is_empty() {
        return Ok(Vec::new());
    }
    Ok(format!("\x1b[{}m", parameters.join(";")).into_bytes())
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The SGR code that sets or resets an attribute.
fn parse_attribute(word: &[u8]) -> Option<u8> {
    let (off, name) = match word.strip_prefix(b"no") {
        Some(name) => (true, name.strip_prefix(b"-").unwrap_or(name)),
        None => (false, word),
    };
    let (on_code, off_code) = match name {
        b"bold" => (1, 22),
        b"dim" => (2, 22),
        b"italic" => (3, 23),
        b"ul" => (4, 24),
        b"blink" => (5, 25),
        b"reverse" => (7, 27),
        b"strike" => (9, 29),
        _ => return None,
    };
    Some(if off { off_code } else { on_code })
}

fn parse_color(word: &[u8]) -> Option<ColorValue> {
    const NAMES: [&str; 8] = [
        "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
    ];
    let word = word.to_ascii_lowercase();
    match word.as_slice() {
        b"normal" => return Some(ColorValue::None),
        b"default" => return Some(ColorValue::Basic(39)),
        _ => {}
    }
    if let Some(digits) = word.strip_prefix(b"#") {
        return parse_rgb(digits);
    }
    let (base, name) = match word.strip_prefix(b"bright") {
        Some(name) => (90, name),
        None => (30, word.as_slice()),
    };
    if let Some(at) = NAMES.iter().position(|known| known.as_bytes() == name) {
        return Some(ColorValue::Basic(base + at as u8));
    }
    let number: i64 = word.to_str().ok()?.parse().ok()?;
    match u8::try_from(number) {
        Ok(number @ 0..8) => Some(ColorValue::Basic(30 + number)),
        Ok(number @ 8..16) => Some(ColorValue::Basic(90 + number - 8)),
        Ok(number) => Some(ColorValue::Indexed(number)),
        Err(_) if number == -1 => Some(ColorValue::None),
        Err(_) => None,
    }
}

/// Parses `rgb` or `rrggbb` in hexadecimal.
fn parse_rgb(digits: &[u8]) -> Option<ColorValue> {
    let value = |digit: u8| {
        char::from(digit)
            .to_digit(16)
            .and_then(|v| u8::try_from(v).ok())
    };
    let values = digits
        .iter()
        .map(|&digit| value(digit))
        .collect::<Option<Vec<u8>>>()?;
    match values[..] {
        [r, g, b] => Some(ColorValue::Rgb(r * 17, g * 17, b * 17)),
        [r1, r0, g1, g0, b1, b0] => Some(ColorValue::Rgb(r1 * 16 + r0, g1 * 16 + g0, b1 * 16 + b0)),
        _ => None,
    }
}

/// Writes text in a color, which does not go on beyond its line; an empty color is none.
pub(crate) fn push_colored(out: &mut OutputBuffer<'_>, color: &[u8], text: &[u8]) {
    let line = text.trim_end_with(|c| c == '\n' || c == '\r');
    if color.is_empty() || line.is_empty() {
        return out.bytes(text);
    }
    out.bytes(color);
    out.bytes(line);
    out.bytes(NO_COLOR);
    out.bytes(&text[line.len()..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences() {
        for (value, escape) in [
            ("bold red", "\x1b[1;31m"),
            ("red blue", "\x1b[31;44m"),
            ("reset red", "\x1b[;31m"),
            ("red reset", "\x1b[;31m"),
            ("no-ul red", "\x1b[24;31m"),
            ("noul red", "\x1b[24;31m"),
            ("#f80", "\x1b[38;2;255;136;0m"),
            ("#F08000 #010203", "\x1b[38;2;240;128;0;48;2;1;2;3m"),
            ("brightRed 9", "\x1b[91;101m"),
            ("default 200", "\x1b[39;48;5;200m"),
            ("normal yellow", "\x1b[43m"),
            ("-1", ""),
            ("", ""),
            ("normal", ""),
            ("reset", "\x1b[m"),
        ] {
            assert_eq!(parse(value.into()).unwrap().as_bstr(), escape, "{value}");
        }
    }

    #[test]
    fn errors() {
        for value in [
            "bogus",
            "red blue green",
            "256",
            "-2",
            "#12",
            "#ggg",
            "BOLD",
            "no",
            "brightdefault",
        ] {
            assert_eq!(parse(value.into()).unwrap_err().0, value);
        }
        let err = parse("bogus".into()).unwrap_err();
        assert_eq!(err.to_string(), "invalid color value: bogus");
    }

    #[test]
    fn ages() {
        let clock = Clock::new(1_612_400_000, jiff::tz::TimeZone::UTC);
        let read = |value: &str| AgeColors::parse(value.into(), &clock);
        let ages = read(DEFAULT_AGES).unwrap();
        assert_eq!(ages.color(1_577_869_200), b"\x1b[34m");
        assert_eq!(ages.color(1_609_000_000), b"\x1b[37m");
        assert_eq!(ages.color(1_612_400_000), b"\x1b[31m");
        assert_eq!(read(" red , now ,").unwrap().color(2_000_000_000), b"");
        assert_eq!(read("").unwrap().color(0), b"");
        let message = |value| read(value).unwrap_err().to_string();
        assert_eq!(message("red,now"), "must end with a color");
        assert_eq!(message("x y,now,red"), "expecting a color: x y");
    }

    #[test]
    fn repeated_lines_default_to_cyan() {
        for value in [None, Some(""), Some("normal"), Some("-1")] {
            let escape = repeated(value.map(BStr::new)).unwrap();
            assert_eq!(escape.as_bstr(), "\x1b[36m");
        }
        assert_eq!(repeated(Some("red".into())).unwrap().as_bstr(), "\x1b[31m");
    }
}
