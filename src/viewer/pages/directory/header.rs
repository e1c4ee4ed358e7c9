//! The header of the page of a directory.

use std::sync::Arc;

use crate::{
    output::tree::node_order::NodeOrder,
    sanitize,
    viewer::{
        app::state::App,
        pages::{
            commit_row::{LEFT_OUT_MARK, UNCOMMITTED_MARK},
            directory::{columns::RowLayout, listing::Listing},
        },
        theme::styles::Theme,
        ui::{header::thousands, paint::RowWriter},
    },
};

/// The least columns of the header for the number of the selected entry.
const MIN_WIDTH_FOR_COUNT: u16 = 30;

/// The least columns that are left of the header for what the marks of entries mean.
const MIN_WIDTH_FOR_MARK: u16 = 50;

/// Draws which directory it is, in which revision, how many entries, how far their lines are counted, and
/// by what they are sorted where the title of a column does not say it.
pub(super) fn draw(
    shown: &Listing,
    (count, layout): (usize, &RowLayout),
    app: &App,
    theme: &Theme,
    row: &mut RowWriter<'_>,
) {
    // Under an answer none is selected.
    if count > 0 && row.remaining() >= MIN_WIDTH_FOR_COUNT && !app.is_answered() {
        let at = thousands(shown.list.selected + 1);
        row.put_right(&format!(" {at} of {} ", thousands(count)), theme.bar());
    }
    let name = app.directory_name(&shown.path);
    let options = app.directory_options();
    let words = [name.as_bytes(), shown.revision.as_bytes()];
    let title = words.map(sanitize::width).iter().sum::<usize>() + 8;
    if let Some(words) = shown.progress_words() {
        let room = usize::from(row.remaining());
        // Options are left out first.
        let room = room.saturating_sub(title + 2).max(room / 2);
        let words = sanitize::clip(words.as_bytes(), room);
        row.put_right(&format!(" {words} "), theme.bar());
    }
    let marked = [
        (shown.left_out_count(), "not checked out", LEFT_OUT_MARK),
        (
            shown.uncommitted_count(),
            "not as in HEAD",
            UNCOMMITTED_MARK,
        ),
    ];
    for (count, words, mark) in marked {
        if count > 0 && row.remaining() >= MIN_WIDTH_FOR_MARK {
            let words = format!(" {mark} = {words} ({}) ", thousands(count));
            row.put_right(&words, theme.bar());
        }
    }
    let title = title + sanitize::width(options.as_bytes());
    let order = match shown.by {
        NodeOrder::Change if layout.date == 0 => " by last change ",
        NodeOrder::Lines if layout.lines == 0 => " by lines ",
        NodeOrder::Age if layout.age == 0 => " by median age ",
        _ => "",
    };
    if usize::from(row.remaining()) > title + order.len() {
        row.put_right(order, theme.bar());
    }
    let mut directory = shown.named();
    directory.revision = Some(Arc::clone(&shown.revision));
    app.directory_title(("", &directory, &options), theme, row);
}
