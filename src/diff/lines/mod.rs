//! Line interning and the whitespace rules of lines.

pub mod interner;
pub(crate) mod line_prediction;
pub(crate) mod token_table;
pub mod whitespace;
