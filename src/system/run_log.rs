//! The log of a run, for reports of faults: what was decided, and why.
//!
//! It has no contents of files and, unless the user asks for them, no names. Whatever decides
//! something notes it here, except the engine and what that stands on: these say in their results
//! what they did, and the callers note it. Errors and warnings know where they were made
//! (`src/error.rs`).

use std::{
    backtrace::Backtrace,
    fmt,
    fs::File,
    io::{self, Write},
    panic::{self, Location, PanicHookInfo},
    path::Path,
    sync::{Mutex, OnceLock, TryLockError},
    thread,
    time::Instant,
};

use crate::{
    sanitize,
    system::file_replacement::{ReplaceableFile, follow_links},
};

/// What each run begins with. A file that begins with something else is no log, and is left alone.
const BEGINNING: &str = "tblame log\n";

/// Most bytes that one run writes: some 50,000 lines.
const MAX_LEN: usize = 4 << 20;

/// Most columns of a text's line.
const MAX_LINE_LEN: usize = 1000;

/// The log of this process.
static LOG: OnceLock<RunLog> = OnceLock::new();

#[derive(Debug)]
struct RunLog {
    began: Instant,
    /// Names are not hidden.
    has_names: bool,
    /// The file, and how many bytes may still be written.
    file: Mutex<(File, usize)>,
}

/// Opens the log at `path` for a run that began at `began`, once: it is added to a log that is there.
/// From then on panics are noted.
///
/// # Errors
///
/// If a link is on the way that is not the user's, or is in a work tree; if what is there is no log,
/// no regular file, belongs to another user or cannot be written to.
pub fn open(path: &Path, began: Instant, has_names: bool) -> io::Result<()> {
    let absolute = std::path::absolute(path)?;
    // A repository that is being looked at may have links in it.
    let work_tree = absolute
        .ancestors()
        .filter(|directory| directory.join(".git").symlink_metadata().is_ok())
        .last();
    let place = follow_links(path, work_tree)?;
    let mut file = ReplaceableFile::new(&place)?.open_at_end(BEGINNING.as_bytes())?;
    file.write_all(BEGINNING.as_bytes())?;
    let log = RunLog {
        began,
        has_names,
        file: Mutex::new((file, MAX_LEN)),
    };
    if LOG.set(log).is_ok() {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            note_panic(info);
            report(info);
        }));
    }
    Ok(())
}

/// True if there is a log.
pub fn is_open() -> bool {
    LOG.get().is_some()
}

/// Notes `text`, which has no names, under the heading `subject`: one word, in lower case.
pub fn note(subject: &str, text: fmt::Arguments<'_>) {
    if let Some(log) = LOG.get() {
        log.write(subject, &text.to_string());
    }
}

/// Notes a panic, with the functions that led to it.
///
/// The published programs have no names of functions in them, so that only addresses are written:
/// those of the same build with its symbols are as far from that of this function.
pub fn note_panic(info: &PanicHookInfo<'_>) {
    let Some(log) = LOG.get() else {
        return;
    };
    let payload = info.payload();
    let payload = match (
        payload.downcast_ref::<&str>(),
        payload.downcast_ref::<String>(),
    ) {
        (Some(text), _) => text,
        (_, Some(text)) => text.as_str(),
        _ => "(no message)",
    };
    // The standard library shows the text that it cannot slice.
    let message = payload.split(" of `").next().unwrap_or(payload);
    let at = info.location().map(place).unwrap_or_default();
    let this = note_panic as fn(&PanicHookInfo<'_>);
    let backtrace = Backtrace::force_capture();
    log.write(
        "panic",
        &format!("{message}, at {at}\nnote_panic is at {this:?}\n{backtrace:#}"),
    );
}

/// A place in the sources as it may be noted: that of an installed package begins with the home of who
/// compiled it, which is left out.
pub fn place(location: &Location<'_>) -> String {
    let file = location.file().replace('\\', "/");
    format!("{}:{}", within_package(&file), location.line())
}

/// The path of a source file from the directory of its package on.
fn within_package(file: &str) -> &str {
    let package = file.rfind("/src/").map_or("", |at| &file[..at]);
    let above = package.rfind('/').map_or(0, |at| at + 1);
    &file[above..]
}

/// A name as it may be noted: the number of its parts and its length.
pub fn name(name: &[u8]) -> String {
    if LOG.get().is_some_and(|log| log.has_names) {
        return format!("'{}'", sanitize::line(name));
    }
    let (parts, len) = (name.split(|&byte| byte == b'/').count(), name.len());
    format!("(name: {parts} parts, {len} bytes)")
}

/// The path of a file as it may be noted: as a name, with its extension, which decides the colors of
/// code.
pub fn path(path: &[u8]) -> String {
    let file = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let at = file.iter().rposition(|&byte| byte == b'.');
    let extension = at.map(|at| &file[at..]);
    // A longer one is rather a part of the name.
    match extension.filter(|extension| extension.len() < 8) {
        Some(extension) => format!("{} {}", name(path), sanitize::line(extension)),
        None => name(path),
    }
}

/// A message as it may be noted. Any word of it may be a name, so that without names only its length is.
pub fn message(text: &[u8]) -> String {
    match LOG.get() {
        Some(log) if !log.has_names => format!("(a message of {} bytes)", text.len()),
        _ => sanitize::line(text),
    }
}

impl RunLog {
    /// Writes a line, or several of which only the first has time, thread and subject. Errors are
    /// ignored: the run is not about its log.
    fn write(&self, subject: &str, text: &str) {
        let elapsed = self.began.elapsed().as_secs_f64() * 1000.0;
        let current = thread::current();
        let name = current.name().unwrap_or("-");
        let name = name.strip_prefix("tblame-").unwrap_or(name);
        let mut lines = format!("{elapsed:10.2} {name:<8} {subject:<10} ");
        for (at, line) in text.lines().enumerate() {
            if at > 0 {
                lines.push_str(&" ".repeat(31));
            }
            lines.push_str(&sanitize::clip(line.as_bytes(), MAX_LINE_LEN));
            lines.push('\n');
        }
        // A thread that panics while it writes holds the lock.
        let mut file = match self.file.try_lock() {
            Ok(file) => file,
            Err(TryLockError::Poisoned(file)) => file.into_inner(),
            Err(TryLockError::WouldBlock) if subject == "panic" => return,
            Err(TryLockError::WouldBlock) => match self.file.lock() {
                Ok(file) => file,
                Err(file) => file.into_inner(),
            },
        };
        let (file, left) = &mut *file;
        if *left == 0 {
            return;
        }
        if lines.len() > *left {
            lines = format!("the log of a run ends after {} MiB\n", MAX_LEN >> 20);
            *left = lines.len();
        }
        *left -= lines.len();
        let _ = file.write_all(lines.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_named_from_their_package_on() {
        for (file, expected) in [
            ("src/run/mod.rs", "src/run/mod.rs"),
            (
                "/home/u/registry/src/index/a-1.0/src/b/c.rs",
                "a-1.0/src/b/c.rs",
            ),
            ("/rustc/1/library/core/src/option.rs", "core/src/option.rs"),
        ] {
            assert_eq!(within_package(file), expected);
        }
    }

    #[test]
    fn names_are_described() {
        assert_eq!(name(b"src/a b/main.rs"), "(name: 3 parts, 15 bytes)");
        assert_eq!(path(b"src/a b/main.rs"), "(name: 3 parts, 15 bytes) .rs");
        assert_eq!(path(b"Makefile"), "(name: 1 parts, 8 bytes)");
        assert_eq!(path(b"a.secretname"), "(name: 1 parts, 12 bytes)");
    }
}
