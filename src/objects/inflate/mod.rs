//! Zlib streams (RFC 1950, RFC 1951): an inflater made for the many short streams of a pack.

pub(crate) mod bits;
pub(crate) mod decoder;
pub(crate) mod dynamic_codes;
pub(crate) mod huffman;
pub(crate) mod inflater;
