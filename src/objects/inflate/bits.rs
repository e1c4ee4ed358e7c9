//! A compressed stream as bits, the lowest of each byte first.

/// The bits from some place of a stream on.
#[derive(Clone, Copy)]
pub(crate) struct Bits<'a> {
    buffer: u64,
    /// How many bits are in the buffer: the lowest six bits of this. The others mean nothing, which
    /// spares decoding from masking what it takes off.
    count: u32,
    /// The bytes behind those in the buffer.
    rest: &'a [u8],
    /// How many zeros were read behind the last byte, as if they were there.
    beyond: usize,
    len: usize,
}

impl<'a> Bits<'a> {
    /// Those of `input` from the bit at `position` on.
    #[inline]
    pub(crate) fn new(input: &'a [u8], position: u64) -> Bits<'a> {
        let whole = (position / 8) as usize;
        let mut bits = Bits {
            buffer: 0,
            count: 0,
            rest: input.get(whole..).unwrap_or_default(),
            beyond: whole.saturating_sub(input.len()),
            len: input.len(),
        };
        bits.refill();
        bits.skip(position as u32 & 7);
        bits
    }

    /// The position of the next bit. It may be behind the end, where zeros are read.
    #[inline]
    pub(crate) fn position(&self) -> u64 {
        let loaded = self.len - self.rest.len() + self.beyond;
        loaded as u64 * 8 - u64::from(self.count & 63)
    }

    /// Have at least 56 bits in the buffer.
    #[inline(always)]
    pub(crate) fn refill(&mut self) {
        let count = ((!self.count & 63) >> 3) as usize;
        let word = match self.rest.first_chunk() {
            Some(bytes) => {
                self.rest = &self.rest[count..];
                u64::from_le_bytes(*bytes)
            }
            None => {
                let (word, rest) = tail(self.rest, count);
                self.beyond += count - (self.rest.len() - rest.len());
                self.rest = rest;
                word
            }
        };
        self.buffer |= word << (self.count & 63);
        self.count |= 56;
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
    /// both have, the next but two six how many the code has.
    #[inline(always)]
    pub(crate) fn extra(&self, symbol: u32) -> usize {
        let both = self.buffer & ((1 << (symbol & 63)) - 1);
        (both >> (symbol >> 8 & 63)) as usize
    }
}

/// The last bytes as if zeros followed, and what remains of them when `count` are taken.
#[cold]
fn tail(rest: &[u8], count: usize) -> (u64, &[u8]) {
    let mut bytes = [0; 8];
    bytes[..rest.len()].copy_from_slice(rest);
    (
        u64::from_le_bytes(bytes),
        rest.get(count..).unwrap_or_default(),
    )
}
