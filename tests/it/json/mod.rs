//! `--json`: every record matches the schema, and together they tell what git tells.

mod agents;
mod outputs;
mod people;
pub mod schema;
pub mod tree;
pub mod value;
pub mod work_tree;
