//! Splits the positional arguments into revisions and the file.

use bstr::{BStr, BString, ByteSlice};

use crate::{
    error::{Error, Result},
    repository::places::place::number,
};

/// Positional arguments by role.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arguments {
    /// Revisions and revision options, in order.
    pub revisions: Vec<BString>,
    /// The file, as typed.
    pub file: BString,
    /// The revisions end with `--`; without it, a word may also name a file.
    pub separated: bool,
    /// `+N`: the line to open at (1-based).
    pub line: Option<u32>,
}

/// What is wrong without a file, for a terminal.
const NO_FILE: &str = "no FILE is named";

/// Classifies `words` by git's rules. `names_object` tells whether a word resolves to an object, or
/// how git ends at it.
///
/// # Errors
///
/// Usage errors: no file, or too many arguments.
pub fn split(
    words: &[BString],
    has_work_tree: bool,
    mut names_object: impl FnMut(&BStr) -> Result<bool>,
) -> Result<Arguments> {
    let separator = words
        .iter()
        .position(|word| word == "--" || word == "--end-of-options");
    let mut words = words.to_vec();
    // `--end-of-options` is removed, unlike `--`; as the last word it has no effect.
    let separator = match separator {
        Some(at) if words[at] == "--" => Some(at),
        Some(at) => {
            words.remove(at);
            (at < words.len()).then_some(at)
        }
        None => None,
    };
    let mut separated = true;
    let (revisions, file) = match (separator, &words[..]) {
        (Some(at), words) => match (words.len() - at - 1, words) {
            (1, [revisions @ .., file]) => match revisions.split_last() {
                Some((last, revisions)) if last == "--" => (revisions, file),
                _ => {
                    separated = false;
                    (revisions, file)
                }
            },
            (2, [_, file, revision]) => (std::slice::from_ref(revision), file),
            (0, _) => return Err(Error::usage().with_hint(NO_FILE)),
            _ => return Err(Error::usage().with_hint("there is more than one FILE after --")),
        },
        (None, []) => return Err(Error::usage().with_hint(NO_FILE)),
        (None, [file]) => {
            // With a work tree, git only looks for branches that are followed.
            let asks = !has_work_tree || file.contains_str("@{");
            if asks && names_object(file.as_bstr())? && !has_work_tree {
                return Err(Error::fatal("missing <path> to blame"));
            }
            (&words[..0], file)
        }
        (None, [file, revision]) if names_object(revision.as_bstr())? => (&words[1..], file),
        (None, [revisions @ .., file]) => (revisions, file),
    };
    Ok(Arguments {
        revisions: revisions.to_vec(),
        file: file.clone(),
        separated,
        line: None,
    })
}

impl Arguments {
    /// Takes the first `+N` that is not an object for the line to open at.
    ///
    /// # Errors
    ///
    /// Those of `names_object`.
    pub fn take_line(&mut self, mut names_object: impl FnMut(&BStr) -> Result<bool>) -> Result<()> {
        for (at, word) in self.revisions.iter().enumerate() {
            let line = line_argument(word.as_bstr());
            if line.is_some() && !names_object(word.as_bstr())? {
                self.line = line;
                self.revisions.remove(at);
                break;
            }
        }
        Ok(())
    }
}

/// N of `+N`.
pub fn line_argument(word: &BStr) -> Option<u32> {
    number(word.strip_prefix(b"+")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_line(words: &[&str]) -> Option<(Vec<String>, String, Option<u32>)> {
        let words: Vec<BString> = words.iter().map(|&word| word.into()).collect();
        let objects = ["HEAD", "main", "v1"];
        let is_object = |word: &BStr| Ok(objects.iter().any(|name| word == name));
        let mut arguments = split(&words, true, is_object).ok()?;
        arguments.take_line(is_object).ok()?;
        let revisions = arguments
            .revisions
            .iter()
            .map(ToString::to_string)
            .collect();
        Some((revisions, arguments.file.to_string(), arguments.line))
    }

    fn without_line(words: &[&str]) -> Option<(Vec<String>, String)> {
        with_line(words).map(|(revisions, file, _)| (revisions, file))
    }

    #[test]
    fn the_file_is_last_unless_an_object_is() {
        let expect = |revisions: &[&str], file: &str| {
            Some((
                revisions.iter().map(ToString::to_string).collect(),
                file.to_owned(),
            ))
        };
        assert_eq!(without_line(&["f"]), expect(&[], "f"));
        assert_eq!(without_line(&["main"]), expect(&[], "main"));
        assert_eq!(without_line(&["HEAD", "f"]), expect(&["HEAD"], "f"));
        assert_eq!(without_line(&["f", "HEAD"]), expect(&["HEAD"], "f"));
        assert_eq!(without_line(&["v1", "main"]), expect(&["main"], "v1"));
        assert_eq!(
            without_line(&["a", "b", "HEAD"]),
            expect(&["a", "b"], "HEAD")
        );
        assert_eq!(without_line(&["--", "f", "HEAD"]), expect(&["HEAD"], "f"));
        assert_eq!(without_line(&["HEAD", "--", "f"]), expect(&["HEAD"], "f"));
        assert_eq!(
            without_line(&["--end-of-options", "HEAD", "f"]),
            expect(&["HEAD"], "f")
        );
        assert_eq!(without_line(&["f", "--end-of-options"]), expect(&[], "f"));
        assert_eq!(
            without_line(&["a", "--end-of-options", "HEAD", "f"]),
            expect(&["a", "HEAD"], "f")
        );
        assert_eq!(
            without_line(&["--end-of-options", "a", "f", "HEAD"]),
            expect(&["HEAD"], "f")
        );
        for bad in [
            &[][..],
            &["--"],
            &["HEAD", "--", "f", "g"],
            &["f", "--"],
            &["--end-of-options", "f"],
            &["f", "--end-of-options", "HEAD"],
        ] {
            assert_eq!(without_line(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn lines_to_open_at() {
        assert_eq!(
            with_line(&["+12", "f"]),
            Some((vec![], "f".into(), Some(12)))
        );
        assert_eq!(with_line(&["+12", "HEAD", "f"]).unwrap().2, Some(12));
        assert_eq!(with_line(&["+0", "f"]).unwrap().2, None);
    }
}
