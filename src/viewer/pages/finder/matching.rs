//! Fuzzy search in the paths of a version.

use std::{cell::RefCell, cmp::Reverse, sync::Arc};

use bstr::{BStr, BString, ByteSlice};
use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{CaseMatching, Normalization, Pattern},
};

use crate::{
    objects::ObjectId,
    viewer::{
        model::{
            background::queries::LeftOutFiles,
            source::{Failure, FileVersion},
            texts::text::Text,
        },
        pages::list::ItemList,
    },
};

/// Paths matched per call of [`Finder::match_more`], so that input is handled in between.
const CHUNK_LEN: usize = 4000;

/// Number of best matches kept.
const MAX_MATCHES: usize = 500;

/// Maximum number of files; those beyond are not searched.
const MAX_FILES: usize = 4_000_000;

/// Bytes of a path that are matched.
const MAX_PATH_LEN: usize = 4096;

/// Maximum length of the query in bytes.
const MAX_QUERY_LEN: usize = 200;

/// A file that matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Match {
    /// Order of matches: those in the file's name before those in its folders, visited files first,
    /// then those beside the open file, then by score, length and position.
    pub(super) in_name: bool,
    pub(super) visited: bool,
    sibling: bool,
    score: u32,
    length: Reverse<usize>,
    pub(super) file: Reverse<usize>,
}

/// The beginning of the selected file.
#[derive(Debug)]
struct Preview {
    id: u64,
    path: BString,
    /// That of the file before until it was read.
    text: Option<Result<Arc<Text>, Failure>>,
    is_read: bool,
}

/// The state of the file finder.
#[derive(Debug)]
pub(crate) struct Finder {
    /// The query as typed.
    pub(crate) query: String,
    /// The list of matches, the best one first.
    pub(crate) list: ItemList,
    pub(crate) id: u64,
    pub(crate) version: FileVersion,
    /// The name of its revision, if it was named.
    pub(super) revision: Option<Arc<str>>,
    /// The commit that has the files that a sparse checkout leaves out, the first of them, and those
    /// among the visited files.
    left_out: Option<(ObjectId, usize, Vec<usize>)>,
    /// Files must be below this directory, which ends with a slash; empty for all files.
    directory: BString,
    /// The folder of the open file, with a slash at its end unless it is the root.
    folder: BString,
    /// Visited files, the most recent first, then all others.
    pub(super) files: Vec<BString>,
    visited: usize,
    /// The result of listing the files, once it has ended.
    pub(super) listed: Option<Result<(), Failure>>,
    pub(super) best: Vec<Match>,
    /// Number of matching files, and of files matched against the query so far.
    count: usize,
    scanned: usize,
    pattern: Pattern,
    /// Drawing uses it too.
    matcher: RefCell<Box<Matcher>>,
    preview: Option<Preview>,
}

/// The folder of a path, with its slash; empty for the root.
fn folder(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|&byte| byte == b'/');
    &path[..end.map_or(0, |slash| slash + 1)]
}

impl Finder {
    pub(crate) fn new(id: u64, version: FileVersion, open: &BStr, visited: Vec<BString>) -> Self {
        let mut finder = Finder {
            query: String::new(),
            list: ItemList::default(),
            id,
            version,
            revision: None,
            left_out: None,
            directory: BString::default(),
            folder: folder(open).into(),
            visited: visited.len(),
            files: visited,
            listed: None,
            best: Vec::new(),
            count: 0,
            scanned: 0,
            pattern: Pattern::default(),
            matcher: RefCell::new(Box::new(Matcher::new(Config::DEFAULT.match_paths()))),
            preview: None,
        };
        finder.match_more();
        finder
    }

    /// True if all files known so far have been matched.
    pub(crate) fn is_scanned(&self) -> bool {
        self.scanned == self.files.len()
    }

    /// True if all files are listed and matched.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_scanned() && self.listed.is_some()
    }

    /// The beginning of the selected file, or why there is none; that of the file before until it
    /// is read.
    pub(crate) fn preview(&self) -> Option<&Result<Arc<Text>, Failure>> {
        self.preview.as_ref()?.text.as_ref()
    }

    /// The selected file, unless its preview has begun.
    pub(crate) fn path_to_preview(&mut self) -> Option<BString> {
        let path = self.choice();
        if path.is_none() {
            self.preview = None;
        }
        let begun = self.preview.as_ref().map(|preview| &preview.path);
        path.filter(|path| begun != Some(path))
    }

    /// Begins the preview of a file.
    pub(crate) fn begin_preview(&mut self, id: u64, path: BString) {
        let before = self.preview.take();
        self.preview = Some(Preview {
            id,
            path,
            text: before.and_then(|before| before.text),
            is_read: false,
        });
    }

    /// The number of the query for the preview.
    pub(crate) fn preview_id(&self) -> Option<u64> {
        self.preview.as_ref().map(|preview| preview.id)
    }

    /// Stores the beginning of the file of the preview.
    pub(crate) fn end_preview(&mut self, text: Result<Arc<Text>, Failure>) {
        if let Some(preview) = &mut self.preview {
            preview.text = Some(text);
            preview.is_read = true;
        }
    }

    /// Number of matching files and of files known so far.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.count, self.files.len())
    }

    /// The error that ended the listing, if any.
    pub(crate) fn failure(&self) -> Option<&Failure> {
        self.listed.as_ref()?.as_ref().err()
    }

    /// Restarts matching with the current query.
    fn restart(&mut self) {
        self.pattern = Pattern::parse(&self.query, CaseMatching::Smart, Normalization::Smart);
        self.best.clear();
        self.list.selected = 0;
        (self.count, self.scanned) = (0, 0);
        self.match_more();
    }

    /// Matches the next [`CHUNK_LEN`] files. The selection stays at its file, unless that is just
    /// the best one so far.
    pub(crate) fn match_more(&mut self) {
        let selected = self.best.get(self.list.selected).map(|found| found.file);
        let selected = selected.filter(|_| self.list.selected > 0);
        let end = self.files.len().min(self.scanned + CHUNK_LEN);
        let mut buffer = Vec::new();
        for at in self.scanned..end {
            let file = &self.files[at];
            let file = &file[..file.len().min(MAX_PATH_LEN)];
            let is_sibling = folder(file) == self.folder;
            let file = self.below(file);
            let own_folder = folder(file);
            let mut score = |text: &[u8]| {
                let text = text.to_str_lossy();
                let text = Utf32Str::new(&text, &mut buffer);
                self.pattern.score(text, self.matcher.get_mut())
            };
            let in_name = score(&file[own_folder.len()..]);
            let Some(score) = in_name.or_else(|| score(file)) else {
                continue;
            };
            self.count += 1;
            let found = Match {
                in_name: in_name.is_some(),
                sibling: is_sibling,
                visited: at < self.visited,
                score,
                // With an empty query, files are in tree order.
                length: Reverse(if self.query.is_empty() { 0 } else { file.len() }),
                file: Reverse(at),
            };
            // The first ones are sorted.
            let worst = self.best.get(MAX_MATCHES - 1);
            if worst.is_none_or(|worst| found > *worst) {
                self.best.push(found);
            }
            if self.best.len() >= 2 * MAX_MATCHES {
                self.sort();
            }
        }
        self.scanned = end;
        self.sort();
        if let Some(file) = selected {
            let at = self.best.iter().position(|found| found.file == file);
            self.list.selected = at.unwrap_or(0);
        }
    }

    /// The positions of the characters of a text, a path or the end of one, that match, and whether all of
    /// the pattern does.
    pub(super) fn matched(&self, text: &str) -> (Vec<u32>, bool) {
        let (mut buffer, mut found) = (Vec::new(), Vec::new());
        let text = Utf32Str::new(text, &mut buffer);
        let mut matcher = self.matcher.borrow_mut();
        let score = self.pattern.indices(text, &mut matcher, &mut found);
        (found, score.is_some())
    }

    fn sort(&mut self) {
        self.best.sort_unstable_by(|a, b| b.cmp(a));
        self.best.truncate(MAX_MATCHES);
    }

    /// The selected file.
    pub(crate) fn choice(&self) -> Option<BString> {
        let found = self.best.get(self.list.selected)?;
        self.files.get(found.file.0).cloned()
    }
}

impl Finder {
    /// Leaves out the files that are not below `directory`.
    pub(crate) fn limit_to(&mut self, directory: &[u8]) {
        self.directory = directory.into();
        if !directory.is_empty() {
            self.directory.push(b'/');
        }
    }

    /// The directory that files must be below, with a slash; empty for all files.
    pub(super) fn directory(&self) -> &[u8] {
        &self.directory
    }

    /// The path of a file below the directory.
    pub(super) fn below<'a>(&self, file: &'a [u8]) -> &'a [u8] {
        file.strip_prefix(self.directory.as_slice()).unwrap_or(file)
    }

    /// Adds listed files.
    pub(crate) fn add(&mut self, mut names: Vec<BString>) {
        names.retain(|name| name.starts_with(&self.directory));
        let visited = self.visited;
        let free = MAX_FILES.saturating_sub(self.files.len());
        let names = names.into_iter().take(free);
        let new = names.filter(|name| !self.files[..visited].contains(name));
        let new: Vec<BString> = new.collect();
        self.files.extend(new);
    }

    /// Ends the listing, with the files that are left out of the work tree or with an error.
    pub(crate) fn end(&mut self, end: Result<LeftOutFiles, Failure>) {
        self.listed = Some(end.map(|left_out| {
            let (names, first) = (left_out.names, self.files.len());
            let is_visited = |at: &usize| names.contains(&self.files[*at]);
            let visited = (0..self.visited).filter(is_visited).collect();
            self.left_out = left_out.commit.map(|commit| (commit, first, visited));
            self.add(names);
        }));
    }

    /// The commit that has the selected file, if the work tree does not have it.
    pub(super) fn commit_of_choice(&self) -> Option<ObjectId> {
        let at = self.best.get(self.list.selected)?.file.0;
        let (commit, first, visited) = self.left_out.as_ref()?;
        (at >= *first || visited.contains(&at)).then_some(*commit)
    }

    /// Adds a character to the query.
    pub(crate) fn type_char(&mut self, c: char) {
        if self.query.len() < MAX_QUERY_LEN && !c.is_control() {
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
    pub(crate) fn paste_text(&mut self, text: &str) {
        let free = MAX_QUERY_LEN.saturating_sub(self.query.len());
        let text = text.chars().filter(|c| !c.is_control());
        self.query.extend(text.take(free));
        self.restart();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selection_stays_at_its_file_while_others_are_found() {
        let path = Arc::new("open".into());
        let mut finder = Finder::new(1, FileVersion::WorkTree { path }, "open".into(), Vec::new());
        let add = |finder: &mut Finder, names: &[&str]| {
            finder.add(names.iter().map(|&name| name.into()).collect());
            finder.match_more();
        };
        "ab".chars().for_each(|c| finder.type_char(c));
        add(&mut finder, &["x/a-b", "a-long-b", "a-b"]);
        // The best one is not held.
        assert_eq!(finder.choice(), Some("a-b".into()));
        add(&mut finder, &["ab"]);
        assert_eq!(finder.choice(), Some("ab".into()));
        finder.list.selected = 2;
        let selected = finder.choice();
        assert_eq!(selected, Some("a-long-b".into()));
        add(&mut finder, &["ab1", "ab2", "nothing", "ab3"]);
        assert_eq!((finder.choice(), finder.list.selected), (selected, 5));
    }
}
