//! Color modes: what the background color of a line stands for, and the hues of authors and commits.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

/// The meaning of the background color of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColorMode {
    /// Alternating shades of adjacent groups.
    #[default]
    Shades,
    /// The age of a line.
    Age,
    /// The author of a line.
    Author,
    /// The commit of a line.
    Commit,
    /// The request or the merge that brought the commit of a line.
    Request,
    /// The AI agent that is recorded to have written a line.
    Agent,
}

impl ColorMode {
    /// All modes with their names in the configuration, in the order in which the key cycles
    /// through them.
    pub const ALL: [(&'static str, ColorMode); 6] = [
        ("shades", ColorMode::Shades),
        ("age", ColorMode::Age),
        ("author", ColorMode::Author),
        ("commit", ColorMode::Commit),
        ("request", ColorMode::Request),
        ("agent", ColorMode::Agent),
    ];

    /// Its name in the configuration.
    pub(crate) fn name(self) -> &'static str {
        let mut all = ColorMode::ALL.iter();
        all.find(|(_, mode)| *mode == self)
            .map_or("", |(name, _)| name)
    }

    /// The mode after this one.
    pub fn next(self) -> Self {
        let at = ColorMode::ALL.iter().position(|(_, mode)| *mode == self);
        let next = at.map_or(0, |at| at + 1) % ColorMode::ALL.len();
        ColorMode::ALL[next].1
    }
}

/// Fewest columns of a screen with a legend beside the most important keys.
pub(crate) const MIN_WIDTH_FOR_LEGEND: u16 = 78;

/// Number of hues for authors and commits. They are evenly spaced on a circle.
pub const HUE_COUNT: usize = 12;

/// Hues that tell apart those that are seen together. All others have their [`hue`].
#[derive(Debug, Clone, Default)]
pub struct HueTable {
    hues: FxHashMap<u64, u8>,
}

impl HueTable {
    /// Sets the first of all, of which there are few, apart from each other, and then those that follow
    /// each other in an order from their neighbours.
    pub fn new<'a>(
        first: impl Iterator<Item = &'a [u8]>,
        order: impl Iterator<Item = &'a [u8]>,
    ) -> Self {
        let mut wanted = Vec::new();
        let mut apart: FxHashMap<u64, FxHashSet<u64>> = FxHashMap::default();
        let first: Vec<u64> = first.map(hash).collect();
        for key in &first {
            wanted.push(*key);
            apart.insert(*key, first.iter().copied().collect());
        }
        let mut before = None;
        for key in order.map(hash) {
            let of_this = apart.entry(key).or_insert_with(|| {
                wanted.push(key);
                FxHashSet::default()
            });
            if let Some(before) = before.replace(key) {
                of_this.insert(before);
                apart.entry(before).or_default().insert(key);
            }
        }
        let mut hues: FxHashMap<u64, u8> = FxHashMap::default();
        for key in wanted {
            let of_this = apart.get(&key).into_iter().flatten();
            let mut taken: Vec<u8> = of_this.filter_map(|it| hues.get(it).copied()).collect();
            taken.sort_unstable();
            taken.dedup();
            hues.insert(key, free_hue(hue_of_hash(key), &taken));
        }
        HueTable { hues }
    }

    /// The hue of some bytes, below [`HUE_COUNT`].
    pub fn of(&self, bytes: &[u8]) -> u8 {
        let own = self.hues.get(&hash(bytes)).copied();
        own.unwrap_or_else(|| hue(bytes))
    }
}

/// A hue below [`HUE_COUNT`] that depends only on the bytes, so that it is stable between runs.
pub fn hue(bytes: &[u8]) -> u8 {
    hue_of_hash(hash(bytes))
}

fn hue_of_hash(hash: u64) -> u8 {
    (hash >> 56) as u8 % HUE_COUNT as u8
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// The hue next to the wanted one that is far from all that are taken: where there are few colors, a
/// third of the circle is what tells two of them apart.
fn free_hue(wanted: u8, taken: &[u8]) -> u8 {
    let steps = |one: u8, other: u8| {
        let steps = one.abs_diff(other);
        steps.min(HUE_COUNT as u8 - steps)
    };
    let mut hues: Vec<u8> = (0..HUE_COUNT as u8).collect();
    hues.sort_by_key(|&hue| steps(hue, wanted));
    let free = |least: u8| {
        let mut hues = hues.iter().copied();
        hues.find(|&hue| taken.iter().all(|&other| steps(hue, other) >= least))
    };
    let farthest = (1..=HUE_COUNT as u8 / 3).rev().find_map(free);
    farthest.unwrap_or(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_are_seen_together_have_different_hues() {
        let names: Vec<String> = (0..40).map(|at| format!("name {at}")).collect();
        let bytes = || names.iter().map(|name| name.as_bytes());
        let alike = bytes().zip(bytes().skip(1));
        assert!(alike.filter(|(one, other)| hue(one) == hue(other)).count() > 0);
        let first = HueTable::new(bytes().take(HUE_COUNT), std::iter::empty());
        let hues: FxHashSet<u8> = bytes().take(HUE_COUNT).map(|it| first.of(it)).collect();
        assert_eq!(hues.len(), HUE_COUNT);
        assert!(bytes().skip(HUE_COUNT).all(|it| first.of(it) == hue(it)));
        let steps = |table: &HueTable, one: &[u8], other: &[u8]| {
            let steps = table.of(one).abs_diff(table.of(other));
            steps.min(HUE_COUNT as u8 - steps)
        };
        // The first three are a third of the circle apart, and so are neighbours.
        let table = HueTable::new(bytes().step_by(10).take(3), bytes());
        for (one, other) in bytes().zip(bytes().skip(1)) {
            assert!(steps(&table, one, other) >= 3);
        }
        for (one, other) in [(0, 10), (10, 20), (0, 20)] {
            assert_eq!(
                steps(&table, names[one].as_bytes(), names[other].as_bytes()),
                4
            );
        }
        // More neighbours than hues.
        let hub = bytes().flat_map(|it| [b"hub".as_slice(), it]);
        let hub = HueTable::new(std::iter::empty(), hub);
        assert!(bytes().all(|it| usize::from(hub.of(it)) < HUE_COUNT));
    }
}
