//! The idle task: does work for later runs of the program while there is no input.

use std::io;

use tokio::sync::mpsc::Sender;

use crate::{
    system,
    viewer::{
        model::source::IdleWork,
        protocol::Message,
        tasks::task::{Handler, Task, TaskContext, TaskRequest},
    },
};

/// Niceness added to the thread.
const NICENESS: i32 = 15;

/// A request to go on with the work. To cancel it interrupts the work.
#[derive(Debug)]
pub struct GoOn;

impl TaskRequest for GoOn {}

struct IdleWorker {
    work: Box<dyn IdleWork>,
    is_nice: bool,
}

/// Starts the task.
///
/// # Errors
/// The system cannot create a thread.
pub fn spawn(work: Box<dyn IdleWork>, messages: Sender<Message>) -> io::Result<Task<GoOn>> {
    let is_nice = false;
    Task::spawn(IdleWorker { work, is_nice }, messages)
}

impl Handler for IdleWorker {
    type Request = GoOn;

    fn handle(&mut self, _: &GoOn, context: &TaskContext<'_>) {
        if !std::mem::replace(&mut self.is_nice, true) {
            system::lower_priority(NICENESS);
        }
        self.work.go_on(&|| context.is_cancelled());
    }

    /// Nobody waits for it.
    fn panicked(&mut self, _: &GoOn, _: &str, _: &TaskContext<'_>) {}
}
