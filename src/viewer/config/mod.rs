//! The configuration file, and the history of used keys.

pub mod columns;
pub mod config_file;
pub mod edit;
pub mod hint_history;
pub(crate) mod keys;
pub mod setting_change;
pub mod settings;
pub mod table_reader;
