//! The status line, and the text of the tour.

use ratatui::buffer::Buffer;
use unicode_width::UnicodeWidthStr;

use crate::{
    repository::commits::word_wrap,
    sanitize,
    viewer::{
        app::{
            blame::view::{Progress, View},
            display::layout::Area,
            state::App,
        },
        model::{
            keys::{bindings::Action, key_sequence},
            source::StampChange,
            texts::encodings::Encoding,
        },
        pages::{blame::first_width, list::as_text, offers::list_keys, page::PageKind},
        protocol::ClickTarget,
        theme::{
            roles::{Foreground, LineBackground},
            styles::Theme,
        },
        ui::{
            click_targets::ClickTargets,
            color_mode,
            footer::Footer,
            header::thousands,
            paint::{self, RowWriter},
        },
    },
};

/// The columns that a note leaves to keys, if it has shorter words: those before a colon.
const MIN_KEY_COLUMNS: u16 = 24;

/// Most rows of a message.
const MAX_NOTE_ROWS: usize = 3;

/// Shown while objects are fetched from a remote.
const FETCHING: &str = " fetching… ";

/// Draws the text of the tour.
pub(super) fn tour(app: &App, theme: &Theme, area: Area, buffer: &mut Buffer) {
    let text = theme.line(LineBackground::SelectedCommit, Foreground::Text);
    paint::fill(buffer, area, text);
    for (line, y) in app.tour_lines().iter().zip(area.y..area.y + area.height) {
        paint::text(
            buffer,
            (area.x + 1, y),
            area.width.saturating_sub(1),
            line,
            text,
        );
    }
}

/// Draws the status line: prompt, message or hints.
pub(super) fn status_line(
    app: &App,
    theme: &Theme,
    area: Area,
    targets: &mut ClickTargets,
    buffer: &mut Buffer,
) {
    if area.height == 0 {
        return;
    }
    paint::fill(buffer, area, theme.bar());
    let mut footer = Footer {
        theme,
        keymap: &app.keymap,
        row: RowWriter::new(buffer, area).with_targets(targets),
        suggested: None,
    };
    let top = app.pages.top();
    if top.is_some_and(|page| page.input(app, &mut footer)) {
        return;
    }
    let message = app.status.message.as_ref();
    let message = message.map(|message| sanitize::line(message.as_bytes()));
    notices(app, message.as_deref(), &mut footer);
    footer.row.put(" ", theme.bar());
    if let Some(message) = message {
        let rows = note_rows(&message, footer.row.remaining(), area);
        if let Some(last) = rows.last() {
            footer.row.put(last, theme.bar_emphasis());
        }
        let above = rows.iter().rev().skip(1);
        for (text, y) in above.zip((0..area.y).rev()) {
            let line = Area { y, ..area };
            paint::fill(buffer, line, theme.bar());
            let mut row = RowWriter::new(buffer, line);
            row.put(" ", theme.bar());
            row.put(text, theme.bar_emphasis());
        }
        return;
    }
    let view = seen_view(app);
    if let Some(Progress::Failed(failure)) = view.map(|view| &view.progress) {
        let words = sanitize::line(failure.0.as_bytes());
        let words = format!("blame failed: {words}  ");
        footer.row.put(&words, theme.bar_emphasis());
    } else if let Some(words) = file_words(app) {
        let room = footer.row.remaining().saturating_sub(MIN_KEY_COLUMNS);
        let words = match words.split_once(':') {
            Some((short, _)) if words.width() + 2 > usize::from(room) => short,
            _ => &words,
        };
        footer.row.put(&format!("{words}  "), theme.bar());
    }
    app.all_pages()
        .any(|page| page.hints(app, &mut footer) || list_keys(page, app, &mut footer));
}

/// The rows of a message: what helps stands at its end, which is not cut. Where it has no room in the
/// status line, it takes rows above, but few of a small screen.
fn note_rows(message: &str, room: u16, area: Area) -> Vec<String> {
    let most = usize::from((area.y + 1) / 4).clamp(1, MAX_NOTE_ROWS);
    if message.width() <= room.into() || most == 1 {
        return vec![message.to_owned()];
    }
    let width = usize::from(area.width).saturating_sub(2);
    let mut rows = word_wrap::wrap(message.as_bytes(), width);
    if rows.len() > most {
        let rest = rows.split_off(most - 1).join(" ");
        rows.push(rest);
    }
    rows
}

/// Draws what stands at the right: typed keys or the matches of the search, fetches, the legend of
/// the colors, the filter, and that the file has changed.
fn notices(app: &App, message: Option<&str>, footer: &mut Footer<'_>) {
    // What stands here leaves the first keys.
    let keys = match app.pages.len() {
        0 => first_width(app, footer),
        _ => 0,
    };
    let (theme, row) = (footer.theme, &mut footer.row);
    // A message is not cut for it.
    let fits = |row: &RowWriter<'_>, words: &str| {
        message.is_none_or(|message| {
            message.width() + 3 + words.width() <= usize::from(row.remaining())
        })
    };
    if app.status.count.is_some() || !app.status.prefix.is_empty() {
        let count = app.status.count.map_or(String::new(), |it| it.to_string());
        let keys = key_sequence::names(&app.status.prefix);
        row.put_right(&format!("{count}{keys} "), theme.bar_emphasis());
    } else if app.pages.len() == 0 && app.view().is_some_and(|view| view.anchor.is_some()) {
        // The keys for what is selected have all the room.
        return;
    } else {
        let room = usize::from(row.remaining()).saturating_sub(keys);
        if let Some(words) = search_words(app, room).filter(|words| fits(row, words)) {
            row.put_right(&words, theme.bar());
        }
    }
    if app.status.fetches > 0 && fits(row, FETCHING) {
        row.put_right(FETCHING, theme.bar_emphasis());
    }
    if message.is_none() {
        if app.pages.len() == 0 {
            color_mode::legend(app, theme, row, keys);
        }
        if !app.display.filter.is_empty() && shows_filtered(app) {
            let words = format!(" lines of {:#} ", app.display.filter);
            let words = sanitize::clip(words.as_bytes(), usize::from(row.remaining()) / 2);
            row.put_right(&words, theme.bar_emphasis());
        }
    }
    if let Some(words) = app.change_notice() {
        let key = app.keymap.keys(Action::Reload).next();
        let action = match words {
            StampChange::FileGone => "says more",
            _ => "reloads",
        };
        let key = key.map_or(String::new(), |key| format!(": {key} {action}"));
        let words = format!(" {words}{key} ");
        let target = ClickTarget::Action(Action::Reload);
        if fits(row, &words) {
            row.put_target_right(&words, theme.bar_emphasis(), target);
        }
    }
}

/// True if the filter applies to what is on top.
fn shows_filtered(app: &App) -> bool {
    match app.pages.top_kind() {
        Some(PageKind::Directory) => true,
        Some(PageKind::Help | PageKind::Question) => false,
        _ => !app.pages.cover_blame(),
    }
}

/// How many matches the search has, and which one is selected. Where in a commit that is stands there if
/// it has room.
pub(crate) fn search_words(app: &App, room: usize) -> Option<String> {
    if let Some(list) = app.pages.list() {
        return list.match_words();
    }
    let is_covered = app.diff().is_none() && app.pages.cover_blame();
    if is_covered || app.pages.has(PageKind::Help) {
        return None;
    }
    let (search, line, all) = match app.diff() {
        Some(diff) => {
            let search = diff.search.get()?;
            let row = diff.selected_row().and_then(|row| u32::try_from(row).ok());
            let row = row.unwrap_or(u32::MAX);
            (search, row, search.is_complete())
        }
        None => {
            let (search, view) = (app.search.get()?, app.view()?);
            let all = search.is_complete() && !view.is_running();
            (search, view.pager.position.line, all)
        }
    };
    let more = if all { "" } else { "+" };
    let count = search.count();
    let shown = thousands(count);
    let as_text = as_text(search);
    Some(match search.ordinal(line) {
        Some(ordinal) => {
            let ordinal = thousands(ordinal);
            // The columns may not show what matches.
            let commit = app
                .diff()
                .is_none()
                .then(|| app.view()?.attribution_of(line))
                .flatten();
            let place = match commit.filter(|_| !search.is_in_code(line)) {
                Some(facts) => format!(", {}", search.place_in(facts.commit)),
                None => String::new(),
            };
            let words = |place: &str| format!(" match {ordinal} of {shown}{more}{place}{as_text} ");
            let whole = words(&place);
            if whole.width() > room {
                words("")
            } else {
                whole
            }
        }
        None if count == 0 && all && app.pages.is_typing() => format!(" no match{as_text} "),
        // The message has said so.
        None if count == 0 && all => return None,
        None if count == 1 => format!(" 1{more} match{as_text} "),
        None => format!(" {shown}{more} matches{as_text} "),
    })
}

/// The visible view, unless a page hides it.
fn seen_view(app: &App) -> Option<&View> {
    app.view().filter(|_| !app.pages.cover_blame())
}

/// A note about the encoding or the contents of the file.
fn file_words(app: &App) -> Option<String> {
    if let Some(diff) = app.diff() {
        return diff.unhighlighted_reason().map(str::to_owned);
    }
    let view = seen_view(app)?;
    if let Some(encoding) = app.converting() {
        return Some(format!("reading it as {}…", encoding.name()));
    }
    if view.encoding != Encoding::Utf8 {
        return Some(format!("shown as {}", view.encoding.name()));
    }
    if view.text.is_binary() {
        return Some("binary file: other bytes are shown as ^@ or <FF>".to_owned());
    }
    if view.text.has_mixed_ends() {
        return Some("mixed line ends: ^M is a carriage return".to_owned());
    }
    let reason = view
        .highlights
        .unhighlighted_reason
        .as_ref()
        .filter(|words| !words.is_empty())?;
    Some(reason.clone())
}
