//! Data types of the viewer: files, attributions, columns, keys, links and so on.

pub mod attribution;
pub mod bindings;
pub mod color_mode;
pub mod columns;
pub mod encodings;
pub mod external_commands;
pub mod key;
pub mod keymap;
pub mod message_references;
pub mod relative_dates;
pub mod source;
pub mod text;
pub mod toggled_options;
pub mod web_links;
pub mod wrap;
