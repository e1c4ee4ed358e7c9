//! Panics at chosen places, in the builds for this package's tests.

/// Panics if the variable `TBLAME_TEST_PANIC` names this place; a file, named after a blank, tells
/// that it did.
///
/// Without the feature `internals`, which only this package's tests and benches have, it does
/// nothing.
#[inline]
pub fn reached(place: &str) {
    #[cfg(feature = "internals")]
    {
        use std::{env, fs, sync::LazyLock};
        static CHOSEN: LazyLock<String> =
            LazyLock::new(|| env::var("TBLAME_TEST_PANIC").unwrap_or_default());
        let (chosen, file) = CHOSEN.split_once(' ').unwrap_or((&CHOSEN, ""));
        if chosen == place {
            let _ = fs::write(file, "");
            panic!("a panic in {place} for a test");
        }
    }
    #[cfg(not(feature = "internals"))]
    let _ = place;
}
