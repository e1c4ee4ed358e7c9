//! Lines interned as tokens, and white space in them.

pub mod interner;
pub(crate) mod line_prediction;
pub(crate) mod token_table;
pub mod whitespace;
