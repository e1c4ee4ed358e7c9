//! Reads of whole pack entries through the page cache.

use std::sync::Arc;

use crate::objects::{
    error::{OUT_OF_MEMORY, Reason},
    inflate::inflater::Inflater,
    pack::{
        delta,
        pack_file::{EntryHeader, EntryType, MAX_ENTRY_HEADER_LEN, Pack},
        page_cache::PageCache,
    },
    types::{Object, ObjectKind, PackPosition, StoredObject},
};
use crate::system::memory;

/// Blobs from this size on are first read in part.
const LARGE_BLOB_LEN: usize = 32 << 10;

/// The header of the entry at `at`, and enough compressed bytes for the first `size` inflated ones,
/// assuming a reasonable compressor.
#[inline]
pub(crate) fn read_entry_start<'p>(
    pages: &'p mut PageCache,
    pack: &Pack,
    at: PackPosition,
    size: usize,
) -> Result<(EntryHeader, &'p [u8]), Reason> {
    let start = pages.read(pack, at.pack, at.offset, MAX_ENTRY_HEADER_LEN)?;
    let header = pack.header(at.offset, start)?;
    let need = header.len + max_deflated_len(size.min(header.size));
    let bytes = pages.read(pack, at.pack, at.offset, need)?;
    Ok((header, bytes.get(header.len..).unwrap_or(&[])))
}

/// Passes all of the entry at `at` to `work`, and retries with more bytes if that fails.
#[inline]
pub(crate) fn read_entry<T>(
    pages: &mut PageCache,
    pack: &Pack,
    at: PackPosition,
    mut work: impl FnMut(EntryHeader, &[u8]) -> Result<T, Reason>,
) -> Result<T, Reason> {
    let start = pages.read(pack, at.pack, at.offset, MAX_ENTRY_HEADER_LEN)?;
    let header = pack.header(at.offset, start)?;
    let whole = max_deflated_len(header.size);
    // Large blobs compress well, so half of the bound mostly suffices and touches less memory.
    let is_blob = matches!(header.entry_type, EntryType::Whole(ObjectKind::Blob));
    let half = (is_blob && header.size > LARGE_BLOB_LEN).then_some(whole / 2);
    let needs = [whole, whole.saturating_mul(4) + (1 << 16)];
    let mut result = Err("an entry is truncated");
    for need in half.into_iter().chain(needs) {
        let bytes = pages.read(pack, at.pack, at.offset, header.len + need)?;
        result = work(header, bytes.get(header.len..).unwrap_or(&[]));
        if result.is_ok() {
            break;
        }
    }
    result
}

/// Upper bound of the compressed length of `size` bytes for a reasonable compressor.
fn max_deflated_len(size: usize) -> usize {
    size.saturating_add(size / 16).saturating_add(128)
}

/// Reads the entry at `at` as stored: an object, or a delta.
pub(crate) fn read_stored(
    pack: &Pack,
    at: PackPosition,
    pages: &mut PageCache,
    inflater: &mut Inflater,
) -> Result<StoredObject, Reason> {
    read_entry(pages, pack, at, |header, input| {
        let mut data = zeroed(header.size)?;
        let output = Arc::get_mut(&mut data).ok_or("a new buffer is already shared")?;
        inflater.inflate_exact(input, output)?;
        match header.entry_type {
            EntryType::Whole(kind) => Ok(StoredObject::Whole(Object { kind, data })),
            entry_type => {
                let base = pack.base(entry_type)?.ok_or("a delta has no base")?;
                Ok(StoredObject::Delta {
                    base: PackPosition {
                        pack: at.pack,
                        offset: base,
                    },
                    delta: data,
                })
            }
        }
    })
}

/// Applies the delta `bytes` to `base` in a new buffer.
pub(crate) fn apply_delta(base: &[u8], bytes: &[u8]) -> Result<Arc<[u8]>, Reason> {
    let mut len = delta::DeltaInstructions::new(bytes)?.result_len();
    // An implausible size is verified before memory is allocated for it.
    if len > (base.len() + bytes.len()).saturating_mul(2) {
        len = delta::checked_result_len(bytes)?;
    }
    let mut data = zeroed(len)?;
    let output = Arc::get_mut(&mut data).ok_or("a new buffer is already shared")?;
    delta::apply(base, bytes, output)?;
    Ok(data)
}

/// A shared buffer that can be filled in place.
fn zeroed(len: usize) -> Result<Arc<[u8]>, Reason> {
    if memory::is_available(len) {
        Ok(std::iter::repeat_n(0, len).collect())
    } else {
        Err(OUT_OF_MEMORY)
    }
}
