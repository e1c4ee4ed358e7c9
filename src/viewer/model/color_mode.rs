//! Color modes: what the background color of a line stands for, and the hues of authors and commits.

use std::{
    cell::RefCell,
    cmp::Reverse,
    collections::BinaryHeap,
    hash::{Hash, Hasher},
    sync::{Arc, Mutex, PoisonError},
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

/// Groups up to this distance, and lines, are mostly on one screen, where a color shall not come twice.
const REACH: usize = 12;
const REACHED_LINES: u32 = 60;

/// How often hues are chosen anew because neighbours share one: of few keys, and of many.
const TRIES: [usize; 2] = [24, 3];
const MANY_KEYS: usize = 64;

/// How alike the colors of hues are in a theme: there may be fewer colors than hues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HueColors {
    alike: [[u8; HUE_COUNT]; HUE_COUNT],
}

impl HueColors {
    /// One color.
    pub const SAME: u8 = u8::MAX;
    /// The bright and the normal color of one name, as terminals have them.
    pub const ONE_NAME: u8 = u8::MAX - 1;

    /// `alike` is from 0 (told apart at once) to [`SAME`](Self::SAME).
    pub fn new(alike: impl Fn(usize, usize) -> u8) -> Self {
        let to_all = |one| std::array::from_fn(|other| alike(one, other));
        HueColors {
            alike: std::array::from_fn(to_all),
        }
    }

    /// True if two hues are one color.
    pub(crate) fn are_same(&self, one: u8, other: u8) -> bool {
        self.alike(one, other) == HueColors::SAME
    }

    /// The number of colors.
    pub(crate) fn count(&self) -> usize {
        let is_new = |hue: &u8| (0..*hue).all(|before| !self.are_same(before, *hue));
        (0..HUE_COUNT as u8).filter(is_new).count()
    }

    fn alike(&self, one: u8, other: u8) -> u8 {
        self.alike[usize::from(one) % HUE_COUNT][usize::from(other) % HUE_COUNT]
    }
}

impl Default for HueColors {
    /// Those of a circle.
    fn default() -> Self {
        HueColors::new(|one, other| {
            let steps = usize::from(circle_steps(one as u8, other as u8));
            [HueColors::SAME, 160, 70, 20]
                .get(steps)
                .copied()
                .unwrap_or(0)
        })
    }
}

/// Hues that tell apart those that are seen together. All others have their [`hue`].
#[derive(Debug, Clone, Default)]
pub struct HueTable {
    hues: FxHashMap<u64, u8>,
}

impl HueTable {
    /// Gives hues to keys that have none yet, by their [`key_hash`], in the colors of a theme: the first of
    /// all have colors of their own, as far as there are some, and those that follow each other in an order,
    /// with their numbers of lines, are apart from their neighbours. What has a hue keeps it.
    pub fn with(
        &self,
        first: impl Iterator<Item = u64>,
        order: impl Iterator<Item = (u64, u32)>,
        colors: &HueColors,
    ) -> Self {
        HueGraph::new(first.take(colors.count()), order).arranged(colors, self)
    }

    /// The hue of a key by its [`key_hash`], below [`HUE_COUNT`].
    pub fn of_hash(&self, hash: u64) -> u8 {
        let own = self.hues.get(&hash).copied();
        own.unwrap_or_else(|| hue_of_hash(hash))
    }
}

/// What hues stand for, and how alike they are.
pub type HueBasis = (ColorMode, HueColors);

type HueTables = Vec<(HueBasis, Arc<HueTable>)>;

/// The hues of a blame, which has them in common with the others of its file's history: a key keeps its
/// hue from version to version.
#[derive(Debug, Clone, Default)]
pub struct KeptHues {
    given: Arc<Mutex<HueTables>>,
    /// What has hues in this blame: by which basis, and of how many answers about requests or agents.
    settled: RefCell<Option<(HueBasis, usize)>>,
}

impl KeptHues {
    /// Those of another blame of the same history.
    pub fn of_history(&self) -> Self {
        KeptHues {
            given: Arc::clone(&self.given),
            settled: RefCell::default(),
        }
    }

    /// The hues by a basis, to which `add` adds those of the blame once that is complete, and `known`
    /// answers are there.
    pub fn by(
        &self,
        basis: HueBasis,
        known: Option<usize>,
        add: impl FnOnce(&HueTable) -> HueTable,
    ) -> Arc<HueTable> {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let at = given.iter().position(|(of, _)| *of == basis);
        let at = at.unwrap_or_else(|| {
            given.push((basis, Arc::default()));
            given.len() - 1
        });
        let table = &mut given[at].1;
        let state = known.map(|known| (basis, known));
        if state.is_some() && self.settled.replace(state) != state {
            *table = Arc::new(add(table));
        }
        Arc::clone(table)
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

/// What a hue costs a key, the most important first: see [`HueGraph::costs`].
type HueCost = (u64, u64, u64);

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
    fn new(first: impl Iterator<Item = u64>, order: impl Iterator<Item = (u64, u32)>) -> Self {
        let mut graph = HueGraph::default();
        for key in first {
            let node = graph.node(key);
            for before in 0..node {
                graph.join(node, before, Nearness { near: 1, far: 8 });
            }
        }
        graph.first = graph.keys.len();
        // The groups, and the lines up to the end of each.
        let mut run: Vec<(usize, u32)> = Vec::new();
        let mut end = 0;
        for (key, lines) in order.take(MAX_GROUPS) {
            let (node, start) = (graph.node(key), end);
            end += lines;
            match run.last_mut() {
                Some((last, last_end)) if *last == node => {
                    *last_end = end;
                    continue;
                }
                _ => {}
            }
            let reached = run.iter().rev().take(REACH).enumerate();
            for (distance, &(before, before_end)) in reached {
                let near = [3, 2].get(distance).copied().unwrap_or(0);
                if near == 0 && start - before_end > REACHED_LINES {
                    break;
                }
                // What has many lines on a screen is apart from all there.
                let far = 1 + lines.min(REACH as u32);
                graph.join(node, before, Nearness { near, far });
            }
            run.push((node, end));
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

    /// Gives each key without a hue the color that its neighbours leave, those first that have fewest to
    /// choose from. What gets none that is free comes earlier in the next try.
    fn arranged(&self, colors: &HueColors, given: &HueTable) -> HueTable {
        let before = self.keys.iter().map(|key| given.hues.get(key).copied());
        let mut before: Vec<Option<u8>> = before.collect();
        self.choose_first(&mut before, colors);
        let urgency = before.iter().map(|hue| u32::from(hue.is_some()) << 30);
        let mut urgency: Vec<u32> = urgency.collect();
        let mut best: Option<(u64, Vec<u8>)> = None;
        for _ in 0..TRIES[usize::from(self.keys.len() > MANY_KEYS)] {
            let (hues, sharing) = self.attempt(&urgency, colors, &before);
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
        let mut hues = given.hues.clone();
        let chosen = best.map_or(Vec::new(), |(_, hues)| hues);
        hues.extend(self.keys.iter().copied().zip(chosen));
        HueTable { hues }
    }

    /// Gives hues to those that are chosen first. As the last ones find few that are free, two exchange
    /// theirs where it brings those apart that are seen together.
    fn choose_first(&self, hues: &mut [Option<u8>], colors: &HueColors) {
        let open: Vec<usize> = (0..self.first).filter(|&at| hues[at].is_none()).collect();
        for &node in &open {
            hues[node] = Some(self.choose(node, hues, colors).0);
        }
        let mut is_better = true;
        while is_better {
            is_better = false;
            for (at, &one) in open.iter().enumerate() {
                for &other in &open[..at] {
                    is_better |= self.exchange([one, other], hues, colors);
                }
            }
        }
    }

    /// Lets two keys exchange their hues if that is better; returns whether it is.
    fn exchange(&self, pair: [usize; 2], hues: &mut [Option<u8>], colors: &HueColors) -> bool {
        let [one, other] = pair.map(|node| hues[node].take());
        let costs = pair.map(|node| self.costs(node, hues, colors));
        let cost = |given: [Option<u8>; 2]| {
            let of = given.map(|hue| usize::from(hue.unwrap_or_default()));
            let [one, other] = [costs[0][of[0]], costs[1][of[1]]];
            (one.0 + other.0, one.1 + other.1, one.2 + other.2)
        };
        let is_better = cost([other, one]) < cost([one, other]);
        let given = if is_better {
            [other, one]
        } else {
            [one, other]
        };
        [hues[pair[0]], hues[pair[1]]] = given;
        is_better
    }

    /// One try: the hues, and the keys that share their color with neighbours, with how near these are.
    fn attempt(
        &self,
        urgency: &[u32],
        colors: &HueColors,
        before: &[Option<u8>],
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
            let (hue, shared) = match before[node] {
                Some(hue) => (hue, 0),
                None => self.choose(node, &hues, colors),
            };
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
    fn choose(&self, node: usize, hues: &[Option<u8>], colors: &HueColors) -> (u8, u64) {
        let costs = self.costs(node, hues, colors);
        // Without neighbours, it depends only on the key.
        let own = hue_of_hash(self.keys[node]);
        let of = |choice: u8| (costs[usize::from(choice)], circle_steps(choice, own));
        let best = (0..HUE_COUNT as u8).min_by_key(|&choice| of(choice));
        let best = best.unwrap_or(own);
        (best, costs[usize::from(best)].0)
    }

    /// What each hue costs a key beside those that are chosen: how near those are that have its color,
    /// then those with another color of the same name, and how often those are seen that look like it.
    fn costs(&self, node: usize, hues: &[Option<u8>], colors: &HueColors) -> [HueCost; HUE_COUNT] {
        let mut costs = [HueCost::default(); HUE_COUNT];
        for (&other, nearness) in &self.edges[node] {
            let Some(hue) = hues[other] else { continue };
            for (choice, cost) in (0..HUE_COUNT as u8).zip(&mut costs) {
                let alike = colors.alike(choice, hue);
                let [near, far] = [nearness.near, nearness.far].map(u64::from);
                let mut often = 8 * near + far;
                match alike {
                    HueColors::SAME => {
                        cost.0 += near;
                        often += 2 * far;
                    }
                    HueColors::ONE_NAME => cost.1 += near.saturating_sub(1),
                    _ => {}
                }
                // One that is much alike is worse than two that are less.
                cost.2 += often * u64::from(alike).pow(2);
            }
        }
        costs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table_of<'a>(
        first: impl Iterator<Item = &'a [u8]>,
        order: impl Iterator<Item = &'a [u8]>,
    ) -> HueTable {
        let order = order.map(|bytes| (key_hash(bytes), 1));
        HueTable::default().with(first.map(key_hash), order, &HueColors::default())
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
        // The first three are a quarter of the circle apart, and neighbours a sixth.
        let table = table_of(bytes().step_by(10).take(3), bytes());
        for (one, other) in bytes().zip(bytes().skip(1)) {
            assert!(steps(&table, one, other) >= 2);
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
    fn what_has_a_hue_keeps_it() {
        let colors = HueColors::default();
        let keys: Vec<u64> = (0..60).map(|at| key_hash(&at)).collect();
        let lines = |keys: &[u64]| keys.iter().map(|&key| (key, 1)).collect::<Vec<_>>();
        let with = |table: &HueTable, first: &[u64], keys: &[u64]| {
            table.with(first.iter().copied(), lines(keys).into_iter(), &colors)
        };
        let one = with(&HueTable::default(), &keys[..3], &keys[..40]);
        // Another version, where others are near each other, and some are new.
        let mut order = keys[20..].to_vec();
        order.rotate_left(7);
        order.retain(|key| key % 3 > 0);
        let other = with(&one, &keys[50..], &order);
        let (mut kept, mut new) = (0, 0);
        for key in &keys[..40] {
            assert_eq!(one.of_hash(*key), other.of_hash(*key));
            kept += 1;
        }
        for pair in order.windows(2) {
            if pair.iter().any(|key| !keys[..40].contains(key)) {
                assert_ne!(other.of_hash(pair[0]), other.of_hash(pair[1]));
                new += 1;
            }
        }
        assert!(kept == 40 && new > 5, "{new}");
    }

    #[test]
    fn a_blame_adds_its_hues_once_for_what_is_known() {
        let (one, basis) = (
            KeptHues::default(),
            (ColorMode::Commit, HueColors::default()),
        );
        let mut added = 0;
        let mut add = |hues: &KeptHues, basis: HueBasis, known: Option<usize>| {
            let before = added;
            hues.by(basis, known, |table| {
                added += 1;
                table.with(std::iter::once(added), std::iter::empty(), &basis.1)
            });
            added > before
        };
        assert!(!add(&one, basis, None));
        assert!(add(&one, basis, Some(0)));
        assert!(!add(&one, basis, Some(0)));
        assert!(add(&one, basis, Some(1)));
        assert!(add(&one.of_history(), basis, Some(1)));
        assert!(!add(&one.clone(), basis, Some(1)));
        assert!(add(&one, (ColorMode::Author, basis.1), Some(1)));
        let all = one.by(basis, None, |_| HueTable::default());
        assert_eq!(all.hues.len(), 3);
    }
}
