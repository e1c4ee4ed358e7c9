//! Telling whether time that passes changes what the screen shows.

use crate::viewer::{
    app::state::App,
    model::{
        gutter::Column,
        relative_dates::{self, DateFormat},
    },
    theme::tint,
};

/// True if an age that the blame view shows looks different at `now`, in seconds since the epoch:
/// those of the visible lines, in words and in color, and that of the selected commit, in words.
pub(crate) fn change(app: &App, now: i64) -> bool {
    let Some(view) = app.view() else {
        return false;
    };
    let in_words = matches!(
        app.display.columns.date,
        DateFormat::Relative | DateFormat::Age
    ) || app.gutter().width_of(Column::Origin) > 0;
    let words_change = |time: i64| !relative_dates::look_alike(app.now, now, time);
    let step = |now: i64, time: i64| tint::age_step(now.saturating_sub(time));
    let top = view.pager.position.top;
    let bottom = top.saturating_add(u32::from(app.layout().code.height));
    let mut groups = view.attribution.groups(top..bottom);
    let is_seen = groups.any(|group| {
        let commit = view.commits().get(group.commit as usize);
        let author = commit.and_then(|it| Some(&it.metadata.as_ref().ok()?.author));
        author.is_some_and(|author| {
            step(app.now, author.time) != step(now, author.time)
                || in_words && words_change(author.time)
        })
    });
    let selected = view
        .selected()
        .and_then(|facts| facts.commit.metadata.as_ref().ok());
    let is_selected = selected.is_some_and(|commit| {
        words_change(commit.author.time) || words_change(commit.committer.time)
    });
    is_seen || is_selected
}
