//! The rows of the help page.

use unicode_width::UnicodeWidthStr;

use crate::{
    repository::commits::word_wrap,
    viewer::{
        app::state::App,
        model::keys::bindings::{BINDINGS, HelpSection},
        pages::{
            details::REFERENCE_KEYS,
            list::{KeyHelp, LIST_KEYS, TYPED_LIST_KEYS, help_action},
            page::{Page, PageKind},
        },
    },
};

/// Fewest rows of a screen on which the page has a title.
pub(super) const MIN_HEIGHT_FOR_TITLE: u16 = 6;

/// Minimum width of a column of the page, in columns of the screen, for keys and help text side by
/// side.
const MIN_SIDE_BY_SIDE: u16 = 60;

/// Minimum screen width for two columns of sections.
const MIN_TWO_COLUMNS: u16 = 100;

/// Width of the keys, in columns of the screen, in one column of sections and in one of two.
const KEY_COLUMN_WIDTHS: [usize; 2] = [20, 18];

/// A row of the help page, or of one of its columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct HelpRow {
    /// The text is a section heading.
    pub(super) heading: bool,
    /// The keys of a binding, on its first row.
    pub(super) keys: String,
    /// The column at which the text starts (0-based).
    pub(super) indent: u16,
    /// The help text, or one wrapped row of it.
    pub(super) text: String,
}

/// How many keys are shown at first.
const FIRST_KEYS: usize = 12;

/// The keys of the blame that are shown at first, and what they do.
const FIRST_OF_BLAME: &[KeyHelp] = &[
    (
        "{blame-parent}  {blame-commit}",
        "blame before this line's commit, or at it",
    ),
    (
        "{back}  {forward}",
        "back to where you were, and forward again",
    ),
    ("{diff}", "show the commit's diff at this line"),
    ("{details}", "read the commit's message; again to return"),
    ("{line-history}", "the history of this line"),
    ("{file-history}", "the versions of this file"),
    (
        "{older-version}  {newer-version}",
        "time-lapse: the version before this one, and after it",
    ),
    (
        "{whitespace}",
        "ignore whitespace when comparing lines, on or off",
    ),
    ("{search}  {next-match}", "search; the next match"),
    (
        "{goto}",
        "go to a line, a revision, a date or a file: {goto}120  {goto}v1.0",
    ),
    (
        "{columns}",
        "columns and switches: dates, wrapping, details and others",
    ),
    ("{quit}", "quit"),
];

/// What the mouse does in the blame.
const MOUSE: &[KeyHelp] = &[
    ("click", "select a line; on an id, show the commit's diff"),
    ("double click", "show the commit's diff at this line"),
    ("drag", "select several lines"),
    (
        "right button",
        "copy what is under it: an id, a name, a date, a line",
    ),
];

/// The signs of the blame.
const SIGNS: &[KeyHelp] = &[
    (
        "“►” “▌”",
        "the selected line, and the other lines of its commit",
    ),
    (
        "“◇” “◆”",
        "a line whose commit an option has changed; the same of the selected commit",
    ),
    ("“+1” “ai”", "so many other authors; written by an AI agent"),
    (
        "“?”",
        "before an id: found beyond an ignored commit, as a similar line",
    ),
    (
        "“*”",
        "before an id: an ignored commit wrote it, and nothing before it is alike",
    ),
    ("“^”", "before an id: older history is not looked at"),
    ("“····”", "not attributed yet, or not committed"),
    ("“▁” “▔”", "lines were deleted below or above ({deletions})"),
    (
        "underlined",
        "the line that you came from would be below; or -L begins or ends",
    ),
    (
        "“▐”",
        "at the right: where the commit has lines, or a step changed some",
    ),
    ("“‹” “›” “…”", "the line, or a text, goes on there"),
    (
        "“│” “┃” “┊”",
        "without colors: another group begins where they change",
    ),
];

/// The visible rows of the page.
pub(super) fn height(app: &App) -> u16 {
    height_with_title(app).saturating_sub(u16::from(app.size.1 >= MIN_HEIGHT_FOR_TITLE))
}

/// All rows of the screen but those of the tour and the status line.
pub(super) fn height_with_title(app: &App) -> u16 {
    app.size.1.saturating_sub(1 + app.layout().tour.height)
}

/// What the help is about, if that is not the blame: heading and keys, and the page that has them.
type Topic<'a> = (&'static str, &'static [KeyHelp], Option<&'a dyn Page<App>>);

/// The topic of the help: the selected reference of a message, or the topmost page that has some.
fn topic(app: &App) -> Option<Topic<'_>> {
    let pages = || app.pages.iter().rev();
    let top = pages().find(|page| page.kind() != PageKind::Help);
    let has_message =
        top.is_none_or(|page| matches!(page.kind(), PageKind::Details | PageKind::Diff));
    if has_message && app.selected_reference().is_some() {
        return Some(("References", REFERENCE_KEYS, None));
    }
    pages().find_map(|page| {
        page.help()
            .map(|(heading, keys)| (heading, keys, Some(page)))
    })
}

/// The heading of the help.
pub(super) fn heading_of(app: &App) -> &'static str {
    topic(app).map_or("Blame", |(heading, ..)| heading)
}

/// The number of rows of the page, with all keys or the first ones.
pub(super) fn row_count(app: &App, is_whole: bool) -> usize {
    let columns = columns(app, is_whole);
    columns.iter().map(Vec::len).max().unwrap_or(0)
}

/// True if there are more keys than the first ones.
pub(super) fn has_more(app: &App) -> bool {
    topic(app).is_none_or(|(_, keys, page)| {
        keys.len() > FIRST_KEYS || page.is_some_and(|page| page.list().is_some())
    })
}

/// The columns of the page, each with its rows, wrapped to its width: one, or two on a wide screen.
pub(super) fn columns(app: &App, is_whole: bool) -> Vec<Vec<HelpRow>> {
    let count = if app.size.0 >= MIN_TWO_COLUMNS && is_whole {
        2
    } else {
        1
    };
    let width = app.size.0 / count;
    let keys = KEY_COLUMN_WIDTHS[usize::from(count) - 1];
    let sections = if is_whole {
        sections(app, width, keys)
    } else {
        vec![first_section(app, width, keys)]
    };
    if count == 1 {
        return vec![stack(&sections)];
    }
    if sections.len() == 1 {
        // Whole lines are read more easily than two columns of which one is empty.
        let whole = self::sections(app, app.size.0, KEY_COLUMN_WIDTHS[0]);
        let rows = stack(&whole);
        if rows.len() <= usize::from(height(app)) {
            return vec![rows];
        }
    }
    // The sections stay in their order; the columns are about as high.
    let cut = (1..=sections.len()).min_by_key(|&cut| {
        let (left, right) = sections.split_at(cut);
        stack(left).len().max(stack(right).len())
    });
    let (left, right) = sections.split_at(cut.unwrap_or(sections.len()));
    let columns = vec![stack(left), stack(right)];
    let window = usize::from(height(app));
    if columns.iter().all(|rows| rows.len() <= window) {
        return columns;
    }
    // A section that is divided shows more of all.
    let rows = stack(&sections);
    let begins = |at: &usize| !rows[*at].keys.is_empty() && !rows[*at - 1].heading;
    let cuts = (1..rows.len()).filter(begins);
    let cut = cuts.min_by_key(|&cut| cut.max(rows.len() - cut));
    match cut {
        Some(cut) if cut.max(rows.len() - cut) <= window => {
            let (left, right) = rows.split_at(cut);
            vec![left.to_vec(), right.to_vec()]
        }
        _ => columns,
    }
}

/// The first keys of the topmost page that has some, or of the blame.
fn first_section(app: &App, width: u16, keys: usize) -> Vec<HelpRow> {
    let help = topic(app).map_or(FIRST_OF_BLAME, |(_, keys, _)| keys);
    let is_bound = |(keys, _): &&KeyHelp| {
        help_action(keys).is_none_or(|action| app.keymap.keys(action).next().is_some())
    };
    let first = help.iter().filter(is_bound).take(FIRST_KEYS);
    let first: Vec<KeyHelp> = first.copied().collect();
    page_section(app, ("", &first), width, keys)
}

/// The sections for the topmost page that the help is about: a list, a diff or the blame.
fn sections(app: &App, width: u16, keys: usize) -> Vec<Vec<HelpRow>> {
    if let Some((_, help, page)) = topic(app) {
        let keys_of_lists = match page {
            Some(page) if page.is_typed() => TYPED_LIST_KEYS,
            _ => LIST_KEYS,
        };
        let list = page.and_then(|page| page.list());
        let of_list = list.map(|_| ("List", keys_of_lists));
        let sections = std::iter::once(("", help)).chain(of_list);
        return sections
            .map(|it| page_section(app, it, width, keys))
            .collect();
    }
    let sections = HelpSection::ALL.map(|it| section(app, it, width, keys));
    let others = [("Mouse", MOUSE), ("Signs", SIGNS)];
    let others = others.map(|it| page_section(app, it, width, keys));
    sections.into_iter().chain(others).collect()
}

fn page_section(
    app: &App,
    (title, help): (&str, &[KeyHelp]),
    width: u16,
    keys: usize,
) -> Vec<HelpRow> {
    // The title of the page is its first heading.
    let mut rows = if title.is_empty() {
        Vec::new()
    } else {
        heading(title, width)
    };
    for (bound, text) in help {
        let (bound, text) = (app.keymap.fill(bound), app.keymap.fill(text));
        binding_rows(vec![bound], &text, (width, keys), &mut rows);
    }
    rows
}

fn section(app: &App, section: HelpSection, width: u16, keys: usize) -> Vec<HelpRow> {
    let mut rows = heading(&app.keymap.fill(section.title()), width);
    for binding in BINDINGS.iter().filter(|binding| binding.section == section) {
        let bound = app.keymap.keys(binding.action).map(|key| key.to_string());
        let bound: Vec<String> = bound.collect();
        if bound.is_empty() && binding.keys.is_empty() {
            // Only a preset or the configuration binds it.
            continue;
        }
        let help = app.keymap.fill(binding.help);
        binding_rows(bound, &help, (width, keys), &mut rows);
    }
    rows
}

/// Sections below each other, with a blank row between.
fn stack(sections: &[Vec<HelpRow>]) -> Vec<HelpRow> {
    sections.join(&HelpRow::default())
}

fn heading(title: &str, width: u16) -> Vec<HelpRow> {
    let columns = usize::from(width).saturating_sub(1);
    let lines = word_wrap::wrap(title.as_bytes(), columns).into_iter();
    let row = |text| HelpRow {
        heading: true,
        indent: 1,
        text,
        ..HelpRow::default()
    };
    lines.map(row).collect()
}

/// The rows of one binding in a column of some width, with this width for the keys.
fn binding_rows(
    keys: Vec<String>,
    help: &str,
    (width, key_width): (u16, usize),
    rows: &mut Vec<HelpRow>,
) {
    let keys = if keys.is_empty() {
        "no key".to_owned()
    } else {
        keys.join("  ")
    };
    let beside = width >= MIN_SIDE_BY_SIDE || key_width < KEY_COLUMN_WIDTHS[0];
    let indent = if beside { 3 + key_width as u16 } else { 5 };
    let columns = usize::from(width.saturating_sub(indent + 1));
    let mut text = word_wrap::wrap(help.as_bytes(), columns).into_iter();
    let first = if beside && keys.width() < key_width {
        text.next().unwrap_or_default()
    } else {
        String::new()
    };
    rows.push(HelpRow {
        heading: false,
        keys,
        indent,
        text: first,
    });
    rows.extend(text.map(|text| HelpRow {
        indent,
        text,
        ..HelpRow::default()
    }));
}
