//! The diff pipeline: tail trim, algorithm, compaction, hunks.

use std::ops::Range;

use crate::diff::{
    compaction::slide::{Met, Pass, Side},
    lines::interner::Lines,
    region::{changed_runs::Runs, sides::Sides, tail_trim},
    search::{
        histogram::Histogram, line_numbers::Numbers, marked_sides::Marked, myers::Myers,
        patience::Patience,
    },
    types::{Algorithm, DiffError, Hunk, Options, Token},
};

/// git's limit for the size of a side.
const MAX_BYTES: u64 = 1023 << 20;

/// Computes diffs; holds only buffers that are reused from diff to diff.
#[derive(Debug, Default)]
pub struct Differ {
    myers: Myers,
    patience: Patience,
    histogram: Histogram,
    numbers: Numbers,
    old: Changes,
    new: Changes,
    old_classes: Vec<Token>,
    new_classes: Vec<Token>,
    compared_again: u64,
}

/// The changed lines of one side.
#[derive(Debug, Default)]
struct Changes {
    /// By line, 1 if it changed.
    flags: Vec<u8>,
    runs: Runs,
}

/// The input of a diff after the tail trim.
#[derive(Clone, Copy)]
struct Texts<'a> {
    old: Side<'a>,
    new: Side<'a>,
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
        lines: &Lines,
        old: &[Token],
        new: &[Token],
        options: &Options,
        out: &mut Vec<Hunk>,
    ) -> Result<(), DiffError> {
        self.hunks_by_ends(lines, (old, None), new, options, out)
    }

    /// [`Differ::hunks`] with the byte offsets of the old lines' ends, which make the tail trim
    /// faster.
    pub fn hunks_by_ends(
        &mut self,
        lines: &Lines,
        (old, old_ends): (&[Token], Option<&[u32]>),
        new: &[Token],
        options: &Options,
        out: &mut Vec<Hunk>,
    ) -> Result<(), DiffError> {
        out.clear();
        check_size(lines, old)?;
        check_size(lines, new)?;
        let tail = tail_trim::tail(lines, old, old_ends, new);
        let old = &old[..old.len() - tail.dropped];
        let new = &new[..new.len() - tail.dropped];
        let ignore = options.ignore_whitespace;
        let mut numbers = std::mem::take(&mut self.numbers);
        let mut old_classes = std::mem::take(&mut self.old_classes);
        let mut new_classes = std::mem::take(&mut self.new_classes);
        let old_keys = keys(lines, old, ignore, &mut old_classes);
        let new_keys = keys(lines, new, ignore, &mut new_classes);
        let result = match options.algorithm {
            Algorithm::Myers | Algorithm::Minimal => {
                let sides = if ignore {
                    Sides::new(old_keys, new_keys)
                } else {
                    Sides::with_suffix(old, new, tail.equal - tail.dropped)
                };
                self.search_windows(&sides, options.algorithm, lines.count());
                let texts = Texts::new(old, new, old_keys, new_keys, lines.count());
                self.compact(lines, &texts, options);
                Ok(())
            }
            Algorithm::Patience | Algorithm::Histogram => {
                numbers.run(old_keys, new_keys, lines.count());
                let texts = Texts::new(old, new, &numbers.old, &numbers.new, numbers.count);
                self.search_whole(&texts, options.algorithm)
                    .map(|()| self.compact(lines, &texts, options))
            }
        };
        self.numbers = numbers;
        self.old_classes = old_classes;
        self.new_classes = new_classes;
        result?;
        merge(&self.old.runs, &self.new.runs, out);
        Ok(())
    }

    /// Number of change groups that were diffed again after compaction (histogram only), over all
    /// diffs.
    pub fn compared_again(&self) -> u64 {
        self.compared_again
    }

    fn search_windows(&mut self, sides: &Sides<'_>, algorithm: Algorithm, tokens: usize) {
        let minimal = algorithm == Algorithm::Minimal;
        self.myers.run(sides, minimal, tokens);
        self.old.runs.take(&self.myers.old);
        self.new.runs.take(&self.myers.new);
    }

    fn search_whole(&mut self, texts: &Texts<'_>, algorithm: Algorithm) -> Result<(), DiffError> {
        let (old, new) = (texts.old.keys, texts.new.keys);
        let mut marked = Marked {
            old,
            new,
            old_changed: cleared(&mut self.old.flags, old.len()),
            new_changed: cleared(&mut self.new.flags, new.len()),
        };
        if algorithm == Algorithm::Patience {
            self.patience.run(&mut marked, texts.keys, &mut self.myers);
        } else {
            self.histogram
                .run(&mut marked, texts.keys, &mut self.myers)?;
        }
        self.old.runs.read(&self.old.flags);
        self.new.runs.read(&self.new.flags);
        Ok(())
    }

    fn compact(&mut self, lines: &Lines, texts: &Texts<'_>, options: &Options) {
        let passes = [(texts.old, texts.new), (texts.new, texts.old)];
        let mut runs = [&mut self.old.runs, &mut self.new.runs];
        for (side, other) in passes {
            let [own_runs, other_runs] = &mut runs;
            let pass = Pass {
                lines,
                side,
                indent_heuristic: options.indent_heuristic,
            };
            if options.algorithm == Algorithm::Histogram {
                let mut again = Again {
                    own: side.keys,
                    other: other.keys,
                    keys: texts.keys,
                    myers: &mut self.myers,
                    count: &mut self.compared_again,
                };
                pass.run(own_runs, other_runs, |met, own, other| {
                    again.compare(&met, own, other);
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

impl<'a> Texts<'a> {
    fn new(
        old: &'a [Token],
        new: &'a [Token],
        old_keys: &'a [Token],
        new_keys: &'a [Token],
        keys: usize,
    ) -> Self {
        Texts {
            old: Side {
                keys: old_keys,
                tokens: old,
            },
            new: Side {
                keys: new_keys,
                tokens: new,
            },
            keys,
        }
    }
}

/// Diffs a slid change group against its counterpart again.
struct Again<'a> {
    own: &'a [Token],
    other: &'a [Token],
    keys: usize,
    myers: &'a mut Myers,
    count: &'a mut u64,
}

impl Again<'_> {
    /// Inserts the remaining changes before the cursors of both sides.
    fn compare(&mut self, met: &Met, own_runs: &mut Runs, other_runs: &mut Runs) {
        *self.count += 1;
        let own = &self.own[met.own.start as usize..met.own.end as usize];
        let other = &self.other[met.other.start as usize..met.other.end as usize];
        self.myers.run(&Sides::new(own, other), false, self.keys);
        let shift = |run: &Range<u32>, by: u32| run.start + by..run.end + by;
        for run in &self.myers.old {
            own_runs.put(shift(run, met.own.start));
        }
        for run in &self.myers.new {
            other_runs.put(shift(run, met.other.start));
        }
    }
}

fn check_size(lines: &Lines, side: &[Token]) -> Result<(), DiffError> {
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
    lines: &Lines,
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
fn merge(old: &Runs, new: &Runs, out: &mut Vec<Hunk>) {
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
