//! The diff of two texts, from trim to hunks.

use super::compact::{Met, Pass, Side};
use super::discard::Sides;
use super::lines::Lines;
use super::myers::Myers;
use super::runs::Runs;
use super::{Algorithm, DiffError, Hunk, Options, Token, equal, trim};

/// No side may be larger: git's limit.
const MOST_BYTES: u64 = 1023 << 20;

/// Computes diffs. It holds nothing but buffers, which serve one diff after another.
#[derive(Debug, Default)]
pub struct Differ {
    myers: Myers,
    old: Changes,
    new: Changes,
}

/// What is known of one side during a diff.
#[derive(Debug, Default)]
struct Changes {
    /// The lines by class, where these differ from the tokens.
    keys: Vec<Token>,
    /// 1 for a changed line.
    flags: Vec<u8>,
    runs: Runs,
}

impl Differ {
    /// Replaces `out` by the changes that git finds between two texts, in ascending order.
    ///
    /// All tokens must be of `lines`, which must have been made to ignore white space if
    /// `options` do. Fails if a side exceeds 1023 MiB, and with [`Algorithm::Histogram`] on texts
    /// contrived to defeat it.
    pub fn hunks(
        &mut self,
        lines: &Lines,
        old: &[Token],
        new: &[Token],
        options: &Options,
        out: &mut Vec<Hunk>,
    ) -> Result<(), DiffError> {
        out.clear();
        check_size(lines, old)?;
        check_size(lines, new)?;
        let tail = trim::tail(lines, old, new);
        let old = &old[..old.len() - tail.dropped];
        let new = &new[..new.len() - tail.dropped];
        let Differ {
            myers,
            old: old_changes,
            new: new_changes,
        } = self;
        let old_keys = keys(lines, old, options, &mut old_changes.keys);
        let new_keys = keys(lines, new, options, &mut new_changes.keys);

        let sides = if options.ignore_whitespace {
            Sides::new(old_keys, new_keys)
        } else {
            let prefix = equal::prefix(old, new);
            let room = old.len().min(new.len()) - prefix;
            Sides {
                old,
                new,
                prefix,
                suffix: room.min(tail.equal - tail.dropped),
            }
        };
        let old_flags = cleared(&mut old_changes.flags, sides.old_window().len());
        let new_flags = cleared(&mut new_changes.flags, sides.new_window().len());
        let minimal = options.algorithm == Algorithm::Minimal;
        myers.run(&sides, minimal, lines.count(), old_flags, new_flags);
        old_changes.runs.read(old_flags, sides.prefix);
        new_changes.runs.read(new_flags, sides.prefix);

        let pass = |keys, tokens| Pass {
            lines,
            side: Side { keys, tokens },
            indent_heuristic: options.indent_heuristic,
        };
        let leave = |_: Met, _: &mut Runs, _: &mut Runs| false;
        let (old_runs, new_runs) = (&mut old_changes.runs, &mut new_changes.runs);
        pass(old_keys, old).run(old_runs, new_runs, leave);
        pass(new_keys, new).run(new_runs, old_runs, leave);
        old_runs.rewind();
        new_runs.rewind();
        merge(old_runs, new_runs, out);
        Ok(())
    }
}

fn check_size(lines: &Lines, side: &[Token]) -> Result<(), DiffError> {
    if side.len() as u64 * u64::from(lines.longest()) <= MOST_BYTES {
        return Ok(());
    }
    let bytes: u64 = side.iter().map(|&token| u64::from(lines.len(token))).sum();
    if bytes > MOST_BYTES {
        return Err(DiffError::TooLarge);
    }
    Ok(())
}

fn keys<'a>(
    lines: &Lines,
    tokens: &'a [Token],
    options: &Options,
    classes: &'a mut Vec<Token>,
) -> &'a [Token] {
    if !options.ignore_whitespace {
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

/// Pairs the runs of both sides. Both places are at the start.
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

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) type Changed = (u32, u32, u32, u32);

    pub(super) fn diff(old: &str, new: &str, options: &Options) -> Vec<Changed> {
        let mut lines = Lines::new(options.ignore_whitespace);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        lines.tokenize(old.as_bytes(), &mut a).unwrap();
        lines.tokenize(new.as_bytes(), &mut b).unwrap();
        let mut hunks = Vec::new();
        Differ::default()
            .hunks(&lines, &a, &b, options, &mut hunks)
            .unwrap();
        hunks
            .into_iter()
            .map(|Hunk { old, new }| {
                (
                    old.start,
                    old.end - old.start,
                    new.start,
                    new.end - new.start,
                )
            })
            .collect()
    }

    /// Words as lines.
    fn words(text: &str) -> String {
        text.split_whitespace()
            .map(|word| format!("{word}\n"))
            .collect()
    }

    #[test]
    fn myers_on_words() {
        let plain = Options {
            indent_heuristic: false,
            ..Options::default()
        };
        for (old, new, expected) in [
            ("a", "b a a b", &[(0, 0, 0, 1), (1, 0, 2, 2)][..]),
            ("a b", "a a b b a", &[(1, 0, 1, 2), (2, 0, 4, 1)]),
            ("a b", "b a a", &[(0, 1, 0, 0), (2, 0, 1, 2)]),
            (
                "a b c",
                "c a c b",
                &[(0, 0, 0, 1), (1, 1, 2, 0), (3, 0, 3, 1)],
            ),
            ("a a b a c", "a c b", &[(1, 3, 1, 0), (5, 0, 2, 1)]),
            ("a b", "b a", &[(0, 1, 0, 0), (2, 0, 1, 1)]),
            ("a", "a a", &[(1, 0, 1, 1)]),
            ("a a", "b a", &[(0, 1, 0, 1)]),
            ("a b a", "b b", &[(0, 1, 0, 0), (2, 1, 1, 1)]),
            ("b a", "a a b", &[(0, 1, 0, 0), (2, 0, 1, 2)]),
            ("a a b", "b a b b", &[(0, 0, 0, 1), (1, 1, 2, 1)]),
            ("a b b", "a a b", &[(1, 1, 1, 1)]),
        ] {
            assert_eq!(
                diff(&words(old), &words(new), &plain),
                expected,
                "{old} -> {new}"
            );
        }
    }
}
