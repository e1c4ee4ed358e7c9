//! The page that lists the versions of a file.

use ratatui::buffer::Buffer;

use crate::{
    engine::{RevisionChange, TextOccurrences},
    sanitize,
    viewer::{
        app::{
            display::layout::Area,
            file_history::{file_history_page::FileHistoryPage, known_versions::KnownVersions},
            line_history::line_history_page::HistoryProgress,
            state::App,
        },
        model::{abbreviation::short, file_history::KnownRevision, relative_dates},
        theme::{
            roles::{Foreground, LineBackground},
            styles::Theme,
        },
        ui::paint::{self, RowWriter},
    },
};

/// The width of the authors, in columns.
const AUTHOR_COLUMNS: usize = 16;
/// The width of the numbers of lines.
const COUNT_COLUMNS: usize = 11;
/// The width of the bar of added and removed lines.
const BAR_COLUMNS: u32 = 5;

/// Draws the page between header and status line.
pub(super) fn page(app: &App, page: &FileHistoryPage, theme: &Theme, buffer: &mut Buffer) {
    let area = app.layout().body();
    let text = theme.line(LineBackground::Plain, Foreground::Text);
    paint::fill(buffer, area, text);
    let Some(known) = &app.history.versions else {
        return;
    };
    let shown = app.view().and_then(|view| known.position_of_view(view));
    let mut y = area.y;
    for at in page.top..page.row_count(&known.list) {
        if y == area.y + area.height {
            return;
        }
        let version = page.version_in(at, &known.list);
        let Some(revision) = version.and_then(|at| known.list.get(at)) else {
            return;
        };
        let marks = (at == page.selected, shown == version);
        let row = Area {
            y,
            height: 1,
            ..area
        };
        item(page, revision, marks, theme, row, buffer);
        y += 1;
    }
    if y < area.y + area.height {
        let faint = theme.line(LineBackground::Plain, Foreground::Faint);
        let width = area.width.saturating_sub(1);
        paint::text(buffer, (area.x + 1, y), width, &ending(page, known), faint);
    }
}

/// What stands below the last version.
fn ending(page: &FileHistoryPage, known: &KnownVersions) -> String {
    match &known.progress {
        HistoryProgress::Finished(true) if page.is_search => match known.list.found().is_empty() {
            true => "no version added or removed this text".to_owned(),
            false => String::new(),
        },
        HistoryProgress::Running(None) => "looking…".to_owned(),
        HistoryProgress::Running(Some(date)) => {
            format!("looking before {}…", relative_dates::day(*date, 0))
        }
        HistoryProgress::Failed(failure) => sanitize::line(failure.0.as_bytes()),
        HistoryProgress::Finished(false) => "older history is not looked at".to_owned(),
        HistoryProgress::Finished(true) => match known.list.revisions().last() {
            Some(last) => format!("added in {}", short(&last.commit)),
            None => "there are no versions".to_owned(),
        },
    }
}

/// Draws date, author, numbers of lines and summary of a version.
fn item(
    page: &FileHistoryPage,
    revision: &KnownRevision,
    (selected, shown): (bool, bool),
    theme: &Theme,
    area: Area,
    buffer: &mut Buffer,
) {
    let background = match selected {
        true => LineBackground::SelectedLine,
        false => LineBackground::Plain,
    };
    let style = |foreground| theme.line(background, foreground);
    paint::fill(buffer, area, style(Foreground::Text));
    let mut row = RowWriter::new(buffer, area);
    let mark = match (selected, shown) {
        (true, _) => ">",
        (false, true) => "►",
        (false, false) => " ",
    };
    row.put(mark, style(Foreground::Mark));
    let metadata = match &revision.metadata {
        Ok(metadata) => metadata,
        Err(failure) => {
            let words = format!("{}  {failure}", short(&revision.commit));
            return row.put(&words, style(Foreground::Text));
        }
    };
    let author = &metadata.author;
    let date = relative_dates::day(author.time, author.offset);
    row.put(&format!("{date} "), style(Foreground::Faint));
    let name = sanitize::clip(&author.name, AUTHOR_COLUMNS);
    let missing = AUTHOR_COLUMNS.saturating_sub(sanitize::width(name.as_bytes()));
    row.put(&name, style(Foreground::Text));
    row.put(&" ".repeat(missing), style(Foreground::Text));
    let counts = match revision.occurrences {
        Some(occurrences) if page.is_search => change_of(occurrences),
        _ => counts(revision),
    };
    row.put(
        &format!("{counts:>COUNT_COLUMNS$} "),
        style(Foreground::Faint),
    );
    let (added, removed) = bar(revision.added, revision.removed);
    row.put(&"+".repeat(added), style(Foreground::Added));
    row.put(&"-".repeat(removed), style(Foreground::Removed));
    let rest = (BAR_COLUMNS as usize).saturating_sub(added + removed) + 1;
    row.put(&" ".repeat(rest), style(Foreground::Text));
    if says_merge(revision, &metadata.message) {
        row.put("merge ", style(Foreground::Mark));
    }
    if let (RevisionChange::Renamed, Some((_, path))) = (revision.change, &revision.previous) {
        let words = format!("was {} ", sanitize::line(path));
        row.put(&words, style(Foreground::Mark));
    }
    let summary = sanitize::line(&metadata.summary());
    row.put(&summary, style(Foreground::Text));
}

/// How many occurrences of a text a version adds or removes.
fn change_of(occurrences: TextOccurrences) -> String {
    let TextOccurrences {
        count, previous, ..
    } = occurrences;
    match count.checked_sub(previous) {
        Some(0) => String::new(),
        Some(added) => format!("adds {added}"),
        None => format!("removes {}", previous - count),
    }
}

/// Whether it is to be said that a version is a merge, which most messages say themselves.
pub(super) fn says_merge(revision: &KnownRevision, message: &[u8]) -> bool {
    revision.is_merge && !message.starts_with(b"Merge")
}

/// The numbers of added and removed lines in words.
pub(super) fn counts(revision: &KnownRevision) -> String {
    format!("+{} -{}", revision.added, revision.removed)
}

/// How many columns of the bar stand for added and for removed lines. It is longer the more lines changed, by powers of
/// four.
fn bar(added: u32, removed: u32) -> (usize, usize) {
    let total = u64::from(added) + u64::from(removed);
    if total == 0 {
        return (0, 0);
    }
    let columns = u64::from((total.ilog2() / 2 + 1).min(BAR_COLUMNS));
    let columns = match added > 0 && removed > 0 {
        true => columns.max(2),
        false => columns,
    };
    let added_columns = (u64::from(added) * columns).div_ceil(total);
    let most = columns - u64::from(removed > 0);
    let added_columns = added_columns.min(most);
    (added_columns as usize, (columns - added_columns) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_show_how_much_changed() {
        assert_eq!(bar(0, 0), (0, 0));
        assert_eq!(bar(1, 0), (1, 0));
        assert_eq!(bar(1, 1), (1, 1));
        assert_eq!(bar(0, 9), (0, 2));
        assert_eq!(bar(100, 1), (3, 1));
        assert_eq!(bar(1, 100), (1, 3));
        assert_eq!(bar(u32::MAX, u32::MAX), (3, 2));
    }
}
