//! The viewer room.
