//! Prefix codes of deflate, in tables small enough to be built for a stream of a few hundred bytes.

use crate::objects::error::Fault;

/// The longest codes that one look into the table decodes; longer ones are rare.
pub(crate) const MOST_BITS: usize = 11;
/// The size of the table.
const TABLE: usize = 1 << MOST_BITS;
/// The longest code of deflate.
const LONGEST: usize = 15;
/// Room for all symbols of one length, and for the symbols that are written at once.
const MOST: usize = 320;
/// So many symbols are written at once; no run of symbols of the same length, other than 0, is
/// longer.
const AT_ONCE: usize = 8;

/// For each length of codes where its symbols start.
const STARTS: [u16; LONGEST + 1] = {
    let mut starts = [0; LONGEST + 1];
    let mut len = 0;
    while len <= LONGEST {
        starts[len] = (len * MOST) as u16;
        len += 1;
    }
    starts
};

/// A decoded symbol, and how to go on: bits 0–5 are how many bits of the stream it takes with its
/// extra bits, bits 8–11 how many without, 16–31 the literal or the base of a length or distance.
pub(crate) type Symbol = u32;
/// The symbol is a literal byte.
pub(crate) const LITERAL: Symbol = 1 << 15;
/// The symbol ends the block.
pub(crate) const END: Symbol = 1 << 12;
/// Not in the table: the code is long, or is none, or that of a symbol that may not occur.
pub(crate) const SLOW: Symbol = 1 << 13;

/// Symbols by the length of their codes, then ascending; there is room for [`MOST`] of each length.
/// What is said of length 0 means nothing.
type Symbols = [u16; MOST * (LONGEST + 1)];

/// One prefix code.
pub(crate) struct Code {
    table: Box<[Symbol; TABLE]>,
    mask: u32,
    /// The first code that is too long for the table, its first bit the highest of the sixteen.
    longer: u16,
    /// For each length of codes where the next symbol goes to in `symbols`.
    ends: [u16; LONGEST + 1],
    symbols: Box<Symbols>,
    meaning: &'static [Symbol; 512],
}

/// What symbols of the literal and length code mean.
pub(crate) static LITERALS: [Symbol; 512] = literals();
/// What symbols of the distance code mean.
pub(crate) static DISTANCES: [Symbol; 512] = distances();

const fn literals() -> [Symbol; 512] {
    let mut table = [SLOW; 512];
    let mut at = 0;
    while at < 256 {
        table[at] = LITERAL | (at as u32) << 16;
        at += 1;
    }
    table[256] = END;
    let mut base = 3;
    while at < 284 {
        at += 1;
        let step = at as u32 - 257;
        let extra = if step < 8 { 0 } else { step / 4 - 1 };
        table[at] = base << 16 | extra;
        base += 1 << extra;
    }
    table[285] = 258 << 16;
    table
}

const fn distances() -> [Symbol; 512] {
    let mut table = [SLOW; 512];
    let mut base = 1;
    let mut at = 0;
    while at < 30 {
        let step = at as u32;
        let extra = if step < 4 { 0 } else { step / 2 - 1 };
        table[at] = base << 16 | extra;
        base += 1 << extra;
        at += 1;
    }
    table
}

/// Each byte with its bits in the other order.
pub(crate) static REVERSED: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).reverse_bits();
        byte += 1;
    }
    table
};

/// A code, its first bit the highest of the sixteen, as it is met in the stream: its first bit
/// lowest.
#[inline(always)]
fn as_met(code: u16) -> usize {
    let [low, high] = code.to_le_bytes();
    usize::from(REVERSED[usize::from(low)]) << 8 | usize::from(REVERSED[usize::from(high)])
}

impl Code {
    pub(crate) fn new(meaning: &'static [Symbol; 512]) -> Code {
        Code {
            table: Box::new([SLOW; TABLE]),
            mask: 0,
            longer: 0,
            ends: STARTS,
            symbols: Box::new([0; MOST * (LONGEST + 1)]),
            meaning,
        }
    }

    /// Begin another code, without symbols.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.ends = STARTS;
    }

    /// Give the `times` symbols from `symbol` on codes of `len` bits, or none if that is 0.
    /// Symbols must come ascending, and no more than [`AT_ONCE`] that have codes.
    #[inline(always)]
    pub(crate) fn add(&mut self, symbol: usize, times: usize, len: usize) {
        let end = &mut self.ends[len & LONGEST];
        if let Some(place) = self.symbols.get_mut(usize::from(*end)..)
            && let Some(place) = place.first_chunk_mut::<AT_ONCE>()
        {
            let mut next = symbol as u16;
            for place in place {
                *place = next;
                next = next.wrapping_add(1);
            }
        }
        *end = end.wrapping_add(times as u16);
    }

    /// Take back the last `times` symbols, whose codes had `len` bits.
    pub(crate) fn take_back(&mut self, times: usize, len: usize) {
        self.ends[len & LONGEST] -= times as u16;
    }

    /// Make the code of its symbols, with a table for codes of up to `most` bits, which is no more
    /// than [`MOST_BITS`]. A larger table takes longer to fill and serves more codes.
    pub(crate) fn build(&mut self, most: usize) -> Result<(), Fault> {
        // How much of all codes is taken, and which lengths occur.
        let mut taken = 0;
        let mut lens = 0;
        for (len, (end, start)) in self.ends.into_iter().zip(STARTS).enumerate() {
            let count = if len == 0 { 0 } else { end - start };
            taken += u32::from(count) << (LONGEST - len);
            lens |= u32::from(count != 0) << len;
        }
        if taken > 1 << LONGEST {
            return Err("a compressed stream has an impossible code");
        }
        // As in zlib: only a lone code of one bit, or none at all, may leave codes unused.
        if taken < 1 << LONGEST && lens > 0b10 {
            return Err("a compressed stream has an incomplete code");
        }
        let longest = lens.checked_ilog2().unwrap_or(1) as usize;
        let first = lens.trailing_zeros() as usize;
        let bits = longest.min(most).min(MOST_BITS);
        self.fill(first.min(bits), bits);
        Ok(())
    }

    /// Fill the table for codes of up to `bits` bits, the first ones of which have `first` bits. A
    /// table for codes up to some length becomes one for codes a bit longer by doubling it and adding
    /// the new codes, each in one place.
    fn fill(&mut self, first: usize, bits: usize) {
        let mut size = 1 << first;
        self.table[..size].fill(SLOW);
        let mut code = 0u16;
        for len in first..=bits {
            if len > first {
                self.table.copy_within(..size, size);
                size *= 2;
            }
            for &symbol in of_length(&self.symbols, &self.ends, len) {
                let meaning = self.meaning[usize::from(symbol) & 511];
                self.table[as_met(code) & (TABLE - 1)] = meaning + len as u32 * 0x101;
                code = code.wrapping_add(1 << (16 - len));
            }
        }
        self.mask = (size - 1) as u32;
        self.longer = code;
    }

    /// The symbol that the lowest bits of `bits` are the code of.
    #[inline(always)]
    pub(crate) fn look(&self, bits: u64) -> Symbol {
        self.table[(bits as u32 & self.mask) as usize]
    }

    /// Find a code that is not in the table, length by length.
    #[cold]
    pub(crate) fn search(&self, bits: u64) -> Result<Symbol, Fault> {
        let bits = usize::from((bits as u16).reverse_bits());
        let shortest = 1 + self.mask.trailing_ones() as usize;
        // The first code of a length; codes before it are shorter ones, with more behind them.
        let mut first = usize::from(self.longer) >> (16 - shortest);
        for len in shortest..=LONGEST {
            let code = bits >> (16 - len);
            let symbols = of_length(&self.symbols, &self.ends, len);
            if let Some(&symbol) = symbols.get(code.wrapping_sub(first)) {
                let meaning = self.meaning[usize::from(symbol) & 511];
                if meaning & SLOW != 0 {
                    break;
                }
                return Ok(meaning + len as u32 * 0x101);
            }
            first = (first + symbols.len()) << 1;
        }
        Err("a compressed stream holds an invalid code")
    }
}

/// The symbols whose codes have `len` bits, ascending.
#[inline(always)]
fn of_length<'a>(symbols: &'a Symbols, ends: &[u16; LONGEST + 1], len: usize) -> &'a [u16] {
    let len = len & LONGEST;
    let place = usize::from(STARTS[len])..usize::from(ends[len]);
    symbols.get(place).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_and_extra_bits_are_those_of_deflate() {
        let split = |symbol: Symbol| (symbol >> 16, symbol & 63);
        assert_eq!(split(LITERALS[257]), (3, 0));
        assert_eq!(split(LITERALS[264]), (10, 0));
        assert_eq!(split(LITERALS[265]), (11, 1));
        assert_eq!(split(LITERALS[284]), (227, 5));
        assert_eq!(split(LITERALS[285]), (258, 0));
        assert_eq!(split(DISTANCES[3]), (4, 0));
        assert_eq!(split(DISTANCES[4]), (5, 1));
        assert_eq!(split(DISTANCES[29]), (24577, 13));
    }

    #[test]
    fn codes_are_found_whatever_the_size_of_the_table() {
        // Lengths 1, 2, 3 … 14, 15, 15: a complete code with long members.
        let build = |most| {
            let mut code = Code::new(&LITERALS);
            for at in 0..16 {
                code.add(at * 3, 1, (at + 1).min(15));
            }
            code.build(most).map(|()| code)
        };
        for most in [1, 8, 10, MOST_BITS] {
            let code = build(most).expect("complete");
            for bits in 0..1u64 << 15 {
                let symbol = match code.look(bits) {
                    symbol if symbol & SLOW == 0 => symbol,
                    _ => code.search(bits).expect("complete"),
                };
                let ones = bits.trailing_ones().min(15);
                let len = (ones + 1).min(15);
                assert_eq!(symbol, LITERALS[ones as usize * 3] + len * 0x101);
            }
        }
    }

    #[test]
    fn impossible_codes_are_errors() {
        let mut code = Code::new(&DISTANCES);
        let mut built = |lens: &[usize]| {
            code.clear();
            for (symbol, &len) in lens.iter().enumerate() {
                code.add(symbol, 1, len);
            }
            code.build(MOST_BITS)?;
            let found = |bits| code.look(bits) & SLOW == 0 || code.search(bits).is_ok();
            Ok::<_, Fault>((found(0), found(1)))
        };
        assert!(built(&[1, 1, 1]).is_err());
        assert!(built(&[2, 2]).is_err());
        assert_eq!(built(&[0, 1]), Ok((true, false)));
        assert_eq!(built(&[]), Ok((false, false)));
    }
}
