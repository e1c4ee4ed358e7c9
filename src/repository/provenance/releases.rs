//! Tags, which stand for releases.

use bstr::{BStr, BString, ByteSlice};

use crate::{
    objects::{ObjectId, ObjectKind, Reader},
    repository::{
        open::repository::Repository,
        revisions::peel::{peel_to_commit, target},
    },
};

/// Tags read at most.
const MAX_TAGS: usize = 1 << 20;

/// A tag that leads to a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tag {
    /// The name without `refs/tags/`.
    pub(super) name: BString,
    /// The date of the tagger in seconds since the epoch, 0 if there is none; `None` for a tag that
    /// is no object of its own, whose date is that of the commit.
    pub(super) tagged: Option<u64>,
    /// The commit.
    pub(super) commit: ObjectId,
}

/// The tags of a repository, in no order. Those that lead to something other than a commit, or to
/// nothing that can be read, are left out.
pub(super) fn read_tags(repository: &Repository) -> Vec<Tag> {
    let mut reader = repository.reader();
    let references = repository.references().below("refs/tags/".into());
    let references = references.into_iter().take(MAX_TAGS);
    let tags = references.filter_map(|(full, id)| tag(&mut reader, full.as_bstr(), id));
    tags.collect()
}

fn tag(reader: &mut Reader, full: &BStr, id: ObjectId) -> Option<Tag> {
    let name = full.strip_prefix(b"refs/tags/")?.into();
    let (tagged, commit) = match reader.kind(&id).ok()?? {
        ObjectKind::Commit => (None, id),
        ObjectKind::Tag => {
            let tag = reader.object(&id).ok()?.data;
            let commit = peel_to_commit(reader, target(&tag)?).ok()??;
            (Some(tagger_time(&tag)), commit)
        }
        _ => return None,
    };
    Some(Tag {
        name,
        tagged,
        commit,
    })
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
