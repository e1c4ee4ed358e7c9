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
            source::{Account, Archive, Failure, Place, Source, Texts},
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

impl Source for Counted {
    fn contents(&mut self, place: &Place) -> Result<Arc<[u8]>, Failure> {
        Source::contents(&mut self.0, place)
    }

    fn blame(
        &mut self,
        place: &Place,
        switches: &Switches,
        sink: &mut dyn Sink,
    ) -> Result<Account, Failure> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.blame(place, switches, sink)
    }

    fn texts(&self) -> Box<dyn Texts> {
        self.0.texts()
    }

    fn archive(&self) -> Box<dyn Archive> {
        self.0.archive()
    }
}

#[test]
fn a_step_that_was_looked_at_ahead_is_there_at_once() {
    let (blames, switches) = (Arc::new(AtomicUsize::new(0)), Arc::<Switches>::default());
    let source = Counted(lamp(), blames.clone());
    let (sender, mut messages) = tokio::sync::mpsc::channel(CAPACITY);
    let mut task = blame::spawn(Box::new(source), sender).expect("a thread");
    let place = Place::Commit {
        commit: History::id(1),
        path: Arc::new("src/lantern.rs".into()),
    };
    let mut ask = |task: &mut Task<BlameRequest>, generation: u64| {
        task.start(BlameRequest::Blame(Job {
            generation,
            place: place.clone(),
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
    task.start(BlameRequest::Prefetch(place.clone(), switches.clone()));
    while blames.load(Ordering::Relaxed) < 2 {
        std::thread::yield_now();
    }
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(ask(&mut task, 2), expected);
    assert_eq!(blames.load(Ordering::Relaxed), 2, "it was there already");
    // Somebody moved at once: there was no time.
    task.start(BlameRequest::Prefetch(place.clone(), switches.clone()));
    assert_eq!(ask(&mut task, 3), expected);
    assert!(blames.load(Ordering::Relaxed) <= 4);
    drop(messages);
    task.join();
}
