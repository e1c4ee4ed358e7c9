//! How much of a directory is counted, in words.

use crate::{
    sanitize,
    viewer::{
        model::background::directory_lines::{CountProgress, FileCount},
        pages::list::KeyHelp,
        ui::header::thousands,
    },
};

/// What the ending says where shares of people exceed 100 % together.
pub(super) const CO_AUTHORED: &str = "a line with co-authors counts for each";

/// The help for shares.
pub(super) const SHARE_HELP: KeyHelp = (
    "“%”",
    "share of the lines: one with co-authors counts for each of them",
);

/// Words for the end of a list with `; ` between them, without those that have no room in a screen of a
/// width.
pub(super) fn fitting_words(parts: Vec<String>, screen: u16) -> String {
    // A blank at either side.
    let room = usize::from(screen).saturating_sub(2);
    parts.into_iter().fold(String::new(), |words, part| {
        let more = if words.is_empty() {
            part
        } else {
            format!("{words}; {part}")
        };
        let fits = words.is_empty() || sanitize::width(more.as_bytes()) <= room;
        if fits { more } else { words }
    })
}

/// How much is counted, and what cannot be; `None` if that is everything.
pub(super) fn count_words(progress: &CountProgress) -> Option<String> {
    let files = match progress {
        CountProgress::History(0, _) => return Some("reading history…".to_owned()),
        CountProgress::History(done, all) => {
            let (done, all) = (thousands(done), thousands(all));
            return Some(format!("{done} of {all} commits"));
        }
        CountProgress::Files(files) => files,
    };
    let FileCount {
        counted,
        failed,
        all,
        generated,
        ..
    } = *files;
    let noun = match (counted + failed < all || generated > 0, failed) {
        (true, _) => "",
        (_, 1) => " file",
        _ => " files",
    };
    let unread = (failed > 0).then(|| format!("{}{noun} cannot be read", thousands(failed)));
    if counted + failed == all {
        let files = if generated == 1 { "file" } else { "files" };
        let generated = (generated > 0).then(|| {
            let count = thousands(generated);
            format!("{count} generated or binary {files} not counted")
        });
        return match (generated, unread) {
            (Some(generated), Some(unread)) => Some(format!("{generated}, {unread}")),
            (generated, unread) => generated.or(unread),
        };
    }
    let unread = unread.map_or(String::new(), |words| format!(", {words}"));
    let (counted, all) = (thousands(counted), thousands(all));
    Some(format!("{counted} of {all} files{unread}"))
}
