//! The header of a dynamic block: its code lengths, which are Huffman-coded in turn (RFC 1951,
//! 3.2.7).

use crate::objects::{
    error::Reason,
    inflate::{
        bits::BitReader,
        huffman::{BIT_REVERSED, HuffmanCode},
    },
};

const MALFORMED: Reason = "a zlib stream has malformed code lengths";
/// The longest code of the code length alphabet.
const MAX_CODE_LEN: usize = 7;

/// Reads the literal/length code and the distance code of a dynamic block; `bits` is after the
/// three header bits of the block.
pub(crate) fn read_codes(
    bits: &mut BitReader<'_>,
    literal: &mut HuffmanCode,
    distance: &mut HuffmanCode,
) -> Result<(), Reason> {
    bits.refill();
    let literals = 257 + bits.take(5) as usize;
    let distances = 1 + bits.take(5) as usize;
    let lengths = 4 + bits.take(4) as u32;
    if literals > 286 || distances > 30 {
        return Err(MALFORMED);
    }
    bits.refill();
    let mut lens = bits.take(3 * lengths.min(18));
    if lengths == 19 {
        bits.refill();
        lens |= bits.take(3) << 54;
    }
    let mut table = [0; 1 << MAX_CODE_LEN];
    fill_table(lens, &mut table)?;
    bits.refill();
    if table[(bits.peek() & ((1 << MAX_CODE_LEN) - 1)) as usize] & REPEAT != 0 {
        return Err(MALFORMED);
    }
    literal.clear();
    let start = LengthProgress { at: 0, len: 0 };
    let progress = read_lengths(bits, &table, literal, start, 257);
    if progress.len == 0 {
        return Err("a zlib stream has a block without an end");
    }
    let progress = read_lengths(bits, &table, literal, progress, literals);
    // A run may cross from the literal/length code into the distance code.
    let more = progress.at - literals;
    distance.clear();
    if progress.len != 0 {
        literal.remove_last(more, progress.len);
    }
    distance.add(0, more, progress.len);
    let start = LengthProgress {
        at: more,
        ..progress
    };
    let progress = read_lengths(bits, &table, distance, start, distances);
    if progress.at != distances {
        return Err(MALFORMED);
    }
    Ok(())
}

/// Progress through the code lengths: `at` symbols done, the last one with length `len`.
#[derive(Clone, Copy)]
struct LengthProgress {
    at: usize,
    len: usize,
}

/// Flag of an entry of the code length table: repeat the previous length. Otherwise bits 24–27 are
/// the length. Bits 0–5: length of code and extra bits; bits 8–11: length of the code alone; bits
/// 16–22: mask of the extra bits; bits 28–31 plus the extra bits: the repeat count.
const REPEAT: u32 = 1 << 7;

/// Entries of the code length alphabet, without the code's own length.
const ENTRIES: [u32; 19] = {
    let mut table = [0; 19];
    let mut len = 0;
    while len < 16 {
        table[len] = 1 << 28 | (len as u32) << 24;
        len += 1;
    }
    table[16] = 3 << 28 | 3 << 16 | REPEAT | 2;
    table[17] = 3 << 28 | 7 << 16 | 3;
    table[18] = 11 << 28 | 127 << 16 | 7;
    table
};

/// Position of each symbol's length in the header.
const POSITIONS: [u32; 19] = {
    let order = [
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
    ];
    let mut positions = [0; 19];
    let mut at = 0;
    while at < 19 {
        positions[order[at]] = at as u32;
        at += 1;
    }
    positions
};

/// Builds the decoding table of the code length code from its packed 3-bit lengths.
fn fill_table(lens: u64, table: &mut [u32; 1 << MAX_CODE_LEN]) -> Result<(), Reason> {
    // One byte per length: number of codes.
    let mut counts = 0u64;
    for position in POSITIONS {
        counts += 1 << ((lens >> (position * 3) & 7) * 8);
    }
    let mut left = 1i32;
    let mut over_subscribed = false;
    // One byte per length: index of its next symbol in `sorted`.
    let mut starts = 0u64;
    let mut start = 0;
    for len in 1..=MAX_CODE_LEN {
        let count = counts >> (len * 8) & 255;
        left = (left << 1) - count as i32;
        over_subscribed |= left < 0;
        starts |= start << (len * 8);
        start += count;
    }
    if over_subscribed {
        return Err("a zlib stream has an over-subscribed code");
    }
    if left != 0 {
        return Err("a zlib stream has an incomplete code");
    }
    let mut sorted = [0; 32];
    for (position, entry) in POSITIONS.into_iter().zip(ENTRIES) {
        let len = lens >> (position * 3) & 7;
        let start = starts >> (len * 8) & 31;
        sorted[if len == 0 { 31 } else { start as usize }] = entry + len as u32 * 0x101;
        starts += 1 << (len * 8);
    }
    let mut codes = PendingCodes {
        sorted: &sorted,
        code: 0,
    };
    codes.enter::<1>(counts, table);
    codes.enter::<2>(counts, table);
    codes.enter::<3>(counts, table);
    codes.enter::<4>(counts, table);
    codes.enter::<5>(counts, table);
    codes.enter::<6>(counts, table);
    codes.enter::<7>(counts, table);
    Ok(())
}

/// Codes not yet entered in the table.
struct PendingCodes<'a> {
    /// Their table entries, shortest code first.
    sorted: &'a [u32],
    /// The next code, left-aligned.
    code: u8,
}

impl PendingCodes<'_> {
    /// Enters the codes of `LEN` bits at every index that they prefix.
    #[inline(always)]
    fn enter<const LEN: usize>(&mut self, counts: u64, table: &mut [u32; 1 << MAX_CODE_LEN]) {
        let count = counts >> (LEN * 8) & 255;
        let (now, later) = self
            .sorted
            .split_at((count as usize).min(self.sorted.len()));
        self.sorted = later;
        for &entry in now {
            let index = usize::from(BIT_REVERSED[usize::from(self.code)]);
            for suffix in 0..1 << (MAX_CODE_LEN - LEN) {
                table[(index | suffix << LEN) & ((1 << MAX_CODE_LEN) - 1)] = entry;
            }
            self.code = self.code.wrapping_add(1 << (8 - LEN));
        }
    }
}

/// Reads code lengths until at least `target` symbols are done; the last run may exceed it.
fn read_lengths(
    state: &mut BitReader<'_>,
    table: &[u32; 1 << MAX_CODE_LEN],
    code: &mut HuffmanCode,
    mut progress: LengthProgress,
    target: usize,
) -> LengthProgress {
    let mut bits = *state;
    'all: while progress.at < target {
        bits.refill();
        // Four symbols of at most 7 + 7 bits per refill.
        for _ in 0..4 {
            let symbol = table[(bits.peek() & ((1 << MAX_CODE_LEN) - 1)) as usize];
            let extra = (bits.peek() >> (symbol >> 8 & 63)) as u32 & symbol >> 16 & 127;
            bits.skip(symbol);
            let times = ((symbol >> 28) + extra) as usize;
            if symbol & REPEAT == 0 {
                progress.len = (symbol >> 24) as usize;
            }
            code.add(progress.at, times, progress.len);
            progress.at += times;
            if progress.at >= target {
                break 'all;
            }
        }
    }
    *state = bits;
    progress.len &= 15;
    progress
}
