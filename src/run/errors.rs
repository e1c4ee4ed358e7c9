//! Errors of the engine and of the formats, as the program reports them.

use crate::{
    engine,
    error::Error,
    output,
    repository::revisions::peel::{damaged, unreadable_parent},
};

/// The error of a blame.
pub(super) fn blame_error(err: engine::Error) -> Error {
    let cause = err.without_names();
    let error = match err {
        engine::Error::Conversion(err) => return Error::from_conversion(err),
        engine::Error::Object(err) => return damaged(err),
        engine::Error::RangeWalk { ref source } => {
            Error::object(err.to_string()).after(vec![unreadable_parent(source)])
        }
        err => Error::fatal(err.to_string()),
    };
    error.with_cause(cause)
}

/// The error of a format.
pub(super) fn output_error(err: output::OutputError) -> Error {
    match err {
        output::OutputError::Write(err) => Error::write(&err),
        err => Error::fatal(err.to_string()),
    }
}
