//! Bit reader for deflate streams, least significant bit first.

/// Reads bits of a byte slice through a 64-bit buffer.
#[derive(Clone, Copy)]
pub(crate) struct BitReader<'a> {
    buffer: u64,
    /// The low six bits are the number of valid bits in `buffer`. The high bits are garbage, so
    /// that [`BitReader::skip`] needs no masking.
    count: u32,
    /// The bytes after those in the buffer.
    rest: &'a [u8],
    /// Zero bytes appended past the end of the input so far.
    padding: usize,
    len: usize,
}

impl<'a> BitReader<'a> {
    /// Starts at bit offset `position` of `input`.
    #[inline]
    pub(crate) fn new(input: &'a [u8], position: u64) -> BitReader<'a> {
        let whole = (position / 8) as usize;
        let mut bits = BitReader {
            buffer: 0,
            count: 0,
            rest: input.get(whole..).unwrap_or_default(),
            padding: whole.saturating_sub(input.len()),
            len: input.len(),
        };
        bits.refill();
        bits.skip(position as u32 & 7);
        bits
    }

    /// Bit offset of the next bit. May be past the end of the input, where zeros are read.
    #[inline]
    pub(crate) fn position(&self) -> u64 {
        let loaded = self.len - self.rest.len() + self.padding;
        loaded as u64 * 8 - u64::from(self.count & 63)
    }

    /// Fills the buffer to at least 56 bits.
    #[inline(always)]
    pub(crate) fn refill(&mut self) {
        let count = ((!self.count & 63) >> 3) as usize;
        let word = match self.rest.first_chunk() {
            Some(bytes) => {
                self.rest = &self.rest[count..];
                u64::from_le_bytes(*bytes)
            }
            None => {
                let (word, rest) = padded_tail(self.rest, count);
                self.padding += count - (self.rest.len() - rest.len());
                self.rest = rest;
                word
            }
        };
        self.buffer |= word << (self.count & 63);
        self.count |= 56;
    }

    /// The buffered bits, the next one lowest.
    #[inline(always)]
    pub(crate) fn peek(&self) -> u64 {
        self.buffer
    }

    /// Takes the next `count` bits, fewer than 64. Like the methods below, it requires them to be
    /// buffered.
    #[inline(always)]
    pub(crate) fn take(&mut self, count: u32) -> u64 {
        let value = self.buffer & ((1 << (count & 63)) - 1);
        self.skip(count);
        value
    }

    /// Skips the number of bits in the low six bits of `symbol`.
    #[inline(always)]
    pub(crate) fn skip(&mut self, symbol: u32) {
        self.buffer >>= symbol & 63;
        self.count = self.count.wrapping_sub(symbol);
    }

    /// The extra bits of `symbol`, whose code is next in the buffer. The low six bits of `symbol`
    /// are the length of code and extra bits, bits 8–13 that of the code alone.
    #[inline(always)]
    pub(crate) fn extra_bits(&self, symbol: u32) -> usize {
        let both = self.buffer & ((1 << (symbol & 63)) - 1);
        (both >> (symbol >> 8 & 63)) as usize
    }
}

/// The last bytes padded with zeros, and the remainder after taking `count` of them.
#[cold]
fn padded_tail(rest: &[u8], count: usize) -> (u64, &[u8]) {
    let mut bytes = [0; 8];
    bytes[..rest.len()].copy_from_slice(rest);
    (
        u64::from_le_bytes(bytes),
        rest.get(count..).unwrap_or_default(),
    )
}
