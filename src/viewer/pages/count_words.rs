//! How much of a directory is counted, in words.

use crate::viewer::{
    model::background::directory_lines::{CountProgress, FileCount},
    pages::list::KeyHelp,
    ui::header::thousands,
};

/// What the ending says where shares of people exceed 100 % together.
pub(super) const CO_AUTHORED: &str = "a line with co-authors counts for each of them";

/// The help for shares.
pub(super) const SHARE_HELP: KeyHelp = (
    "“%”",
    "share of the lines: one with co-authors counts for each of them",
);

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
    let unread = match failed {
        0 => None,
        1 => Some("1 file cannot be read".to_owned()),
        failed => Some(format!("{} files cannot be read", thousands(failed))),
    };
    if counted + failed == all {
        let generated =
            (generated > 0).then(|| format!("{} generated not counted", thousands(generated)));
        let words: Vec<String> = generated.into_iter().chain(unread).collect();
        return (!words.is_empty()).then(|| words.join(", "));
    }
    let unread = unread.map_or(String::new(), |words| format!(", {words}"));
    let (counted, all) = (thousands(counted), thousands(all));
    Some(format!("{counted} of {all} files{unread}"))
}
