//! A compressed stream as bits, the lowest of each byte first.

/// The bits that come next, and where in the input those behind them are.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    buffer: u64,
    /// How many bits are in the buffer: the lowest six bits of this. The others mean nothing, which
    /// spares decoding from masking what it takes off.
    count: u32,
    /// The next byte of the input to load. May run past its end: zeros are read there, and found
    /// out afterwards.
    at: usize,
}

impl Bits {
    /// Those from the byte at `at` on.
    pub(crate) fn at(at: usize) -> Bits {
        Bits {
            at,
            ..Bits::default()
        }
    }

    /// Have at least 56 bits in the buffer.
    #[inline(always)]
    pub(crate) fn refill(&mut self, input: &[u8]) {
        let word = match input.get(self.at..).and_then(|rest| rest.first_chunk()) {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => self.tail(input),
        };
        self.buffer |= word << (self.count & 63);
        self.at += ((!self.count & 63) >> 3) as usize;
        self.count |= 56;
    }

    #[cold]
    fn tail(&self, input: &[u8]) -> u64 {
        let mut bytes = [0; 8];
        let rest = input.get(self.at..).unwrap_or_default();
        bytes[..rest.len()].copy_from_slice(rest);
        u64::from_le_bytes(bytes)
    }

    /// What is in the buffer, the next bit lowest.
    #[inline(always)]
    pub(crate) fn next(&self) -> u64 {
        self.buffer
    }

    /// The next `count` bits, fewer than 64. They have to be in the buffer, here as in the others.
    #[inline(always)]
    pub(crate) fn take(&mut self, count: u32) -> u64 {
        let value = self.buffer & ((1 << (count & 63)) - 1);
        self.skip(count);
        value
    }

    /// Skip as many bits as the lowest six bits of `symbol` say.
    #[inline(always)]
    pub(crate) fn skip(&mut self, symbol: u32) {
        self.buffer >>= symbol & 63;
        self.count = self.count.wrapping_sub(symbol);
    }

    /// The extra bits of `symbol`, whose code is next: the lowest six bits of it say how many bits
    /// both have, bits 8–11 how many the code has.
    #[inline(always)]
    pub(crate) fn extra(&self, symbol: u32) -> usize {
        let both = self.buffer & ((1 << (symbol & 63)) - 1);
        (both >> (symbol >> 8 & 15)) as usize
    }

    /// Skip what remains of a byte of which something is used.
    pub(crate) fn skip_to_byte(&mut self) {
        self.skip(self.count & 7);
    }

    /// Whole bytes of the input used so far, when what remains of the current one is dropped.
    pub(crate) fn used(&self) -> usize {
        self.at - ((self.count & 63) >> 3) as usize
    }
}
