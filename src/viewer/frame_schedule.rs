//! When frames are drawn: only after a change, at most 60 times a second, sooner to answer a key.

use std::time::{Duration, Instant};

/// Minimum time between frames: 1/60 s.
const FRAME_INTERVAL: Duration = Duration::from_nanos(1_000_000_000 / 60);

/// Minimum time from the start of a frame to a frame that answers a key. Shorter than
/// [`FRAME_INTERVAL`], so that a key does not wait for a frame drawn for other reasons.
const KEY_INTERVAL: Duration = Duration::from_millis(4);

/// Minimum time from the end of a frame to a frame that answers a key. On a slow terminal, one
/// frame then answers all keys pressed during the previous one.
const KEY_PAUSE: Duration = Duration::from_millis(1);

/// Maximum time that the first frame waits for the first file; an empty frame would flicker.
const FIRST_FILE_WAIT: Duration = Duration::from_millis(50);

/// The state that determines when the next frame is drawn.
#[derive(Debug)]
pub struct FrameSchedule {
    /// When the viewer started.
    started_at: Instant,
    /// When drawing of the last frame began, and when it was written to the terminal.
    drawn: Option<(Instant, Instant)>,
    /// The state has changed since the last frame.
    pub dirty: bool,
    /// The next frame answers a key.
    pub key_pressed: bool,
    frames: u64,
}

impl FrameSchedule {
    /// The schedule before the first frame.
    pub fn new() -> FrameSchedule {
        FrameSchedule {
            started_at: Instant::now(),
            drawn: None,
            dirty: true,
            key_pressed: false,
            frames: 0,
        }
    }

    /// The number of frames drawn.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Records a frame that was begun at `started_at` and is now written.
    pub fn record(&mut self, started_at: Instant) {
        self.dirty = false;
        self.key_pressed = false;
        self.drawn = Some((started_at, Instant::now()));
        self.frames += 1;
    }

    /// When to draw the next frame; `None` if nothing has changed. `empty`: there is no file to
    /// show yet. `reply_deadline`: until when the first frame waits for the terminal's background
    /// color.
    pub fn due(&self, empty: bool, reply_deadline: Option<Instant>) -> Option<Instant> {
        match self.drawn {
            _ if !self.dirty => None,
            Some((started_at, ended)) if self.key_pressed => {
                Some((started_at + KEY_INTERVAL).max(ended + KEY_PAUSE))
            }
            Some((_, ended)) => Some(ended + FRAME_INTERVAL),
            None if empty => Some(self.started_at + FIRST_FILE_WAIT),
            None => Some(reply_deadline.unwrap_or(self.started_at)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_drawn_only_after_a_change() {
        let mut schedule = FrameSchedule::new();
        let started_at = schedule.started_at;
        let later = started_at + Duration::from_secs(1);
        assert_eq!(schedule.due(true, None), Some(started_at + FIRST_FILE_WAIT));
        assert_eq!(schedule.due(false, None), Some(started_at));
        // The terminal may still reply to the background query.
        assert_eq!(schedule.due(false, Some(later)), Some(later));

        schedule.drawn = Some((started_at, later));
        assert_eq!(schedule.due(false, None), Some(later + FRAME_INTERVAL));
        schedule.key_pressed = true;
        assert_eq!(schedule.due(false, None), Some(later + KEY_PAUSE));
        schedule.drawn = Some((later, later));
        assert_eq!(schedule.due(false, None), Some(later + KEY_INTERVAL));

        schedule.record(later);
        assert_eq!(schedule.due(false, None), None);
        assert_eq!((schedule.frames(), schedule.key_pressed), (1, false));
    }
}
