//! Numbers for tests that look random and are the same in each run.

/// A sequence of such numbers, by its seed. The high bits are the better ones.
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0
    }

    /// A number below `limit`, which must not be 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit
    }
}
