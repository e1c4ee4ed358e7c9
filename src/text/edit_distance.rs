//! The edit distance of names, to suggest the name that was meant.

/// Bytes of the longest name that is compared: nothing longer was mistyped, and the cost stays
/// bounded.
const MAX_LEN: usize = 100;

/// The Levenshtein distance of two names, in bytes; `None` if one is too long to compare.
pub fn edit_distance(one: &[u8], other: &[u8]) -> Option<usize> {
    if one.len().max(other.len()) > MAX_LEN {
        return None;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, byte) in one.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, against) in other.iter().enumerate() {
            let changed = diagonal + usize::from(byte != against);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        let distance = |one: &str, other: &str| edit_distance(one.as_bytes(), other.as_bytes());
        assert_eq!(distance("", ""), Some(0));
        assert_eq!(distance("", "abc"), Some(3));
        assert_eq!(distance("theem", "theme"), Some(2));
        assert_eq!(distance("kitten", "sitting"), Some(3));
        assert_eq!(distance(&"a".repeat(101), "a"), None);
    }
}
