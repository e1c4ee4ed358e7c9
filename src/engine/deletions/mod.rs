//! The lines that commits deleted, and where they would be in the final image.
//!
//! - The versions are those of the file's history. A commit deleted lines if the diff between its
//!   parent's version and its own removes them and adds no line in their place.
//! - Each version is compared with one version that was made from it: if it is on the way back from
//!   the newest one along the first parents that have the file, with the one on this way, otherwise
//!   with the first one found. So a line of a version has at most one line of the final image.
//! - A deletion belongs between the nearest lines before and after it, in the version that lacks
//!   it, that are in the final image.
//! - A merge deleted lines if it removed the same ones at the same place of its version from the
//!   version of each parent.
//! - Lines are not counted if the final image has them by another branch.

pub(crate) mod deleted_lines;
pub(crate) mod kept_deletions;
mod line_positions;
