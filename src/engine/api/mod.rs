//! What a blame is asked for, and what it answers.

pub(crate) mod blame;
pub(crate) mod error;
pub(crate) mod profile;
pub(crate) mod request;
