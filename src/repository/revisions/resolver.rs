//! Resolves revision arguments: names, ranges and `^A`.

use std::{collections::HashMap, sync::Arc};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    error::{Error, Result, quoted},
    objects::{CommitHead, ObjectId, ObjectKind, Reader},
    repository::{
        open::{grafts::Grafts, repository::Repository},
        references::References,
        revisions::{
            explain::explain,
            known_name::{KnownName, Preference},
            peel::{self, damaged, no_commit, peel, peel_to_commit, peel_to_named_commit},
        },
    },
};

/// A resolved revision; one argument may expand to several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// As written, without `^`; the full reference name for options such as `--all`.
    pub name: BString,
    /// The object named; tags are not peeled.
    pub id: ObjectId,
    /// Excluded, with all its ancestors.
    pub negative: bool,
}

/// The outcome of resolving all revision arguments.
#[derive(Debug)]
pub struct ResolvedRevisions {
    /// The revisions, in order.
    pub revisions: Vec<Revision>,
    /// False if `--no-walk` applies; negative revisions and `--do-walk` cancel it.
    pub walked: bool,
    /// Commit heads read while resolving, reused by the walk; a bounded number.
    pub heads: Vec<(ObjectId, CommitHead)>,
}

/// Resolves revision arguments in one repository.
pub struct RevisionResolver<'a> {
    pub(crate) repository: &'a Repository,
    /// See [`gix`](Self::gix).
    gix: Option<gix::Repository>,
    pub(crate) reader: Reader,
    pub(crate) references: References,
    /// Short reference names already looked up.
    pub(super) known: HashMap<BString, KnownName>,
    /// An error at which git ends while it resolves a name; nothing is resolved after it.
    pub(super) fatal: Option<Error>,
    /// Overriding parents, followed by `~`, `^` and `:/`.
    pub(crate) grafts: Arc<Grafts>,
    /// Warnings, and the errors that git prints before the fatal one.
    pub(crate) notes: &'a mut Vec<BString>,
    /// What ambiguous abbreviated ids are resolved to.
    pub(crate) preference: Preference,
    /// `--ignore-missing`: skip arguments that do not resolve.
    pub ignore_missing: bool,
    /// There was no `--`: arguments that do not resolve must be files.
    pub mixed: bool,
    /// `--walk-reflogs`: revisions name reflogs and add no commits.
    pub walk_reflogs: bool,
    /// `--default`: the revision if there is no other.
    pub default: Option<BString>,
    /// There was an argument that adds revisions.
    pub(super) has_revisions: bool,
    /// `--not` is in effect.
    pub(super) flip: bool,
    /// Patterns of `--exclude` for the next option that adds references.
    pub(super) excluded: Vec<BString>,
    /// `--exclude-hidden` was given and awaits the option it applies to.
    pub(super) hidden: bool,
    /// `--merge` was given.
    pub(super) merge: bool,
    /// See [`ResolvedRevisions::walked`].
    pub(super) walked: bool,
    /// Parsing a commit adds the advice about grafts to `notes`, as git prints it then.
    pub(crate) prints_advice: bool,
    pub(super) found: Vec<Revision>,
    pub(crate) heads: Vec<(ObjectId, CommitHead)>,
    /// See `check_remotes`.
    pub(super) remotes_checked: bool,
}

impl<'a> RevisionResolver<'a> {
    /// A resolver that adds warnings to `notes`.
    pub fn new(repository: &'a Repository, notes: &'a mut Vec<BString>) -> Self {
        RevisionResolver {
            gix: None,
            references: repository.references(),
            reader: repository.reader(),
            grafts: Arc::clone(repository.grafts()),
            repository,
            known: HashMap::new(),
            fatal: None,
            notes,
            preference: Preference::Nothing,
            ignore_missing: false,
            mixed: false,
            walk_reflogs: false,
            default: None,
            has_revisions: false,
            flip: false,
            excluded: Vec::new(),
            hidden: false,
            merge: false,
            walked: true,
            prints_advice: false,
            found: Vec::new(),
            heads: Vec::new(),
            remotes_checked: false,
        }
    }

    /// Resolves `words` in order.
    ///
    /// # Errors
    ///
    /// If one of them does not resolve, in git's words.
    pub fn all(mut self, words: &[BString]) -> Result<ResolvedRevisions> {
        self.prints_advice = true;
        self.words(words)?;
        Ok(ResolvedRevisions {
            revisions: self.found,
            walked: self.walked,
            heads: self.heads,
        })
    }

    fn words(&mut self, words: &[BString]) -> Result<()> {
        for word in words {
            let before = self.found.len();
            // After `--end-of-options` git takes these for options of other commands and ignores
            // them, `-` always.
            if word.starts_with(b"-") && !word.starts_with(b"--") {
                continue;
            }
            let resolved = self.word(word.as_bstr());
            if let Some(err) = self.fatal.take() {
                return Err(err);
            }
            match resolved {
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
            if self.walk_reflogs {
                self.remove_reflog_commits(before)?;
            }
        }
        if self.merge {
            self.add_merge_sides()?;
        }
        if let Some(default) = self.default.take()
            && !self.has_revisions
        {
            let before = self.found.len();
            self.add_default(default)?;
            if self.walk_reflogs {
                self.remove_reflog_commits(before)?;
            }
        }
        Ok(())
    }

    fn add_default(&mut self, name: BString) -> Result<()> {
        let Some(id) = self.single(name.as_bstr()) else {
            if let Some(err) = self.fatal.take() {
                return Err(err);
            }
            let head = self.references.resolve("HEAD".into());
            let unborn = head.filter(|head| head.id().is_none());
            return Err(Error::fatal(match unborn {
                Some(head) => {
                    let branch = head.name.strip_prefix(b"refs/heads/").unwrap_or(&head.name);
                    let problem = " does not have any commits yet";
                    quoted("your current branch ", branch.as_bstr(), problem)
                }
                None => b"your current branch appears to be broken".to_vec(),
            }));
        };
        self.must_exist(&id, name.as_bstr())?;
        self.flip = false;
        self.push(name, id, false);
        Ok(())
    }

    /// `--walk-reflogs`: removes the commits among the revisions from `start` on.
    fn remove_reflog_commits(&mut self, start: usize) -> Result<()> {
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

    /// Whether `word` resolves to an existing object: a revision, not a file. What there is to say about it is said when it is
    /// resolved again, or now if it will not be.
    ///
    /// # Errors
    ///
    /// Where git ends.
    pub fn names_object(&mut self, word: &BStr, is_resolved_again: bool) -> Result<bool> {
        let mut silent = Vec::new();
        std::mem::swap(self.notes, &mut silent);
        let named = match self.single(word) {
            Some(id) => matches!(self.kind(&id), Ok(Some(_))),
            None => false,
        };
        std::mem::swap(self.notes, &mut silent);
        if self.fatal.is_some() || !is_resolved_again {
            self.notes.append(&mut silent);
        }
        self.fatal.take().map_or(Ok(named), Err)
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
        self.preference = Preference::Commits;
        let found = self.single(word);
        if let Some(err) = self.fatal.take() {
            return Err(err);
        }
        match found {
            Some(id) => peel_to_commit(&mut self.reader, id),
            None => Ok(None),
        }
    }

    fn word(&mut self, word: &BStr) -> Result<()> {
        if let Some(option) = word.strip_prefix(b"--") {
            return self.option(option.as_bstr());
        }
        self.has_revisions = true;
        if let Some(at) = word.find(b"..")
            && self.range(word, at)?
        {
            return Ok(());
        }
        let (name, negative) = match word.strip_prefix(b"^") {
            Some(name) => (name.as_bstr(), true),
            None => (word, false),
        };
        if self.expand_parents(name, negative) {
            return Ok(());
        }
        let Some(id) = self.single(name) else {
            if let Some(err) = &self.fatal {
                return Err(err.clone());
            }
            // One end of a range did not resolve: explain that one.
            let sides = match name.find(b"..").filter(|_| !name.contains(&b':')) {
                Some(at) => [&name[..at], name[at + 2..].trim_start_with(|c| c == '.')],
                None => [name.as_bytes(), &[]],
            };
            let explained = sides
                .into_iter()
                .find_map(|side| explain(self.repository, side.as_bstr()));
            let problem = self.references.problem();
            return Err(explained.unwrap_or_else(|| bad_revision(word).with_hint_if(problem)));
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
        let Some(a) = self.committish(left.as_bstr()) else {
            return Ok(false);
        };
        let Some(b) = self.committish(right.as_bstr()) else {
            return Ok(false);
        };
        self.note_grafts();
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
            peel_to_named_commit(&mut self.reader, a)?,
            peel_to_named_commit(&mut self.reader, b)?,
        ) else {
            let mut message = b"Invalid symmetric difference expression ".to_vec();
            message.push_str(word);
            let mut notes = Vec::new();
            for id in [a, b] {
                let innermost = peel(&mut self.reader, id)?;
                let kind = self.kind(&innermost)?;
                notes.extend(no_commit((id, kind)));
            }
            return Err(Error::fatal(message).after(notes));
        };
        for base in self.merge_bases(one, two)? {
            self.push(base.to_string().into(), base, true);
        }
        self.push(left, a, false);
        self.push(right, b, false);
        Ok(true)
    }

    /// Resolves `name` to an object; a full id is not checked for existence. Where git ends, the
    /// error is kept and nothing is resolved any more.
    pub(crate) fn single(&mut self, name: &BStr) -> Option<ObjectId> {
        if self.fatal.is_some() {
            return None;
        }
        match self.object_name(name) {
            Ok(found) => found,
            Err(err) => {
                self.fatal = Some(err);
                None
            }
        }
    }

    /// gix's handle, made when it is first needed: it has buffers of its own.
    pub(super) fn gix(&mut self) -> Option<&gix::Repository> {
        if self.gix.is_none() {
            match self.repository.local() {
                Ok(gix) => self.gix = Some(gix),
                Err(err) => self.fatal = Some(err),
            }
        }
        self.gix.as_ref()
    }

    /// The best common ancestors of two commits.
    ///
    /// # Errors
    ///
    /// A commit on the way to them cannot be read.
    pub(super) fn merge_bases(&mut self, one: ObjectId, two: ObjectId) -> Result<Vec<ObjectId>> {
        let Some(gix) = self.gix() else {
            return self.fatal.take().map_or(Ok(Vec::new()), Err);
        };
        let bases = gix.merge_bases_many(one, &[two]);
        let bases = bases.map_err(|err| Error::fatal(err.to_string()))?;
        Ok(bases.iter().map(|id| id.detach()).collect())
    }

    /// Resolves `name` by gix: paths in trees and in the index, and peeling.
    pub(crate) fn parsed(&mut self, name: &BStr) -> Option<ObjectId> {
        match self.gix()?.rev_parse(name).ok()?.detach() {
            gix::revision::plumbing::Spec::Include(id) => Some(id),
            _ => None,
        }
    }

    /// Adds the advice about grafts: called where git first parses a commit, and prints it.
    pub(crate) fn note_grafts(&mut self) {
        if self.prints_advice {
            self.repository.note_grafts(self.notes);
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
        self.note_grafts();
        let problem = match self.kind(id)? {
            Some(ObjectKind::Tag) => {
                let tag = self.reader.object(id).map_err(damaged)?;
                peel::tag_problem(id, &tag.data)
            }
            Some(_) => return Ok(()),
            None => Some(None),
        };
        let Some(note) = problem else {
            return Ok(());
        };
        self.notes.extend(note);
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

fn bad_revision(word: &BStr) -> Error {
    let mut message = b"bad revision '".to_vec();
    message.push_str(word);
    message.push(b'\'');
    Error::fatal(message)
}
