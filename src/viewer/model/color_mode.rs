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
    /// Sets the first of a list apart from each other, as many as there are hues.
    pub fn of_first<'a>(all: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut table = HueTable::default();
        let mut taken = Vec::new();
        for bytes in all.take(HUE_COUNT) {
            let hue = free_hue(hue(bytes), &taken);
            taken.push(hue);
            table.hues.insert(hash(bytes), hue);
        }
        table
    }

    /// Sets those that follow each other in a list apart.
    pub fn of_neighbours<'a>(all: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut order = Vec::new();
        let mut neighbours: FxHashMap<u64, FxHashSet<u64>> = FxHashMap::default();
        let mut before = None;
        for bytes in all {
            let key = hash(bytes);
            let of_this = neighbours.entry(key).or_insert_with(|| {
                order.push((key, hue(bytes)));
                FxHashSet::default()
            });
            if let Some(before) = before.replace(key) {
                of_this.insert(before);
                neighbours.entry(before).or_default().insert(key);
            }
        }
        let mut hues: FxHashMap<u64, u8> = FxHashMap::default();
        for (key, wanted) in order {
            let of_this = neighbours.get(&key).into_iter().flatten();
            let mut taken: Vec<u8> = of_this.filter_map(|it| hues.get(it).copied()).collect();
            taken.sort_unstable();
            taken.dedup();
            hues.insert(key, free_hue(wanted, &taken));
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
    (hash(bytes) >> 56) as u8 % HUE_COUNT as u8
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// The hue next to the wanted one that is not beside a taken one, or else not taken itself.
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
    free(2).or_else(|| free(1)).unwrap_or(wanted)
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
        let first = HueTable::of_first(bytes());
        let hues: FxHashSet<u8> = bytes().take(HUE_COUNT).map(|it| first.of(it)).collect();
        assert_eq!(hues.len(), HUE_COUNT);
        assert!(bytes().skip(HUE_COUNT).all(|it| first.of(it) == hue(it)));
        let neighbours = HueTable::of_neighbours(bytes());
        for (one, other) in bytes().zip(bytes().skip(1)) {
            let steps = neighbours.of(one).abs_diff(neighbours.of(other));
            assert!((2..=HUE_COUNT as u8 - 2).contains(&steps));
        }
        // More neighbours than hues.
        let hub = bytes().flat_map(|it| [b"hub".as_slice(), it]);
        let hub = HueTable::of_neighbours(hub);
        assert!(bytes().all(|it| usize::from(hub.of(it)) < HUE_COUNT));
    }
}
