//! The repository room.
