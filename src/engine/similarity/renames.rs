//! Whole-file renames: which of the files that a commit removed became the one it added.

use std::sync::Arc;

use bstr::{BStr, ByteSlice};

use crate::{
    engine::{
        api::error::Error,
        similarity::{
            candidates::Source,
            chunks::{self, Chunks},
        },
    },
    objects::{Reader, TreeEntry},
};

/// Among sources with the target's very bytes, one of the same name is looked for only this far.
const EXACT_TRIES: usize = 100;
/// How many inexact candidates are kept.
const SLOTS: usize = 4;

/// The source that became `path`, as an index into `sources`, which are in byte order of the path.
///
/// `unstored` is the target's text where no object holds it.
pub(crate) fn find(
    path: &BStr,
    target: TreeEntry,
    unstored: Option<&Arc<[u8]>>,
    sources: &[Source],
    reader: &mut Reader,
) -> Result<Option<usize>, Error> {
    if let Some(exact) = find_exact(path, target, sources) {
        return Ok(Some(exact));
    }
    if !target.is_regular() {
        return Ok(None);
    }
    if sources.is_empty() {
        return Ok(None);
    }
    let text = match unstored {
        Some(text) => Arc::clone(text),
        None => reader.object(&target.id)?.data,
    };
    let mut estimator = Estimator { text, chunks: None };
    if let Some(only) = only_same_name(path, sources) {
        let minimum = chunks::SAME_NAME_MINIMUM;
        if estimator.score(sources[only].1, minimum, reader)? >= minimum {
            return Ok(Some(only));
        }
    }
    find_inexact(path, sources, &mut estimator, reader)
}

fn find_exact(path: &BStr, target: TreeEntry, sources: &[Source]) -> Option<usize> {
    let exact = |(_, source): &(usize, &Source)| {
        let entry = source.1;
        entry.id == target.id
            && (entry.mode == target.mode || (entry.is_regular() && target.is_regular()))
    };
    let candidates = || sources.iter().enumerate().filter(exact);
    candidates()
        .take(EXACT_TRIES)
        .find(|(_, source)| base(source.0.as_bstr()) == base(path))
        .or_else(|| candidates().next())
        .map(|(at, _)| at)
}

fn only_same_name(path: &BStr, sources: &[Source]) -> Option<usize> {
    let mut same = (0..sources.len()).filter(|&at| base(sources[at].0.as_bstr()) == base(path));
    let only = same.next()?;
    same.next().is_none().then_some(only)
}

/// Every source takes a place, even one that is nothing alike, until there are better ones: the
/// place decides between equals.
fn find_inexact(
    path: &BStr,
    sources: &[Source],
    estimator: &mut Estimator,
    reader: &mut Reader,
) -> Result<Option<usize>, Error> {
    let mut slots: Vec<((u64, bool), usize)> = Vec::with_capacity(SLOTS);
    for (at, (source, entry)) in sources.iter().enumerate() {
        let score = estimator.score(*entry, chunks::MINIMUM, reader)?;
        let rank = (score, base(source.as_bstr()) == base(path));
        if slots.len() < SLOTS {
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

/// Compares sources with the one target, whose chunks are made once.
struct Estimator {
    text: Arc<[u8]>,
    chunks: Option<Chunks>,
}

impl Estimator {
    fn score(
        &mut self,
        source: TreeEntry,
        minimum: u64,
        reader: &mut Reader,
    ) -> Result<u64, Error> {
        if !source.is_regular() {
            return Ok(0);
        }
        let size = reader.size(&source.id)?;
        let fits = |size| chunks::sizes_allow(size, self.text.len() as u64, minimum);
        if size.is_some_and(|size| !fits(size)) {
            return Ok(0);
        }
        let target = self.chunks.get_or_insert_with(|| Chunks::of(&self.text));
        Ok(target.score(&Chunks::of(&reader.object(&source.id)?.data)))
    }
}

fn base(path: &BStr) -> &[u8] {
    path.rfind_byte(b'/')
        .map_or(path.as_bytes(), |at| &path[at + 1..])
}
