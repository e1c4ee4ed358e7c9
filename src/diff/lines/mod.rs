//! Line interning and the whitespace rules of lines.

pub mod interner;
pub(crate) mod line_predictor;
pub(crate) mod token_table;
pub mod whitespace;
