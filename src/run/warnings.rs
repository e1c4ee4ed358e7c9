//! Warnings, and errors that do not end the run, on standard error: each once, also if the run
//! begins again.

use std::{
    io::{self, IsTerminal, Write},
    sync::{Mutex, PoisonError},
};

use bstr::BString;

use crate::{
    error::printable,
    run::{diagnosis, standard_output::end_if_closed},
};

/// The warnings that this attempt has printed, and those of the attempt before it that did not come
/// up again yet.
static PRINTED: Mutex<(Vec<BString>, Vec<BString>)> = Mutex::new((Vec::new(), Vec::new()));

/// Begins another attempt, which does not print again what was printed before.
pub(super) fn begin_again() {
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    printed.1 = std::mem::take(&mut printed.0);
}

/// Takes all notes; returns those that were not printed yet.
pub(super) fn take_new(notes: &mut Vec<BString>) -> Vec<BString> {
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    let mut is_new = |note: &BString| {
        let known = printed.1.iter().position(|known| known == note);
        known.map(|at| printed.1.swap_remove(at)).is_none()
    };
    notes.retain(&mut is_new);
    std::mem::take(notes)
}

/// Prints notes, except those that were printed before.
pub(super) fn warn(notes: &mut Vec<BString>) {
    let new = take_new(notes);
    diagnosis::note_warnings(&new);
    let terminal = io::stderr().is_terminal();
    let mut stderr = io::stderr().lock();
    for note in &new {
        let line = [printable(note, terminal).as_slice(), b"\n"].concat();
        end_if_closed(&stderr.write_all(&line));
    }
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    printed.0.extend(new);
}
