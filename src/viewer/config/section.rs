//! Reading a table of TOML key by key, so that what is not understood is named with its line.

use std::{
    fmt,
    ops::{Range, RangeInclusive},
};

use toml_edit::{Document, Item, TableLike};

/// What is wrong with a file, and on which line (1-based) if that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    line: Option<usize>,
    words: String,
}

impl Problem {
    /// What is wrong with a file as a whole.
    pub fn of_file(words: impl Into<String>) -> Self {
        Problem {
            line: None,
            words: words.into(),
        }
    }

    fn at(text: &str, span: Option<Range<usize>>, words: String) -> Self {
        let before = span.and_then(|span| text.as_bytes().get(..span.start));
        let newlines = before.map(|before| memchr::memchr_iter(b'\n', before).count());
        Problem {
            line: newlines.map(|newlines| newlines + 1),
            words,
        }
    }

    /// The problem of a file of this name: `FILE:LINE: WORDS`.
    pub fn of(&self, file: &str) -> String {
        match self.line {
            Some(line) => format!("{file}:{line}: {}", self.words),
            None => format!("{file}: {}", self.words),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

/// A file as TOML.
#[derive(Debug)]
pub struct Source {
    document: Document<String>,
}

impl Source {
    /// Reads a file's contents.
    ///
    /// # Errors
    /// They are not UTF-8, or not TOML.
    pub fn parse(contents: &[u8]) -> Result<Self, Problem> {
        let text = std::str::from_utf8(contents).map_err(|err| {
            let valid = String::from_utf8_lossy(&contents[..err.valid_up_to()]);
            let end = valid.len();
            Problem::at(&valid, Some(end..end), "this is not UTF-8".to_owned())
        })?;
        let document = Document::parse(text.to_owned()).map_err(|err| {
            let words = err.message().lines().collect::<Vec<_>>().join(": ");
            Problem::at(text, err.span(), words)
        })?;
        Ok(Source { document })
    }

    /// The outermost table.
    pub fn root(&self) -> Section<'_> {
        Section {
            text: self.document.raw(),
            path: String::new(),
            table: Some(self.document.as_table()),
            asked: Vec::new(),
        }
    }
}

#[cfg(test)]
thread_local! {
    /// The settings that were asked for, with those of the tables around them.
    pub(super) static KNOWN: std::cell::RefCell<std::collections::BTreeSet<String>> =
        const { std::cell::RefCell::new(std::collections::BTreeSet::new()) };
}

/// A table of which every key must be asked for before it is finished.
pub struct Section<'a> {
    text: &'a str,
    /// `open.`: what its keys begin with; empty for the outermost.
    path: String,
    table: Option<&'a dyn TableLike>,
    asked: Vec<&'static str>,
}

impl<'a> Section<'a> {
    /// Puts the value of a key, if it is given, into its place.
    ///
    /// # Errors
    /// `read` does not understand the value.
    pub fn set<T>(
        &mut self,
        key: &'static str,
        place: &mut T,
        read: impl FnOnce(&Setting<'a>) -> Result<T, Problem>,
    ) -> Result<(), Problem> {
        self.asked.push(key);
        if let Some(setting) = self.settings().find(|setting| setting.key == key) {
            *place = read(&setting)?;
        }
        Ok(())
    }

    /// A table inside this one, empty if it is not there.
    ///
    /// # Errors
    /// There is something else than a table.
    pub fn section(&mut self, key: &'static str) -> Result<Section<'a>, Problem> {
        let mut section = Section {
            text: self.text,
            path: format!("{}{key}.", self.path),
            table: None,
            asked: Vec::new(),
        };
        self.set(key, &mut section.table, |setting| {
            setting.table().map(|table| table.table)
        })?;
        Ok(section)
    }

    /// Every key with its value, for tables whose keys are the person's to choose.
    pub fn all(mut self) -> Vec<Setting<'a>> {
        self.asked.clear();
        self.settings().collect()
    }

    /// Makes sure that there is no key that nobody asked for.
    ///
    /// # Errors
    /// There is one.
    pub fn finish(self) -> Result<(), Problem> {
        #[cfg(test)]
        KNOWN.with_borrow_mut(|known| {
            let names = self.asked.iter().map(|key| format!("{}{key}", self.path));
            known.extend(names);
        });
        let mut strange = self
            .settings()
            .filter(|setting| !self.asked.contains(&setting.key));
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

/// A value, and where it is.
#[derive(Clone)]
pub struct Setting<'a> {
    text: &'a str,
    /// The key in its table.
    pub key: &'a str,
    /// The key with those of the tables around it.
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
    /// What is wrong with this value.
    pub fn wrong(&self, words: impl fmt::Display) -> Problem {
        let span = match self.item {
            Node::Item(Item::Value(value)) => value.span(),
            Node::Item(_) => self.key_span.clone(),
            Node::Value(value) => value.span(),
        };
        Problem::at(self.text, span, format!("{}: {words}", self.name))
    }

    /// The key is not one of `known`, which are called a `kind`.
    pub fn unknown(&self, kind: &str, known: impl IntoIterator<Item = &'a str>) -> Problem {
        let words = format!(
            "there is no {kind} `{}'{}",
            self.name,
            hint(self.key, known)
        );
        Problem::at(self.text, self.key_span.clone(), words)
    }

    fn value(&self) -> Option<&'a toml_edit::Value> {
        match self.item {
            Node::Item(item) => item.as_value(),
            Node::Value(value) => Some(value),
        }
    }

    /// A string.
    ///
    /// # Errors
    /// It is none; so for each of these.
    pub fn text(&self) -> Result<&'a str, Problem> {
        let text = self.value().and_then(toml_edit::Value::as_str);
        text.ok_or_else(|| self.wrong("expects a string"))
    }

    /// `true` or `false`.
    ///
    /// # Errors
    /// See [`text`](Self::text).
    pub fn flag(&self) -> Result<bool, Problem> {
        let flag = self.value().and_then(toml_edit::Value::as_bool);
        flag.ok_or_else(|| self.wrong("expects true or false"))
    }

    /// A whole number in a range.
    ///
    /// # Errors
    /// See [`text`](Self::text).
    pub fn number<N>(&self, range: RangeInclusive<N>) -> Result<N, Problem>
    where
        N: TryFrom<i64> + PartialOrd + fmt::Display,
    {
        let number = self.value().and_then(toml_edit::Value::as_integer);
        number
            .and_then(|number| N::try_from(number).ok())
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                let (first, last) = range.into_inner();
                self.wrong(format_args!("expects a number from {first} to {last}"))
            })
    }

    /// A number in a range, whole or not.
    ///
    /// # Errors
    /// See [`text`](Self::text).
    pub fn fraction(&self, range: RangeInclusive<f64>) -> Result<f64, Problem> {
        let value = self.value();
        let whole = value.and_then(toml_edit::Value::as_integer);
        let number = value.and_then(toml_edit::Value::as_float);
        let number = number.or(whole.map(|whole| whole as f64));
        number
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                let (first, last) = range.into_inner();
                self.wrong(format_args!("expects a number from {first} to {last}"))
            })
    }

    /// One of several words, with its meaning.
    ///
    /// # Errors
    /// See [`text`](Self::text).
    pub fn one_of<T: Copy>(&self, known: &[(&'static str, T)]) -> Result<T, Problem> {
        let word = self.text()?;
        let found = known.iter().find(|(name, _)| *name == word);
        found.map(|&(_, meaning)| meaning).ok_or_else(|| {
            let names = known.iter().map(|(name, _)| format!("`{name}'"));
            let names: Vec<String> = names.collect();
            self.wrong(format_args!(
                "`{word}' is unknown; known are {}",
                names.join(", ")
            ))
        })
    }

    /// A list.
    ///
    /// # Errors
    /// See [`text`](Self::text).
    pub fn list(&self) -> Result<Vec<Setting<'a>>, Problem> {
        let array = self.value().and_then(toml_edit::Value::as_array);
        let array = array.ok_or_else(|| self.wrong("expects a list in brackets"))?;
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
    pub fn table(&self) -> Result<Section<'a>, Problem> {
        let table: Option<&'a dyn TableLike> = match self.item {
            Node::Item(item) => item.as_table_like(),
            Node::Value(value) => value.as_inline_table().map(|table| table as _),
        };
        let table = table.ok_or_else(|| self.wrong("expects a table"))?;
        Ok(Section {
            text: self.text,
            path: format!("{}.", self.name),
            table: Some(table),
            asked: Vec::new(),
        })
    }
}

/// The known word that may have been meant.
fn hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let near = known
        .into_iter()
        .map(|known| (distance(word, known), known));
    match near.min() {
        Some((far, known)) if far <= known.len() / 3 + 1 => format!("; did you mean `{known}'?"),
        _ => String::new(),
    }
}

/// How many bytes are to be put in, taken out or changed to make one word of the other.
fn distance(one: &str, other: &str) -> usize {
    // Nobody mistypes a word of this length.
    if one.len() > 100 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, byte) in one.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, against) in other.bytes().enumerate() {
            let changed = diagonal + usize::from(byte != against);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        let read = || {
            let source = Source::parse(text.as_bytes())?;
            let mut root = source.root();
            let (mut word, mut flag, mut number) = (0, false, 0u8);
            root.set("word", &mut word, |it| it.one_of(&[("one", 1), ("two", 2)]))?;
            root.set("flag", &mut flag, Setting::flag)?;
            let mut inner = root.section("inner")?;
            inner.set("number", &mut number, |it| it.number(1..=9))?;
            inner.finish()?;
            root.finish()
        };
        read().map_or_else(|problem: Problem| problem.of("f"), |()| "fine".to_owned())
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let cases = [
            ("", "fine"),
            ("word = 'two'\nflag = true\n[inner]\nnumber = 3", "fine"),
            ("inner = { number = 3 }", "fine"),
            (
                "\nword = 'three'",
                "f:2: word: `three' is unknown; known are `one', `two'",
            ),
            ("flag = 1", "f:1: flag: expects true or false"),
            (
                "\n\nflags = true",
                "f:3: there is no setting `flags'; did you mean `flag'?",
            ),
            (
                "[inner]\n\nnumber = 10",
                "f:3: inner.number: expects a number from 1 to 9",
            ),
            (
                "[inner]\nxyzzy = 10",
                "f:2: there is no setting `inner.xyzzy'",
            ),
            ("[other]", "f:1: there is no setting `other'"),
            ("inner = 3", "f:1: inner: expects a table"),
            ("flag = true\nflag = true", "f:2: duplicate key"),
            (
                "\nflag = ",
                "f:2: string values must be quoted, expected literal string",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(problem(text), expected, "{text}");
        }
        let broken = Source::parse(b"a = 1\nb = '\xff'").err();
        assert_eq!(
            broken.map(|problem| problem.of("f")),
            Some("f:2: this is not UTF-8".to_owned())
        );
    }
}
