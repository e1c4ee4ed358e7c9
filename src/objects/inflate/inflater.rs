//! Inflation of the zlib streams in packs and loose objects.

use zlib_rs::adler32::adler32;

use crate::objects::{error::Reason, inflate::decoder::ZlibDecoder};

/// Output bytes that [`Inflater::inflate_until`] produces between two calls of its visitor.
const PIECE_LEN: usize = 2048;
/// The longest output of [`Inflater::extend_prefix`].
const MAX_PREFIX_LEN: usize = 4096;
/// Output slack: the decoder may write some literals and one match of 258 bytes past its target.
const SLACK: usize = 262;

/// Inflates streams one after the other, reusing tables and buffers.
pub(crate) struct Inflater {
    decoder: ZlibDecoder,
    prefix_buffer: Box<[u8; MAX_PREFIX_LEN + SLACK]>,
}

impl Inflater {
    pub(crate) fn new() -> Inflater {
        Inflater {
            decoder: ZlibDecoder::new(),
            prefix_buffer: Box::new([0; MAX_PREFIX_LEN + SLACK]),
        }
    }

    /// Inflates the stream at the start of `input`, which must fill `output` exactly and match its
    /// Adler-32 checksum. Returns the compressed length.
    pub(crate) fn inflate_exact(
        &mut self,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, Reason> {
        self.decoder.start(input, output.len())?;
        let len = self.decoder.run(input, output, output.len())?;
        if len < output.len() {
            return Err("an object is shorter than its header states");
        }
        self.finish(input, output)
    }

    /// Checks the end of the stream and its checksum. Returns the compressed length.
    fn finish(&self, input: &[u8], output: &[u8]) -> Result<usize, Reason> {
        match self.decoder.trailer(input) {
            Some((sum, used)) if sum == adler32(1, output) => Ok(used),
            Some(_) => Err("a zlib stream does not match its checksum"),
            None => Err("an object is truncated, or longer than its header states"),
        }
    }

    /// Inflates the stream at the start of `input` into `output`, whose length is the inflated
    /// size. Calls `visit` with the output so far after each piece, and stops when that returns
    /// `Some`. The checksum is verified only if the end is reached.
    pub(crate) fn inflate_until<T>(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        mut visit: impl FnMut(&[u8]) -> Result<Option<T>, Reason>,
    ) -> Result<Option<T>, Reason> {
        self.decoder.start(input, output.len())?;
        let mut len = 0;
        while len < output.len() {
            let done = self.decoder.run(input, output, len + PIECE_LEN)?;
            if done == len {
                return Err("an object is shorter than its header states");
            }
            len = done;
            if let Some(found) = visit(&output[..len])? {
                return Ok(Some(found));
            }
        }
        // Consume the end-of-block symbol if it comes after the last output byte.
        self.decoder.run(input, output, output.len())?;
        self.finish(input, output).map(|_| None)
    }

    /// Starts the stream at the start of `input` and inflates at least its first `target` bytes,
    /// bounded by the stream's end and by [`MAX_PREFIX_LEN`]. The checksum is not verified.
    pub(crate) fn begin_prefix(&mut self, input: &[u8], target: usize) -> Result<&[u8], Reason> {
        self.decoder.start(input, target)?;
        self.extend_prefix(input, target)
    }

    /// Continues the stream that [`Inflater::begin_prefix`] started, up to `target` bytes in all.
    pub(crate) fn extend_prefix(&mut self, input: &[u8], target: usize) -> Result<&[u8], Reason> {
        let len = self.decoder.run(
            input,
            &mut self.prefix_buffer[..],
            target.min(MAX_PREFIX_LEN),
        )?;
        Ok(&self.prefix_buffer[..len])
    }
}

/// Upper bound of the inflated size of `compressed` bytes; a larger stated size is corrupt.
pub(crate) fn max_inflated_len(compressed: usize) -> u64 {
    (compressed as u64).saturating_mul(1040).saturating_add(64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(len: usize) -> (Vec<u8>, Vec<u8>) {
        let data: Vec<u8> = (0..len).map(|at| (at * at / 7 % 251) as u8).collect();
        let mut out = vec![0; zlib_rs::compress_bound(len)];
        let (stream, _) =
            zlib_rs::compress_slice(&mut out, &data, zlib_rs::DeflateConfig::default());
        let stream = stream.to_vec();
        (data, stream)
    }

    #[test]
    fn only_the_exact_size_is_accepted() {
        let mut inflater = Inflater::new();
        for len in [0, 1, 100, 4095, 4096, 100_000] {
            let (data, stream) = stream(len);
            let mut out = vec![0; len];
            assert_eq!(inflater.inflate_exact(&stream, &mut out), Ok(stream.len()));
            assert!(out == data);
            assert!(
                inflater
                    .inflate_exact(&stream, &mut vec![0; len + 1])
                    .is_err()
            );
            if len > 0 {
                assert!(
                    inflater
                        .inflate_exact(&stream, &mut vec![0; len - 1])
                        .is_err()
                );
            }
            for cut in [0, 1, 2, stream.len() / 2, stream.len() - 1] {
                assert!(inflater.inflate_exact(&stream[..cut], &mut out).is_err());
            }
            let mut damaged = stream.clone();
            *damaged.last_mut().expect("not empty") ^= 1;
            assert!(inflater.inflate_exact(&damaged, &mut out).is_err());
        }
    }

    #[test]
    fn visitor_stops_inflation() {
        let mut inflater = Inflater::new();
        for len in [0, 1, PIECE_LEN, PIECE_LEN + 1, 10_000] {
            let (data, stream) = stream(len);
            let mut out = vec![0; len];
            let all = inflater.inflate_until(&stream, &mut out, |_| Ok(None::<()>));
            assert_eq!(all, Ok(None));
            assert!(out == data);
            let some = inflater.inflate_until(&stream, &mut out, |output| {
                assert!(*output == data[..output.len()]);
                Ok((output.len() > len / 2).then_some(output.len()))
            });
            assert_eq!(some.expect("valid stream").is_some(), len > 0);
            let longer = inflater.inflate_until(&stream, &mut vec![0; len + 1], |_| Ok(None::<()>));
            assert!(longer.is_err());
        }
    }

    #[test]
    fn a_prefix_is_extended() {
        let mut inflater = Inflater::new();
        let (data, stream) = stream(10_000);
        let len = inflater
            .begin_prefix(&stream, 10)
            .expect("valid stream")
            .len();
        assert!((10..300).contains(&len));
        for target in [10, 11, 700, 701, 4000, 4096, 5000] {
            let start = inflater
                .extend_prefix(&stream, target)
                .expect("valid stream");
            assert!(start.len() >= target.min(MAX_PREFIX_LEN) && start.len() < target + SLACK);
            assert!(*start == data[..start.len()]);
        }
    }
}
