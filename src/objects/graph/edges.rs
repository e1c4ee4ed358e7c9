//! Parents and dates of the commits of a commit-graph's file.
//!
//! A record is 36 bytes, of which the walk of most commits needs 12. Commits lie in the order of their
//! ids, so a walk soon touches all records, and what counts is how much memory they take: blocks of
//! them are unpacked when they are first needed.

use std::sync::OnceLock;

use crate::objects::graph::block_file::Blocks;

/// So many commits are unpacked at once.
const BLOCK: u32 = 2048;

/// A date that is not below this is not kept.
const LATEST: u32 = u32::MAX;

/// What is kept of a commit. The parents are numbers as in the file.
#[derive(Debug, Clone, Copy)]
struct Link {
    parents: [u32; 2],
    time: u32,
}

/// The parents and dates of one file. May be read from several threads at once.
pub(crate) struct Links {
    blocks: Vec<OnceLock<Option<Box<[Link]>>>>,
    /// Where records start in the file, in bytes.
    start: u64,
    id_len: u64,
    count: u32,
}

impl Links {
    /// Those of `count` commits, whose records start at `start`.
    pub(crate) fn new(start: u64, id_len: u64, count: u32) -> Links {
        Links {
            blocks: (0..count.div_ceil(BLOCK))
                .map(|_| OnceLock::new())
                .collect(),
            start,
            id_len,
            count,
        }
    }

    /// Where the record of the `nth` commit starts, with the id of its tree.
    pub(crate) fn record(&self, nth: u32) -> u64 {
        self.start + u64::from(nth) * (self.id_len + 16)
    }

    /// The two numbers for the parents of the `nth` commit, and its date.
    #[inline]
    pub(crate) fn at(&self, file: &Blocks, nth: u32) -> Option<([u32; 2], i64)> {
        let block = self.blocks.get((nth / BLOCK) as usize)?;
        let links = block
            .get_or_init(|| self.unpack(file, nth / BLOCK))
            .as_ref()?;
        let link = links.get((nth % BLOCK) as usize)?;
        if link.time == LATEST {
            let numbers = file.array(self.record(nth) + self.id_len)?;
            return Some(parse(&numbers));
        }
        Some((link.parents, i64::from(link.time)))
    }

    #[cold]
    fn unpack(&self, file: &Blocks, block: u32) -> Option<Box<[Link]>> {
        let first = block * BLOCK;
        let count = BLOCK.min(self.count - first);
        let (record_len, id_len) = (self.id_len as usize + 16, self.id_len as usize);
        file.look_at(self.record(first), count as usize * record_len, |records| {
            let numbers = records.chunks_exact(record_len).map(|record| {
                let (parents, time) = parse(record[id_len..].first_chunk().unwrap_or(&[0; 16]));
                let time = u32::try_from(time).unwrap_or(LATEST);
                Link { parents, time }
            });
            numbers.collect()
        })
    }
}

/// The numbers of a record: parents, and the date in the lower 34 bits of the last two.
#[inline]
fn parse(numbers: &[u8; 16]) -> ([u32; 2], i64) {
    let numbers = u128::from_be_bytes(*numbers);
    let parents = [(numbers >> 96) as u32, (numbers >> 64) as u32];
    (parents, (numbers as u64 & ((1 << 34) - 1)) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_all_dates_in_all_blocks() {
        let count = BLOCK + 3;
        let date_of = |nth: u32| match nth % 5 {
            0 => (1 << 34) - 1,
            1 => i64::from(LATEST),
            _ => 1_700_000_000 + i64::from(nth),
        };
        let mut data = b"before".to_vec();
        for nth in 0..count {
            data.extend([nth as u8; 20]);
            data.extend(nth.to_be_bytes());
            data.extend((nth + 1).to_be_bytes());
            // The generation is in the bits above the date.
            data.extend((date_of(nth) as u64 | 77 << 34).to_be_bytes());
        }
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("graph");
        std::fs::write(&path, &data).expect("written");
        let file = Blocks::open(&path).expect("there");
        let links = Links::new(6, 20, count);
        for nth in (0..count).rev() {
            let expected = ([nth, nth + 1], date_of(nth));
            assert_eq!(links.at(&file, nth), Some(expected));
        }
        assert_eq!(links.at(&file, count), None);
        assert_eq!(Links::new(7, 20, count).at(&file, count - 1), None);
    }
}
