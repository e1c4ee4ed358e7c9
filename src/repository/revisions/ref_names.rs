//! Lookup of names: references by git's rules for short names, and abbreviated ids.

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    error::{Result, noted, quoted},
    objects::{ObjectId, ObjectKind},
    repository::{
        references::{End, names},
        revisions::{
            peel::{damaged, peel_to_commit},
            resolver::{KnownName, Preference, RevisionResolver},
        },
    },
};

/// The rules for short names: what is put before and after them.
const RULES: [(&str, &str); 6] = [
    ("", ""),
    ("refs/", ""),
    ("refs/tags/", ""),
    ("refs/heads/", ""),
    ("refs/remotes/", ""),
    ("refs/remotes/", "/HEAD"),
];

impl RevisionResolver<'_> {
    /// Resolves a short reference name; warns, calling it `shown`, if several rules match, or if it
    /// is an abbreviated id as well.
    pub(super) fn reference(&mut self, name: &BStr, shown: &BStr) -> Result<Option<ObjectId>> {
        let known = match self.known.get(name) {
            Some(known) => known.clone(),
            None => {
                let known = self.by_rules(name);
                self.known.insert(name.to_owned(), known.clone());
                known
            }
        };
        self.notes.extend(known.notes);
        self.note_if_ambiguous(known.count, shown)?;
        Ok(known.id)
    }

    /// Warns if `count` rules match `name`, or if it is an abbreviated id as well.
    pub(super) fn note_if_ambiguous(&mut self, count: usize, name: &BStr) -> Result<()> {
        let warns = self.repository.config().warn_ambiguous_refs;
        if warns && (count > 1 || count == 1 && self.candidates(name)?.len() == 1) {
            let note = quoted("warning: refname ", name, " is ambiguous.");
            self.notes.push(noted(note.into()));
        }
        Ok(())
    }

    /// The full names that a short name may stand for.
    pub(super) fn full_names(&self, name: &BStr) -> impl Iterator<Item = BString> + use<> {
        let name = name.to_owned();
        RULES.into_iter().map(move |(before, after)| {
            let mut full = BString::from(before);
            full.push_str(&name);
            full.push_str(after);
            full
        })
    }

    fn by_rules(&mut self, name: &BStr) -> KnownName {
        let mut known = KnownName::default();
        for full in self.full_names(name) {
            let Some(resolved) = self.references.resolve(full.as_bstr()) else {
                continue;
            };
            if let Some(id) = resolved.id() {
                known.id.get_or_insert(id);
                known.count += 1;
                if !self.repository.config().warn_ambiguous_refs {
                    break;
                }
            } else if resolved.end == End::Broken && resolved.name == full {
                if full.contains(&b'/') {
                    let note = [b"warning: ignoring broken ref ", full.as_slice()].concat();
                    known.notes.push(noted(note.into()));
                }
            } else if full != "HEAD" {
                let note = [b"warning: ignoring dangling symref ", full.as_slice()].concat();
                known.notes.push(noted(note.into()));
            }
        }
        known
    }

    /// Follows the reference with exactly this name.
    pub(super) fn full_reference(&mut self, name: &BStr) -> Option<ObjectId> {
        self.references.object(name)
    }

    /// Resolves the output of git-describe, `NAME-COUNT-gID`, by the abbreviated id alone.
    pub(super) fn described(&mut self, name: &BStr) -> Result<Option<ObjectId>> {
        let Some(at) = name.rfind(b"-g") else {
            return Ok(None);
        };
        let (before, id) = (&name[..at], name[at + 2..].as_bstr());
        let Some(count) = before.rfind_byte(b'-') else {
            return Ok(None);
        };
        let (tag, count) = (&before[..count], &before[count + 1..]);
        let is_number = !count.is_empty() && count.iter().all(u8::is_ascii_digit);
        if !is_number || !names::is_valid(tag) {
            return Ok(None);
        }
        self.preferring(Preference::CommitsAlone, |this| this.abbreviated(id))
    }

    /// The objects whose ids begin with `name`, in order; those that are preferred, if there are
    /// any. None if it does not have the form of an abbreviated id.
    fn candidates(&mut self, name: &BStr) -> Result<Vec<ObjectId>> {
        let mut candidates = self.reader.with_prefix(name).map_err(damaged)?;
        if candidates.len() > 1 && self.preference != Preference::Nothing {
            let mut preferred = candidates.clone();
            preferred.retain(|id| self.is_preferred(*id));
            if !preferred.is_empty() {
                candidates = preferred;
            }
        }
        Ok(candidates)
    }

    fn is_preferred(&mut self, id: ObjectId) -> bool {
        let kind = self.kind(&id).ok().flatten();
        match self.preference {
            Preference::Nothing => false,
            Preference::CommitsAlone => kind == Some(ObjectKind::Commit),
            Preference::Trees if kind == Some(ObjectKind::Tree) => true,
            Preference::Trees | Preference::Commits => {
                matches!(peel_to_commit(&mut self.reader, id), Ok(Some(_)))
            }
        }
    }

    /// Resolves an abbreviated id; adds the candidates to the notes if it is ambiguous.
    pub(super) fn abbreviated(&mut self, name: &BStr) -> Result<Option<ObjectId>> {
        let candidates = self.candidates(name)?;
        if let [only] = candidates[..] {
            return Ok(Some(only));
        }
        if !candidates.is_empty() {
            let note = [
                b"error: short object ID ",
                name.as_bytes(),
                b" is ambiguous",
            ]
            .concat();
            self.notes.push(noted(note.into()));
            self.notes.push(noted("hint: The candidates are:".into()));
        }
        for id in candidates {
            let kind = self.kind(&id).ok().flatten().map_or("", |kind| kind.name());
            let short = id.to_hex_with_len(name.len().max(7));
            self.notes
                .push(noted(format!("hint:   {short} {kind}").into()));
        }
        Ok(None)
    }
}
