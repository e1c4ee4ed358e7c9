//! Resolves revision arguments: names, ranges, `^A`, and options such as `--all`.

use std::{collections::HashMap, path::Path};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    error::{Error, Result, quoted},
    objects::{self, CommitHead, ObjectId, ObjectKind, Reader},
    repository::{
        open::discovery::Repository,
        revisions::explain::{beyond_log, explain, wrong_kind},
    },
};

/// A resolved revision; one argument may expand to several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// As written, without `^`; the full reference name for options such as `--all`.
    pub name: BString,
    /// The object named; tags are not peeled.
    pub id: ObjectId,
    /// Given as uninteresting.
    pub negative: bool,
}

/// The outcome of resolving all revision arguments.
#[derive(Debug)]
pub struct Resolved {
    /// The revisions, in order.
    pub revisions: Vec<Revision>,
    /// False if `--no-walk` applies; negative revisions and `--do-walk` cancel it.
    pub walked: bool,
    /// Commit heads read while resolving, reused by the walk; a bounded number.
    pub heads: Vec<(ObjectId, CommitHead)>,
}

/// Resolves revision arguments in one repository.
pub struct Resolver<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) gix: gix::Repository,
    pub(crate) reader: Reader,
    /// Short reference names already looked up: the object and the number of rules that matched.
    known: HashMap<BString, (Option<ObjectId>, usize)>,
    /// Warnings, and the errors that git prints before the fatal one.
    pub(crate) notes: &'a mut Vec<BString>,
    /// Disambiguate abbreviated ids in favour of commits.
    pub(crate) only_commits: bool,
    /// `--ignore-missing`: skip arguments that do not resolve.
    pub ignore_missing: bool,
    /// There was no `--`: arguments that do not resolve must be files.
    pub mixed: bool,
    /// `--walk-reflogs`: revisions name reflogs and add no commits.
    pub from_logs: bool,
    flip: bool,
    excluded: Vec<BString>,
    /// `--exclude-hidden` was given and awaits the option it applies to.
    hidden: bool,
    merge: bool,
    walked: bool,
    /// Parsing a commit prints the advice about grafts, as in git.
    pub(crate) speaks: bool,
    found: Vec<Revision>,
    pub(crate) heads: Vec<(ObjectId, CommitHead)>,
}

impl<'a> Resolver<'a> {
    /// A resolver that adds warnings to `notes`.
    pub fn new(repository: &'a Repository, notes: &'a mut Vec<BString>) -> Self {
        Resolver {
            gix: repository.local(),
            reader: repository.reader(),
            repository,
            known: HashMap::new(),
            notes,
            only_commits: false,
            ignore_missing: false,
            mixed: false,
            from_logs: false,
            flip: false,
            excluded: Vec::new(),
            hidden: false,
            merge: false,
            walked: true,
            speaks: false,
            found: Vec::new(),
            heads: Vec::new(),
        }
    }

    /// Resolve `words` in order.
    ///
    /// # Errors
    ///
    /// If one of them does not resolve, in git's words.
    pub fn all(mut self, words: &[BString]) -> Result<Resolved> {
        self.speaks = true;
        for word in words {
            let before = self.found.len();
            match self.word(word.as_bstr()) {
                Err(_) if self.ignore_missing => {}
                resolved if self.mixed && !word.starts_with(b"-") => {
                    // From the first file on, all arguments are files.
                    if resolved.is_err() || is_file(word.as_bstr()) {
                        check_file(word.as_bstr(), resolved.is_ok())?;
                        self.mixed = false;
                        break;
                    }
                }
                resolved => resolved?,
            }
            if self.from_logs {
                self.leave_to_logs(before)?;
            }
        }
        if self.merge {
            self.merged()?;
        }
        Ok(Resolved {
            revisions: self.found,
            walked: self.walked,
            heads: self.heads,
        })
    }

    /// `--walk-reflogs`: removes the commits among the revisions from `start` on.
    fn leave_to_logs(&mut self, start: usize) -> Result<()> {
        for revision in self.found.split_off(start) {
            if self.kind(&revision.id)? != Some(ObjectKind::Commit) {
                self.found.push(revision);
            } else if revision.negative {
                let mut message = b"cannot walk reflogs for ".to_vec();
                message.push_str(&revision.name);
                return Err(Error::fatal(message));
            }
        }
        Ok(())
    }

    /// The kind of the object that `name` peels to: commits peel to trees.
    fn innermost(&mut self, name: &BStr) -> Option<ObjectKind> {
        let id = self.single(name)?;
        match peel_to_commit(&mut self.reader, id).ok()? {
            Some(_) => Some(ObjectKind::Tree),
            None => self.kind(&id).ok()?,
        }
    }

    /// Whether `word` resolves to an existing object: a revision, not a file.
    pub fn names_object(&mut self, word: &BStr) -> bool {
        let mut silent = Vec::new();
        std::mem::swap(self.notes, &mut silent);
        let named = match self.single(word) {
            Some(id) => matches!(self.kind(&id), Ok(Some(_))),
            None => false,
        };
        std::mem::swap(self.notes, &mut silent);
        named
    }

    /// Resolves `word` to an object.
    pub fn object(&mut self, word: &BStr) -> Option<ObjectId> {
        self.single(word)
    }

    /// Resolves `word` to a commit; an ambiguous abbreviated id may match only one commit.
    ///
    /// # Errors
    ///
    /// If an object cannot be read.
    pub fn commit(&mut self, word: &BStr) -> Result<Option<ObjectId>> {
        self.only_commits = true;
        match self.single(word) {
            Some(id) => peel_to_commit(&mut self.reader, id),
            None => Ok(None),
        }
    }

    fn word(&mut self, word: &BStr) -> Result<()> {
        if let Some(option) = word.strip_prefix(b"--") {
            return self.option(option.as_bstr());
        }
        if let Some(at) = word.find(b"..")
            && self.range(word, at)?
        {
            return Ok(());
        }
        let (name, negative) = match word.strip_prefix(b"^") {
            Some(name) => (name.as_bstr(), true),
            None => (word, false),
        };
        if self.several_parents(name, negative) {
            return Ok(());
        }
        let Some(id) = self.single(name) else {
            if let Some(note) = wrong_kind(word, |name| self.innermost(name)) {
                return Err(bad_revision(word).after(vec![note]));
            }
            // One end of a range did not resolve: explain that one.
            let sides = match name.find(b"..").filter(|_| !name.contains(&b':')) {
                Some(at) => [&name[..at], name[at + 2..].trim_start_with(|c| c == '.')],
                None => [name.as_bytes(), &[]],
            };
            let explained = sides
                .into_iter()
                .find_map(|side| explain(self.repository, &self.gix, side.as_bstr()));
            return Err(explained.unwrap_or_else(|| bad_revision(word)));
        };
        self.must_exist(&id, name)?;
        self.push(name.to_owned(), id, negative);
        Ok(())
    }

    /// Resolves `A..B` and `A...B`. Returns false if an end does not resolve.
    fn range(&mut self, word: &BStr, at: usize) -> Result<bool> {
        let symmetric = word[at + 2..].first() == Some(&b'.');
        let side = |part: &[u8]| -> BString {
            if part.is_empty() {
                "HEAD".into()
            } else {
                part.into()
            }
        };
        let left = side(&word[..at]);
        let right = side(&word[at + if symmetric { 3 } else { 2 }..]);
        let (Some(a), Some(b)) = (self.single(left.as_bstr()), self.single(right.as_bstr())) else {
            return Ok(false);
        };
        self.look_at_commits();
        let kinds = (self.kind(&a)?, self.kind(&b)?);
        if kinds.0.is_none() || kinds.1.is_none() {
            let mut message = if symmetric {
                b"Invalid symmetric difference expression ".to_vec()
            } else {
                b"Invalid revision range ".to_vec()
            };
            message.push_str(word);
            return Err(Error::fatal(message));
        }
        if !symmetric {
            self.push(left, a, true);
            self.push(right, b, false);
            return Ok(true);
        }
        let (Some(one), Some(two)) = (
            peel_to_commit(&mut self.reader, a)?,
            peel_to_commit(&mut self.reader, b)?,
        ) else {
            let mut message = b"Invalid symmetric difference expression ".to_vec();
            message.push_str(word);
            let notes = [(a, kinds.0), (b, kinds.1)]
                .into_iter()
                .filter_map(no_commit);
            return Err(Error::fatal(message).after(notes.collect()));
        };
        let bases = self.gix.merge_bases_many(one, &[two]).unwrap_or_default();
        let bases: Vec<ObjectId> = bases.iter().map(|id| id.detach()).collect();
        for base in bases {
            self.push(base.to_string().into(), base, true);
        }
        self.push(left, a, false);
        self.push(right, b, false);
        Ok(true)
    }

    /// Resolves `name` to an object; a full id is not checked for existence.
    pub(crate) fn single(&mut self, name: &BStr) -> Option<ObjectId> {
        if name.len() == self.repository.hash().len_in_hex()
            && let Ok(id) = ObjectId::from_hex(name)
        {
            return Some(id);
        }
        if let Some(id) = self.reference(if name == "@" { "HEAD".into() } else { name }) {
            return Some(id);
        }
        if (4..self.repository.hash().len_in_hex()).contains(&name.len())
            && name.iter().all(u8::is_ascii_hexdigit)
        {
            return self.abbreviated(name);
        }
        if name.is_empty()
            || name.starts_with(b"^")
            || name.contains_str("..") && !name.contains(&b'{') && !name.contains(&b':')
        {
            return None;
        }
        match self.derived(name) {
            Some(found) => found,
            None => self.parsed(name),
        }
    }

    /// Resolves `name` by gix, which does not apply grafts.
    pub(crate) fn parsed(&mut self, name: &BStr) -> Option<ObjectId> {
        self.notes.extend(beyond_log(&self.gix, name));
        match self.gix.rev_parse(name).ok()?.detach() {
            gix::revision::plumbing::Spec::Include(id) => Some(id),
            _ => None,
        }
    }

    /// Called where git first parses a commit, and therefore prints the advice about grafts.
    pub(crate) fn look_at_commits(&mut self) {
        if self.speaks {
            self.repository.note_grafts(self.notes);
        }
    }

    /// Resolves a short reference name; warns if several rules match.
    fn reference(&mut self, name: &BStr) -> Option<ObjectId> {
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
            if !self.repository.settings().warn_ambiguous_refs {
                break;
            }
        }
        (first, count)
    }

    /// Follows the reference with exactly this name.
    fn full_reference(&self, name: &BStr) -> Option<ObjectId> {
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

    fn abbreviated(&mut self, name: &BStr) -> Option<ObjectId> {
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

    /// Applies a revision option, given without `--`.
    fn option(&mut self, option: &BStr) -> Result<()> {
        let (name, pattern) = match option.find_byte(b'=') {
            Some(at) => (option[..at].as_bytes(), Some(option[at + 1..].as_bstr())),
            None => (option.as_bytes(), None),
        };
        if self.hidden && matches!(name, b"branches" | b"tags" | b"remotes") {
            let name = name.as_bstr();
            let note =
                format!("error: options '--exclude-hidden' and '--{name}' cannot be used together");
            self.notes.push(note.into());
            return Ok(());
        }
        match (name, pattern) {
            (b"not", None) => self.flip = !self.flip,
            (b"merge", None) => self.merge = true,
            (b"do-walk", None) => self.walked = true,
            (b"no-walk", kind) => match kind.map(|kind| kind.as_bytes()) {
                None | Some(b"sorted" | b"unsorted") => self.walked = false,
                _ => self
                    .notes
                    .push("error: invalid argument to --no-walk".into()),
            },
            (b"exclude-hidden", _) if self.hidden => {
                return Err(Error::fatal("--exclude-hidden= passed more than once"));
            }
            (b"exclude-hidden", _) => self.hidden = true,
            (b"all", None) => {
                self.references(b"refs/", None);
                if let Some(head) = self.full_reference("HEAD".into()) {
                    self.push("HEAD".into(), head, false);
                }
                self.excluded.clear();
            }
            (b"branches", pattern) => self.references(b"refs/heads/", pattern),
            (b"tags", pattern) => self.references(b"refs/tags/", pattern),
            (b"remotes", pattern) => self.references(b"refs/remotes/", pattern),
            (b"glob", Some(pattern)) if pattern.starts_with(b"refs/") => {
                self.references(b"", Some(pattern));
            }
            (b"glob", pattern) => self.references(b"refs/", pattern),
            (b"reflog", None) => self.logged(),
            (b"indexed-objects", None) => self.staged(),
            (b"bisect", None) => {
                self.references(b"refs/bisect/bad", None);
                self.flip = !self.flip;
                self.references(b"refs/bisect/good", None);
                self.flip = !self.flip;
            }
            (b"exclude", Some(pattern)) => self.excluded.push(pattern.to_owned()),
            _ => {}
        }
        Ok(())
    }

    /// Adds the references below `base`, filtered by `pattern` if given.
    fn references(&mut self, base: &[u8], pattern: Option<&BStr>) {
        let pattern = pattern.map(|pattern| {
            let mut full = BString::from(base);
            full.push_str(pattern);
            if !pattern.iter().any(|byte| b"?*[".contains(byte)) {
                if !full.ends_with(b"/") {
                    full.push(b'/');
                }
                full.push(b'*');
            }
            full
        });
        let excluded = std::mem::take(&mut self.excluded);
        self.hidden = false;
        let base = if base.is_empty() { b"refs/" } else { base };
        // Options for one kind of reference match names without the common prefix.
        let is_kind = base != b"refs/" && base.ends_with(b"/");
        let matches = |pattern: &BStr, name: &BStr| {
            gix::glob::wildmatch(pattern, name, gix::glob::wildmatch::Mode::empty())
        };
        let mut found = Vec::new();
        if let Ok(platform) = self.gix.references()
            && let Ok(references) = platform.prefixed(base.as_bstr())
        {
            for mut reference in references.flatten() {
                let name = reference.name().as_bstr().to_owned();
                let wanted = pattern
                    .as_ref()
                    .is_none_or(|pattern| matches(pattern.as_bstr(), name.as_bstr()));
                let name = match is_kind {
                    true => name[base.len().min(name.len())..].into(),
                    false => name,
                };
                let refused = excluded
                    .iter()
                    .any(|pattern| matches(pattern.as_bstr(), name.as_bstr()));
                if wanted
                    && !refused
                    && let Ok(id) = reference.follow_to_object()
                {
                    found.push((name, id.detach()));
                }
            }
        }
        for (name, id) in found {
            self.push(name, id, false);
        }
    }

    /// `--merge`: both sides of the merge in progress, without their merge bases.
    fn merged(&mut self) -> Result<()> {
        const OTHERS: [&str; 4] = [
            "MERGE_HEAD",
            "CHERRY_PICK_HEAD",
            "REVERT_HEAD",
            "REBASE_HEAD",
        ];
        let mut others = OTHERS.into_iter();
        let other = others.find_map(|name| Some((name, self.full_reference(name.into())?)));
        let Some((name, other)) = other else {
            return Err(Error::fatal(
                "--merge requires one of the pseudorefs MERGE_HEAD, CHERRY_PICK_HEAD, REVERT_HEAD or REBASE_HEAD",
            ));
        };
        let Some(head) = self.full_reference("HEAD".into()) else {
            return Err(Error::fatal("--merge without HEAD?"));
        };
        self.push("HEAD".into(), head, false);
        self.push(name.into(), other, false);
        let bases = self
            .gix
            .merge_bases_many(head, &[other])
            .unwrap_or_default();
        let bases: Vec<ObjectId> = bases.iter().map(|id| id.detach()).collect();
        for base in bases {
            self.push(base.to_string().into(), base, true);
        }
        Ok(())
    }

    /// `--reflog`: all ids in reflogs, without names.
    fn logged(&mut self) {
        let mut names = vec![BString::from("HEAD")];
        if let Ok(platform) = self.gix.references()
            && let Ok(references) = platform.all()
        {
            let all = references.flatten();
            names.extend(all.map(|reference| reference.name().as_bstr().to_owned()));
        }
        let mut found = Vec::new();
        for name in names {
            let Ok(Some(reference)) = self.gix.try_find_reference(&name) else {
                continue;
            };
            let mut log = reference.log_iter();
            if let Ok(Some(lines)) = log.all() {
                for line in lines.flatten() {
                    found.extend([line.previous_oid(), line.new_oid()]);
                }
            }
        }
        for id in found.into_iter().filter(|id| !id.is_null()) {
            self.push(BString::default(), id, false);
        }
    }

    /// `--indexed-objects`: all ids in the index, without names.
    fn staged(&mut self) {
        let Ok(index) = self.gix.index_or_empty() else {
            return;
        };
        for entry in index.entries() {
            self.push(BString::default(), entry.id, false);
        }
    }

    pub(crate) fn push(&mut self, name: BString, id: ObjectId, negative: bool) {
        let negative = negative != self.flip;
        self.walked |= negative;
        self.found.push(Revision { name, id, negative });
    }

    pub(crate) fn kind(&mut self, id: &ObjectId) -> Result<Option<ObjectKind>> {
        self.reader.kind(id).map_err(damaged)
    }

    fn must_exist(&mut self, id: &ObjectId, name: &BStr) -> Result<()> {
        self.look_at_commits();
        if self.kind(id)?.is_some() {
            return Ok(());
        }
        let mut message = b"bad object ".to_vec();
        message.push_str(name);
        Err(Error::fatal(message))
    }
}

fn is_file(word: &BStr) -> bool {
    word.to_path_lossy().symlink_metadata().is_ok()
}

/// Rejects an argument that is both a revision and a file, or neither.
fn check_file(word: &BStr, is_revision: bool) -> Result<()> {
    let problem = match (is_file(word), is_revision) {
        (true, false) => return Ok(()),
        (true, true) => ": both revision and filename",
        (false, _) => ": unknown revision or path not in the working tree.",
    };
    let mut message = quoted("ambiguous argument ", word, problem);
    message.push_str(
        "\nUse '--' to separate paths from revisions, like this:\n\
         'git <command> [<revision>...] -- [<file>...]'",
    );
    Err(Error::fatal(message))
}

pub(crate) fn no_commit((id, kind): (ObjectId, Option<ObjectKind>)) -> Option<BString> {
    let kind = kind.filter(|kind| matches!(kind, ObjectKind::Tree | ObjectKind::Blob))?;
    Some(format!("error: object {id} is a {}, not a commit", kind.name()).into())
}

fn bad_revision(word: &BStr) -> Error {
    let mut message = b"bad revision '".to_vec();
    message.push_str(word);
    message.push(b'\'');
    Error::fatal(message)
}

/// The error for an object that cannot be read.
pub fn damaged(err: objects::Error) -> Error {
    let notes = note_of(&err).into_iter().collect();
    Error::object(err.to_string()).after(notes)
}

/// The line that git prints before the error for an object that cannot be read.
pub fn note_of(err: &objects::Error) -> Option<BString> {
    let objects::Error::Loose { id, path, reason } = err else {
        return None;
    };
    Some(match err.is_absence() {
        true => {
            // git names files of the repository relative to the root of the work tree.
            let path = path.as_os_str().as_encoded_bytes();
            let start = path.find("/.git/").map_or(0, |at| at + 1);
            [b"error: object file ", &path[start..], b" is empty"]
                .concat()
                .into()
        }
        false if reason.ends_with("malformed header") => {
            "error: inflate: data stream error (incorrect header check)".into()
        }
        false => format!("error: corrupt loose object '{id}'").into(),
    })
}

/// Peels tags to a commit; `None` if `id` leads to another kind of object.
///
/// # Errors
///
/// If an object on the way cannot be read.
pub fn peel_to_commit(reader: &mut Reader, id: ObjectId) -> Result<Option<ObjectId>> {
    let mut id = id;
    // Nested tags are rare, and a cycle would need a hash collision.
    for _ in 0..64 {
        match reader.kind(&id).map_err(damaged)? {
            Some(ObjectKind::Commit) => return Ok(Some(id)),
            Some(ObjectKind::Tag) => {
                let tag = reader.object(&id).map_err(damaged)?;
                let target = tag
                    .data
                    .strip_prefix(b"object ")
                    .and_then(|rest| rest.lines().next())
                    .and_then(|hex| ObjectId::from_hex(hex).ok());
                match target {
                    Some(target) => id = target,
                    None => return Ok(None),
                }
            }
            _ => return Ok(None),
        }
    }
    Ok(None)
}
