//! The patch on standard input.

use std::{
    io::{self, IsTerminal, Read},
    sync::{Arc, OnceLock},
};

use crate::{
    error::{Error, Result, os_message},
    patch::parser::{MAX_BYTES, TooLarge},
};

/// What was read, for a run that begins again.
static TEXT: OnceLock<Arc<[u8]>> = OnceLock::new();

/// Reads the patch.
///
/// # Errors
///
/// If standard input is a terminal, cannot be read, or has too much.
pub(super) fn read() -> Result<Arc<[u8]>> {
    if let Some(text) = TEXT.get() {
        return Ok(Arc::clone(text));
    }
    let input = io::stdin();
    if input.is_terminal() {
        let message = "--patch reads a patch from standard input, or takes a range such as A..B";
        return Err(Error::fatal(message).with_hint("git diff | tblame --patch"));
    }
    let mut text = Vec::new();
    let most = MAX_BYTES as u64 + 1;
    let read = input.lock().take(most).read_to_end(&mut text);
    read.map_err(|err| {
        let reason = os_message(&err);
        Error::fatal(format!("cannot read standard input: {reason}"))
    })?;
    if text.len() > MAX_BYTES {
        return Err(Error::fatal(TooLarge::Bytes.to_string()));
    }
    Ok(Arc::clone(TEXT.get_or_init(|| text.into())))
}
