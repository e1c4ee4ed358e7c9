//! The pages that open above the blame: one file or folder for each, with its state, its keys and
//! its drawing, and what they have in common.

pub(crate) mod blame;
pub(crate) mod choices;
pub(crate) mod commit_row;
mod count_words;
pub(crate) mod deleted_names;
pub(crate) mod details;
pub(crate) mod diff;
pub(crate) mod directory;
mod directory_files;
pub(crate) mod directory_history;
pub(crate) mod dispatch;
pub(crate) mod file_history;
pub(crate) mod finder;
pub(crate) mod help;
mod help_rows;
pub(crate) mod line_history;
pub mod list;
pub(crate) mod missing_path;
pub(crate) mod named_places;
pub(crate) mod offers;
pub mod page;
pub(crate) mod people;
mod preview;
mod prompts;
mod resumed;
pub mod stack;

use crate::viewer::{
    app::{prompt_history::PromptKind, state::App},
    model::keys::bindings::Action,
};

/// Opens the page that an action of the blame is for. False for other actions.
pub(crate) fn open(action: Action, app: &mut App) -> bool {
    match action {
        Action::ChooseDates => app.open_dates(),
        Action::Columns => app.open_columns(),
        Action::Details => app.enlarge_details(),
        Action::Encoding => app.open_prompt(PromptKind::Encoding),
        Action::FileHistory => app.open_file_history(),
        Action::Filter => app.open_filter_prompt(),
        Action::GoToMark => app.open_go_to_mark(),
        Action::Goto => app.open_prompt(PromptKind::Goto),
        Action::Help => app.open_help(),
        Action::LineHistory => app.open_line_history(),
        Action::Mark => app.open_mark(),
        Action::OpenFile => app.open_finder(),
        Action::People => app.open_people(),
        Action::Search => app.open_prompt(PromptKind::Search),
        Action::SearchBackward => app.open_prompt(PromptKind::SearchBackward),
        _ => return false,
    }
    true
}
