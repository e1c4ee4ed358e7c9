//! The blame of a probable next step, which the background task runs while the viewer is idle.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
    mpsc,
};

use tblame::internals::{
    engine::Sink,
    objects::ObjectId,
    viewer::{
        model::{
            background::queries::QueryReaders,
            source::{
                BlameSource, BlameStats, CommitMetadata, Failure, FileVersion, VersionReader,
            },
            toggled_options::ToggledOptions,
        },
        protocol::{BlameEventKind, BlameJob, Message},
        tasks::{
            blame::{self, BlameRequest},
            task::{CAPACITY, Task},
        },
    },
};

use super::fake_history::{FakeHistory, lamp_history};
use crate::harness::session::TIMEOUT;

/// A history that counts its blames, and reports the end of each.
struct CountingSource {
    history: FakeHistory,
    blames: Arc<AtomicUsize>,
    ended: mpsc::Sender<()>,
}

impl BlameSource for CountingSource {
    fn contents(&mut self, version: &FileVersion) -> Result<Arc<[u8]>, Failure> {
        BlameSource::contents(&mut self.history, version)
    }

    fn blame(
        &mut self,
        version: &FileVersion,
        options: &ToggledOptions,
        sink: &mut dyn Sink,
    ) -> Result<BlameStats, Failure> {
        self.blames.fetch_add(1, Ordering::Relaxed);
        self.history.blame(version, options, sink)
    }

    fn version_reader(&self) -> Box<dyn VersionReader> {
        Box::new(ReportedReader {
            inner: self.history.version_reader(),
            ended: self.ended.clone(),
        })
    }

    fn query_readers(&self) -> QueryReaders {
        self.history.query_readers()
    }
}

/// The task drops the reader of a blame once the blame can no longer be cancelled.
struct ReportedReader {
    inner: Box<dyn VersionReader>,
    ended: mpsc::Sender<()>,
}

impl VersionReader for ReportedReader {
    fn commit(&mut self, id: &ObjectId) -> Result<CommitMetadata, Failure> {
        self.inner.commit(id)
    }

    fn contents(&mut self, version: &FileVersion) -> Result<Arc<[u8]>, Failure> {
        self.inner.contents(version)
    }
}

impl Drop for ReportedReader {
    fn drop(&mut self) {
        self.ended.send(()).ok();
    }
}

#[test]
fn a_prefetched_blame_is_used() {
    let (blames, options) = (
        Arc::new(AtomicUsize::new(0)),
        Arc::<ToggledOptions>::default(),
    );
    let (ended, ends) = mpsc::channel();
    let source = CountingSource {
        history: lamp_history(),
        blames: blames.clone(),
        ended,
    };
    let (sender, mut messages) = tokio::sync::mpsc::channel(CAPACITY);
    let mut task = blame::spawn(Box::new(source), sender).expect("a thread");
    let version = FileVersion::Commit {
        commit: FakeHistory::id(1),
        path: Arc::new("src/lantern.rs".into()),
    };
    let mut ask = |task: &mut Task<BlameRequest>, id: u64| {
        task.start(BlameRequest::Blame(BlameJob {
            is_known: false,
            id,
            version: version.clone(),
            options: options.clone(),
            from: None,
        }));
        let mut lines = Vec::new();
        loop {
            let Some(Message::Blame(event)) = messages.blocking_recv() else {
                panic!("the task sends no events");
            };
            match event.kind {
                BlameEventKind::Batch(batch) => {
                    for origin in batch.origins {
                        let entries = origin.entries.into_iter();
                        lines.extend(entries.map(|entry| (entry.lines.start, origin.commit)));
                    }
                }
                BlameEventKind::Finished(_) => break,
                BlameEventKind::Failed(failure) => panic!("{failure}"),
                _ => {}
            }
        }
        lines.sort_unstable();
        lines
    };
    let expected = ask(&mut task, 1);
    assert_eq!(blames.load(Ordering::Relaxed), 1);
    ends.recv_timeout(TIMEOUT).expect("the blame ends");
    task.start(BlameRequest::Prefetch(version.clone(), options.clone()));
    ends.recv_timeout(TIMEOUT).expect("the prefetch ends");
    assert_eq!(blames.load(Ordering::Relaxed), 2);
    assert_eq!(ask(&mut task, 2), expected);
    assert_eq!(
        blames.load(Ordering::Relaxed),
        2,
        "the prefetch was not used"
    );
    // A request that follows at once may cancel the prefetch.
    task.start(BlameRequest::Prefetch(version.clone(), options.clone()));
    assert_eq!(ask(&mut task, 3), expected);
    assert!(blames.load(Ordering::Relaxed) <= 4);
    drop(messages);
    task.end().join().expect("no panic");
}
