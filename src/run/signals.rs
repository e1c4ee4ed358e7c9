//! Signals that end the program while it has temporary files, outside of the viewer, which handles
//! them itself.

use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::SIGINT;

use crate::system::{self, leftovers};

/// The output's pager runs, and an interrupt is meant for that.
static IS_PAGED: AtomicBool = AtomicBool::new(false);

/// From the first temporary file or command on, a signal that ends the program removes them first.
pub(super) fn remove_leftovers_at_ends() {
    leftovers::before_first(|| {
        // Without a handler a file is left behind then, which is no reason to end now.
        let _ = system::watch_ends(|number| {
            let is_for_pager = number == SIGINT && IS_PAGED.load(Ordering::Relaxed);
            !is_for_pager && leftovers::remove_all_unless_handled()
        });
    });
}

/// Says whether the output's pager runs.
pub(super) fn set_paged(is_paged: bool) {
    IS_PAGED.store(is_paged, Ordering::Relaxed);
}
