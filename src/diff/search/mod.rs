//! The diff algorithms: Myers, patience and histogram.

pub(crate) mod align;
pub(crate) mod change_flags;
pub(crate) mod dense_ids;
pub(crate) mod discard;
pub(crate) mod histogram;
pub(crate) mod myers;
pub(crate) mod occurrence_counts;
pub(crate) mod patience;
