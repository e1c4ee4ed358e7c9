//! A visit of the planner: what the files of a commit have to be compared with, in its parents.

use std::sync::Arc;

use bstr::{BStr, ByteSlice};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::{
    engine::{
        api::error::Error,
        board::scoreboard::PathIndex,
        history::commits::{CommitIndex, InternedHeader},
        similarity::{
            candidates::{self, CommitTree},
            renames::{self, RenameSources},
        },
        tree::{
            changed_file::{ChangedFile, OriginFile, PathInParent},
            compared_trees::{ComparedTrees, note_directories, visit_planned},
            live_files::{LiveFile, LiveFiles},
            plan::VersionRecord,
            planner::{KNOWN, ORIGIN_BYTES, PendingOrigin, Planner, RECORD_BYTES, bytes_of_path},
        },
        walk::state::{Interrupt, Walk},
    },
    objects::ObjectId,
};

impl Planner<'_, '_> {
    /// Passes the live files of a commit to its parents.
    pub(super) fn visit(
        &mut self,
        commit: CommitIndex,
        header: &InternedHeader,
    ) -> Result<(), Interrupt> {
        let Some(mut live) = self.live.remove(&commit) else {
            return Ok(());
        };
        self.take_known(commit, &mut live);
        if live.is_empty() {
            return Ok(());
        }
        let is_root = self.walk.caches.commits.parents(header).is_empty();
        let is_beyond = self.walk.is_beyond_boundary(commit, header);
        if is_beyond || (is_root && !self.walk.request.show_root) {
            self.walk.board.mark_uninteresting(commit);
        }
        if is_beyond || is_root {
            for (path, file) in live.into_sorted() {
                if !is_beyond {
                    self.note_last_commit(commit, path, file);
                }
                self.end_file(commit, path, file, Some(&[]));
            }
            return Ok(());
        }
        let tree = self.walk.caches.commits.tree(header);
        let parents = self.walk.parents_of(header);
        let first = self.walk.parent_header(parents[0])?;
        let mut changed = match &first {
            Some(first) => {
                self.take_changed(&mut live, commit, [header, first], tree, parents.len())?
            }
            None => {
                let all = std::mem::take(&mut live).into_sorted().into_iter();
                let absent = |(path, file)| {
                    ChangedFile::new(path, file, PathInParent::Absent, parents.len())
                };
                all.map(absent).collect()
            }
        };
        self.add_live(parents[0], live);
        for (at, &parent) in parents.iter().enumerate() {
            if at > 0 {
                self.find_same_paths(&mut changed, parent, tree)?;
            }
            for file in changed.iter_mut().filter(|file| file.is_looked_up()) {
                file.take_same_path(at);
            }
        }
        if self.walk.request.follow && self.plans_lines() {
            for (at, &parent) in parents.iter().enumerate() {
                self.find_renamed(&mut changed, at, parent, tree)?;
            }
        }
        for file in changed {
            self.pass(commit, &parents, file);
        }
        Ok(())
    }

    /// Takes the files out of which an earlier plan knows what this one would find.
    fn take_known(&mut self, commit: CommitIndex, live: &mut LiveFiles) {
        let Some(known) = &self.known else {
            return;
        };
        for place in known.of_commit(commit) {
            let found = live.get(place.path);
            let answers = |file: &&LiveFile| known.answers(place, file, self.plans_lines());
            let Some(&file) = found.filter(answers) else {
                continue;
            };
            live.remove(place.path);
            self.met += 1;
            if let Some(record) = place.record {
                self.segments.end(file.segment, KNOWN + record);
            }
            let id = self.walk.caches.commits.id(commit);
            if file.is_unchanged
                && let Some(&at) = self.file_at.get(&place.path)
                && let Some(last) = known.last_commit(place, id)
            {
                self.files[at].last_commit = Some(last);
                self.sink.last_commit(at, last);
            }
        }
    }

    /// Takes the files out that differ from the first parent's.
    fn take_changed(
        &mut self,
        live: &mut LiveFiles,
        commit: CommitIndex,
        [header, first]: [&InternedHeader; 2],
        tree: ObjectId,
        parent_count: usize,
    ) -> Result<Vec<ChangedFile>, Error> {
        let mut changed = Vec::new();
        let mut take = |path, found| {
            if let Some(file) = live.remove(path) {
                changed.push(ChangedFile::new(path, file, found, parent_count));
            }
        };
        let mut all = self.sink.changes().map(|_| Vec::new());
        let directories = &self.directories;
        let ahead = self.ahead.as_mut();
        let ahead = ahead.and_then(|ahead| ahead.take(|it| directories.contains(it)));
        let differ = if let Some(compared) = ahead {
            let board = &self.walk.board;
            for change in &compared.changes {
                visit_planned(&change.path, [change.old, change.new], board, &mut take);
            }
            all = all.map(|_| compared.changes);
            Ok(())
        } else {
            let compared = ComparedTrees {
                parent: first,
                tree,
                directories,
                all: all.as_mut(),
            };
            compared.visit(&mut self.walk, &mut take)
        };
        if readable(differ)?.is_some() {
            let paths = changed.iter().map(|file| file.path);
            self.walk.doubt_ruled_out(header, paths)?;
            if let (Some(changes), Some(all)) = (self.sink.changes(), all) {
                changes.add(self.walk.caches.commits.id(commit), all);
            }
        } else {
            let rest = std::mem::take(live).into_sorted().into_iter();
            changed.extend(rest.map(|(path, file)| {
                ChangedFile::new(path, file, PathInParent::Absent, parent_count)
            }));
            changed.iter_mut().for_each(|file| file.is_unknown = true);
        }
        Ok(changed)
    }

    /// Looks the paths of changed files up in another parent.
    fn find_same_paths(
        &mut self,
        changed: &mut [ChangedFile],
        parent: CommitIndex,
        tree: ObjectId,
    ) -> Result<(), Interrupt> {
        let header = self.walk.parent_header(parent)?;
        let mut wanted = FxHashMap::default();
        let mut directories = FxHashSet::default();
        for (at, file) in changed.iter_mut().enumerate() {
            file.found = match header {
                Some(_) => PathInParent::Entry(file.file.entry),
                None => PathInParent::Absent,
            };
            if file.is_looked_up() {
                wanted.insert(file.path, at);
                note_directories(&mut directories, self.walk.board.path(file.path));
            }
        }
        let Some(header) = header.filter(|_| !wanted.is_empty()) else {
            return Ok(());
        };
        let mut note = |path, found| {
            if let Some(&at) = wanted.get(&path) {
                changed[at].found = found;
            }
        };
        let compared = ComparedTrees {
            parent: &header,
            tree,
            directories: &directories,
            all: None,
        };
        let differ = compared.visit(&mut self.walk, &mut note);
        if readable(differ)?.is_none() {
            for &at in wanted.values() {
                changed[at].is_unknown = true;
            }
        }
        Ok(())
    }

    /// Looks for renames of the files that a parent lacks.
    fn find_renamed(
        &mut self,
        changed: &mut [ChangedFile],
        at: usize,
        parent: CommitIndex,
        tree: ObjectId,
    ) -> Result<(), Interrupt> {
        let is_wanted = |file: &&mut ChangedFile| {
            file.taken.is_none() && !file.is_unknown && file.absent.contains(&at)
        };
        if !changed.iter_mut().any(|file| is_wanted(&file)) {
            return Ok(());
        }
        let Some(header) = self.walk.parent_header(parent)? else {
            return Ok(());
        };
        let Walk {
            caches,
            request,
            board,
            ..
        } = &mut self.walk;
        let parent_tree = caches.commits.tree(&header);
        let reader = &mut caches.reader;
        reader.fetch_differing_trees(parent_tree, Some(tree));
        let sources = candidates::rename_sources(parent_tree, CommitTree::Stored(tree), reader);
        let Some(sources) = readable(sources)? else {
            let wanted = changed.iter_mut().filter(is_wanted);
            wanted.for_each(|file| file.is_unknown = true);
            return Ok(());
        };
        let mut sources = RenameSources::of_many(sources);
        let attributes = request.text_attributes.as_deref();
        let asked = &mut self.attributes;
        let mut is_text = |path: &BStr| {
            let found = attributes.and_then(|attributes| attributes.is_text(path));
            asked.push((path.to_owned(), found));
            found
        };
        for file in changed.iter_mut().filter(is_wanted) {
            let path = Arc::clone(board.path(file.path));
            let (path, entry) = (path.as_bstr(), file.file.entry);
            let found = renames::find_source(path, entry, None, &mut sources, &mut is_text, reader);
            let Some(found) = readable(found)? else {
                file.is_unknown = true;
                continue;
            };
            let Some((source, entry)) = found.map(|found| &sources.files()[found]) else {
                continue;
            };
            // In trees that are not sorted, a lookup finds another entry than a list has.
            let listed = reader.find_path(parent_tree, source, None);
            let listed = readable(listed.map_err(Error::in_trees))?.flatten();
            if listed.is_none_or(|chain| chain.entry != *entry) {
                file.is_unknown = true;
                continue;
            }
            self.bytes += bytes_of_path(source);
            note_directories(&mut self.directories, source);
            if let Some(ahead) = &mut self.ahead {
                ahead.add_path(source);
            }
            let path = board.path_index(source);
            let entry = *entry;
            file.retain(at, OriginFile { path, entry });
        }
        Ok(())
    }

    /// Passes a changed file to the parents.
    fn pass(&mut self, commit: CommitIndex, parents: &[CommitIndex], changed: ChangedFile) {
        let ChangedFile { path, file, .. } = changed;
        if changed.is_unknown {
            self.end_file(commit, path, file, None);
            return;
        }
        if changed.same_entry.is_none() {
            self.note_last_commit(commit, path, file);
        }
        if !self.plans_lines() {
            if let Some(same) = changed.same_entry {
                self.add_file(parents[same], path, file);
            }
            return;
        }
        let Some((at, found)) = changed.taken else {
            let retained = changed.retained.iter().enumerate();
            let origins: SmallVec<[(CommitIndex, OriginFile); 2]> = retained
                .filter_map(|(at, file)| Some((parents[at], (*file)?)))
                .collect();
            self.end_file(commit, path, file, Some(&origins));
            return;
        };
        let passed = LiveFile {
            entry: found.entry,
            is_unchanged: file.is_unchanged && changed.same_entry == Some(at),
            ..file
        };
        self.add_file(parents[at], found.path, passed);
        if let Some(same) = changed.same_entry.filter(|same| *same != at)
            && file.is_unchanged
        {
            // Only the last commit is looked for there: no lines are in this segment.
            let segment = self.segments.add();
            self.add_file(parents[same], path, LiveFile { segment, ..file });
        }
    }

    /// Ends the segment of a file at a commit, and begins one in each of its origins, which are
    /// `None` if they are not known.
    fn end_file(
        &mut self,
        commit: CommitIndex,
        path: PathIndex,
        file: LiveFile,
        origins: Option<&[(CommitIndex, OriginFile)]>,
    ) {
        if !self.plans_lines() {
            return;
        }
        let start = self.origins.len() as u32;
        for &(parent, found) in origins.unwrap_or_default() {
            let segment = self.segments.add();
            let origin = PendingOrigin {
                segment,
                commit: self.commit_number(parent),
                path: found.path,
            };
            self.origins.push(origin);
            let file = LiveFile {
                segment,
                entry: found.entry,
                is_unchanged: false,
            };
            self.add_file(parent, found.path, file);
        }
        let end = self.origins.len() as u32;
        self.bytes += RECORD_BYTES + ORIGIN_BYTES * (end - start) as usize;
        self.segments.end(file.segment, self.records.len() as u32);
        let record = VersionRecord {
            commit: self.commit_number(commit),
            path: path.into(),
            entry: file.entry,
            origins: origins.map(|_| start..end),
        };
        self.records.push(record);
    }

    fn note_last_commit(&mut self, commit: CommitIndex, path: PathIndex, file: LiveFile) {
        if file.is_unchanged
            && let Some(&at) = self.file_at.get(&path)
        {
            let id = self.walk.caches.commits.id(commit);
            self.files[at].last_commit = Some(id);
            self.sink.last_commit(at, id);
        }
    }

    /// Gives a commit a live file.
    pub(super) fn add_file(&mut self, commit: CommitIndex, path: PathIndex, file: LiveFile) {
        let live = self.live.entry(commit).or_default();
        live.add(path, file, &mut self.segments);
    }

    /// Gives a commit live files.
    pub(super) fn add_live(&mut self, commit: CommitIndex, files: LiveFiles) {
        if !files.is_empty() {
            let live = self.live.entry(commit).or_default();
            live.add_all(files, &mut self.segments);
        }
    }
}

/// `None` for what cannot be read, which may not matter to any line.
///
/// # Errors
///
/// A sign of damage.
fn readable<T>(read: Result<T, Error>) -> Result<Option<T>, Error> {
    match read {
        Err(error) if error.is_sign_of_damage() => Err(error),
        read => Ok(read.ok()),
    }
}
