//! `--people`: who wrote the lines of a file.

pub mod json_people;
pub(crate) mod line_counts;
pub mod people_rows;
pub(crate) mod year_bars;
