//! What an empty prompt says can be typed.

use crate::viewer::{
    app::{prompt_history::PromptKind, state::App},
    model::texts::pattern::PATTERN_WORDS,
    pages::page::PageKind,
};

/// What the prompt of a filter says, longest first: its patterns are those of a search. The first is for
/// lines of a file only, the third is all that places have.
const FILTER_WORDS: &[&str] = &[
    "an author, /summary (regex; \\V: plain text), 2019..2021-03, #12, v2.31, agent:, -formatted",
    "author, /summary (regex; \\V: plain), 2019..2021, #12, v2.31, agent:",
    "author, /summary (regex; \\V: plain), 2019..2021",
    "/summary (regex; \\V: plain)",
    "author (\\V: plain)",
];

/// What can be typed into a prompt above the pages that are open, in so many columns if that can be.
pub(super) fn words_of(kind: PromptKind, room: usize, app: &App) -> String {
    let words = match kind {
        PromptKind::Encoding => {
            let view = app.view();
            let now = view.map_or_else(String::new, |view| view.encoding.name());
            return format!("a name, hex or auto; Tab cycles through common ones; now {now}");
        }
        PromptKind::Search | PromptKind::SearchBackward => PATTERN_WORDS,
        PromptKind::Goto => &[place_words(app)],
        PromptKind::Filter if app.pages.has(PageKind::Places) => &FILTER_WORDS[2..],
        PromptKind::Filter if app.pages.has(PageKind::Directory) => &FILTER_WORDS[1..],
        PromptKind::Filter => FILTER_WORDS,
    };
    let fits = words.iter().find(|words| words.len() <= room);
    fits.or(words.last())
        .copied()
        .unwrap_or_default()
        .to_owned()
}

/// What can be gone to in the page below the prompt, or else in the blame.
fn place_words(app: &App) -> &'static str {
    match app.pages.iter().rev().nth(1) {
        Some(page) if page.version().is_some() => {
            "a row, revision, date, directory or file; Tab completes"
        }
        Some(page) if page.kind() == PageKind::Directory => "a row or a date",
        _ if app.view().is_none() => "a line",
        _ => "a line, revision, file or date; Tab completes",
    }
}
