//! Huffman decoding tables for deflate, small enough to build for streams of a few hundred bytes.

use crate::objects::error::Reason;

/// The longest code that a single table lookup decodes; longer ones are rare.
pub(crate) const MAX_TABLE_BITS: usize = 11;
/// Number of table entries.
const TABLE_LEN: usize = 1 << MAX_TABLE_BITS;
/// The longest code length in deflate.
const MAX_CODE_LEN: usize = 15;
/// Capacity for the symbols of one code length, including the overrun of [`SYMBOLS_PER_STORE`].
const SYMBOLS_PER_LEN: usize = 320;
/// Symbols written per store in [`HuffmanCode::add`]; no run of symbols with the same non-zero
/// length is longer.
const SYMBOLS_PER_STORE: usize = 8;

/// Start of each code length's symbols in [`Symbols`].
const SYMBOL_STARTS: [u16; MAX_CODE_LEN + 1] = {
    let mut starts = [0; MAX_CODE_LEN + 1];
    let mut len = 0;
    while len <= MAX_CODE_LEN {
        starts[len] = (len * SYMBOLS_PER_LEN) as u16;
        len += 1;
    }
    starts
};

/// A table entry. Bits 0–5: length of code and extra bits; bits 8–11: length of the code alone;
/// bits 16–31: the literal, or the base of a length or distance.
pub(crate) type SymbolEntry = u32;
/// Flag: the symbol is a literal byte.
pub(crate) const LITERAL: SymbolEntry = 1 << 15;
/// Flag: the symbol is the end of the block.
pub(crate) const END_OF_BLOCK: SymbolEntry = 1 << 12;
/// Flag: not in the table, since the code is too long, unassigned or reserved.
pub(crate) const NOT_IN_TABLE: SymbolEntry = 1 << 13;

/// Symbols grouped by code length and ascending, with [`SYMBOLS_PER_LEN`] slots for each length.
/// The slots of length 0 are unused.
type Symbols = [u16; SYMBOLS_PER_LEN * (MAX_CODE_LEN + 1)];

/// A Huffman code and its decoding table.
pub(crate) struct HuffmanCode {
    table: Box<[SymbolEntry; TABLE_LEN]>,
    mask: u32,
    /// The first code too long for the table, left-aligned in 16 bits.
    first_long_code: u16,
    /// For each code length, the end of its symbols in `symbols`.
    ends: [u16; MAX_CODE_LEN + 1],
    symbols: Box<Symbols>,
    alphabet: &'static [SymbolEntry; 512],
}

/// Symbol values of the literal and length alphabet.
pub(crate) static LITERAL_ALPHABET: [SymbolEntry; 512] = literals();
/// Symbol values of the distance alphabet.
pub(crate) static DISTANCE_ALPHABET: [SymbolEntry; 512] = distances();

const fn literals() -> [SymbolEntry; 512] {
    let mut table = [NOT_IN_TABLE; 512];
    let mut at = 0;
    while at < 256 {
        table[at] = LITERAL | (at as u32) << 16;
        at += 1;
    }
    table[256] = END_OF_BLOCK;
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

const fn distances() -> [SymbolEntry; 512] {
    let mut table = [NOT_IN_TABLE; 512];
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

/// Bit reversal of each byte.
pub(crate) static BIT_REVERSED: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).reverse_bits();
        byte += 1;
    }
    table
};

/// Converts a left-aligned 16-bit code to stream order, first bit lowest.
#[inline(always)]
fn to_stream_order(code: u16) -> usize {
    let [low, high] = code.to_le_bytes();
    usize::from(BIT_REVERSED[usize::from(low)]) << 8 | usize::from(BIT_REVERSED[usize::from(high)])
}

impl HuffmanCode {
    pub(crate) fn new(alphabet: &'static [SymbolEntry; 512]) -> HuffmanCode {
        let mut table = zeros();
        table[0] = NOT_IN_TABLE;
        HuffmanCode {
            table,
            mask: 0,
            first_long_code: 0,
            ends: SYMBOL_STARTS,
            symbols: zeros(),
            alphabet,
        }
    }

    /// Removes all symbols.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.ends = SYMBOL_STARTS;
    }

    /// Appends `times` symbols from `symbol` on with code length `len`; 0 means no code. Symbols
    /// must be ascending; runs with a non-zero length are at most [`SYMBOLS_PER_STORE`] long.
    #[inline(always)]
    pub(crate) fn add(&mut self, symbol: usize, times: usize, len: usize) {
        let end = &mut self.ends[len & MAX_CODE_LEN];
        if let Some(slots) = self.symbols.get_mut(usize::from(*end)..)
            && let Some(slots) = slots.first_chunk_mut::<SYMBOLS_PER_STORE>()
        {
            let mut next = symbol as u16;
            for slot in slots {
                *slot = next;
                next = next.wrapping_add(1);
            }
        }
        *end = end.wrapping_add(times as u16);
    }

    /// Removes the last `times` symbols with code length `len`.
    pub(crate) fn remove_last(&mut self, times: usize, len: usize) {
        self.ends[len & MAX_CODE_LEN] -= times as u16;
    }

    /// Assigns canonical codes and fills the table for codes of up to `max_bits` bits (at most
    /// [`MAX_TABLE_BITS`]). A larger table takes longer to fill and decodes more codes directly.
    pub(crate) fn build(&mut self, max_bits: usize) -> Result<(), Reason> {
        // Share of the code space that is assigned, and the set of lengths that occur.
        let mut assigned = 0;
        let mut lens = 0;
        for (len, (end, start)) in self.ends.into_iter().zip(SYMBOL_STARTS).enumerate() {
            let count = if len == 0 { 0 } else { end - start };
            assigned += u32::from(count) << (MAX_CODE_LEN - len);
            lens |= u32::from(count != 0) << len;
        }
        if assigned > 1 << MAX_CODE_LEN {
            return Err("a zlib stream has an over-subscribed code");
        }
        // As in zlib, only a single one-bit code or no code at all may be incomplete.
        if assigned < 1 << MAX_CODE_LEN && lens > 0b10 {
            return Err("a zlib stream has an incomplete code");
        }
        let longest = lens.checked_ilog2().unwrap_or(1) as usize;
        let first = lens.trailing_zeros() as usize;
        let bits = longest.min(max_bits).min(MAX_TABLE_BITS);
        self.fill(first.min(bits), bits);
        Ok(())
    }

    /// Fills the table for codes of up to `bits` bits, the shortest of which has `first`. To go to
    /// the next length, the table is doubled and the codes of that length are entered, one slot
    /// each.
    fn fill(&mut self, first: usize, bits: usize) {
        let mut size = 1 << first;
        self.table[..size].fill(NOT_IN_TABLE);
        let mut code = 0u16;
        for len in first..=bits {
            if len > first {
                self.table.copy_within(..size, size);
                size *= 2;
            }
            for &symbol in symbols_of_len(&self.symbols, &self.ends, len) {
                let entry = self.alphabet[usize::from(symbol) & 511];
                self.table[to_stream_order(code) & (TABLE_LEN - 1)] = entry + len as u32 * 0x101;
                code = code.wrapping_add(1 << (16 - len));
            }
        }
        self.mask = (size - 1) as u32;
        self.first_long_code = code;
    }

    /// Table lookup with the next bits of the stream.
    #[inline(always)]
    pub(crate) fn lookup(&self, bits: u64) -> SymbolEntry {
        self.table[(bits as u32 & self.mask) as usize]
    }

    /// Decodes a code that is not in the table, length by length.
    #[cold]
    pub(crate) fn decode_long(&self, bits: u64) -> Result<SymbolEntry, Reason> {
        let bits = usize::from((bits as u16).reverse_bits());
        let shortest = 1 + self.mask.trailing_ones() as usize;
        // The first code of this length; smaller values are prefixes of shorter codes.
        let mut first = usize::from(self.first_long_code) >> (16 - shortest);
        for len in shortest..=MAX_CODE_LEN {
            let code = bits >> (16 - len);
            let symbols = symbols_of_len(&self.symbols, &self.ends, len);
            if let Some(&symbol) = symbols.get(code.wrapping_sub(first)) {
                let entry = self.alphabet[usize::from(symbol) & 511];
                if entry & NOT_IN_TABLE != 0 {
                    break;
                }
                return Ok(entry + len as u32 * 0x101);
            }
            first = (first + symbols.len()) << 1;
        }
        Err("a zlib stream contains an invalid code")
    }
}

/// Memory that is touched only where it is used: a short run has several codes, and uses little of
/// each.
fn zeros<T: Copy + Default, const N: usize>() -> Box<[T; N]> {
    match vec![T::default(); N].into_boxed_slice().try_into() {
        Ok(zeros) => zeros,
        Err(_) => Box::new([T::default(); N]),
    }
}

/// The symbols with code length `len`, ascending.
#[inline(always)]
fn symbols_of_len<'a>(
    symbols: &'a Symbols,
    ends: &[u16; MAX_CODE_LEN + 1],
    len: usize,
) -> &'a [u16] {
    let len = len & MAX_CODE_LEN;
    let slots = usize::from(SYMBOL_STARTS[len])..usize::from(ends[len]);
    symbols.get(slots).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_and_extra_bits_match_rfc_1951() {
        let split = |symbol: SymbolEntry| (symbol >> 16, symbol & 63);
        assert_eq!(split(LITERAL_ALPHABET[257]), (3, 0));
        assert_eq!(split(LITERAL_ALPHABET[264]), (10, 0));
        assert_eq!(split(LITERAL_ALPHABET[265]), (11, 1));
        assert_eq!(split(LITERAL_ALPHABET[284]), (227, 5));
        assert_eq!(split(LITERAL_ALPHABET[285]), (258, 0));
        assert_eq!(split(DISTANCE_ALPHABET[3]), (4, 0));
        assert_eq!(split(DISTANCE_ALPHABET[4]), (5, 1));
        assert_eq!(split(DISTANCE_ALPHABET[29]), (24577, 13));
    }

    #[test]
    fn codes_decode_with_any_table_size() {
        // Lengths 1, 2, 3 … 14, 15, 15: a complete code with long codes.
        let build = |max_bits| {
            let mut code = HuffmanCode::new(&LITERAL_ALPHABET);
            for at in 0..16 {
                code.add(at * 3, 1, (at + 1).min(15));
            }
            code.build(max_bits).map(|()| code)
        };
        for max_bits in [1, 8, 10, MAX_TABLE_BITS] {
            let code = build(max_bits).expect("complete");
            for bits in 0..1u64 << 15 {
                let symbol = match code.lookup(bits) {
                    symbol if symbol & NOT_IN_TABLE == 0 => symbol,
                    _ => code.decode_long(bits).expect("complete"),
                };
                let ones = bits.trailing_ones().min(15);
                let len = (ones + 1).min(15);
                assert_eq!(symbol, LITERAL_ALPHABET[ones as usize * 3] + len * 0x101);
            }
        }
    }

    #[test]
    fn over_subscribed_and_incomplete_codes_are_errors() {
        let mut code = HuffmanCode::new(&DISTANCE_ALPHABET);
        let mut built = |lens: &[usize]| {
            code.clear();
            for (symbol, &len) in lens.iter().enumerate() {
                code.add(symbol, 1, len);
            }
            code.build(MAX_TABLE_BITS)?;
            let found =
                |bits| code.lookup(bits) & NOT_IN_TABLE == 0 || code.decode_long(bits).is_ok();
            Ok::<_, Reason>((found(0), found(1)))
        };
        assert!(built(&[1, 1, 1]).is_err());
        assert!(built(&[2, 2]).is_err());
        assert_eq!(built(&[0, 1]), Ok((true, false)));
        assert_eq!(built(&[]), Ok((false, false)));
    }
}
