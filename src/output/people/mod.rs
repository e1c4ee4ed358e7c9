//! `--people`: who wrote the lines of a file.

pub mod counted_people;
pub(crate) mod json_people;
pub(crate) mod people_rows;
pub(crate) mod year_bars;
