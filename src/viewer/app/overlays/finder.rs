//! Finding another file of the version on the screen by some letters of its name.

use std::cmp::Reverse;

use bstr::{BString, ByteSlice};
use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{CaseMatching, Normalization, Pattern},
};

use crate::viewer::model::source::{Failure, FileVersion};

/// Names that are matched before other messages get their turn.
const SLICE: usize = 4000;

/// The best matches that are kept.
const BEST: usize = 500;

/// Files that are listed; a version with more is searched as far as that.
const MOST: usize = 4_000_000;

/// Bytes of a name that are matched.
const LONG: usize = 4096;

/// Bytes that can be typed.
const TYPED: usize = 200;

/// A file that matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Match {
    /// Visited before, then the score, then the shortest, then the first.
    visited: bool,
    score: u32,
    length: Reverse<usize>,
    file: Reverse<usize>,
}

/// A search for a file.
#[derive(Debug)]
pub struct Finder {
    /// What was typed.
    pub query: String,
    /// The row that is selected, from the best match (0-based).
    pub selected: usize,
    pub(crate) number: u64,
    pub(crate) version: FileVersion,
    /// Files that were visited, the last one first, then all others.
    files: Vec<BString>,
    visited: usize,
    /// All files are known, or why not.
    listed: Option<Result<(), Failure>>,
    best: Vec<Match>,
    /// How many files match, of how many that were looked at.
    count: usize,
    scanned: usize,
    pattern: Pattern,
    matcher: Box<Matcher>,
}

impl Finder {
    pub(crate) fn new(number: u64, version: FileVersion, visited: Vec<BString>) -> Self {
        let mut finder = Finder {
            query: String::new(),
            selected: 0,
            number,
            version,
            visited: visited.len(),
            files: visited,
            listed: None,
            best: Vec::new(),
            count: 0,
            scanned: 0,
            pattern: Pattern::default(),
            matcher: Box::new(Matcher::new(Config::DEFAULT.match_paths())),
        };
        finder.advance();
        finder
    }

    /// Everything was looked at, as far as files are known.
    pub(crate) fn is_scanned(&self) -> bool {
        self.scanned == self.files.len()
    }

    /// Nothing more is to come.
    pub fn is_complete(&self) -> bool {
        self.is_scanned() && self.listed.is_some()
    }

    /// How many files match, and how many there are as far as is known.
    pub fn counts(&self) -> (usize, usize) {
        (self.count, self.files.len())
    }

    /// Why not all files are listed, if something went wrong.
    pub fn failure(&self) -> Option<&Failure> {
        self.listed.as_ref()?.as_ref().err()
    }

    /// The files that match best, and whether each was visited.
    pub fn matches(&self) -> impl Iterator<Item = (&BString, bool)> {
        let found = self.best.iter().take(BEST);
        found.filter_map(|found| Some((self.files.get(found.file.0)?, found.visited)))
    }

    /// Begins again with what is typed now.
    fn restart(&mut self) {
        self.pattern = Pattern::parse(&self.query, CaseMatching::Smart, Normalization::Smart);
        self.best.clear();
        self.selected = 0;
        (self.count, self.scanned) = (0, 0);
        self.advance();
    }

    /// Looks at a further slice of the files.
    pub(crate) fn advance(&mut self) {
        let end = self.files.len().min(self.scanned + SLICE);
        let mut buffer = Vec::new();
        for at in self.scanned..end {
            let file = &self.files[at];
            let file = &file[..file.len().min(LONG)];
            let text = file.to_str_lossy();
            let text = Utf32Str::new(&text, &mut buffer);
            let Some(score) = self.pattern.score(text, &mut self.matcher) else {
                continue;
            };
            self.count += 1;
            let found = Match {
                visited: at < self.visited,
                score,
                // Without a query the order is that of the tree.
                length: Reverse(if self.query.is_empty() { 0 } else { file.len() }),
                file: Reverse(at),
            };
            if self.best.len() < BEST || self.best.last().is_some_and(|last| found > *last) {
                self.best.push(found);
            }
            if self.best.len() >= 2 * BEST {
                self.sort();
            }
        }
        self.scanned = end;
        self.sort();
    }

    fn sort(&mut self) {
        self.best.sort_unstable_by(|a, b| b.cmp(a));
        self.best.truncate(BEST);
    }

    pub(crate) fn step(&mut self, by: isize) {
        let last = self.best.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }

    /// The selected file.
    pub(crate) fn choice(&self) -> Option<BString> {
        let found = self.best.get(self.selected)?;
        self.files.get(found.file.0).cloned()
    }
}

impl Finder {
    /// Takes further files.
    pub(crate) fn add(&mut self, names: Vec<BString>) {
        let visited = self.visited;
        let room = MOST.saturating_sub(self.files.len());
        let names = names.into_iter().take(room);
        let new = names.filter(|name| !self.files[..visited].contains(name));
        let new: Vec<BString> = new.collect();
        self.files.extend(new);
    }

    /// There are no further files, or they cannot be listed.
    pub(crate) fn end(&mut self, end: Result<(), Failure>) {
        self.listed = Some(end);
    }

    /// Adds a character to the query.
    pub(crate) fn type_char(&mut self, c: char) {
        if self.query.len() < TYPED && !c.is_control() {
            self.query.push(c);
            self.restart();
        }
    }

    /// Removes the last character of the query.
    pub(crate) fn erase_char(&mut self) {
        self.query.pop();
        self.restart();
    }

    /// Empties the query.
    pub(crate) fn clear(&mut self) {
        self.query.clear();
        self.restart();
    }

    /// Adds pasted text to the query.
    pub(crate) fn paste(&mut self, text: &str) {
        let room = TYPED.saturating_sub(self.query.len());
        let text = text.chars().filter(|c| !c.is_control());
        self.query.extend(text.take(room));
        self.restart();
    }
}
