//! The table of columns.

use super::section::{Problem, Section, Setting};
use crate::viewer::app::columns::{Column, Columns, DateFormat, SHARES, WIDTHS, order};

/// The default columns with what the table changes.
///
/// # Errors
/// A column or a date has no such name, a column is named twice, or a number is out of its range.
pub(super) fn read(mut section: Section<'_>) -> Result<Columns, Problem> {
    let mut columns = Columns::default();
    section.set("show", &mut columns.order, |it| Ok(order(&shown(it)?)))?;
    section.set("date", &mut columns.date, |it| it.one_of(&DateFormat::ALL))?;
    section.set("share", &mut columns.share, |it| it.number(SHARES))?;
    let mut widths = section.section("width")?;
    for (name, column) in Column::ALL {
        if let Some(width) = columns.widths.of(column) {
            widths.set(name, width, |it| it.number(WIDTHS))?;
        }
    }
    widths.finish()?;
    section.finish()?;
    Ok(columns)
}

fn shown(setting: &Setting<'_>) -> Result<Vec<Column>, Problem> {
    let mut shown = Vec::new();
    for setting in setting.list()? {
        let column = setting.one_of(&Column::ALL)?;
        if shown.contains(&column) {
            return Err(setting.wrong(format_args!("`{}' is there twice", column.name())));
        }
        shown.push(column);
    }
    Ok(shown)
}
