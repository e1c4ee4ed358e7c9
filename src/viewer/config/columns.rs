//! The `[columns]` table.

use crate::viewer::{
    config::{
        setting_change::{SettingChange, quoted},
        table_reader::{ConfigError, Setting, TableReader},
    },
    model::{
        columns::{Columns, SHARES, WIDTHS, order},
        gutter::Column,
        relative_dates::DateFormat,
    },
};

/// The columns, as far as the table does not override them.
///
/// # Errors
/// If a column or date format is unknown, a column is named twice, or a number is out of range.
pub(super) fn read(
    mut section: TableReader<'_>,
    mut columns: Columns,
) -> Result<Columns, ConfigError> {
    let mut chosen = None;
    section.set("show", &mut chosen, |it| match it.text() {
        Ok("auto") => Ok(None),
        _ => Ok(Some(order(&shown(it)?))),
    })?;
    if let Some(order) = chosen {
        columns.order = order;
        columns.auto_summary = false;
    }
    section.set("date", &mut columns.date, |it| it.one_of(&DateFormat::ALL))?;
    section.set("share", &mut columns.share, |it| it.number(SHARES))?;
    let mut widths = section.section("width")?;
    for (name, column) in Column::ALL {
        if let Some(width) = columns.widths.width_mut(column) {
            widths.set(name, width, |it| it.number(WIDTHS))?;
        }
    }
    widths.finish()?;
    section.finish()?;
    Ok(columns)
}

fn shown(setting: &Setting<'_>) -> Result<Vec<Column>, ConfigError> {
    let mut shown = Vec::new();
    for setting in setting.list()? {
        let column = setting.one_of(&Column::ALL)?;
        if shown.contains(&column) {
            return Err(setting.wrong(format_args!("duplicate column `{}'", column.name())));
        }
        shown.push(column);
    }
    Ok(shown)
}

/// The edits that turn a configuration file with the columns `old` into one with `new`.
pub fn changes(old: &Columns, new: &Columns) -> Vec<SettingChange> {
    let mut changes = Vec::new();
    let mut note = |tables, key, differs: bool, value: String| {
        if differs {
            changes.push(SettingChange { tables, key, value });
        }
    };
    let shown = |columns: &Columns| {
        let shown = columns.order.iter().filter(|(_, shown)| *shown);
        let names: Vec<String> = shown.map(|(column, _)| quoted(column.name())).collect();
        format!("[{}]", names.join(", "))
    };
    let table = &["columns"];
    note(
        table,
        "show",
        shown(old) != shown(new) || old.auto_summary != new.auto_summary,
        shown(new),
    );
    note(table, "date", old.date != new.date, quoted(new.date.name()));
    note(
        table,
        "share",
        old.share != new.share,
        new.share.to_string(),
    );
    let (mut before, mut after) = (old.widths, new.widths);
    for (name, column) in Column::ALL {
        let (before, after) = (before.width_mut(column), after.width_mut(column));
        if let Some(width) = after.as_deref() {
            let differs = before.as_deref() != Some(width);
            note(&["columns", "width"], name, differs, width.to_string());
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::config::{edit, settings::Config};

    #[test]
    fn saved_columns_are_read_back() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("config.toml");
        let mut columns = Columns::default();
        assert_eq!(changes(&Columns::default(), &columns), []);
        columns.order = order(&[Column::Summary, Column::Line]);
        columns.auto_summary = false;
        columns.date = DateFormat::Iso;
        columns.share = 60;
        columns.widths.email = 33;
        columns.widths.path = 3;
        let changes = changes(&Columns::default(), &columns);
        assert_eq!(changes.len(), 5);
        edit::save(&file, &changes).unwrap();
        let config = Config::parse(&std::fs::read(&file).unwrap()).unwrap();
        assert_eq!(config.columns, columns);
    }
}
