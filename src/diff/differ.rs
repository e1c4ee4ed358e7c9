//! The diff pipeline: tail trim, algorithm, compaction, hunks.

use std::ops::Range;

use crate::diff::{
    compaction::slide::{Compaction, GroupPair, SideLines},
    lines::interner::LineInterner,
    region::{changed_runs::ChangedRuns, diff_input::DiffInput, tail_trim},
    search::{
        change_flags::ChangeFlags, dense_ids::DenseIds, histogram::Histogram, myers::Myers,
        patience::Patience,
    },
    types::{Algorithm, DiffError, DiffOptions, Hunk, Token},
};

/// git's limit for the size of a side.
const MAX_BYTES: u64 = 1023 << 20;

/// Computes diffs; holds only buffers that are reused from diff to diff.
#[derive(Debug, Default)]
pub struct Differ {
    myers: Myers,
    patience: Patience,
    histogram: Histogram,
    ids: DenseIds,
    old: SideChanges,
    new: SideChanges,
    old_classes: Vec<Token>,
    new_classes: Vec<Token>,
}

/// The changed lines of one side.
#[derive(Debug, Default)]
struct SideChanges {
    /// By line, 1 if it changed.
    flags: Vec<u8>,
    runs: ChangedRuns,
}

/// The input of a diff after the tail trim.
#[derive(Clone, Copy)]
struct TrimmedTexts<'a> {
    old: SideLines<'a>,
    new: SideLines<'a>,
    /// Exclusive upper bound of the keys.
    keys: usize,
}

impl Differ {
    /// Replaces `out` with the hunks that git finds between two texts, in ascending order.
    ///
    /// All tokens must come from `lines`, which must have been created to ignore whitespace if
    /// `options` do. Fails if a side exceeds 1023 MiB, and for [`Algorithm::Histogram`] on
    /// adversarial input.
    pub fn hunks(
        &mut self,
        lines: &LineInterner,
        old: &[Token],
        new: &[Token],
        options: &DiffOptions,
        out: &mut Vec<Hunk>,
    ) -> Result<(), DiffError> {
        self.hunks_by_ends(lines, (old, None), new, options, out)
    }

    /// [`Differ::hunks`] with the byte offsets of the old lines' ends, which make the tail trim
    /// faster.
    pub fn hunks_by_ends(
        &mut self,
        lines: &LineInterner,
        (old, old_ends): (&[Token], Option<&[u32]>),
        new: &[Token],
        options: &DiffOptions,
        out: &mut Vec<Hunk>,
    ) -> Result<(), DiffError> {
        out.clear();
        check_size(lines, old)?;
        check_size(lines, new)?;
        let tail = tail_trim::common_tail(lines, old, old_ends, new);
        let old = &old[..old.len() - tail.dropped];
        let new = &new[..new.len() - tail.dropped];
        let ignore = options.ignore_whitespace;
        let mut ids = std::mem::take(&mut self.ids);
        let mut old_classes = std::mem::take(&mut self.old_classes);
        let mut new_classes = std::mem::take(&mut self.new_classes);
        let old_keys = keys(lines, old, ignore, &mut old_classes);
        let new_keys = keys(lines, new, ignore, &mut new_classes);
        let result = match options.algorithm {
            Algorithm::Myers | Algorithm::Minimal => {
                let sides = if ignore {
                    DiffInput::new(old_keys, new_keys)
                } else {
                    DiffInput::with_suffix(old, new, tail.equal - tail.dropped)
                };
                self.run_myers(&sides, options, lines.count());
                let texts = TrimmedTexts::new(old, new, old_keys, new_keys, lines.count());
                self.compact(lines, &texts, options);
                Ok(())
            }
            Algorithm::Patience | Algorithm::Histogram => {
                ids.assign(old_keys, new_keys, lines.count());
                let texts = TrimmedTexts::new(old, new, &ids.old, &ids.new, ids.count);
                self.run_anchored(&texts, options.algorithm)
                    .map(|()| self.compact(lines, &texts, options))
            }
        };
        self.ids = ids;
        self.old_classes = old_classes;
        self.new_classes = new_classes;
        result?;
        merge(&self.old.runs, &self.new.runs, out);
        if leave_equal_lines(out, old.len(), new.len()) {
            Ok(())
        } else {
            Err(DiffError::Inconsistent)
        }
    }

    fn run_myers(&mut self, sides: &DiffInput<'_>, options: &DiffOptions, tokens: usize) {
        let exact = options.algorithm == Algorithm::Minimal;
        let keeps_frequent = exact && !options.older.minimal;
        self.myers.run(sides, exact, keeps_frequent, tokens);
        self.old.runs.reset_to_runs(&self.myers.old);
        self.new.runs.reset_to_runs(&self.myers.new);
    }

    fn run_anchored(
        &mut self,
        texts: &TrimmedTexts<'_>,
        algorithm: Algorithm,
    ) -> Result<(), DiffError> {
        let (old, new) = (texts.old.keys, texts.new.keys);
        let mut flags = ChangeFlags {
            old,
            new,
            old_changed: cleared(&mut self.old.flags, old.len()),
            new_changed: cleared(&mut self.new.flags, new.len()),
        };
        if algorithm == Algorithm::Patience {
            self.patience.run(&mut flags, texts.keys, &mut self.myers);
        } else {
            self.histogram
                .run(&mut flags, texts.keys, &mut self.myers)?;
        }
        self.old.runs.reset_to_flags(&self.old.flags);
        self.new.runs.reset_to_flags(&self.new.flags);
        Ok(())
    }

    fn compact(&mut self, lines: &LineInterner, texts: &TrimmedTexts<'_>, options: &DiffOptions) {
        let passes = [(texts.old, texts.new), (texts.new, texts.old)];
        let mut runs = [&mut self.old.runs, &mut self.new.runs];
        for (side, other) in passes {
            let [own_runs, other_runs] = &mut runs;
            let pass = Compaction {
                lines,
                side,
                indent_heuristic: options.indent_heuristic,
            };
            if options.algorithm == Algorithm::Histogram && !options.older.histogram {
                let mut rediff = Rediff {
                    own: side.keys,
                    other: other.keys,
                    keys: texts.keys,
                    myers: &mut self.myers,
                };
                pass.run(own_runs, other_runs, |pair, own, other| {
                    rediff.compare(&pair, own, other);
                    true
                });
            } else {
                pass.run(own_runs, other_runs, |_, _, _| false);
            }
            runs.swap(0, 1);
        }
        for runs in runs {
            runs.rewind();
        }
    }
}

impl<'a> TrimmedTexts<'a> {
    fn new(
        old: &'a [Token],
        new: &'a [Token],
        old_keys: &'a [Token],
        new_keys: &'a [Token],
        keys: usize,
    ) -> Self {
        TrimmedTexts {
            old: SideLines {
                keys: old_keys,
                tokens: old,
            },
            new: SideLines {
                keys: new_keys,
                tokens: new,
            },
            keys,
        }
    }
}

/// Diffs a slid change group against its counterpart again.
struct Rediff<'a> {
    own: &'a [Token],
    other: &'a [Token],
    keys: usize,
    myers: &'a mut Myers,
}

impl Rediff<'_> {
    /// Inserts the remaining changes before the cursors of both sides.
    fn compare(
        &mut self,
        pair: &GroupPair,
        own_runs: &mut ChangedRuns,
        other_runs: &mut ChangedRuns,
    ) {
        let own = &self.own[pair.own.start as usize..pair.own.end as usize];
        let other = &self.other[pair.other.start as usize..pair.other.end as usize];
        self.myers
            .run(&DiffInput::new(own, other), false, false, self.keys);
        let shift = |run: &Range<u32>, by: u32| run.start + by..run.end + by;
        for run in &self.myers.old {
            own_runs.insert(shift(run, pair.own.start));
        }
        for run in &self.myers.new {
            other_runs.insert(shift(run, pair.other.start));
        }
    }
}

fn check_size(lines: &LineInterner, side: &[Token]) -> Result<(), DiffError> {
    if side.len() as u64 * u64::from(lines.longest()) <= MAX_BYTES {
        return Ok(());
    }
    let bytes: u64 = side.iter().map(|&token| u64::from(lines.len(token))).sum();
    if bytes > MAX_BYTES {
        return Err(DiffError::TooLarge);
    }
    Ok(())
}

fn keys<'a>(
    lines: &LineInterner,
    tokens: &'a [Token],
    ignore_whitespace: bool,
    classes: &'a mut Vec<Token>,
) -> &'a [Token] {
    if !ignore_whitespace {
        return tokens;
    }
    classes.clear();
    classes.extend(tokens.iter().map(|&token| lines.class(token)));
    classes
}

fn cleared(flags: &mut Vec<u8>, len: usize) -> &mut [u8] {
    flags.clear();
    flags.resize(len, 0);
    flags
}

/// Pairs the runs of both sides by key. Both cursors are at the start.
fn merge(old: &ChangedRuns, new: &ChangedRuns, out: &mut Vec<Hunk>) {
    let (mut olds, mut news) = (old.following().peekable(), new.following().peekable());
    let (mut old_changed, mut new_changed) = (0, 0);
    loop {
        let old_key = olds.peek().map(|run| run.start - old_changed);
        let new_key = news.peek().map(|run| run.start - new_changed);
        let key = match (old_key, new_key) {
            (Some(old), Some(new)) => old.min(new),
            (Some(key), None) | (None, Some(key)) => key,
            (None, None) => break,
        };
        let old = olds.next_if(|_| old_key == Some(key));
        let new = news.next_if(|_| new_key == Some(key));
        let old = old.unwrap_or(key + old_changed..key + old_changed);
        let new = new.unwrap_or(key + new_changed..key + new_changed);
        old_changed += old.end - old.start;
        new_changed += new.end - new.start;
        out.push(Hunk { old, new });
    }
}

/// True if hunks are in order and leave as many lines between them, before and after them on both
/// sides, so that each unchanged line of one side is a line of the other. It is checked for each
/// diff: a line that is passed to a parent is one of its lines.
pub(super) fn leave_equal_lines(hunks: &[Hunk], old_count: usize, new_count: usize) -> bool {
    let end = Hunk {
        old: old_count as u32..old_count as u32,
        new: new_count as u32..new_count as u32,
    };
    let (mut old, mut new) = (0, 0);
    hunks.iter().chain([&end]).all(|hunk| {
        let gaps = (
            hunk.old.start.checked_sub(old),
            hunk.new.start.checked_sub(new),
        );
        (old, new) = (hunk.old.end, hunk.new.end);
        gaps.0.is_some()
            && gaps.0 == gaps.1
            && hunk.old.start <= hunk.old.end
            && hunk.new.start <= hunk.new.end
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_that_do_not_fit_together_are_noticed() {
        let fit = |hunks: &[(u32, u32, u32, u32)], old, new| {
            let hunks = hunks.iter().map(|&(a, b, c, d)| Hunk {
                old: a..b,
                new: c..d,
            });
            leave_equal_lines(&hunks.collect::<Vec<_>>(), old, new)
        };
        assert!(fit(&[], 3, 3));
        assert!(fit(&[(0, 1, 0, 0), (2, 2, 1, 3)], 3, 4));
        assert!(!fit(&[], 3, 4));
        assert!(!fit(&[(1, 2, 0, 1)], 3, 3));
        assert!(!fit(&[(1, 2, 1, 2), (2, 3, 3, 3)], 3, 3));
        assert!(!fit(&[(1, 4, 1, 4)], 3, 3));
        assert!(!fit(&[(2, 3, 2, 3), (1, 2, 1, 2)], 3, 3));
    }

    #[test]
    fn histogram_bucket_overflow() {
        // A short region at the end whose lines have distant ids, from early in the text.
        let bucket = |members: usize| {
            // Line ids h with (h + h / 128) % 128 == 0, in a region of at most 128 lines.
            let chosen: Vec<usize> = (0..20_000)
                .filter(|h| (h + h / 128) % 128 == 0)
                .take(members)
                .collect();
            let mut old: Vec<String> = (0..20_000).map(|n| format!("o{n}")).collect();
            old.push("anchor".into());
            old.extend(chosen.iter().map(|n| format!("o{n}")));
            old.join("\n") + "\n"
        };
        let options = DiffOptions {
            algorithm: Algorithm::Histogram,
            ..DiffOptions::default()
        };
        let diff = |old: String| {
            let mut lines = LineInterner::new(false);
            let (mut a, mut b) = (Vec::new(), Vec::new());
            lines.tokenize(old.as_bytes(), &mut a)?;
            lines.tokenize(b"anchor\nz\no0\n", &mut b)?;
            Differ::default().hunks(&lines, &a, &b, &options, &mut Vec::new())
        };
        assert_eq!(diff(bucket(64)), Ok(()));
        assert_eq!(diff(bucket(65)), Err(DiffError::Histogram));
    }
}
