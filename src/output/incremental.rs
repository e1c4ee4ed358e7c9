//! `--incremental`: each entry as it is decided.

use std::{ops::ControlFlow, sync::Arc};

use rustc_hash::FxHashSet;

use super::{
    Buffer, Commits, Error,
    buffer::Hex,
    porcelain::{push_details, push_path_part},
};
use crate::{
    engine::{Entry, Origin, Sink},
    objects::ObjectId,
};

/// A sink that writes entries as `git blame --incremental` does.
///
/// The engine can only be told to stop, so a failure is kept: ask [`finish`](Self::finish) when
/// the engine has returned.
#[derive(Debug)]
pub struct Incremental<'a, 'w, C> {
    out: Buffer<'w>,
    commits: &'a mut C,
    quote_path: bool,
    eager: bool,
    shown: FxHashSet<ObjectId>,
    details: Vec<u8>,
    failure: Option<Error>,
}

impl<'a, 'w, C: Commits> Incremental<'a, 'w, C> {
    /// Write to `out`. `eager` is for readers that wait (pipes, terminals): what is decided reaches
    /// them before the engine looks at the next commit; otherwise (regular files) only a full
    /// buffer is handed on.
    pub fn new(out: Buffer<'w>, commits: &'a mut C, quote_path: bool, eager: bool) -> Self {
        Incremental {
            out,
            commits,
            quote_path,
            eager,
            shown: FxHashSet::default(),
            details: Vec::new(),
            failure: None,
        }
    }

    /// Hand on what is left.
    ///
    /// # Errors
    ///
    /// The failure that stopped the engine, if one did, or that of the last write.
    pub fn finish(mut self) -> Result<(), Error> {
        match self.failure.take() {
            Some(Error::Write(err)) => return Err(err.into()),
            Some(err) => {
                self.out.flush()?;
                return Err(err);
            }
            None => {}
        }
        Ok(self.out.flush()?)
    }

    fn write(&mut self, entry: &Entry, origins: &[Origin], boundary: bool) -> Result<(), Error> {
        let Some(origin) = origins.get(entry.origin.0 as usize) else {
            return Ok(());
        };
        self.details.clear();
        if self.shown.insert(origin.commit) {
            let text = self.commits.text(&origin.commit).map_err(Error::Commit)?;
            push_details(&mut self.details, &text, boundary);
        }
        push_path_part(&mut self.details, origin, origins, self.quote_path);
        self.out.bytes(Hex::new(&origin.commit).as_bytes());
        let count = entry.lines.end.saturating_sub(entry.lines.start);
        let numbers = [
            u64::from(entry.source_start) + 1,
            u64::from(entry.lines.start) + 1,
            u64::from(count),
        ];
        for number in numbers {
            self.out.byte(b' ');
            self.out.number(number);
        }
        self.out.byte(b'\n');
        self.out.bytes(&self.details);
        Ok(self.out.spill()?)
    }

    fn keep(&mut self, result: Result<(), Error>) -> ControlFlow<()> {
        match result {
            Ok(()) => ControlFlow::Continue(()),
            Err(err) => {
                self.failure.get_or_insert(err);
                ControlFlow::Break(())
            }
        }
    }
}

impl<C: Commits> Sink for Incremental<'_, '_, C> {
    fn started(&mut self, _contents: &Arc<[u8]>, _line_count: u32) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn entry(&mut self, entry: &Entry, origins: &[Origin], boundary: bool) -> ControlFlow<()> {
        let result = self.write(entry, origins, boundary);
        self.keep(result)
    }

    fn progress(&mut self, _frontier: i64) -> ControlFlow<()> {
        if !self.eager || self.out.is_empty() {
            return ControlFlow::Continue(());
        }
        let result = self.out.flush().map_err(Error::from);
        self.keep(result)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::fixture::{self, FIRST, SECOND},
        *,
    };

    #[test]
    fn entries_are_written_as_decided() {
        let (blame, mut texts) = fixture::blame();
        let mut out = Vec::new();
        let mut sink = Incremental::new(Buffer::new(&mut out), &mut texts, true, true);
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
    fn a_failure_stops_and_is_kept() {
        let (blame, mut texts) = fixture::blame();
        texts.texts.clear();
        let mut out = Vec::new();
        let mut sink = Incremental::new(Buffer::new(&mut out), &mut texts, true, false);
        assert!(
            sink.entry(&blame.entries[0], &blame.origins, true)
                .is_break()
        );
        let err = sink.finish().unwrap_err();
        assert_eq!(err.to_string(), format!("bad object {FIRST}"));
    }
}
