//! Commit texts that a cache keeps: the parts of commits that a blame prints.

use std::{
    ops::Range,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bstr::BStr;
use rustc_hash::FxHashMap;

use crate::{
    error::until_nul,
    objects::{ObjectId, ObjectKind, Reader, index::id_search::interpolate},
    repository::commits::{commit_parser, encoding, trailers},
    sorting,
};

/// Shortened commits by id, shared by the cache and the output.
#[derive(Debug, Default)]
pub struct CachedTexts {
    texts: Mutex<Texts>,
}

#[derive(Debug, Default)]
struct Texts {
    single: FxHashMap<ObjectId, ShortenedCommit>,
    read: Vec<ReadTexts>,
    have_wrong_hash: bool,
}

/// Shortened commits of one kept blame. Most of the time that a hash table would take is for its
/// memory.
#[derive(Debug)]
struct ReadTexts {
    buffer: Arc<Vec<u8>>,
    /// Sorted by id: where they are in `buffer`.
    commits: Vec<(ObjectId, Range<usize>)>,
    /// For each first byte of an id, how many ids begin with a smaller one; the last is the number of all.
    buckets: Vec<u32>,
}

impl ReadTexts {
    fn new(buffer: Vec<u8>, mut commits: Vec<(ObjectId, Range<usize>)>) -> ReadTexts {
        if !commits.is_sorted_by_key(|(id, _)| *id) {
            sorting::sort_by_key(&mut commits, |(id, _)| *id);
        }
        let starts = (0..=256).map(|first| {
            let below = commits.partition_point(|(id, _)| usize::from(id.as_bytes()[0]) < first);
            u32::try_from(below).unwrap_or(u32::MAX)
        });
        ReadTexts {
            buckets: starts.collect(),
            buffer: Arc::new(buffer),
            commits,
        }
    }

    fn find(&self, id: &ObjectId) -> Option<ShortenedCommit> {
        let first = usize::from(id.as_bytes()[0]);
        let (low, high) = (self.buckets[first], self.buckets[first + 1]);
        let found = interpolate(id, low, high, |at| {
            let (other, _) = self.commits.get(at as usize)?;
            let start = other.as_bytes().first_chunk()?;
            Some((other.cmp(id), u64::from_be_bytes(*start)))
        })?;
        let (_, range) = self.commits.get(found as usize)?;
        Some(ShortenedCommit::new(&self.buffer, range.clone()))
    }
}

/// The parts of a commit that a blame prints: a range of a buffer that many of them share.
#[derive(Debug, Clone)]
pub struct ShortenedCommit {
    buffer: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl ShortenedCommit {
    /// The bytes `range` of `buffer`, or nothing if they are not there.
    pub fn new(buffer: &Arc<Vec<u8>>, range: Range<usize>) -> ShortenedCommit {
        ShortenedCommit {
            buffer: Arc::clone(buffer),
            range,
        }
    }

    /// Its bytes, in the form of a commit.
    pub fn as_bytes(&self) -> &[u8] {
        self.buffer.get(self.range.clone()).unwrap_or_default()
    }
}

impl From<Vec<u8>> for ShortenedCommit {
    fn from(bytes: Vec<u8>) -> ShortenedCommit {
        let range = 0..bytes.len();
        ShortenedCommit::new(&Arc::new(bytes), range)
    }
}

impl CachedTexts {
    fn texts(&self) -> MutexGuard<'_, Texts> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the shortened commit `id`.
    pub fn insert(&self, id: ObjectId, shortened: ShortenedCommit) {
        self.texts().single.insert(id, shortened);
    }

    /// Notes that a commit does not have the hash that is its id.
    pub fn note_wrong_hash(&self) {
        self.texts().have_wrong_hash = true;
    }

    /// True if a commit was found that does not have the hash that is its id. Another copy of the
    /// repository may have another one.
    pub fn have_wrong_hash(&self) -> bool {
        self.texts().have_wrong_hash
    }

    /// Compares the shortened commits that were added by [`insert_all`](Self::insert_all) with
    /// those of the repository. Returns how many were compared.
    ///
    /// # Errors
    ///
    /// The id of one that differs.
    pub fn verify(&self, reader: &mut Reader) -> Result<usize, ObjectId> {
        let mut compared = FxHashMap::default();
        for read in &self.texts().read {
            for (id, range) in &read.commits {
                let stored = compared.entry(*id).or_insert_with(|| {
                    let commit = reader.object_of_kind(id, ObjectKind::Commit);
                    // One that is gone cannot be compared.
                    commit.ok().map(|commit| shortened(&commit.data, id))
                });
                let kept = read.buffer.get(range.clone());
                if stored
                    .as_ref()
                    .is_some_and(|stored| stored.as_deref() != kept)
                {
                    return Err(*id);
                }
            }
        }
        Ok(compared.values().flatten().count())
    }

    /// Adds shortened commits: their ids and where they are in `buffer`.
    pub fn insert_all(&self, buffer: Vec<u8>, commits: Vec<(ObjectId, Range<usize>)>) {
        self.texts().read.push(ReadTexts::new(buffer, commits));
    }

    /// The shortened commit `id`.
    pub fn get(&self, id: &ObjectId) -> Option<ShortenedCommit> {
        let texts = self.texts();
        if let Some(text) = texts.single.get(id) {
            return Some(text.clone());
        }
        texts.read.iter().rev().find_map(|read| read.find(id))
    }
}

/// A commit with only its idents, its change id, its summary and its co-authors, which are read as
/// from `commit`.
/// `None` if there is none: a text that must be converted is converted as a whole.
pub(super) fn shortened(commit: &[u8], id: &ObjectId) -> Option<Vec<u8>> {
    let commit = until_nul(commit);
    if commit_parser::declared_encoding(commit).is_some_and(|name| !is_utf8(name)) {
        return None;
    }
    let message = commit_parser::message(commit);
    let summary = commit_parser::summary(message, id);
    let co_authors = trailers::co_authors(message);
    let mut text = Vec::with_capacity(summary.len() + 160);
    for role in ["\nauthor ", "\ncommitter "] {
        if let Some(at) = memchr::memmem::find(commit, role.as_bytes()) {
            let line = &commit[at..];
            let end = memchr::memchr(b'\n', &line[1..]).map_or(line.len(), |end| end + 1);
            text.extend_from_slice(&line[..end]);
        }
    }
    let change_id = commit_parser::change_id(commit);
    if let Some(id) = &change_id {
        text.extend_from_slice(b"\nchange-id ");
        text.extend_from_slice(id);
    }
    text.extend_from_slice(b"\n\n");
    text.extend_from_slice(&summary);
    for (nth, (name, mail)) in co_authors.iter().enumerate() {
        let before: &[u8] = if nth == 0 { b"\n\n" } else { b"\n" };
        let parts = [before, b"Co-authored-by: ", name, b" <", mail, b">"];
        text.extend_from_slice(&parts.concat());
    }
    let same_ident = |role| commit_parser::ident(&text, role) == commit_parser::ident(commit, role);
    let same = same_ident("author")
        && same_ident("committer")
        && commit_parser::summary(commit_parser::message(&text), id) == summary
        && trailers::co_authors(commit_parser::message(&text)) == co_authors
        && commit_parser::change_id(&text) == change_id;
    same.then_some(text)
}

/// True if shortened commits can be printed in `encoding`: it needs no conversion. Empty means
/// none.
pub(super) fn serves(encoding: &BStr) -> bool {
    encoding.is_empty() || is_utf8(encoding)
}

fn is_utf8(name: &BStr) -> bool {
    encoding::is_same(name, BStr::new("UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shorten(commit: &str) -> Option<String> {
        let id = ObjectId::null(gix_hash::Kind::Sha1);
        let text = shortened(commit.as_bytes(), &id)?;
        Some(String::from_utf8_lossy(&text).into_owned())
    }

    #[test]
    fn idents_and_the_summary_are_kept() {
        let commit = "tree x\nparent y\nauthor A <a@b> 1 +0000\ncommitter C <c@d> 2 +0100\n\
                      gpgsig z\n\n\n\none\n\ntwo\n";
        assert_eq!(
            shorten(commit).as_deref(),
            Some("\nauthor A <a@b> 1 +0000\ncommitter C <c@d> 2 +0100\n\none")
        );
    }

    #[test]
    fn the_change_id_is_kept_where_there_is_one() {
        let people = "author A <a@b> 1 +0000\ncommitter C <c@d> 2 +0100\n";
        let kept = format!("\n{people}change-id kxyz\n\none");
        for commit in [
            format!("tree x\n{people}change-id kxyz\n\none\n"),
            format!("tree x\n{people}\none\n\nChange-Id: kxyz\n"),
        ] {
            assert_eq!(shorten(&commit).as_deref(), Some(&*kept), "{commit}");
        }
    }

    #[test]
    fn commits_in_another_encoding_are_refused() {
        let commit = "tree x\nauthor A <a@b> 1 +0000\nencoding latin1\n\none\n";
        assert_eq!(shorten(commit), None);
    }

    #[test]
    fn odd_commits_are_read_as_before_or_refused() {
        let id = ObjectId::null(gix_hash::Kind::Sha1);
        for commit in [
            "",
            "tree x\n",
            "tree x\n\nmessage",
            "author A <a@b> 1 +0000\ncommitter\n\nm",
            "tree x\nauthor A\n\n\n \n",
            "tree x\n\nm\nauthor M <m@x> 1 +0000\n",
            "tree x\ncommitter C <c@d> 2 +0100\n\nfoo\nauthor M <m@x> 1 +0000\n",
            "tree x\nauthor A <a@b> 1 +0000\ncommitter C <c@d> 2 +0100\n\n  \r\n one \r\n",
        ] {
            let Some(text) = shortened(commit.as_bytes(), &id) else {
                continue;
            };
            let (text, commit) = (&text[..], commit.as_bytes());
            for role in ["author", "committer"] {
                assert_eq!(
                    commit_parser::ident(text, role),
                    commit_parser::ident(commit, role)
                );
            }
            assert_eq!(
                commit_parser::summary(commit_parser::message(text), &id),
                commit_parser::summary(commit_parser::message(commit), &id)
            );
        }
    }
}
