//! Resolves what is typed to go to: revisions and files.

use std::{
    collections::{BTreeSet, HashSet},
    path::Path,
    sync::Arc,
};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    dates::{calendar::Clock, typed_date},
    objects::{ObjectId, Reader, TreeEntry, formats::tree},
    repository::{
        Repository,
        content::similar_paths::similar_paths,
        open::grafts,
        places::place,
        revisions::{merge_bases::is_ancestor, resolver::RevisionResolver},
    },
    sanitize, sorting,
    text::version_order::newest_first,
    viewer::model::{
        abbreviation::short,
        background::queries::{DirectoryPlace, DirectoryPlaceQuery},
        file_version::version_of,
        relative_dates,
        source::{Failure, FileVersion, NamedVersion, PlaceQuery},
    },
};

/// Most completions of an input, and most of them that are files. What all have in common is typed for the user.
const MAX_COMPLETIONS: usize = 100_000;
const MAX_FILES: usize = 1000;

/// Names of references that are no branch or tag.
const HEADS: &[&str] = &["HEAD", "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD"];

/// Where the resolution starts: the version that is visible.
pub(super) struct Base<'a> {
    /// The repository.
    pub(super) repository: &'a Arc<Repository>,
    /// A reader of its objects.
    pub(super) reader: &'a mut Reader,
    /// The commit that is visible, or that the work tree is based on.
    pub(super) commit: Option<ObjectId>,
    /// The newest commit of the line of first parents in which dates are looked for.
    pub(super) tip: Option<ObjectId>,
    /// The root of the work tree, if its file is visible.
    pub(super) work_tree: Option<&'a Path>,
    /// What has to be said about the version: of which day it is.
    pub(super) note: Option<String>,
    /// A warning about the revision: that a reflog does not go back so far.
    pub(super) warning: Option<String>,
}

impl Base<'_> {
    /// The version that the input names.
    ///
    /// # Errors
    /// If it names none, in plain words.
    pub(super) fn place(&mut self, query: &PlaceQuery) -> Result<NamedVersion, Failure> {
        let found = match self.find_place(query) {
            Ok(found) => found,
            Err(failure) => {
                let found = with_line(query.input.as_bstr(), |file| {
                    let input = file.to_owned();
                    self.find_place(&PlaceQuery {
                        input,
                        ..query.clone()
                    })
                });
                let (found, line) = found.ok_or(failure)?;
                NamedVersion {
                    line: Some(line),
                    ..found
                }
            }
        };
        let is_uncertain = self.warning.is_some();
        let note = self.warning.take().or(self.note.take());
        Ok(NamedVersion {
            note,
            is_uncertain,
            ..found
        })
    }

    fn find_place(&mut self, query: &PlaceQuery) -> Result<NamedVersion, Failure> {
        let input = query.input.trim().as_bstr();
        // `:path` is a file even where a revision has its name; `:/text` is a revision.
        let is_path = input.starts_with(b":") && !input.starts_with(b":/");
        if !is_path && let Some(commit) = self.revision(input)? {
            return self.file_in(&commit, input, query);
        }
        let current = query.names.first().map(|path| path.as_bstr());
        let current = current.unwrap_or_default();
        let mut file = input;
        for (revision, path) in readings(input) {
            let commit = match revision {
                Some(name) => Some(self.revision_or_date(name)?),
                None => self.commit.filter(|_| self.work_tree.is_none()),
            };
            let found = match (&commit, self.work_tree) {
                (Some(commit), _) => self.find(commit, path, current)?,
                (None, Some(root)) => {
                    let is_file = |path: &BString| root.join(path.to_path_lossy()).is_file();
                    let mut candidates = self.candidates(path, current).into_iter();
                    candidates.find(is_file)
                }
                (None, None) => None,
            };
            match (found, &commit, revision) {
                (Some(path), _, _) => return Ok(named(commit, path, query)),
                (None, Some(commit), Some(name)) => return Err(self.no_file(commit, path, name)),
                (None, ..) => file = path,
            }
        }
        if let Some(commit) = self.at_date(file)? {
            return self.file_in(&commit, file, query);
        }
        let mut message = format!("“{file}” is neither a line, a revision, a file nor a date");
        message.push_str(&self.remote_branch(file));
        if let Some(commit) = self.commit.filter(|_| !message.ends_with('?')) {
            message.push_str(&self.suggestion(&commit, file));
        }
        Err(Failure::new(message))
    }

    /// The directory or file that an input above a directory names.
    ///
    /// # Errors
    /// If it names none, in plain words.
    pub(super) fn directory_place(
        &mut self,
        query: &DirectoryPlaceQuery,
    ) -> Result<DirectoryPlace, Failure> {
        let failure = match self.find_directory_place(query) {
            Err(failure) => failure,
            found => return found,
        };
        let found = with_line(query.input.as_bstr(), |file| {
            let named = DirectoryPlaceQuery {
                input: file.to_owned(),
                version: query.version.clone(),
            };
            self.find_directory_place(&named)
        });
        // A directory has no lines.
        let (found, line) = found
            .filter(|(found, _)| !found.is_directory)
            .ok_or(failure)?;
        Ok(DirectoryPlace {
            line: Some(line),
            ..found
        })
    }

    fn find_directory_place(
        &mut self,
        query: &DirectoryPlaceQuery,
    ) -> Result<DirectoryPlace, Failure> {
        let input = query.input.trim().as_bstr();
        let directory = match &query.version {
            FileVersion::Commit { path, .. }
            | FileVersion::WorkTree { path }
            | FileVersion::Reloaded { path, .. } => path.as_ref().clone(),
            FileVersion::CommandLine => BString::default(),
        };
        if let Some(commit) = self.revision(input)? {
            return self.directory_in(commit, directory, input);
        }
        let mut current = directory.clone();
        if !current.is_empty() {
            current.push(b'/');
        }
        let mut typed = input;
        for (revision, path) in readings(input) {
            let commit = match revision {
                Some(name) => Some(self.revision_or_date(name)?),
                None => self.commit.filter(|_| self.work_tree.is_none()),
            };
            let candidates = match path.as_bytes() {
                b"" => vec![BString::default()],
                _ => self.candidates(path, current.as_bstr()),
            };
            for path in candidates {
                let is_directory = match (&commit, self.work_tree) {
                    (Some(commit), _) => self.entry(commit, path.as_bstr())?.map(|it| it.is_tree()),
                    (None, Some(root)) => {
                        let there = root.join(path.to_path_lossy()).metadata();
                        there.ok().map(|there| there.is_dir())
                    }
                    (None, None) => None,
                };
                if let Some(is_directory) = is_directory {
                    return Ok(self.directory_of(commit, path, is_directory, revision));
                }
            }
            if let Some(name) = revision {
                return Err(Failure::new(format!("{name} has no “{path}”")));
            }
            typed = path;
        }
        if let Some(commit) = self.at_date(typed)? {
            return self.directory_in(commit, directory, typed);
        }
        let hint = self.remote_branch(typed);
        Err(Failure::new(format!(
            "“{typed}” is neither a row, a revision, a path nor a date{hint}"
        )))
    }

    /// The visible directory in another commit, which has this name.
    fn directory_in(
        &mut self,
        commit: ObjectId,
        directory: BString,
        name: &BStr,
    ) -> Result<DirectoryPlace, Failure> {
        let is_there = self.entry(&commit, directory.as_bstr())?;
        if is_there.is_none_or(|entry| !entry.is_tree()) {
            return Err(Failure::new(format!(
                "{name} has no directory “{directory}”"
            )));
        }
        Ok(self.directory_of(Some(commit), directory, true, Some(name)))
    }

    /// A place of a commit or of the work tree, with what has to be said about it.
    fn directory_of(
        &mut self,
        commit: Option<ObjectId>,
        path: BString,
        is_directory: bool,
        name: Option<&BStr>,
    ) -> DirectoryPlace {
        let warning = self.warning.take();
        let id = commit.filter(|_| warning.is_some()).map(|id| short(&id));
        DirectoryPlace {
            version: version_of(commit, path),
            is_directory,
            revision: id.map_or_else(|| name.map(BStr::to_owned), |id| Some(id.into())),
            note: warning.or(self.note.take()),
            line: None,
        }
    }

    /// The commit that a name before a path stands for.
    fn revision_or_date(&mut self, name: &BStr) -> Result<ObjectId, Failure> {
        let found = match self.revision(name)? {
            None => self.at_date(name)?,
            found => found,
        };
        found.ok_or_else(|| {
            let hint = self.remote_branch(name);
            Failure::new(format!("there is no revision “{name}”{hint}"))
        })
    }

    /// The branch that only a remote has and that may be meant, as a question.
    fn remote_branch(&self, name: &BStr) -> String {
        let mut notes = Vec::new();
        let found = RevisionResolver::new(self.repository, &mut notes).remote_branch(name);
        found.map_or_else(String::new, |name| format!("; did you mean {name}?"))
    }

    /// The newest commit that is not after a date, on the line of first parents; `None` if the input
    /// is no date.
    ///
    /// # Errors
    /// If all are after it.
    fn at_date(&mut self, input: &[u8]) -> Result<Option<ObjectId>, Failure> {
        let Some(date) = typed_date::parse(input, &Clock::system()) else {
            return Ok(None);
        };
        let mut next = self.tip;
        let mut seen = HashSet::new();
        // Grafts can form cycles.
        while let Some(commit) = next.filter(|commit| seen.insert(*commit)) {
            let head = self.reader.commit_head(&commit).map_err(Failure::new)?;
            if head.time <= date {
                let (id, day) = (short(&commit), relative_dates::day(head.time, 0));
                let until = sanitize::line(input);
                self.note = Some(if until == day {
                    format!("{id} of {day}")
                } else {
                    format!("{id} of {day}, the last one up to {until}")
                });
                return Ok(Some(commit));
            }
            let parents = grafts::parents(self.repository.grafts(), &commit, &head);
            next = parents.first().copied();
        }
        let input = input.as_bstr();
        Err(Failure::new(format!("the history begins after “{input}”")))
    }

    /// What a commit has at a path; the root for an empty one.
    fn entry(&mut self, commit: &ObjectId, path: &BStr) -> Result<Option<TreeEntry>, Failure> {
        let root = self.reader.commit_head(commit).map_err(Failure::new)?.tree;
        if path.is_empty() {
            let mode = 0o040_000;
            return Ok(Some(TreeEntry { mode, id: root }));
        }
        let found = self.reader.find_path(root, path, None);
        Ok(found.map_err(Failure::new)?.map(|found| found.entry))
    }

    /// The commit that a name stands for.
    fn revision(&mut self, name: &BStr) -> Result<Option<ObjectId>, Failure> {
        let mut notes = Vec::new();
        let mut resolver = RevisionResolver::new(self.repository, &mut notes);
        let found = resolver.commit(name);
        if let (None, Some(warning)) = (&self.warning, notes.first()) {
            let warning = warning.strip_prefix(b"warning: ").unwrap_or(warning);
            self.warning = Some(sanitize::line(warning));
        }
        found.map_err(Failure::new)
    }

    /// The visible file in a commit, under one of the names that it has had.
    fn file_in(
        &mut self,
        commit: &ObjectId,
        revision: &BStr,
        query: &PlaceQuery,
    ) -> Result<NamedVersion, Failure> {
        for name in &query.names {
            if self.is_file(commit, name.as_bstr())? {
                return Ok(named(Some(*commit), name.as_ref().clone(), query));
            }
        }
        let name = query.names.first().map(|name| name.as_bstr());
        let name = name.unwrap_or_default();
        let grafts = self.repository.grafts();
        let is_too_early = match self.commit {
            Some(visible) => {
                is_ancestor(self.reader, grafts, *commit, visible).map_err(Failure::new)?
            }
            None => false,
        };
        if !is_too_early {
            return Err(self.no_file(commit, name, revision));
        }
        Ok(NamedVersion {
            is_too_early,
            ..named(Some(*commit), name.to_owned(), query)
        })
    }

    fn no_file(&mut self, commit: &ObjectId, path: &BStr, revision: &BStr) -> Failure {
        let hint = self.suggestion(commit, path);
        Failure::new(format!("{revision} has no file “{path}”{hint}"))
    }

    /// The most similar file of a commit, as a question.
    fn suggestion(&mut self, commit: &ObjectId, path: &BStr) -> String {
        let similar = similar_paths(self.reader, self.repository.hash(), commit, path);
        let similar = similar.first();
        similar.map_or_else(String::new, |path| format!("; did you mean {path}?"))
    }

    fn is_file(&mut self, commit: &ObjectId, path: &BStr) -> Result<bool, Failure> {
        let found = self.entry(commit, path)?;
        Ok(found.is_some_and(|entry| entry.is_regular() || entry.is_link()))
    }

    /// The path of a file in a commit.
    fn find(
        &mut self,
        commit: &ObjectId,
        path: &BStr,
        current: &BStr,
    ) -> Result<Option<BString>, Failure> {
        for path in self.candidates(path, current) {
            if self.is_file(commit, path.as_bstr())? {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// The paths from the root that a typed one may stand for: from the root, from the directory
    /// where the program was started, and from that of the visible file. With `./` or `../`, only
    /// the last two.
    fn candidates(&self, path: &BStr, current: &BStr) -> Vec<BString> {
        let directory = current.rfind_byte(b'/').map_or(0, |slash| slash + 1);
        let started: &[u8] = &self.repository.paths().prefix;
        let is_relative = path.starts_with(b"./") || path.starts_with(b"../");
        let bases = [&b""[..], started, &current[..directory]];
        let mut found = Vec::new();
        for base in &bases[usize::from(is_relative)..] {
            let path = normalized(base, path);
            found.extend(path.filter(|path| !found.contains(path)));
        }
        found
    }

    /// The completions of the input: references, and files and directories. A directory ends
    /// with a slash.
    pub(super) fn completions(&mut self, input: &BStr) -> Vec<BString> {
        let mut found = BTreeSet::new();
        let heads = HEADS.iter().map(|name| BString::from(*name));
        let heads = heads.filter(|name| {
            self.repository
                .references()
                .object(name.as_bstr())
                .is_some()
        });
        let names = heads.chain(self.repository.short_ref_names());
        found.extend(names.filter(|name| name.starts_with(input)));
        let mut found: Vec<BString> = found.into_iter().collect();
        sorting::sort_by(&mut found, |one, other| newest_first(one, other));
        let mut known: HashSet<BString> = found.iter().cloned().collect();
        for (revision, path) in readings(input) {
            let commit = match revision {
                None => self.commit,
                Some(name) => self.revision(name).ok().flatten(),
            };
            let start = &input[..input.len() - path.len()];
            let files = commit.map(|commit| self.entries(&commit, path));
            for file in files.into_iter().flatten() {
                let name: BString = [start.as_bytes(), &file].concat().into();
                if known.insert(name.clone()) {
                    found.push(name);
                }
            }
        }
        found.truncate(MAX_COMPLETIONS);
        found
    }

    /// The entries of a directory whose paths begin with `path`.
    fn entries(&mut self, commit: &ObjectId, path: &BStr) -> Vec<BString> {
        let mut list = || {
            let mut tree = self.reader.commit_head(commit).ok()?.tree;
            let directory = path.rfind_byte(b'/');
            if let Some(end) = directory {
                let found = self.reader.find_path(tree, &path[..end], None).ok()??;
                tree = found.entry.is_tree().then_some(found.entry.id)?;
            }
            let start = &path[..directory.map_or(0, |slash| slash + 1)];
            let object = self.reader.object(&tree).ok()?;
            let mut found = Vec::new();
            for entry in tree::entries(&object.data, self.repository.hash()) {
                let Ok(entry) = entry else { break };
                let mut name = BString::from(start);
                name.push_str(entry.name);
                let what = entry.entry();
                let is_shown = what.is_tree() || what.is_regular() || what.is_link();
                if name.starts_with(path) && is_shown {
                    name.push_str(if what.is_tree() { "/" } else { "" });
                    found.push(name);
                    if found.len() >= MAX_FILES {
                        break;
                    }
                }
            }
            Some(found)
        };
        list().unwrap_or_default()
    }
}

/// A file of a commit or of the work tree. One of a commit is the visible one under all its names.
fn named(commit: Option<ObjectId>, path: BString, query: &PlaceQuery) -> NamedVersion {
    let count = commit.map_or(1, |_| query.names.len());
    let mut names = query.names.iter().take(count);
    NamedVersion {
        is_same_file: names.any(|name| **name == path),
        version: version_of(commit, path),
        note: None,
        is_too_early: false,
        is_uncertain: false,
        line: None,
    }
}

/// What `find` finds for the file of the first form of a file and its line that it finds something for, as
/// those of the command line, and the line (0-based).
fn with_line<T>(
    input: &BStr,
    mut find: impl FnMut(&BStr) -> Result<T, Failure>,
) -> Option<(T, u32)> {
    let mut places = place::places(input.trim().as_bstr());
    places.find_map(|place| Some((find(place.file).ok()?, place.line - 1)))
}

/// The revisions and paths that an input can mean, in the order in which they are looked for: as on the
/// command line, a path of this very name comes first.
fn readings(input: &BStr) -> impl Iterator<Item = (Option<&BStr>, &BStr)> {
    let other = match revision_and_path(input) {
        Some((name, path)) if name.is_empty() => Some((None, path)),
        other => other.map(|(name, path)| (Some(name), path)),
    };
    [(None, input)].into_iter().chain(other)
}

/// Divides `REVISION:PATH` and `DATE:PATH`; a time has colons too.
fn revision_and_path(input: &[u8]) -> Option<(&BStr, &BStr)> {
    let clock = Clock::system();
    let is_date = |text: &[u8]| typed_date::parse(text, &clock).is_some();
    if is_date(input) {
        return None;
    }
    let colons = || input.find_iter(":");
    let at = colons().filter(|&at| is_date(&input[..at])).last();
    let at = at.or_else(|| colons().next())?;
    Some((input[..at].as_bstr(), input[at + 1..].as_bstr()))
}

/// A path below a directory without `.` and `..`; `None` if it leads out of the root.
fn normalized(directory: &[u8], path: &[u8]) -> Option<BString> {
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in directory.split_str("/").chain(path.split_str("/")) {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    (!parts.is_empty() && !path.starts_with(b"/")).then(|| bstr::join("/", parts).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_follows_a_revision_or_a_date() {
        for (input, expected) in [
            ("v1:a:b", Some(("v1", "a:b"))),
            ("2015-06-01:src/a.c", Some(("2015-06-01", "src/a.c"))),
            ("2015-06-01 12:00:a:b", Some(("2015-06-01 12:00", "a:b"))),
            ("2015-06-01 12:00:05", None),
            ("2015-13-45:a", Some(("2015-13-45", "a"))),
            ("3.years.ago:a", Some(("3.years.ago", "a"))),
            ("a", None),
        ] {
            let found = revision_and_path(input.as_bytes());
            let expected = expected.map(|(name, path)| (name.into(), path.into()));
            assert_eq!(found, expected, "{input}");
        }
    }

    #[test]
    fn paths_stay_below_the_root() {
        let path = |directory: &str, path: &str| {
            normalized(directory.as_bytes(), path.as_bytes()).map(|path| path.to_string())
        };
        assert_eq!(path("", "a/b").unwrap(), "a/b");
        assert_eq!(path("src/", "./a").unwrap(), "src/a");
        assert_eq!(path("src/x/", "../a").unwrap(), "src/a");
        assert_eq!(path("src/", "../../a"), None);
        assert_eq!(path("", "/etc/passwd"), None);
        assert_eq!(path("", "."), None);
    }
}
