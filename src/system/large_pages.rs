//! Memory in large pages.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// Zeroed memory apart from the heap.
pub struct LargeBuffer(MmapMut);

/// A buffer of `len` bytes, in pages of 2 MiB where the system has them; `None` if there is no
/// memory for it.
pub fn large_buffer(len: usize) -> Option<LargeBuffer> {
    // No mapping is empty.
    let buffer = MmapMut::map_anon(len.max(1)).ok()?;
    #[cfg(target_os = "linux")]
    {
        // Without large pages it is as good, only slower.
        let _ = buffer.advise(memmap2::Advice::HugePage);
    }
    Some(LargeBuffer(buffer))
}

impl Deref for LargeBuffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for LargeBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}
