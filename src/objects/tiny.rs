//! An inflater for tiny streams: little to set up, and able to stop after a few bytes and to go on.
//!
//! Most objects of a repository are a few hundred bytes, so building tables is most of the work of
//! inflating them. Large streams are better served by a general library.

use super::error::Fault;
use super::huffman::{Code, DISTANCES, END, LITERAL, LITERALS, used};

const CUT: Fault = "a compressed stream is cut off";
/// In which order the lengths of the code length code come.
const ORDER: [usize; 19] = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
];

/// The inflater. [`Tiny::start`] begins a stream, [`Tiny::run`] goes on in it.
pub(crate) struct Tiny {
    literals: Code,
    distances: Code,
    fixed: Option<Box<(Code, Code)>>,
    bits: Bits,
    written: usize,
    last: bool,
    block: Block,
}

/// What the next bits of the stream are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    /// The header of a block.
    Header,
    /// Bytes as they are; so many remain.
    Raw(usize),
    /// Symbols of the codes that the block brought itself.
    Dynamic,
    /// Symbols of the fixed codes.
    Fixed,
    /// The checksum.
    Done,
}

/// The stream as bits, lowest first.
#[derive(Clone, Copy)]
struct Bits {
    buffer: u64,
    count: u32,
    /// The next byte of the input to load. May run past its end: zeros are read there, and found
    /// out afterwards.
    at: usize,
}

impl Bits {
    /// Have at least 56 bits in the buffer.
    #[inline(always)]
    fn refill(&mut self, input: &[u8]) {
        let word = match input.get(self.at..).and_then(|rest| rest.first_chunk()) {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => self.tail(input),
        };
        self.buffer |= word << self.count;
        self.at += ((63 - self.count) >> 3) as usize;
        self.count |= 56;
    }

    #[cold]
    fn tail(&self, input: &[u8]) -> u64 {
        let mut bytes = [0; 8];
        let rest = input.get(self.at..).unwrap_or_default();
        bytes[..rest.len()].copy_from_slice(rest);
        u64::from_le_bytes(bytes)
    }

    #[inline(always)]
    fn take(&mut self, count: u32) -> u32 {
        let value = (self.buffer & ((1u64 << count) - 1)) as u32;
        self.skip(count);
        value
    }

    #[inline(always)]
    fn skip(&mut self, count: u32) {
        self.buffer >>= count;
        self.count -= count;
    }

    /// Whole bytes used so far, when what remains of the current one is dropped.
    fn used(&self) -> usize {
        self.at - (self.count >> 3) as usize
    }
}

impl Tiny {
    pub(crate) fn new() -> Tiny {
        Tiny {
            literals: Code::new(&LITERALS),
            distances: Code::new(&DISTANCES),
            fixed: None,
            bits: Bits {
                buffer: 0,
                count: 0,
                at: 0,
            },
            written: 0,
            last: false,
            block: Block::Done,
        }
    }

    /// Begin the zlib stream at the start of `input`.
    pub(crate) fn start(&mut self, input: &[u8]) -> Result<(), Fault> {
        let &[method, flags, ..] = input else {
            return Err(CUT);
        };
        let check = u16::from_be_bytes([method, flags]);
        if method & 15 != 8 || method >> 4 > 7 || !check.is_multiple_of(31) || flags & 0x20 != 0 {
            return Err("a compressed stream has a malformed header");
        }
        self.bits = Bits {
            buffer: 0,
            count: 0,
            at: 2,
        };
        self.written = 0;
        self.last = false;
        self.block = Block::Header;
        Ok(())
    }

    /// Go on until at least `target` bytes of `output` are written (up to 257 more may be), or the
    /// stream ends; with a target of all of `output`, on to the end. `input` and `output` must be
    /// the same as before. Returns how many bytes of `output` are written in all.
    pub(crate) fn run(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        target: usize,
    ) -> Result<usize, Fault> {
        let target = target.min(output.len());
        while self.written < target || (target == output.len() && self.block != Block::Done) {
            let before = (self.written, self.block, self.bits.at, self.bits.count);
            match self.block {
                Block::Done => break,
                Block::Header => self.header(input)?,
                Block::Raw(left) => self.raw(left, input, output, target)?,
                Block::Dynamic => {
                    let codes = (&self.literals, &self.distances);
                    symbols(
                        codes,
                        &mut self.bits,
                        input,
                        output,
                        &mut self.written,
                        target,
                    )?
                    .then(|| self.block = self.next());
                }
                Block::Fixed => {
                    let codes = self.fixed.get_or_insert_with(fixed);
                    let codes = (&codes.0, &codes.1);
                    symbols(
                        codes,
                        &mut self.bits,
                        input,
                        output,
                        &mut self.written,
                        target,
                    )?
                    .then(|| self.block = self.next());
                }
            }
            if self.bits.used() > input.len() {
                return Err(CUT);
            }
            if before == (self.written, self.block, self.bits.at, self.bits.count) {
                break;
            }
        }
        Ok(self.written)
    }

    /// Once the stream has ended: its checksum, and its length in the input.
    pub(crate) fn end(&self, input: &[u8]) -> Option<(u32, usize)> {
        if self.block != Block::Done {
            return None;
        }
        let rest = input.get(self.bits.used()..)?;
        let sum = rest.first_chunk()?;
        Some((u32::from_be_bytes(*sum), self.bits.used() + 4))
    }

    fn next(&self) -> Block {
        if self.last {
            Block::Done
        } else {
            Block::Header
        }
    }

    fn header(&mut self, input: &[u8]) -> Result<(), Fault> {
        self.bits.refill(input);
        self.last = self.bits.take(1) != 0;
        match self.bits.take(2) {
            0 => {
                self.bits.skip(self.bits.count & 7);
                let len = self.bits.take(16);
                if self.bits.take(16) != !len & 0xffff {
                    return Err("a compressed stream has a malformed block");
                }
                // Bytes are taken from the input itself from here on.
                self.bits = Bits {
                    buffer: 0,
                    count: 0,
                    at: self.bits.used(),
                };
                self.block = match len {
                    0 => self.next(),
                    len => Block::Raw(len as usize),
                };
            }
            1 => self.block = Block::Fixed,
            2 => {
                self.codes(input)?;
                self.block = Block::Dynamic;
            }
            _ => return Err("a compressed stream has a malformed block"),
        }
        Ok(())
    }

    fn raw(
        &mut self,
        left: usize,
        input: &[u8],
        output: &mut [u8],
        target: usize,
    ) -> Result<(), Fault> {
        let len = left.min(target - self.written);
        let bytes = input.get(self.bits.at..self.bits.at + len).ok_or(CUT)?;
        output[self.written..self.written + len].copy_from_slice(bytes);
        self.written += len;
        self.bits.at += len;
        self.block = match left - len {
            0 => self.next(),
            left => Block::Raw(left),
        };
        Ok(())
    }

    /// Read the codes that a dynamic block brings.
    fn codes(&mut self, input: &[u8]) -> Result<(), Fault> {
        const BAD: Fault = "a compressed stream has malformed codes";
        let bits = &mut self.bits;
        let literals = 257 + bits.take(5) as usize;
        let distances = 1 + bits.take(5) as usize;
        let lengths = 4 + bits.take(4) as usize;
        if literals > 286 || distances > 30 {
            return Err(BAD);
        }
        bits.refill(input);
        let mut length_lens = [0u8; 19];
        for (nth, &symbol) in ORDER.iter().enumerate().take(lengths) {
            if nth == 18 {
                bits.refill(input);
            }
            length_lens[symbol] = bits.take(3) as u8;
        }
        let table = length_table(&length_lens)?;
        // Symbols of both codes, those of the second after those of the first.
        let mut all = [0u16; 320];
        let mut count = 0;
        let total = literals + distances;
        let mut at = 0;
        let mut previous = 0u8;
        while at < total {
            bits.refill(input);
            // Five of at most 7 + 7 bits fit, only four are needed to be quick.
            for _ in 0..4 {
                let entry = table[(bits.buffer & 127) as usize];
                bits.skip(u32::from(entry & 7));
                let (len, times) = match entry >> 3 {
                    _ if entry == 0 => return Err(BAD),
                    len @ 0..=15 => (len, 1),
                    16 if at == 0 => return Err(BAD),
                    16 => (previous, 3 + bits.take(2) as usize),
                    17 => (0, 3 + bits.take(3) as usize),
                    _ => (0, 11 + bits.take(7) as usize),
                };
                if times > total - at {
                    return Err(BAD);
                }
                if len != 0 {
                    for symbol in at..at + times {
                        all[count] = used(symbol, len);
                        count += 1;
                    }
                }
                previous = len;
                at += times;
                if at == total {
                    break;
                }
            }
        }
        let first_distance = used(literals, 0);
        let behind = all[..count].iter().rev();
        let behind = behind.take_while(|packed| **packed >= first_distance);
        let before = count - behind.count();
        let (of_literals, of_distances) = all[..count].split_at_mut(before);
        for packed in &mut *of_distances {
            *packed -= first_distance;
        }
        if !of_literals.iter().rev().any(|packed| packed >> 4 == 256) {
            return Err("a compressed stream has a block without an end");
        }
        self.literals.build(of_literals)?;
        self.distances.build(of_distances)
    }
}

/// The table of the code length code: the symbol in the upper five bits, the length of its code in
/// the lower three; 0 where there is none.
fn length_table(lens: &[u8; 19]) -> Result<[u8; 128], Fault> {
    let mut counts = [0u8; 8];
    for &len in lens {
        counts[usize::from(len & 7)] += 1;
    }
    let mut left = 1i32;
    let mut next = [0u8; 8];
    let mut code = 0u32;
    for len in 1..8 {
        left = (left << 1) - i32::from(counts[len]);
        if left < 0 {
            return Err("a compressed stream has an impossible code");
        }
        next[len] = code as u8;
        code = (code + u32::from(counts[len])) << 1;
    }
    if left != 0 {
        return Err("a compressed stream has an incomplete code");
    }
    let mut table = [0u8; 128];
    for (symbol, &len) in (0u8..).zip(lens) {
        if len == 0 {
            continue;
        }
        let code = next[usize::from(len)];
        next[usize::from(len)] = code.wrapping_add(1);
        let start = usize::from(code.reverse_bits() >> (8 - len));
        for place in table.iter_mut().skip(start).step_by(1 << len) {
            *place = symbol << 3 | len;
        }
    }
    Ok(table)
}

/// Decode symbols until the block ends (true), or `target` is reached or `output` full (false).
#[inline(always)]
fn symbols(
    (literals, distances): (&Code, &Code),
    state: &mut Bits,
    input: &[u8],
    output: &mut [u8],
    written: &mut usize,
    target: usize,
) -> Result<bool, Fault> {
    let mut bits = *state;
    let mut at = *written;
    let ended = 'block: loop {
        bits.refill(input);
        let mut symbol = literals.look(bits.buffer);
        // Four literals at most take 40 of the 56 bits.
        for _ in 0..4 {
            if symbol & LITERAL == 0 {
                break;
            }
            if at >= target {
                break 'block false;
            }
            output[at] = (symbol >> 16) as u8;
            at += 1;
            bits.skip(symbol & 15);
            symbol = literals.look(bits.buffer);
        }
        if symbol & LITERAL != 0 {
            continue;
        }
        bits.refill(input);
        if Code::is_slow(symbol) {
            symbol = literals.search(bits.buffer)?;
        }
        if symbol & END != 0 {
            bits.skip(symbol & 15);
            break true;
        }
        if at >= target {
            break false;
        }
        bits.skip(symbol & 15);
        if symbol & LITERAL != 0 {
            output[at] = (symbol >> 16) as u8;
            at += 1;
            continue;
        }
        let len = (symbol >> 16) + bits.take(symbol >> 4 & 15);
        let mut symbol = distances.look(bits.buffer);
        if Code::is_slow(symbol) {
            symbol = distances.search(bits.buffer)?;
        }
        bits.skip(symbol & 15);
        let distance = ((symbol >> 16) + bits.take(symbol >> 4 & 15)) as usize;
        if distance > at {
            return Err("a compressed stream refers to before its start");
        }
        let len = len as usize;
        if len > output.len() - at {
            return Err("a compressed stream is longer than announced");
        }
        repeat(output, at, distance, len);
        at += len;
    };
    *state = bits;
    *written = at;
    Ok(ended)
}

/// Repeat `len` bytes from `distance` before `at`.
#[inline(always)]
fn repeat(output: &mut [u8], at: usize, distance: usize, len: usize) {
    let from = at - distance;
    if distance >= 8 && output.len() - at >= len + 8 {
        // Writes up to seven bytes too many, which will be written over.
        let mut done = 0;
        while done < len {
            if let Some(&word) = output[from + done..].first_chunk::<8>()
                && let Some(place) = output[at + done..].first_chunk_mut::<8>()
            {
                *place = word;
            }
            done += 8;
        }
    } else if distance >= len {
        output.copy_within(from..from + len, at);
    } else {
        for step in 0..len {
            output[at + step] = output[from + step];
        }
    }
}

fn fixed() -> Box<(Code, Code)> {
    let mut literals = Code::new(&LITERALS);
    let mut distances = Code::new(&DISTANCES);
    let lens: Vec<u16> = (0..288)
        .map(|symbol| match symbol {
            0..144 => used(symbol, 8),
            144..256 => used(symbol, 9),
            256..280 => used(symbol, 7),
            _ => used(symbol, 8),
        })
        .collect();
    // Both are complete codes, so building them cannot fail.
    let built = literals.build(&lens);
    debug_assert!(built.is_ok());
    let lens: Vec<u16> = (0..32).map(|symbol| used(symbol, 5)).collect();
    let built = distances.build(&lens);
    debug_assert!(built.is_ok());
    Box::new((literals, distances))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dynamic block, some of whose codes are long, and much text to repeat.
    fn sample(seed: u64, len: usize) -> Vec<u8> {
        let mut seed = seed;
        let mut data = Vec::new();
        while data.len() < len {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let (kind, value) = (seed >> 60, seed >> 30);
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
    fn streams_of_all_sizes_and_levels() {
        let mut tiny = Tiny::new();
        for (nth, len) in [0, 1, 2, 7, 20, 100, 300, 1000, 5000, 70_000, 200_000]
            .into_iter()
            .enumerate()
        {
            for level in [0, 1, 6, 9] {
                let data = sample(nth as u64 + 1, len);
                let mut stream = deflate(&data, level);
                let stream_len = stream.len();
                stream.extend_from_slice(b"what follows");
                let mut out = vec![0; len];
                tiny.start(&stream).expect("sound");
                assert_eq!(
                    tiny.run(&stream, &mut out, len),
                    Ok(len),
                    "{len} at {level}"
                );
                assert!(out == data);
                let (sum, used) = tiny.end(&stream).expect("ended");
                assert_eq!(used, stream_len);
                assert_eq!(sum, zlib_rs::adler32::adler32(1, &data));
                // In steps.
                let mut out = vec![0; len + 258];
                tiny.start(&stream).expect("sound");
                let mut done = 0;
                while done < len {
                    let next = tiny
                        .run(&stream, &mut out, done + 1 + done / 3)
                        .expect("sound");
                    assert!(next > done && next < done + 1 + done / 3 + 258);
                    done = next;
                    assert!(out[..done] == data[..done]);
                }
            }
        }
    }

    #[test]
    fn damage_is_an_error_or_another_text() {
        let mut tiny = Tiny::new();
        let mut seed = 99u64;
        for round in 0..3000 {
            let data = sample(round, 30 + round as usize % 900);
            let mut stream = deflate(&data, 6);
            for _ in 0..=round % 3 {
                seed = seed
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                let at = (seed >> 33) as usize % stream.len();
                stream[at] ^= 1 << (seed >> 61);
            }
            if round % 4 == 0 {
                stream.truncate((seed >> 40) as usize % (stream.len() + 1));
            }
            let mut out = vec![0; data.len()];
            if tiny.start(&stream).is_ok() {
                let _ = tiny.run(&stream, &mut out, data.len());
                let _ = tiny.end(&stream);
            }
        }
    }

    #[test]
    fn noise_never_panics_nor_hangs() {
        let mut tiny = Tiny::new();
        let mut seed = 5u64;
        let mut noise = vec![0x78, 0x9c];
        for _ in 0..20_000 {
            noise.truncate(2);
            for _ in 0..60 {
                seed = seed
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                noise.push((seed >> 40) as u8);
            }
            let mut out = [0; 500];
            tiny.start(&noise).expect("a sound header");
            let _ = tiny.run(&noise, &mut out, 500);
        }
    }
}
