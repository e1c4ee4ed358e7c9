//! Prefix codes of deflate, in tables small enough to be built for a stream of a few hundred bytes.

use super::error::Fault;

/// Codes up to this length are decoded by one look into the table; longer ones are rare.
const FAST_BITS: usize = 10;
/// The longest code of deflate.
const LONGEST: usize = 15;

/// A decoded symbol, and how to go on: bits 0–3 are the length of its code, 4–7 the number of
/// extra bits that follow, 16–31 the literal or the base of a length or distance.
pub(crate) type Symbol = u32;
/// The symbol is a literal byte.
pub(crate) const LITERAL: Symbol = 1 << 8;
/// The symbol ends the block.
pub(crate) const END: Symbol = 1 << 9;
/// Not in the table: the code is long, or is none.
const SLOW: Symbol = 1 << 10;
/// The symbol may not occur.
const INVALID: Symbol = 1 << 11;

/// A symbol and the length of its code, from 1 to 15.
#[inline]
pub(crate) fn used(symbol: usize, len: u8) -> u16 {
    (symbol as u16) << 4 | u16::from(len & 15)
}

/// One prefix code.
pub(crate) struct Code {
    table: Box<[Symbol; 1 << FAST_BITS]>,
    mask: u32,
    /// How many codes there are of each length.
    counts: [u16; LONGEST + 1],
    /// The symbols by code. There are no more than 288; this is a size that no index of nine bits
    /// is beyond.
    sorted: Box<[u16; 512]>,
    meaning: &'static [Symbol; 512],
}

/// What symbols of the literal and length code mean.
pub(crate) static LITERALS: [Symbol; 512] = literals();
/// What symbols of the distance code mean.
pub(crate) static DISTANCES: [Symbol; 512] = distances();

const fn literals() -> [Symbol; 512] {
    let mut table = [INVALID; 512];
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
        table[at] = base << 16 | extra << 4;
        base += 1 << extra;
    }
    table[285] = 258 << 16;
    table
}

const fn distances() -> [Symbol; 512] {
    let mut table = [INVALID; 512];
    let mut base = 1;
    let mut at = 0;
    while at < 30 {
        let step = at as u32;
        let extra = if step < 4 { 0 } else { step / 2 - 1 };
        table[at] = base << 16 | extra << 4;
        base += 1 << extra;
        at += 1;
    }
    table
}

impl Code {
    pub(crate) fn new(meaning: &'static [Symbol; 512]) -> Code {
        Code {
            table: Box::new([SLOW; 1 << FAST_BITS]),
            mask: 0,
            counts: [0; LONGEST + 1],
            sorted: Box::new([0; 512]),
            meaning,
        }
    }

    /// Build the code from its symbols with their lengths, as [`used`] packs them, ascending by
    /// symbol, at most 288 of them.
    pub(crate) fn build(&mut self, used: &[u16]) -> Result<(), Fault> {
        let mut counts = [0u16; LONGEST + 1];
        for packed in used {
            counts[usize::from(packed & 15)] += 1;
        }
        let mut starts = [0u16; LONGEST + 2];
        let mut left = 1i32;
        let mut longest = 0;
        for len in 1..=LONGEST {
            left = (left << 1) - i32::from(counts[len]);
            if left < 0 {
                return Err("a compressed stream has an impossible code");
            }
            if counts[len] != 0 {
                longest = len;
            }
            starts[len + 1] = starts[len] + counts[len];
        }
        // As in zlib: only a lone code of one bit, or none at all, may leave codes unused.
        if left > 0 && longest > 1 {
            return Err("a compressed stream has an incomplete code");
        }
        for packed in used {
            let start = &mut starts[usize::from(packed & 15)];
            self.sorted[usize::from(*start) & 511] = packed >> 4;
            *start += 1;
        }
        self.counts = counts;
        self.fill(longest.clamp(1, FAST_BITS));
        Ok(())
    }

    /// Fill the table for codes of up to `bits` bits. A table for codes up to some length becomes
    /// one for codes a bit longer by doubling it and adding the new codes, each in one place.
    fn fill(&mut self, bits: usize) {
        let first = (1..=bits)
            .find(|&len| self.counts[len] != 0)
            .unwrap_or(bits);
        let mut size = 1 << first;
        self.table[..size].fill(SLOW);
        let mut symbols = &self.sorted[..];
        // The code with its first bit lowest, as it is met in the stream.
        let mut code = 0usize;
        for len in first..=bits {
            if len > first {
                self.table.copy_within(..size, size);
                size *= 2;
            }
            let Some((now, later)) = symbols.split_at_checked(usize::from(self.counts[len])) else {
                break;
            };
            symbols = later;
            for &symbol in now {
                let meaning = self.meaning[usize::from(symbol) & 511];
                self.table[code & (size - 1) & ((1 << FAST_BITS) - 1)] = meaning | len as u32;
                let zeros = !code & (size - 1);
                if zeros == 0 {
                    break;
                }
                let bit = 1usize << zeros.ilog2();
                code = (code & (bit - 1)) | bit;
            }
        }
        self.mask = (size - 1) as u32;
    }

    /// The symbol that the lowest bits of `bits` are the code of.
    #[inline(always)]
    pub(crate) fn look(&self, bits: u64) -> Symbol {
        self.table[(bits as u32 & self.mask) as usize & ((1 << FAST_BITS) - 1)]
    }

    /// Whether [`Code::look`] gave nothing and [`Code::search`] has to be asked.
    #[inline(always)]
    pub(crate) fn is_slow(symbol: Symbol) -> bool {
        symbol & (SLOW | INVALID) != 0
    }

    /// Find a code bit by bit.
    #[cold]
    pub(crate) fn search(&self, bits: u64) -> Result<Symbol, Fault> {
        let mut code = 0i32;
        let mut first = 0i32;
        let mut start = 0i32;
        for len in 1..=LONGEST {
            code |= (bits >> (len - 1)) as i32 & 1;
            let count = i32::from(self.counts[len]);
            if code - first < count {
                let place = usize::try_from(start + code - first).unwrap_or(usize::MAX);
                let symbol = self.sorted.get(place).copied().unwrap_or(511);
                let meaning = self.meaning[usize::from(symbol) & 511];
                if meaning & INVALID != 0 {
                    break;
                }
                return Ok(meaning | len as u32);
            }
            start += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        Err("a compressed stream holds an invalid code")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_and_extra_bits_are_those_of_deflate() {
        let split = |symbol: Symbol| (symbol >> 16, symbol >> 4 & 15);
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
    fn table_and_search_agree() {
        let mut code = Code::new(&LITERALS);
        // Lengths 1, 2, 3 … 14, 15, 15: a complete code with long members.
        let used: Vec<u16> = (0..16)
            .map(|at| used(at * 3, (at + 1).min(15) as u8))
            .collect();
        code.build(&used).expect("complete");
        for bits in 0..1u64 << 15 {
            let fast = code.look(bits);
            let slow = code.search(bits).expect("complete");
            if !Code::is_slow(fast) {
                assert_eq!(fast, slow);
            } else {
                assert!(slow & 15 > 10);
            }
        }
    }

    #[test]
    fn impossible_codes_are_errors() {
        let mut code = Code::new(&DISTANCES);
        assert!(code.build(&[used(0, 1), used(1, 1), used(2, 1)]).is_err());
        assert!(code.build(&[used(0, 2), used(1, 2)]).is_err());
        assert!(code.build(&[used(0, 1)]).is_ok());
        assert!(code.search(1).is_err());
        assert!(code.build(&[]).is_ok());
        assert!(Code::is_slow(code.look(0)));
        assert!(code.search(0).is_err());
    }
}
