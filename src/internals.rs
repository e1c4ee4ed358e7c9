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
    dates
    diff
    engine
    error
    git_version
    objects
    ranges
    reftable
    repository
    sanitize
}

#[cfg(feature = "program")]
export! {
    cache
    cli
    cpu_time
    output
    run
    viewer
}
