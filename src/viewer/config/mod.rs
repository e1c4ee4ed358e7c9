//! The configuration file.

mod cache;
pub mod columns;
pub mod config_file;
pub mod edit;
pub(crate) mod keys;
pub mod setting_change;
pub mod settings;
pub mod table_reader;
