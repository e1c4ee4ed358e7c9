//! Answers [`OldLinesQuery`]: blames the old side of a diff.

use std::ops::ControlFlow;

use crate::viewer::{
    model::{
        background::{
            old_lines::OldLinesQuery,
            query::{AnswerTaker, Answers},
        },
        source::{BlameSource, Failure},
    },
    protocol::BlameEventKind,
    tasks::batches::Batches,
};

/// Blames with a source of its own.
pub struct OldSideBlamer(Box<dyn BlameSource>);

impl OldSideBlamer {
    /// Blames with a source that is used for nothing else.
    pub fn new(source: Box<dyn BlameSource>) -> OldSideBlamer {
        OldSideBlamer(source)
    }
}

impl Answers<OldLinesQuery> for OldSideBlamer {
    fn run(
        &mut self,
        query: &OldLinesQuery,
        AnswerTaker { found, stop }: AnswerTaker<'_, OldLinesQuery>,
    ) -> Result<(), Failure> {
        let source = self.0.as_mut();
        let mut send = |kind| match kind {
            BlameEventKind::Batch(batch) => found(batch),
            _ => ControlFlow::Continue(()),
        };
        let mut sink = Batches::new(source.version_reader(), stop, &mut send);
        source.blame(&query.version, &query.options, &mut sink)?;
        // A break means that the answer is no longer wanted.
        let _ = sink.flush();
        if !stop() {
            source.keep_blame();
        }
        Ok(())
    }
}
