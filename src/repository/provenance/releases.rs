//! Tags by their date, and the first one that contains a commit.

use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};

use crate::{
    engine::{Containing, FirstContaining, ReadAhead},
    objects::{self, CommitList, ObjectId, ObjectKind, Reader},
    repository::{
        open::repository::Repository,
        revisions::peel::{peel_to_commit, target},
    },
};

/// Tags read at most.
const MAX_TAGS: usize = 1 << 20;

/// As many tags take some time to read, and come with a history that takes longer.
const MANY_TAGS: usize = 64;

/// A tag that leads to a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// The name without `refs/tags/`.
    pub name: BString,
    /// `creatordate`, in seconds since the epoch: the date of the tagger, or of the committer for a
    /// tag that is no object of its own. 0 if there is none.
    pub time: u64,
    /// The commit.
    pub commit: ObjectId,
}

/// The tags of a repository, as they were when this was made.
#[derive(Debug)]
pub struct Releases {
    /// In the order of `git tag --sort=creatordate`.
    tags: Vec<Tag>,
    containing: FirstContaining,
}

impl Releases {
    /// Reads the tags. Those that lead to something other than a commit, or to nothing that can be
    /// read, are left out. Commits that are `known` need not be read. Up to `threads` threads read
    /// the others; where there are many tags, one of them begins at once.
    pub fn new(
        repository: &Repository,
        known: Option<&Arc<CommitList>>,
        threads: usize,
    ) -> Releases {
        let mut reader = repository.reader();
        let references = repository.references().below("refs/tags/".into());
        let is_long = references.len() >= MANY_TAGS && !repository.store().has_commit_graph();
        let ahead = (is_long && threads > 1).then(|| {
            ReadAhead::start(
                repository.store(),
                known.into_iter().flat_map(|it| read_ids(it)),
            )
        });
        let references = references.into_iter().take(MAX_TAGS);
        let mut tags: Vec<Tag> = references
            .filter_map(|(full, id)| tag(&mut reader, full.as_bstr(), id))
            .collect();
        tags.sort_by(|a, b| (a.time, &a.name).cmp(&(b.time, &b.name)));
        let commits: Vec<ObjectId> = tags.iter().map(|tag| tag.commit).collect();
        let (store, grafts) = (repository.store(), repository.grafts());
        let mut containing = FirstContaining::among(store, grafts, &commits);
        if let Some(known) = known {
            containing.add_known(known);
        }
        containing.set_threads(threads);
        containing.set_read_ahead(ahead.flatten());
        Releases { tags, containing }
    }

    /// Ends the second thread, after the last of several questions. Another one may start it again.
    pub fn end_reading_ahead(&mut self) {
        self.containing.end_reading_ahead();
    }

    /// All commits that are known now, without the dates of those that were read here, if they are
    /// more than those that were known at first.
    pub fn commits_read(&self) -> Option<CommitList> {
        self.containing.commits_read()
    }

    /// The first of the tags that contain `commit`, in the order of `git tag --contains=COMMIT
    /// --sort=creatordate`: by date, and then by name. Ends early once `stop` returns true.
    ///
    /// # Errors
    ///
    /// A commit is missing or damaged.
    pub fn first_with(
        &mut self,
        commit: &ObjectId,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<&Tag>, objects::Error> {
        match self.containing.find(commit, stop)? {
            Containing::First(number) => Ok(self.tags.get(number)),
            Containing::None | Containing::Stopped => Ok(None),
        }
    }
}

/// The commits of a list that were read.
fn read_ids(known: &CommitList) -> impl Iterator<Item = &ObjectId> {
    let read = known.ids.iter().zip(&known.records);
    read.filter_map(|(id, record)| record.is_some().then_some(id))
}

fn tag(reader: &mut Reader, full: &BStr, id: ObjectId) -> Option<Tag> {
    let name = full.strip_prefix(b"refs/tags/")?.into();
    let kind = reader.kind(&id).ok()??;
    let (time, inner) = match kind {
        ObjectKind::Commit => (0, id),
        ObjectKind::Tag => {
            let tag = reader.object(&id).ok()?.data;
            (tagger_time(&tag), target(&tag)?)
        }
        _ => return None,
    };
    let commit = peel_to_commit(reader, inner).ok()??;
    let time = match kind {
        ObjectKind::Commit => reader.commit_head_only(&commit).ok()?.time.unsigned_abs(),
        _ => time,
    };
    Some(Tag { name, time, commit })
}

/// The date of a tag object; 0 if it has none, or one that is not a number of seconds.
fn tagger_time(tag: &[u8]) -> u64 {
    let mut header = tag.split(|&byte| byte == b'\n');
    let mut header = header.by_ref().take_while(|line| !line.is_empty());
    let tagger = header.find_map(|line| line.strip_prefix(b"tagger "));
    let end = tagger.and_then(|line| Some((line, line.rfind("> ")?)));
    let digits = end.map_or(&[][..], |(line, end)| &line[end + 2..]);
    let end = digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let digits = digits[..end].to_str().unwrap_or_default();
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_taggers() {
        let time = |tagger: &str| {
            let tag = format!("object 1\ntype commit\ntag v1\n{tagger}\n\ntagger x <y> 7 +0000\n");
            tagger_time(tag.as_bytes())
        };
        assert_eq!(time("tagger A <a@b> 1600000000 +0100"), 1_600_000_000);
        assert_eq!(time("tagger A > B <a@b> 12 -0330"), 12);
        assert_eq!(time("tagger A <a@b> x12 -0330"), 0);
        assert_eq!(time("tagger A <a@b>"), 0);
        assert_eq!(time("tagger A <a@b> 99999999999999999999999 +0000"), 0);
        assert_eq!(time("encoding x"), 0);
    }
}
