//! `--json`: every record matches the schema, and together they tell what git tells.

mod agents;
mod outputs;
mod people;
mod schema;
mod tree;
mod value;
mod work_tree;
