//! The table of contents of commit-graphs and multi-pack-indexes.

use crate::objects::error::Reason;

/// Byte range of a chunk in its file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkRange {
    pub(crate) start: u64,
    pub(crate) len: u64,
}

/// The chunks of a file by their names, in the order of the table.
pub(crate) struct ChunkTable(Vec<([u8; 4], ChunkRange)>);

impl ChunkTable {
    /// Reads the table of `count` chunks that starts at `at`. The chunks are between it and `end`.
    /// `read` returns the entry at an offset.
    ///
    /// # Errors
    ///
    /// The chunks are not one after the other there, or the table cannot be read.
    pub(crate) fn read(
        at: u64,
        count: u8,
        end: u64,
        read: impl Fn(u64) -> Option<[u8; 12]>,
    ) -> Result<ChunkTable, Reason> {
        const MALFORMED: Reason = "its table of contents is damaged";
        let table_end = at + (u64::from(count) + 1) * 12;
        let mut chunks = Vec::with_capacity(usize::from(count));
        let mut previous: Option<([u8; 4], u64)> = None;
        for nth in 0..=u64::from(count) {
            let entry = read(at + nth * 12).ok_or(MALFORMED)?;
            let (name, start) = entry.split_first_chunk::<4>().ok_or(MALFORMED)?;
            let start = u64::from_be_bytes(*start.first_chunk().ok_or(MALFORMED)?);
            if start < table_end || start > end {
                return Err(MALFORMED);
            }
            if let Some((name, from)) = previous {
                let len = start.checked_sub(from).ok_or(MALFORMED)?;
                chunks.push((name, ChunkRange { start: from, len }));
            }
            previous = Some((*name, start));
        }
        Ok(ChunkTable(chunks))
    }

    /// Where the chunk `name` is.
    pub(crate) fn chunk(&self, name: &[u8; 4]) -> Option<ChunkRange> {
        let mut chunks = self.0.iter();
        chunks.find(|(id, _)| id == name).map(|(_, at)| *at)
    }
}
