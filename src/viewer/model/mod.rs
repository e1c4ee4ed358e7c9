//! Data types of the viewer: files, attributions, columns, keys, links and so on.

pub mod abbreviation;
pub mod attribution;
pub mod bindings;
pub mod color_mode;
pub mod columns;
pub mod diff;
pub mod encodings;
pub mod external_commands;
pub mod file_history;
pub mod file_version;
pub mod key;
pub mod key_presets;
pub mod key_sequence;
pub mod keymap;
pub mod line_history;
pub mod line_map;
pub mod message_references;
pub mod names;
pub mod relative_dates;
pub mod source;
pub mod syntax;
pub mod text;
pub mod toggled_options;
pub mod web_links;
pub mod word_wrap;
pub mod wrap;
