//! Branches that exist only as those of a remote.

use bstr::{BStr, BString, ByteSlice};

use crate::{repository::revisions::resolver::RevisionResolver, sanitize};

impl RevisionResolver<'_> {
    /// `word`, which does not resolve, as a branch of a remote: `origin/topic~2` for `topic~2`.
    /// `None` if no remote has such a branch, or several have.
    pub(crate) fn remote_branch(&mut self, word: &BStr) -> Option<String> {
        let end = word.find_byteset(b"~^@:").unwrap_or(word.len());
        let branch = [b"/", &word.as_bytes()[..end]].concat();
        let names = self.references.names("refs/remotes/".into());
        let mut found = names.iter().filter_map(|name| {
            let name: &[u8] = name.strip_prefix(b"refs/remotes/")?;
            let remote = name.strip_suffix(branch.as_slice())?;
            (branch.len() > 1 && !remote.contains(&b'/')).then_some(name)
        });
        let (Some(name), None) = (found.next(), found.next()) else {
            return None;
        };
        let whole = BString::from([name, &word.as_bytes()[end..]].concat());
        Some(sanitize::line(&whole))
    }
}
