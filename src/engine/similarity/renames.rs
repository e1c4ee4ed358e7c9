//! Rename detection: which removed file became the added one.

use std::sync::Arc;

use bstr::{BStr, ByteSlice};

use crate::{
    engine::{
        api::error::Error,
        similarity::{
            candidates::SourceFile,
            chunks::{self, Chunks},
        },
    },
    objects::{Reader, TreeEntry},
};

/// The number of identical sources among which one with the same base name is preferred.
const MAX_EXACT_CANDIDATES: usize = 100;
/// The number of inexact candidates kept, as in git.
const MAX_INEXACT_CANDIDATES: usize = 4;
/// The number of chunks of sources that are kept: 32 MB.
const MAX_KEPT_CHUNKS: usize = 1 << 21;

/// The files of a parent that a file may have been renamed from, sorted bytewise.
///
/// For several renamed files of one commit they are the same: git does not take one away that was
/// found. What was measured is kept then.
#[derive(Debug)]
pub(crate) struct RenameSources {
    files: Vec<SourceFile>,
    measured: Vec<Measured>,
    /// The number of chunks that may still be kept.
    spare_chunks: usize,
}

/// What is known of a source.
#[derive(Debug, Default)]
struct Measured {
    /// The outer `None` means that it was not read.
    size: Option<Option<u64>>,
    chunks: Option<Chunks>,
}

impl RenameSources {
    /// Sources of one file.
    pub(crate) fn of_one(files: Vec<SourceFile>) -> RenameSources {
        RenameSources {
            measured: Vec::new(),
            files,
            spare_chunks: 0,
        }
    }

    /// Sources of several files.
    pub(crate) fn of_many(files: Vec<SourceFile>) -> RenameSources {
        RenameSources {
            measured: Vec::new(),
            files,
            spare_chunks: MAX_KEPT_CHUNKS,
        }
    }

    pub(crate) fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The file at an index.
    pub(crate) fn take(mut self, at: usize) -> SourceFile {
        self.files.swap_remove(at)
    }

    fn measured(&mut self, at: usize) -> &mut Measured {
        if self.measured.is_empty() {
            self.measured
                .resize_with(self.files.len(), Measured::default);
        }
        &mut self.measured[at]
    }
}

/// True if the file at a path is text by its attributes; `None` if its contents say so.
pub(crate) type IsText<'a> = dyn FnMut(&BStr) -> Option<bool> + 'a;

/// The index of the source that was renamed to `path`.
///
/// `unstored` is the target's text if it is not in the object database. `is_text` says what
/// attributes say of a path, and is only asked about files whose kind counts.
pub(crate) fn find_source(
    path: &BStr,
    target: TreeEntry,
    unstored: Option<&Arc<[u8]>>,
    sources: &mut RenameSources,
    is_text: &mut IsText<'_>,
    reader: &mut Reader,
) -> Result<Option<usize>, Error> {
    let files = &sources.files;
    if let Some(exact) = find_exact(path, target, files) {
        return Ok(Some(exact));
    }
    if !target.is_regular() {
        return Ok(None);
    }
    if files.is_empty() {
        return Ok(None);
    }
    let same_name = unique_same_name(path, files);
    let stored = unstored.is_none().then_some(&target.id);
    let first = same_name.map(|at| &files[at].1.id);
    reader.fetch_missing(stored.into_iter().chain(first));
    let text = match unstored {
        Some(text) => Arc::clone(text),
        None => {
            reader
                .object(&target.id)
                .map_err(Error::in_similarity)?
                .data
        }
    };
    let mut scorer = RenameScorer {
        path,
        text,
        chunks: None,
        is_text,
    };
    if let Some(only) = same_name {
        let minimum = chunks::SAME_NAME_MINIMUM;
        if scorer.score(sources, only, minimum, reader)? >= minimum {
            return Ok(Some(only));
        }
    }
    let regular = sources.files.iter().filter(|source| source.1.is_regular());
    reader.fetch_missing(regular.map(|source| &source.1.id));
    find_inexact(path, sources, &mut scorer, reader)
}

fn find_exact(path: &BStr, target: TreeEntry, sources: &[SourceFile]) -> Option<usize> {
    let exact = |(_, source): &(usize, &SourceFile)| {
        let entry = source.1;
        entry.id == target.id && entry.file_type() == target.file_type()
    };
    let candidates = || sources.iter().enumerate().filter(exact);
    candidates()
        .take(MAX_EXACT_CANDIDATES)
        .find(|(_, source)| base_name(source.0.as_bstr()) == base_name(path))
        .or_else(|| candidates().next())
        .map(|(at, _)| at)
}

fn unique_same_name(path: &BStr, sources: &[SourceFile]) -> Option<usize> {
    let mut same =
        (0..sources.len()).filter(|&at| base_name(sources[at].0.as_bstr()) == base_name(path));
    let only = same.next()?;
    same.next().is_none().then_some(only)
}

/// Every source takes a free slot, even one that scores too low, until better ones replace it: the
/// slot decides between equals.
fn find_inexact(
    path: &BStr,
    sources: &mut RenameSources,
    scorer: &mut RenameScorer<'_, '_>,
    reader: &mut Reader,
) -> Result<Option<usize>, Error> {
    let mut slots: Vec<((u64, bool), usize)> = Vec::with_capacity(MAX_INEXACT_CANDIDATES);
    for at in 0..sources.files.len() {
        let score = scorer.score(sources, at, chunks::MINIMUM, reader)?;
        let source = sources.files[at].0.as_bstr();
        let rank = (score, base_name(source) == base_name(path));
        if slots.len() < MAX_INEXACT_CANDIDATES {
            slots.push((rank, at));
        } else if let Some(worst) = slots.iter_mut().min_by_key(|slot| slot.0)
            && worst.0 < rank
        {
            *worst = (rank, at);
        }
    }
    let best = slots.into_iter().rev().max_by_key(|slot| slot.0);
    Ok(best
        .filter(|(rank, _)| rank.0 >= chunks::MINIMUM)
        .map(|(_, at)| at))
}

/// Scores sources against the target, whose chunks are computed once.
struct RenameScorer<'a, 'b> {
    path: &'a BStr,
    text: Arc<[u8]>,
    chunks: Option<Chunks>,
    is_text: &'a mut IsText<'b>,
}

impl RenameScorer<'_, '_> {
    fn score(
        &mut self,
        sources: &mut RenameSources,
        at: usize,
        minimum: u64,
        reader: &mut Reader,
    ) -> Result<u64, Error> {
        let source = sources.files[at].1;
        if !source.is_regular() {
            return Ok(0);
        }
        let known = sources.measured(at);
        let size = match known.size {
            Some(size) => size,
            None => reader.size(&source.id).map_err(Error::in_similarity)?,
        };
        known.size = Some(size);
        let fits = |size| chunks::sizes_allow(size, self.text.len() as u64, minimum);
        if size.is_some_and(|size| !fits(size)) {
            return Ok(0);
        }
        let is_text = &mut *self.is_text;
        let target = self
            .chunks
            .get_or_insert_with(|| chunks_of(self.path, &self.text, is_text));
        if let Some(chunks) = &known.chunks {
            return Ok(target.score(chunks));
        }
        let object = reader.object(&source.id).map_err(Error::in_similarity)?;
        let path = sources.files[at].0.as_bstr();
        let chunks = chunks_of(path, &object.data, is_text);
        let score = target.score(&chunks);
        if let Some(rest) = sources.spare_chunks.checked_sub(chunks.count()) {
            sources.spare_chunks = rest;
            sources.measured(at).chunks = Some(chunks);
        }
        Ok(score)
    }
}

/// The chunks of the file at `path`. Only with CR LF it counts whether it is text.
fn chunks_of(path: &BStr, data: &[u8], is_text: &mut IsText<'_>) -> Chunks {
    let counts = memchr::memmem::find(data, b"\r\n").is_some();
    Chunks::of_kind(data, counts.then(|| is_text(path)).flatten())
}

fn base_name(path: &BStr) -> &[u8] {
    path.rfind_byte(b'/')
        .map_or(path.as_bytes(), |at| &path[at + 1..])
}
