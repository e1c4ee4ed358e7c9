//! Lookup of names: references by git's rules for short names, and abbreviated ids.

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    error::quoted,
    objects::{ObjectId, ObjectKind},
    repository::{
        references::{End, names},
        revisions::{
            known_name::{KnownName, Preference},
            peel::peel_to_commit,
            resolver::RevisionResolver,
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
    pub(super) fn reference(&mut self, name: &BStr, shown: &BStr) -> Option<ObjectId> {
        let known = match self.known.get(name) {
            Some(known) => known.clone(),
            None => {
                let known = self.by_rules(name);
                self.known.insert(name.to_owned(), known.clone());
                known
            }
        };
        self.notes.extend(known.notes);
        self.note_if_ambiguous(known.count, shown);
        known.id
    }

    /// Warns if `count` rules match `name`, or if it is an abbreviated id as well.
    pub(super) fn note_if_ambiguous(&mut self, count: usize, name: &BStr) {
        let warns = self.repository.config().warn_ambiguous_refs;
        if warns && (count > 1 || count == 1 && self.is_abbreviation(name)) {
            let note = quoted("warning: refname ", name, " is ambiguous.");
            self.notes.push(note.into());
        }
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
                    known.notes.push(note.into());
                }
            } else if full != "HEAD" {
                let note = [b"warning: ignoring dangling symref ", full.as_slice()].concat();
                known.notes.push(note.into());
            }
        }
        known
    }

    /// Follows the reference with exactly this name.
    pub(super) fn full_reference(&mut self, name: &BStr) -> Option<ObjectId> {
        self.references.object(name)
    }

    /// Whether `name` has the form of an abbreviated id.
    fn may_be_abbreviation(&self, name: &BStr) -> bool {
        (4..self.repository.hash().len_in_hex()).contains(&name.len())
            && name.iter().all(u8::is_ascii_hexdigit)
    }

    /// Whether `name` abbreviates the id of exactly one object.
    fn is_abbreviation(&mut self, name: &BStr) -> bool {
        self.may_be_abbreviation(name) && self.candidates(name).len() == 1
    }

    /// Resolves the output of git-describe, `NAME-COUNT-gID`, by the abbreviated id alone.
    pub(super) fn described(&mut self, name: &BStr) -> Option<ObjectId> {
        let at = name.rfind(b"-g")?;
        let (before, id) = (&name[..at], name[at + 2..].as_bstr());
        let count = before.rfind_byte(b'-')?;
        let (tag, count) = (&before[..count], &before[count + 1..]);
        let is_number = !count.is_empty() && count.iter().all(u8::is_ascii_digit);
        if !is_number || !names::is_valid(tag) {
            return None;
        }
        let before = std::mem::replace(&mut self.preference, Preference::Commits);
        let found = self.abbreviated(id);
        self.preference = before;
        found
    }

    /// The objects whose ids begin with `name`, in order; those that are preferred, if there are any.
    fn candidates(&mut self, name: &BStr) -> Vec<ObjectId> {
        // A prefix is that of an id of the repository's hash function.
        let len = self.repository.hash().len_in_hex();
        let mut id = name.to_vec();
        id.resize(len.max(name.len()), b'0');
        let id = ObjectId::from_hex(&id).ok();
        let Some(prefix) = id.and_then(|id| gix::hash::Prefix::new(&id, name.len()).ok()) else {
            return Vec::new();
        };
        let mut candidates = Default::default();
        let found = self.gix().map(|gix| {
            let objects = &gix.objects;
            objects.lookup_prefix(prefix, Some(&mut candidates))
        });
        if !matches!(found, Some(Ok(_))) {
            return Vec::new();
        }
        let mut candidates: Vec<ObjectId> = candidates.into_iter().collect();
        candidates.sort();
        if candidates.len() > 1 && self.preference != Preference::Nothing {
            let mut preferred = candidates.clone();
            preferred.retain(|id| self.is_preferred(*id));
            if !preferred.is_empty() {
                candidates = preferred;
            }
        }
        candidates
    }

    fn is_preferred(&mut self, id: ObjectId) -> bool {
        let leads_to_commit = matches!(peel_to_commit(&mut self.reader, id), Ok(Some(_)));
        leads_to_commit
            || self.preference == Preference::Trees
                && matches!(self.kind(&id), Ok(Some(ObjectKind::Tree)))
    }

    /// Resolves an abbreviated id; adds the candidates to the notes if it is ambiguous.
    pub(super) fn abbreviated(&mut self, name: &BStr) -> Option<ObjectId> {
        if !self.may_be_abbreviation(name) {
            return None;
        }
        let candidates = self.candidates(name);
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
