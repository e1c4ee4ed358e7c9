//! Steps that are looked at ahead, while nobody does anything.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
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
        protocol::{BlameKind, Job, Message},
        tasks::{
            blame::{self, BlameRequest},
            task::{CAPACITY, Task},
        },
    },
};

use crate::viewer::{History, lamp};

/// A history that counts how often it is blamed.
struct Counted(History, Arc<AtomicUsize>);

impl BlameSource for Counted {
    fn contents(&mut self, version: &FileVersion) -> Result<Arc<[u8]>, Failure> {
        BlameSource::contents(&mut self.0, version)
    }

    fn blame(
        &mut self,
        version: &FileVersion,
        switches: &Switches,
        sink: &mut dyn Sink,
    ) -> Result<BlameStats, Failure> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.blame(version, switches, sink)
    }

    fn content_reader(&self) -> Box<dyn ContentReader> {
        self.0.content_reader()
    }

    fn metadata_reader(&self) -> Box<dyn MetadataReader> {
        self.0.metadata_reader()
    }
}

#[test]
fn a_step_that_was_looked_at_ahead_is_there_at_once() {
    let (blames, switches) = (Arc::new(AtomicUsize::new(0)), Arc::<Switches>::default());
    let source = Counted(lamp(), blames.clone());
    let (sender, mut messages) = tokio::sync::mpsc::channel(CAPACITY);
    let mut task = blame::spawn(Box::new(source), sender).expect("a thread");
    let version = FileVersion::Commit {
        commit: History::id(1),
        path: Arc::new("src/lantern.rs".into()),
    };
    let mut ask = |task: &mut Task<BlameRequest>, generation: u64| {
        task.start(BlameRequest::Blame(Job {
            generation,
            version: version.clone(),
            switches: switches.clone(),
            from: None,
        }));
        let mut lines = Vec::new();
        loop {
            let Some(Message::Blame(event)) = messages.blocking_recv() else {
                panic!("the task sends no events");
            };
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
    let expected = ask(&mut task, 1);
    assert_eq!(blames.load(Ordering::Relaxed), 1);
    task.start(BlameRequest::Prefetch(version.clone(), switches.clone()));
    while blames.load(Ordering::Relaxed) < 2 {
        std::thread::yield_now();
    }
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(ask(&mut task, 2), expected);
    assert_eq!(blames.load(Ordering::Relaxed), 2, "it was there already");
    // Somebody moved at once: there was no time.
    task.start(BlameRequest::Prefetch(version.clone(), switches.clone()));
    assert_eq!(ask(&mut task, 3), expected);
    assert!(blames.load(Ordering::Relaxed) <= 4);
    drop(messages);
    task.join();
}
