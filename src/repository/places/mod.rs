//! Places in files that other programs name: on the command line, and in what they write.

pub mod escapes;
pub mod finder;
pub(crate) mod frames;
pub(crate) mod place;
pub mod records;
