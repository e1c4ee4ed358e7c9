//! `--why`: what made lines what they are, in a bounded answer.

pub(crate) mod budget;
pub(crate) mod facts;
pub(crate) mod json_why;
pub(crate) mod why_rows;
