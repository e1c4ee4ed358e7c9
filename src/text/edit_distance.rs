//! The edit distance of names, to suggest the name that was meant.

/// Bytes of the longest name that is compared: nothing longer was mistyped, and the cost stays
/// bounded.
const MAX_LEN: usize = 100;

/// The distance of two names, in bytes that were inserted, left out, changed or swapped with the next
/// one; `None` if one is too long to compare. Nothing changes what was swapped (optimal string alignment).
pub fn edit_distance(one: &[u8], other: &[u8]) -> Option<usize> {
    if one.len().max(other.len()) > MAX_LEN {
        return None;
    }
    // The distances of all beginnings of the other name from one without its last two bytes, one without
    // its last byte, and all of it.
    let mut rows = [(); 3].map(|()| (0..=other.len()).collect::<Vec<usize>>());
    for (at, byte) in one.iter().enumerate() {
        rows.rotate_left(1);
        let [before, above, row] = &mut rows;
        row[0] = at + 1;
        for (column, against) in other.iter().enumerate() {
            let changed = above[column] + usize::from(byte != against);
            let mut least = changed.min(above[column + 1] + 1).min(row[column] + 1);
            let is_swapped =
                at > 0 && column > 0 && (byte, one[at - 1]) == (&other[column - 1], *against);
            if is_swapped {
                least = least.min(before[column - 1] + 1);
            }
            row[column + 1] = least;
        }
    }
    rows[2].last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        let distance = |one: &str, other: &str| edit_distance(one.as_bytes(), other.as_bytes());
        assert_eq!(distance("", ""), Some(0));
        assert_eq!(distance("", "abc"), Some(3));
        assert_eq!(distance("theem", "theme"), Some(1));
        assert_eq!(distance("wyh", "why"), Some(1));
        assert_eq!(distance("badc", "abcd"), Some(2));
        assert_eq!(distance("ca", "abc"), Some(3));
        assert_eq!(distance("kitten", "sitting"), Some(3));
        assert_eq!(distance(&"a".repeat(101), "a"), None);
    }
}
