//! All kinds of background queries, and the threads that answer them.

use std::ops::ControlFlow;

use crate::{
    system::test_panic,
    viewer::model::{
        background::{
            deletions::DeletionQuery,
            file_history::FileHistoryQuery,
            line_history::LineHistoryQuery,
            line_outcome::LineOutcomeQuery,
            origins::OriginQuery,
            provenance::ProvenanceQuery,
            query::{Answer, Answers, Query, Stop},
            repository_queries::{
                BeginningQuery, CommitContextQuery, CompletionQuery, FileListQuery, PlaceQuery,
                StampQuery, UnstagedQuery,
            },
        },
        file_version::Failure,
        texts::encodings::ConversionQuery,
    },
};

/// Defines the enums of all queries, and leads each query to the thread that answers it. For each
/// thread: its name, that of its reader (an argument of `QueryReaders::new`), and the kinds of
/// queries that it answers, with their types.
macro_rules! queries {
    ($($thread:ident($reader:ident) { $($(#[$doc:meta])* $kind:ident($query:ty),)* })*) => {
        /// A query of any kind.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum QueryRequest {
            $($($(#[$doc])* $kind($query),)*)*
        }

        /// The kinds of queries. A query cancels the older ones of its kind.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum QueryKind {
            $($($(#[$doc])* $kind,)*)*
        }

        /// Something that comes back for a query.
        #[derive(Debug, Clone)]
        pub enum QueryEvent {
            $($($(#[$doc])* $kind(Answer<$query>),)*)*
        }

        enum QueryThread {
            $($thread,)*
        }

        $($(impl From<$query> for QueryRequest {
            fn from(query: $query) -> QueryRequest {
                QueryRequest::$kind(query)
            }
        })*)*

        impl QueryRequest {
            /// Its kind.
            pub fn kind(&self) -> QueryKind {
                match self {
                    $($(QueryRequest::$kind(_) => QueryKind::$kind,)*)*
                }
            }

            /// The end of the answer if it failed.
            pub fn failed(&self, failure: Failure) -> QueryEvent {
                match self {
                    $($(QueryRequest::$kind(_) => QueryEvent::$kind(Answer::Ended(Err(failure))),)*)*
                }
            }
        }

        impl QueryEvent {
            /// True if nothing more comes back for its query.
            pub fn is_end(&self) -> bool {
                match self {
                    $($(QueryEvent::$kind(answer) => matches!(answer, Answer::Ended(_)),)*)*
                }
            }
        }

        impl QueryKind {
            /// The number of kinds.
            pub const COUNT: usize = [$($(QueryKind::$kind,)*)*].len();

            /// The thread that answers it, as an index into [`QueryReaders`].
            pub fn thread(self) -> usize {
                let thread = match self {
                    $($(QueryKind::$kind => QueryThread::$thread,)*)*
                };
                thread as usize
            }
        }

        impl QueryReaders {
            /// The readers of all threads.
            pub fn new(
                $($reader: impl $(Answers<$query> +)* Send + 'static,)*
            ) -> QueryReaders {
                QueryReaders(vec![$({
                    struct ThreadReader<R>(R);

                    impl<R: $(Answers<$query> +)* Send> QueryReader for ThreadReader<R> {
                        fn answer(
                            &mut self,
                            request: &QueryRequest,
                            send: &mut dyn FnMut(QueryEvent) -> ControlFlow<()>,
                            stop: Stop<'_>,
                        ) {
                            match request {
                                $(QueryRequest::$kind(query) => {
                                    test_panic::reached(stringify!($kind));
                                    answer(&mut self.0, query, QueryEvent::$kind, send, stop);
                                })*
                                // Another thread answers it.
                                _ => {}
                            }
                        }
                    }

                    Box::new(ThreadReader($reader))
                },)*])
            }
        }
    };
}

queries! {
    Repository(repository) {
        /// The context of a commit.
        CommitContext(CommitContextQuery),
        /// The state of a file and HEAD.
        Stamp(StampQuery),
        /// The files of a version.
        FileList(FileListQuery),
        /// The version that a typed name stands for.
        Place(PlaceQuery),
        /// The beginning of a file.
        Beginning(BeginningQuery),
        /// The lines of a file that are not in the index.
        Unstaged(UnstagedQuery),
        /// The completions of a typed name.
        Completions(CompletionQuery),
    }
    LineHistory(line_history) {
        /// The commits that changed lines.
        LineHistory(LineHistoryQuery),
    }
    FileHistory(file_history) {
        /// The versions of a file.
        FileHistory(FileHistoryQuery),
        /// The outcome of a line.
        LineOutcome(LineOutcomeQuery),
    }
    Deletions(deletions) {
        /// The lines that commits deleted.
        Deletions(DeletionQuery),
    }
    Origins(origins) {
        /// Where lines were written.
        Origins(OriginQuery),
    }
    Provenance(provenance) {
        /// The releases, merges and requests of commits.
        Provenance(ProvenanceQuery),
    }
    Conversion(converter) {
        /// A file in another encoding.
        Conversion(ConversionQuery),
    }
}

/// A reader of the repository for each thread, in the order of [`QueryKind::thread`].
pub struct QueryReaders(pub Vec<Box<dyn QueryReader>>);

/// Answers the queries of one thread.
pub trait QueryReader: Send {
    /// Answers a query and sends what is found, until `stop` returns true.
    fn answer(
        &mut self,
        request: &QueryRequest,
        send: &mut dyn FnMut(QueryEvent) -> ControlFlow<()>,
        stop: Stop<'_>,
    );
}

fn answer<Q: Query>(
    reader: &mut impl Answers<Q>,
    query: &Q,
    event: fn(Answer<Q>) -> QueryEvent,
    send: &mut dyn FnMut(QueryEvent) -> ControlFlow<()>,
    stop: Stop<'_>,
) {
    let mut found = |item| {
        if stop() {
            ControlFlow::Break(())
        } else {
            send(event(Answer::Found(item)))
        }
    };
    let end = reader.run(query, &mut found, stop);
    if !stop() {
        // A break means that the event loop has ended.
        let _ = send(event(Answer::Ended(end)));
    }
}
