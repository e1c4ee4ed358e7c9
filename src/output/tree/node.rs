//! An entry of a directory, with what is known of its lines.

use bstr::BString;

use crate::{
    engine::{Entry, Origin, PlannedBlame, PlannedFile},
    objects::ObjectId,
    output::{
        commit_provider::CommitProvider, error::OutputError, people::line_counts::LineCounts,
    },
    repository::commits::people::Person,
};

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// A directory.
    Directory,
    /// A file.
    File,
    /// A symbolic link, whose target is its line.
    Link,
    /// Another repository, which has no lines here.
    Submodule,
}

impl NodeKind {
    /// The kind of a file of a plan.
    pub fn of(file: &PlannedFile) -> NodeKind {
        if file.is_submodule {
            NodeKind::Submodule
        } else if file.entry.is_tree() {
            NodeKind::Directory
        } else if file.is_link() {
            NodeKind::Link
        } else {
            NodeKind::File
        }
    }

    /// The kind in a word, for programs.
    pub fn name(self) -> &'static str {
        match self {
            NodeKind::Directory => "directory",
            NodeKind::File => "file",
            NodeKind::Link => "link",
            NodeKind::Submodule => "submodule",
        }
    }
}

/// An entry of a directory.
#[derive(Debug)]
pub struct Node {
    /// The path from the root of the tree.
    pub path: BString,
    /// Its kind.
    pub kind: NodeKind,
    /// The last commit that changed it, if it is known.
    pub last_commit: Option<ObjectId>,
    /// In the work tree: it differs from HEAD's. `None` in a commit.
    pub is_uncommitted: Option<bool>,
    /// The number of files whose lines are counted.
    pub files: u64,
    /// The number of files that could not be blamed.
    pub failed: u64,
    /// The number of generated files, whose lines are counted apart.
    pub generated_files: u64,
    /// The number of lines of generated files.
    pub generated_lines: u64,
    /// The lines by commit.
    pub(crate) counts: LineCounts,
    /// The number of lines that agents wrote, if they were asked for.
    pub agent_lines: Option<u64>,
}

impl Node {
    /// An entry without lines so far.
    pub fn new(path: BString, kind: NodeKind, last_commit: Option<ObjectId>) -> Node {
        Node {
            path,
            kind,
            last_commit,
            is_uncommitted: None,
            files: 0,
            failed: 0,
            generated_files: 0,
            generated_lines: 0,
            counts: LineCounts::default(),
            agent_lines: None,
        }
    }

    /// Those who wrote most of the lines, at most two. Who has several addresses is one of them.
    pub(crate) fn main_people(&self) -> Vec<Person> {
        let mut people = self.counts.people();
        let first = people.first().map(|person| person.name.clone());
        let mut is_first = true;
        people
            .retain(|person| std::mem::take(&mut is_first) || Some(&person.name) != first.as_ref());
        people.truncate(2);
        people
    }

    /// Counts the lines of a generated file.
    pub fn add_generated(&mut self, blame: &PlannedBlame) {
        self.generated_files += 1;
        self.generated_lines += u64::from(blame.line_count);
    }

    /// Counts the lines of a file.
    ///
    /// # Errors
    ///
    /// If a commit cannot be read.
    pub fn add(
        &mut self,
        blame: &PlannedBlame,
        commits: &mut impl CommitProvider,
        counts_agents: bool,
    ) -> Result<(), OutputError> {
        self.files += 1;
        for entry in &blame.entries {
            self.counts.add(commits, entry, &blame.origins)?;
            if counts_agents {
                *self.agent_lines.get_or_insert(0) += agent_lines(commits, entry, &blame.origins)?;
            }
        }
        Ok(())
    }
}

/// The number of lines of an entry that agents wrote.
fn agent_lines(
    commits: &mut impl CommitProvider,
    entry: &Entry,
    origins: &[Origin],
) -> Result<u64, OutputError> {
    let Some(origin) = origins.get(entry.origin.0 as usize) else {
        return Ok(0);
    };
    let count = entry.lines.end.saturating_sub(entry.lines.start);
    let lines = entry.source_start..entry.source_start.saturating_add(count);
    let found = commits.agents(&origin.commit, origin.path.as_ref().as_ref(), lines);
    let found = found.map_err(OutputError::Commit)?;
    Ok(found.iter().map(|found| found.lines.len() as u64).sum())
}
