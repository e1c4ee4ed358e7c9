//! Revision suffixes that follow parents: `A^2`, `A~3`, `A^{/text}`, `A^@`, `A^!` and `A^-2`.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashSet},
};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    error::{Result, noted},
    objects::{ObjectId, ObjectKind},
    ranges::posix::{
        self,
        syntax::{RegexDialect, RegexSyntax},
    },
    repository::{
        open::grafts,
        revisions::{
            peel::{MAX_TAGS, no_commit, peel, peel_to_commit, peel_to_named_commit, target},
            resolver::{Preference, RevisionResolver},
        },
    },
};

/// One suffix of a revision expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RevisionSuffix<'a> {
    /// `^2`: a parent, counted from 1; `^0` is the commit itself.
    Parent(u32),
    /// `~3`: the number of first parents to follow.
    Ancestor(u32),
    /// `^{kind}` or `^{/text}`, punctuation included.
    Braces(&'a BStr),
    /// A number out of range: git rejects the expression.
    OutOfRange,
}

/// Commit heads kept at most, for the walk, which needs the same ones when it limits a range.
const MAX_HEADS: usize = 1 << 14;

/// Start of `^{/text}`.
const SEARCH: &[u8] = b"^{/";

/// A suffix, and where it ends in the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SuffixEnd<'a> {
    suffix: RevisionSuffix<'a>,
    end: usize,
}

impl SuffixEnd<'_> {
    /// The type of object that it peels to.
    fn kind(&self) -> Option<Wanted> {
        match self.suffix {
            RevisionSuffix::Braces(braces) => kind_in(braces),
            _ => None,
        }
    }

    fn is_valid(&self) -> bool {
        match self.suffix {
            RevisionSuffix::Braces(braces) => {
                braces.starts_with(SEARCH) || kind_in(braces).is_some()
            }
            RevisionSuffix::OutOfRange => false,
            _ => true,
        }
    }
}

/// The type in `^{type}`; git ignores what follows it.
fn kind_in(braces: &BStr) -> Option<Wanted> {
    let found = KINDS
        .iter()
        .find(|(text, _)| braces.starts_with(text.as_bytes()));
    found.map(|(_, wanted)| *wanted)
}

/// The object that `^{…}` peels to.
#[derive(Debug, Clone, Copy)]
enum Wanted {
    /// An object of this type.
    Kind(ObjectKind),
    /// The object itself, which must exist.
    Existing,
    /// The first object that is no tag.
    NoTag,
}

/// The notations for peeling.
const KINDS: [(&str, Wanted); 6] = [
    ("^{commit}", Wanted::Kind(ObjectKind::Commit)),
    ("^{tree}", Wanted::Kind(ObjectKind::Tree)),
    ("^{blob}", Wanted::Kind(ObjectKind::Blob)),
    ("^{tag}", Wanted::Kind(ObjectKind::Tag)),
    ("^{object}", Wanted::Existing),
    ("^{}", Wanted::NoTag),
];

/// The commits that `A^@`, `A^!` or `A^-n` stands for.
pub(super) struct ExpandedParents<'n> {
    /// `A`: git reports all of them under this name.
    pub(super) base: &'n BStr,
    pub(super) parents: Vec<ObjectId>,
    /// The object of `A` itself, except in `A^@`. The parents are excluded then.
    pub(super) commit: Option<ObjectId>,
}

impl RevisionResolver<'_> {
    /// The commits that `A^@`, `A^!` and `A^-n` stand for; `None` for anything else.
    ///
    /// # Errors
    ///
    /// Where git ends.
    pub(super) fn expand_parents<'n>(
        &mut self,
        name: &'n BStr,
    ) -> Result<Option<ExpandedParents<'n>>> {
        let Some(at) = name.rfind_byte(b'^') else {
            return Ok(None);
        };
        let (base, suffix) = (name[..at].as_bstr(), name[at + 1..].as_bytes());
        let nth = match suffix {
            b"@" | b"!" => None,
            b"-" => Some(1),
            [b'-', digits @ ..] => match number(digits) {
                Some(nth) if nth > 0 => Some(nth as usize),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let Some(id) = self.committish(base)? else {
            return Ok(None);
        };
        self.note_grafts();
        let Ok(Some(commit)) = peel_to_named_commit(&mut self.reader, id) else {
            return Ok(None);
        };
        let mut parents = self.parents(&commit);
        if let Some(nth) = nth {
            match parents.get(nth - 1) {
                Some(&parent) => parents = vec![parent],
                None => return Ok(None),
            }
        }
        Ok(Some(ExpandedParents {
            base,
            parents,
            commit: (suffix != b"@").then_some(id),
        }))
    }

    /// Resolves any name of an object; a full id is not checked for existence.
    ///
    /// # Errors
    ///
    /// Where git ends at once.
    pub fn object(&mut self, name: &BStr) -> Result<Option<ObjectId>> {
        let found = self.without_path(name)?;
        if found.is_some() {
            return Ok(found);
        }
        if let Some(text) = name.strip_prefix(b":/") {
            self.note_grafts();
            return if text.is_empty() {
                Ok(None)
            } else {
                Ok(self.search(None, text))
            };
        }
        if name.starts_with(b":") {
            return self.in_index(name);
        }
        let Some(at) = start_of_path(name) else {
            return Ok(None);
        };
        let (tree, path) = (name[..at].as_bstr(), name[at + 1..].as_bstr());
        let tree = self.preferring(Preference::Trees, |this| this.without_path(tree))?;
        tree.map_or(Ok(None), |tree| self.in_tree(tree, path))
    }

    /// Resolves a name with suffixes but without a path.
    fn without_path(&mut self, name: &BStr) -> Result<Option<ObjectId>> {
        let (base, steps) = split_suffixes(name);
        if steps.is_empty() {
            return self.without_suffix(name);
        }
        self.follow(name, base, &steps)
    }

    /// Resolves a name without suffixes.
    fn without_suffix(&mut self, name: &BStr) -> Result<Option<ObjectId>> {
        if let Some(id) = self.basic(name)? {
            return Ok(Some(id));
        }
        match self.described(name)? {
            Some(id) => Ok(Some(id)),
            None => self.abbreviated(name),
        }
    }

    /// Resolves the base of a name with suffixes, and takes these steps from it. Braces may also be
    /// the end of `@{…}`: where a step with braces fails, the name up to its end is tried without
    /// it.
    fn follow(
        &mut self,
        name: &BStr,
        base: &BStr,
        steps: &[SuffixEnd<'_>],
    ) -> Result<Option<ObjectId>> {
        let preference = match steps.first().and_then(SuffixEnd::kind) {
            Some(Wanted::Kind(ObjectKind::Tree)) => Preference::Trees,
            Some(Wanted::Kind(ObjectKind::Commit)) | None => Preference::Commits,
            Some(_) => Preference::Nothing,
        };
        // What comes before an invalid step is not looked at.
        let invalid = steps.iter().rposition(|step| !step.is_valid());
        let mut found = match invalid {
            Some(_) => None,
            None if base.is_empty() => None,
            None => self.preferring(preference, |this| this.without_suffix(base))?,
        };
        for (at, step) in steps.iter().enumerate().skip(invalid.unwrap_or(0)) {
            let before = name[..step.end].as_bstr();
            found = match found {
                Some(id) if Some(at) != invalid => self.step(id, &step.suffix, before),
                _ => None,
            };
            if found.is_none() && matches!(step.suffix, RevisionSuffix::Braces(_)) {
                found = self.without_suffix(before)?;
            }
        }
        Ok(found)
    }

    /// Takes one step from `id`; `name` is the name up to its end.
    fn step(&mut self, id: ObjectId, step: &RevisionSuffix<'_>, name: &BStr) -> Option<ObjectId> {
        match *step {
            RevisionSuffix::Parent(0) => self.commit_of(id),
            RevisionSuffix::Parent(nth) => self
                .commit_of(id)
                .and_then(|commit| self.parents(&commit).get(nth as usize - 1).copied()),
            RevisionSuffix::Ancestor(generations) => {
                let mut commit = self.commit_of(id);
                for _ in 0..generations {
                    commit = commit.and_then(|commit| self.parents(&commit).first().copied());
                    if commit.is_none() {
                        break;
                    }
                }
                commit
            }
            RevisionSuffix::Braces(braces) => {
                self.note_grafts();
                if let Some(text) = braces.strip_prefix(SEARCH) {
                    let text = &text[..text.len() - 1];
                    let commit = Wanted::Kind(ObjectKind::Commit);
                    let start = self.peel_to(id, commit, name)?;
                    return if text.is_empty() {
                        Some(start)
                    } else {
                        self.search(Some(start), text)
                    };
                }
                kind_in(braces).and_then(|wanted| self.peel_to(id, wanted, name))
            }
            RevisionSuffix::OutOfRange => None,
        }
    }

    /// Peels `id` to an object of the wanted type; adds a note, calling it `name`, if it leads to
    /// none.
    fn peel_to(&mut self, id: ObjectId, wanted: Wanted, name: &BStr) -> Option<ObjectId> {
        let wanted = match wanted {
            Wanted::Existing => return self.kind(&id).ok()?.map(|_| id),
            Wanted::NoTag => return peel(&mut self.reader, id).ok(),
            Wanted::Kind(kind) => kind,
        };
        let mut id = id;
        for _ in 0..MAX_TAGS {
            let kind = self.kind(&id).ok()??;
            if kind == wanted {
                return Some(id);
            }
            match kind {
                ObjectKind::Tag => id = target(&self.reader.verified(&id).ok()?.data)?,
                ObjectKind::Commit => {
                    self.reader.verified(&id).ok()?;
                    id = self.reader.commit_head_only(&id).ok()?.tree;
                }
                ObjectKind::Tree | ObjectKind::Blob => {
                    let mut note = BString::from("error: ");
                    note.push_str(name);
                    note.push_str(format!(
                        ": expected {} type, but the object dereferences to {} type",
                        wanted.name(),
                        kind.name()
                    ));
                    self.notes.push(noted(note));
                    return None;
                }
            }
        }
        None
    }

    /// Peels `id` to a commit; adds a note if it is something else.
    fn commit_of(&mut self, id: ObjectId) -> Option<ObjectId> {
        let commit = peel_to_named_commit(&mut self.reader, id).ok()?;
        if commit.is_some() {
            self.note_grafts();
            return commit;
        }
        let innermost = peel(&mut self.reader, id).unwrap_or(id);
        let kind = self.kind(&innermost).ok()?;
        self.notes.extend(no_commit((id, kind)));
        None
    }

    /// The youngest commit reachable from `start`, or from any reference, whose message matches the
    /// regular expression `text` (or does not match it, after `!-`).
    fn search(&mut self, start: Option<ObjectId>, text: &[u8]) -> Option<ObjectId> {
        let (text, wanted) = match text {
            [b'!', b'-', text @ ..] => (text, false),
            [b'!', text @ ..] if text.starts_with(b"!") => (text, true),
            [b'!', ..] => return None,
            text => (text, true),
        };
        let syntax = RegexSyntax {
            dialect: RegexDialect::Extended,
            ignore_case: false,
            by_lines: false,
            utf8: false,
        };
        let Ok(pattern) = posix::regex::compile(text, syntax) else {
            return None;
        };
        let starts = match start {
            Some(start) => vec![start],
            None => self.tips(),
        };
        let mut seen = HashSet::new();
        let mut queue = BinaryHeap::new();
        let mut next = starts;
        let mut count = 0u64;
        loop {
            for id in next.drain(..) {
                if seen.insert(id)
                    && let Ok(head) = self.reader.commit_head(&id)
                {
                    count += 1;
                    queue.push((head.time, Reverse(count), id));
                }
            }
            let (_, _, id) = queue.pop()?;
            let object = self.reader.object(&id).ok()?;
            let message = object.data.find(b"\n\n").map(|at| &object.data[at + 2..]);
            let matches = message.is_some_and(|message| pattern.is_match(message));
            if matches == wanted {
                return Some(id);
            }
            next = self.parents(&id);
        }
    }

    /// The commits that references and `HEAD` point to, peeled.
    fn tips(&mut self) -> Vec<ObjectId> {
        let references = self.references.below("refs/".into());
        let mut ids: Vec<ObjectId> = references.into_iter().map(|(_, id)| id).collect();
        ids.extend(self.references.object("HEAD".into()));
        let commits = ids
            .into_iter()
            .map(|id| peel_to_commit(&mut self.reader, id));
        commits.flatten().flatten().collect()
    }

    /// The parents of a commit, grafts applied; empty if the commit cannot be read.
    fn parents(&mut self, id: &ObjectId) -> Vec<ObjectId> {
        let Ok(head) = self.reader.commit_head_only(id) else {
            return Vec::new();
        };
        let parents = grafts::parents(&self.grafts, id, &head);
        if self.heads.len() < MAX_HEADS && !self.repository.store().has_commit_graph() {
            self.heads.push((*id, head));
        }
        parents
    }
}

/// Byte offset of the colon in `A:path`.
fn start_of_path(name: &BStr) -> Option<usize> {
    let mut depth = 0u32;
    let at = name.iter().position(|byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && *byte == b':'
    });
    at.filter(|&at| at > 0)
}

/// Splits `A^{commit}~2^` into `A` and its suffixes, left to right.
fn split_suffixes(name: &BStr) -> (&BStr, Vec<SuffixEnd<'_>>) {
    let (mut base, mut steps) = (name, Vec::new());
    loop {
        let sign = base.trim_end_with(|last| last.is_ascii_digit()).len();
        let digits = base[sign..].as_bytes();
        let step = match base[..sign].as_bytes() {
            [.., b'^'] => number(digits).map(RevisionSuffix::Parent),
            [.., b'~'] => number(digits).map(RevisionSuffix::Ancestor),
            [.., b'}'] if digits.is_empty() => match base.rfind(b"^{") {
                Some(at) => {
                    steps.push(SuffixEnd {
                        suffix: RevisionSuffix::Braces(base[at..].as_bstr()),
                        end: base.len(),
                    });
                    base = base[..at].as_bstr();
                    continue;
                }
                None => break,
            },
            _ => break,
        };
        steps.push(SuffixEnd {
            suffix: step.unwrap_or(RevisionSuffix::OutOfRange),
            end: base.len(),
        });
        base = base[..sign - 1].as_bstr();
    }
    steps.reverse();
    (base, steps)
}

/// The number after `^` or `~`, 1 by default; `None` if it exceeds an `int`.
fn number(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() {
        return Some(1);
    }
    let digits = digits.to_str().ok()?;
    let number: u32 = digits.parse().ok()?;
    (number <= i32::MAX as u32).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_split_off() {
        use RevisionSuffix::{Ancestor, OutOfRange, Parent};
        let of = |name: &'static str| {
            let (base, steps) = split_suffixes(name.into());
            let suffixes: Vec<_> = steps.iter().map(|step| step.suffix).collect();
            (base.to_str().unwrap(), suffixes)
        };
        assert_eq!(of("HEAD~"), ("HEAD", vec![Ancestor(1)]));
        assert_eq!(of("HEAD~0"), ("HEAD", vec![Ancestor(0)]));
        assert_eq!(
            of("v1^^2~03"),
            ("v1", vec![Parent(1), Parent(2), Ancestor(3)])
        );
        assert_eq!(of("v1~x~3"), ("v1~x", vec![Ancestor(3)]));
        assert_eq!(of("a@{1}^"), ("a@{1}", vec![Parent(1)]));
        let braces = RevisionSuffix::Braces("^{/x^2}".into());
        assert_eq!(of("a^{/x^2}^"), ("a", vec![braces, Parent(1)]));
        assert_eq!(of("a~2147483647"), ("a", vec![Ancestor(i32::MAX as u32)]));
        assert_eq!(of("a~2147483648"), ("a", vec![OutOfRange]));
        assert_eq!(of("a^99999999999999999999"), ("a", vec![OutOfRange]));
        for name in [
            "", "HEAD", "v1.2", "12", "a^x", "a^-1", "a^@", "a^!", "a@{1}",
        ] {
            assert_eq!(of(name), (name, vec![]), "{name}");
        }
    }

    #[test]
    fn a_path_starts_at_the_first_colon_outside_of_braces() {
        assert_eq!(start_of_path("a^{/x:y}:p:q".into()), Some(8));
        for name in ["a", ":p", ":/a:b", "a@{10:30}"] {
            assert_eq!(start_of_path(name.into()), None, "{name}");
        }
    }
}
