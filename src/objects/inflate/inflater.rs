//! Inflating the zlib streams of packs and loose objects.

use zlib_rs::adler32::adler32;

use crate::objects::{error::Fault, inflate::decoder::Decoder};

/// How much [`Inflater::until`] inflates at a time.
const PIECE: usize = 2048;
/// The most that [`Inflater::more`] gives.
const MOST: usize = 4096;
/// Some literals and a repeated string may be written past the target, so leave room for the longest.
const SLACK: usize = 262;

/// Inflates one stream after the other with the same state.
pub(crate) struct Inflater {
    decoder: Decoder,
    start: Box<[u8; MOST + SLACK]>,
}

impl Inflater {
    pub(crate) fn new() -> Inflater {
        Inflater {
            decoder: Decoder::new(),
            start: Box::new([0; MOST + SLACK]),
        }
    }

    /// Inflate the whole stream at the start of `input`, which must fill `output` exactly and be
    /// sound to its checksum. Returns the length of the stream.
    pub(crate) fn exact(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Fault> {
        self.decoder.start(input, output.len())?;
        let len = self.decoder.run(input, output, output.len())?;
        if len < output.len() {
            return Err("an object is shorter than announced");
        }
        self.ended(input, output)
    }

    /// The length of the stream, which must have ended, and be sound to its checksum.
    fn ended(&self, input: &[u8], output: &[u8]) -> Result<usize, Fault> {
        match self.decoder.end(input) {
            Some((sum, used)) if sum == adler32(1, output) => Ok(used),
            Some(_) => Err("a compressed stream does not match its checksum"),
            None => Err("an object is cut off, or longer than announced"),
        }
    }

    /// Inflate the stream at the start of `input`, of `output.len()` bytes, piece by piece, until
    /// `visit` of what there is so far gives something. The checksum is verified only if the end
    /// is reached.
    pub(crate) fn until<T>(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        mut visit: impl FnMut(&[u8]) -> Result<Option<T>, Fault>,
    ) -> Result<Option<T>, Fault> {
        self.decoder.start(input, output.len())?;
        let mut len = 0;
        while len < output.len() {
            let done = self.decoder.run(input, output, len + PIECE)?;
            if done == len {
                return Err("an object is shorter than announced");
            }
            len = done;
            if let Some(found) = visit(&output[..len])? {
                return Ok(Some(found));
            }
        }
        // The end of the last block, if it was not passed yet.
        self.decoder.run(input, output, output.len())?;
        self.ended(input, output).map(|_| None)
    }

    /// Begin the stream at the start of `input` and inflate at least its first `target` bytes, or
    /// all if it is shorter, or as many as this can hold. Its checksum is not verified.
    pub(crate) fn prefix(&mut self, input: &[u8], target: usize) -> Result<&[u8], Fault> {
        self.decoder.start(input, target)?;
        self.more(input, target)
    }

    /// Go on in the stream that [`Inflater::prefix`] began, until there are `target` bytes in all.
    pub(crate) fn more(&mut self, input: &[u8], target: usize) -> Result<&[u8], Fault> {
        let len = self
            .decoder
            .run(input, &mut self.start[..], target.min(MOST))?;
        Ok(&self.start[..len])
    }
}

/// The most that deflate can make of `compressed` bytes; whoever announces more lies.
pub(crate) fn most_inflated(compressed: usize) -> u64 {
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
    fn only_the_exact_size_will_do() {
        let mut inflater = Inflater::new();
        for len in [0, 1, 100, 4095, 4096, 100_000] {
            let (data, stream) = stream(len);
            let mut out = vec![0; len];
            assert_eq!(inflater.exact(&stream, &mut out), Ok(stream.len()));
            assert!(out == data);
            assert!(inflater.exact(&stream, &mut vec![0; len + 1]).is_err());
            if len > 0 {
                assert!(inflater.exact(&stream, &mut vec![0; len - 1]).is_err());
            }
            for cut in [0, 1, 2, stream.len() / 2, stream.len() - 1] {
                assert!(inflater.exact(&stream[..cut], &mut out).is_err());
            }
            let mut damaged = stream.clone();
            *damaged.last_mut().expect("not empty") ^= 1;
            assert!(inflater.exact(&damaged, &mut out).is_err());
        }
    }

    #[test]
    fn inflating_stops_when_enough_is_seen() {
        let mut inflater = Inflater::new();
        for len in [0, 1, PIECE, PIECE + 1, 10_000] {
            let (data, stream) = stream(len);
            let mut out = vec![0; len];
            let all = inflater.until(&stream, &mut out, |_| Ok(None::<()>));
            assert_eq!(all, Ok(None));
            assert!(out == data);
            let some = inflater.until(&stream, &mut out, |seen| {
                assert!(*seen == data[..seen.len()]);
                Ok((seen.len() > len / 2).then_some(seen.len()))
            });
            assert_eq!(some.expect("sound").is_some(), len > 0);
            let longer = inflater.until(&stream, &mut vec![0; len + 1], |_| Ok(None::<()>));
            assert!(longer.is_err());
        }
    }

    #[test]
    fn a_prefix_grows() {
        let mut inflater = Inflater::new();
        let (data, stream) = stream(10_000);
        let len = inflater.prefix(&stream, 10).expect("sound").len();
        assert!((10..300).contains(&len));
        for target in [10, 11, 700, 701, 4000, 4096, 5000] {
            let start = inflater.more(&stream, target).expect("sound");
            assert!(start.len() >= target.min(MOST) && start.len() < target + SLACK);
            assert!(*start == data[..start.len()]);
        }
    }
}
