//! Abbreviation of commit ids in the human-readable formats.

use crate::{
    objects::ObjectId,
    output::{commit_provider::CommitProvider, error::OutputError},
};

/// Minimum of the automatic length.
const MIN_AUTO: usize = 7;
/// git's minimum abbreviation.
const MIN: usize = 4;

/// The length of abbreviated ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Abbrev {
    /// Derived from the number of packed objects, extended until unique (`core.abbrev` unset or
    /// `auto`).
    #[default]
    Auto,
    /// At least this long, extended until unique (`core.abbrev=N`; `no` is 64).
    Unique(usize),
    /// Exactly this long (`--abbrev=N`); 0 is the full id.
    Fixed(usize),
}

/// Columns added to ids for the marks `^`, `*` and `?`, which replace digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MarkColumns {
    /// The largest number of marks on any line (git 2.56 and later).
    #[default]
    AsNeeded,
    /// Always one column (git up to 2.55).
    One,
}

/// The width of the column with marks and id.
///
/// `ids` are the commits shown, `most_marks` the largest number of marks on any line, `whole` the
/// length of a full id. The result may exceed that; marks then do not shorten the id.
///
/// # Errors
///
/// As those of `commits`.
pub(super) fn id_column_width<'a>(
    abbrev: Abbrev,
    mark_columns: MarkColumns,
    most_marks: usize,
    whole: usize,
    ids: impl Iterator<Item = &'a ObjectId>,
    commits: &mut dyn CommitProvider,
) -> Result<usize, OutputError> {
    let base = match abbrev {
        Abbrev::Fixed(0) => whole,
        Abbrev::Fixed(len) => len.max(MIN),
        Abbrev::Unique(len) => len.max(MIN),
        Abbrev::Auto => auto_len(commits.packed_object_count().map_err(OutputError::Commit)?),
    };
    let fixed = matches!(abbrev, Abbrev::Fixed(_));
    let width = if fixed || base >= whole {
        base
    } else {
        let mut longest = base;
        for id in ids {
            let len = commits.unique_len(id, base).map_err(OutputError::Commit)?;
            longest = longest.max(len);
        }
        longest
    };
    Ok(match mark_columns {
        MarkColumns::AsNeeded if width < whole => (width + most_marks).min(whole),
        MarkColumns::AsNeeded => width,
        MarkColumns::One if width < whole || !fixed => width + 1,
        MarkColumns::One => width,
    })
}

/// The automatic length with so many packed objects, before an id is extended until it is unique.
pub(crate) fn auto_len(packed: u64) -> usize {
    let bits = u64::BITS - packed.leading_zeros();
    (bits.div_ceil(2) as usize).max(MIN_AUTO)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        output::commit_provider::ProviderError, repository::commits::commit_text::CommitText,
    };

    #[derive(Default)]
    struct Ids {
        packed: u64,
        /// The length at which all ids are unique.
        unique: usize,
    }

    impl CommitProvider for Ids {
        fn text(&mut self, _: &ObjectId) -> Result<Arc<CommitText>, ProviderError> {
            unreachable!("only lengths are asked for")
        }

        fn unique_len(&mut self, _: &ObjectId, at_least: usize) -> Result<usize, ProviderError> {
            Ok(self.unique.max(at_least))
        }

        fn packed_object_count(&mut self) -> Result<u64, ProviderError> {
            Ok(self.packed)
        }
    }

    fn width(abbrev: Abbrev, mark_columns: MarkColumns, marks: usize, ids: &mut Ids) -> usize {
        let id = ObjectId::null(gix_hash::Kind::Sha1);
        let shown = std::iter::once(&id);
        id_column_width(abbrev, mark_columns, marks, 40, shown, ids).expect("no file is read")
    }

    #[test]
    fn marks_widen_the_column() {
        let ids = &mut Ids::default();
        for (abbrev, marks, new, old) in [
            (Abbrev::Auto, 1, 8, 8),
            (Abbrev::Auto, 0, 7, 8),
            (Abbrev::Auto, 2, 9, 8),
            (Abbrev::Fixed(12), 1, 13, 13),
            (Abbrev::Fixed(1), 0, 4, 5),
            (Abbrev::Fixed(39), 2, 40, 40),
            (Abbrev::Fixed(40), 1, 40, 40),
            (Abbrev::Fixed(41), 1, 41, 41),
            (Abbrev::Fixed(0), 1, 40, 40),
            (Abbrev::Unique(64), 1, 64, 65),
            (Abbrev::Unique(40), 1, 40, 41),
        ] {
            for (columns, expected) in [(MarkColumns::AsNeeded, new), (MarkColumns::One, old)] {
                let found = width(abbrev, columns, marks, ids);
                assert_eq!(found, expected, "{abbrev:?} {marks}");
            }
        }
    }

    #[test]
    fn automatic_width_follows_packed_objects_and_uniqueness() {
        let width = |packed, unique, abbrev| {
            width(
                abbrev,
                MarkColumns::AsNeeded,
                0,
                &mut Ids { packed, unique },
            )
        };
        for (packed, expected) in [(0, 7), (16_383, 7), (16_384, 8), (17_000, 8), (400_000, 10)] {
            assert_eq!(width(packed, 0, Abbrev::Auto), expected);
        }
        assert_eq!(width(400_000, 12, Abbrev::Auto), 12);
        assert_eq!(width(400_000, 12, Abbrev::Unique(4)), 12);
        assert_eq!(width(400_000, 12, Abbrev::Fixed(4)), 4);
    }
}
