//! When the loop goes on: with the next input, result of a task, frame or deadline.

use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::{Stream, StreamExt};

use crate::viewer::{
    event_loop::{EventLoop, ExitReason, POLL_INTERVAL, Until, notes},
    model::{
        background::queries::{QueryEvent, StateAnswer},
        source::FileVersion,
        toggled_options::ToggledOptions,
    },
    protocol::Message,
    tasks::{blame::BlameRequest, idle::GoOn},
    terminal::{input::Input, screen::Screen},
};

/// Time without input after which the likely next blame is prefetched.
const PREFETCH_AFTER: Duration = Duration::from_millis(300);

/// Time without input after which work for later runs goes on.
const IDLE_AFTER: Duration = Duration::from_secs(1);

impl<S: Screen> EventLoop<S> {
    pub(super) fn is_at_rest(&self) -> bool {
        (!self.frames.dirty || self.suspended)
            && !self.work_pending
            && !self.app.is_busy()
            && self.reply_filter.release_deadline().is_none()
    }

    /// When to draw the next frame; `None` if nothing has changed or the process is suspended. The last
    /// frame before the loop returns needs no pause: nothing can follow it.
    pub(super) fn frame_due(&self, until: Until) -> Option<Instant> {
        if self.suspended {
            return None;
        }
        let reply_deadline = self.reply_filter.first_frame_deadline();
        let due = self.frames.due(self.app.is_empty(), reply_deadline)?;
        let is_last = until == Until::Idle && !self.work_pending && !self.app.is_busy();
        Some(if is_last { Instant::now() } else { due })
    }

    /// When to prefetch, and which blame.
    fn next_prefetch(&self, until: Until) -> Option<(Instant, (FileVersion, Arc<ToggledOptions>))> {
        if until == Until::Idle || !self.is_at_rest() {
            return None;
        }
        let step = self.app.likely_step()?;
        let known = self.prefetched.as_ref();
        let known = known.is_some_and(|(_, prefetched)| *prefetched == step);
        (!known).then(|| (self.last_input_at + PREFETCH_AFTER, step))
    }

    /// When the idle task goes on.
    fn next_idle_work(&self, until: Until) -> Option<Instant> {
        let is_wanted = until == Until::Quit && self.idle_work.is_none() && self.is_at_rest();
        (is_wanted && self.tasks.idle.is_some()).then(|| self.last_input_at + IDLE_AFTER)
    }

    /// Lets the idle task go on until the next input.
    fn go_on_idle(&mut self) {
        self.idle_work = self.tasks.idle.as_mut().map(|task| task.start(GoOn));
    }

    /// Interrupts the idle task.
    pub(super) fn interrupt_idle(&mut self) {
        if let (Some(task), Some(id)) = (&self.tasks.idle, self.idle_work.take()) {
            task.cancel(id);
        }
    }

    /// Waits for the next event and handles it. Input comes first.
    pub(super) async fn wait(
        &mut self,
        input: &mut (impl Stream<Item = io::Result<Input>> + Unpin),
        due: Option<Instant>,
        until: Until,
    ) -> io::Result<()> {
        let written = self.screen.written();
        let frame = async {
            match due {
                Some(due) => {
                    written.await;
                    tokio::time::sleep_until(due.into()).await;
                }
                None => std::future::pending().await,
            }
        };
        let release_deadline = self.reply_filter.release_deadline();
        let release = async {
            match release_deadline {
                Some(until) => tokio::time::sleep_until(until.into()).await,
                None => std::future::pending().await,
            }
        };
        let check = self.last_check_at + POLL_INTERVAL;
        let step = self.next_prefetch(until);
        let idle = async {
            match step {
                Some((due, step)) => {
                    tokio::time::sleep_until(due.into()).await;
                    step
                }
                None => std::future::pending().await,
            }
        };
        let idle_due = self.next_idle_work(until);
        let idle_work = async {
            match idle_due {
                Some(due) => tokio::time::sleep_until(due.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            event = input.next(), if until == Until::Quit => match event {
                Some(event) => self.handle_input(event?)?,
                // End of input.
                None => self.exit_reason = Some(ExitReason::Quit),
            },
            () = frame => {}
            () = release => {
                if let Some(event) = self.reply_filter.release() {
                    self.handle_event(event)?;
                }
            }
            Some(message) = self.messages.recv() => {
                notes::note_failure(&message);
                match message {
                    Message::Query(_, QueryEvent::State(StateAnswer::Stamp(_))) => self.send_check(message)?,
                    message => self.send(message)?,
                }
            }
            () = std::future::ready(()), if self.work_pending => {
                self.work_pending = false;
                self.send(Message::ContinueWork)?;
            }
            () = tokio::time::sleep_until(check.into()), if until == Until::Quit => {
                if !self.screen.is_connected() {
                    return Err(io::Error::other("the terminal is gone"));
                }
                self.poll_file()?;
            }
            (version, options) = idle => {
                let request = BlameRequest::Prefetch(version.clone(), options.clone());
                let id = self.tasks.blame.start(request);
                self.prefetched = Some((id, (version, options)));
            }
            () = idle_work => self.go_on_idle(),
        }
        Ok(())
    }
}
