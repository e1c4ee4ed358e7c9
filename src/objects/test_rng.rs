//! Deterministic pseudo-random numbers for tests.

/// A linear congruential generator. Its high bits are the better ones.
pub(crate) struct TestRng(pub(crate) u64);

impl TestRng {
    /// The next 64-bit number.
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
