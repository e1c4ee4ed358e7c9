//! What a zlib stream holds, decoded as far as one asks: little to set up for the small ones, as most
//! objects of a repository are a few hundred bytes, and larger tables for the others.

use crate::objects::{
    error::Fault,
    inflate::{
        bits::Bits,
        dynamic_codes,
        huffman::{Code, DISTANCES, END, LITERAL, LITERALS, MOST_BITS, SLOW},
    },
};

const CUT: Fault = "a compressed stream is cut off";

/// From so many bytes on larger tables are worth filling.
const LARGE: usize = 4096;

/// The decoder. [`Decoder::start`] begins a stream, [`Decoder::run`] goes on in it.
pub(crate) struct Decoder {
    literals: Code,
    distances: Code,
    fixed: Option<Box<(Code, Code)>>,
    large: bool,
    /// The next bit of the stream.
    position: u64,
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

impl Decoder {
    pub(crate) fn new() -> Decoder {
        Decoder {
            literals: Code::new(&LITERALS),
            distances: Code::new(&DISTANCES),
            fixed: None,
            large: false,
            position: 0,
            written: 0,
            last: false,
            block: Block::Done,
        }
    }

    /// Begin the zlib stream at the start of `input`, of which `len` bytes or so will be asked for.
    pub(crate) fn start(&mut self, input: &[u8], len: usize) -> Result<(), Fault> {
        let &[method, flags, ..] = input else {
            return Err(CUT);
        };
        let check = u16::from_be_bytes([method, flags]);
        if method & 15 != 8 || method >> 4 > 7 || !check.is_multiple_of(31) || flags & 0x20 != 0 {
            return Err("a compressed stream has a malformed header");
        }
        self.large = len >= LARGE;
        self.position = 16;
        self.written = 0;
        self.last = false;
        self.block = Block::Header;
        Ok(())
    }

    /// Go on until at least `target` bytes of `output` are written (up to 261 more may be), or the
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
            let before = (self.written, self.block, self.position);
            let mut bits = Bits::new(input, self.position);
            match self.block {
                Block::Done => break,
                Block::Header => self.header(&mut bits)?,
                Block::Raw(left) => self.raw(left, &mut bits, input, output, target)?,
                Block::Dynamic | Block::Fixed => {
                    let codes = if self.block == Block::Dynamic {
                        (&self.literals, &self.distances)
                    } else {
                        let codes = self.fixed.get_or_insert_with(fixed);
                        (&codes.0, &codes.1)
                    };
                    let (ended, written) = symbols(codes, &mut bits, output, self.written, target)?;
                    self.written = written;
                    if ended {
                        self.block = self.next();
                    }
                }
            }
            self.position = bits.position();
            if self.position.div_ceil(8) > input.len() as u64 {
                return Err(CUT);
            }
            if before == (self.written, self.block, self.position) {
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
        let used = self.position.div_ceil(8) as usize;
        let sum = input.get(used..)?.first_chunk()?;
        Some((u32::from_be_bytes(*sum), used + 4))
    }

    fn next(&self) -> Block {
        if self.last {
            Block::Done
        } else {
            Block::Header
        }
    }

    fn header(&mut self, bits: &mut Bits<'_>) -> Result<(), Fault> {
        self.last = bits.take(1) != 0;
        match bits.take(2) {
            0 => {
                // On to the next whole byte.
                bits.skip((8 - bits.position() as u32 % 8) % 8);
                let len = bits.take(16);
                if bits.take(16) != len ^ 0xffff {
                    return Err("a compressed stream has a malformed block");
                }
                self.block = match len {
                    0 => self.next(),
                    len => Block::Raw(len as usize),
                };
            }
            1 => self.block = Block::Fixed,
            2 => {
                dynamic_codes::read(bits, &mut self.literals, &mut self.distances)?;
                let (literals, distances) = if self.large { (11, 9) } else { (10, 8) };
                self.literals.build(literals)?;
                self.distances.build(distances)?;
                self.block = Block::Dynamic;
            }
            _ => return Err("a compressed stream has a malformed block"),
        }
        Ok(())
    }

    fn raw<'a>(
        &mut self,
        left: usize,
        bits: &mut Bits<'a>,
        input: &'a [u8],
        output: &mut [u8],
        target: usize,
    ) -> Result<(), Fault> {
        let len = left.min(target - self.written);
        let from = (self.position / 8) as usize;
        let bytes = input.get(from..from + len).ok_or(CUT)?;
        output[self.written..self.written + len].copy_from_slice(bytes);
        self.written += len;
        *bits = Bits::new(input, self.position + len as u64 * 8);
        self.block = match left - len {
            0 => self.next(),
            left => Block::Raw(left),
        };
        Ok(())
    }
}

/// Decode symbols until the block ends, or `target` is reached or `output` full. Says whether it
/// ended, and how many bytes of `output` are written in all.
#[inline(never)]
fn symbols(
    (literals, distances): (&Code, &Code),
    state: &mut Bits<'_>,
    output: &mut [u8],
    written: usize,
    target: usize,
) -> Result<(bool, usize), Fault> {
    let mut bits = *state;
    let mut at = written;
    let mut symbol = literals.look(bits.next());
    let ended = loop {
        bits.refill();
        if at >= target {
            // Nothing more is wanted, but perhaps the end of the block is next.
            if symbol & SLOW != 0 {
                symbol = literals.search(bits.next())?;
            }
            if symbol & END != 0 {
                bits.skip(symbol);
            }
            break symbol & END != 0;
        }
        if symbol & LITERAL != 0
            && let Some(room) = output[at..].first_chunk_mut::<4>()
        {
            // Four literals at most take 44 of the 56 bits.
            let mut count = 0;
            while symbol & LITERAL != 0 {
                room[count] = (symbol >> 16) as u8;
                count += 1;
                bits.skip(symbol);
                symbol = literals.look(bits.next());
                if count == 4 {
                    break;
                }
            }
            at += count;
            if symbol & LITERAL != 0 {
                continue;
            }
            bits.refill();
        }
        if symbol & (SLOW | END | LITERAL) != 0 {
            if symbol & SLOW != 0 {
                symbol = literals.search(bits.next())?;
            }
            if symbol & END != 0 {
                bits.skip(symbol);
                break true;
            }
            if symbol & LITERAL != 0 {
                let Some(place) = output.get_mut(at) else {
                    break false;
                };
                *place = (symbol >> 16) as u8;
                at += 1;
                bits.skip(symbol);
                symbol = literals.look(bits.next());
                continue;
            }
        }
        let len = (symbol >> 16) as usize + bits.extra(symbol);
        bits.skip(symbol);
        symbol = distances.look(bits.next());
        if symbol & SLOW != 0 {
            bits.refill();
            symbol = distances.search(bits.next())?;
        }
        let distance = (symbol >> 16) as usize + bits.extra(symbol);
        bits.skip(symbol);
        // Looked for before the buffer is filled again, as that takes its time too. The length took no
        // more than 15 + 5 bits, the distance no more than 11 + 13, or 15 + 13 of a full buffer.
        symbol = literals.look(bits.next());
        if distance > at {
            return Err("a compressed stream refers to before its start");
        }
        repeat(output, at, distance, len)?;
        at += len;
    };
    *state = bits;
    Ok((ended, at))
}

/// So many bytes are copied at once.
const WIDE: usize = 32;

/// Repeat `len` bytes from `distance` before `at`.
#[inline(always)]
fn repeat(output: &mut [u8], at: usize, distance: usize, len: usize) -> Result<(), Fault> {
    let (before, behind) = output.split_at_mut(at);
    if distance >= WIDE
        && len <= WIDE
        && let Some(bytes) = before[at - distance..].first_chunk::<WIDE>()
        && let Some(place) = behind.first_chunk_mut::<WIDE>()
    {
        // Some bytes too many, which will be written over.
        *place = *bytes;
        return Ok(());
    }
    repeat_unusual(output, at, distance, len)
}

#[inline(never)]
fn repeat_unusual(output: &mut [u8], at: usize, distance: usize, len: usize) -> Result<(), Fault> {
    let from = at - distance;
    if len > output.len() - at {
        return Err("a compressed stream is longer than announced");
    }
    // Some bytes too many again.
    let room = &mut output[from..];
    if distance >= WIDE && room.len() >= distance + len + WIDE {
        copy::<WIDE>(room, distance, len);
    } else if distance >= 8 && room.len() >= distance + len + 8 {
        copy::<8>(room, distance, len);
    } else if distance == 1 {
        let byte = room[0];
        room[1..=len].fill(byte);
    } else {
        for step in 0..len {
            room[distance + step] = room[step];
        }
    }
    Ok(())
}

/// Repeat `len` bytes from the start of `room`, and up to `STEP` more, `distance` behind.
#[inline(always)]
fn copy<const STEP: usize>(room: &mut [u8], distance: usize, len: usize) {
    let mut done = 0;
    while done < len
        && let Some(&bytes) = room[done..].first_chunk::<STEP>()
        && let Some(place) = room[distance + done..].first_chunk_mut::<STEP>()
    {
        *place = bytes;
        done += STEP;
    }
}

fn fixed() -> Box<(Code, Code)> {
    let mut literals = Code::new(&LITERALS);
    let mut distances = Code::new(&DISTANCES);
    for symbol in 0..288 {
        let len = match symbol {
            0..144 => 8,
            144..256 => 9,
            256..280 => 7,
            _ => 8,
        };
        literals.add(symbol, 1, len);
    }
    for symbol in 0..32 {
        distances.add(symbol, 1, 5);
    }
    // Both are complete codes, so building them cannot fail.
    let built = literals.build(MOST_BITS).and(distances.build(MOST_BITS));
    debug_assert!(built.is_ok());
    Box::new((literals, distances))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::test_rng::Noise;

    /// A dynamic block, some of whose codes are long, and much text to repeat.
    fn sample(seed: u64, len: usize) -> Vec<u8> {
        let mut noise = Noise(seed);
        let mut data = Vec::new();
        while data.len() < len {
            let number = noise.next();
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
    fn streams_of_all_sizes_and_levels() {
        let mut decoder = Decoder::new();
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
                decoder.start(&stream, len).expect("sound");
                assert_eq!(
                    decoder.run(&stream, &mut out, len),
                    Ok(len),
                    "{len} at {level}"
                );
                assert!(out == data);
                let (sum, used) = decoder.end(&stream).expect("ended");
                assert_eq!(used, stream_len);
                assert_eq!(sum, zlib_rs::adler32::adler32(1, &data));
                // In steps.
                let mut out = vec![0; len + 262];
                decoder.start(&stream, len).expect("sound");
                let mut done = 0;
                while done < len {
                    let next = decoder
                        .run(&stream, &mut out, done + 1 + done / 3)
                        .expect("sound");
                    assert!(next > done && next < done + 1 + done / 3 + 262);
                    done = next;
                    assert!(out[..done] == data[..done]);
                }
            }
        }
    }

    #[test]
    fn damage_is_an_error_or_the_same_text_as_elsewhere() {
        let mut decoder = Decoder::new();
        let mut noise = Noise(99);
        for round in 0..3000 {
            let len = if round % 10 == 0 { 20_000 } else { 30 };
            let data = sample(round, len + round as usize % 900);
            let mut stream = deflate(&data, 6);
            for _ in 0..=round % 3 {
                let at = noise.below(stream.len());
                stream[at] ^= 1 << (noise.next() >> 61);
            }
            if round % 4 == 0 {
                stream.truncate(noise.below(stream.len() + 1));
            }
            let mut out = vec![0; data.len()];
            if decoder.start(&stream, out.len()).is_err() {
                continue;
            }
            let done = decoder.run(&stream, &mut out, data.len());
            let end = decoder.end(&stream);
            match other(&stream, data.len()) {
                Some((read, expected)) => {
                    assert_eq!(done, Ok(expected.len()), "{round}");
                    assert!(out[..expected.len()] == expected, "{round}");
                    let used = Some(read + 6).filter(|used| *used <= stream.len());
                    assert_eq!(end.map(|end| end.1), used, "{round}");
                }
                None => assert!(done.is_err() || end.is_none(), "{round}"),
            }
        }
    }

    #[test]
    fn noise_never_panics_nor_hangs() {
        let mut decoder = Decoder::new();
        let mut noise = Noise(5);
        for _ in 0..20_000 {
            let mut stream = vec![0x78, 0x9c];
            stream.extend((0..60).map(|_| noise.below(256) as u8));
            let mut out = [0; 500];
            decoder.start(&stream, 500).expect("a sound header");
            let _ = decoder.run(&stream, &mut out, 500);
        }
    }

    /// Lengths of `count` codes that together use up all codes, or nearly.
    fn full_code(dice: &mut Noise, count: usize, longest: u8) -> Vec<u8> {
        let mut lens = vec![0];
        while lens.len() < count {
            let at = dice.below(lens.len());
            // Some become long quickly.
            let at = if dice.below(4) == 0 {
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
    struct Writer {
        bytes: Vec<u8>,
        count: usize,
    }

    impl Writer {
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

    /// The codes of symbols with these lengths, as they are put, and the lengths.
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

    /// A dynamic block with codes nobody would choose, and symbols at random.
    fn strange_block(dice: &mut Noise, to: &mut Writer, written: &mut usize) {
        to.put(2, 2);
        let literals = 257 + dice.below(30);
        let most = [12, 12, 30][dice.below(3)];
        let distances = 1 + dice.below(most);
        let most = 1 + dice.below(literals - 1);
        let mut lens = vec![0; literals + distances];
        for len in full_code(dice, most.max(2), 15) {
            let at = dice.below(literals);
            let at = (0..literals).map(|step| (at + step) % literals);
            let free = at.clone().find(|&at| lens[at] == 0);
            lens[free.expect("there is room")] = len;
        }
        let most = 1 + dice.below(distances);
        for (at, len) in full_code(dice, most, 15).into_iter().enumerate() {
            lens[literals + at] = len.max(u8::from(dice.below(9) > 0));
        }
        if lens[256] == 0 && dice.below(20) > 0 {
            lens.swap(256, 0);
        }
        if dice.below(20) == 0 {
            let at = dice.below(lens.len());
            lens[at] = dice.below(16) as u8;
        }
        let mut code_lens = full_code(dice, 19, 7);
        for at in 0..19 {
            code_lens.swap(at, dice.below(19));
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
            if dice.below(1500) == 0 {
                // Perhaps beyond the end.
                same += 3;
            }
            let times = if lens[at] == 0 && same >= 11 && dice.below(3) > 0 {
                to.put_code(&length_codes, 18);
                to.put(same.min(138) - 11, 7);
                same.min(138)
            } else if lens[at] == 0 && same >= 3 && dice.below(3) > 0 {
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
        for _ in 0..dice.below(400) {
            let most = [256, 256, 256, literals][dice.below(4)];
            let symbol = dice.below(most);
            let distance = dice.below(distances);
            let base = (DISTANCES[distance] >> 16) as usize;
            if symbol < 256 && lens[symbol] != 0 {
                to.put_code(&literal_codes, symbol);
                *written += 1;
            } else if symbol > 256
                && lens[symbol] != 0
                && lens[literals + distance] != 0
                && (base <= *written || dice.below(300) == 0)
            {
                let extra = (LITERALS[symbol] & 63) as usize;
                to.put_code(&literal_codes, symbol);
                to.put(dice.below(32), extra);
                to.put_code(&distance_codes, distance);
                let extra = (DISTANCES[distance] & 63) as usize;
                let near = written.saturating_sub(base) + 1;
                to.put(dice.below(near.min(1 << extra)), extra);
                *written += (LITERALS[symbol] >> 16) as usize;
            }
        }
        if lens[256] != 0 && dice.below(50) > 0 {
            to.put_code(&literal_codes, 256);
        }
    }

    /// What another inflater makes of the stream behind its first two bytes: how many bytes it
    /// reads and what it writes, if it likes them.
    fn other(stream: &[u8], room: usize) -> Option<(usize, Vec<u8>)> {
        let mut other = zlib_rs::Inflate::new(false, 15);
        let mut out = vec![0; room];
        let status = other.decompress(&stream[2..], &mut out, zlib_rs::InflateFlush::Finish);
        out.truncate(other.total_out() as usize);
        (status == Ok(zlib_rs::Status::StreamEnd)).then(|| (other.total_in() as usize, out))
    }

    #[test]
    fn whatever_another_inflater_takes_is_taken_the_same_and_the_rest_refused() {
        let mut decoder = Decoder::new();
        let mut dice = Noise(7);
        let mut taken = 0;
        for round in 0..6000 {
            let mut to = Writer::default();
            // Something that can be repeated.
            let raw = dice.below(500);
            to.put(0, 8);
            to.put(raw, 16);
            to.put(!raw, 16);
            (0..raw).for_each(|_| to.put(dice.below(256), 8));
            let mut written = raw;
            for left in (0..1 + dice.below(3)).rev() {
                to.put(usize::from(left == 0), 1);
                strange_block(&mut dice, &mut to, &mut written);
            }
            let mut stream = vec![0x78, 0x9c];
            stream.extend_from_slice(&to.bytes);
            if round % 3 == 0 {
                let at = 2 + dice.below(stream.len() - 2);
                stream[at] ^= 1 << dice.below(8);
            }
            if round % 16 == 0 {
                stream.truncate(2 + dice.below(stream.len() - 2));
            } else {
                stream.extend_from_slice(b"what follows");
            }
            let room = [1000, 5000, 20_000, 60_000][dice.below(4)];
            let expected = other(&stream, room);
            let mut out = vec![0; room];
            decoder.start(&stream, room).expect("a sound header");
            let done = decoder.run(&stream, &mut out, room);
            let Some((read, expected)) = expected else {
                assert!(done.is_err() || decoder.end(&stream).is_none(), "{round}");
                continue;
            };
            taken += 1;
            assert_eq!(done, Ok(expected.len()), "{round}");
            assert!(out[..expected.len()] == expected, "{round}");
            let end = decoder.end(&stream);
            // A checksum is expected behind it.
            let used = Some(read + 6).filter(|used| *used <= stream.len());
            assert_eq!(end.map(|end| end.1), used, "{round}");
            // In just enough room, and in less.
            for less in [0, 1.min(expected.len())] {
                let room = expected.len() - less;
                decoder.start(&stream, room).expect("a sound header");
                let done = decoder.run(&stream, &mut out[..room], room);
                let whole = done == Ok(room) && decoder.end(&stream).is_some();
                assert_eq!(whole, less == 0 && end.is_some(), "{round}");
                assert!(out[..room] == expected[..room], "{round}");
            }
        }
        assert!(taken > 1500, "only {taken} were sound");
    }
}
