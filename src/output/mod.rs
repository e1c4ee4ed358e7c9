//! The output room.
