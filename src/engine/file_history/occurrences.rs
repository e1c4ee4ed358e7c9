//! How often versions of a file match a pattern.

use regex::bytes::Regex;

use crate::{
    diff::{LineInterner, Token},
    engine::versions::version::Version,
};

/// Stands for lines that were not looked at yet.
const UNKNOWN: u32 = u32::MAX;

/// Counts the matches of a pattern within lines, those of an empty text left out. Every distinct line is searched once.
pub(crate) struct OccurrenceCounter {
    pattern: Regex,
    /// By line: its occurrences, which do not overlap.
    of_line: Vec<u32>,
}

impl OccurrenceCounter {
    /// Counts matches of `pattern`.
    pub(crate) fn new(pattern: Regex) -> OccurrenceCounter {
        OccurrenceCounter {
            pattern,
            of_line: Vec::new(),
        }
    }

    /// The number of occurrences in a version.
    pub(crate) fn count(&mut self, version: &Version, lines: &LineInterner) -> u64 {
        let of_line = version.tokens.iter().map(|&token| self.line(token, lines));
        of_line.map(u64::from).sum()
    }

    fn line(&mut self, token: Token, lines: &LineInterner) -> u32 {
        let at = token as usize;
        if at >= self.of_line.len() {
            self.of_line.resize(at + 1, UNKNOWN);
        }
        if self.of_line[at] == UNKNOWN {
            let found = self.pattern.find_iter(lines.bytes(token));
            let found = found.filter(|it| !it.is_empty()).count();
            self.of_line[at] = u32::try_from(found).unwrap_or(UNKNOWN - 1).min(UNKNOWN - 1);
        }
        self.of_line[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occurrences_do_not_overlap() {
        let mut lines = LineInterner::new(false);
        let version = Version::new(b"aaaaa\nb\naa\n", &mut lines).expect("it is small");
        let count = |text: &str| {
            let pattern = Regex::new(text).expect("it is an expression");
            OccurrenceCounter::new(pattern).count(&version, &lines)
        };
        assert_eq!((count("aa"), count("b"), count("ab")), (3, 1, 0));
        assert_eq!((count(""), count("x*"), count("a+")), (0, 0, 2));
    }
}
