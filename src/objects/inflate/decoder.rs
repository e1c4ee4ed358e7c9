//! Incremental zlib (RFC 1950) and deflate (RFC 1951) decoder, tuned for short streams: most
//! objects of a repository have a few hundred bytes, so small streams use small decoding tables.

use crate::objects::{
    error::Reason,
    inflate::{
        bits::BitReader,
        dynamic_codes,
        huffman::{
            DISTANCE_ALPHABET, END_OF_BLOCK, HuffmanCode, LITERAL, LITERAL_ALPHABET,
            MAX_TABLE_BITS, NOT_IN_TABLE,
        },
    },
};

const TRUNCATED: Reason = "a zlib stream is truncated";

/// From this inflated size on, larger decoding tables pay off.
const LARGE_OUTPUT_LEN: usize = 4096;

/// Decoder state. [`ZlibDecoder::start`] begins a stream, [`ZlibDecoder::run`] decodes more of it.
pub(crate) struct ZlibDecoder {
    literals: HuffmanCode,
    distances: HuffmanCode,
    fixed: Option<Box<(HuffmanCode, HuffmanCode)>>,
    /// True if the output is long enough for larger decoding tables.
    large: bool,
    /// Bit offset of the next bit in the input.
    position: u64,
    written: usize,
    /// True if the current block is the last one.
    last: bool,
    block: BlockState,
}

/// The position within the stream's block structure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockState {
    /// At a block header.
    Header,
    /// In a stored block, with this many bytes left.
    Stored(usize),
    /// In a block with dynamic Huffman codes.
    Dynamic,
    /// In a block with the fixed Huffman codes.
    Fixed,
    /// After the last block, at the checksum.
    Done,
}

impl ZlibDecoder {
    pub(crate) fn new() -> ZlibDecoder {
        ZlibDecoder {
            literals: HuffmanCode::new(&LITERAL_ALPHABET),
            distances: HuffmanCode::new(&DISTANCE_ALPHABET),
            fixed: None,
            large: false,
            position: 0,
            written: 0,
            last: false,
            block: BlockState::Done,
        }
    }

    /// Starts the zlib stream at the start of `input`; `len` is roughly the output size wanted.
    pub(crate) fn start(&mut self, input: &[u8], len: usize) -> Result<(), Reason> {
        let &[method, flags, ..] = input else {
            return Err(TRUNCATED);
        };
        let check = u16::from_be_bytes([method, flags]);
        if method & 15 != 8 || method >> 4 > 7 || !check.is_multiple_of(31) || flags & 0x20 != 0 {
            return Err("a zlib stream has a malformed header");
        }
        self.large = len >= LARGE_OUTPUT_LEN;
        self.position = 16;
        self.written = 0;
        self.last = false;
        self.block = BlockState::Header;
        Ok(())
    }

    /// Decodes until at least `target` bytes of `output` are written (at most 261 more), or the
    /// stream ends. A target of `output.len()` also consumes the end of the stream. `input` and
    /// `output` must be those of the earlier calls. Returns the total bytes written.
    pub(crate) fn run(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        target: usize,
    ) -> Result<usize, Reason> {
        let target = target.min(output.len());
        while self.written < target || (target == output.len() && self.block != BlockState::Done) {
            let before = (self.written, self.block, self.position);
            let mut bits = BitReader::new(input, self.position);
            match self.block {
                BlockState::Done => break,
                BlockState::Header => self.block_header(&mut bits)?,
                BlockState::Stored(left) => {
                    self.stored_block(left, &mut bits, input, output, target)?
                }
                BlockState::Dynamic | BlockState::Fixed => {
                    let codes = if self.block == BlockState::Dynamic {
                        (&self.literals, &self.distances)
                    } else {
                        let codes = self.fixed.get_or_insert_with(fixed_codes);
                        (&codes.0, &codes.1)
                    };
                    let (ended, written) =
                        decode_symbols(codes, &mut bits, output, self.written, target)?;
                    self.written = written;
                    if ended {
                        self.block = self.next_block();
                    }
                }
            }
            self.position = bits.position();
            if self.position.div_ceil(8) > input.len() as u64 {
                return Err(TRUNCATED);
            }
            if before == (self.written, self.block, self.position) {
                break;
            }
        }
        Ok(self.written)
    }

    /// The stored checksum and the compressed length, once the stream has ended.
    pub(crate) fn trailer(&self, input: &[u8]) -> Option<(u32, usize)> {
        if self.block != BlockState::Done {
            return None;
        }
        let used = self.position.div_ceil(8) as usize;
        let sum = input.get(used..)?.first_chunk()?;
        Some((u32::from_be_bytes(*sum), used + 4))
    }

    fn next_block(&self) -> BlockState {
        if self.last {
            BlockState::Done
        } else {
            BlockState::Header
        }
    }

    fn block_header(&mut self, bits: &mut BitReader<'_>) -> Result<(), Reason> {
        self.last = bits.take(1) != 0;
        match bits.take(2) {
            0 => {
                // Stored blocks are byte-aligned.
                bits.skip((8 - bits.position() as u32 % 8) % 8);
                let len = bits.take(16);
                if bits.take(16) != len ^ 0xffff {
                    return Err("a zlib stream has a malformed block header");
                }
                self.block = match len {
                    0 => self.next_block(),
                    len => BlockState::Stored(len as usize),
                };
            }
            1 => self.block = BlockState::Fixed,
            2 => {
                dynamic_codes::read_codes(bits, &mut self.literals, &mut self.distances)?;
                let (literals, distances) = if self.large { (11, 9) } else { (10, 8) };
                self.literals.build(literals)?;
                self.distances.build(distances)?;
                self.block = BlockState::Dynamic;
            }
            _ => return Err("a zlib stream has a malformed block header"),
        }
        Ok(())
    }

    fn stored_block<'a>(
        &mut self,
        left: usize,
        bits: &mut BitReader<'a>,
        input: &'a [u8],
        output: &mut [u8],
        target: usize,
    ) -> Result<(), Reason> {
        let len = left.min(target - self.written);
        let from = (self.position / 8) as usize;
        let bytes = input.get(from..from + len).ok_or(TRUNCATED)?;
        output[self.written..self.written + len].copy_from_slice(bytes);
        self.written += len;
        *bits = BitReader::new(input, self.position + len as u64 * 8);
        self.block = match left - len {
            0 => self.next_block(),
            left => BlockState::Stored(left),
        };
        Ok(())
    }
}

/// Decodes symbols until the block ends, `target` is reached or `output` is full. Returns whether
/// the block ended, and the total bytes written.
#[inline(never)]
fn decode_symbols(
    (literals, distances): (&HuffmanCode, &HuffmanCode),
    state: &mut BitReader<'_>,
    output: &mut [u8],
    written: usize,
    target: usize,
) -> Result<(bool, usize), Reason> {
    let mut bits = *state;
    let mut at = written;
    let mut symbol = literals.lookup(bits.peek());
    let ended = loop {
        bits.refill();
        if at >= target {
            // Enough output, but consume an end-of-block symbol if it is next.
            if symbol & NOT_IN_TABLE != 0 {
                symbol = literals.decode_long(bits.peek())?;
            }
            if symbol & END_OF_BLOCK != 0 {
                bits.skip(symbol);
            }
            break symbol & END_OF_BLOCK != 0;
        }
        if symbol & LITERAL != 0
            && let Some(chunk) = output[at..].first_chunk_mut::<4>()
        {
            // Four literals from the table take at most 44 of the 56 buffered bits.
            let mut count = 0;
            while symbol & LITERAL != 0 {
                chunk[count] = (symbol >> 16) as u8;
                count += 1;
                bits.skip(symbol);
                symbol = literals.lookup(bits.peek());
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
        if symbol & (NOT_IN_TABLE | END_OF_BLOCK | LITERAL) != 0 {
            if symbol & NOT_IN_TABLE != 0 {
                symbol = literals.decode_long(bits.peek())?;
            }
            if symbol & END_OF_BLOCK != 0 {
                bits.skip(symbol);
                break true;
            }
            if symbol & LITERAL != 0 {
                let Some(slot) = output.get_mut(at) else {
                    break false;
                };
                *slot = (symbol >> 16) as u8;
                at += 1;
                bits.skip(symbol);
                symbol = literals.lookup(bits.peek());
                continue;
            }
        }
        let len = (symbol >> 16) as usize + bits.extra_bits(symbol);
        bits.skip(symbol);
        symbol = distances.lookup(bits.peek());
        if symbol & NOT_IN_TABLE != 0 {
            bits.refill();
            symbol = distances.decode_long(bits.peek())?;
        }
        let distance = (symbol >> 16) as usize + bits.extra_bits(symbol);
        bits.skip(symbol);
        // Look up the next symbol before the copy, to overlap the two. The bits suffice: the length
        // took at most 15 + 5 of 56 bits, the distance 11 + 13, or 15 + 13 after a refill.
        symbol = literals.lookup(bits.peek());
        if distance > at {
            return Err("a zlib stream has a distance before its start");
        }
        copy_match(output, at, distance, len)?;
        at += len;
    };
    *state = bits;
    Ok((ended, at))
}

/// Bytes per copy for short, distant matches.
const WIDE_COPY_LEN: usize = 32;

/// Copies a match: `len` bytes from `distance` bytes before `at`.
#[inline(always)]
fn copy_match(output: &mut [u8], at: usize, distance: usize, len: usize) -> Result<(), Reason> {
    let (before, after) = output.split_at_mut(at);
    if distance >= WIDE_COPY_LEN
        && len <= WIDE_COPY_LEN
        && let Some(bytes) = before[at - distance..].first_chunk::<WIDE_COPY_LEN>()
        && let Some(slot) = after.first_chunk_mut::<WIDE_COPY_LEN>()
    {
        // Copies more than `len` bytes; the excess is overwritten later.
        *slot = *bytes;
        return Ok(());
    }
    copy_match_slow(output, at, distance, len)
}

#[inline(never)]
fn copy_match_slow(
    output: &mut [u8],
    at: usize,
    distance: usize,
    len: usize,
) -> Result<(), Reason> {
    let from = at - distance;
    if len > output.len() - at {
        return Err("a zlib stream is longer than expected");
    }
    // These copies also write past the end of the match.
    let window = &mut output[from..];
    if distance >= WIDE_COPY_LEN && window.len() >= distance + len + WIDE_COPY_LEN {
        copy_steps::<WIDE_COPY_LEN>(window, distance, len);
    } else if distance >= 8 && window.len() >= distance + len + 8 {
        copy_steps::<8>(window, distance, len);
    } else if distance == 1 {
        let byte = window[0];
        window[1..=len].fill(byte);
    } else {
        for step in 0..len {
            window[distance + step] = window[step];
        }
    }
    Ok(())
}

/// Copies `len` bytes, rounded up to `STEP`, from the start of `window` to `distance`.
#[inline(always)]
fn copy_steps<const STEP: usize>(window: &mut [u8], distance: usize, len: usize) {
    let mut done = 0;
    while done < len
        && let Some(&bytes) = window[done..].first_chunk::<STEP>()
        && let Some(slot) = window[distance + done..].first_chunk_mut::<STEP>()
    {
        *slot = bytes;
        done += STEP;
    }
}

fn fixed_codes() -> Box<(HuffmanCode, HuffmanCode)> {
    let mut literals = HuffmanCode::new(&LITERAL_ALPHABET);
    let mut distances = HuffmanCode::new(&DISTANCE_ALPHABET);
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
    // Both codes are complete, so building them cannot fail.
    let built = literals
        .build(MAX_TABLE_BITS)
        .and(distances.build(MAX_TABLE_BITS));
    debug_assert!(built.is_ok());
    Box::new((literals, distances))
}

#[cfg(test)]
mod tests;
