//! Inflating the zlib streams of packs and loose objects.

use zlib_rs::{Inflate, InflateFlush, Status};

use super::error::Fault;

/// Inflates one stream after the other with the same state.
pub(crate) struct Inflater {
    general: Inflate,
}

impl Inflater {
    pub(crate) fn new() -> Inflater {
        Inflater {
            general: Inflate::new(true, 15),
        }
    }

    /// Inflate the whole stream at the start of `input`, which must fill `output` exactly.
    /// Returns the length of the stream.
    pub(crate) fn exact(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Fault> {
        self.general.reset(true);
        let mut read = 0;
        let mut written = 0;
        loop {
            let status = self
                .general
                .decompress(&input[read..], &mut output[written..], InflateFlush::Finish)
                .map_err(|_| "a compressed stream is damaged")?;
            let (before, wrote_before) = (read, written);
            read = usize::try_from(self.general.total_in()).map_err(|_| "a stream is too long")?;
            written =
                usize::try_from(self.general.total_out()).map_err(|_| "a stream is too long")?;
            match status {
                Status::StreamEnd if written == output.len() => return Ok(read),
                Status::StreamEnd => return Err("an object is shorter than announced"),
                _ if read == before && written == wrote_before => {
                    return Err("an object is cut off, or longer than announced");
                }
                _ => {}
            }
        }
    }

    /// Inflate as much of the stream as fits into `output`, and return how much that was. The
    /// stream's checksum is only verified when its end is reached.
    pub(crate) fn prefix(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Fault> {
        self.general.reset(true);
        let mut read = 0;
        let mut written = 0;
        while written < output.len() {
            let status = self
                .general
                .decompress(
                    &input[read..],
                    &mut output[written..],
                    InflateFlush::NoFlush,
                )
                .map_err(|_| "a compressed stream is damaged")?;
            let (before, wrote_before) = (read, written);
            read = usize::try_from(self.general.total_in()).map_err(|_| "a stream is too long")?;
            written =
                usize::try_from(self.general.total_out()).map_err(|_| "a stream is too long")?;
            match status {
                Status::StreamEnd => break,
                _ if read == before && written == wrote_before => {
                    return Err("a compressed stream is cut off");
                }
                _ => {}
            }
        }
        Ok(written)
    }
}

/// The most that deflate can make of `compressed` bytes; whoever announces more lies.
pub(crate) fn most_inflated(compressed: usize) -> u64 {
    (compressed as u64).saturating_mul(1040).saturating_add(64)
}
