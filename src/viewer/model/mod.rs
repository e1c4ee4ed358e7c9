//! Data types of the viewer: files, attributions, columns, keys, links and so on.

pub mod abbreviation;
pub mod attribution;
pub mod background;
pub mod blame_results;
pub mod color_mode;
pub mod columns;
pub mod date_histogram;
pub mod diff;
pub mod external_commands;
pub mod file_version;
pub mod gutter;
pub mod hyperlink;
pub mod keys;
pub mod line_filter;
pub mod missing_path;
pub mod relative_dates;
pub mod source;
pub mod texts;
pub mod toggled_options;
pub mod web_links;
