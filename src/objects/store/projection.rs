//! Projection of a tree entry through a delta, without rebuilding the tree.
//!
//! A tree is usually stored as a small delta against a tree of a neighbouring commit, and the
//! delta copies the bytes around our entry. If the position of the entry in the base and the bytes
//! just around it are known, the delta alone tells the position of the entry in the result, and its
//! id there.
//!
//! The answer must be certain. The bytes `mode SP name NUL id` can also occur within another entry
//! whose name ends that way. They are an entry if they start the tree, or if the bytes before them
//! are certainly the end of another entry: a NUL, and an id in which no octal digit is followed by
//! a space (as between mode and name of an entry that started there). In all other cases the tree
//! is rebuilt and searched.

use gix_hash::{Kind, ObjectId};

use crate::objects::{
    error::Reason,
    formats::tree::{self, TreeSearch},
    pack::delta::{DeltaInstruction, DeltaInstructions},
    types::TreeEntry,
};

/// Capacity for an entry with its context; longer names are not projected.
const MAX_KNOWN_LEN: usize = 320;
/// Length of a NUL and the longest id.
const MAX_PRECEDING_LEN: usize = 33;

/// Result of looking up a name in a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookupResult {
    /// There is no such entry.
    Absent,
    /// The entry exists.
    Present {
        /// Offset of the entry in the tree.
        start: usize,
        /// The entry and the bytes before it.
        context: EntryContext,
    },
}

/// An entry, with what is needed to project it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryContext {
    pub(crate) entry: TreeEntry,
    /// Number of octal digits of the mode as written.
    mode_digits: u8,
    /// The NUL and id that end the previous entry, if there is one.
    preceding: [u8; MAX_PRECEDING_LEN],
}

impl LookupResult {
    /// The entry, if there is one.
    pub(crate) fn entry(&self) -> Option<TreeEntry> {
        match self {
            LookupResult::Absent => None,
            LookupResult::Present { context, .. } => Some(context.entry),
        }
    }

    /// True if the entry `name` of a tree of which only the start `data` was read, without a
    /// checksum, is what the whole tree has.
    ///
    /// A damaged id names no object, and a damaged name is not found, so that all of the tree is
    /// read. Another entry whose damaged name became `name` is out of order, or followed by the
    /// right one.
    pub(crate) fn is_certain(&self, data: &[u8], hash: Kind, name: &[u8]) -> bool {
        let &LookupResult::Present { start, context } = self else {
            return false;
        };
        let entry = context.entry;
        let end = end_of_entry(start, context.mode_digits, name, hash);
        matches!(entry.mode, 0o040_000 | 0o100_644 | 0o100_755)
            && tree::sorts_before_next(data, end, name, entry.is_tree()) == Some(true)
    }

    /// Fails for a complete tree that git refuses after this search for `name`: git reads the
    /// entries up to the one that it finds and the one after it, and all of them if it finds none.
    pub(crate) fn check_tree(&self, data: &[u8], hash: Kind, name: &[u8]) -> Result<(), Reason> {
        let &LookupResult::Present { start, context } = self else {
            return tree::check(data, hash);
        };
        let next = end_of_entry(start, context.mode_digits, name, hash);
        let mut entries = tree::entries(data, hash);
        while entries.offset() <= next
            && let Some(entry) = entries.next()
        {
            entry?;
        }
        Ok(())
    }
}

/// The end of the entry `name` that starts at `start`.
fn end_of_entry(start: usize, mode_digits: u8, name: &[u8], hash: Kind) -> usize {
    start + usize::from(mode_digits) + name.len() + 2 + hash.len_in_bytes()
}

/// Searches a complete tree for `name`.
///
/// # Errors
///
/// The tree is malformed, before the entry or directly after it, or anywhere if it has no such
/// entry.
pub fn find_in_tree(data: &[u8], hash: Kind, name: &[u8]) -> Result<LookupResult, Reason> {
    match find_in_prefix(data, 0, hash, name) {
        Ok(found) => {
            let found = found.unwrap_or(LookupResult::Absent);
            found.check_tree(data, hash, name)?;
            Ok(found)
        }
        // A tree that is cut off is that to git, whatever else it is.
        Err(reason) => Err(tree::check(data, hash).err().unwrap_or(reason)),
    }
}

/// Searches the start of a tree for `name`, from the entry at `from`. If it is not found, returns
/// the offset of the first incomplete entry.
pub(crate) fn find_in_prefix(
    data: &[u8],
    from: usize,
    hash: Kind,
    name: &[u8],
) -> Result<Result<LookupResult, usize>, Reason> {
    let (range, entry) = match tree::find_entry(data, from, hash, name)? {
        TreeSearch::Found(range, entry) => (range, entry),
        TreeSearch::NotFound(at) => return Ok(Err(at)),
    };
    let mut preceding = [0; MAX_PRECEDING_LEN];
    let len = hash.len_in_bytes() + 1;
    if range.start >= len {
        preceding[..len].copy_from_slice(&data[range.start - len..range.start]);
    }
    Ok(Ok(LookupResult::Present {
        start: range.start,
        context: EntryContext {
            entry,
            mode_digits: tree::parse_mode(&data[range]).map_or(0, |(_, len)| len as u8 - 1),
            preceding,
        },
    }))
}

/// A segment of a delta's result.
#[derive(Debug, Clone, Copy)]
pub struct DeltaSegment {
    /// Offset in the result.
    at: usize,
    len: usize,
    source: SegmentSource,
}

#[derive(Debug, Clone, Copy)]
enum SegmentSource {
    /// Copied from this offset of the base.
    Base(usize),
    /// Inserted from this offset of the delta.
    Delta(usize),
}

/// Projects the position of `name` from the base to the result of `delta`; `None` if that is not
/// certain. `segments` is a scratch buffer.
pub fn project(
    base: &LookupResult,
    delta: &[u8],
    hash: Kind,
    name: &[u8],
    segments: &mut Vec<DeltaSegment>,
) -> Option<LookupResult> {
    let &LookupResult::Present {
        start,
        context: found,
    } = base
    else {
        return None;
    };
    if found.mode_digits == 0
        || found.mode_digits > 6
        || name.is_empty()
        || has_digit_and_space(name)
    {
        return None;
    }
    let id_len = hash.len_in_bytes();
    let context_len = if start == 0 { 0 } else { id_len + 1 };
    let end = start + usize::from(found.mode_digits) + name.len() + 2 + id_len;
    let is_certain = is_entry_end(&found.preceding[..context_len]);
    split_segments(delta, segments)?;
    // A single copy of the entry and its context leaves the answer as it was, except for its
    // offset.
    if is_certain {
        for segment in segments.iter() {
            if let SegmentSource::Base(from) = segment.source
                && from + context_len <= start
                && from + segment.len >= end
                && (context_len > 0 || segment.at + start == from)
            {
                let start = segment.at + (start - from);
                return Some(LookupResult::Present {
                    start,
                    context: found,
                });
            }
        }
    }
    let known = KnownBytes::new(start, &found, context_len, name, end)?;
    let result = DeltaResult {
        delta,
        segments,
        known: &known,
        name,
        id_len,
    };
    result
        .nul_candidates()
        .find_map(|nul| result.entry_before(nul))
}

/// Splits the result of a delta into segments.
fn split_segments(delta: &[u8], segments: &mut Vec<DeltaSegment>) -> Option<()> {
    segments.clear();
    let mut at = 0;
    for instruction in DeltaInstructions::new(delta).ok()? {
        let segment = match instruction.ok()? {
            DeltaInstruction::Copy { offset, len } => DeltaSegment {
                at,
                len,
                source: SegmentSource::Base(offset),
            },
            DeltaInstruction::Insert(bytes) => DeltaSegment {
                at,
                len: bytes.len(),
                source: SegmentSource::Delta(bytes.as_ptr() as usize - delta.as_ptr() as usize),
            },
        };
        at += segment.len;
        segments.push(segment);
    }
    Some(())
}

/// True if the bytes before an entry are certainly a NUL and an id. Empty at the start of a tree.
fn is_entry_end(preceding: &[u8]) -> bool {
    match preceding.split_first() {
        None => true,
        Some((&nul, id)) => nul == 0 && !has_digit_and_space(id),
    }
}

/// True if an octal digit is followed by a space, as between mode and name of an entry.
fn has_digit_and_space(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b' ', bytes).any(|at| at > 0 && matches!(bytes[at - 1], b'0'..=b'7'))
}

/// The known bytes of the base: the entry and the context before it.
struct KnownBytes {
    /// Offset of `bytes` in the base.
    start: usize,
    bytes: [u8; MAX_KNOWN_LEN],
    len: usize,
    /// Offset in the base of the NUL after the name.
    nul: usize,
}

impl KnownBytes {
    /// `None` for very long names.
    fn new(
        start: usize,
        found: &EntryContext,
        context_len: usize,
        name: &[u8],
        end: usize,
    ) -> Option<KnownBytes> {
        let mut known = KnownBytes {
            start: start - context_len,
            bytes: [0; MAX_KNOWN_LEN],
            len: 0,
            nul: start + usize::from(found.mode_digits) + 1 + name.len(),
        };
        let mut octal = [b'0'; 6];
        let mut mode = found.entry.mode;
        for digit in octal.iter_mut().rev() {
            *digit = b'0' + (mode & 7) as u8;
            mode >>= 3;
        }
        let digits = &octal[6 - usize::from(found.mode_digits)..];
        let id = found.entry.id;
        let parts = [
            &found.preceding[..context_len],
            digits,
            b" ",
            name,
            b"\0",
            id.as_slice(),
        ];
        for part in parts {
            let slot = known.bytes.get_mut(known.len..known.len + part.len())?;
            slot.copy_from_slice(part);
            known.len += part.len();
        }
        debug_assert_eq!(known.start + known.len, end);
        Some(known)
    }

    fn get(&self, from: usize, len: usize) -> Option<&[u8]> {
        let from = from.checked_sub(self.start)?;
        self.bytes[..self.len].get(from..from.checked_add(len)?)
    }
}

/// The result of a delta, where its bytes are known.
struct DeltaResult<'a> {
    delta: &'a [u8],
    segments: &'a [DeltaSegment],
    known: &'a KnownBytes,
    name: &'a [u8],
    id_len: usize,
}

impl<'a> DeltaResult<'a> {
    /// Offsets in the result at which the NUL after our name may be: where it was copied to, and
    /// where inserted bytes have a NUL after the end of the name.
    fn nul_candidates(&self) -> impl Iterator<Item = usize> + use<'_, 'a> {
        let copied = self
            .segments
            .iter()
            .filter_map(|segment| match segment.source {
                SegmentSource::Base(from) => {
                    let inside = self.known.nul.checked_sub(from)?;
                    (inside < segment.len).then(|| segment.at + inside)
                }
                SegmentSource::Delta(_) => None,
            });
        let inserted = self.segments.iter().flat_map(move |segment| {
            let bytes = match segment.source {
                SegmentSource::Base(_) => &[][..],
                SegmentSource::Delta(from) => &self.delta[from..from + segment.len],
            };
            memchr::memchr_iter(0, bytes)
                .filter(move |&nul| {
                    let len = nul.min(self.name.len());
                    bytes[nul - len..nul] == self.name[self.name.len() - len..]
                })
                .map(move |nul| segment.at + nul)
        });
        copied.chain(inserted)
    }

    /// The entry whose name ends before `nul`, if it is certainly ours.
    fn entry_before(&self, nul: usize) -> Option<LookupResult> {
        let name_at = nul.checked_sub(self.name.len())?;
        let mut name = [0; MAX_KNOWN_LEN];
        let name = name.get_mut(..self.name.len())?;
        self.fetch(name_at, name)?;
        if name != self.name {
            return None;
        }
        // A mode of six digits, or five for a directory, which may be the first entry.
        let mut mode = [0; 7];
        let mode = match name_at {
            6 => &mut mode[1..],
            _ => &mut mode[..],
        };
        self.fetch(name_at.checked_sub(mode.len())?, mode)?;
        let digits = match *mode {
            [.., b'4', b'0', b'0', b'0', b'0', b' '] => 5,
            [
                b'1',
                b'0'..=b'7',
                b'0'..=b'7',
                b'0'..=b'7',
                b'0'..=b'7',
                b'0'..=b'7',
                b' ',
            ] => 6,
            _ => return None,
        };
        let (mode, _) = tree::parse_mode(&mode[mode.len() - digits - 1..])?;
        let start = name_at - digits - 1;
        let mut preceding = [0; MAX_PRECEDING_LEN];
        if start > 0 {
            let preceding = &mut preceding[..self.id_len + 1];
            self.fetch(start.checked_sub(preceding.len())?, preceding)?;
            if !is_entry_end(preceding) {
                return None;
            }
        }
        let mut id = [0; MAX_PRECEDING_LEN];
        let id = &mut id[..self.id_len];
        self.fetch(nul + 1, id)?;
        Some(LookupResult::Present {
            start,
            context: EntryContext {
                entry: TreeEntry {
                    mode,
                    id: ObjectId::try_from(&*id).ok()?,
                },
                mode_digits: digits as u8,
                preceding,
            },
        })
    }

    /// Fills `out` with the result's bytes from `at`, if all of them are known.
    fn fetch(&self, mut at: usize, mut out: &mut [u8]) -> Option<()> {
        for segment in self.segments {
            if out.is_empty() {
                break;
            }
            if at >= segment.at + segment.len {
                continue;
            }
            let inside = at.checked_sub(segment.at)?;
            let len = out.len().min(segment.len - inside);
            let bytes = match segment.source {
                SegmentSource::Base(from) => self.known.get(from + inside, len)?,
                SegmentSource::Delta(from) => self.delta.get(from + inside..from + inside + len)?,
            };
            let (now, later) = out.split_at_mut(len);
            now.copy_from_slice(bytes);
            out = later;
            at += len;
        }
        out.is_empty().then_some(())
    }
}
