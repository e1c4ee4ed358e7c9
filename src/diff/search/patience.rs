//! Patience diff: lines that are unique on both sides are anchors; a longest increasing subsequence
//! of them is kept, and the regions between are diffed recursively.

use crate::diff::{
    region::sides::Part,
    search::{marked_sides::Marked, myers::Myers},
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
    parts: Vec<Part>,
}

impl Patience {
    /// Flags the changed lines. `numbers` is an exclusive upper bound of the line ids.
    pub(crate) fn run(&mut self, marked: &mut Marked<'_>, numbers: usize, myers: &mut Myers) {
        if self.uses.len() < numbers {
            self.uses.resize(numbers, LineUse::default());
        }
        self.parts.push(marked.whole());
        while let Some(part) = self.parts.pop() {
            if part.old.is_empty() || part.new.is_empty() {
                marked.mark(part);
                continue;
            }
            let common = self.find_anchors(marked, &part);
            if !common {
                marked.mark(part);
            } else if self.anchors.is_empty() {
                marked.search(part, myers, numbers);
            } else {
                self.find_chain();
                self.walk(marked, part);
            }
        }
    }

    /// Collects the anchors in old order; returns whether the sides have any line in common.
    fn find_anchors(&mut self, marked: &Marked<'_>, part: &Part) -> bool {
        let old = &marked.old[part.old.clone()];
        let new = &marked.new[part.new.clone()];
        for &line in old {
            let line_use = &mut self.uses[line as usize];
            line_use.old = line_use.old.increment();
        }
        let mut common = false;
        for (at, &line) in part.new.clone().zip(new) {
            let line_use = &mut self.uses[line as usize];
            line_use.new = line_use.new.increment();
            line_use.at = at as u32;
            common |= line_use.old != Multiplicity::None;
        }
        self.anchors.clear();
        for (at, &line) in part.old.clone().zip(old) {
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
    fn walk(&mut self, marked: &Marked<'_>, part: Part) {
        let (old, new) = (marked.old, marked.new);
        let (mut i, mut j) = (part.old.start, part.new.start);
        loop {
            let member = self.chain.pop();
            let (mut u, mut v) = match member {
                Some(anchor) => (anchor.old, anchor.new),
                None => (part.old.end, part.new.end),
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
                self.parts.push(Part {
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
