//! Small pages on which one of a few things is chosen.

mod columns;
mod dates;
pub(crate) mod question;
mod switches;
mod themes;
