//! A reader of reftable, git's binary storage for references and reflogs.
//!
//! [`Stack`] opens the tables listed in a `tables.list` and merges them; [`Table`] reads one of
//! them. The format is described in git's `Documentation/technical/reftable.adoc`; versions 1
//! (SHA-1) and 2 (SHA-256) are read. Nothing here depends on the rest of the program.
//!
//! Bytes are not trusted: all lengths and offsets are checked against the block that has them,
//! positions of blocks must progress, and names have a limit, so that damaged tables give an error
//! in bounded time and memory.

mod block;
mod bytes;
mod error;
mod record;
mod source;
mod stack;
mod table;

pub use error::{Error, Result};
pub use record::{LogEntry, Value};
pub use source::Source;
pub use stack::Stack;
pub use table::Table;
