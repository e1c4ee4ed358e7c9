//! Finding another file of the version on the screen by some letters of its name.

use std::{cmp::Reverse, sync::Arc};

use bstr::{BString, ByteSlice};
use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{CaseMatching, Normalization, Pattern},
};

use crate::{
    sanitize,
    viewer::{
        app::{blame::navigation::short, state::App},
        model::{
            keymap::{Key, KeyCode},
            source::{Failure, FileVersion},
        },
        protocol::{Effect, Question},
    },
};

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
    number: u64,
    version: FileVersion,
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
    fn new(number: u64, version: FileVersion, visited: Vec<BString>) -> Self {
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
    fn is_scanned(&self) -> bool {
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
    fn advance(&mut self) {
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

    fn step(&mut self, by: isize) {
        let last = self.best.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }

    /// The selected file.
    fn choice(&self) -> Option<BString> {
        let found = self.best.get(self.selected)?;
        self.files.get(found.file.0).cloned()
    }
}

impl App {
    /// Opens the search for a file.
    pub(crate) fn open_finder(&mut self, effects: &mut Vec<Effect>) {
        let Some(view) = self.view() else { return };
        let version = view.version.clone();
        let mut visited: Vec<BString> = Vec::new();
        let seen = self.views[..=self.at].iter().rev();
        for view in seen.chain(self.views[self.at + 1..].iter()) {
            if view.path != self.views[self.at].path && !visited.contains(&view.path) {
                visited.push(view.path.as_ref().clone());
            }
        }
        self.numbers += 1;
        let number = self.numbers;
        effects.push(Effect::Ask(Question::Files {
            number,
            version: version.clone(),
        }));
        self.finder = Some(Finder::new(number, version, visited));
    }

    pub(crate) fn found_files(&mut self, number: u64, names: Vec<BString>) {
        let finder = self.finder.as_mut().filter(|it| it.number == number);
        if let Some(finder) = finder {
            let visited = finder.visited;
            let room = MOST.saturating_sub(finder.files.len());
            let names = names.into_iter().take(room);
            let new = names.filter(|name| !finder.files[..visited].contains(name));
            let new: Vec<BString> = new.collect();
            finder.files.extend(new);
        }
    }

    pub(crate) fn listed(&mut self, number: u64, end: Result<(), Failure>) {
        let finder = self.finder.as_mut().filter(|it| it.number == number);
        if let Some(finder) = finder {
            finder.listed = Some(end);
        }
    }

    /// Goes on with the search for a file.
    pub(crate) fn advance_finder(&mut self) {
        if let Some(finder) = &mut self.finder {
            finder.advance();
        }
    }

    /// There are files that the search for one has not looked at.
    pub(crate) fn finds_more(&self) -> bool {
        self.finder.as_ref().is_some_and(|it| !it.is_scanned())
    }

    /// A key while a file is searched for.
    pub(crate) fn finder_key(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let page = isize::from(self.size.1 as i16).max(3) - 2;
        let Some(finder) = &mut self.finder else {
            return;
        };
        match (key.code, key.ctrl) {
            _ if key.alt => {}
            (KeyCode::Escape, _) | (KeyCode::Char('c'), true) => self.finder = None,
            (KeyCode::Enter, _) => self.open_found(effects),
            (KeyCode::Down | KeyCode::Tab, _) | (KeyCode::Char('n' | 'j'), true) => finder.step(1),
            (KeyCode::Up | KeyCode::BackTab, _) | (KeyCode::Char('p' | 'k'), true) => {
                finder.step(-1);
            }
            (KeyCode::PageDown, _) => finder.step(page),
            (KeyCode::PageUp, _) => finder.step(-page),
            (KeyCode::Backspace, _) if finder.query.is_empty() => self.finder = None,
            (KeyCode::Backspace, _) | (KeyCode::Char('h'), true) => {
                finder.query.pop();
                finder.restart();
            }
            (KeyCode::Char('u' | 'w'), true) => {
                finder.query.clear();
                finder.restart();
            }
            (KeyCode::Char(c), false) if finder.query.len() < TYPED && !c.is_control() => {
                finder.query.push(c);
                finder.restart();
            }
            _ => {}
        }
    }

    /// Types text into the search for a file. False if there is none.
    pub(crate) fn finder_paste(&mut self, text: &str) -> bool {
        let Some(finder) = &mut self.finder else {
            return false;
        };
        let room = TYPED.saturating_sub(finder.query.len());
        let text = text.chars().filter(|c| !c.is_control());
        finder.query.extend(text.take(room));
        finder.restart();
        true
    }

    fn open_found(&mut self, effects: &mut Vec<Effect>) {
        let Some(finder) = &self.finder else { return };
        let Some(path) = finder.choice() else {
            return self.say("no matching file");
        };
        let name = Arc::new(path.clone());
        let commit = match &finder.version {
            FileVersion::Commit { commit, .. } => Some(*commit),
            FileVersion::CommandLine => self.around.start,
            FileVersion::WorkTree { .. } => None,
            FileVersion::Reloaded { .. } => self.around.start,
        };
        let version = match commit {
            Some(commit) => FileVersion::Commit { commit, path: name },
            None => FileVersion::WorkTree { path: name },
        };
        self.finder = None;
        if self.view().is_some_and(|view| view.version == version) {
            return self.say("this file is already open");
        }
        self.leave_mark();
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        let name = sanitize::line(name);
        self.open(version, Some(0), None, effects);
        if let Some(pending) = &mut self.pending {
            // The header shows the way from file to file.
            pending.revision = match commit {
                Some(commit) => format!("{name} {}", short(&commit)),
                None => name,
            };
        }
        self.say(format!("{}; < returns", sanitize::line(&path)));
    }
}
