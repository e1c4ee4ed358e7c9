//! An entry of a directory, with what is known of its lines.

use std::ops::Range;

use bstr::{BStr, BString, ByteSlice};

use crate::{
    engine::{Entry, Origin, PlannedBlame, PlannedFile},
    objects::ObjectId,
    repository::{
        agents::agent::AgentLines,
        commits::{
            line_counts::{CommitAuthors, LineCounts},
            people::Person,
        },
    },
};

/// What an entry of a directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
    pub(crate) fn of(file: &PlannedFile) -> NodeKind {
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
    /// The history was cut off at this commit, so that an older one may have changed it.
    pub is_boundary: bool,
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
            is_boundary: false,
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

    /// Counts the lines of a file. `authors` tells who made a commit.
    ///
    /// # Errors
    ///
    /// That of `authors`.
    pub(crate) fn add<E>(
        &mut self,
        blame: &PlannedBlame,
        mut authors: impl FnMut(&ObjectId) -> Result<CommitAuthors, E>,
    ) -> Result<(), E> {
        self.files += 1;
        for entry in &blame.entries {
            self.counts.add(entry, &blame.origins, &mut authors)?;
        }
        Ok(())
    }

    /// Counts the lines of a file that agents wrote, as `agents` finds them: see [`agents_of`].
    ///
    /// # Errors
    ///
    /// That of `agents`.
    pub(crate) fn add_agents<E>(
        &mut self,
        blame: &PlannedBlame,
        mut agents: impl FnMut(&ObjectId, &BStr, Range<u32>) -> Result<Vec<AgentLines>, E>,
    ) -> Result<(), E> {
        let total = self.agent_lines.get_or_insert(0);
        for entry in &blame.entries {
            let found = agents_of(entry, &blame.origins, &mut agents)?;
            *total += found.iter().map(|it| it.lines.len() as u64).sum::<u64>();
        }
        Ok(())
    }
}

/// What agents wrote of the lines of an entry. `agents` finds the parts that they wrote of lines
/// (0-based, half-open) of a file as it is in a commit.
///
/// # Errors
///
/// That of `agents`.
pub(crate) fn agents_of<E>(
    entry: &Entry,
    origins: &[Origin],
    agents: impl FnOnce(&ObjectId, &BStr, Range<u32>) -> Result<Vec<AgentLines>, E>,
) -> Result<Vec<AgentLines>, E> {
    let Some(origin) = origins.get(entry.origin.0 as usize) else {
        return Ok(Vec::new());
    };
    let count = entry.lines.end.saturating_sub(entry.lines.start);
    let lines = entry.source_start..entry.source_start.saturating_add(count);
    agents(&origin.commit, origin.path.as_bstr(), lines)
}
