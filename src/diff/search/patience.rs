//! Patience diff: lines that are unique on both sides are anchors; a longest increasing subsequence
//! of them is kept, and the regions between are diffed recursively.

use crate::diff::{
    region::diff_input::Region,
    search::{change_flags::ChangeFlags, myers::Myers},
};

/// A line's occurrences in a region.
#[derive(Debug, Default, Clone, Copy)]
struct LineUse {
    old: Multiplicity,
    new: Multiplicity,
    /// Its line number on the new side, if it is unique there.
    at: u32,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Multiplicity {
    #[default]
    None,
    Unique,
    Many,
}

impl Multiplicity {
    fn increment(self) -> Multiplicity {
        match self {
            Multiplicity::None => Multiplicity::Unique,
            _ => Multiplicity::Many,
        }
    }
}

/// A line that is unique on both sides.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    old: usize,
    new: usize,
    /// Predecessor in a longest increasing subsequence that ends here.
    previous: Option<u32>,
}

/// The algorithm with its buffers.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    /// By line id; all default between two regions.
    uses: Vec<LineUse>,
    anchors: Vec<Anchor>,
    /// The top anchor of each pile.
    piles: Vec<u32>,
    /// The longest increasing subsequence, in reverse order.
    chain: Vec<Anchor>,
    pending: Vec<Region>,
}

impl Patience {
    /// Flags the changed lines. `ids` is an exclusive upper bound of the line ids.
    pub(crate) fn run(&mut self, flags: &mut ChangeFlags<'_>, ids: usize, myers: &mut Myers) {
        if self.uses.len() < ids {
            self.uses.resize(ids, LineUse::default());
        }
        self.pending.push(flags.whole());
        while let Some(region) = self.pending.pop() {
            if region.old.is_empty() || region.new.is_empty() {
                flags.mark_changed(region);
                continue;
            }
            let common = self.find_anchors(flags, &region);
            if !common {
                flags.mark_changed(region);
            } else if self.anchors.is_empty() {
                flags.run_myers(region, myers, ids);
            } else {
                self.find_chain();
                self.walk(flags, region);
            }
        }
    }

    /// Collects the anchors in old order; returns whether the sides have any line in common.
    fn find_anchors(&mut self, flags: &ChangeFlags<'_>, region: &Region) -> bool {
        let old = &flags.old[region.old.clone()];
        let new = &flags.new[region.new.clone()];
        for &line in old {
            let line_use = &mut self.uses[line as usize];
            line_use.old = line_use.old.increment();
        }
        let mut common = false;
        for (at, &line) in region.new.clone().zip(new) {
            let line_use = &mut self.uses[line as usize];
            line_use.new = line_use.new.increment();
            line_use.at = at as u32;
            common |= line_use.old != Multiplicity::None;
        }
        self.anchors.clear();
        for (at, &line) in region.old.clone().zip(old) {
            let line_use = self.uses[line as usize];
            if (line_use.old, line_use.new) == (Multiplicity::Unique, Multiplicity::Unique) {
                self.anchors.push(Anchor {
                    old: at,
                    new: line_use.at as usize,
                    previous: None,
                });
            }
        }
        for &line in old.iter().chain(new) {
            self.uses[line as usize] = LineUse::default();
        }
        common
    }

    /// Finds a longest increasing subsequence of the anchors by patience sorting.
    fn find_chain(&mut self) {
        self.piles.clear();
        for at in 0..self.anchors.len() {
            let new = self.anchors[at].new;
            let pile = self
                .piles
                .partition_point(|&top| self.anchors[top as usize].new < new);
            self.anchors[at].previous = pile.checked_sub(1).map(|before| self.piles[before]);
            if pile == self.piles.len() {
                self.piles.push(at as u32);
            } else {
                self.piles[pile] = at as u32;
            }
        }
        self.chain.clear();
        let mut next = self.piles.last().copied();
        while let Some(at) = next {
            let anchor = self.anchors[at as usize];
            self.chain.push(anchor);
            next = anchor.previous;
        }
    }

    /// Queues the regions between the chain's anchors, less the equal lines around these.
    fn walk(&mut self, flags: &ChangeFlags<'_>, region: Region) {
        let (old, new) = (flags.old, flags.new);
        let (mut i, mut j) = (region.old.start, region.new.start);
        loop {
            let member = self.chain.pop();
            let (mut u, mut v) = match member {
                Some(anchor) => (anchor.old, anchor.new),
                None => (region.old.end, region.new.end),
            };
            if member.is_some() {
                while u > i && v > j && old[u - 1] == new[v - 1] {
                    u -= 1;
                    v -= 1;
                }
            }
            while i < u && j < v && old[i] == new[j] {
                i += 1;
                j += 1;
            }
            if i < u || j < v {
                self.pending.push(Region {
                    old: i..u,
                    new: j..v,
                });
            }
            let Some(mut last) = member else { break };
            while let Some(next) = self
                .chain
                .pop_if(|next| (next.old, next.new) == (last.old + 1, last.new + 1))
            {
                last = next;
            }
            (i, j) = (last.old + 1, last.new + 1);
        }
    }
}
