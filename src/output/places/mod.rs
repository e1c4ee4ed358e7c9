//! `--places`: lines that name places in files, with who wrote these.

pub mod json_places;
pub mod place_rows;
