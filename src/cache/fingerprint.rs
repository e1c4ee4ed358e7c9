//! Which blames have the same answer for the same commit and path.

use std::collections::HashMap;

use gix_hash::Kind;

use crate::{
    diff::Algorithm,
    engine::Request,
    objects::{HashKind, ObjectId},
    sorting,
    text::byte_codec::{push_bytes, push_number},
};

/// The version of the file format and of the rules of attribution. A change to either makes it
/// another number.
const VERSION: u64 = 4;

/// A hash of everything but commit and path that decides a blame.
pub(super) type RequestFingerprint = ObjectId;

/// The fingerprint of `request` in a repository with these replacement objects. `None` if such a
/// blame is not kept: ranges of revisions, `--since` and `--reverse` are rare, and have boundaries
/// of their own.
pub(super) fn compute(
    request: &Request,
    kind: HashKind,
    replacements: &HashMap<ObjectId, ObjectId>,
) -> Option<RequestFingerprint> {
    // Every field is named, so that a new one cannot be forgotten here.
    let Request {
        start: _,
        path: _,
        negatives,
        since,
        exclude_first_parent_only: _,
        reverse,
        boundaries,
        listing: _,
        first_parent,
        follow,
        show_root,
        ranges: _,
        in_order: _,
        diff,
        movement,
        ignored,
        text_conversion: _,
        text_attributes: _,
        grafts,
        heads: _,
    } = request;
    if !negatives.is_empty() || since.is_some() || reverse.is_some() || !boundaries.is_empty() {
        return None;
    }
    let mut text = Vec::new();
    push_number(&mut text, VERSION);
    push_bytes(&mut text, env!("CARGO_PKG_VERSION").as_bytes());
    push_number(&mut text, kind.len_in_bytes() as u64);
    let algorithm = match diff.algorithm {
        Algorithm::Myers => 0,
        Algorithm::Minimal => 1,
        Algorithm::Patience => 2,
        Algorithm::Histogram => 3,
    };
    let flags = [
        *first_parent,
        *follow,
        *show_root,
        diff.ignore_whitespace,
        diff.indent_heuristic,
        diff.older.minimal,
        diff.older.histogram,
    ];
    push_number(&mut text, algorithm);
    text.extend(flags.map(u8::from));
    let scores = [movement.moves, movement.copies];
    for score in scores {
        push_number(&mut text, score.map_or(0, |score| u64::from(score) + 1));
    }
    text.push(movement.copy_level);
    let mut ignored: Vec<_> = ignored.iter().collect();
    sorting::sort(&mut ignored);
    push_number(&mut text, ignored.len() as u64);
    for id in ignored {
        text.extend_from_slice(id.as_slice());
    }
    let mut grafts: Vec<_> = grafts.iter().collect();
    sorting::sort(&mut grafts);
    push_number(&mut text, grafts.len() as u64);
    for (commit, parents) in grafts {
        text.extend_from_slice(commit.as_slice());
        push_number(&mut text, parents.len() as u64);
        for parent in parents {
            text.extend_from_slice(parent.as_slice());
        }
    }
    let mut replacements: Vec<_> = replacements.iter().collect();
    sorting::sort(&mut replacements);
    push_number(&mut text, replacements.len() as u64);
    for (replaced, replacement) in replacements {
        text.extend_from_slice(replaced.as_slice());
        text.extend_from_slice(replacement.as_slice());
    }
    Some(hash(&[&text]))
}

/// The SHA-256 of the parts, one after the other.
pub(super) fn hash(parts: &[&[u8]]) -> ObjectId {
    let mut hasher = gix_hash::hasher(Kind::Sha256);
    for part in parts {
        hasher.update(part);
    }
    hasher
        .try_finalize()
        .unwrap_or_else(|_| ObjectId::null(Kind::Sha256))
}
