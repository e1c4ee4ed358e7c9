//! The keys of a directory.

use crate::viewer::{
    app::state::App,
    model::keys::{
        key::{Key, KeyCode},
        keymap::KeyLookup,
    },
    pages::{
        commit_row::{LEFT_OUT_HELP, UNCOMMITTED_HELP},
        count_words::SHARE_HELP,
        list::KeyHelp,
        page::Handled,
    },
};

/// Stands after a number of lines that lacks those of files.
pub(super) const FAILED_MARK: &str = "+";

/// The help for it.
pub(super) const FAILED_HELP: KeyHelp = ("“+”", "more: files that cannot be read are not counted");

/// The first keys of the footer while a filter holds.
pub(super) const FILTER_KEYS: &[KeyHelp] = &[
    ("{next-filtered}", "next"),
    ("{close}", "end"),
    ("{filter}", "change"),
];

/// The keys of the page.
pub(super) const KEYS: &[KeyHelp] = &[
    (
        "{diff}  {right}",
        "open: the directory, or the blame of the file",
    ),
    ("{columns}", "columns: the last change, the lines, or both"),
    (
        "{back}  {left}",
        "up: the directory above, or back to what was left for this one",
    ),
    ("{help}", "keys"),
    (
        "{commit-diff}",
        "its diff: that of the commit that changed this last",
    ),
    (
        "S",
        "sort: by last change, lines, median age of the lines, or name",
    ),
    (
        "{people}",
        "people: who wrote the lines of all files below it",
    ),
    (
        "{line-history}",
        "all files: every file below it, those that nobody has changed for longest first",
    ),
    (
        "{filter}",
        "filter: count only lines of a person, dates, a release, an agent, or about something: {filter}2021..  {filter}agent:  {filter}/fix",
    ),
    ("{open-file}", "find a file: among all below this directory"),
    (
        "{file-history}",
        "history: the commits that changed something in it",
    ),
    (
        "{goto}",
        "go to: a row, revision, date, directory or file: {goto}v1.0:src",
    ),
    (
        "{colors}",
        "colors: of the names by median age, who wrote most, or the share of agents",
    ),
    (
        "{deletions}",
        "deleted: direct entries deleted or moved out",
    ),
    ("{quit}", "quit"),
    ("{forward}", "forward: to what was left with {back}"),
    ("t", "change the format of dates"),
    ("{copy-id}", "copy the id of the last commit"),
    ("{browse}", "open the last commit in the browser"),
    (".", "show ignored files, or hide them"),
    ("i", "count generated and binary files, or leave them out"),
    (
        "{next-filtered}  {previous-filtered}",
        "the next entry with lines that the filter has, or the previous one",
    ),
    ("{reload}", "read the directory again"),
    SHARE_HELP,
    FAILED_HELP,
    UNCOMMITTED_HELP,
    LEFT_OUT_HELP,
];

/// Changes the format of dates, unless the key is bound to something else.
pub(super) fn date_key(key: Key, app: &mut App) -> Handled {
    let is_free = app.keymap.lookup(&[key]) == KeyLookup::Unbound;
    if key != Key::plain(KeyCode::Char('t')) || !is_free {
        return Handled::Pass;
    }
    app.next_date(1);
    Handled::Yes
}
