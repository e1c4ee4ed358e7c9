//! Places in files, as compilers, searches, editors and web pages name them.

use bstr::{BStr, ByteSlice};

/// A file and a line of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilePlace<'a> {
    /// The file's name as written.
    pub file: &'a BStr,
    /// The line, 1-based; the first one of several.
    pub line: u32,
    /// The last line, 1-based, as written: it may be before the first one.
    pub last_line: u32,
    /// The column, 1-based, in whatever unit the writer counts.
    pub column: Option<u32>,
}

/// The places that `word` can name, the one with the longest name of a file first: `FILE:LINE`,
/// `FILE:LINE:COLUMN`, `FILE:FIRST-LAST`, `FILE#L10`, `FILE#L10-L20`, `FILE#L10-20`,
/// `FILE(LINE)`, `FILE(LINE,COLUMN)`, and these with a colon at the end.
pub fn places(word: &BStr) -> impl Iterator<Item = FilePlace<'_>> {
    let word: &[u8] = word;
    let word = word.strip_suffix(b":").unwrap_or(word);
    let in_brackets = || {
        let (file, numbers) = word.strip_suffix(b")")?.rsplit_once_str("(")?;
        match numbers.split_once_str(",") {
            Some((line, column)) => FilePlace::new(file, line)?.with_column(column),
            None => FilePlace::new(file, numbers),
        }
    };
    let after_hash = || {
        let (file, lines) = word.rsplit_once_str("#L")?;
        FilePlace::with_lines(file, lines, "-L").or_else(|| FilePlace::with_lines(file, lines, "-"))
    };
    let before_column = || {
        let (place, column) = word.rsplit_once_str(":")?;
        let (file, line) = place.rsplit_once_str(":")?;
        FilePlace::new(file, line)?.with_column(column)
    };
    let after_colon = || {
        let (file, lines) = word.rsplit_once_str(":")?;
        FilePlace::with_lines(file, lines, "-")
    };
    let all = [after_colon(), before_column(), after_hash(), in_brackets()];
    all.into_iter().flatten()
}

impl<'a> FilePlace<'a> {
    fn new(file: &'a [u8], line: &[u8]) -> Option<FilePlace<'a>> {
        let line = number(line)?;
        (!file.is_empty()).then_some(FilePlace {
            file: file.as_bstr(),
            line,
            last_line: line,
            column: None,
        })
    }

    /// With two numbers that have `between` them, or only one.
    fn with_lines(file: &'a [u8], lines: &[u8], between: &str) -> Option<FilePlace<'a>> {
        let pair = lines.split_once_str(between);
        let Some((first, last)) = pair.and_then(|(first, last)| Some((first, number(last)?)))
        else {
            return FilePlace::new(file, lines);
        };
        Some(FilePlace {
            last_line: last,
            ..FilePlace::new(file, first)?
        })
    }

    fn with_column(self, column: &[u8]) -> Option<FilePlace<'a>> {
        let column = Some(number(column)?);
        Some(FilePlace { column, ..self })
    }
}

/// A number above zero; the largest one for all that are larger, which are beyond the end of any file.
pub(crate) fn number(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = digits.to_str().ok()?.parse().unwrap_or(u32::MAX);
    (number > 0).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_words() {
        let found = |word: &'static str| -> Vec<(String, u32)> {
            let all = places(word.into());
            all.map(|place| (place.file.to_string(), place.line))
                .collect()
        };
        let one = |file: &str, line| vec![(file.to_owned(), line)];
        for word in [
            "a.c:7",
            "a.c:7:",
            "a.c:7-9",
            "a.c#L7",
            "a.c#L7-L9",
            "a.c#L7-9",
            "a.c(7)",
            "a.c(7,3)",
        ] {
            assert_eq!(found(word), one("a.c", 7), "{word}");
        }
        let lines = |word: &'static str| {
            let all = places(word.into());
            all.map(|place| (place.line, place.last_line)).last()
        };
        assert_eq!(lines("a.c:7-9:"), Some((7, 9)));
        assert_eq!(lines("a.c#L7-L9"), Some((7, 9)));
        assert_eq!(lines("a.c#L7-9"), Some((7, 9)));
        assert_eq!(lines("a.c:9-7"), Some((9, 7)));
        assert_eq!(lines("a.c:7"), Some((7, 7)));
        let both = vec![("a.c:7".to_owned(), 3), ("a.c".to_owned(), 7)];
        assert_eq!(found("a.c:7:3"), both);
        assert_eq!(found("a.c:7:3:"), both);
        assert_eq!(found("a:b:7"), one("a:b", 7));
        for word in [
            "a.c:4294967295",
            "a.c:4294967296",
            "a.c:99999999999999999999",
        ] {
            assert_eq!(found(word), one("a.c", u32::MAX), "{word}");
        }
        assert_eq!(found("a(1)(2)"), one("a(1)", 2));
        for word in [
            "a.c", "a.c:", ":7", "a.c:0", "a.c:x", "a.c:7-", "a.c:-7", "a.c:+7", "a.c#7", "#L7",
            "a.c()", "(7)", "a.c(7", "a.c(7,)", "a.c(,7)", "",
        ] {
            assert_eq!(found(word), [], "{word}");
        }
    }
}
