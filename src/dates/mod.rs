//! Dates: the calendar, the formats of `--date`, and reading dates as people and programs write them.

pub mod approxidate;
pub mod calendar;
pub mod date_format;
pub(crate) mod date_parts;
pub(crate) mod exact_date;
pub(crate) mod strftime;
