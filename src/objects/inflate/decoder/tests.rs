//! Tests of the decoder against zlib-rs.

use super::*;
use crate::objects::test_rng::TestRng;

/// Data that compresses to dynamic blocks with some long codes and many matches.
fn sample(seed: u64, len: usize) -> Vec<u8> {
    let mut rng = TestRng(seed);
    let mut data = Vec::new();
    while data.len() < len {
        let number = rng.next();
        let (kind, value) = (number >> 60, number >> 30);
        match kind {
            0..9 => data.push(b'a' + (value.trailing_zeros() % 26) as u8),
            9..12 => data.push(value as u8),
            _ if data.is_empty() => {}
            kind => {
                let back = 1 + value as usize % data.len();
                let from = data.len() - back;
                for at in 0..(3 + value as usize % (20 << (kind & 3))) {
                    data.push(data[from + at]);
                }
            }
        }
    }
    data.truncate(len);
    data
}

fn deflate(data: &[u8], level: i32) -> Vec<u8> {
    let config = zlib_rs::DeflateConfig {
        level,
        ..zlib_rs::DeflateConfig::default()
    };
    let mut out = vec![0; zlib_rs::compress_bound(data.len()) + 64];
    let (stream, code) = zlib_rs::compress_slice(&mut out, data, config);
    assert_eq!(code, zlib_rs::ReturnCode::Ok);
    stream.to_vec()
}

#[test]
fn decodes_streams_of_all_sizes_and_levels() {
    let mut decoder = ZlibDecoder::new();
    for (nth, len) in [0, 1, 2, 7, 20, 100, 300, 1000, 5000, 70_000, 200_000]
        .into_iter()
        .enumerate()
    {
        for level in [0, 1, 6, 9] {
            let data = sample(nth as u64 + 1, len);
            let mut stream = deflate(&data, level);
            let stream_len = stream.len();
            stream.extend_from_slice(b"trailing data");
            let mut out = vec![0; len];
            decoder.start(&stream, len).expect("valid stream");
            assert_eq!(
                decoder.run(&stream, &mut out, len),
                Ok(len),
                "{len} at {level}"
            );
            assert!(out == data);
            let (sum, used) = decoder.trailer(&stream).expect("ended");
            assert_eq!(used, stream_len);
            assert_eq!(sum, zlib_rs::adler32::adler32(1, &data));
            // Incrementally.
            let mut out = vec![0; len + 262];
            decoder.start(&stream, len).expect("valid stream");
            let mut done = 0;
            while done < len {
                let next = decoder
                    .run(&stream, &mut out, done + 1 + done / 3)
                    .expect("valid stream");
                assert!(next > done && next < done + 1 + done / 3 + 262);
                done = next;
                assert!(out[..done] == data[..done]);
            }
        }
    }
}

/// Code lengths of `count` symbols that form a complete, or nearly complete, code.
fn full_code(rng: &mut TestRng, count: usize, longest: u8) -> Vec<u8> {
    let mut lens = vec![0];
    while lens.len() < count {
        let at = rng.below(lens.len());
        // Grow some codes quickly.
        let at = if rng.below(4) == 0 {
            lens.len() - 1
        } else {
            at
        };
        if lens[at] < longest {
            lens[at] += 1;
            lens.push(lens[at]);
        }
    }
    lens
}

#[derive(Default)]
struct BitWriter {
    bytes: Vec<u8>,
    count: usize,
}

impl BitWriter {
    fn put(&mut self, value: usize, count: usize) {
        for bit in 0..count {
            if self.count.is_multiple_of(8) {
                self.bytes.push(0);
            }
            let last = self.bytes.last_mut().expect("just pushed");
            *last |= ((value >> bit & 1) as u8) << (self.count % 8);
            self.count += 1;
        }
    }

    fn put_code(&mut self, codes: &[(usize, usize)], symbol: usize) {
        let (code, len) = codes[symbol];
        self.put(code, len);
    }
}

/// Canonical codes for these lengths, bit-reversed as they are written, with their lengths.
fn codes(lens: &[u8]) -> Vec<(usize, usize)> {
    let mut codes = vec![(0, 0); lens.len()];
    let mut code = 0usize;
    for len in 1..=15 {
        code <<= 1;
        for (symbol, _) in (0..).zip(lens).filter(|of| usize::from(*of.1) == len) {
            codes[symbol] = (code.reverse_bits() >> (usize::BITS as usize - len), len);
            code += 1;
        }
    }
    codes
}

/// A dynamic block with unusual codes, and random symbols.
fn random_block(rng: &mut TestRng, to: &mut BitWriter, written: &mut usize) {
    to.put(2, 2);
    let literals = 257 + rng.below(30);
    let most = [12, 12, 30][rng.below(3)];
    let distances = 1 + rng.below(most);
    let most = 1 + rng.below(literals - 1);
    let mut lens = vec![0; literals + distances];
    for len in full_code(rng, most.max(2), 15) {
        let at = rng.below(literals);
        let at = (0..literals).map(|step| (at + step) % literals);
        let free = at.clone().find(|&at| lens[at] == 0);
        lens[free.expect("a free symbol")] = len;
    }
    let most = 1 + rng.below(distances);
    for (at, len) in full_code(rng, most, 15).into_iter().enumerate() {
        lens[literals + at] = len.max(u8::from(rng.below(9) > 0));
    }
    if lens[256] == 0 && rng.below(20) > 0 {
        lens.swap(256, 0);
    }
    if rng.below(20) == 0 {
        let at = rng.below(lens.len());
        lens[at] = rng.below(16) as u8;
    }
    let mut code_lens = full_code(rng, 19, 7);
    for at in 0..19 {
        code_lens.swap(at, rng.below(19));
    }
    let order = [
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
    ];
    to.put(literals - 257, 5);
    to.put(distances - 1, 5);
    to.put(15, 4);
    for symbol in order {
        to.put(usize::from(code_lens[symbol]), 3);
    }
    let length_codes = codes(&code_lens);
    let mut at = 0;
    while at < lens.len() {
        let same = lens[at..].iter().take_while(|len| **len == lens[at]);
        let mut same = same.count();
        if rng.below(1500) == 0 {
            // Possibly past the last symbol.
            same += 3;
        }
        let times = if lens[at] == 0 && same >= 11 && rng.below(3) > 0 {
            to.put_code(&length_codes, 18);
            to.put(same.min(138) - 11, 7);
            same.min(138)
        } else if lens[at] == 0 && same >= 3 && rng.below(3) > 0 {
            to.put_code(&length_codes, 17);
            to.put(same.min(10) - 3, 3);
            same.min(10)
        } else if at > 0 && lens[at] == lens[at - 1] && same >= 3 {
            to.put_code(&length_codes, 16);
            to.put(same.min(6) - 3, 2);
            same.min(6)
        } else {
            to.put_code(&length_codes, usize::from(lens[at]));
            1
        };
        at += times;
    }
    let literal_codes = codes(&lens[..literals]);
    let distance_codes = codes(&lens[literals..]);
    for _ in 0..rng.below(400) {
        let most = [256, 256, 256, literals][rng.below(4)];
        let symbol = rng.below(most);
        let distance = rng.below(distances);
        let base = (DISTANCE_ALPHABET[distance] >> 16) as usize;
        if symbol < 256 && lens[symbol] != 0 {
            to.put_code(&literal_codes, symbol);
            *written += 1;
        } else if symbol > 256
            && lens[symbol] != 0
            && lens[literals + distance] != 0
            && (base <= *written || rng.below(300) == 0)
        {
            let extra = (LITERAL_ALPHABET[symbol] & 63) as usize;
            to.put_code(&literal_codes, symbol);
            to.put(rng.below(32), extra);
            to.put_code(&distance_codes, distance);
            let extra = (DISTANCE_ALPHABET[distance] & 63) as usize;
            let near = written.saturating_sub(base) + 1;
            to.put(rng.below(near.min(1 << extra)), extra);
            *written += (LITERAL_ALPHABET[symbol] >> 16) as usize;
        }
    }
    if lens[256] != 0 && rng.below(50) > 0 {
        to.put_code(&literal_codes, 256);
    }
}

/// Decodes the stream after its two header bytes with zlib-rs. Returns the bytes consumed and
/// the output, or `None` on an error.
fn reference_inflate(stream: &[u8], output_len: usize) -> Option<(usize, Vec<u8>)> {
    let mut reference = zlib_rs::Inflate::new(false, 15);
    let mut out = vec![0; output_len];
    let status = reference.decompress(&stream[2..], &mut out, zlib_rs::InflateFlush::Finish);
    out.truncate(reference.total_out() as usize);
    (status == Ok(zlib_rs::Status::StreamEnd)).then(|| (reference.total_in() as usize, out))
}

#[test]
fn random_blocks_decode_as_in_zlib_rs() {
    let mut decoder = ZlibDecoder::new();
    let mut rng = TestRng(7);
    let mut accepted = 0;
    for round in 0..6000 {
        let mut to = BitWriter::default();
        // A stored block as material for matches.
        let raw = rng.below(500);
        to.put(0, 8);
        to.put(raw, 16);
        to.put(!raw, 16);
        (0..raw).for_each(|_| to.put(rng.below(256), 8));
        let mut written = raw;
        for left in (0..1 + rng.below(3)).rev() {
            to.put(usize::from(left == 0), 1);
            random_block(&mut rng, &mut to, &mut written);
        }
        let mut stream = vec![0x78, 0x9c];
        stream.extend_from_slice(&to.bytes);
        if round % 3 == 0 {
            let at = 2 + rng.below(stream.len() - 2);
            stream[at] ^= 1 << rng.below(8);
        }
        if round % 16 == 0 {
            stream.truncate(2 + rng.below(stream.len() - 2));
        } else {
            stream.extend_from_slice(b"trailing data");
        }
        let output_len = [1000, 5000, 20_000, 60_000][rng.below(4)];
        let expected = reference_inflate(&stream, output_len);
        let mut out = vec![0; output_len];
        decoder.start(&stream, output_len).expect("valid header");
        let done = decoder.run(&stream, &mut out, output_len);
        let Some((read, expected)) = expected else {
            assert!(
                done.is_err() || decoder.trailer(&stream).is_none(),
                "{round}"
            );
            continue;
        };
        accepted += 1;
        assert_eq!(done, Ok(expected.len()), "{round}");
        assert!(out[..expected.len()] == expected, "{round}");
        let end = decoder.trailer(&stream);
        // Our decoder expects a checksum after the stream.
        let used = Some(read + 6).filter(|used| *used <= stream.len());
        assert_eq!(end.map(|end| end.1), used, "{round}");
        // With just enough output space, and one byte less.
        for less in [0, 1.min(expected.len())] {
            let output_len = expected.len() - less;
            decoder.start(&stream, output_len).expect("valid header");
            let done = decoder.run(&stream, &mut out[..output_len], output_len);
            let whole = done == Ok(output_len) && decoder.trailer(&stream).is_some();
            assert_eq!(whole, less == 0 && end.is_some(), "{round}");
            assert!(out[..output_len] == expected[..output_len], "{round}");
        }
    }
    assert!(accepted > 1500, "only {accepted} were valid");
}
