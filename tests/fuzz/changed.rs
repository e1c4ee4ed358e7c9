//! Pairs of texts, and whole repositories.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tblame::internals::diff::{
    Algorithm, DiffError, DiffOptions, Differ, Hunk, LineInterner, OlderDiff,
};

use super::{Target, ensure, outcome, take};
use crate::harness::{
    faults::{Fixture, Outcomes},
    rng::Rng,
    stored_history::FORMS,
};

/// Two texts, whose lines are bytes of the input; the first byte decides on options, the second where the texts part.
///
/// The hunks must make the new text of the old one, and the reference is a table of longest common subsequences: no diff is
/// smaller, and those that promise the smallest one are not larger.
#[derive(Default)]
pub struct Diff {
    differ: Differ,
}

fn text(lines: &[u8]) -> Vec<u8> {
    let line = |byte: &u8| match byte % 16 {
        0 => "\n".to_owned(),
        1 => "}\n".to_owned(),
        line => format!("{}line {}\n", " ".repeat(usize::from(byte >> 5)), line),
    };
    lines
        .iter()
        .flat_map(|byte| line(byte).into_bytes())
        .collect()
}

/// The length of the longest common subsequence.
fn common(old: &[u32], new: &[u32]) -> usize {
    let mut row = vec![0; new.len() + 1];
    for line in old {
        let mut diagonal = 0;
        for (at, other) in new.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if line == other {
                diagonal + 1
            } else {
                above.max(row[at])
            };
            diagonal = above;
        }
    }
    row[new.len()]
}

impl Target for Diff {
    fn seeds(&self) -> Vec<Vec<u8>> {
        let mut rng = Rng::new(3);
        (0..60usize)
            .map(|nth| {
                let len = rng.between(3, 200);
                let letters = *rng.pick(&[2, 4, 16, 256]);
                let mut seed: Vec<u8> = (0..len).map(|_| rng.below(letters) as u8).collect();
                let again = seed[2..].to_vec();
                seed.extend(again);
                seed[0] = nth as u8;
                seed[1] = 128;
                seed
            })
            .collect()
    }

    fn most_bytes(&self) -> usize {
        600
    }

    fn run(&mut self, mut input: &[u8]) -> Result<u64, String> {
        let (options, part) = (take(&mut input), take(&mut input));
        let (old, new) = input.split_at(input.len() * usize::from(part) / 256);
        let options = DiffOptions {
            algorithm: [
                Algorithm::Myers,
                Algorithm::Minimal,
                Algorithm::Patience,
                Algorithm::Histogram,
            ][usize::from(options % 4)],
            ignore_whitespace: options & 4 != 0,
            indent_heuristic: options & 8 != 0,
            older: OlderDiff {
                minimal: options & 16 != 0,
                histogram: options & 32 != 0,
            },
        };
        let mut lines = LineInterner::new(options.ignore_whitespace);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        let read = |error: DiffError| error.to_string();
        lines.tokenize(&text(old), &mut a).map_err(read)?;
        lines.tokenize(&text(new), &mut b).map_err(read)?;
        let mut hunks = Vec::new();
        self.differ
            .hunks(&lines, &a, &b, &options, &mut hunks)
            .map_err(read)?;
        // What counts as equal.
        let class = |line: &u8| match line % 16 {
            0 => 0u32,
            1 => 1,
            other if options.ignore_whitespace => u32::from(other),
            other => u32::from(other) | u32::from(line >> 5) << 8,
        };
        let old: Vec<u32> = old.iter().map(class).collect();
        let new: Vec<u32> = new.iter().map(class).collect();
        let (mut old_at, mut new_at, mut removed, mut added) = (0, 0, 0, 0);
        let end = Hunk {
            old: old.len() as u32..old.len() as u32,
            new: new.len() as u32..new.len() as u32,
        };
        for (nth, Hunk { old: from, new: to }) in hunks.iter().chain([&end]).enumerate() {
            let (from, to) = (
                from.start as usize..from.end as usize,
                to.start as usize..to.end as usize,
            );
            let is_next = nth == 0 || nth == hunks.len() || from.start > old_at;
            let same = old.get(old_at..from.start).is_some()
                && old.get(old_at..from.start) == new.get(new_at..to.start);
            let some = nth == hunks.len() || !from.is_empty() || !to.is_empty();
            ensure(is_next && same && some, || {
                format!("{options:?}: hunk {nth} of {hunks:?}")
            })?;
            removed += from.len();
            added += to.len();
            (old_at, new_at) = (from.end, to.end);
        }
        let least = common(&old, &new);
        let kept = old.len() - removed;
        ensure(kept == new.len() - added && kept <= least, || {
            format!("{kept} lines are kept, at most {least} can be")
        })?;
        let is_smallest = options.algorithm == Algorithm::Minimal && !options.older.minimal;
        ensure(!is_smallest || kept == least, || {
            format!("{kept} lines are kept, {least} can be: {hunks:?}")
        })?;
        Ok(outcome((
            hunks.len().min(20),
            least - kept,
            input.len().ilog2_of(),
        )))
    }
}

trait Log2 {
    fn ilog2_of(self) -> u32;
}

impl Log2 for usize {
    fn ilog2_of(self) -> u32 {
        self.checked_ilog2().unwrap_or(0)
    }
}

/// Blames of repositories of every form, damaged as the input decides. The reference is the repository before, and git.
pub struct Blames {
    fixtures: Vec<Option<Fixture>>,
}

impl Blames {
    pub fn new() -> Blames {
        Blames {
            fixtures: (0..FORMS.len() * 2).map(|_| None).collect(),
        }
    }
}

impl Target for Blames {
    fn seeds(&self) -> Vec<Vec<u8>> {
        vec![b"seed".to_vec()]
    }

    fn most_bytes(&self) -> usize {
        16
    }

    fn run(&mut self, input: &[u8]) -> Result<u64, String> {
        let mut rng = Rng::new(outcome(input));
        let nth = rng.below(self.fixtures.len());
        let made = || Fixture::new(FORMS[nth / 2], nth.is_multiple_of(2));
        let fixture = self.fixtures[nth].get_or_insert_with(made);
        let mut outcomes = Outcomes::default();
        let case = catch_unwind(AssertUnwindSafe(|| fixture.case(&mut rng, &mut outcomes)));
        case.map_err(|_| "the damage could not be undone".to_owned())??;
        Ok(outcome((
            nth,
            outcomes.pristine,
            outcomes.as_git,
            outcomes.errors,
        )))
    }
}
