//! The attribution of lines to origins, and the background shade of each group.
//!
//! A group is a run of adjacent lines of one origin. A new group gets one of three shades that
//! differs from its existing neighbours. There are at most two of them, so a shade is always free.
//!
//! All entries of an origin mostly arrive together, so that a group is complete when its shade is
//! chosen. Where a cached blame answers for some of the lines, they arrive in parts. Lines that arrive
//! later join their group, which keeps its shade unless a neighbour has it on the other side: then
//! all of the group takes another one. No other line ever changes its shade.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use rustc_hash::FxHashMap;

use crate::sorting;

/// About the bytes of an entry in the tree of entries, whose nodes are not full.
const ENTRY_LEN: usize = 48;

/// About the bytes of a group in the trees of groups.
const GROUP_LEN: usize = 56;

/// One of three background shades.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shade(u8);

impl Shade {
    /// Number of shades.
    pub const COUNT: usize = 3;

    /// The one between the other two.
    pub const MIDDLE: Shade = Shade(1);

    /// Every shade.
    pub fn all() -> [Shade; Shade::COUNT] {
        [Shade(0), Shade(1), Shade(2)]
    }

    /// Index below [`Shade::COUNT`].
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A run of attributed lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineEntry {
    /// Lines of the viewed version (0-based, half-open).
    pub lines: Range<u32>,
    /// The first of these lines in the origin's version (0-based).
    pub source_start: u32,
    /// Index of the origin in the view.
    pub origin: u32,
    /// Attributed through an ignored commit by similarity.
    pub ignored: bool,
    /// Attributed to an ignored commit, since no counterpart was found.
    pub unblamable: bool,
}

impl LineEntry {
    /// The part of it that has these lines, which must be among its own.
    fn part(&self, lines: Range<u32>) -> Self {
        LineEntry {
            source_start: self.source_start + (lines.start - self.lines.start),
            lines,
            ..self.clone()
        }
    }
}

/// A run of adjacent lines of one origin, with one shade.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its lines (0-based, half-open).
    pub lines: Range<u32>,
    /// Index of the origin in the view.
    pub origin: u32,
    /// Index of the commit in the view.
    pub commit: u32,
    /// The shade.
    pub shade: Shade,
}

impl Group {
    /// True if a row of a line is the group's first.
    pub fn begins_at(&self, line: u32, row: u32) -> bool {
        self.lines.start == line && row == 0
    }

    /// True if the columns are written in a row of a line: in the first one of the group, and in
    /// the topmost one of the window.
    pub fn is_labelled(&self, line: u32, row: u32, is_topmost: bool) -> bool {
        is_topmost || self.begins_at(line, row)
    }
}

/// Number of lines and groups of one commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Lines.
    pub lines: u32,
    /// Groups.
    pub groups: u32,
}

#[derive(Debug, Clone, Copy)]
struct StoredGroup {
    end: u32,
    origin: u32,
    commit: u32,
    shade: Shade,
}

/// The attributed lines of one file. An operation on one entry or line is not linear in the size of
/// the file.
#[derive(Debug, Clone, Default)]
pub struct Attribution {
    /// The entries by their first lines; they do not overlap.
    entries: BTreeMap<u32, LineEntry>,
    /// The groups by their first lines; adjacent ones are of different origins.
    groups: BTreeMap<u32, StoredGroup>,
    /// The groups of each commit: its index, and the group's first line.
    starts: BTreeSet<(u32, u32)>,
    /// The shade that each commit takes wherever its neighbours allow it.
    usual: FxHashMap<u32, Shade>,
    /// Number of lines and groups by the index of the commit.
    tallies: FxHashMap<u32, Tally>,
    /// Number of attributed lines.
    lines: u32,
}

impl Attribution {
    /// About how many bytes it has in memory.
    pub(crate) fn memory_len(&self) -> usize {
        self.entries.len() * ENTRY_LEN + self.groups.len() * GROUP_LEN
    }

    /// Number of attributed lines.
    pub fn attributed(&self) -> u32 {
        self.lines
    }

    /// Adds entries of one origin; `commit` is the index of its commit. Lines that are attributed
    /// already are skipped.
    pub fn add(&mut self, commit: u32, mut entries: Vec<LineEntry>) {
        sorting::sort_by_key(&mut entries, |entry| entry.lines.start);
        let mut runs: Vec<LineEntry> = Vec::new();
        for entry in entries {
            for part in self.uncovered(entry) {
                let lines = part.lines.clone();
                self.lines += lines.end - lines.start;
                self.entries.insert(lines.start, part.clone());
                match runs.last_mut() {
                    Some(run) if run.lines.end == lines.start => run.lines.end = lines.end,
                    _ => runs.push(part),
                }
            }
        }
        let usual = match self.usual.get(&commit) {
            Some(&usual) => usual,
            None => {
                let usual = self.usual_shade(commit, &runs);
                *self.usual.entry(commit).or_insert(usual)
            }
        };
        for run in runs {
            self.add_run(commit, usual, &run);
        }
    }

    /// Takes lines out of the attribution. Returns their entries, in order; groups outside keep
    /// their shades.
    pub fn remove(&mut self, lines: Range<u32>) -> Vec<LineEntry> {
        if lines.is_empty() {
            return Vec::new();
        }
        for group in self.groups(lines.clone()).collect::<Vec<_>>() {
            self.remove_from_group(&group, &lines);
        }
        let before = self.entries.range(..lines.start).next_back();
        let first = before.filter(|(_, entry)| entry.lines.end > lines.start);
        let mut touched: Vec<LineEntry> =
            first.map(|(_, entry)| entry.clone()).into_iter().collect();
        let inner = self.entries.range(lines.clone());
        touched.extend(inner.map(|(_, entry)| entry.clone()));
        let mut removed = Vec::new();
        for entry in touched {
            self.entries.remove(&entry.lines.start);
            for kept in [
                entry.lines.start..lines.start.min(entry.lines.end),
                lines.end.max(entry.lines.start)..entry.lines.end,
            ] {
                if !kept.is_empty() {
                    self.entries.insert(kept.start, entry.part(kept));
                }
            }
            let taken = entry.lines.start.max(lines.start)..entry.lines.end.min(lines.end);
            self.lines -= taken.end - taken.start;
            removed.push(entry.part(taken));
        }
        removed
    }

    /// Takes the lines that a group has among `lines` out of it.
    fn remove_from_group(&mut self, group: &Group, lines: &Range<u32>) {
        let Range { start, end } = group.lines;
        self.groups.remove(&start);
        self.starts.remove(&(group.commit, start));
        let mut added = -1;
        for kept in [start..lines.start, lines.end..end] {
            if !kept.is_empty() {
                let stored = StoredGroup {
                    end: kept.end,
                    origin: group.origin,
                    commit: group.commit,
                    shade: group.shade,
                };
                self.groups.insert(kept.start, stored);
                self.starts.insert((group.commit, kept.start));
                added += 1;
            }
        }
        let tally = self.tallies.entry(group.commit).or_default();
        tally.lines -= end.min(lines.end) - start.max(lines.start);
        tally.groups = tally.groups.saturating_add_signed(added);
    }

    /// The usual shade of a commit: the one that most of its first groups can take, beside what is
    /// attributed already.
    fn usual_shade(&self, commit: u32, runs: &[LineEntry]) -> Shade {
        let mut free = [0usize; Shade::COUNT];
        for run in runs {
            for shade in Shade::all() {
                free[shade.index()] +=
                    usize::from(is_free(shade, run.origin, &self.neighbours(&run.lines)));
            }
        }
        // Among equals, each commit has a preferred one.
        let preferred = commit.wrapping_mul(0x9e37_79b9) >> 16;
        let turns = (0..3).map(|turn| Shade(((preferred + turn) % 3) as u8));
        turns
            .rev()
            .max_by_key(|shade| free[shade.index()])
            .unwrap_or(Shade(0))
    }

    /// The groups that touch a run of lines.
    fn neighbours(&self, lines: &Range<u32>) -> [Option<Group>; 2] {
        let left = lines.start.checked_sub(1).and_then(|line| self.group(line));
        [left, self.group(lines.end)]
    }

    /// The parts of an entry whose lines are not attributed yet.
    fn uncovered(&self, entry: LineEntry) -> Vec<LineEntry> {
        let mut parts = Vec::new();
        let mut start = entry.lines.start;
        let before = self.entries.range(..=start).next_back();
        if let Some((_, before)) = before {
            start = start.max(before.lines.end);
        }
        while start < entry.lines.end {
            let next = self.entries.range(start..entry.lines.end).next();
            let end = next.map_or(entry.lines.end, |(&next, _)| next);
            if start < end {
                parts.push(entry.part(start..end));
            }
            match next {
                Some((_, next)) => start = next.lines.end,
                None => break,
            }
        }
        parts
    }

    fn add_run(&mut self, commit: u32, usual: Shade, run: &LineEntry) {
        let is_part = |group: &Group| group.origin == run.origin;
        let parts = self.neighbours(&run.lines).into_iter().flatten();
        let parts: Vec<Group> = parts.filter(is_part).collect();
        let mut lines = run.lines.clone();
        for part in &parts {
            self.groups.remove(&part.lines.start);
            self.starts.remove(&(commit, part.lines.start));
            lines = lines.start.min(part.lines.start)..lines.end.max(part.lines.end);
        }
        // That of a part, or else the commit's usual one, or else, against a neighbour, another.
        let neighbours = self.neighbours(&lines);
        let turns = (0..3).map(|turn| Shade((usual.0 + turn) % 3));
        let mut shades = parts.iter().map(|part| part.shade).chain(turns);
        let shade = shades.find(|&shade| is_free(shade, run.origin, &neighbours));
        let stored = StoredGroup {
            end: lines.end,
            origin: run.origin,
            commit,
            shade: shade.unwrap_or(usual),
        };
        self.groups.insert(lines.start, stored);
        self.starts.insert((commit, lines.start));
        let tally = self.tallies.entry(commit).or_default();
        tally.lines += run.lines.end - run.lines.start;
        tally.groups = (tally.groups + 1).saturating_sub(parts.len() as u32);
    }

    /// The entry of a line.
    pub fn entry(&self, line: u32) -> Option<&LineEntry> {
        let (_, entry) = self.entries.range(..=line).next_back()?;
        (line < entry.lines.end).then_some(entry)
    }

    /// The group of a line.
    pub fn group(&self, line: u32) -> Option<Group> {
        let (&start, stored) = self.groups.range(..=line).next_back()?;
        (line < stored.end).then(|| stored.group(start))
    }

    /// The groups that overlap `lines`, in order.
    pub fn groups(&self, lines: Range<u32>) -> impl Iterator<Item = Group> {
        let first = self.group(lines.start).filter(|_| !lines.is_empty());
        let rest = lines.start.saturating_add(1)..lines.end.max(lines.start.saturating_add(1));
        let rest = self.groups.range(rest);
        first
            .into_iter()
            .chain(rest.map(|(&start, stored)| stored.group(start)))
    }

    /// The first line of the next group or unattributed run after `line`; the line after the last
    /// one of the file if `line` is in the last group.
    pub fn next_group(&self, line: u32) -> Option<u32> {
        match self.group(line) {
            Some(group) => Some(group.lines.end),
            None => self.groups.range(line..).next().map(|(&start, _)| start),
        }
    }

    /// The first line of the group or run of `line`, or of the previous one if `line` is that line.
    pub fn previous_group(&self, line: u32) -> Option<u32> {
        let (&start, stored) = self.groups.range(..line).next_back()?;
        if line <= stored.end {
            return Some(start);
        }
        Some(stored.end)
    }

    /// The first line of the commit's next group that starts after `line`.
    pub fn next_of(&self, commit: u32, line: u32) -> Option<u32> {
        let from = (commit, line.checked_add(1)?);
        let next = self.starts.range(from..=(commit, u32::MAX)).next();
        next.map(|&(_, start)| start)
    }

    /// The first line of the commit's last group that starts before `line`.
    pub fn previous_of(&self, commit: u32, line: u32) -> Option<u32> {
        let previous = self.starts.range((commit, 0)..(commit, line)).next_back();
        previous.map(|&(_, start)| start)
    }

    /// The first line of the commit's first group.
    pub fn first_of(&self, commit: u32) -> Option<u32> {
        let first = self.starts.range((commit, 0)..=(commit, u32::MAX)).next();
        first.map(|&(_, start)| start)
    }

    /// The first line of the commit's last group.
    pub fn last_of(&self, commit: u32) -> Option<u32> {
        let mut starts = self.starts.range((commit, 0)..=(commit, u32::MAX));
        starts.next_back().map(|&(_, start)| start)
    }

    /// True if one of `lines` belongs to the commit.
    pub fn touches(&self, commit: u32, lines: Range<u32>) -> bool {
        let starts = (commit, lines.start)..(commit, lines.end.max(lines.start));
        self.starts.range(starts).next().is_some()
            || self
                .group(lines.start)
                .is_some_and(|group| group.commit == commit)
    }

    /// Number of lines and groups of a commit.
    pub fn tally(&self, commit: u32) -> Tally {
        self.tallies.get(&commit).copied().unwrap_or_default()
    }
}

impl StoredGroup {
    fn group(&self, start: u32) -> Group {
        Group {
            lines: start..self.end,
            origin: self.origin,
            commit: self.commit,
            shade: self.shade,
        }
    }
}

/// True if lines of `origin` may have a shade between these neighbours.
fn is_free(shade: Shade, origin: u32, neighbours: &[Option<Group>; 2]) -> bool {
    let mut others = neighbours.iter().flatten().filter(|n| n.origin != origin);
    others.all(|other| other.shade != shade)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(origin: u32, lines: Range<u32>) -> LineEntry {
        LineEntry {
            source_start: lines.start,
            lines,
            origin,
            ignored: false,
            unblamable: false,
        }
    }

    fn shades(attribution: &Attribution, count: u32) -> Vec<Option<(u32, Shade)>> {
        (0..count)
            .map(|line| {
                attribution
                    .group(line)
                    .map(|group| (group.origin, group.shade))
            })
            .collect()
    }

    /// Entries that cut a file into pieces, and an order of arrival.
    fn arrivals() -> impl Strategy<Value = Vec<(u32, Range<u32>)>> {
        prop::collection::vec((0u32..6, 1u32..5), 1..40)
            .prop_map(|pieces| {
                let mut at = 0;
                let cut = |(origin, count)| {
                    at += count;
                    (origin, at - count..at)
                };
                pieces.into_iter().map(cut).collect::<Vec<_>>()
            })
            .prop_shuffle()
    }

    /// Checks that groups are whole runs of lines of one origin with one shade, that no others are
    /// repainted than those that got further lines, that neighbours differ, and that a new group has
    /// its commit's usual shade unless a neighbour had it first.
    fn check(batches: Vec<Vec<(u32, Range<u32>)>>) -> Result<Attribution, TestCaseError> {
        let total = batches.iter().flatten().map(|(_, lines)| lines.end).max();
        let total = total.unwrap_or(0);
        let mut attribution = Attribution::default();
        for batch in batches {
            let before = shades(&attribution, total);
            let origin = batch[0].0;
            let entries = batch
                .into_iter()
                .map(|(origin, lines)| entry(origin, lines));
            attribution.add(origin / 2, entries.collect());
            let after = shades(&attribution, total);
            let usual = attribution.usual.get(&(origin / 2)).copied();
            for group in attribution.groups(0..total.max(1)) {
                let lines = group.lines.start as usize..group.lines.end as usize;
                let is_new = before[lines.clone()].iter().all(Option::is_none);
                let beside = [lines.start.checked_sub(1), Some(lines.end)];
                let mut beside = beside
                    .into_iter()
                    .flatten()
                    .filter_map(|at| *after.get(at)?);
                if is_new && Some(group.shade) != usual {
                    prop_assert!(
                        beside.any(|(_, shade)| Some(shade) == usual),
                        "a group has not its commit's usual shade"
                    );
                }
            }
            for group in attribution.groups(0..total.max(1)) {
                let lines = group.lines.start as usize..group.lines.end as usize;
                let before = &before[lines.clone()];
                let has_more = before.iter().any(Option::is_none);
                let is_kept = before.iter().flatten().all(|it| it.1 == group.shade);
                prop_assert!(has_more || is_kept, "a group was repainted");
            }
            let mut heads = attribution
                .groups(0..total.max(1))
                .map(|group| group.lines.start);
            let mut last = None;
            for (line, it) in (0..).zip(&after) {
                if let (Some((one, a)), Some((other, b))) = (last, it) {
                    prop_assert_eq!(one == *other, a == *b, "shades and groups differ");
                }
                let origin = it.map(|(origin, _)| origin);
                if origin.is_some() && origin != last.map(|(origin, _)| origin) {
                    prop_assert_eq!(heads.next(), Some(line), "not every run has one head");
                }
                last = *it;
            }
            prop_assert_eq!(heads.next(), None, "a run has a second head");
        }
        Ok(attribution)
    }

    proptest! {
        #[test]
        fn whole_origins_in_any_order(entries in arrivals()) {
            let mut batches: Vec<Vec<(u32, Range<u32>)>> = Vec::new();
            for (origin, lines) in entries {
                match batches.iter_mut().find(|batch| batch[0].0 == origin) {
                    Some(batch) => batch.push((origin, lines)),
                    None => batches.push(vec![(origin, lines)]),
                }
            }
            check(batches)?;
        }

        #[test]
        fn parts_in_any_order_become_whole_groups(entries in arrivals()) {
            check(entries.into_iter().map(|entry| vec![entry]).collect())?;
        }

        #[test]
        fn counts_agree_with_the_lines(entries in arrivals(), again in arrivals()) {
            let batches = entries.into_iter().chain(again).map(|entry| vec![entry]).collect();
            let attribution = check(batches)?;
            let all = shades(&attribution, 400);
            prop_assert_eq!(attribution.attributed() as usize, all.iter().flatten().count());
            for commit in 0..3 {
                let lines = all.iter().flatten().filter(|(origin, _)| origin / 2 == commit);
                let groups: Vec<_> =
                    attribution.groups(0..400).filter(|group| group.commit == commit).collect();
                let tally = attribution.tally(commit);
                prop_assert_eq!(tally.lines as usize, lines.count());
                prop_assert_eq!(tally.groups as usize, groups.len());
                let mut at = attribution.touches(commit, 0..1).then_some(0);
                at = at.or_else(|| attribution.next_of(commit, 0));
                for group in groups {
                    prop_assert_eq!(at, Some(group.lines.start));
                    at = attribution.next_of(commit, group.lines.start);
                }
                prop_assert_eq!(at, None);
            }
        }
    }

    #[test]
    fn a_late_line_continues_its_group() {
        let mut attribution = Attribution::default();
        attribution.add(0, vec![entry(0, 0..2)]);
        attribution.add(0, vec![entry(0, 2..4)]);
        assert_eq!(attribution.group(3).map(|group| group.lines), Some(0..4));
        assert_eq!(
            attribution.tally(0),
            Tally {
                lines: 4,
                groups: 1
            }
        );
    }

    #[test]
    fn steps_between_groups() {
        let mut attribution = Attribution::default();
        attribution.add(0, vec![entry(0, 0..2), entry(0, 6..8)]);
        attribution.add(1, vec![entry(2, 2..4)]);
        assert_eq!(attribution.next_group(0), Some(2));
        assert_eq!(attribution.next_group(2), Some(4));
        assert_eq!(attribution.next_group(4), Some(6));
        assert_eq!(attribution.previous_group(3), Some(2));
        assert_eq!(attribution.previous_group(2), Some(0));
        assert_eq!(attribution.previous_group(6), Some(4));
        assert_eq!(attribution.previous_group(0), None);
        assert_eq!(attribution.next_of(0, 0), Some(6));
        assert_eq!(attribution.previous_of(0, 6), Some(0));
    }
}
