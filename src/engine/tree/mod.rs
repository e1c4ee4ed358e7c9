//! Blames of all files of a directory, in two phases.
//!
//! 1. The [`planner`] visits every commit once, children before their parents, and finds out which
//!    versions of which files have to be compared. Files that a commit leaves alone go to its first
//!    parent together, so that they cost nothing. No file is read, except for renames. A second
//!    thread compares trees ahead of it ([`compared_ahead`]). The result is a [`plan`].
//! 2. [`file_blame`] compares the versions of one file after the other, in any order and on any
//!    number of threads.
//!
//! The rules are those of the walk for one file, which the parts of both share: where a line comes
//! from depends on its commit and path alone. What would depend on the order of visits is left to
//! that walk, and so are the lines of files for which something cannot be read.
//!
//! Trees are compared where the walk for one file may ask a filter of the commit-graph instead. That
//! a filter rules out a change which trees have is a sign of damage.

mod changed_file;
pub(crate) mod changes;
pub(crate) mod compared_ahead;
mod compared_trees;
pub(crate) mod file_blame;
pub(crate) mod kept_tree;
mod known_places;
mod live_files;
pub(crate) mod ordered_blames;
pub(crate) mod plan;
mod plan_end;
pub(crate) mod planned_blame;
pub(crate) mod planner;
mod segments;
mod visit;
mod visit_order;
