//! Patches with the commits of the lines on their old sides.

pub(crate) mod attributed;
pub(crate) mod json_patch;
mod patch_colors;
pub(crate) mod patch_format;
pub(crate) mod patch_rows;
pub(crate) mod summary;
pub(crate) mod unified;
