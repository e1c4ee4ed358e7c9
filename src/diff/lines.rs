//! Lines as numbers.

/// All distinct lines met so far.
#[derive(Debug, Default)]
pub struct Lines {}
