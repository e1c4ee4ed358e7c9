//! Zlib streams (RFC 1950, RFC 1951): an inflater made for the many short streams of a pack.

pub(crate) mod bits;
pub(crate) mod decoder;
pub(crate) mod dynamic_codes;
pub(crate) mod huffman;
pub(crate) mod inflater;

/// Inflates a whole stream into `output`, whose length is the inflated size.
///
/// # Errors
///
/// If the stream is damaged or of another length.
pub fn inflate_exact(
    stream: &[u8],
    output: &mut [u8],
) -> Result<(), crate::objects::error::Reason> {
    inflater::Inflater::new().inflate_exact(stream, output)?;
    Ok(())
}
