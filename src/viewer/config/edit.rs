//! Changing a setting in the configuration file, and nothing else of it.
//!
//! A value that is there is replaced where it stands. One that is not gets a line of its own, after
//! those of its table. What comes out is read again before it is written: whatever would change more
//! than was asked for is refused.

use std::{
    fs,
    io::{self, Write},
    ops::Range,
    path::{Path, PathBuf},
};

use toml_edit::{Document, Item, TableLike, Value};

use crate::{
    error::os_message,
    viewer::config::{
        section::Problem,
        settings::{Config, is_missing, read},
    },
};

/// A key of the file, and what it is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The tables around the key, from the outermost.
    pub tables: &'static [&'static str],
    /// The key.
    pub key: &'static str,
    /// The value, as TOML in one line.
    pub value: String,
}

impl Change {
    /// The line that says so, wherever it stands.
    pub fn words(&self) -> String {
        let path: Vec<&str> = self.tables.iter().copied().chain([self.key]).collect();
        format!("{} = {}", path.join("."), self.value)
    }
}

/// Text as TOML has it.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Makes changes in a file, which need not be there. Says what was done.
///
/// # Errors
/// The file is not understood, or it cannot be written; in words. It is as it was then.
pub fn save(file: &Path, changes: &[Change]) -> Result<String, String> {
    let target = target(file);
    let name = file.display().to_string();
    let before = match read(&target) {
        Ok(contents) => Some(contents),
        Err(err) if is_missing(&err) => None,
        Err(err) => return Err(crate::viewer::config::settings::unreadable(&name, &err)),
    };
    let old = before.as_deref().unwrap_or_default();
    let mut new = old.to_vec();
    for change in changes {
        new = apply(&new, change).map_err(|problem| problem.of(&name))?;
    }
    if before.is_none() || new != old {
        write(&target, &new, before.is_some())
            .map_err(|err| format!("cannot write '{name}': {}", os_message(&err)))?;
    }
    Ok(format!("written to {name}"))
}

/// What a link leads to is replaced, not the link, even if nothing is there yet.
fn target(file: &Path) -> PathBuf {
    let mut target = file.to_owned();
    for _ in 0..40 {
        let Ok(next) = fs::read_link(&target) else {
            break;
        };
        target = match target.parent() {
            Some(directory) => directory.join(next),
            None => next,
        };
    }
    target
}

fn write(target: &Path, contents: &[u8], there: bool) -> io::Result<()> {
    let directory = match target.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    };
    fs::create_dir_all(directory)?;
    let mut builder = tempfile::Builder::new();
    if there {
        let permissions = fs::metadata(target)?.permissions();
        if permissions.readonly() {
            return Err(io::Error::other("it is read-only"));
        }
        builder.permissions(permissions);
    } else {
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let mut file = builder.prefix(".config.").tempfile_in(directory)?;
    file.write_all(contents)?;
    if there {
        // The mask for new files does not count here.
        let permissions = fs::metadata(target)?.permissions();
        file.as_file().set_permissions(permissions)?;
    }
    file.as_file().sync_all()?;
    file.persist(target).map_err(|err| err.error)?;
    Ok(())
}

/// A file's contents with one change.
fn apply(contents: &[u8], change: &Change) -> Result<Vec<u8>, Problem> {
    let old = Config::parse(contents)?;
    let refused = || {
        let words = format!(
            "`{}' has no place that can be changed alone",
            change.words()
        );
        Problem::of_file(words)
    };
    let text = std::str::from_utf8(contents).map_err(|_| refused())?;
    let document = Document::parse(text).map_err(|_| refused())?;
    let (place, put) = edit(text, document.as_table(), change).ok_or_else(refused)?;
    let (Some(head), Some(tail)) = (text.get(..place.start), text.get(place.end..)) else {
        return Err(refused());
    };
    let changed = [head, &put, tail].concat();
    // Everything else is as it was, and this is as it is to be.
    let mut new = Config::parse(changed.as_bytes())?;
    (new.theme, new.columns) = (old.theme.clone(), old.columns.clone());
    let again = Document::parse(changed.as_str()).map_err(|_| refused())?;
    let value = find(again.as_table(), change).and_then(|value| value.span());
    if new != old || value.and_then(|span| changed.get(span)) != Some(change.value.as_str()) {
        return Err(refused());
    }
    Ok(changed.into_bytes())
}

fn find<'a>(root: &'a dyn TableLike, change: &Change) -> Option<&'a Value> {
    let mut table = root;
    for name in change.tables {
        table = table.get(name)?.as_table_like()?;
    }
    table.get(change.key)?.as_value()
}

/// What is to be replaced, and by what.
fn edit(text: &str, root: &dyn TableLike, change: &Change) -> Option<(Range<usize>, String)> {
    if let Some(value) = find(root, change) {
        let span = value.span()?;
        let start = text.get(..span.start)?.rfind('\n').map_or(0, |at| at + 1);
        let comments = comments(value, text.get(span.clone())?);
        if comments.is_empty() {
            return Some((span, change.value.clone()));
        }
        // They stay, before the line that is one now.
        let key = text.get(start..span.start)?;
        let end = line_end(text);
        let lines: String = comments.iter().map(|line| format!("{line}{end}")).collect();
        return Some((start..span.end, format!("{lines}{key}{}", change.value)));
    }
    let mut table = root;
    for (depth, name) in change.tables.iter().enumerate() {
        let names = || change.tables[depth..].iter().chain([&change.key]);
        match table.get(name) {
            Some(Item::Table(inner)) if inner.is_dotted() => {
                let end = end_of(inner)?;
                let names: Vec<&str> = names().copied().collect();
                return insert(text, end, &names.join("."), &change.value);
            }
            Some(Item::Table(inner)) => table = inner,
            Some(Item::Value(Value::InlineTable(inner))) => {
                let end = inner.span()?.end.checked_sub(1)?;
                let names: Vec<&str> = names().skip(1).copied().collect();
                let (before, key) = (text.get(..end)?, names.join("."));
                let comma = if inner.is_empty() { "" } else { "," };
                let at = before.trim_end().len();
                return Some((at..end, format!("{comma} {key} = {} ", change.value)));
            }
            Some(_) => return None,
            None => return append(text, change),
        }
    }
    let header = match change.tables {
        [] => None,
        _ => table_header(root, change.tables),
    };
    match (last_end(table), header) {
        (Some(end), _) => insert(text, end, change.key, &change.value),
        (None, Some(end)) => insert(text, end, change.key, &change.value),
        // The table has no header of its own.
        (None, None) if !change.tables.is_empty() => append(text, change),
        (None, None) => {
            let end = line_end(text);
            Some((0..0, format!("{} = {}{end}", change.key, change.value)))
        }
    }
}

/// Where the header of a table ends.
fn table_header(root: &dyn TableLike, names: &[&str]) -> Option<usize> {
    let mut table = None;
    let mut outer = root;
    for name in names {
        let Some(Item::Table(inner)) = outer.get(name) else {
            return None;
        };
        (table, outer) = (Some(inner), inner);
    }
    let table = table.filter(|table| !table.is_implicit())?;
    Some(table.span()?.end)
}

/// The comments inside a value, which may be a list of several lines.
fn comments<'a>(value: &Value, text: &'a str) -> Vec<&'a str> {
    let lines = text.lines().filter(|_| value.is_array());
    // What can be a setting has no number sign in it.
    let comments = lines.filter_map(|line| line.find('#').map(|at| line[at..].trim_end()));
    comments.collect()
}

/// Where the last value ends that stands in the lines of a table.
fn last_end(table: &dyn TableLike) -> Option<usize> {
    let ends = table.iter().filter_map(|(_, item)| match item {
        Item::Value(value) => value.span().map(|span| span.end),
        Item::Table(inner) if inner.is_dotted() => end_of(inner),
        _ => None,
    });
    ends.max()
}

fn end_of(table: &toml_edit::Table) -> Option<usize> {
    last_end(table)
}

/// A line after the one that ends behind `end`.
fn insert(text: &str, end: usize, key: &str, value: &str) -> Option<(Range<usize>, String)> {
    let rest = text.get(end..)?;
    let newline = line_end(text);
    Some(match rest.find('\n') {
        Some(at) => (
            end + at + 1..end + at + 1,
            format!("{key} = {value}{newline}"),
        ),
        None => (
            text.len()..text.len(),
            format!("{newline}{key} = {value}{newline}"),
        ),
    })
}

/// A table of its own at the end of the file.
fn append(text: &str, change: &Change) -> Option<(Range<usize>, String)> {
    let newline = line_end(text);
    let gap = match text {
        "" => String::new(),
        _ if text.ends_with('\n') => newline.to_owned(),
        _ => newline.repeat(2),
    };
    let tables = change.tables.join(".");
    let (key, value) = (change.key, &change.value);
    let put = format!("{gap}[{tables}]{newline}{key} = {value}{newline}");
    Some((text.len()..text.len(), put))
}

/// How the file ends its lines.
fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::config::settings::DEFAULT;

    const THEME: (&[&str], &str, &str) = (&[], "theme", "\"x\"");
    const DATE: (&[&str], &str, &str) = (&["columns"], "date", "\"iso\"");
    const ID: (&[&str], &str, &str) = (&["columns", "width"], "id", "12");

    fn changed(
        text: &str,
        (tables, key, value): (&'static [&'static str], &'static str, &str),
    ) -> String {
        let value = value.to_owned();
        let change = Change { tables, key, value };
        match apply(text.as_bytes(), &change) {
            Ok(new) => String::from_utf8(new).unwrap(),
            Err(problem) => problem.of("f"),
        }
    }

    #[test]
    fn only_the_line_of_the_key_changes() {
        let cases = [
            ("", THEME, "theme = \"x\"\n"),
            ("# c\n", THEME, "theme = \"x\"\n# c\n"),
            ("theme='dark' # c", THEME, "theme=\"x\" # c"),
            (
                "# c\r\nwrap = true # d\r\n\r\n[keys]\r\n",
                THEME,
                "# c\r\nwrap = true # d\r\ntheme = \"x\"\r\n\r\n[keys]\r\n",
            ),
            ("wrap = true", THEME, "wrap = true\ntheme = \"x\"\n"),
            (
                "# c\n[keys]\nup='z'",
                THEME,
                "theme = \"x\"\n# c\n[keys]\nup='z'",
            ),
            ("", DATE, "[columns]\ndate = \"iso\"\n"),
            (
                "wrap = true",
                DATE,
                "wrap = true\n\n[columns]\ndate = \"iso\"\n",
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
                "columns.share = 30\nwrap = true\n",
                DATE,
                "columns.share = 30\ncolumns.date = \"iso\"\nwrap = true\n",
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
                "theem = 'x'",
                THEME,
                "f:1: there is no setting `theem'; did you mean `theme'?",
            ),
        ];
        for (text, change, expected) in cases {
            assert_eq!(changed(text, change), expected, "{text}");
        }
        let whole = changed(DEFAULT, ID);
        let lines = DEFAULT.lines().zip(whole.lines());
        let different: Vec<_> = lines.filter(|(old, new)| old != new).collect();
        assert_eq!(different, [("id = 8", "id = 12")]);
        assert_eq!(quoted("a\"b\\\n"), "\"a\\\"b\\\\\\u000A\"");
    }

    #[test]
    fn the_file_is_made_or_replaced_as_a_whole() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("new/tblame/config.toml");
        let change = |value: &str| {
            let value = quoted(value);
            [Change {
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

    #[test]
    #[cfg(unix)]
    fn a_link_and_the_rights_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let scratch = tempfile::tempdir().unwrap();
        let (link, real) = (scratch.path().join("config.toml"), scratch.path().join("r"));
        symlink("r", &link).unwrap();
        let change = [Change {
            tables: &[],
            key: "theme",
            value: quoted("light"),
        }];
        // It leads to nothing at first.
        for before in [None, Some("theme = 'a' # c\n")] {
            if let Some(before) = before {
                fs::write(&real, before).unwrap();
                fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
            }
            save(&link, &change).unwrap();
            assert!(link.is_symlink());
        }
        assert_eq!(fs::read(&real).unwrap(), b"theme = \"light\" # c\n");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&real), 0o600);
        fs::set_permissions(&real, fs::Permissions::from_mode(0o400)).unwrap();
        let dark = [Change {
            value: quoted("dark"),
            ..change[0].clone()
        }];
        assert!(save(&link, &dark).unwrap_err().ends_with("it is read-only"));
        assert_eq!(mode(&real), 0o400);
    }
}
