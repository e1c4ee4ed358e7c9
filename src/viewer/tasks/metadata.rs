//! Asks the repository what surrounds a blame, on a thread of its own.

use std::{
    io,
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread::JoinHandle,
};

use bstr::ByteSlice;
use tokio::sync::mpsc::{Receiver, Sender};

use crate::viewer::{
    model::source::{Failure, MetadataReader, Stamp},
    protocol::{Answer, Question},
    tasks::blame,
};

/// The newest question of each kind; an older one is not answered any further.
#[derive(Debug, Default)]
struct Newest {
    circumstances: AtomicU64,
    files: AtomicU64,
    stamp: AtomicU64,
}

impl Newest {
    fn of(&self, question: &Question) -> &AtomicU64 {
        match question {
            Question::CommitContext(_) => &self.circumstances,
            Question::Files { .. } => &self.files,
            Question::Stamp { .. } => &self.stamp,
        }
    }
}

/// The thread that asks.
#[derive(Debug)]
pub struct Inquirer {
    jobs: mpsc::Sender<(u64, Question)>,
    newest: Arc<Newest>,
    asked: u64,
    thread: JoinHandle<()>,
}

impl Inquirer {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system has no thread to give.
    pub fn spawn(archive: Box<dyn MetadataReader>, answers: Sender<Answer>) -> io::Result<Self> {
        let (jobs, queue) = mpsc::channel();
        let newest = Arc::new(Newest::default());
        let shared = Arc::clone(&newest);
        let thread = std::thread::Builder::new()
            .name(blame::THREAD.to_owned())
            .spawn(move || work(archive, &queue, &answers, &shared))?;
        Ok(Inquirer {
            jobs,
            newest,
            asked: 0,
            thread,
        })
    }

    /// Asks a question; an unanswered one of its kind is given up.
    pub fn ask(&mut self, question: Question) {
        self.asked += 1;
        self.newest
            .of(&question)
            .store(self.asked, Ordering::Relaxed);
        // A thread that is gone has said why.
        self.jobs.send((self.asked, question)).ok();
    }

    /// Ends the thread and waits for it.
    pub fn join(self, answers: Receiver<Answer>) {
        self.newest.circumstances.store(u64::MAX, Ordering::Relaxed);
        self.newest.files.store(u64::MAX, Ordering::Relaxed);
        self.newest.stamp.store(u64::MAX, Ordering::Relaxed);
        drop(self.jobs);
        drop(answers);
        self.thread.join().ok();
    }
}

fn work(
    mut archive: Box<dyn MetadataReader>,
    queue: &mpsc::Receiver<(u64, Question)>,
    answers: &Sender<Answer>,
    newest: &Newest,
) {
    while let Ok((number, question)) = queue.recv() {
        let newest = newest.of(&question);
        let stop = || newest.load(Ordering::Relaxed) != number;
        if stop() {
            continue;
        }
        let run = || answer(archive.as_mut(), &question, answers, &stop);
        let last = catch_unwind(AssertUnwindSafe(run));
        let failed = || Failure("internal error: the question failed".to_owned());
        let last = last.unwrap_or_else(|_| {
            Some(match question {
                Question::CommitContext(id) => Answer::CommitContext(id, Err(failed())),
                Question::Files { number, .. } => Answer::Listed(number, Err(failed())),
                Question::Stamp { view, .. } => Answer::Stamp(view, Stamp::default()),
            })
        });
        if let Some(last) = last.filter(|_| !stop())
            && answers.blocking_send(last).is_err()
        {
            return;
        }
    }
}

/// Answers a question. What is left to be said at the end is returned.
fn answer(
    archive: &mut dyn MetadataReader,
    question: &Question,
    answers: &Sender<Answer>,
    stop: &dyn Fn() -> bool,
) -> Option<Answer> {
    match question {
        Question::CommitContext(id) => {
            let found = archive.commit_context(id, stop);
            Some(Answer::CommitContext(*id, found))
        }
        Question::Stamp { view, path } => {
            let path = path.as_slice().as_bstr();
            Some(Answer::Stamp(*view, archive.stamp(path)))
        }
        Question::Files { number, version } => {
            let mut send = |names| {
                if stop()
                    || answers
                        .blocking_send(Answer::Files(*number, names))
                        .is_err()
                {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            };
            Some(Answer::Listed(*number, archive.files(version, &mut send)))
        }
    }
}
