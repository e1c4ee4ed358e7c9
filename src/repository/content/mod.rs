//! The final image: attributes, filters, text conversion and the work tree.

mod attribute_rules;
pub(crate) mod attributes;
pub(crate) mod configured_command;
mod conversion;
pub(crate) mod editor_config;
pub(crate) mod filters;
pub(crate) mod final_image;
pub(crate) mod generated_files;
mod ident;
pub(crate) mod similar_paths;
pub(crate) mod staged_files;
pub(crate) mod text_attributes;
pub mod textconv;
pub(crate) mod tree_files;
pub(crate) mod work_tree;
pub(crate) mod work_tree_files;
mod working_tree_encoding;
