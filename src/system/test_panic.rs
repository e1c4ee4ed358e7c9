//! Panics at chosen places, in the builds for this package's tests.

/// Panics if the variable `TBLAME_TEST_PANIC` names this place. Without the feature `internals`,
/// which only this package's tests and benches have, it does nothing.
#[inline]
pub fn reached(place: &str) {
    #[cfg(feature = "internals")]
    {
        use std::{env, ffi::OsString, sync::LazyLock};
        static CHOSEN: LazyLock<Option<OsString>> =
            LazyLock::new(|| env::var_os("TBLAME_TEST_PANIC"));
        assert!(
            CHOSEN.as_deref().is_none_or(|chosen| chosen != place),
            "a panic in {place} for a test"
        );
    }
    #[cfg(not(feature = "internals"))]
    let _ = place;
}
