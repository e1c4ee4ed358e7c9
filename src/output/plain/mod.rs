//! The default human-readable format, and that of `git annotate`.

pub(crate) mod column_widths;
pub(crate) mod marked_entry;
pub mod options;
pub mod writer;

pub use options::PlainOptions;
pub use writer::write;
