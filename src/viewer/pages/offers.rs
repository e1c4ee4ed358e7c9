//! Which keys a page offers: those that act on what is selected. One that is pressed nevertheless says
//! why it does not act.

use crate::{
    objects::ObjectId,
    viewer::{
        app::{
            external_actions::{NOT_COMMITTED, uncommitted},
            state::App,
        },
        model::keys::bindings::Action,
        pages::{
            list::{ItemList, KeyHelp, help_action, legend_sign, needs_item},
            page::Page,
        },
        ui::footer::Footer,
    },
};

/// The keys of what is searched, before its own.
pub(crate) const SEARCH_KEYS: &[(Action, &str)] = &[
    (Action::NextMatch, "next"),
    (Action::PreviousMatch, "previous"),
];

/// Why an action cannot act on what is selected in a page; `None` if it can, or if that turns out only
/// when it tries.
pub(crate) fn refusal(page: &dyn Page<App>, action: Action, app: &App) -> Option<String> {
    // The input above a list is for what it does not have.
    let is_list = page.list().is_some() && !page.is_typed();
    if is_list && needs_item(action) && page.count(app) == 0 {
        // It may still be read, or say why nothing is there.
        return Some(match page.ending(app) {
            words if words.is_empty() => "the list is empty".to_owned(),
            words => words,
        });
    }
    let of_page = page.refusal(action, app);
    of_page.or_else(|| of_commit(action, page.commit(app).filter(|_| is_list)?, app))
}

/// Why an action cannot act on the selected commit of a list.
fn of_commit(action: Action, commit: ObjectId, app: &App) -> Option<String> {
    let acts_on_commit = matches!(action, Action::CopyId | Action::Browse | Action::CommitDiff);
    if acts_on_commit && commit.is_null() {
        return Some(uncommitted(action).unwrap_or(NOT_COMMITTED).to_owned());
    }
    let web = &app.environment.repository.web;
    let is_page_missing = action == Action::Browse && !web.has_pages();
    is_page_missing.then(|| web.missing_reason())
}

/// True if an action does something with what is selected in a page.
pub(crate) fn offers(page: &dyn Page<App>, action: Action, app: &App) -> bool {
    let is_last = page.list().is_some_and(|list| match action {
        Action::Down => list.selected + 1 >= page.count(app),
        Action::Up => list.selected == 0,
        Action::Forward => !app.has_later_step() && !page.has_later_step(),
        _ => false,
    });
    !is_last && !page.is_idle(action, app) && refusal(page, action, app).is_none()
}

/// Draws the keys of a search, if the list is searched.
fn search_keys(list: &ItemList, footer: &mut Footer<'_>) {
    if list.search.is_some() {
        footer.actions(SEARCH_KEYS);
    }
}

/// Draws the keys of the help of a list that do something, and what its signs mean. False if the page is
/// no list.
pub(crate) fn list_keys(page: &dyn Page<App>, app: &App, footer: &mut Footer<'_>) -> bool {
    let is_list = page.list().is_some() && page.help().is_some();
    if is_list {
        keys(page, &[], app, footer);
    }
    is_list
}

/// As [`list_keys`], with some keys before those of the help.
pub(crate) fn keys(page: &dyn Page<App>, first: &[KeyHelp], app: &App, footer: &mut Footer<'_>) {
    if let Some(list) = page.list() {
        search_keys(list, footer);
        footer.help(&usable_keys(page, first, app));
    }
}

/// The keys of the help of a list that do something, with some before them.
pub(crate) fn usable_keys(page: &dyn Page<App>, first: &[KeyHelp], app: &App) -> Vec<KeyHelp> {
    let Some((_, keys)) = page.help() else {
        return Vec::new();
    };
    let has_items = page.count(app) > 0;
    let is_usable = |(keys, _): &&KeyHelp| match help_action(keys) {
        Some(action) => offers(page, action, app),
        None if has_items => page.has_key(keys, app),
        None => *keys != "Enter" && legend_sign(keys).is_none(),
    };
    let is_other = |(keys, _): &&KeyHelp| first.iter().all(|(first, _)| first != keys);
    let keys = first.iter().chain(keys.iter().filter(is_other));
    keys.filter(is_usable).copied().collect()
}
