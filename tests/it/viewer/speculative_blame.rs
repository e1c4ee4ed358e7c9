//! The blame that the worker runs ahead of the user, while the viewer is idle.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
    mpsc,
};

use tblame::internals::{
    engine::Sink,
    viewer::{
        model::{
            source::{
                BlameSource, BlameStats, ContentReader, Failure, FileVersion, MetadataReader,
            },
            switches::Switches,
        },
        protocol::{BlameKind, Job},
        tasks::blame::{CAPACITY, Worker},
    },
};

use super::fake_history::{FakeHistory, lamp_history};
use crate::harness::session::TIMEOUT;

/// A history that counts its blames, and reports each file whose contents are read.
struct CountingSource {
    history: FakeHistory,
    blames: Arc<AtomicUsize>,
    read: mpsc::Sender<FileVersion>,
}

impl BlameSource for CountingSource {
    fn contents(&mut self, version: &FileVersion) -> Result<Arc<[u8]>, Failure> {
        self.read.send(version.clone()).ok();
        BlameSource::contents(&mut self.history, version)
    }

    fn blame(
        &mut self,
        version: &FileVersion,
        switches: &Switches,
        sink: &mut dyn Sink,
    ) -> Result<BlameStats, Failure> {
        self.blames.fetch_add(1, Ordering::Relaxed);
        self.history.blame(version, switches, sink)
    }

    fn content_reader(&self) -> Box<dyn ContentReader> {
        self.history.content_reader()
    }

    fn metadata_reader(&self) -> Box<dyn MetadataReader> {
        self.history.metadata_reader()
    }
}

#[test]
fn the_result_of_an_idle_blame_is_used() {
    let (blames, switches) = (Arc::new(AtomicUsize::new(0)), Arc::<Switches>::default());
    let (read, files_read) = mpsc::channel();
    let source = CountingSource {
        history: lamp_history(),
        blames: blames.clone(),
        read,
    };
    let (sender, mut reports) = tokio::sync::mpsc::channel(CAPACITY);
    let worker = Worker::spawn(Box::new(source), sender).expect("a thread");
    let version = FileVersion::Commit {
        commit: FakeHistory::id(1),
        path: Arc::new("src/lantern.rs".into()),
    };
    let mut ask = |worker: &Worker, generation: u64| {
        worker.stop_looking_ahead();
        worker.blame(Job {
            generation,
            version: version.clone(),
            switches: switches.clone(),
            from: None,
        });
        let mut lines = Vec::new();
        loop {
            let event = reports.blocking_recv().expect("the worker answers");
            match event.kind {
                BlameKind::Chunk(chunk) => {
                    for origin in chunk.origins {
                        let told = origin.entries.into_iter();
                        lines.extend(told.map(|entry| (entry.lines.start, origin.commit)));
                    }
                }
                BlameKind::Finished(_) => break,
                BlameKind::Failed(failure) => panic!("{failure}"),
                _ => {}
            }
        }
        lines.sort_unstable();
        lines
    };
    let expected = ask(&worker, 1);
    assert_eq!(blames.load(Ordering::Relaxed), 1);
    worker.look_ahead(version.clone(), switches.clone());
    // The worker takes its requests in order: when it reads this file, which does not exist, the
    // blame before is complete.
    let missing = FileVersion::WorkTree {
        path: Arc::new("missing".into()),
    };
    worker.look_ahead(missing.clone(), switches.clone());
    while files_read.recv_timeout(TIMEOUT).expect("the worker reads") != missing {}
    assert_eq!(blames.load(Ordering::Relaxed), 2);
    assert_eq!(ask(&worker, 2), expected);
    assert_eq!(blames.load(Ordering::Relaxed), 2, "the result was not used");
    // A request that comes at once may cancel it.
    worker.look_ahead(version.clone(), switches.clone());
    assert_eq!(ask(&worker, 3), expected);
    assert!(blames.load(Ordering::Relaxed) <= 4);
    worker.join(reports);
}
