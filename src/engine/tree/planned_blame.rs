//! The lines of a file of a plan.

use std::{collections::HashSet, sync::Arc};

use bstr::BString;

use crate::{
    engine::api::blame::{Blame, Entry, Origin},
    objects::ObjectId,
    text::binary::is_binary,
};

/// The lines of a file of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedBlame {
    /// The number of lines.
    pub line_count: u32,
    /// git takes the contents for binary, if attributes do not say what they are.
    pub is_binary: bool,
    /// Entries by final line, as those of a [`Blame`].
    pub entries: Vec<Entry>,
    /// All origins that entries refer to, directly or as `previous`.
    pub origins: Vec<Origin>,
    /// The boundary commits among the origins that entries refer to.
    pub boundaries: Vec<ObjectId>,
    /// The paths of all versions that were compared.
    pub paths: Vec<Arc<BString>>,
    /// Later runs with the same options find the same, as far as text conversions of these paths
    /// stay the same.
    pub is_lasting: bool,
    /// The file was blamed alone.
    pub is_alone: bool,
    /// How many of the lines an earlier run has found.
    pub kept_lines: u32,
}

impl PlannedBlame {
    /// Takes what a blame of the file alone has found.
    pub(crate) fn alone(blame: Blame) -> PlannedBlame {
        let line_count = blame.entries.last().map_or(0, |entry| entry.lines.end);
        let entries = blame.entries.iter();
        let guilty = entries.map(|entry| blame.origins[entry.origin.0 as usize].commit);
        let guilty: HashSet<ObjectId> = guilty.collect();
        let boundaries = guilty.intersection(&blame.boundaries);
        let mut boundaries: Vec<ObjectId> = boundaries.copied().collect();
        boundaries.sort_unstable();
        PlannedBlame {
            line_count,
            is_binary: is_binary(&blame.contents),
            entries: blame.entries,
            origins: blame.origins,
            boundaries,
            is_lasting: blame.lasting_paths.is_some(),
            paths: blame.lasting_paths.unwrap_or_default(),
            is_alone: true,
            kept_lines: u32::try_from(blame.stats.cached_lines).unwrap_or(line_count),
        }
    }
}
