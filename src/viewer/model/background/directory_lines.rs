//! The lines of the entries of a directory: how many, how old, and who wrote them; and of all files
//! below it.

use std::{collections::BTreeMap, sync::Arc};

use bstr::BString;

use crate::{
    objects::ObjectId,
    repository::commits::people::{Person, PersonKey},
    repository::tree::node::Node,
    viewer::model::{
        background::query::Query,
        file_version::{CommitMetadata, Failure, FileVersion},
        line_filter::LineFilter,
    },
};

/// Which lines of a directory count. In the work tree, what is not committed counts too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountScope {
    /// The directory, its path without a slash at its end; empty, it is the root.
    pub version: FileVersion,
    /// The number of the reading of the work tree: its files are looked at again for another one than
    /// that of the last query.
    pub reading: u64,
    /// Which lines count.
    pub filter: LineFilter,
    /// Those of generated files count too.
    pub with_generated: bool,
}

/// A request for the lines of all entries of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryLinesQuery {
    /// Which of them count.
    pub scope: CountScope,
    /// The names of the entries whose files come first.
    pub first: Vec<BString>,
}

impl Query for DirectoryLinesQuery {
    type Item = FoundLines;
    type End = FileCount;
}

/// A request for the people who wrote the lines of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryPeopleQuery(pub CountScope);

impl Query for DirectoryPeopleQuery {
    type Item = FoundPeople;
    type End = FileCount;
}

/// A request for all files below a directory, with their last changes and their lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryFilesQuery(pub CountScope);

impl Query for DirectoryFilesQuery {
    type Item = FoundFiles;
    type End = FileCount;
}

/// A part of what is known of the files below a directory.
#[derive(Debug, Clone)]
pub enum FoundFiles {
    /// All files, those that were changed last long ago first.
    Files(Vec<DatedFile>),
    /// The lines of some, by their names.
    Lines(FoundLines),
}

/// A file below a directory, and its last change.
#[derive(Debug, Clone)]
pub struct DatedFile {
    /// The path from the directory.
    pub name: BString,
    /// The last commit that changed it, as `git log -1` names it; `None` if that is not known, or a
    /// limit of the history comes first.
    pub change: Option<(ObjectId, Result<Arc<CommitMetadata>, Failure>)>,
    /// The history was cut off at this commit, so that an older one may have changed it.
    pub is_boundary: bool,
    /// In the work tree, it differs from HEAD's or is new.
    pub is_uncommitted: bool,
    /// As [`NamedEntry::left_out`](super::directory::NamedEntry::left_out).
    pub left_out: Option<ObjectId>,
}

impl DatedFile {
    /// When it was changed last, in seconds since the epoch: the author date. What is not known
    /// comes last.
    pub fn time(&self) -> i64 {
        let metadata = self.change.as_ref().and_then(|(_, it)| it.as_ref().ok());
        metadata.map_or(i64::MAX, |metadata| metadata.author.time)
    }
}

/// Up to when colors tell the ages of lines, in seconds since the epoch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AgeSpan {
    /// The author date of the newest line that is known.
    pub newest: Option<i64>,
    /// The date of the revision; `None` in the work tree, where ages are those of today.
    pub until: Option<i64>,
}

impl AgeSpan {
    /// The age that the color of a time tells, in seconds.
    pub fn age(&self, time: i64, now: i64) -> i64 {
        self.until.unwrap_or(now).saturating_sub(time)
    }

    /// The age of the newest line up to a time: no color is newer than that of any line.
    pub fn age_up_to(&self, time: i64, now: i64) -> i64 {
        self.age(time.min(self.newest.unwrap_or(now)), now).max(0)
    }
}

/// What is known of the people who wrote the lines of a directory.
#[derive(Debug, Clone, Default)]
pub struct FoundPeople {
    /// The people of the lines that are counted so far, those with most lines first.
    pub people: Vec<Person>,
    /// The numbers of lines by year of everybody together.
    pub years: BTreeMap<i32, u32>,
    /// Of all lines that are known, at least of these.
    pub ages: AgeSpan,
    /// How much is done.
    pub progress: CountProgress,
}

/// A part of what is known of the lines.
#[derive(Debug, Clone, Default)]
pub struct FoundLines {
    /// Entries with the lines that are counted so far, by their names. What was found of one before
    /// is replaced.
    pub entries: Vec<(BString, EntryLines)>,
    /// The years from which and up to which there are lines, as far as that is known.
    pub years: Option<(i32, i32)>,
    /// Of all lines that are known, at least of these.
    pub ages: AgeSpan,
    /// How much is done.
    pub progress: CountProgress,
}

/// How far the files of a directory are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountProgress {
    /// The history is read: the number of commits that are done, and of those that are known.
    History(usize, usize),
    /// Files are counted.
    Files(FileCount),
}

impl Default for CountProgress {
    fn default() -> CountProgress {
        CountProgress::History(0, 0)
    }
}

/// Numbers of files and lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileCount {
    /// Those that are counted.
    pub counted: usize,
    /// Those that cannot be read.
    pub failed: usize,
    /// All.
    pub all: usize,
    /// The generated ones of which no line counts.
    pub generated: usize,
    /// The lines that are counted.
    pub lines: u64,
    /// The same, whether the filter has them or not.
    pub all_lines: u64,
}

/// The lines of an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryLines {
    /// The number of lines that are counted.
    pub lines: u64,
    /// The same, whether the filter has them or not. All else is of those that it has.
    pub all_lines: u64,
    /// The number of lines by year of the authors' clocks; 0 stands for dates outside of the
    /// calendar's years.
    pub years: BTreeMap<i32, u32>,
    /// The author date in the middle of all lines, in seconds since the epoch; `None` if all of them
    /// are uncommitted.
    pub median: Option<i64>,
    /// Those who wrote most of the lines, at most two, with their names and numbers of lines.
    pub people: Vec<(PersonKey, BString, u32)>,
    /// The number of lines that are recorded to be written by agents.
    pub agent_lines: u64,
    /// The number of files that cannot be read.
    pub failed: u64,
    /// The number of lines of generated files, which do not count.
    pub generated_lines: u64,
    /// All files are counted, but for those that failed.
    pub is_complete: bool,
    /// In the work tree, the entry differs from HEAD's.
    pub is_uncommitted: bool,
}

impl EntryLines {
    /// True if those who wrote most have more lines together than there are.
    pub fn has_co_authors(&self) -> bool {
        let lines = self.people.iter().map(|(.., lines)| u64::from(*lines));
        lines.sum::<u64>() > self.lines
    }

    /// What is counted in a node, which is of the lines that the filter has among all.
    pub(crate) fn new(node: &Node, all_lines: u64, is_complete: bool) -> EntryLines {
        let people = node.main_people().into_iter();
        let people = people.map(|person| {
            let name = person.shown_name().into();
            (person.key, name, person.lines)
        });
        let mut commits = node.counts.commits();
        let has_committed = commits.any(|(id, ..)| !id.is_null());
        EntryLines {
            lines: node.counts.lines(),
            all_lines,
            years: node.counts.years(),
            median: node.counts.median_time().filter(|_| has_committed),
            people: people.collect(),
            agent_lines: node.agent_lines.unwrap_or(0),
            failed: node.failed,
            generated_lines: node.generated_lines,
            is_complete,
            is_uncommitted: node.is_uncommitted == Some(true),
        }
    }
}
