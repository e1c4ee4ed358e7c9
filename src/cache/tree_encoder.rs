//! Writes the file that holds the blames of all files of a directory in a commit.

use std::sync::Arc;

use bstr::BString;
use rustc_hash::FxHashSet;

use crate::{
    cache::{
        fingerprint::RequestFingerprint,
        record::{self, Dictionary},
        tree_record::{
            FLAG_BITS, HAS_BLAME, IS_SUBMODULE, MAX_LEN, assembled, checksum_of_blame,
            encoded_last_commits,
        },
    },
    engine::{AskedAttribute, PlannedBlame, PlannedVersions, TreePlan},
    objects::ObjectId,
    repository::commits::cached_texts::ShortenedCommit,
    text::byte_codec::{push_bytes, push_number},
};

/// Gathers the blames of a directory's files for a file of the cache.
#[derive(Debug, Default)]
pub(super) struct TreeEncoder {
    ids: Dictionary<ObjectId>,
    paths: Dictionary<Arc<BString>>,
    boundaries: FxHashSet<ObjectId>,
    /// By file of the plan.
    blames: Vec<Option<Vec<u8>>>,
    /// The bytes of all blames.
    len: u64,
}

impl TreeEncoder {
    /// For this number of files.
    pub(super) fn new(files: usize) -> TreeEncoder {
        TreeEncoder {
            blames: vec![None; files],
            ..TreeEncoder::default()
        }
    }

    /// Adds the blame of a file.
    pub(super) fn add(&mut self, file: usize, blame: &PlannedBlame) {
        if self.len > MAX_LEN {
            return;
        }
        let mut out = Vec::new();
        let head = u64::from(blame.line_count) << 1 | u64::from(blame.is_binary);
        push_number(&mut out, head);
        push_number(&mut out, blame.origins.len() as u64);
        for origin in &blame.origins {
            push_number(&mut out, self.ids.number(origin.commit));
            push_number(&mut out, self.paths.number(Arc::clone(&origin.path)));
            let previous = origin.previous.map_or(0, |it| u64::from(it.0) + 1);
            push_number(&mut out, previous);
        }
        record::push_entries(&mut out, &blame.entries);
        push_number(&mut out, blame.paths.len() as u64);
        for path in &blame.paths {
            push_number(&mut out, self.paths.number(Arc::clone(path)));
        }
        self.boundaries.extend(&blame.boundaries);
        self.len += out.len() as u64;
        self.blames[file] = Some(out);
    }

    /// The same blames for another plan of the same commit, as far as it has their files.
    pub(super) fn with_files_of(mut self, older: &TreePlan, plan: &TreePlan) -> TreeEncoder {
        let files = plan.committed();
        let mut blames = vec![None; files.len()];
        for (file, blame) in older.committed().iter().zip(&mut self.blames) {
            if let Ok(at) = files.binary_search_by(|it| it.path.cmp(&file.path)) {
                blames[at] = blame.take();
            }
        }
        self.len = blames.iter().flatten().map(|it| it.len() as u64).sum();
        TreeEncoder { blames, ..self }
    }

    /// The bytes of a file. `text` gives the shortened commit of an id.
    pub(super) fn finish(
        &mut self,
        plan: &TreePlan,
        commit: &ObjectId,
        last_commits: Option<&[(BString, ObjectId)]>,
        fingerprint: &RequestFingerprint,
        text: impl Fn(&ObjectId) -> Option<ShortenedCommit>,
    ) -> Vec<u8> {
        let planned = &plan.versions().commits;
        let ends = planned.iter().filter(|commit| commit.is_boundary);
        self.boundaries.extend(ends.map(|commit| commit.id));
        let mut rest = Vec::new();
        push_attributes(&mut rest, plan.attributes());
        push_number(&mut rest, plan.committed().len() as u64);
        for (file, blame) in plan.committed().iter().zip(&self.blames) {
            push_bytes(&mut rest, &file.path);
            let flags = u64::from(file.is_submodule) * IS_SUBMODULE
                + u64::from(blame.is_some()) * HAS_BLAME;
            push_number(&mut rest, u64::from(file.entry.mode) << FLAG_BITS | flags);
            rest.extend_from_slice(file.entry.id.as_slice());
            let last = file.last_commit.map_or(0, |id| self.ids.number(id) + 1);
            push_number(&mut rest, last);
            push_number(&mut rest, file.record.map_or(0, |at| u64::from(at) + 1));
            if let Some(blame) = blame {
                push_number(&mut rest, blame.len() as u64);
                rest.extend_from_slice(&checksum_of_blame(blame));
            }
        }
        for (_, commit) in last_commits.unwrap_or_default() {
            self.ids.number(*commit);
        }
        let ids_of_index = self.ids.items.len();
        let versions = self.versions(plan.versions(), ids_of_index);
        let mut index = commit.as_slice().to_vec();
        push_bytes(&mut index, &plan.request().path);
        push_ids(
            &mut index,
            &self.ids.items[..ids_of_index],
            &self.boundaries,
        );
        push_number(&mut index, self.paths.items.len() as u64);
        for path in &self.paths.items {
            push_bytes(&mut index, path);
        }
        index.append(&mut rest);
        let mut texts = Vec::new();
        let ids = self.ids.items[..ids_of_index].iter().enumerate();
        for (at, text) in ids.filter_map(|(at, id)| Some((at, text(id)?))) {
            push_number(&mut texts, at as u64);
            push_bytes(&mut texts, text.as_bytes());
        }
        let blames: Vec<u8> = self.blames.iter().flatten().flatten().copied().collect();
        let last_commits = encoded_last_commits(last_commits);
        assembled(fingerprint, &[index, last_commits, blames, texts, versions])
    }

    /// The section of versions.
    fn versions(&mut self, versions: &PlannedVersions, ids_of_index: usize) -> Vec<u8> {
        let mut records = Vec::new();
        push_number(&mut records, versions.records.len() as u64);
        for (at, record) in versions.records.iter().enumerate() {
            let mut place = |out: &mut Vec<u8>, commit: u32, path: u32| {
                let commit = versions.commits[commit as usize].id;
                let path = Arc::clone(&versions.paths[path as usize]);
                push_number(out, self.ids.number(commit));
                push_number(out, self.paths.number(path));
            };
            place(&mut records, record.commit, record.path);
            push_number(&mut records, u64::from(record.entry.mode));
            records.extend_from_slice(record.entry.id.as_slice());
            let origins = versions.origins_of(record);
            push_number(&mut records, origins.len() as u64);
            for origin in origins {
                place(&mut records, origin.commit, origin.path);
                push_number(&mut records, u64::from(origin.record) - at as u64);
            }
        }
        let mut out = Vec::new();
        let further = &self.ids.items[ids_of_index..];
        push_ids(&mut out, further, &self.boundaries);
        out.append(&mut records);
        out
    }
}

/// The ids, and which of them are boundaries.
fn push_ids(out: &mut Vec<u8>, ids: &[ObjectId], boundaries: &FxHashSet<ObjectId>) {
    push_number(out, ids.len() as u64);
    for id in ids {
        out.extend_from_slice(id.as_slice());
    }
    let ends = ids.iter().enumerate();
    let ends: Vec<usize> = ends
        .filter_map(|(at, id)| boundaries.contains(id).then_some(at))
        .collect();
    push_number(out, ends.len() as u64);
    for at in ends {
        push_number(out, at as u64);
    }
}

fn push_attributes(out: &mut Vec<u8>, attributes: &[AskedAttribute]) {
    push_number(out, attributes.len() as u64);
    for (path, is_text) in attributes {
        push_bytes(out, path);
        push_number(out, is_text.map_or(0, |it| u64::from(it) + 1));
    }
}
