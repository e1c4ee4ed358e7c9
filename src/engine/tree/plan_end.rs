//! The end of the first phase: a plan of what the walk has found.

use std::{collections::HashSet, sync::Arc};

use rustc_hash::FxHashMap;

use crate::{
    engine::{
        api::error::Error,
        tree::{
            plan::{
                PlannedCommit, PlannedVersions, RecordOrigin, TreePlan, Unplanned, VersionRecord,
            },
            planner::{KNOWN, Planner},
        },
    },
    sorting,
};

/// The numbers that records have in the finished plan: those that lead to others first. Records that
/// no lines come to have none.
struct RecordNumbers {
    /// The number of records that are not of the earlier plan.
    own: usize,
    /// By record, those of the earlier plan last.
    numbers: Vec<Option<u32>>,
}

impl RecordNumbers {
    /// Where a record is among all.
    fn place(&self, record: u32) -> usize {
        match record.checked_sub(KNOWN) {
            Some(known) => self.own + known as usize,
            None => record as usize,
        }
    }

    fn number(&self, record: u32) -> Option<u32> {
        self.numbers[self.place(record)]
    }
}

impl Planner<'_, '_> {
    /// The plan; without records if there is a reason not to use them.
    ///
    /// # Errors
    ///
    /// The commit-graph became unreadable, of which ids may be asked here first.
    pub(super) fn finish(mut self, unplanned: Option<Unplanned>) -> Result<TreePlan, Error> {
        let mut versions = PlannedVersions::default();
        let mut known = FxHashMap::default();
        if unplanned.is_none() {
            let starts = self.starts.iter();
            let starts: Vec<Option<u32>> = starts
                .map(|start| self.segments.record((*start)?))
                .collect();
            let numbers = self.number_records(&starts);
            for (file, start) in self.files.iter_mut().zip(starts) {
                file.record = start.and_then(|record| numbers.number(record));
            }
            self.take_records(&numbers, &mut versions);
            for file in self.known.iter().flat_map(|known| &known.tree.files) {
                let record = file
                    .record
                    .and_then(|record| numbers.number(KNOWN + record));
                if let (Some(record), Some(blame)) = (record, &file.known) {
                    known.insert(record, Arc::clone(blame));
                }
            }
            for file in &mut self.files {
                file.known = file.record.and_then(|at| known.get(&at)).cloned();
            }
        }
        let commits = self.commits.iter().map(|&commit| PlannedCommit {
            id: self.walk.caches.commits.id(commit),
            is_boundary: self.walk.board.is_uninteresting(commit),
        });
        versions.commits = commits.collect();
        self.walk.check_graph()?;
        versions.paths = self.walk.board.paths().to_vec();
        sorting::sort(&mut self.attributes);
        self.attributes.dedup();
        let mut reported = HashSet::new();
        let unreadable_parents = &mut self.walk.unreadable_parents;
        unreadable_parents.retain(|error| reported.insert(error.to_string()));
        Ok(TreePlan {
            request: self.walk.request.clone(),
            files: self.files,
            versions,
            known,
            met: self.met,
            attributes: self.attributes,
            unreadable_parents: self.walk.unreadable_parents,
            unplanned,
            work_tree: None,
        })
    }

    /// Numbers the records that lines of the files come to, which are at `starts` first.
    fn number_records(&mut self, starts: &[Option<u32>]) -> RecordNumbers {
        let known = self.known.as_ref().map(|known| &known.tree.versions);
        let count = self.records.len() + known.map_or(0, |known| known.records.len());
        let mut numbers = RecordNumbers {
            own: self.records.len(),
            numbers: vec![None; count],
        };
        for &record in starts.iter().flatten() {
            let place = numbers.place(record);
            numbers.numbers[place] = Some(0);
        }
        let mut next = 0;
        for at in 0..count {
            if numbers.numbers[at].is_none() {
                continue;
            }
            numbers.numbers[at] = Some(next);
            next += 1;
            // Those that a record leads to come later.
            if let Some(record) = self.records.get(at) {
                for origin in record.origins.clone().unwrap_or_default() {
                    let segment = self.origins[origin as usize].segment;
                    if let Some(record) = self.segments.record(segment) {
                        let place = numbers.place(record);
                        numbers.numbers[place].get_or_insert(0);
                    }
                }
            } else if let Some(known) = known {
                for origin in known.origins_of(&known.records[at - numbers.own]) {
                    let place = numbers.place(KNOWN + origin.record);
                    numbers.numbers[place].get_or_insert(0);
                }
            }
        }
        numbers
    }

    /// Takes the records that have numbers, in their order.
    fn take_records(&mut self, numbers: &RecordNumbers, versions: &mut PlannedVersions) {
        for (at, record) in std::mem::take(&mut self.records).into_iter().enumerate() {
            if numbers.numbers[at].is_none() {
                continue;
            }
            let start = versions.origins.len() as u32;
            let mut origins = record.origins;
            for origin in origins.clone().unwrap_or_default() {
                let origin = &self.origins[origin as usize];
                let record = self.segments.record(origin.segment);
                let Some(record) = record.and_then(|record| numbers.number(record)) else {
                    origins = None;
                    break;
                };
                versions.origins.push(RecordOrigin {
                    record,
                    commit: origin.commit,
                    path: origin.path.into(),
                });
            }
            let end = versions.origins.len() as u32;
            let origins = origins.map(|_| start..end);
            versions.records.push(VersionRecord { origins, ..record });
        }
        let Some(known) = self.known.take() else {
            return;
        };
        let kept = &known.tree.versions;
        let mut commit_number = |number: u32| {
            let commit = known.commits[number as usize];
            if kept.commits[number as usize].is_boundary {
                self.walk.board.mark_uninteresting(commit);
            }
            self.commit_number(commit)
        };
        let path_number = |number: u32| known.paths[number as usize].into();
        for (at, record) in kept.records.iter().enumerate() {
            if numbers.numbers[numbers.own + at].is_none() {
                continue;
            }
            let start = versions.origins.len() as u32;
            for origin in kept.origins_of(record) {
                let Some(record) = numbers.number(KNOWN + origin.record) else {
                    continue;
                };
                versions.origins.push(RecordOrigin {
                    record,
                    commit: commit_number(origin.commit),
                    path: path_number(origin.path),
                });
            }
            versions.records.push(VersionRecord {
                commit: commit_number(record.commit),
                path: path_number(record.path),
                entry: record.entry,
                origins: Some(start..versions.origins.len() as u32),
            });
        }
        self.known = Some(known);
    }
}
