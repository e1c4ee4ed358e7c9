//! Memory in large pages.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// The large pages of x86-64, and of ARM with small pages of 4 KiB.
const LARGE_PAGE: usize = 2 << 20;

/// Zeroed memory apart from the heap.
pub struct LargeBuffer {
    pages: MmapMut,
    len: usize,
}

/// A buffer of `len` bytes, in pages of 2 MiB where the system has them; `None` if there is no
/// memory for it.
pub fn large_buffer(len: usize) -> Option<LargeBuffer> {
    let is_large = len > LARGE_PAGE / 2;
    let mapped = if is_large {
        // Since Linux 6.7, such a mapping also starts at a large page.
        len.checked_next_multiple_of(LARGE_PAGE)?
    } else {
        // No mapping is empty.
        len.max(1)
    };
    let pages = MmapMut::map_anon(mapped).ok()?;
    #[cfg(target_os = "linux")]
    if is_large {
        // Without large pages it is as good, only slower.
        let _ = pages.advise(memmap2::Advice::HugePage);
    }
    Some(LargeBuffer { pages, len })
}

impl Deref for LargeBuffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.pages[..self.len]
    }
}

impl DerefMut for LargeBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.pages[..self.len]
    }
}
