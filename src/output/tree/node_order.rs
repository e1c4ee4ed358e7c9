//! The orders in which the entries of a directory are shown.

use std::cmp::{Ordering, Reverse};

/// What the entries of a directory are sorted by. Equal ones stay as they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NodeOrder {
    /// The names, as they are without sorting.
    #[default]
    Name,
    /// The last changes, newest first; before them what is not committed.
    Change,
    /// The numbers of lines, most first.
    Lines,
    /// The median ages of the lines, oldest first.
    Age,
}

/// What is known of an entry, as far as orders depend on it. What is not known comes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortedEntry {
    /// False if the entry is in the work tree, but not in the commit.
    pub is_committed: bool,
    /// The author date of its last change, in seconds since the epoch.
    pub changed: Option<i64>,
    /// Its number of lines.
    pub lines: Option<u64>,
    /// The author date in the middle of its lines, in seconds since the epoch.
    pub median: Option<i64>,
}

impl NodeOrder {
    /// The value of `--sort` for each.
    pub(crate) const NAMED: [(&'static str, NodeOrder); 4] = [
        ("name", NodeOrder::Name),
        ("changed", NodeOrder::Change),
        ("lines", NodeOrder::Lines),
        ("age", NodeOrder::Age),
    ];

    /// The order with this name, if there is one.
    pub fn named(name: &[u8]) -> Option<NodeOrder> {
        let mut named = NodeOrder::NAMED.iter();
        let found = named.find(|(other, _)| other.as_bytes() == name);
        found.map(|(_, order)| *order)
    }

    /// Which of two entries comes first.
    pub fn compare(self, one: &SortedEntry, other: &SortedEntry) -> Ordering {
        let change = |entry: &SortedEntry| (entry.is_committed, Reverse(entry.changed));
        let age = |entry: &SortedEntry| (entry.median.is_none(), entry.median);
        match self {
            NodeOrder::Name => Ordering::Equal,
            NodeOrder::Change => change(one).cmp(&change(other)),
            NodeOrder::Lines => other.lines.cmp(&one.lines),
            NodeOrder::Age => age(one).cmp(&age(other)),
        }
    }
}
