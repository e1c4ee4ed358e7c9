//! Lookup of names: references by git's rules for short names, and abbreviated ids.

use std::path::Path;

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    objects::ObjectId,
    repository::revisions::{peel::peel_to_commit, resolver::RevisionResolver},
};

impl RevisionResolver<'_> {
    /// Resolves a short reference name; warns if several rules match.
    pub(super) fn reference(&mut self, name: &BStr) -> Option<ObjectId> {
        if name.iter().any(|byte| {
            matches!(
                byte,
                b'^' | b'~' | b':' | b'?' | b'*' | b'[' | b'\\' | 0..=0x20
            )
        }) {
            return None;
        }
        let (found, count) = match self.known.get(name) {
            Some(&known) => known,
            None => {
                let found = self.by_rules(name);
                self.known.insert(name.to_owned(), found);
                found
            }
        };
        if count > 1 {
            let mut note = BString::from("warning: refname '");
            note.push_str(name);
            note.push_str("' is ambiguous.");
            self.notes.push(note);
        }
        found
    }

    /// The object of the first matching rule for short names, and the number of matching rules.
    fn by_rules(&self, name: &BStr) -> (Option<ObjectId>, usize) {
        const RULES: [(&str, &str); 6] = [
            ("", ""),
            ("refs/", ""),
            ("refs/tags/", ""),
            ("refs/heads/", ""),
            ("refs/remotes/", ""),
            ("refs/remotes/", "/HEAD"),
        ];
        let mut first = None;
        let mut count = 0;
        for (before, after) in RULES {
            let mut full = BString::from(before);
            full.push_str(name);
            full.push_str(after);
            let Some(id) = self.full_reference(full.as_bstr()) else {
                continue;
            };
            first.get_or_insert(id);
            count += 1;
            if !self.repository.config().warn_ambiguous_refs {
                break;
            }
        }
        (first, count)
    }

    /// Follows the reference with exactly this name.
    pub(super) fn full_reference(&self, name: &BStr) -> Option<ObjectId> {
        let full: &gix::refs::FullNameRef = name.try_into().ok()?;
        // gix would also try longer names for one that does not exist.
        let file = name.to_path_lossy();
        let (own, common) = (self.gix.git_dir(), self.gix.common_dir());
        let is_in = |directory: &Path| directory.join(&file).is_file();
        let loose = is_in(own) || common != own && is_in(common);
        let packed = || name.starts_with(b"refs/") && self.is_packed(name);
        if !(loose || packed()) {
            return None;
        }
        let mut reference = self.gix.try_find_reference(full).ok()??;
        if reference.name() != full {
            return None;
        }
        Some(reference.follow_to_object().ok()?.detach())
    }

    fn is_packed(&self, name: &BStr) -> bool {
        let Ok(full) = <&gix::refs::FullNameRef>::try_from(name) else {
            return false;
        };
        match self.gix.refs.cached_packed_buffer() {
            Ok(Some(packed)) => packed
                .try_find(full.as_partial_name())
                .is_ok_and(|found| found.is_some()),
            _ => false,
        }
    }

    /// Resolves an abbreviated id; adds the candidates to the notes if it is ambiguous.
    pub(super) fn abbreviated(&mut self, name: &BStr) -> Option<ObjectId> {
        let prefix = gix::hash::Prefix::from_hex(name.to_str().ok()?).ok()?;
        let mut candidates = Default::default();
        self.gix
            .objects
            .lookup_prefix(prefix, Some(&mut candidates))
            .ok()?;
        let mut candidates: Vec<ObjectId> = candidates.into_iter().collect();
        candidates.sort();
        if self.only_commits && candidates.len() > 1 {
            candidates.retain(|id| matches!(peel_to_commit(&mut self.reader, *id), Ok(Some(_))));
        }
        match candidates[..] {
            [] => None,
            [one] => Some(one),
            _ => {
                let mut note = BString::from("error: short object ID ");
                note.push_str(name);
                note.push_str(" is ambiguous");
                self.notes.push(note);
                self.notes.push("hint: The candidates are:".into());
                for id in candidates {
                    let kind = self.kind(&id).ok().flatten().map_or("", |kind| kind.name());
                    let short = id.to_hex_with_len(name.len().max(7));
                    self.notes.push(format!("hint:   {short} {kind}").into());
                }
                None
            }
        }
    }
}
