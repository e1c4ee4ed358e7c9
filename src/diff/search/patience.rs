//! The patience search: lines that occur once on each side are anchors, as many as keep their
//! order; what lies between them is searched in the same way.

use crate::diff::{
    region::sides::Part,
    search::{marked_sides::Marked, myers::Myers},
};

/// What is known of a line's occurrences in a part.
#[derive(Debug, Default, Clone, Copy)]
struct Seen {
    old: Times,
    new: Times,
    /// Where it is in the new side, if it is there once.
    at: u32,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Times {
    #[default]
    Never,
    Once,
    Often,
}

impl Times {
    fn more(self) -> Times {
        match self {
            Times::Never => Times::Once,
            _ => Times::Often,
        }
    }
}

/// A line that occurs once on each side.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    old: usize,
    new: usize,
    /// The anchor before it in the longest chain that ends with it.
    previous: Option<u32>,
}

/// The search, with its buffers.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    /// By line number; all empty between two parts.
    seen: Vec<Seen>,
    anchors: Vec<Anchor>,
    /// The anchors on top of the piles.
    piles: Vec<u32>,
    /// The longest chain, last first.
    chain: Vec<Anchor>,
    parts: Vec<Part>,
}

impl Patience {
    /// Marks what changed. All lines are numbers below `numbers`.
    pub(crate) fn run(&mut self, marked: &mut Marked<'_>, numbers: usize, myers: &mut Myers) {
        if self.seen.len() < numbers {
            self.seen.resize(numbers, Seen::default());
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

    /// Finds the anchors in the old side's order, and says whether any line is common.
    fn find_anchors(&mut self, marked: &Marked<'_>, part: &Part) -> bool {
        let old = &marked.old[part.old.clone()];
        let new = &marked.new[part.new.clone()];
        for &line in old {
            let seen = &mut self.seen[line as usize];
            seen.old = seen.old.more();
        }
        let mut common = false;
        for (at, &line) in part.new.clone().zip(new) {
            let seen = &mut self.seen[line as usize];
            seen.new = seen.new.more();
            seen.at = at as u32;
            common |= seen.old != Times::Never;
        }
        self.anchors.clear();
        for (at, &line) in part.old.clone().zip(old) {
            let seen = self.seen[line as usize];
            if (seen.old, seen.new) == (Times::Once, Times::Once) {
                self.anchors.push(Anchor {
                    old: at,
                    new: seen.at as usize,
                    previous: None,
                });
            }
        }
        for &line in old.iter().chain(new) {
            self.seen[line as usize] = Seen::default();
        }
        common
    }

    /// Sorts the anchors onto piles and reads off a longest chain.
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

    /// Leaves to later what lies between the members of the chain and the lines that are equal
    /// around them.
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
