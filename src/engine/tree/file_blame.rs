//! The second phase: the blame of one file of a plan.

use std::{collections::BTreeMap, sync::Arc};

use bstr::{BStr, BString, ByteSlice};
use rustc_hash::FxHashMap;

use crate::{
    diff::Hunk,
    engine::{
        api::{
            blame::{Entry, Origin, OriginId},
            blame_cache::BlameCache,
            error::Error,
            request::{Request, Start, Uncommitted},
        },
        board::{
            caches::Caches,
            scoreboard,
            split::{self, PendingEntry},
        },
        tree::{
            plan::{PlannedFile, RecordOrigin, TreePlan, VersionRecord},
            planned_blame::PlannedBlame,
        },
        versions::version::Version,
        walk::{
            cached::{by_line, known_lines},
            ignored,
            traversal::covers,
            walk_cache::CacheReads,
        },
    },
    objects::{ObjectId, ObjectKind},
    text::binary::are_binary,
};

/// Larger files are blamed alone, where the memory for their lines is checked.
const MAX_PLANNED_LEN: u64 = 16 << 20;

impl TreePlan {
    /// The request for the blame of a file alone.
    pub(crate) fn request_alone(&self, file: usize) -> Request {
        Request {
            path: self.files[file].path.clone(),
            ..self.request.clone()
        }
    }

    /// The kept blame of a file, if the file is as it is in the commit.
    fn kept_blame(&self, file: usize) -> Option<&PlannedBlame> {
        let file = &self.files[file];
        let is_committed = file.changed_mode.is_none();
        file.known.as_deref().filter(|_| is_committed)
    }

    /// True if [`TreePlan::known`] has the blame of a file.
    pub(super) fn is_known(&self, file: usize) -> bool {
        self.kept_blame(file).is_some()
    }

    /// The blame of a file as it is in the commit, if an earlier run has found it.
    pub(super) fn known(&self, file: usize) -> Option<PlannedBlame> {
        let known = self.kept_blame(file)?;
        Some(PlannedBlame {
            kept_lines: known.line_count,
            ..PlannedBlame::clone(known)
        })
    }

    /// True if the file at `path` has a text conversion, which may give the same blob another text
    /// at another path.
    fn converts(&self, path: &BStr) -> bool {
        let conversion = self.request.text_conversion.as_ref();
        conversion.is_some_and(|conversion| conversion.converts(path))
    }

    /// What a record is compared with; `None` if the file has to be blamed alone.
    fn origins_of(&self, record: &VersionRecord) -> Option<&[RecordOrigin]> {
        record.origins.as_ref()?;
        let origins = self.versions.origins_of(record);
        let mut paths = origins.iter().map(|origin| origin.path);
        let converts = self.converts(self.path(record.path))
            || paths.any(|path| self.converts(self.path(path)));
        (!converts).then_some(origins)
    }

    /// True if the lines of uncommitted contents that are in a file of the commit, which is their
    /// only parent, are blamed as that file. With `-M` and `-C` the others have to be searched in it.
    fn passes_to_commit(
        &self,
        file: &PlannedFile,
        uncommitted: &Uncommitted,
        caches: &Caches,
    ) -> bool {
        let request = &self.request;
        let parents = match &uncommitted.parents[..] {
            parents if request.first_parent => &parents[..1],
            parents => parents,
        };
        let is_parent = matches!((&request.start, parents), (Start::Commit(start), [parent]) if start == parent);
        let is_replaced = |id: &ObjectId| caches.reader.is_replaced(id);
        is_parent
            && !request.movement.depends_on_file()
            && uncommitted.entry.file_type() == file.entry.file_type()
            && uncommitted.contents.len() as u64 <= MAX_PLANNED_LEN
            && !is_replaced(&file.entry.id)
            && !is_replaced(&uncommitted.entry.id)
            && request.since.is_none_or(|since| since <= uncommitted.time)
    }

    /// Blames a file, or the uncommitted contents in its place; `None` if it has to be blamed alone.
    ///
    /// # Errors
    ///
    /// A version cannot be read.
    pub(crate) fn blame_file<'a>(
        &'a self,
        file: usize,
        uncommitted: Option<&Uncommitted>,
        caches: &mut Caches,
        cache: Option<&'a mut dyn BlameCache>,
    ) -> Result<Option<PlannedBlame>, Error> {
        if let Some(known) = self.known(file) {
            return Ok(Some(known));
        }
        let planned = &self.files[file];
        if planned.record.is_none() && planned.known.is_none() {
            return Ok(None);
        }
        if uncommitted.is_some_and(|it| !self.passes_to_commit(planned, it, caches)) {
            return Ok(None);
        }
        let blob = planned.entry.id;
        let is_small = caches
            .reader
            .size(&blob)?
            .is_some_and(|size| size <= MAX_PLANNED_LEN);
        if !is_small
            || caches.reader.kind(&blob)? != Some(ObjectKind::Blob)
            || self.converts(planned.path.as_bstr())
        {
            return Ok(None);
        }
        let committed = version(blob, planned.path.as_bstr(), caches)?;
        let image = match uncommitted {
            Some(it) => Arc::new(Version::new(&it.contents, &mut caches.lines)?),
            None => Arc::clone(&committed),
        };
        let line_count = u32::try_from(image.tokens.len()).map_err(|_| Error::TooLarge)?;
        let mut blame = RecordBlame {
            plan: self,
            pending: BTreeMap::new(),
            entries: Vec::new(),
            origins: Vec::new(),
            origin_ids: FxHashMap::default(),
            boundaries: Vec::new(),
            paths: Vec::new(),
            kept_lines: 0,
            hunks: Vec::new(),
            moved: Vec::new(),
            kept: Vec::new(),
            reads: cache.map(CacheReads::new),
        };
        let all =
            Vec::from_iter((line_count > 0).then(|| PendingEntry::of_lines(&(0..line_count))));
        let versions = (&*committed, &*image);
        let lines = match uncommitted {
            Some(it) => blame.pass_uncommitted(it, versions, all.clone(), &planned.path, caches)?,
            None => all.clone(),
        };
        let pieces = image.tokens.iter().map(|token| caches.lines.bytes(*token));
        let is_binary = are_binary(pieces);
        drop((committed, image));
        match (&planned.known, planned.record) {
            _ if lines.is_empty() => {}
            (Some(known), _) => blame.take_known(known, &lines),
            (None, Some(start)) => {
                // What is kept of a directory below this one is kept of the same commit.
                let lines = match self.request.start {
                    Start::Commit(commit) => {
                        let path = Arc::new(planned.path.clone());
                        blame.take_cached((commit, &path, blob), lines)
                    }
                    Start::Uncommitted(_) => lines,
                };
                if !lines.is_empty() {
                    blame.pending.insert(start, lines);
                }
            }
            (None, None) => return Ok(None),
        }
        while let Some((record, pending)) = blame.pending.pop_first() {
            if let Some(known) = self.known.get(&record) {
                blame.take_known(known, &pending);
                continue;
            }
            let version = &self.versions.records[record as usize];
            let Some(origins) = self.origins_of(version) else {
                return Ok(None);
            };
            let commit = self.versions.commits[version.commit as usize].id;
            let path = &self.versions.paths[version.path as usize];
            let pending = blame.take_cached((commit, path, version.entry.id), pending);
            if !pending.is_empty() {
                blame.visit(record, origins, pending, caches)?;
            }
        }
        let mut entries = blame.entries;
        scoreboard::coalesce(&mut entries);
        if !covers(&entries, &all) {
            return Err(Error::Unattributed);
        }
        blame.boundaries.sort_unstable();
        blame.boundaries.dedup();
        Ok(Some(PlannedBlame {
            line_count,
            is_binary,
            entries,
            origins: blame.origins,
            boundaries: blame.boundaries,
            paths: blame.paths,
            is_lasting: true,
            is_alone: false,
            kept_lines: blame.kept_lines,
        }))
    }
}

/// The blame of one file along the records of a plan.
struct RecordBlame<'a> {
    plan: &'a TreePlan,
    /// By record that is still to be visited: the lines that it is suspected of.
    pending: BTreeMap<u32, Vec<PendingEntry>>,
    entries: Vec<Entry>,
    origins: Vec<Origin>,
    origin_ids: FxHashMap<(ObjectId, Arc<BString>), OriginId>,
    boundaries: Vec<ObjectId>,
    /// The paths of the versions, mostly one.
    paths: Vec<Arc<BString>>,
    kept_lines: u32,
    hunks: Vec<Hunk>,
    moved: Vec<PendingEntry>,
    kept: Vec<PendingEntry>,
    reads: Option<CacheReads<'a, Arc<BString>>>,
}

impl RecordBlame<'_> {
    /// Blames those lines of uncommitted contents on the uncommitted changes that the commit's file
    /// does not have, and returns the others. Of the two versions, the older one is first.
    fn pass_uncommitted(
        &mut self,
        uncommitted: &Uncommitted,
        (old, new): (&Version, &Version),
        mut pending: Vec<PendingEntry>,
        path: &BString,
        caches: &mut Caches,
    ) -> Result<Vec<PendingEntry>, Error> {
        let parent = uncommitted.parents[0];
        let null = ObjectId::null(parent.kind());
        let diff = &self.plan.request.diff;
        let (old, new) = (old.tokens_and_ends(), &new.tokens);
        let compared = caches
            .differ
            .hunks_by_ends(&caches.lines, old, new, diff, &mut self.hunks);
        compared.map_err(|source| Error::Diff {
            old: parent,
            new: null,
            source,
        })?;
        split::split_unchanged(&mut pending, &self.hunks, &mut self.moved, &mut self.kept);
        if !pending.is_empty() {
            let path = Arc::new(path.clone());
            let previous = self.origin(parent, &path);
            let origin = self.origin(null, &path);
            self.origins[origin.0 as usize].previous = Some(previous);
            let guilty = pending.iter().map(|entry| entry.guilty(origin));
            self.entries.extend(guilty);
        }
        Ok(std::mem::take(&mut self.moved))
    }

    /// Passes the lines of a record, which are not none, to its origins; its commit is guilty of the rest.
    fn visit(
        &mut self,
        number: u32,
        origins: &[RecordOrigin],
        mut pending: Vec<PendingEntry>,
        caches: &mut Caches,
    ) -> Result<(), Error> {
        let plan = self.plan;
        let record = &plan.versions.records[number as usize];
        let commit = plan.versions.commits[record.commit as usize];
        self.note_path(&plan.versions.paths[record.path as usize]);
        for origin in origins {
            self.note_path(&plan.versions.paths[origin.path as usize]);
        }
        for origin in origins {
            if pending.is_empty() {
                break;
            }
            self.compare(record, origin, caches)?;
            split::split_unchanged(&mut pending, &self.hunks, &mut self.moved, &mut self.kept);
            self.give(origin.record);
        }
        if plan.request.ignored.contains(&commit.id) {
            for origin in origins {
                if pending.is_empty() {
                    break;
                }
                let (old, new) = self.compare(record, origin, caches)?;
                let (old, new) = (&old.tokens, &new.tokens);
                (pending, self.moved) =
                    ignored::split_changed(pending, &self.hunks, &caches.lines, old, new);
                self.give(origin.record);
            }
        }
        if pending.is_empty() {
            return Ok(());
        }
        let previous = origins.first().map(|origin| (origin.commit, origin.path));
        let previous = previous.map(|(commit, path)| self.planned_origin(commit, path));
        let origin = self.planned_origin(record.commit, record.path);
        self.origins[origin.0 as usize].previous = previous;
        if commit.is_boundary {
            self.boundaries.push(commit.id);
        }
        let guilty = pending.iter().map(|entry| entry.guilty(origin));
        self.entries.extend(guilty);
        Ok(())
    }

    /// Gives the lines in `self.moved` to a record.
    fn give(&mut self, record: u32) {
        if !self.moved.is_empty() {
            split::merge_entries(self.pending.entry(record).or_default(), &mut self.moved);
            self.moved.clear();
        }
    }

    /// Compares a record's version with that of an origin, and returns both, the older first; the
    /// result is in `self.hunks`.
    fn compare(
        &mut self,
        record: &VersionRecord,
        origin: &RecordOrigin,
        caches: &mut Caches,
    ) -> Result<(Arc<Version>, Arc<Version>), Error> {
        let plan = self.plan;
        let before = &plan.versions.records[origin.record as usize];
        let old = version(before.entry.id, plan.path(origin.path), caches)?;
        let new = version(record.entry.id, plan.path(record.path), caches)?;
        let compared = caches.differ.hunks_by_ends(
            &caches.lines,
            old.tokens_and_ends(),
            &new.tokens,
            &plan.request.diff,
            &mut self.hunks,
        );
        let id = |commit: u32| plan.versions.commits[commit as usize].id;
        compared.map_err(|source| Error::Diff {
            old: id(origin.commit),
            new: id(record.commit),
            source,
        })?;
        Ok((old, new))
    }

    /// Takes the blame of lines from the known one of all lines of the version.
    fn take_known(&mut self, known: &PlannedBlame, pending: &[PendingEntry]) {
        let (entries, _) = known_lines(&known.entries, pending);
        for path in &known.paths {
            self.note_path(path);
        }
        let is_boundary = |commit: &ObjectId| known.boundaries.binary_search(commit).is_ok();
        self.add_known(entries, &known.origins, is_boundary);
    }

    /// Takes the blame of lines from the cached one of a version, a file in a commit with its blob,
    /// if there is one. Returns the lines that it does not know.
    fn take_cached(
        &mut self,
        (commit, path, blob): (ObjectId, &Arc<BString>, ObjectId),
        pending: Vec<PendingEntry>,
    ) -> Vec<PendingEntry> {
        let Some(reads) = &mut self.reads else {
            return pending;
        };
        if !reads.knows(Arc::clone(path), path.as_bstr(), || commit) {
            return pending;
        }
        let Some(cached) = reads.read(&commit, path.as_bstr(), &blob) else {
            return pending;
        };
        let (entries, unknown) = known_lines(&by_line(&cached.entries), &pending);
        for path in cached.paths {
            self.note_path(&Arc::new(path));
        }
        let is_boundary = |commit: &ObjectId| cached.boundaries.contains(commit);
        self.add_known(entries, &cached.origins, is_boundary);
        unknown
    }

    /// Adds entries that were known before, with their origins there.
    fn add_known(
        &mut self,
        entries: Vec<Entry>,
        origins: &[Origin],
        is_boundary: impl Fn(&ObjectId) -> bool,
    ) {
        for mut entry in entries {
            let found = &origins[entry.origin.0 as usize];
            let previous = found.previous.map(|at| &origins[at.0 as usize]);
            let previous = previous.map(|it| self.origin(it.commit, &it.path));
            entry.origin = self.origin(found.commit, &found.path);
            self.origins[entry.origin.0 as usize].previous = previous;
            if is_boundary(&found.commit) {
                self.boundaries.push(found.commit);
            }
            self.kept_lines += entry.lines.end - entry.lines.start;
            self.entries.push(entry);
        }
    }

    fn note_path(&mut self, path: &Arc<BString>) {
        if !self.paths.contains(path) {
            self.paths.push(Arc::clone(path));
        }
    }

    /// The number of an origin of the plan.
    fn planned_origin(&mut self, commit: u32, path: u32) -> OriginId {
        let versions = &self.plan.versions;
        let commit = versions.commits[commit as usize].id;
        self.origin(commit, &versions.paths[path as usize])
    }

    /// The number of an origin.
    fn origin(&mut self, commit: ObjectId, path: &Arc<BString>) -> OriginId {
        let new = OriginId(self.origins.len() as u32);
        let place = (commit, Arc::clone(path));
        let id = *self.origin_ids.entry(place).or_insert(new);
        if id == new {
            self.origins.push(Origin {
                commit,
                path: Arc::clone(path),
                previous: None,
            });
        }
        id
    }
}

/// The lines of a version.
fn version(blob: ObjectId, path: &BStr, caches: &mut Caches) -> Result<Arc<Version>, Error> {
    let version = caches
        .versions
        .blob(&blob, &mut caches.reader, &mut caches.lines);
    version.map_err(|error| error.for_path(&path.to_owned()))
}
