//! Finds the place that a line of text names: of a compiler, a search, a linter, a stack trace.
//!
//! No list of programs: a line is read by a few forms in order, and whether a file of that name
//! exists decides. So `10:30:45`, `http://localhost:8080` and `a:b:c` are places only where there
//! are such files.

use bstr::{BStr, BString, ByteSlice};

use crate::{
    repository::places::{
        escapes::without_escapes,
        frames::frame,
        place::{FilePlace, number, places},
        records,
    },
    text::c_quotes::unquote,
};

/// The place is looked for in this many bytes of a line: what follows is text of a file.
const MAX_SEARCHED: usize = 8 << 10;

/// Most names of files that are tried for the beginning of a line.
const MAX_NAMES: usize = 16;

/// Most words that are tried.
const MAX_WORDS: usize = 64;

/// What may stand before a place at the beginning of a line: rustc, stack traces, `go vet`.
const MARKS: &[&[u8]] = &[b"--> ", b"::: ", b"at ", b"from ", b"vet: "];

/// Endings of names of computers, which stand before numbers of ports.
const HOSTS: &[&[u8]] = &[b"com", b"dev", b"edu", b"io", b"local", b"net", b"org"];

/// What was found in a line. `F` stands for a file that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinePlace<F> {
    /// A place in a file.
    Place {
        /// The file.
        file: F,
        /// The line, 1-based; the first one of several.
        line: u32,
        /// The column, 1-based, in whatever unit the writer counts.
        column: Option<u32>,
    },
    /// The line looks like a place in a file of this name, but there is none.
    Missing(BString),
    /// No place.
    Nothing,
}

/// The beginning of a line in which the place is looked for. A number or name that it would cut is not in
/// it: what is left of a number is another line.
fn searched(line: &[u8]) -> &[u8] {
    let Some(begun) = line.get(..MAX_SEARCHED) else {
        return line;
    };
    let end = begun
        .iter()
        .rposition(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric());
    &begun[..end.map_or(0, |end| end + 1)]
}

/// Looks up files by the names that a text has for them.
pub trait PlaceFiles {
    /// A file that exists.
    type File: Clone;

    /// The file of a name.
    fn find(&mut self, name: &BStr) -> Option<Self::File>;

    /// The file with the class that a stack trace names: the only one called `name`, in a directory that
    /// ends with `package` (its parts with slashes between them) if that is not empty.
    fn find_class(&mut self, package: &BStr, name: &BStr) -> Option<Self::File>;
}

/// Finds places in lines, which come in order: under a line that is the name of a file, lines may
/// name places in it by numbers alone (eslint, `rg --heading`).
#[derive(Debug, Clone)]
pub struct PlaceFinder<F> {
    heading: Option<F>,
}

impl<F> Default for PlaceFinder<F> {
    fn default() -> Self {
        PlaceFinder { heading: None }
    }
}

impl<F: Clone> PlaceFinder<F> {
    /// The place that `line` names, with or without its line ending.
    pub fn find(&mut self, line: &[u8], files: &mut dyn PlaceFiles<File = F>) -> LinePlace<F> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            self.heading = None;
            return LinePlace::Nothing;
        }
        if let Some(place) = records::of_search(line.as_bstr()) {
            let line = place.line;
            return match files.find(place.file.as_bstr()) {
                Some(file) => LinePlace::Place {
                    file,
                    line,
                    column: place.column,
                },
                None => LinePlace::Missing(place.file),
            };
        }
        let line = &*without_escapes(searched(line));
        self.find_in_text(line, files)
    }

    fn find_in_text(&mut self, line: &[u8], files: &mut dyn PlaceFiles<File = F>) -> LinePlace<F> {
        let mut existing = |place: FilePlace<'_>| existing_in(files, place);
        let before_zero = line.split_once_str("\0").and_then(|(name, rest)| {
            let (line, column) = number_at_start(rest)?;
            let file = name.as_bstr();
            Some(FilePlace {
                file,
                line,
                last_line: line,
                column,
            })
        });
        if let Some(found) = before_zero.and_then(&mut existing) {
            return found;
        }
        let starts = starts(line);
        let mut at_start = starts.iter().flat_map(|start| at_beginning(start));
        if let Some(found) = at_start.find_map(&mut existing) {
            return found;
        }
        let quoted = quoted_names(line);
        let mut with_numbers = quoted.iter().filter_map(QuotedName::place);
        if let Some(found) = with_numbers.find_map(&mut existing) {
            return found;
        }
        let heading = self.heading.as_ref().and_then(|heading| {
            let (line, column) = number_at_start(line.trim_start())?;
            let file = heading.clone();
            Some(LinePlace::Place { file, line, column })
        });
        if let Some(found) = heading {
            return found;
        }
        if let Some(frame) = frame(line) {
            // Where several files fit, none is meant.
            let found = files.find_class(frame.package.as_bstr(), frame.file);
            return found.map_or(LinePlace::Nothing, |file| LinePlace::Place {
                file,
                line: frame.line,
                column: None,
            });
        }
        let mut existing = |place: FilePlace<'_>| existing_in(files, place);
        let inside = in_sentence(line).into_iter().chain(in_parentheses(line));
        if let Some(found) = inside.chain(in_words(line)).find_map(&mut existing) {
            return found;
        }
        let whole = quoted.iter().find(|quoted| quoted.is_all_of(line));
        let whole = whole.and_then(|quoted| files.find(quoted.name.as_bstr()));
        if let Some(file) = whole.or_else(|| files.find(line.as_bstr())) {
            self.heading = Some(file);
            return LinePlace::Nothing;
        }
        let missing = missing(line, &starts, quoted.first());
        missing.map_or(LinePlace::Nothing, LinePlace::Missing)
    }
}

/// The place, if its file exists.
fn existing_in<F: Clone>(
    files: &mut dyn PlaceFiles<File = F>,
    place: FilePlace<'_>,
) -> Option<LinePlace<F>> {
    let name = place.file.strip_prefix(b"file://").unwrap_or(place.file);
    Some(LinePlace::Place {
        file: files.find(name.as_bstr())?,
        line: place.line,
        column: place.column,
    })
}

/// The name of the file whose place a line seems to begin with, though it does not exist.
fn missing(line: &[u8], starts: &[&[u8]], quoted: Option<&QuotedName<'_>>) -> Option<BString> {
    let named = in_sentence(line).pop();
    let named = named.filter(|place| place.file.contains(&b'.'));
    // What follows indentation and a mark is read before the line with them.
    let rest = starts.iter().rev();
    let mut shortest = rest.filter_map(|start| at_beginning(start).pop());
    let quoted = quoted
        .filter(|_| line.starts_with(b"\""))
        .and_then(QuotedName::place);
    let place = named.or(quoted).or_else(|| shortest.next())?;
    let name = place.file;
    let is_name = !name.contains_str("://")
        && !name.starts_with(b"<")
        && !name.starts_with(b"node:")
        && !name.iter().any(u8::is_ascii_whitespace);
    let last = name.rsplit_str("/").next()?;
    let extension = last.rsplit_once_str(".").map_or(&b""[..], |(_, it)| it);
    let has_extension = (1..=8).contains(&extension.len())
        && extension[0].is_ascii_alphabetic()
        && (extension.len() == 1 || !extension.iter().any(u8::is_ascii_uppercase))
        && extension.iter().all(u8::is_ascii_alphanumeric)
        && !HOSTS.contains(&extension);
    (is_name && has_extension).then(|| name.to_owned())
}

/// The parts of a line at which a place may begin: the line, the line without its indentation, and
/// what follows a mark.
fn starts(line: &[u8]) -> Vec<&[u8]> {
    let trimmed = line.trim_start();
    let mut starts = vec![line];
    if trimmed.len() < line.len() {
        starts.push(trimmed);
    }
    let after = MARKS.iter().find_map(|mark| trimmed.strip_prefix(*mark));
    starts.extend(after);
    starts
}

/// The places that a line can begin with, the one with the longest name of a file first:
/// `FILE:LINE`, `FILE:LINE:COLUMN`, `FILE(LINE,COLUMN)`, and grep's `FILE-LINE-` and `FILE=LINE=`.
fn at_beginning(line: &[u8]) -> Vec<FilePlace<'_>> {
    let mut found = Vec::new();
    for (at, _) in line
        .iter()
        .enumerate()
        .filter(|(_, it)| b":(-=".contains(it))
    {
        let (file, rest) = line.split_at(at);
        let place = numbers_after(rest[0], &rest[1..]);
        if let (false, Some((line, column))) = (file.is_empty(), place) {
            let file = file.as_bstr();
            found.push(FilePlace {
                file,
                line,
                last_line: line,
                column,
            });
            if found.len() == MAX_NAMES {
                break;
            }
        }
    }
    found.reverse();
    found
}

/// The line and the column after a separator.
fn numbers_after(separator: u8, rest: &[u8]) -> Option<(u32, Option<u32>)> {
    let (line, rest) = leading_number(rest)?;
    match separator {
        b'(' => {
            let column = rest.strip_prefix(b",").and_then(leading_number);
            let (column, rest) = column.map_or((None, rest), |(it, rest)| (Some(it), rest));
            // Some write the end of the range too.
            let is_closed = rest.starts_with(b")") || rest.starts_with(b",");
            is_closed.then_some((line, column))
        }
        b':' => {
            if rest.first().is_some_and(u8::is_ascii_alphanumeric) {
                return None;
            }
            Some((line, column_after(b":", rest)))
        }
        _ => rest.starts_with(&[separator]).then_some((line, None)),
    }
}

/// The column after a line's number, unless the digits belong to a word.
fn column_after(separator: &[u8], rest: &[u8]) -> Option<u32> {
    let (column, rest) = leading_number(rest.strip_prefix(separator)?)?;
    let is_whole = !rest.first().is_some_and(u8::is_ascii_alphanumeric);
    is_whole.then_some(column)
}

/// The number that `text` begins with, and the rest.
fn leading_number(text: &[u8]) -> Option<(u32, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(digits);
    Some((number(digits)?, rest))
}

/// The line and the column with which a line under the name of a file begins, or what follows the
/// name and a zero byte.
fn number_at_start(text: &[u8]) -> Option<(u32, Option<u32>)> {
    let (line, rest) = leading_number(text)?;
    let separator = rest.get(..1).filter(|it| b":-=\0".contains_str(it))?;
    Some((line, column_after(separator, rest)))
}

/// The places that words of a line name, the one with the longest name of a file first:
/// `File "FILE", line N`, `FILE, line N`, `at FILE line N`, `in FILE on line N`.
fn in_sentence(line: &[u8]) -> Vec<FilePlace<'_>> {
    let mut found = Vec::new();
    let starts: Vec<usize> = line.find_iter(b" line ").take(MAX_NAMES).collect();
    for at in starts.into_iter().rev() {
        let Some((number, rest)) = leading_number(&line[at + b" line ".len()..]) else {
            continue;
        };
        if rest.first().is_some_and(u8::is_ascii_alphanumeric) {
            continue;
        }
        let files = files_before(&line[..at]).into_iter();
        found.extend(files.filter(|file| !file.is_empty()).map(|file| FilePlace {
            file: file.as_bstr(),
            line: number,
            last_line: number,
            column: None,
        }));
    }
    found
}

/// The names that may end the words before `line N`, the longest first.
fn files_before(words: &[u8]) -> Vec<&[u8]> {
    let words = words.strip_suffix(b" on").unwrap_or(words);
    let words = words.strip_suffix(b",").unwrap_or(words);
    let Some(quoted) = words.strip_suffix(b"\"") else {
        let after = |word: &str| words.rsplit_once_str(word).map(|(_, file)| file);
        return vec![after(" at ").or_else(|| after(" in ")).unwrap_or(words)];
    };
    // Python does not escape quotes in names.
    if let Some(file) = quoted.trim_start().strip_prefix(b"File \"") {
        return vec![file];
    }
    let quotes = quoted.find_iter(b"\"").take(MAX_NAMES);
    quotes.map(|at| &quoted[at + 1..]).collect()
}

/// Places in parentheses, as in `at f (FILE:LINE:COLUMN)`; names in them may have blanks and
/// parentheses.
fn in_parentheses(line: &[u8]) -> impl Iterator<Item = FilePlace<'_>> {
    let groups = line.find_iter(b"(").take(MAX_WORDS).flat_map(|at| {
        let group = &line[at + 1..];
        let ends = [group.rfind_byte(b')'), group.find_byte(b')')];
        ends.into_iter().flatten().map(|end| &group[..end])
    });
    groups.flat_map(|group| places(group.as_bstr()))
}

/// A name in quotes with C escapes, as git writes odd ones.
struct QuotedName<'a> {
    name: Vec<u8>,
    /// What follows the closing quote.
    rest: &'a [u8],
    /// The bytes that it has in the line, with both quotes.
    len: usize,
}

impl QuotedName<'_> {
    /// The place, if a line follows the name.
    fn place(&self) -> Option<FilePlace<'_>> {
        let (&separator, rest) = self.rest.split_first()?;
        let is_one = b":(-=".contains(&separator);
        let (line, column) = numbers_after(separator, rest).filter(|_| is_one)?;
        Some(FilePlace {
            file: self.name.as_bstr(),
            line,
            last_line: line,
            column,
        })
    }

    fn is_all_of(&self, line: &[u8]) -> bool {
        self.len == line.len()
    }
}

/// The names in quotes of a line; where a word with a colon at its end stands before the first quote,
/// as in `HEAD:"FILE"`, first with that word.
fn quoted_names(line: &[u8]) -> Vec<QuotedName<'_>> {
    let is_escaped = |at: &usize| {
        let before = line[..*at].iter().rev();
        before.take_while(|&&byte| byte == b'\\').count() % 2 == 1
    };
    let quotes = line.find_iter(b"\"").filter(|at| !is_escaped(at));
    let mut names = Vec::new();
    for at in quotes.take(MAX_NAMES) {
        let Some((name, len)) = unquote(&line[at + 1..]).filter(|(name, _)| !name.is_empty())
        else {
            continue;
        };
        let (before, rest) = (&line[..at], &line[at + 1 + len..]);
        let is_word = before.ends_with(b":") && !before.iter().any(u8::is_ascii_whitespace);
        if is_word && !before.contains(&b'"') {
            names.push(QuotedName {
                name: [before, &name].concat(),
                rest,
                len: at + 1 + len,
            });
        }
        names.push(QuotedName {
            name,
            rest,
            len: len + 1,
        });
    }
    names
}

/// The words of a line that are places.
fn in_words(line: &[u8]) -> impl Iterator<Item = FilePlace<'_>> {
    let words = line.fields_with(|c| c.is_whitespace()).take(MAX_WORDS);
    let words = words.filter(|word| word.iter().any(u8::is_ascii_digit));
    words.flat_map(|word| {
        let word = word.trim_start_with(|c| "([{<\"'`".contains(c));
        let word = word.trim_end_with(|c| "]}>\"'`,.;:".contains(c));
        let bare = word.trim_end_with(|c| ")\"'`".contains(c));
        let other = (bare.len() < word.len()).then_some(bare);
        std::iter::once(word)
            .chain(other)
            .flat_map(|word| places(word.as_bstr()))
    })
}
