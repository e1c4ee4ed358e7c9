//! `--incremental`: each entry as soon as it is blamed.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::{
    engine::{Entry, Origin},
    objects::ObjectId,
    output::{
        buffer::{HexId, OutputBuffer},
        commit_provider::CommitProvider,
        error::OutputError,
        porcelain::{push_details, push_path_part},
        stream::EntryFormat,
    },
};

/// The `--incremental` format.
#[derive(Debug)]
pub struct Incremental<'a, C> {
    commits: &'a mut C,
    quote_path: bool,
    shown: FxHashSet<ObjectId>,
    details: Vec<u8>,
}

impl<'a, C: CommitProvider> Incremental<'a, C> {
    /// `quote_path` is `core.quotePath`: whether to quote bytes from 0x80 on in paths.
    pub fn new(commits: &'a mut C, quote_path: bool) -> Self {
        Incremental {
            commits,
            quote_path,
            shown: FxHashSet::default(),
            details: Vec::new(),
        }
    }
}

impl<C: CommitProvider> EntryFormat for Incremental<'_, C> {
    fn started(&mut self, _contents: &Arc<[u8]>) {}

    fn write(
        &mut self,
        out: &mut OutputBuffer<'_>,
        entry: &Entry,
        origins: &[Origin],
        boundary: bool,
    ) -> Result<(), OutputError> {
        let Some(origin) = origins.get(entry.origin.0 as usize) else {
            return Ok(());
        };
        self.details.clear();
        if self.shown.insert(origin.commit) {
            let text = self
                .commits
                .text(&origin.commit)
                .map_err(OutputError::Commit)?;
            push_details(&mut self.details, &text, boundary);
        }
        push_path_part(&mut self.details, origin, origins, self.quote_path);
        out.bytes(HexId::new(&origin.commit).as_bytes());
        let count = entry.lines.end.saturating_sub(entry.lines.start);
        let numbers = [
            u64::from(entry.source_start) + 1,
            u64::from(entry.lines.start) + 1,
            u64::from(count),
        ];
        for number in numbers {
            out.byte(b' ');
            out.number(number);
        }
        out.byte(b'\n');
        out.bytes(&self.details);
        Ok(())
    }
}
