//! The entries of contents that were edited after a version of the file was blamed.

use crate::{
    diff::Hunk,
    engine::{
        api::blame::{CommonLines, Entry, OriginId, entries_of_old},
        board::scoreboard::coalesce,
    },
};

/// The entries of uncommitted contents, from those of the version of `line_count` lines that they
/// are on top of. `known` are in the order of their lines and cover it; `hunks` are the differences.
/// Lines that the version does not have come from `uncommitted`.
pub fn edited_entries<'a>(
    known: impl IntoIterator<Item = &'a Entry>,
    line_count: u32,
    hunks: &[Hunk],
    uncommitted: OriginId,
) -> Vec<Entry> {
    let end = Hunk {
        old: line_count..line_count,
        new: 0..0,
    };
    let mut common = Vec::with_capacity(hunks.len() + 1);
    let (mut old, mut new) = (0, 0);
    for hunk in hunks.iter().chain([&end]) {
        // Of the two versions, the one with known entries is the newer one to this function.
        common.push(CommonLines {
            new: old,
            old: new,
            len: hunk.old.start - old,
        });
        (old, new) = (hunk.old.end, hunk.new.end);
    }
    common.retain(|lines| lines.len > 0);
    let mut entries = entries_of_old(known, &common);
    let added = hunks.iter().filter(|hunk| !hunk.new.is_empty());
    entries.extend(added.map(|hunk| Entry {
        lines: hunk.new.clone(),
        source_start: hunk.new.start,
        origin: uncommitted,
        ignored: false,
        unblamable: false,
    }));
    coalesce(&mut entries);
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(lines: std::ops::Range<u32>, source_start: u32, origin: u32) -> Entry {
        Entry {
            lines,
            source_start,
            origin: OriginId(origin),
            ignored: false,
            unblamable: false,
        }
    }

    #[test]
    fn lines_are_split_shifted_and_joined() {
        let known = [entry(0..4, 10, 0), entry(4..5, 2, 1), entry(5..7, 14, 0)];
        let hunk = |old, new| Hunk { old, new };
        let uncommitted = OriginId(9);
        let edited = |hunks: &[Hunk]| edited_entries(&known, 7, hunks, uncommitted);
        assert_eq!(edited(&[]), known);
        // A line that goes from between two parts of the same origin joins them.
        assert_eq!(edited(&[hunk(4..5, 4..4)]), [entry(0..6, 10, 0)]);
        assert_eq!(
            edited(&[hunk(2..3, 2..4), hunk(7..7, 8..9)]),
            [
                entry(0..2, 10, 0),
                entry(2..4, 2, 9),
                entry(4..5, 13, 0),
                entry(5..6, 2, 1),
                entry(6..8, 14, 0),
                entry(8..9, 8, 9),
            ]
        );
        assert!(edited(&[hunk(0..7, 0..0)]).is_empty());
        assert_eq!(edited(&[hunk(0..7, 0..1)]), [entry(0..1, 0, 9)]);
    }
}
