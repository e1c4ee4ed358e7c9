//! Git attributes of paths, from the work tree with the index as fallback.

use bstr::{BStr, BString, ByteSlice};
use gix::worktree::{Stack, stack::state::attributes::Source};

use crate::{
    error::{Error, Result},
    objects::ObjectId,
    repository::open::discovery::Repository,
};

/// Attribute lookup; each `.gitattributes` is read once.
pub(crate) struct Attributes {
    gix: gix::Repository,
    stack: Stack,
}

impl std::fmt::Debug for Attributes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Attributes").finish_non_exhaustive()
    }
}

impl Attributes {
    /// Attributes of any path. Reads the index, for `.gitattributes` that the work tree lacks.
    pub(crate) fn new(repository: &Repository) -> Result<Attributes> {
        let gix = repository.local();
        let index = gix.index_or_empty().map_err(unreadable)?;
        Attributes::from_index(repository, gix, &index)
    }

    /// Attributes of `path` alone. `None` if no attributes file applies to it; `head` is searched
    /// for one instead of the index, which is slower to read.
    pub(crate) fn of_path(
        repository: &Repository,
        path: &BStr,
        head: Option<ObjectId>,
    ) -> Result<Option<Attributes>> {
        let gix = repository.local();
        let outside = gix
            .attribute_global_paths()
            .unwrap_or_default()
            .into_iter()
            .chain([gix.common_dir().join("info/attributes")]);
        let mut any = outside.into_iter().any(|file| file.exists());
        let mut reader = repository.reader();
        let tree = head.and_then(|head| reader.commit_head(&head).ok());
        for directory in directories(path) {
            let mut file = directory.to_owned();
            file.extend_from_slice(b".gitattributes");
            if repository
                .paths()
                .resolve_from_root(file.as_bstr())
                .exists()
            {
                any = true;
                continue;
            }
            let committed = tree
                .as_ref()
                .and_then(|head| reader.find_path(head.tree, &file, None).ok().flatten());
            if committed.is_some() {
                return Attributes::new(repository).map(Some);
            }
        }
        if !any {
            return Ok(None);
        }
        let index = gix::index::State::new(gix.object_hash());
        Attributes::from_index(repository, gix, &index).map(Some)
    }

    fn from_index(
        repository: &Repository,
        gix: gix::Repository,
        index: &gix::index::State,
    ) -> Result<Attributes> {
        let source = match repository.paths().work_tree {
            Some(_) => Source::WorktreeThenIdMapping,
            None => Source::IdMapping,
        };
        let stack = gix
            .attributes_only(index, source)
            .map_err(unreadable)?
            .detach();
        Ok(Attributes { gix, stack })
    }

    /// The diff driver that the attribute `diff` names at `path`.
    pub(crate) fn diff_driver(&mut self, path: &BStr) -> Option<BString> {
        self.value(path, "diff")
    }

    /// The value of an attribute at `path`; `None` if unset, unspecified or set without a value.
    fn value(&mut self, path: &BStr, name: &str) -> Option<BString> {
        let platform = self
            .stack
            .at_path(path.to_path_lossy().as_ref(), None, &self.gix.objects)
            .ok()?;
        let mut outcome = gix::attrs::search::Outcome::default();
        outcome.initialize_with_selection(&Default::default(), [name]);
        platform.matching_attributes(&mut outcome);
        let matched = outcome.iter_selected().next()?;
        match matched.assignment.state {
            gix::attrs::StateRef::Value(value) => Some(value.as_bstr().as_bytes().into()),
            _ => None,
        }
    }

    /// Converts `contents` of the file `path` to the form stored in git: end-of-line conversion,
    /// working-tree encoding and clean filters.
    ///
    /// # Errors
    ///
    /// If a required filter fails.
    pub(crate) fn check_in(&mut self, path: &BStr, contents: Vec<u8>) -> Result<Vec<u8>> {
        use gix::filter::plumbing::pipeline::{CrlfRoundTripCheck, convert::ToGitOutcome};
        let mut options = gix::filter::Pipeline::options(&self.gix).map_err(unreadable)?;
        options.crlf_roundtrip_check = CrlfRoundTripCheck::Skip;
        let context = self.gix.command_context().map_err(unreadable)?;
        let mut pipeline =
            gix::filter::plumbing::Pipeline::new(context, self.gix.object_hash(), options);
        let file = path.to_path_lossy();
        let platform = self
            .stack
            .at_path(file.as_ref(), None, &self.gix.objects)
            .map_err(|err| Error::fatal(err.to_string()))?;
        let gix = &self.gix;
        let converted = pipeline
            .convert_to_git(
                contents.as_slice(),
                &file,
                &mut |_, outcome| {
                    platform.matching_attributes(outcome);
                },
                &mut |buffer| Ok(staged_blob(gix, path, buffer)),
            )
            .map_err(|err| filter_failed(path, &err))?;
        Ok(match converted {
            ToGitOutcome::Unchanged(_) => contents,
            ToGitOutcome::Buffer(buffer) => buffer.to_vec(),
            ToGitOutcome::Process(mut output) => {
                let mut text = Vec::new();
                std::io::Read::read_to_end(&mut output, &mut text)
                    .map_err(|err| Error::fatal(err.to_string()))?;
                text
            }
        })
    }
}

impl Repository {
    /// The encoding of the contents of `path` by its attributes: `encoding`, as in `git gui`, else
    /// `working-tree-encoding` for contents that are not UTF-8, that is, were committed without it.
    pub fn encoding_of(&self, path: &BStr, contents: &[u8]) -> Option<BString> {
        let attributes = Attributes::of_path(self, path, self.head_commit());
        // Errors are ignored here; the blame reports them where they matter.
        let mut attributes = attributes.ok().flatten()?;
        attributes.value(path, "encoding").or_else(|| {
            let wanted = std::str::from_utf8(contents).is_err();
            wanted.then(|| attributes.value(path, "working-tree-encoding"))?
        })
    }
}

/// Whether `core.autocrlf` converts contents on check-in even without attributes.
pub(crate) fn converts_everywhere(repository: &Repository) -> bool {
    let value = repository.local().config_snapshot().string("core.autocrlf");
    value.is_some_and(|value| {
        value.eq_ignore_ascii_case(b"input")
            || crate::repository::open::configuration::value::boolean(&value) == Some(true)
    })
}

/// Reads the blob at `path` in the index: if it has carriage returns, they are kept.
fn staged_blob(gix: &gix::Repository, path: &BStr, buffer: &mut Vec<u8>) -> Option<()> {
    let index = gix.index_or_empty().ok()?;
    let entry = index.entry_by_path(path)?;
    let object = gix.try_find_object(entry.id).ok()??;
    if object.kind != gix::objs::Kind::Blob {
        return None;
    }
    buffer.clear();
    buffer.extend_from_slice(&object.data);
    Some(())
}

/// The directories above `path` with a trailing slash, from the root (empty) down.
fn directories(path: &BStr) -> impl Iterator<Item = &[u8]> {
    let slashes = path.find_iter(b"/").map(|at| &path[..=at]);
    std::iter::once(&path[..0])
        .chain(slashes)
        .map(|directory| directory.as_bytes())
}

fn unreadable(err: gix::Error) -> Error {
    Error::fatal(format!("{err:#}"))
}

fn filter_failed(path: &BStr, err: &gix::Error) -> Error {
    Error::fatal(format!("{path}: clean filter failed: {err:#}"))
}
