//! The modules of the implementation under their own names. Not part of the public API: they may
//! change in any version.

macro_rules! export {
    ($($module:ident)+) => {
        $(pub mod $module {
            pub use crate::$module::*;
        })+
    };
}

export! {
    cache
    dates
    diff
    engine
    error
    objects
    patch
    ranges
    reftable
    repository
    sanitize
}

#[cfg(feature = "program")]
export! {
    cli
    output
    run
    viewer
}

/// Changes that versions of git made.
pub mod git_version {
    pub use crate::system::git_version::*;
}

/// The time of the processor that a thread took.
#[cfg(feature = "program")]
pub mod cpu_time {
    pub use crate::system::cpu_time::*;
}
