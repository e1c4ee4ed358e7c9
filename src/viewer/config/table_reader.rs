//! TOML tables read key by key, with the line of every unknown key or invalid value.

use std::{
    fmt,
    ops::{Range, RangeInclusive},
};

use toml_edit::{Document, Item, TableLike};

use crate::text::edit_distance::edit_distance;

/// An error in a file, with its line (1-based) if known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    line: Option<usize>,
    message: String,
}

impl ConfigError {
    /// An error about the file as a whole.
    pub fn whole_file(message: impl Into<String>) -> Self {
        ConfigError {
            line: None,
            message: message.into(),
        }
    }

    fn in_text(text: &str, span: Option<Range<usize>>, message: String) -> Self {
        let before = span.and_then(|span| text.as_bytes().get(..span.start));
        let newlines = before.map(|before| memchr::memchr_iter(b'\n', before).count());
        ConfigError {
            line: newlines.map(|newlines| newlines + 1),
            message,
        }
    }

    /// The message with the file's name: `FILE:LINE: MESSAGE`.
    pub fn in_file(&self, file: &str) -> String {
        match self.line {
            Some(line) => format!("{file}:{line}: {}", self.message),
            None => format!("{file}: {}", self.message),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// A parsed TOML file.
#[derive(Debug)]
pub struct TomlFile {
    document: Document<String>,
}

impl TomlFile {
    /// Parses the contents of a file.
    ///
    /// # Errors
    /// If they are not UTF-8 or not TOML.
    pub fn parse(contents: &[u8]) -> Result<Self, ConfigError> {
        let text = std::str::from_utf8(contents).map_err(|err| {
            let valid = String::from_utf8_lossy(&contents[..err.valid_up_to()]);
            let end = valid.len();
            ConfigError::in_text(&valid, Some(end..end), "invalid UTF-8".to_owned())
        })?;
        let document = Document::parse(text.to_owned()).map_err(|err| {
            let message = err.message().lines().collect::<Vec<_>>().join(": ");
            ConfigError::in_text(text, err.span(), message)
        })?;
        Ok(TomlFile { document })
    }

    /// The root table.
    pub fn root(&self) -> TableReader<'_> {
        TableReader {
            text: self.document.raw(),
            path: String::new(),
            table: Some(self.document.as_table()),
            asked: Vec::new(),
            spelled_otherwise: Vec::new(),
        }
    }
}

#[cfg(test)]
thread_local! {
    /// Full names of the settings that were read.
    pub(super) static KNOWN: std::cell::RefCell<std::collections::BTreeSet<String>> =
        const { std::cell::RefCell::new(std::collections::BTreeSet::new()) };
}

/// A TOML table that remembers which keys were read, to report unknown ones.
pub struct TableReader<'a> {
    text: &'a str,
    /// Prefix of its keys with the final dot: `columns.`; empty for the root.
    path: String,
    table: Option<&'a dyn TableLike>,
    asked: Vec<&'static str>,
    /// Keys that were read under their second spelling.
    spelled_otherwise: Vec<&'static str>,
}

impl<'a> TableReader<'a> {
    /// Sets `target` to the value of a key if the key is there.
    ///
    /// # Errors
    /// If `read` refuses the value.
    pub fn set<T>(
        &mut self,
        key: &'static str,
        target: &mut T,
        read: impl FnOnce(&Setting<'a>) -> Result<T, ConfigError>,
    ) -> Result<(), ConfigError> {
        self.asked.push(key);
        if let Some(setting) = self.settings().find(|setting| setting.key == key) {
            *target = read(&setting)?;
        }
        Ok(())
    }

    /// As [`set`](Self::set), for a key with a second spelling.
    ///
    /// # Errors
    /// If `read` refuses the value.
    pub fn set_either<T>(
        &mut self,
        [key, other]: [&'static str; 2],
        target: &mut T,
        read: impl Fn(&Setting<'a>) -> Result<T, ConfigError>,
    ) -> Result<(), ConfigError> {
        for setting in self.settings().filter(|setting| setting.key == other) {
            *target = read(&setting)?;
            self.spelled_otherwise.push(other);
        }
        self.set(key, target, read)
    }

    /// A table inside this one, empty if it is not there.
    ///
    /// # Errors
    /// If the key has a value that is not a table.
    pub fn section(&mut self, key: &'static str) -> Result<TableReader<'a>, ConfigError> {
        let mut section = TableReader {
            text: self.text,
            path: format!("{}{key}.", self.path),
            table: None,
            asked: Vec::new(),
            spelled_otherwise: Vec::new(),
        };
        self.set(key, &mut section.table, |setting| {
            setting.table().map(|table| table.table)
        })?;
        Ok(section)
    }

    /// All entries, for tables whose keys are checked by the caller.
    pub fn all(mut self) -> Vec<Setting<'a>> {
        self.asked.clear();
        self.settings().collect()
    }

    /// Checks that every key was read.
    ///
    /// # Errors
    /// If there is an unknown key.
    pub fn finish(self) -> Result<(), ConfigError> {
        #[cfg(test)]
        KNOWN.with_borrow_mut(|known| {
            let names = self.asked.iter().map(|key| format!("{}{key}", self.path));
            known.extend(names);
        });
        let mut strange = self
            .settings()
            .filter(|setting| !self.asked.contains(&setting.key))
            .filter(|setting| !self.spelled_otherwise.contains(&setting.key));
        let Some(setting) = strange.next() else {
            return Ok(());
        };
        Err(setting.unknown("setting", self.asked.iter().copied()))
    }

    fn settings(&self) -> impl Iterator<Item = Setting<'a>> + use<'a> {
        let (text, path, table) = (self.text, self.path.clone(), self.table);
        let items = table.into_iter().flat_map(|table| table.iter());
        items.map(move |(key, item)| Setting {
            text,
            key,
            name: format!("{path}{key}"),
            key_span: table
                .and_then(|table| table.key(key))
                .and_then(|key| key.span()),
            item: Node::Item(item),
        })
    }
}

/// A value with its name and position.
#[derive(Clone)]
pub struct Setting<'a> {
    text: &'a str,
    /// The key within its table.
    pub key: &'a str,
    /// The full dotted key.
    name: String,
    key_span: Option<Range<usize>>,
    item: Node<'a>,
}

#[derive(Clone, Copy)]
enum Node<'a> {
    Item(&'a Item),
    Value(&'a toml_edit::Value),
}

impl<'a> Setting<'a> {
    /// An error about this value.
    pub fn wrong(&self, message: impl fmt::Display) -> ConfigError {
        let span = match self.item {
            Node::Item(Item::Value(value)) => value.span(),
            Node::Item(_) => self.key_span.clone(),
            Node::Value(value) => value.span(),
        };
        ConfigError::in_text(self.text, span, format!("{}: {message}", self.name))
    }

    /// An error for a key that is not one of `known`, with the nearest one as a hint.
    pub fn unknown(&self, kind: &str, known: impl IntoIterator<Item = &'a str>) -> ConfigError {
        let message = format!("unknown {kind} `{}'{}", self.name, hint(self.key, known));
        ConfigError::in_text(self.text, self.key_span.clone(), message)
    }

    fn value(&self) -> Option<&'a toml_edit::Value> {
        match self.item {
            Node::Item(item) => item.as_value(),
            Node::Value(value) => Some(value),
        }
    }

    /// The value as a string.
    ///
    /// # Errors
    /// If it has another type; the same holds for the other accessors.
    pub fn text(&self) -> Result<&'a str, ConfigError> {
        let text = self.value().and_then(toml_edit::Value::as_str);
        text.ok_or_else(|| self.wrong("expected a string"))
    }

    /// `true` or `false`.
    ///
    /// # Errors
    /// See [`text`](Self::text).
    pub fn flag(&self) -> Result<bool, ConfigError> {
        let flag = self.value().and_then(toml_edit::Value::as_bool);
        flag.ok_or_else(|| self.wrong("expected true or false"))
    }

    /// A whole number in a range.
    ///
    /// # Errors
    /// See [`text`](Self::text).
    pub fn number<N>(&self, range: RangeInclusive<N>) -> Result<N, ConfigError>
    where
        N: TryFrom<i64> + PartialOrd + fmt::Display,
    {
        let number = self.value().and_then(toml_edit::Value::as_integer);
        self.in_range(number.and_then(|number| N::try_from(number).ok()), range)
    }

    /// A number in a range, whole or not.
    ///
    /// # Errors
    /// See [`text`](Self::text).
    pub fn fraction(&self, range: RangeInclusive<f64>) -> Result<f64, ConfigError> {
        let value = self.value();
        let whole = value.and_then(toml_edit::Value::as_integer);
        let number = value.and_then(toml_edit::Value::as_float);
        self.in_range(number.or(whole.map(|whole| whole as f64)), range)
    }

    fn in_range<N: PartialOrd + fmt::Display>(
        &self,
        number: Option<N>,
        range: RangeInclusive<N>,
    ) -> Result<N, ConfigError> {
        let number = number.filter(|number| range.contains(number));
        number.ok_or_else(|| {
            let (first, last) = range.into_inner();
            self.wrong(format_args!("expected a number from {first} to {last}"))
        })
    }

    /// The meaning of a string that must be one of several message.
    ///
    /// # Errors
    /// See [`text`](Self::text).
    pub fn one_of<T: Copy>(&self, known: &[(&'static str, T)]) -> Result<T, ConfigError> {
        let word = self.text()?;
        let found = known.iter().find(|(name, _)| *name == word);
        found.map(|&(_, meaning)| meaning).ok_or_else(|| {
            let names = known.iter().map(|(name, _)| format!("`{name}'"));
            let names: Vec<String> = names.collect();
            self.wrong(format_args!(
                "unknown value `{word}'; expected one of {}",
                names.join(", ")
            ))
        })
    }

    /// A list.
    ///
    /// # Errors
    /// See [`text`](Self::text).
    pub fn list(&self) -> Result<Vec<Setting<'a>>, ConfigError> {
        let array = self.value().and_then(toml_edit::Value::as_array);
        let array = array.ok_or_else(|| self.wrong("expected an array"))?;
        let values = array.iter().map(|value| Setting {
            item: Node::Value(value),
            ..self.clone()
        });
        Ok(values.collect())
    }

    /// A table.
    ///
    /// # Errors
    /// See [`text`](Self::text).
    pub fn table(&self) -> Result<TableReader<'a>, ConfigError> {
        let table: Option<&'a dyn TableLike> = match self.item {
            Node::Item(item) => item.as_table_like(),
            Node::Value(value) => value.as_inline_table().map(|table| table as _),
        };
        let table = table.ok_or_else(|| self.wrong("expected a table"))?;
        Ok(TableReader {
            text: self.text,
            path: format!("{}.", self.name),
            table: Some(table),
            asked: Vec::new(),
            spelled_otherwise: Vec::new(),
        })
    }
}

/// Suggests the known word that is nearest to a mistyped one.
fn hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let near = known.into_iter().filter_map(|known| {
        let distance = edit_distance(word.as_bytes(), known.as_bytes())?;
        Some((distance, known))
    });
    match near.min() {
        Some((far, known)) if far <= known.len() / 3 + 1 => format!("; did you mean `{known}'?"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        let read = || {
            let source = TomlFile::parse(text.as_bytes())?;
            let mut root = source.root();
            let (mut word, mut flag, mut number) = (0, false, 0u8);
            root.set("word", &mut word, |it| it.one_of(&[("one", 1), ("two", 2)]))?;
            root.set("flag", &mut flag, Setting::flag)?;
            let mut inner = root.section("inner")?;
            inner.set("number", &mut number, |it| it.number(1..=9))?;
            inner.finish()?;
            root.finish()
        };
        read().map_or_else(
            |problem: ConfigError| problem.in_file("f"),
            |()| "fine".to_owned(),
        )
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let cases = [
            ("", "fine"),
            ("word = 'two'\nflag = true\n[inner]\nnumber = 3", "fine"),
            ("inner = { number = 3 }", "fine"),
            (
                "\nword = 'three'",
                "f:2: word: unknown value `three'; expected one of `one', `two'",
            ),
            ("flag = 1", "f:1: flag: expected true or false"),
            (
                "\n\nflags = true",
                "f:3: unknown setting `flags'; did you mean `flag'?",
            ),
            (
                "[inner]\n\nnumber = 10",
                "f:3: inner.number: expected a number from 1 to 9",
            ),
            ("[inner]\nxyzzy = 10", "f:2: unknown setting `inner.xyzzy'"),
            ("[other]", "f:1: unknown setting `other'"),
            ("inner = 3", "f:1: inner: expected a table"),
            ("flag = true\nflag = true", "f:2: duplicate key"),
            (
                "\nflag = ",
                "f:2: string values must be quoted, expected literal string",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(problem(text), expected, "{text}");
        }
        let broken = TomlFile::parse(b"a = 1\nb = '\xff'").err();
        assert_eq!(
            broken.map(|problem| problem.in_file("f")),
            Some("f:2: invalid UTF-8".to_owned())
        );
    }
}
