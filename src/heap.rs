//! How the heap gets its memory.
//!
//! A blame fills some ten megabytes within a tenth of a second. The first touch of each page of
//! 4 KiB interrupts the program; with pages of 2 MiB, which Linux gives where it is asked to, there
//! are a fifth as many such faults. Measured on one thread, in processor time: 8 % of a blame, and
//! 15 % where there is a commit-graph ([`docs/performance.md`] has the table, and what other
//! allocators do).
//!
//! This is the one place with unsafe code: calls of the C library that have no safe form. They read
//! and write no memory of the program.
//!
//! [`docs/performance.md`]: https://docs.rs/crate/tblame/latest/source/docs/performance.md

/// Lets the heap grow in large steps, in large pages. To be called before there are other threads,
/// and best before anything large is allocated. Where the system has no such pages, or another C
/// library than glibc, nothing happens.
pub fn prepare() {
    #[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
    glibc::prepare();
}

#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
#[expect(unsafe_code, reason = "the C library has no safe form of these calls")]
mod glibc {
    /// The heap's first step, which is address space only until it is touched. Most blames stay
    /// below.
    const STEP: i32 = 64 << 20;
    /// Blocks of less than this come from the heap, not each from a mapping of its own. The
    /// largest value that glibc takes.
    const MAPPED_FROM: i32 = 32 << 20;
    /// Large pages begin at multiples of this.
    const LARGE_PAGE: usize = 2 << 20;

    pub(super) fn prepare() {
        // SAFETY: mallopt sets numbers under the allocator's lock. A value it does not take, it
        // refuses.
        unsafe {
            libc::mallopt(libc::M_TOP_PAD, STEP);
            libc::mallopt(libc::M_TRIM_THRESHOLD, 2 * STEP);
            libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED_FROM);
            // One heap for all threads: the large pages are there.
            libc::mallopt(libc::M_ARENA_MAX, 1);
        }
        // More than a new heap has left, so that it grows now.
        let first = std::hint::black_box(Vec::<u8>::with_capacity(1 << 20));
        let start = first.as_ptr().addr();
        drop(first);
        // SAFETY: a step of 0 changes nothing and gives the heap's end.
        let end = unsafe { libc::sbrk(0) };
        let from = start.next_multiple_of(LARGE_PAGE);
        if let Some(len) = end.addr().checked_sub(from)
            && len <= 2 * STEP as usize
        {
            // SAFETY: the range ends where the heap ends, and the advice changes nothing that the
            // program can see. A refusal does no harm.
            unsafe { libc::madvise(end.wrapping_byte_sub(len), len, libc::MADV_HUGEPAGE) };
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn memory_is_as_before() {
        let before: Vec<u8> = (0..=255).cycle().take(3 << 20).collect();
        super::prepare();
        super::prepare();
        let sizes = [1, 100, 5000, 300_000, 5 << 20, 70 << 20];
        let blocks: Vec<Vec<u8>> = std::thread::scope(|scope| {
            let fill = |size: usize| move || (0..=255).cycle().take(size).collect::<Vec<u8>>();
            let threads: Vec<_> = sizes.map(|size| scope.spawn(fill(size))).into();
            let joined = threads.into_iter().map(|thread| thread.join());
            joined.map(|block| block.expect("it only fills")).collect()
        });
        for block in blocks.iter().chain([&before]) {
            let wrong = (0..=255_u8).cycle().zip(block).position(|(a, b)| a != *b);
            assert_eq!(wrong, None);
        }
    }
}
