//! A question that is answered in the background: what is asked, what comes back, and who answers.

use std::{
    convert::Infallible,
    fmt::Debug,
    ops::ControlFlow,
    thread,
    time::{Duration, Instant},
};

use crate::viewer::model::file_version::Failure;

/// How often a waiting thread looks whether the answer is still wanted.
const WAIT_INTERVAL: Duration = Duration::from_millis(5);

/// A question, with all that is needed to answer it.
pub trait Query: Debug + Clone + PartialEq + Eq + Send + 'static {
    /// A part of the answer that comes before its end; [`Infallible`] if there is none.
    type Item: Debug + Clone + Send;
    /// The end of the answer.
    type End: Debug + Clone + Send;
}

/// The answer to a query: any number of items, and then the end.
#[derive(Debug, Clone)]
pub enum Answer<Q: Query> {
    /// A part of the answer.
    Found(Q::Item),
    /// The end. After an error, what was found before stays valid.
    Ended(Result<Q::End, Failure>),
}

impl<Q: Query> Answer<Q> {
    /// True if nothing more comes.
    pub fn is_end(&self) -> bool {
        matches!(self, Answer::Ended(_))
    }

    /// Why it failed, if it did.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Answer::Ended(end) => end.as_ref().err(),
            Answer::Found(_) => None,
        }
    }
}

impl<Q: Query<Item = Infallible>> Answer<Q> {
    /// The end, before which nothing comes.
    ///
    /// # Errors
    /// The query failed.
    pub fn end(self) -> Result<Q::End, Failure> {
        let Answer::Ended(end) = self;
        end
    }
}

/// Takes the parts of an answer; breaks when the answer is no longer wanted.
pub type Found<'a, Q> = &'a mut dyn FnMut(<Q as Query>::Item) -> ControlFlow<()>;

/// True if the answer is no longer wanted; cheap enough to be asked often.
pub type Stop<'a> = &'a dyn Fn() -> bool;

/// Takes an answer.
pub struct AnswerTaker<'a, Q: Query> {
    /// Takes its parts.
    pub found: Found<'a, Q>,
    /// Whether it is still wanted.
    pub stop: Stop<'a>,
}

/// Answers queries of one kind.
pub trait Answers<Q: Query> {
    /// Passes the parts of the answer to `found` until that breaks, and returns the end. What it
    /// returns once `stop` returns true does not matter.
    ///
    /// # Errors
    /// If an object is missing or damaged, in plain words.
    fn run(&mut self, query: &Q, taker: AnswerTaker<'_, Q>) -> Result<Q::End, Failure>;
}

/// Waits, and breaks when the answer is no longer wanted meanwhile.
pub fn wait(time: Duration, stop: Stop<'_>) -> ControlFlow<()> {
    let until = Instant::now() + time;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if stop() {
            return ControlFlow::Break(());
        }
        if left.is_zero() {
            return ControlFlow::Continue(());
        }
        thread::sleep(left.min(WAIT_INTERVAL));
    }
}
