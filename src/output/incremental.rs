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

#[cfg(test)]
mod tests {
    use crate::engine::Sink;
    use {
        super::*,
        crate::output::{
            fixture::{self, FIRST, SECOND},
            stream::EntryStream,
        },
    };

    #[test]
    fn entries_are_written_as_they_are_blamed() {
        let (blame, mut texts) = fixture::blame();
        let mut out = Vec::new();
        let mut sink = EntryStream::new(
            OutputBuffer::new(&mut out),
            Incremental::new(&mut texts, true),
            true,
        );
        for at in [1, 3, 0] {
            let boundary = at == 0;
            assert!(
                sink.entry(&blame.entries[at], &blame.origins, boundary)
                    .is_continue()
            );
            assert!(sink.progress(0).is_continue());
        }
        sink.finish().unwrap();
        let expected = format!(
            "{SECOND} 2 2 1\nauthor Bö Ünal\nauthor-mail <bo@example.com>\nauthor-time 1612337706\n\
             author-tz -0330\ncommitter Com Mitter\ncommitter-mail <c@example.com>\n\
             committer-time 1612337706\ncommitter-tz -0330\nsummary second\n\
             previous {FIRST} a.txt\nfilename a.txt\n\
             {SECOND} 4 4 1\nprevious {FIRST} a.txt\nfilename a.txt\n\
             {FIRST} 1 1 1\nauthor Ann Lee\nauthor-mail <ann@example.com>\nauthor-time 1577869200\n\
             author-tz +0100\ncommitter Com Mitter\ncommitter-mail <c@example.com>\n\
             committer-time 1577869200\ncommitter-tz +0100\nsummary first\nboundary\nfilename a.txt\n"
        );
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn an_error_stops_the_engine_and_is_returned() {
        let (blame, mut texts) = fixture::blame();
        texts.texts.clear();
        let mut out = Vec::new();
        let mut sink = EntryStream::new(
            OutputBuffer::new(&mut out),
            Incremental::new(&mut texts, true),
            false,
        );
        assert!(
            sink.entry(&blame.entries[0], &blame.origins, true)
                .is_break()
        );
        let err = sink.finish().unwrap_err();
        assert_eq!(err.to_string(), format!("bad object {FIRST}"));
    }
}
