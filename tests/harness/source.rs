//! What the viewer reads a repository with.

use std::{convert::Infallible, sync::Arc};

use bstr::BString;
use tblame::internals::{
    engine::{Request, Start},
    repository::{Repository, commits::commit_texts::PseudoCommit},
    viewer::{
        model::{
            background::query::{AnswerTaker, Answers, Query, Stop},
            source::Failure,
        },
        repository::git_source::{GitSource, ViewerCache, WorkTreeRequests},
    },
};

/// A source as the viewer has it, opened at HEAD.
pub fn source_of_head(
    repository: &Arc<Repository>,
    cache: Option<ViewerCache>,
    threads: usize,
) -> GitSource {
    let head = repository.head_commit().expect("a commit");
    let request = Request::new(Start::Commit(head), BString::from("unused"));
    let others = WorkTreeRequests::new(move |path| {
        let path = path.map_or(BString::default(), |path| path.into());
        Ok(Request::new(Start::Commit(head), path))
    });
    let pseudo = PseudoCommit::default();
    GitSource::new(repository, request, others, pseudo, None, cache, threads)
}

/// The answer to a query whose answer has no parts.
pub fn answer_of<Q: Query<Item = Infallible>>(
    reader: &mut impl Answers<Q>,
    query: &Q,
    stop: Stop<'_>,
) -> Result<Q::End, Failure> {
    let found = &mut |never| match never {};
    reader.run(query, AnswerTaker { found, stop })
}
