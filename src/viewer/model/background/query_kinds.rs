//! What the list of all queries becomes: enums of their kinds, and the threads that answer them.

/// Defines the enums of all queries, and leads each query to the thread that answers it. For each
/// thread: its name, that of its reader (an argument of `QueryReaders::new`), and the kinds of
/// queries that it answers, with their types: those of the state, and those that pages ask and take
/// the answers of.
macro_rules! queries {
    // All kinds with the owner of the answers.
    (@kinds $($(#[$doc:meta])* $kind:ident($query:ty) => $owner:ident($answer:ident),)*) => {
        /// A query of any kind.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum QueryRequest {
            $($(#[$doc])* $kind($query),)*
        }

        /// The kinds of queries. A query cancels the older ones of its kind.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum QueryKind {
            $($(#[$doc])* $kind,)*
        }

        $(impl From<$query> for QueryRequest {
            fn from(query: $query) -> QueryRequest {
                QueryRequest::$kind(query)
            }
        }

        impl From<Answer<$query>> for QueryEvent {
            fn from(answer: Answer<$query>) -> QueryEvent {
                QueryEvent::$owner($answer::$kind(answer))
            }
        })*

        impl QueryRequest {
            /// Its kind.
            pub fn kind(&self) -> QueryKind {
                match self {
                    $(QueryRequest::$kind(_) => QueryKind::$kind,)*
                }
            }

            /// The end of the answer if it failed.
            pub fn failed(&self, failure: Failure) -> QueryEvent {
                match self {
                    $(QueryRequest::$kind(_) => Answer::<$query>::Ended(Err(failure)).into(),)*
                }
            }
        }

        impl QueryEvent {
            /// True if nothing more comes back for its query.
            pub fn is_end(&self) -> bool {
                match self {
                    $(QueryEvent::$owner($answer::$kind(answer)) => answer.is_end(),)*
                }
            }

            /// The kind of its query, and why that failed, if it did.
            pub fn failure(&self) -> Option<(QueryKind, &Failure)> {
                match self {
                    $(QueryEvent::$owner($answer::$kind(answer)) => {
                        Some((QueryKind::$kind, answer.failure()?))
                    })*
                }
            }
        }

        impl QueryKind {
            /// The number of kinds.
            pub const COUNT: usize = [$(QueryKind::$kind,)*].len();
        }
    };
    ($($thread:ident($reader:ident) {
        $(state { $($(#[$doc:meta])* $kind:ident($query:ty),)* })?
        $(pages { $($(#[$page_doc:meta])* $page_kind:ident($page_query:ty),)* })?
    })*) => {
        queries! {
            @kinds
            $(
                $($($(#[$doc])* $kind($query) => State(StateAnswer),)*)?
                $($($(#[$page_doc])* $page_kind($page_query) => Page(PageAnswer),)*)?
            )*
        }

        /// Something that comes back for a query of the state.
        #[derive(Debug, Clone)]
        pub enum StateAnswer {
            $($($($(#[$doc])* $kind(Answer<$query>),)*)?)*
        }

        /// Something that comes back for a query of a page.
        #[derive(Debug, Clone)]
        pub enum PageAnswer {
            $($($($(#[$page_doc])* $page_kind(Answer<$page_query>),)*)?)*
        }

        enum QueryThread {
            $($thread,)*
        }

        impl QueryKind {
            /// The thread that answers it, as an index into [`QueryReaders`].
            pub fn thread(self) -> usize {
                let thread = match self {
                    $(
                        $($(QueryKind::$kind => QueryThread::$thread,)*)?
                        $($(QueryKind::$page_kind => QueryThread::$thread,)*)?
                    )*
                };
                thread as usize
            }
        }

        impl QueryReaders {
            /// The number of threads.
            pub const COUNT: usize = [$(QueryThread::$thread,)*].len();

            /// The readers of all threads.
            #[expect(clippy::too_many_arguments, reason = "one for each thread")]
            pub fn new(
                $($reader: impl
                    $($(Answers<$query> +)*)?
                    $($(Answers<$page_query> +)*)?
                    Send + 'static,)*
            ) -> QueryReaders {
                QueryReaders(vec![$({
                    struct ThreadReader<R>(R);

                    impl<R: $($(Answers<$query> +)*)? $($(Answers<$page_query> +)*)? Send>
                        QueryReader for ThreadReader<R>
                    {
                        fn answer(
                            &mut self,
                            request: &QueryRequest,
                            send: &mut dyn FnMut(QueryEvent) -> ControlFlow<()>,
                            stop: Stop<'_>,
                        ) {
                            match request {
                                $($(QueryRequest::$kind(query) => {
                                    test_panic::reached(stringify!($kind));
                                    answer(&mut self.0, query, send, stop);
                                })*)?
                                $($(QueryRequest::$page_kind(query) => {
                                    test_panic::reached(stringify!($page_kind));
                                    answer(&mut self.0, query, send, stop);
                                })*)?
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
pub(crate) use queries;
