//! The codes that a dynamic block brings: the lengths of their members, compressed in turn.

use crate::objects::{
    error::Fault,
    inflate::{
        bits::Bits,
        huffman::{Code, REVERSED},
    },
};

const BAD: Fault = "a compressed stream has malformed codes";
/// The longest code of a length.
const MOST: usize = 7;

/// Read the code of literals and lengths and that of distances, which a dynamic block brings behind
/// its first three bits.
pub(crate) fn read(
    bits: &mut Bits<'_>,
    literal: &mut Code,
    distance: &mut Code,
) -> Result<(), Fault> {
    bits.refill();
    let literals = 257 + bits.take(5) as usize;
    let distances = 1 + bits.take(5) as usize;
    let lengths = 4 + bits.take(4) as u32;
    if literals > 286 || distances > 30 {
        return Err(BAD);
    }
    bits.refill();
    let mut lens = bits.take(3 * lengths.min(18));
    if lengths == 19 {
        bits.refill();
        lens |= bits.take(3) << 54;
    }
    let mut table = [0; 1 << MOST];
    fill_table(lens, &mut table)?;
    bits.refill();
    if table[(bits.next() & ((1 << MOST) - 1)) as usize] & SAME != 0 {
        return Err(BAD);
    }
    literal.clear();
    let start = Run { at: 0, len: 0 };
    let run = run_on(bits, &table, literal, start, 257);
    if run.len == 0 {
        return Err("a compressed stream has a block without an end");
    }
    let run = run_on(bits, &table, literal, run, literals);
    // A run may go on from the symbols of the one code to those of the other.
    let more = run.at - literals;
    distance.clear();
    if run.len != 0 {
        literal.take_back(more, run.len);
    }
    distance.add(0, more, run.len);
    let start = Run { at: more, ..run };
    let run = run_on(bits, &table, distance, start, distances);
    if run.at != distances {
        return Err(BAD);
    }
    Ok(())
}

/// So many symbols have lengths, the last of them this one.
#[derive(Clone, Copy)]
struct Run {
    at: usize,
    len: usize,
}

/// In the meaning of a symbol of the code length code: the length is that of the symbol before;
/// otherwise bits 24–27 are the length. Bits 0–5 are how many bits of the stream it takes with its extra
/// bits, 8–11 how many without, 16–22 the mask of the extra bits. 28–31 and the extra bits add up to how
/// many symbols have the length.
const SAME: u32 = 1 << 7;

/// The meanings, without the length of the code.
const LENGTHS: [u32; 19] = {
    let mut table = [0; 19];
    let mut len = 0;
    while len < 16 {
        table[len] = 1 << 28 | (len as u32) << 24;
        len += 1;
    }
    table[16] = 3 << 28 | 3 << 16 | SAME | 2;
    table[17] = 3 << 28 | 7 << 16 | 3;
    table[18] = 11 << 28 | 127 << 16 | 7;
    table
};

/// Where the length of each symbol of the code length code comes.
const PLACES: [u32; 19] = {
    let order = [
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
    ];
    let mut places = [0; 19];
    let mut at = 0;
    while at < 19 {
        places[order[at]] = at as u32;
        at += 1;
    }
    places
};

/// Fill the table of the code length code, from the lengths of its codes as they come, three bits
/// each.
fn fill_table(lens: u64, table: &mut [u32; 1 << MOST]) -> Result<(), Fault> {
    // For each length a byte that tells how many codes have it.
    let mut counts = 0u64;
    for place in PLACES {
        counts += 1 << ((lens >> (place * 3) & 7) * 8);
    }
    let mut left = 1i32;
    let mut impossible = false;
    // For each length a byte that tells where the next symbol of it goes to.
    let mut starts = 0u64;
    let mut start = 0;
    for len in 1..=MOST {
        let count = counts >> (len * 8) & 255;
        left = (left << 1) - count as i32;
        impossible |= left < 0;
        starts |= start << (len * 8);
        start += count;
    }
    if impossible {
        return Err("a compressed stream has an impossible code");
    }
    if left != 0 {
        return Err("a compressed stream has an incomplete code");
    }
    let mut sorted = [0; 32];
    for (place, meaning) in PLACES.into_iter().zip(LENGTHS) {
        let len = lens >> (place * 3) & 7;
        let start = starts >> (len * 8) & 31;
        sorted[if len == 0 { 31 } else { start as usize }] = meaning + len as u32 * 0x101;
        starts += 1 << (len * 8);
    }
    let mut codes = Codes {
        sorted: &sorted,
        code: 0,
    };
    codes.spread::<1>(counts, table);
    codes.spread::<2>(counts, table);
    codes.spread::<3>(counts, table);
    codes.spread::<4>(counts, table);
    codes.spread::<5>(counts, table);
    codes.spread::<6>(counts, table);
    codes.spread::<7>(counts, table);
    Ok(())
}

/// The codes that are not in the table yet.
struct Codes<'a> {
    /// Their meanings, the shortest first.
    sorted: &'a [u32],
    /// The first one, its first bit highest.
    code: u8,
}

impl Codes<'_> {
    /// Enter the codes of `LEN` bits wherever they are followed by something.
    #[inline(always)]
    fn spread<const LEN: usize>(&mut self, counts: u64, table: &mut [u32; 1 << MOST]) {
        let count = counts >> (LEN * 8) & 255;
        let (now, later) = self
            .sorted
            .split_at((count as usize).min(self.sorted.len()));
        self.sorted = later;
        for &meaning in now {
            let place = usize::from(REVERSED[usize::from(self.code)]);
            for behind in 0..1 << (MOST - LEN) {
                table[(place | behind << LEN) & ((1 << MOST) - 1)] = meaning;
            }
            self.code = self.code.wrapping_add(1 << (8 - LEN));
        }
    }
}

/// Read lengths of codes until at least `target` symbols have some. There may be more then, as one
/// run is read whole.
fn run_on(
    state: &mut Bits<'_>,
    table: &[u32; 1 << MOST],
    code: &mut Code,
    mut run: Run,
    target: usize,
) -> Run {
    let mut bits = *state;
    'all: while run.at < target {
        bits.refill();
        // Four of at most 7 + 7 bits.
        for _ in 0..4 {
            let symbol = table[(bits.next() & ((1 << MOST) - 1)) as usize];
            let extra = (bits.next() >> (symbol >> 8 & 63)) as u32 & symbol >> 16 & 127;
            bits.skip(symbol);
            let times = ((symbol >> 28) + extra) as usize;
            if symbol & SAME == 0 {
                run.len = (symbol >> 24) as usize;
            }
            code.add(run.at, times, run.len);
            run.at += times;
            if run.at >= target {
                break 'all;
            }
        }
    }
    *state = bits;
    run.len &= 15;
    run
}
