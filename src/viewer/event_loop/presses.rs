//! Tells double clicks from single ones.

use std::time::{Duration, Instant};

use crate::viewer::protocol::ClickTarget;

/// The longest time between the two presses of a double click.
const DOUBLE_PRESS_TIME: Duration = Duration::from_millis(400);

/// A place of the screen where the mouse is pressed, and what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PressPlace {
    /// Column and row.
    pub(super) at: (u16, u16),
    /// The part of the screen there that does something.
    pub(super) target: Option<ClickTarget>,
    /// The number of the topmost page.
    pub(super) page: Option<u64>,
}

/// The meaning of a press.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Press {
    /// A press by itself, or the first one of a double click.
    Single,
    /// The second press of a double click.
    Second,
    /// The second press of a double click whose first one has changed what is there: it is not
    /// meant for that.
    Stray,
}

/// The last press.
#[derive(Debug, Default)]
pub(super) struct Presses {
    last: Option<(Instant, PressPlace)>,
}

impl Presses {
    /// The meaning of a press at a place, before anything is done for it.
    pub(super) fn press(&mut self, place: PressPlace, now: Instant) -> Press {
        let is_double = |(time, last): &(Instant, PressPlace)| {
            last.at == place.at && now.duration_since(*time) < DOUBLE_PRESS_TIME
        };
        match self.last.take().filter(is_double) {
            // A third press begins anew.
            Some((_, last)) if last == place => Press::Second,
            Some(_) => Press::Stray,
            None => {
                self.last = Some((now, place));
                Press::Single
            }
        }
    }
}
