//! What a patch does, summed up.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashSet, hash_map::Entry},
    sync::Arc,
};

use bstr::BString;
use rustc_hash::FxHashMap;

use crate::{
    dates::moment::Moment,
    engine::Blame,
    objects::ObjectId,
    output::{
        error::OutputError,
        patch::attributed::{AttributedHunk, BaseRule, OldLineRole, PatchBase},
    },
    repository::commits::{
        line_counts::{CommitAuthors, LineCounts},
        people::{Person, PersonKey},
    },
    sorting,
};

/// The lines of commits that a patch removes, and those beside its insertions.
#[derive(Debug, Default)]
pub(crate) struct PatchSummary {
    /// The lines of each commit by role, uncommitted ones included.
    removed: FxHashMap<ObjectId, u32>,
    beside: FxHashMap<ObjectId, u32>,
    /// Who wrote the files that the patch changes.
    authors: FxHashMap<ObjectId, Arc<CommitAuthors>>,
    /// How many files have a base, by commit and rule.
    bases: BTreeMap<(BaseRule, ObjectId), u32>,
    /// Hunks of which nothing is said.
    pub(crate) unapplied: u32,
    /// Which ones these are, the first of them.
    pub(crate) unapplied_hunks: Vec<BString>,
    /// The hunks in all.
    pub(crate) hunks: u32,
    /// The name of the upstream branch, if there is one, and the commits of `HEAD` that it lacks.
    pub(crate) upstream: Option<(BString, HashSet<ObjectId>)>,
}

/// A person in the summary.
#[derive(Debug)]
pub(crate) struct AskedPerson {
    pub(crate) person: Person,
    /// Lines that the patch removes.
    pub(crate) removed: u32,
    /// Lines beside its insertions.
    pub(crate) beside: u32,
    /// The newest date of a line in the changed files.
    pub(crate) last: Moment,
}

impl PatchSummary {
    /// Counts a base.
    pub(crate) fn add_base(&mut self, base: &PatchBase) {
        // A combined diff has several old sides of one file.
        let files = u32::from(base.parent.unwrap_or(0) == 0);
        *self.bases.entry((base.rule, base.commit)).or_default() += files;
    }

    /// Notes who wrote a file. `authors` reads who made a commit.
    ///
    /// # Errors
    ///
    /// If a commit cannot be read.
    pub(crate) fn add_blame(
        &mut self,
        blame: &Blame,
        mut authors: impl FnMut(&ObjectId) -> Result<CommitAuthors, OutputError>,
    ) -> Result<(), OutputError> {
        for entry in &blame.entries {
            let Some(origin) = blame.origins.get(entry.origin.0 as usize) else {
                continue;
            };
            if let Entry::Vacant(vacant) = self.authors.entry(origin.commit) {
                vacant.insert(Arc::new(authors(&origin.commit)?));
            }
        }
        Ok(())
    }

    /// Counts the lines of a hunk.
    pub(crate) fn add_hunk(&mut self, hunk: &AttributedHunk<'_>) {
        for line in &hunk.old {
            let counts = match line.role {
                OldLineRole::Removed => &mut self.removed,
                OldLineRole::Neighbour => &mut self.beside,
            };
            *counts.entry(line.commit).or_default() += 1;
        }
    }

    /// The number of lines in a role.
    pub(crate) fn count(&self, role: OldLineRole) -> u64 {
        let counts = match role {
            OldLineRole::Removed => &self.removed,
            OldLineRole::Neighbour => &self.beside,
        };
        counts.values().map(|&lines| u64::from(lines)).sum()
    }

    /// The commits of removed lines with their numbers of lines: most lines first, then newest
    /// first.
    pub(crate) fn commits(&self) -> Vec<(ObjectId, u32)> {
        let commits = self.removed.iter().map(|(id, lines)| (*id, *lines));
        let mut commits: Vec<(ObjectId, u32)> = commits.collect();
        sorting::sort_by_key(&mut commits, |(id, lines)| {
            (Reverse(*lines), Reverse(self.time(id)), *id)
        });
        commits
    }

    /// True if the removed lines of a commit can be changed by a `fixup!` commit: the upstream
    /// branch does not have it yet.
    pub(crate) fn is_fixup_candidate(&self, commit: &ObjectId) -> bool {
        let upstream = self.upstream.as_ref();
        upstream.is_some_and(|(_, commits)| commits.contains(commit))
    }

    /// The commits of the bases by rule, with the number of files.
    pub(crate) fn bases(&self) -> Vec<(BaseRule, Vec<ObjectId>, u32)> {
        let mut bases: Vec<(BaseRule, Vec<ObjectId>, u32)> = Vec::new();
        for ((rule, commit), files) in &self.bases {
            match bases.last_mut().filter(|(last, ..)| last == rule) {
                Some((_, commits, all)) => {
                    commits.push(*commit);
                    *all += files;
                }
                None => bases.push((*rule, vec![*commit], *files)),
            }
        }
        bases
    }

    /// The people of the counted lines: most removed lines first, then most lines beside
    /// insertions, then the newest line in these files.
    pub(crate) fn people(&self) -> Vec<AskedPerson> {
        let mut all = LineCounts::default();
        let (mut removed, mut beside) = (LineCounts::default(), LineCounts::default());
        let mut files = LineCounts::default();
        for (id, authors) in self.authors.iter().filter(|(id, _)| !id.is_null()) {
            let count = |counts: &FxHashMap<ObjectId, u32>| counts.get(id).copied().unwrap_or(0);
            let lines = (count(&self.removed), count(&self.beside));
            files.add_lines(id, authors, 1);
            for (counts, lines) in [(&mut removed, lines.0), (&mut beside, lines.1)] {
                if lines > 0 {
                    counts.add_lines(id, authors, lines);
                    all.add_lines(id, authors, lines);
                }
            }
        }
        let by_key = |counts: &LineCounts| -> FxHashMap<PersonKey, Person> {
            let people = counts.people().into_iter();
            people.map(|person| (person.key.clone(), person)).collect()
        };
        let (removed, beside, files) = (by_key(&removed), by_key(&beside), by_key(&files));
        let people = all.people().into_iter().map(|person| {
            let lines = |of: &FxHashMap<PersonKey, Person>| {
                of.get(&person.key).map_or(0, |person| person.lines)
            };
            let last = files.get(&person.key).unwrap_or(&person).dates.1;
            AskedPerson {
                removed: lines(&removed),
                beside: lines(&beside),
                last,
                person,
            }
        });
        let mut people: Vec<AskedPerson> = people.collect();
        sorting::sort_by_key(&mut people, |it| {
            (
                Reverse((it.removed, it.beside, it.last.time)),
                it.person.key.clone(),
            )
        });
        people
    }

    /// The dates of the oldest, the middle and the newest of the removed lines that are committed.
    pub(crate) fn ages(&self) -> Option<[Moment; 3]> {
        let dates = self.removed.iter().filter_map(|(id, lines)| {
            let authors = self.authors.get(id).filter(|_| !id.is_null())?;
            Some((authors.people().date, u64::from(*lines)))
        });
        let mut dates: Vec<(Moment, u64)> = dates.collect();
        sorting::sort(&mut dates);
        let total: u64 = dates.iter().map(|(_, lines)| lines).sum();
        let mut before = 0;
        let middle = dates.iter().find(|(_, lines)| {
            before += lines;
            before * 2 >= total
        })?;
        Some([dates.first()?.0, middle.0, dates.last()?.0])
    }

    fn time(&self, id: &ObjectId) -> i64 {
        let authors = self.authors.get(id);
        authors.map_or(0, |authors| authors.people().date.time)
    }
}
