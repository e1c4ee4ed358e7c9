//! `--people`: who wrote the lines of a file.

pub mod json_people;
pub mod people_rows;
pub(crate) mod year_bars;
