//! Dates: the calendar and time zones, the formats of `--date`, and git's date parsers.

pub mod approxidate;
pub mod calendar;
pub(crate) mod date_fields;
pub mod date_format;
pub(crate) mod exact_date;
pub mod moment;
pub(crate) mod strftime;
pub mod typed_date;
