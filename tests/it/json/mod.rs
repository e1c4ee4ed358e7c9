//! `--json`: every record matches the schema, and together they tell what git tells.

mod agents;
mod outputs;
mod people;
pub mod schema;
mod tree;
pub mod value;
mod work_tree;
