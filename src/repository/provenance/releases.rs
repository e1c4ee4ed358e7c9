//! Tags, which stand for releases.

use std::collections::HashMap;

use bstr::{BString, ByteSlice};

use crate::{
    objects::{ObjectId, ObjectKind, Reader},
    repository::{
        open::repository::Repository,
        revisions::peel::{peel_to_commit, target},
    },
};

/// Tags read at most.
const MAX_TAGS: usize = 1 << 20;

/// Bytes of a tag that mostly have its tagger.
const TAGGER_LEN: usize = 256;

/// Tags that are looked at for marks.
const MAX_MARKS: usize = 32;

/// The references to tags.
#[derive(Debug)]
pub(super) struct TagReferences {
    /// Their names without `refs/tags/`, in order, and their objects.
    pub(super) all: Vec<(BString, ObjectId)>,
    /// What tag objects lead to, as far as it need not be read from them.
    pub(super) peeled: HashMap<ObjectId, ObjectId>,
}

impl TagReferences {
    pub(super) fn read(repository: &Repository) -> TagReferences {
        let prefix = "refs/tags/";
        let mut references = repository.references();
        let mut all = references.below(prefix.into());
        all.truncate(MAX_TAGS);
        for (name, _) in &mut all {
            name.drain(..prefix.len());
        }
        let peeled = references.peeled().map(|(packed, _)| packed.targets());
        TagReferences {
            all,
            peeled: peeled.unwrap_or_default(),
        }
    }
}

/// Some commits that tags lead to, the oldest first, or nearly so.
pub(super) fn marks(reader: &mut Reader, tags: &[(BString, ObjectId)]) -> Vec<ObjectId> {
    let some = tags.iter().step_by(tags.len().div_ceil(MAX_MARKS).max(1));
    let dated = some.filter_map(|(_, id)| {
        let commit = peel_to_commit(reader, *id).ok()??;
        Some((reader.commit_head_only(&commit).ok()?.time, commit))
    });
    let mut dated: Vec<(i64, ObjectId)> = dated.collect();
    dated.sort_unstable();
    dated.into_iter().map(|(_, commit)| commit).collect()
}

/// The date of the tag `id`, in seconds since the epoch, and its commit: the date of the tagger, 0
/// if there is none, or for a tag that is no object of its own, that of the commit. `None` for one
/// that leads to something other than a commit, or to nothing that can be read.
pub(super) fn dated_commit(reader: &mut Reader, id: ObjectId) -> Option<(u64, ObjectId)> {
    match reader.kind(&id).ok()?? {
        ObjectKind::Commit => {
            let time = reader.commit_head_only(&id).ok()?.time;
            Some((time.unsigned_abs(), id))
        }
        ObjectKind::Tag => {
            // The longer part is mostly a message and a signature.
            let mut tag = reader.start_of(&id, TAGGER_LEN).ok()?;
            let tagger = tag.find(b"\ntagger ");
            if !tagger.is_some_and(|at| tag[at + 1..].contains(&b'\n')) {
                tag = reader.object(&id).ok()?.data.to_vec();
            }
            let commit = peel_to_commit(reader, target(&tag)?).ok()??;
            Some((tagger_time(&tag), commit))
        }
        _ => None,
    }
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
