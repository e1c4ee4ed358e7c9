//! The row of an entry of a directory.

use crate::{
    sanitize,
    viewer::{
        app::state::App,
        model::{background::line_history::HistoryProgress, columns::DateFormat},
        pages::{
            directory::listing::{Listing, mark},
            list::ListRow,
        },
        theme::roles::Foreground,
        ui::gutter::shown_date,
    },
};

/// The least columns for long dates and for names of authors.
const WIDE: usize = 60;
/// The width of authors' names, in columns.
const AUTHOR_COLUMNS: usize = 16;

/// Name, date, author and summary of the entry of a row. Their places depend on all names, not on what
/// is known of the changes.
pub(super) fn row(listing: &Listing, at: usize, width: usize, app: &App) -> Option<ListRow> {
    let at = *listing.order.get(at)?;
    let entry = listing.entries.get(at)?;
    let is_wide = width >= WIDE;
    let most = if is_wide { width * 2 / 5 } else { width / 2 };
    let name_width = listing.name_width.min(most).max(1);
    let mark = mark(entry.kind);
    let name = sanitize::clip(&entry.name, name_width.saturating_sub(mark.len()).max(1));
    let used = sanitize::width(name.as_bytes()) + mark.len();
    let blanks = name_width.saturating_sub(used) + 2;
    let row = ListRow::new(" ").put(format!(" {name}"), Foreground::Text);
    let row = row.put(format!("{mark}{}", " ".repeat(blanks)), Foreground::Faint);
    let words = match listing.changes.get(at)? {
        _ if !entry.is_committed => "not committed yet",
        Some(change) if change.is_boundary => "changed before this history begins",
        Some(change) => {
            let metadata = match &change.metadata {
                Ok(metadata) => metadata,
                Err(failure) => {
                    let words = sanitize::line(failure.0.as_bytes());
                    return Some(row.put(words, Foreground::Text));
                }
            };
            let author = &metadata.author;
            let columns = match app.display.columns.date {
                DateFormat::Relative if is_wide => 10,
                DateFormat::Relative | DateFormat::Age => 4,
                DateFormat::Iso if is_wide => 16,
                DateFormat::Short | DateFormat::Iso => 10,
            };
            let date = shown_date(app, author, columns);
            let mut row = row.put(format!("{date:<columns$} "), Foreground::Faint);
            if is_wide {
                let name = sanitize::clip(&author.name, AUTHOR_COLUMNS);
                let missing = AUTHOR_COLUMNS.saturating_sub(sanitize::width(name.as_bytes()));
                row = row.put(name + &" ".repeat(missing + 1), Foreground::Text);
            }
            let summary = sanitize::line(&metadata.summary());
            return Some(row.put(summary, Foreground::Text));
        }
        None => match listing.progress {
            HistoryProgress::Running(_) => "",
            _ => "its last commit is not known",
        },
    };
    Some(row.put(words, Foreground::Faint))
}
