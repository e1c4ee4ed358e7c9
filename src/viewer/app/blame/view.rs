//! One blame on the screen: a file, its attribution, and where the person is in it.

use std::sync::Arc;

use bstr::BString;
use rustc_hash::FxHashMap;

use crate::{
    objects::ObjectId,
    viewer::{
        app::{display::highlighted::Coloured, pager::Pager},
        model::{
            attribution::{Attributed, Attribution, Tally},
            encodings::Encoding,
            source::{BlameReport, CommitInfo, Failure, FileVersion, Stamp},
            switches::Switches,
            text::Text,
        },
        protocol::{Chunk, Guilty},
    },
};

/// How far a view's blame is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// It runs. The date, once known: lines still open are about that old or older.
    Running(Option<i64>),
    /// It was interrupted, and goes on when the view is returned to.
    Interrupted,
    /// All lines are attributed.
    Finished(BlameReport),
    /// It went wrong.
    Failed(Failure),
}

/// An origin that is guilty of lines.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The commit's number in the view.
    pub commit: u32,
    /// The file's path in it.
    pub path: Arc<BString>,
    /// The parent's commit and path that a blame before this commit looks at.
    pub previous: Option<(ObjectId, Arc<BString>)>,
    /// The blame does not look beyond the commit, although history goes on.
    pub boundary: bool,
}

/// A commit that is guilty of lines.
#[derive(Debug, Clone)]
pub struct Author {
    /// Its id; the null id for what is not committed.
    pub id: ObjectId,
    /// Its words, or why they cannot be read.
    pub words: Result<Arc<CommitInfo>, Failure>,
}

/// What is known of one line.
#[derive(Debug, Clone, Copy)]
pub struct LineFacts<'a> {
    /// The line's entry.
    pub entry: &'a Attributed,
    /// Its origin.
    pub origin: &'a Origin,
    /// Its commit.
    pub commit: &'a Author,
}

/// One blame on the screen.
#[derive(Debug, Clone)]
pub struct View {
    /// A number of its own.
    pub number: u64,
    /// What is blamed.
    pub version: FileVersion,
    /// The path that is blamed.
    pub path: Arc<BString>,
    /// The revision, in words.
    pub revision: String,
    /// How it is blamed.
    pub switches: Arc<Switches>,
    /// What was switched to get here from the view before, if that is how one gets here.
    pub step: Option<String>,
    /// The file, in the encoding that it is shown in.
    pub text: Arc<Text>,
    /// The file as it is blamed.
    pub raw: Arc<Text>,
    /// The encoding that it is shown in.
    pub encoding: Encoding,
    /// Who wrote what.
    pub attribution: Attribution,
    /// How far the blame is.
    pub progress: Progress,
    /// The selected line, and the window.
    pub pager: Pager,
    /// The colours of its code.
    pub coloured: Coloured,
    /// What the file and HEAD were when it was read, once that is known.
    pub stamp: Option<Stamp>,
    /// The encoding that the file is said to be in.
    pub named: Option<Encoding>,
    /// What became another one since.
    pub changed: Option<&'static str>,
    origins: Vec<Origin>,
    commits: Vec<Author>,
    origin_numbers: FxHashMap<(u32, Arc<BString>), u32>,
    commit_numbers: FxHashMap<ObjectId, u32>,
}

impl View {
    /// A view of `text` whose blame has just begun.
    pub fn new(
        number: u64,
        version: FileVersion,
        path: Arc<BString>,
        revision: String,
        switches: Arc<Switches>,
        text: Arc<Text>,
    ) -> Self {
        View {
            number,
            version,
            path,
            revision,
            switches,
            step: None,
            raw: text.clone(),
            text,
            encoding: Encoding::Utf8,
            attribution: Attribution::default(),
            progress: Progress::Running(None),
            pager: Pager::default(),
            stamp: None,
            named: None,
            changed: None,
            origins: Vec::new(),
            commits: Vec::new(),
            origin_numbers: FxHashMap::default(),
            commit_numbers: FxHashMap::default(),
            coloured: Coloured::default(),
        }
    }

    /// The same text at the same position, to be blamed with other switches.
    pub fn again(&self, number: u64, switches: Arc<Switches>, step: String) -> Self {
        let (version, path) = (self.version.clone(), self.path.clone());
        let (revision, text) = (self.revision.clone(), self.text.clone());
        View {
            pager: Pager::at(self.pager.position),
            step: Some(step),
            stamp: self.stamp.clone(),
            changed: self.changed,
            raw: self.raw.clone(),
            encoding: self.encoding,
            named: self.named,
            coloured: self.coloured.clone(),
            ..View::new(number, version, path, revision, switches, text)
        }
    }

    /// Takes what the worker found.
    pub fn take(&mut self, chunk: Chunk) {
        for (id, words) in chunk.commits {
            let number = self.commits.len() as u32;
            if *self.commit_numbers.entry(id).or_insert(number) == number {
                let words = words.map(Arc::new);
                self.commits.push(Author { id, words });
            }
        }
        let last = self.text.line_count();
        for guilty in chunk.origins {
            let (commit, origin) = self.origin_number(&guilty);
            let entries = guilty.entries.into_iter().map(|entry| Attributed {
                lines: entry.lines.start.min(last)..entry.lines.end.min(last),
                source_start: entry.source_start,
                origin,
                ignored: entry.ignored,
                unblamable: entry.unblamable,
            });
            let entries = entries.filter(|entry| !entry.lines.is_empty());
            self.attribution.add(commit, entries.collect());
        }
    }

    fn origin_number(&mut self, guilty: &Guilty) -> (u32, u32) {
        let id = guilty.commit;
        let next = self.commits.len() as u32;
        let commit = *self.commit_numbers.entry(id).or_insert(next);
        if commit == next {
            let words = Err(Failure("its words were not sent".to_owned()));
            self.commits.push(Author { id, words });
        }
        let next = self.origins.len() as u32;
        let key = (commit, guilty.path.clone());
        let origin = *self.origin_numbers.entry(key).or_insert(next);
        if origin == next {
            let words = self.commits[commit as usize].words.as_ref();
            let root = words.is_ok_and(|words| words.root);
            self.origins.push(Origin {
                commit,
                path: guilty.path.clone(),
                previous: guilty.previous.clone(),
                boundary: guilty.boundary && !root,
            });
        }
        (commit, origin)
    }

    /// What is known of a line (0-based).
    pub fn facts(&self, line: u32) -> Option<LineFacts<'_>> {
        let entry = self.attribution.entry(line)?;
        let origin = self.origins.get(entry.origin as usize)?;
        let commit = self.commits.get(origin.commit as usize)?;
        Some(LineFacts {
            entry,
            origin,
            commit,
        })
    }

    /// What is known of the selected line.
    pub fn selected(&self) -> Option<LineFacts<'_>> {
        self.facts(self.pager.position.line)
    }

    /// The commits that are guilty of lines, by their numbers.
    pub fn commits(&self) -> &[Author] {
        &self.commits
    }

    /// The number of the selected line's commit.
    pub fn selected_commit(&self) -> Option<u32> {
        self.selected().map(|facts| facts.origin.commit)
    }

    /// How much of the file the selected line's commit has.
    pub fn selected_tally(&self) -> Tally {
        let commit = self.selected_commit();
        commit
            .map(|commit| self.attribution.tally(commit))
            .unwrap_or_default()
    }

    /// The blame runs.
    pub fn is_running(&self) -> bool {
        matches!(self.progress, Progress::Running(_))
    }

    /// Shows the file as it is in an encoding, as a view with a number of its own.
    pub fn show_in(&mut self, encoding: Encoding, text: Arc<Text>, number: u64) {
        self.number = number;
        self.encoding = encoding;
        self.text = text;
        self.coloured = Coloured::default();
        self.pager.forget_lines();
    }
}
