//! Edits single settings of the configuration file, keeping comments and formatting.
//!
//! An existing value is replaced in place; a new one is appended to its table. The result is parsed
//! again before it is written: an edit that would change other lines or settings is refused.

use std::{io, path::Path};

use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value};

use crate::{
    error::os_message,
    system::file_replacement::{ReplaceableFile, follow_links},
    viewer::config::{
        config_file::{MAX_FILE_LEN, unreadable},
        setting_change::SettingChange,
        settings::Config,
        table_reader::ConfigError,
    },
};

/// Applies changes to a file, which is created if it does not exist. Returns a message for the
/// status line.
///
/// # Errors
/// A message, if the file is invalid or cannot be written. The file is unchanged then.
pub fn save(file: &Path, changes: &[SettingChange]) -> Result<String, String> {
    let name = file.display().to_string();
    let unwritable = |err: io::Error| format!("cannot write '{name}': {}", os_message(&err));
    // The user's links stay, also those to a file that does not exist yet.
    let place = follow_links(file, None).and_then(|path| ReplaceableFile::new(&path));
    let place = place.map_err(unwritable)?;
    let before = place.read(MAX_FILE_LEN);
    let before = before.map_err(|err| unreadable(&name, &err))?;
    let old = before.as_deref().unwrap_or_default();
    let mut new = old.to_vec();
    for change in changes {
        new = apply(&new, change).map_err(|problem| problem.in_file(&name))?;
    }
    if before.is_none() || new != old {
        place.replace(&new).map_err(unwritable)?;
    }
    Ok(format!("written to {name}"))
}

/// Returns the file's contents with one setting changed.
fn apply(contents: &[u8], change: &SettingChange) -> Result<Vec<u8>, ConfigError> {
    let old = Config::parse(contents)?;
    let refused = || {
        let setting = change.description();
        ConfigError::whole_file(format!(
            "cannot set `{setting}' without changing other lines"
        ))
    };
    let text = std::str::from_utf8(contents).map_err(|_| refused())?;
    let mut document: DocumentMut = text.parse().map_err(|_| refused())?;
    let replaced = edit(&mut document, change).ok_or_else(refused)?;
    let mut changed = document.to_string();
    // toml_edit ends every setting with LF, also at the end of a file without a final newline.
    let last = text.lines().next_back();
    if last.is_some() && !text.ends_with('\n') && (replaced > 0 || last == changed.lines().last()) {
        changed.pop();
    }
    if text.contains("\r\n") {
        changed = changed.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    let mut new = Config::parse(changed.as_bytes())?;
    (new.theme, new.columns) = (old.theme.clone(), old.columns.clone());
    if new != old || differing_lines(text, &changed) > replaced {
        return Err(refused());
    }
    Ok(changed.into_bytes())
}

/// Number of lines of `old` from the first to the last one that `new` changes or removes.
fn differing_lines(old: &str, new: &str) -> usize {
    let (old_lines, new_lines) = (old.split('\n'), new.split('\n'));
    let count = old_lines.clone().count();
    let pairs = old_lines.clone().zip(new_lines.clone());
    let head = pairs.take_while(|(old, new)| old == new).count();
    let most = count.min(new_lines.clone().count()) - head;
    let pairs = old_lines.rev().zip(new_lines.rev()).take(most);
    count - head - pairs.take_while(|(old, new)| old == new).count()
}

/// Changes the document. Returns the number of old lines that the change may touch: those of the
/// old value, the one of an inline table, or none for a new setting.
fn edit(document: &mut DocumentMut, change: &SettingChange) -> Option<usize> {
    let mut value: Value = change.value.parse().ok()?;
    let trailing = document.trailing().as_str()?.to_owned();
    let is_blank = document.is_empty() && trailing.is_empty();
    let (mut in_keys, mut in_braces, mut is_appended) = (false, false, false);
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for (depth, name) in change.tables.iter().enumerate() {
        if !table.contains_key(name) {
            let item = if in_keys {
                let mut dotted = InlineTable::new();
                dotted.set_dotted(true);
                Item::Value(Value::InlineTable(dotted))
            } else {
                let mut table = Table::new();
                table.set_implicit(true);
                Item::Table(table)
            };
            insert(table, name, item, in_braces);
        }
        match table.get_mut(name)? {
            Item::Table(inner) => {
                in_keys |= inner.is_dotted();
                if inner.is_implicit() && !in_keys && depth + 1 == change.tables.len() {
                    // A new header goes to the end of the file, after the last comments.
                    let gap = if is_blank { "" } else { "\n" };
                    inner.decor_mut().set_prefix(format!("{trailing}{gap}"));
                    inner.set_implicit(false);
                    inner.set_position(Some(isize::MAX));
                    is_appended = true;
                }
                table = inner;
            }
            Item::Value(Value::InlineTable(inner)) => {
                in_braces |= !inner.is_dotted();
                in_keys = true;
                table = inner;
            }
            _ => return None,
        }
    }
    let Some(old) = table.get_mut(change.key) else {
        insert(table, change.key, Item::Value(value), in_braces);
        if is_appended {
            document.set_trailing("");
        }
        return Some(usize::from(in_braces));
    };
    let old = old.as_value_mut()?;
    let text = old.to_string();
    *value.decor_mut() = old.decor().clone();
    *old = value;
    let comments = array_comments(&text);
    if !comments.is_empty() {
        let mut key = table.key_mut(change.key)?;
        let decor = key.leaf_decor_mut();
        let before = decor.prefix().and_then(|prefix| prefix.as_str());
        decor.set_prefix(format!("{}{comments}", before.unwrap_or_default()));
    }
    Some(text.trim_end().lines().count())
}

/// Appends to a table. Inside braces, the space before the closing one moves with it.
fn insert(table: &mut dyn TableLike, key: &str, item: Item, in_braces: bool) {
    let last = table.iter_mut().last();
    let last = last.and_then(|(_, item)| item.as_value_mut());
    if let Some(last) = last.filter(|_| in_braces) {
        last.decor_mut().set_suffix("");
    }
    table.insert(key, item);
}

/// The comments inside an array of several lines, one a line.
fn array_comments(value: &str) -> String {
    let lines = value
        .lines()
        .filter(|_| value.trim_start().starts_with('['));
    // No string that a setting accepts in an array has a number sign.
    let comments = lines.filter_map(|line| Some(line[line.find('#')?..].trim_end()));
    comments.map(|comment| format!("{comment}\n")).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::viewer::config::{setting_change::quoted, settings::DEFAULT};

    const THEME: (&[&str], &str, &str) = (&[], "theme", "\"x\"");
    const DATE: (&[&str], &str, &str) = (&["columns"], "date", "\"iso\"");
    const ID: (&[&str], &str, &str) = (&["columns", "width"], "id", "12");

    fn changed(
        text: &str,
        (tables, key, value): (&'static [&'static str], &'static str, &str),
    ) -> String {
        let value = value.to_owned();
        let change = SettingChange { tables, key, value };
        match apply(text.as_bytes(), &change) {
            Ok(new) => String::from_utf8(new).unwrap(),
            Err(problem) => problem.in_file("f"),
        }
    }

    #[test]
    fn only_the_line_of_the_key_changes() {
        let cases = [
            ("", THEME, "theme = \"x\"\n"),
            ("# c\n", THEME, "theme = \"x\"\n# c\n"),
            ("theme='dark' # c", THEME, "theme=\"x\" # c"),
            (
                "# c\r\nignore-revs = true # d\r\n\r\n[keys]\r\n",
                THEME,
                "# c\r\nignore-revs = true # d\r\ntheme = \"x\"\r\n\r\n[keys]\r\n",
            ),
            (
                "ignore-revs = true",
                THEME,
                "ignore-revs = true\ntheme = \"x\"\n",
            ),
            (
                "# c\n[keys]\nup='z'",
                THEME,
                "theme = \"x\"\n# c\n[keys]\nup='z'",
            ),
            ("", DATE, "[columns]\ndate = \"iso\"\n"),
            (
                "ignore-revs = true",
                DATE,
                "ignore-revs = true\n\n[columns]\ndate = \"iso\"\n",
            ),
            (
                "[columns] # c\n\n[keys]\n",
                DATE,
                "[columns] # c\ndate = \"iso\"\n\n[keys]\n",
            ),
            (
                "[columns]\nshare = 30 # c\n\n[columns.width]\nid = 9\n",
                DATE,
                "[columns]\nshare = 30 # c\ndate = \"iso\"\n\n[columns.width]\nid = 9\n",
            ),
            (
                "[columns.width]\nid = 9\n",
                DATE,
                "[columns.width]\nid = 9\n\n[columns]\ndate = \"iso\"\n",
            ),
            (
                "[columns.width]\nid = 9\n",
                ID,
                "[columns.width]\nid = 12\n",
            ),
            (
                "[columns]\nshare = 30\n",
                ID,
                "[columns]\nshare = 30\n\n[columns.width]\nid = 12\n",
            ),
            (
                "columns = { share = 30 } # c\n",
                DATE,
                "columns = { share = 30, date = \"iso\" } # c\n",
            ),
            ("columns = {}\n", ID, "columns = { width.id = 12 }\n"),
            (
                "columns.share = 30\nignore-revs = true\n",
                DATE,
                "columns.share = 30\ncolumns.date = \"iso\"\nignore-revs = true\n",
            ),
            (
                "[columns]\nwidth.email = 9\nshare = 30\n",
                ID,
                "[columns]\nwidth.email = 9\nwidth.id = 12\nshare = 30\n",
            ),
            (
                "[columns]\nshow = [ # one\n  'id', # two\n]\nshare = 30\n",
                (&["columns"], "show", "[]"),
                "[columns]\n# one\n# two\nshow = []\nshare = 30\n",
            ),
            (
                "[keys] # c\n# up = 'z'\n",
                DATE,
                "[keys] # c\n# up = 'z'\n\n[columns]\ndate = \"iso\"\n",
            ),
            (
                "columns.share = 30 # c\n[keys]\n",
                ID,
                "columns.share = 30 # c\ncolumns.width.id = 12\n[keys]\n",
            ),
            (
                "columns = { share = 30 }",
                ID,
                "columns = { share = 30, width.id = 12 }",
            ),
            (
                "columns.share = 30\nignore-revs = true\ncolumns.date = 'age'\n",
                THEME,
                "f: cannot set `theme = \"x\"' without changing other lines",
            ),
            (
                "theem = 'x'",
                THEME,
                "f:1: unknown setting `theem'; did you mean `theme'?",
            ),
        ];
        for (text, change, expected) in cases {
            assert_eq!(changed(text, change), expected, "{text}");
        }
        let whole = changed(DEFAULT, ID);
        let lines = DEFAULT.lines().zip(whole.lines());
        let different: Vec<_> = lines.filter(|(old, new)| old != new).collect();
        assert_eq!(different, [("id = 8", "id = 12")]);
    }

    #[test]
    fn the_file_is_created_or_replaced_atomically() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("new/tblame/config.toml");
        let change = |value: &str| {
            let value = quoted(value);
            [SettingChange {
                tables: &[],
                key: "theme",
                value,
            }]
        };
        save(&file, &change("light")).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"theme = \"light\"\n");
        fs::write(&file, "theem = 3").unwrap();
        assert!(save(&file, &change("dark")).unwrap_err().contains("theem"));
        assert_eq!(fs::read(&file).unwrap(), b"theem = 3");
        let nowhere = file.join("below");
        let words = save(&nowhere, &change("dark")).unwrap_err();
        assert!(words.contains("below': "), "{words}");
        let left = fs::read_dir(file.parent().unwrap()).unwrap();
        assert_eq!(left.count(), 1, "nothing is left behind");
    }
}
