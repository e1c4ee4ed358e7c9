//! Resolves revision arguments: names, ranges, `^A`, and options that add revisions.

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    error::{Error, Result, noted, quoted},
    objects::{CommitHead, ObjectId, ObjectKind},
    repository::revisions::{
        merge_bases::merge_bases,
        peel::{self, damaged, no_commit, peel_to_named_commit, peel_with_kind, unreadable_parent},
        resolver::RevisionResolver,
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

/// How revision arguments are resolved.
#[derive(Debug, Clone, Default)]
pub struct RevisionOptions {
    /// `--ignore-missing`: skip arguments that do not resolve.
    pub ignore_missing: bool,
    /// There was no `--`: arguments that do not resolve must be files.
    pub mixed: bool,
    /// `--walk-reflogs`: revisions name reflogs and add no commits.
    pub walk_reflogs: bool,
    /// `--default`: the revision if there is no other.
    pub default: Option<BString>,
}

/// The revisions that arguments have added so far, and the options in effect.
pub struct RevisionArguments<'a> {
    pub(super) names: RevisionResolver<'a>,
    options: RevisionOptions,
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
    found: Vec<Revision>,
}

impl<'a> RevisionArguments<'a> {
    /// Resolves `words` in order, names in them by `names`.
    ///
    /// # Errors
    ///
    /// If one of them does not resolve, in git's words.
    pub fn resolve(
        names: RevisionResolver<'a>,
        options: RevisionOptions,
        words: &[BString],
    ) -> Result<ResolvedRevisions> {
        let mut list = RevisionArguments {
            names,
            options,
            has_revisions: false,
            flip: false,
            excluded: Vec::new(),
            hidden: false,
            merge: false,
            walked: true,
            found: Vec::new(),
        };
        list.names.prints_advice = true;
        // The commits of earlier names are read again if they are among the revisions.
        list.names.heads.clear();
        list.add_all(words)?;
        Ok(ResolvedRevisions {
            revisions: list.found,
            walked: list.walked,
            heads: list.names.heads,
        })
    }

    fn add_all(&mut self, words: &[BString]) -> Result<()> {
        for word in words {
            let before = self.found.len();
            // After `--end-of-options` git takes these for options of other commands and ignores
            // them, `-` always.
            if word.starts_with(b"-") && !word.starts_with(b"--") {
                continue;
            }
            if !self.add(word.as_bstr())? {
                break;
            }
            self.remove_reflog_commits(before)?;
        }
        if self.merge {
            self.add_merge_sides()?;
        }
        if let Some(default) = self.options.default.take()
            && !self.has_revisions
        {
            let before = self.found.len();
            self.add_default(default)?;
            self.remove_reflog_commits(before)?;
        }
        Ok(())
    }

    /// Adds what `word` stands for. False if it is a file: from the first one on, all arguments are
    /// files.
    fn add(&mut self, word: &BStr) -> Result<bool> {
        if let Some(option) = word.strip_prefix(b"--") {
            return self.option(option.as_bstr()).map(|()| true);
        }
        self.has_revisions = true;
        let is_revision = self.add_revision(word)? || self.options.ignore_missing;
        if self.options.mixed && (!is_revision || is_file(word)) {
            return check_file(word, is_revision).map(|()| false);
        }
        if is_revision {
            Ok(true)
        } else {
            let remote = self.names.remote_branch(word);
            let hint = remote.map(|name| format!("did you mean {name}?"));
            let problem = self.names.references.problem();
            Err(bad_revision(word).with_hint_if(hint.as_deref().or(problem)))
        }
    }

    fn add_default(&mut self, name: BString) -> Result<()> {
        let Some(id) = self.names.object(name.as_bstr())? else {
            let head = self.names.references.resolve("HEAD".into());
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

    /// With `--walk-reflogs`, removes the commits among the revisions from `start` on.
    fn remove_reflog_commits(&mut self, start: usize) -> Result<()> {
        if !self.options.walk_reflogs {
            return Ok(());
        }
        for revision in self.found.split_off(start) {
            if self.names.kind(&revision.id)? != Some(ObjectKind::Commit) {
                self.found.push(revision);
            } else if revision.negative {
                let mut message = b"cannot walk reflogs for ".to_vec();
                message.push_str(&revision.name);
                return Err(Error::fatal(message));
            }
        }
        Ok(())
    }

    /// Adds a range, the parents of a commit, or an object. Returns false if `word` does not
    /// resolve.
    fn add_revision(&mut self, word: &BStr) -> Result<bool> {
        if let Some(at) = word.find(b"..")
            && self.add_range(word, at)?
        {
            return Ok(true);
        }
        let (name, negative) = match word.strip_prefix(b"^") {
            Some(name) => (name.as_bstr(), true),
            None => (word, false),
        };
        if let Some(expanded) = self.names.expand_parents(name)? {
            let base = expanded.base.to_owned();
            let excludes_parents = expanded.commit.is_some();
            for parent in expanded.parents {
                let reader = &mut self.names.reader;
                // git knows it for a commit, whatever takes its place.
                if reader.is_replaced(&parent)
                    && let Err(err) = reader.commit_head_only(&parent)
                {
                    let message = [b"unable to parse commit ", base.as_slice()].concat();
                    return Err(Error::fatal(message).after(vec![unreadable_parent(&err)]));
                }
                self.push(base.clone(), parent, negative != excludes_parents);
            }
            if let Some(commit) = expanded.commit {
                // git resolves it once more, where an abbreviated id prefers nothing.
                if self.names.object(base.as_bstr())?.is_none() {
                    return Ok(false);
                }
                self.push(base, commit, negative);
            }
            return Ok(true);
        }
        let Some(id) = self.names.object(name)? else {
            return Ok(false);
        };
        if self.must_exist(&id, name)? {
            self.push(name.to_owned(), id, negative);
        }
        Ok(true)
    }

    /// Adds `A..B` or `A...B`. Returns false if an end does not resolve.
    fn add_range(&mut self, word: &BStr, at: usize) -> Result<bool> {
        let symmetric = word[at + 2..].first() == Some(&b'.');
        let side = |part: &[u8]| BString::from(if part.is_empty() { b"HEAD" } else { part });
        let left = side(&word[..at]);
        let right = side(&word[at + if symmetric { 3 } else { 2 }..]);
        let Some(a) = self.names.committish(left.as_bstr())? else {
            return Ok(false);
        };
        let Some(b) = self.names.committish(right.as_bstr())? else {
            return Ok(false);
        };
        self.names.note_grafts();
        let invalid = |notes| {
            let message = if symmetric {
                b"Invalid symmetric difference expression ".as_slice()
            } else {
                b"Invalid revision range "
            };
            Err(Error::fatal([message, word].concat()).after(notes))
        };
        if self.names.kind(&a)?.is_none() || self.names.kind(&b)?.is_none() {
            return if self.options.ignore_missing {
                Ok(true)
            } else {
                invalid(Vec::new())
            };
        }
        if !symmetric {
            self.push(left, a, true);
            self.push(right, b, false);
            return Ok(true);
        }
        let reader = &mut self.names.reader;
        let (Some(one), Some(two)) = (
            peel_to_named_commit(reader, a)?,
            peel_to_named_commit(reader, b)?,
        ) else {
            let mut notes = Vec::new();
            for id in [a, b] {
                let (_, kind) = peel_with_kind(reader, id)?;
                notes.extend(no_commit((id, kind)));
            }
            return invalid(notes);
        };
        if self.add_merge_bases(one, two) {
            self.push(left, a, false);
            self.push(right, b, false);
            Ok(true)
        } else {
            Ok(false)
        }
    }

    /// Excludes the merge bases of two commits. Returns false if a commit on the way to them cannot
    /// be read.
    pub(super) fn add_merge_bases(&mut self, one: ObjectId, other: ObjectId) -> bool {
        let names = &mut self.names;
        let bases = merge_bases(&mut names.reader, &names.grafts, one, other);
        let bases = bases.map_err(|err| names.notes.push(noted(unreadable_parent(&err))));
        for base in bases.iter().flatten() {
            self.push(base.to_string().into(), *base, true);
        }
        bases.is_ok()
    }

    pub(super) fn push(&mut self, name: BString, id: ObjectId, negative: bool) {
        let negative = negative != self.flip;
        self.walked |= negative;
        self.found.push(Revision { name, id, negative });
    }

    /// Fails if there is no object `id`, called `name`. Returns false if it is skipped then.
    fn must_exist(&mut self, id: &ObjectId, name: &BStr) -> Result<bool> {
        self.names.note_grafts();
        let problem = match self.names.kind(id)? {
            Some(ObjectKind::Tag) => {
                let tag = self.names.reader.object(id).map_err(damaged)?;
                peel::tag_problem(id, &tag.data)
            }
            Some(_) => return Ok(true),
            None => Some(None),
        };
        let Some(note) = problem else {
            return Ok(true);
        };
        self.names.notes.extend(note);
        if self.options.ignore_missing {
            Ok(false)
        } else {
            Err(Error::fatal([b"bad object ", name.as_bytes()].concat()))
        }
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
    Error::fatal(quoted("bad revision ", word, ""))
}
