//! The diff algorithms: Myers, patience and histogram.

pub(crate) mod align;
pub(crate) mod discard;
pub(crate) mod frequent;
pub(crate) mod histogram;
pub(crate) mod line_numbers;
pub(crate) mod marked_sides;
pub(crate) mod myers;
pub(crate) mod patience;
