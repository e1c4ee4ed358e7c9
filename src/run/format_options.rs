//! Options of the output formats: the command line overrides the configuration, which overrides
//! git's defaults.

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    cli::{Invocation, Output, OutputFormat},
    dates::{calendar::Clock, date_format},
    error::{Error, Result, noted},
    output::{
        IgnoreMarks,
        abbreviation::Abbrev,
        color::{self, AgeColors, AgeColorsError, Coloring, DEFAULT_AGES, LEGIBLE_AGES},
        plain, porcelain,
    },
    repository::open::git_config,
};

#[derive(Debug, Clone)]
pub(super) struct FormatOptions {
    pub(super) plain: plain::PlainOptions,
    /// Those of `--porcelain`.
    pub(super) porcelain: porcelain::PorcelainOptions,
}

impl FormatOptions {
    /// Resolves the options. `terminal` says whether standard output is a terminal.
    ///
    /// # Errors
    ///
    /// An invalid date format or color, or options that conflict.
    pub(super) fn new(
        settings: &git_config::GitConfig,
        invocation: &Invocation,
        clock: &Clock,
        terminal: bool,
    ) -> Result<FormatOptions> {
        let format = &invocation.format;
        let configured = match &settings.date {
            Some(date) => parse_date_format(date.as_bstr(), terminal)?,
            None => date_format::DateMode::default(),
        };
        let (by_line, by_age) = enabled_colors(settings, format);
        let date = match &format.date {
            Some(date) => parse_date_format(date.as_bstr(), terminal)?,
            None => configured.clone(),
        };
        if format.progress == Some(true) && invocation.output != Output::Plain {
            return Err(Error::fatal(
                "--progress can't be used with --incremental or porcelain formats",
            ));
        }
        let marks = IgnoreMarks {
            ignored: settings.mark_ignored,
            unblamable: settings.mark_unblamable,
        };
        let plain = plain::PlainOptions {
            abbrev: abbrev(settings, format),
            long: format.long_ids,
            raw_time: format.raw_time,
            no_author: format.no_author,
            email: format.show_email.unwrap_or(settings.show_email),
            name: format.show_name,
            number: format.show_number,
            blank_boundary: format.blank_boundary || settings.blank_boundary,
            score: format.score_debug,
            annotate: format.annotate,
            marks,
            date: if format.annotate_command {
                date_format::DateMode {
                    local: configured.local,
                    ..date_format::DateMode::default()
                }
            } else {
                date
            },
            coloring: Coloring {
                repeated: by_line.then(|| repeated_color(settings)),
                by_age: match (by_age, settings.age_colors.last()) {
                    (true, Some(colors)) => Some(parse_ages(colors.as_bstr(), clock)?),
                    (true, None) => {
                        let ages = match invocation.output {
                            Output::Plain => DEFAULT_AGES,
                            _ => LEGIBLE_AGES,
                        };
                        Some(parse_ages(ages.into(), clock)?)
                    }
                    (false, _) => None,
                },
            },
            ..plain::PlainOptions::new(clock.clone())
        };
        Ok(FormatOptions {
            plain,
            porcelain: porcelain::PorcelainOptions {
                every_line: false,
                marks,
                quote_path: settings.quote_path,
            },
        })
    }
}

fn parse_date_format(text: &BStr, terminal: bool) -> Result<date_format::DateMode> {
    date_format::DateMode::parse(text, terminal).map_err(|err| Error::fatal(err.to_string()))
}

fn abbrev(settings: &git_config::GitConfig, format: &OutputFormat) -> Abbrev {
    match (format.abbrev, settings.abbrev) {
        (Some(digits), _) => Abbrev::Fixed(match usize::try_from(digits) {
            Ok(0) => 0,
            Ok(digits) => digits.max(4),
            Err(_) => 4,
        }),
        (None, git_config::AbbrevConfig::Auto) => Abbrev::Auto,
        (None, git_config::AbbrevConfig::Digits(digits)) => Abbrev::Unique(digits),
    }
}

/// True for each of repeated details and ages that is colored. Either option overrides both
/// variables.
fn enabled_colors(settings: &git_config::GitConfig, format: &OutputFormat) -> (bool, bool) {
    let lines = format.color_lines == Some(true);
    let age = format.color_by_age == Some(true);
    if lines || age {
        (lines, age)
    } else {
        (settings.color_lines, settings.color_by_age)
    }
}

/// The last valid configured color of repeated details.
fn repeated_color(settings: &git_config::GitConfig) -> Vec<u8> {
    let colors = settings.repeated_colors.iter().rev();
    colors
        .map(|value| color::repeated(Some(value.as_bstr())))
        .find_map(std::result::Result::ok)
        .unwrap_or_else(|| b"\x1b[36m".to_vec())
}

/// Checks a variable of the configuration whose value the output formats define.
///
/// # Errors
///
/// Values that git refuses when it reads the configuration; its warnings about others are added to
/// `notes`.
pub(super) fn check_variable(
    key: &str,
    value: &BStr,
    terminal: bool,
    clock: &Clock,
    notes: &mut Vec<BString>,
) -> Result<()> {
    match key {
        "blame.date" => parse_date_format(value, terminal).map(drop),
        "color.blame.highlightrecent" => parse_ages(value, clock).map(drop),
        "color.blame.repeatedlines" => {
            if color::repeated(Some(value)).is_err() {
                let mut note = BString::from("error: invalid color value: ");
                note.push_str(value);
                notes.push(noted(note));
                let mut note =
                    BString::from("warning: invalid value for 'color.blame.repeatedLines': '");
                note.push_str(value);
                note.push(b'\'');
                notes.push(noted(note));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn parse_ages(value: &BStr, clock: &Clock) -> Result<AgeColors> {
    AgeColors::parse(value, clock).map_err(|err| {
        let fatal = Error::fatal(err.to_string());
        match err {
            AgeColorsError::ExpectingColor(color) => {
                let mut note = BString::from("error: invalid color value: ");
                note.push_str(&color.0);
                fatal.after(vec![note])
            }
            AgeColorsError::MustEndWithColor => fatal,
        }
    })
}
