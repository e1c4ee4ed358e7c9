//! Color modes: what the background color of a line stands for, and the hues of authors and commits.

use std::{
    cell::RefCell,
    cmp::Reverse,
    collections::BinaryHeap,
    hash::{Hash, Hasher},
    sync::Arc,
};

use rustc_hash::{FxHashMap, FxHasher};

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

/// Groups whose hues are chosen for each other; those further down have their [`hue`].
const MAX_GROUPS: usize = 1 << 14;

/// Groups up to this distance are mostly on one screen, where a color shall not come twice.
const REACH: usize = 5;

/// How often hues are chosen anew because neighbours share one: for a screen, and for a whole file.
const TRIES: [usize; 2] = [24, 3];

/// How much another hue than the file's costs, and one that is taken last: more than any likeness.
const CHANGED: u64 = 1 << 40;
const TAKEN_LAST: u64 = 1 << 40;

/// How alike the colors of hues are in a theme: there may be fewer colors than hues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HueColors {
    alike: [[u8; HUE_COUNT]; HUE_COUNT],
    is_last: [bool; HUE_COUNT],
}

impl HueColors {
    /// One color.
    pub const SAME: u8 = u8::MAX;
    /// The bright and the normal color of one name, as terminals have them.
    pub const ONE_NAME: u8 = u8::MAX - 1;

    /// `alike` is from 0 (told apart at once) to [`SAME`](Self::SAME). What `is_last` is taken only where
    /// no other color is free.
    pub fn new(alike: impl Fn(usize, usize) -> u8, is_last: impl Fn(usize) -> bool) -> Self {
        let to_all = |one| std::array::from_fn(|other| alike(one, other));
        HueColors {
            alike: std::array::from_fn(to_all),
            is_last: std::array::from_fn(is_last),
        }
    }

    /// True if two hues are one color.
    pub(crate) fn are_same(&self, one: u8, other: u8) -> bool {
        self.alike(one, other) == HueColors::SAME
    }

    /// How many keys on a screen may have a color of their own there, which leaves as many colors for the
    /// others: 2 or more.
    pub(crate) fn count_named(&self) -> usize {
        let is_new = |hue: &u8| (0..*hue).all(|before| !self.are_same(before, *hue));
        let clear = (0..HUE_COUNT as u8).filter(|hue| !self.is_last(*hue));
        (clear.filter(is_new).count() / 2).max(2)
    }

    /// True if a hue is taken only where no other is free.
    pub(crate) fn is_last(&self, hue: u8) -> bool {
        self.is_last[usize::from(hue) % HUE_COUNT]
    }

    fn alike(&self, one: u8, other: u8) -> u8 {
        self.alike[usize::from(one) % HUE_COUNT][usize::from(other) % HUE_COUNT]
    }
}

impl Default for HueColors {
    /// Those of a circle; the last ones are grey in the themes of 16 colors.
    fn default() -> Self {
        let alike = |one: usize, other: usize| {
            let steps = usize::from(circle_steps(one as u8, other as u8));
            [HueColors::SAME, 160, 70, 20]
                .get(steps)
                .copied()
                .unwrap_or(0)
        };
        HueColors::new(alike, |hue| hue + 2 >= HUE_COUNT)
    }
}

/// Hues that tell apart those that are seen together. All others have their [`hue`].
#[derive(Debug, Clone, Default)]
pub struct HueTable {
    hues: FxHashMap<u64, u8>,
}

impl HueTable {
    /// Sets the first of all, of which there are few, apart from each other, and then those that follow
    /// each other in an order from their neighbours, in the colors of a theme. Keys are told by their
    /// [`key_hash`].
    pub fn of_file(
        first: impl Iterator<Item = u64>,
        order: impl Iterator<Item = u64>,
        colors: &HueColors,
    ) -> Self {
        HueGraph::new(first, order).arranged(colors, None)
    }

    /// The hues of what follows each other on the screen: those of the file, but for neighbours that have
    /// the same color there, and what has the color of one of the `first`, which are named.
    pub fn of_screen(
        &self,
        first: impl Iterator<Item = u64>,
        order: impl Iterator<Item = u64>,
        colors: &HueColors,
    ) -> Self {
        let mut graph = HueGraph::new(first, order);
        for node in 0..graph.keys.len() {
            for named in 0..graph.first.min(node) {
                graph.join(node, named, Nearness { near: 1, far: 1 });
            }
        }
        graph.arranged(colors, Some(self))
    }

    /// The hue of a key by its [`key_hash`], below [`HUE_COUNT`].
    pub fn of_hash(&self, hash: u64) -> u8 {
        let own = self.hues.get(&hash).copied();
        own.unwrap_or_else(|| hue_of_hash(hash))
    }
}

/// What the hues of a file depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HueBasis {
    /// What they stand for.
    pub mode: ColorMode,
    /// How alike they are.
    pub colors: HueColors,
    /// How many answers about requests or agents there are.
    pub known: usize,
}

/// The hues of a file, once they were needed.
#[derive(Debug, Clone, Default)]
pub struct KeptHues {
    kept: RefCell<Option<(HueBasis, Arc<HueTable>)>>,
}

impl KeptHues {
    /// The hues for a basis, which `choose` finds if they are not kept.
    pub fn of_file(&self, basis: HueBasis, choose: impl FnOnce() -> HueTable) -> Arc<HueTable> {
        let kept = self.kept.borrow().clone();
        if let Some((_, table)) = kept.filter(|(of, _)| *of == basis) {
            return table;
        }
        let table = Arc::new(choose());
        self.kept.replace(Some((basis, Arc::clone(&table))));
        table
    }
}

/// A hue below [`HUE_COUNT`] that depends only on the bytes, so that it is stable between runs.
pub fn hue(bytes: &[u8]) -> u8 {
    hue_of_hash(key_hash(bytes))
}

fn hue_of_hash(hash: u64) -> u8 {
    (hash >> 56) as u8 % HUE_COUNT as u8
}

/// The hash of what has a hue.
pub fn key_hash<K: Hash + ?Sized>(key: &K) -> u64 {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    hasher.finish()
}

fn circle_steps(one: u8, other: u8) -> u8 {
    let steps = one.abs_diff(other);
    steps.min((HUE_COUNT as u8).saturating_sub(steps))
}

/// How often two keys are seen together: as neighbours, or next but one, and within a screen.
#[derive(Debug, Clone, Copy, Default)]
struct Nearness {
    near: u32,
    far: u32,
}

/// The keys that shall have different hues.
#[derive(Debug, Default)]
struct HueGraph {
    /// Their hashes.
    keys: Vec<u64>,
    nodes: FxHashMap<u64, usize>,
    edges: Vec<FxHashMap<usize, Nearness>>,
    /// How many of them are chosen first.
    first: usize,
}

impl HueGraph {
    fn new(first: impl Iterator<Item = u64>, order: impl Iterator<Item = u64>) -> Self {
        let mut graph = HueGraph::default();
        // Beyond these, colors come again, and there may be any number of agents.
        for key in first.take(HUE_COUNT) {
            let node = graph.node(key);
            for before in 0..node {
                graph.join(node, before, Nearness { near: 1, far: 8 });
            }
        }
        graph.first = graph.keys.len();
        let mut run: Vec<usize> = Vec::new();
        for key in order.take(MAX_GROUPS) {
            let node = graph.node(key);
            if run.last() == Some(&node) {
                continue;
            }
            for (distance, &before) in run.iter().rev().take(REACH).enumerate() {
                let near = [3, 2].get(distance).copied().unwrap_or(0);
                graph.join(node, before, Nearness { near, far: 1 });
            }
            run.push(node);
        }
        graph
    }

    fn node(&mut self, key: u64) -> usize {
        *self.nodes.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.edges.push(FxHashMap::default());
            self.keys.len() - 1
        })
    }

    fn join(&mut self, one: usize, other: usize, by: Nearness) {
        if one == other {
            return;
        }
        for (from, to) in [(one, other), (other, one)] {
            let edge = self.edges[from].entry(to).or_default();
            edge.near = edge.near.saturating_add(by.near);
            edge.far = edge.far.saturating_add(by.far);
        }
    }

    /// Gives each key the color that its neighbours leave, those first that have fewest to choose from.
    /// What gets none that is free comes earlier in the next try.
    fn arranged(&self, colors: &HueColors, before: Option<&HueTable>) -> HueTable {
        let mut urgency: Vec<u32> = (0..self.keys.len())
            .map(|node| 1000 * self.first.saturating_sub(node) as u32)
            .collect();
        let mut best: Option<(u64, Vec<u8>)> = None;
        for _ in 0..TRIES[usize::from(before.is_none())] {
            let (hues, sharing) = self.attempt(&urgency, colors, before);
            for &(node, _) in &sharing {
                urgency[node] += 2;
            }
            let shared = sharing.iter().map(|(_, weight)| weight).sum();
            if best.as_ref().is_none_or(|(least, _)| shared < *least) {
                best = Some((shared, hues));
            }
            if shared == 0 {
                break;
            }
        }
        let hues = best.map_or(Vec::new(), |(_, hues)| hues);
        HueTable {
            hues: self.keys.iter().copied().zip(hues).collect(),
        }
    }

    /// One try: the hues, and the keys that share their color with neighbours, with how near these are.
    fn attempt(
        &self,
        urgency: &[u32],
        colors: &HueColors,
        before: Option<&HueTable>,
    ) -> (Vec<u8>, Vec<(usize, u64)>) {
        let count = self.keys.len();
        let (mut hues, mut sharing) = (vec![None; count], Vec::new());
        // The hues of the colors that neighbours have, as bits.
        let mut taken = vec![0u16; count];
        let entry = |node: usize, taken: &[u16]| {
            let urgency = urgency[node] + taken[node].count_ones();
            (urgency, self.edges[node].len(), Reverse(node))
        };
        let mut queue: BinaryHeap<_> = (0..count).map(|node| entry(node, &taken)).collect();
        while let Some(next) = queue.pop() {
            let Reverse(node) = next.2;
            if hues[node].is_some() || next != entry(node, &taken) {
                continue;
            }
            let (hue, shared) = self.choose(node, &hues, colors, before);
            hues[node] = Some(hue);
            if shared > 0 {
                sharing.push((node, shared));
            }
            let same = (0..HUE_COUNT as u8).filter(|&other| colors.are_same(hue, other));
            let same = same.fold(0u16, |bits, other| bits | 1 << other);
            for (&other, nearness) in &self.edges[node] {
                if nearness.near > 0 && hues[other].is_none() && taken[other] | same != taken[other]
                {
                    taken[other] |= same;
                    queue.push(entry(other, &taken));
                }
            }
        }
        (hues.into_iter().flatten().collect(), sharing)
    }

    /// The hue of a key beside those that are chosen, and how near those are that have its color.
    fn choose(
        &self,
        node: usize,
        hues: &[Option<u8>],
        colors: &HueColors,
        before: Option<&HueTable>,
    ) -> (u8, u64) {
        let wanted = |node: usize| {
            let key = self.keys[node];
            before.map_or_else(|| hue_of_hash(key), |before| before.of_hash(key))
        };
        let own = wanted(node);
        let mut costs = [(0u64, 0u64, 0u64); HUE_COUNT];
        for (&other, nearness) in &self.edges[node] {
            // On a screen, most neighbours will keep theirs.
            let (hue, weight) = match (hues[other], before) {
                (Some(hue), _) => (hue, 2),
                (None, Some(_)) => (wanted(other), 1),
                (None, None) => continue,
            };
            for (choice, cost) in (0..HUE_COUNT as u8).zip(&mut costs) {
                let alike = colors.alike(choice, hue);
                match alike {
                    HueColors::SAME if weight == 2 => cost.0 += u64::from(nearness.near),
                    HueColors::ONE_NAME => cost.1 += u64::from(nearness.near.saturating_sub(1)),
                    _ => {}
                }
                let often = 8 * u64::from(nearness.near) + u64::from(nearness.far);
                cost.2 += weight * often * u64::from(alike);
            }
        }
        let of = |choice: u8| {
            let (shared, one_name, alike) = costs[usize::from(choice)];
            let is_kept = before.is_some() && choice == own;
            let extra = match colors.is_last(choice) {
                true if node < self.first => CHANGED + TAKEN_LAST,
                _ if is_kept => 0,
                true => CHANGED + TAKEN_LAST,
                false => CHANGED,
            };
            (shared, one_name, alike + extra, circle_steps(choice, own))
        };
        let best = (0..HUE_COUNT as u8).min_by_key(|&choice| of(choice));
        let best = best.unwrap_or(own);
        (best, costs[usize::from(best)].0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table_of<'a>(
        first: impl Iterator<Item = &'a [u8]>,
        order: impl Iterator<Item = &'a [u8]>,
    ) -> HueTable {
        let colors = HueColors::default();
        HueTable::of_file(first.map(key_hash), order.map(key_hash), &colors)
    }

    fn hue_in(table: &HueTable, bytes: &[u8]) -> u8 {
        table.of_hash(key_hash(bytes))
    }

    #[test]
    fn those_that_are_seen_together_have_different_hues() {
        let names: Vec<String> = (0..40).map(|at| format!("name {at}")).collect();
        let bytes = || names.iter().map(|name| name.as_bytes());
        let alike = bytes().zip(bytes().skip(1));
        assert!(alike.filter(|(one, other)| hue(one) == hue(other)).count() > 0);
        let first = table_of(bytes().take(HUE_COUNT), std::iter::empty());
        let mut hues: Vec<u8> = bytes()
            .take(HUE_COUNT)
            .map(|it| hue_in(&first, it))
            .collect();
        hues.sort_unstable();
        assert_eq!(hues, (0..HUE_COUNT as u8).collect::<Vec<_>>());
        assert!(
            bytes()
                .skip(HUE_COUNT)
                .all(|it| hue_in(&first, it) == hue(it))
        );
        let steps = |table: &HueTable, one: &[u8], other: &[u8]| {
            circle_steps(hue_in(table, one), hue_in(table, other))
        };
        // The first three are a third of the circle apart, and neighbours a quarter.
        let table = table_of(bytes().step_by(10).take(3), bytes());
        for (one, other) in bytes().zip(bytes().skip(1)) {
            assert!(steps(&table, one, other) >= 3);
        }
        for (one, other) in [(0, 10), (10, 20), (0, 20)] {
            let names = [names[one].as_bytes(), names[other].as_bytes()];
            assert!(steps(&table, names[0], names[1]) >= 3);
        }
        // More neighbours than hues.
        let hub = bytes().flat_map(|it| [b"hub".as_slice(), it]);
        let hub = table_of(std::iter::empty(), hub);
        assert!(bytes().all(|it| usize::from(hue_in(&hub, it)) < HUE_COUNT));
    }

    #[test]
    fn a_screen_changes_only_hues_that_neighbours_share() {
        let colors = HueColors::default();
        let keys: Vec<u64> = (0..40).map(|at| key_hash(&at)).collect();
        let file = HueTable::of_file(std::iter::empty(), keys.iter().copied(), &colors);
        let same = file.of_screen(std::iter::empty(), keys[10..30].iter().copied(), &colors);
        assert!(
            keys[10..30]
                .iter()
                .all(|&key| file.of_hash(key) == same.of_hash(key))
        );
        // These two are far from each other in the file.
        let alike = (10..40).find(|&at| file.of_hash(keys[at]) == file.of_hash(keys[0]));
        let other = keys[alike.expect("more keys than hues")];
        let screen = [keys[0], other, keys[1]].into_iter();
        let screen = file.of_screen(std::iter::empty(), screen, &colors);
        assert_ne!(screen.of_hash(keys[0]), screen.of_hash(other));
        let changed = [keys[0], other, keys[1]].map(|key| file.of_hash(key) != screen.of_hash(key));
        assert_eq!(changed.iter().filter(|changed| **changed).count(), 1);
    }
}
