//! The operands of `--patch`: a range of which the patch is made.

use bstr::{BStr, BString, ByteSlice};

use crate::{
    error::{Error, Result, quoted},
    objects::ObjectId,
    repository::{
        Repository,
        content::work_tree::entry_of_commit,
        request::options::BlameOptions,
        revisions::{
            arguments::{RevisionArguments, RevisionOptions},
            peel::damaged,
            resolver::RevisionResolver,
        },
    },
};

/// What a patch is made of.
#[derive(Debug, Default)]
pub(super) struct PatchRange {
    /// The commit that the patch applies to, as given.
    pub(super) base: Option<ObjectId>,
    /// The commit that the patch leads to; without one, the patch comes from standard input.
    pub(super) new: Option<ObjectId>,
    /// The paths from the root of the tree that the patch is limited to, without slashes at their
    /// ends; none for all.
    pub(super) paths: Vec<BString>,
}

/// Reads `A..B`, `A...B` for what `B` changed since it left `A`, or `C^!`, each with paths after it.
/// Without operands, resolves the revision `base`.
///
/// # Errors
///
/// If a revision does not resolve, there is no range, or a path is at neither of its ends.
pub(super) fn read(
    repository: &Repository,
    options: &BlameOptions,
    base: Option<&BString>,
    notes: &mut Vec<BString>,
) -> Result<PatchRange> {
    let mut operands = options.operands.iter().filter(|word| *word != "--");
    let mut resolver = RevisionResolver::new(repository, notes);
    let Some(word) = operands.next() else {
        let Some(name) = base else {
            return Ok(PatchRange::default());
        };
        let commit = resolver.commit(name.as_bstr())?;
        let unknown = || Error::fatal(quoted("bad revision ", name.as_bstr(), ""));
        return Ok(PatchRange {
            base: Some(commit.ok_or_else(unknown)?),
            ..PatchRange::default()
        });
    };
    if base.is_some() {
        return Err(Error::fatal("--base is for a patch on standard input"));
    }
    let words = std::slice::from_ref(word);
    let found = RevisionArguments::resolve(resolver, RevisionOptions::default(), words)?;
    let of_kind = |negative| {
        let found = found.revisions.iter();
        found.filter(move |it| it.negative == negative)
    };
    let (Some(old), Some(new)) = (of_kind(true).next(), of_kind(false).next_back()) else {
        let what = "--patch takes a range such as A..B, not ";
        let err = Error::fatal(quoted(what, word.as_bstr(), ""));
        return Err(match of_kind(false).next() {
            Some(_) => err.with_hint(format!(
                "of one commit: tblame --patch {word}^..{word}, or git show {word} | tblame --patch"
            )),
            None => err,
        });
    };
    let mut resolver = RevisionResolver::new(repository, notes);
    let mut commit = |id: &ObjectId| {
        let name = BString::from(id.to_string());
        let commit = resolver.commit(name.as_bstr())?;
        commit.ok_or_else(|| Error::fatal(quoted("no commit: ", word.as_bstr(), "")))
    };
    let commits = [commit(&old.id)?, commit(&new.id)?];
    let paths = operands.map(|typed| {
        let path = repository.paths().resolve(typed.as_bstr())?;
        let path = BString::from(path.strip_suffix(b"/").unwrap_or(&path));
        if is_in_one(repository, &commits, path.as_bstr())? {
            return Ok(path);
        }
        let message = quoted("no such path ", typed.as_bstr(), " in ");
        Err(Error::no_such_path([&message, word.as_slice()].concat()))
    });
    Ok(PatchRange {
        paths: paths.collect::<Result<_>>()?,
        base: Some(commits[0]),
        new: Some(commits[1]),
    })
}

/// True if one of the commits has a file or a directory at `path`.
fn is_in_one(repository: &Repository, commits: &[ObjectId], path: &BStr) -> Result<bool> {
    let mut reader = repository.reader();
    for commit in commits {
        let mut entry = || entry_of_commit(&mut reader, commit, path).map_err(damaged);
        if path.is_empty() || entry()?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}
