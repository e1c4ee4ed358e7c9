//! Which lines of a version are in the final image.

use std::ops::Range;

use crate::{
    diff::Hunk,
    engine::board::split::{add_offset, offset_before},
};

/// Consecutive lines of a version that are consecutive in the final image too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    /// The first line in the version.
    start: u32,
    len: u32,
    /// The first line in the final image.
    final_start: u32,
}

impl Run {
    fn end(&self) -> u32 {
        self.start + self.len
    }

    fn final_end(&self) -> u32 {
        self.final_start + self.len
    }
}

/// The lines of a version that are in the final image, in the same order in both.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LinePositions {
    runs: Vec<Run>,
}

impl LinePositions {
    /// Those of the final image itself.
    pub(crate) fn of_final_image(line_count: u32) -> LinePositions {
        let whole = Run {
            start: 0,
            len: line_count,
            final_start: 0,
        };
        LinePositions { runs: vec![whole] }
    }

    /// Those of an older version, by the hunks between it and this one.
    pub(crate) fn before(&self, hunks: &[Hunk]) -> LinePositions {
        let mut runs: Vec<Run> = Vec::with_capacity(self.runs.len());
        let mut at = 0;
        for run in &self.runs {
            let mut from = run.start;
            while hunks.get(at).is_some_and(|hunk| hunk.new.end <= from) {
                at += 1;
            }
            // A hunk that ends this run may concern the next one too.
            let mut next = at;
            while from < run.end() {
                let hunk = hunks.get(next);
                let to = hunk.map_or(run.end(), |hunk| hunk.new.start.clamp(from, run.end()));
                if from < to {
                    runs.push(Run {
                        start: add_offset(from, offset_before(hunks, next)),
                        len: to - from,
                        final_start: run.final_start + (from - run.start),
                    });
                }
                from = hunk.map_or(to, |hunk| hunk.new.end.max(to));
                next += 1;
            }
        }
        LinePositions { runs }
    }

    /// True if the version has at least two lines of one of these ranges of the final image.
    pub(crate) fn have_two_lines_of_one(&self, ranges: &[Range<u32>]) -> bool {
        ranges.iter().any(|range| {
            let at = self
                .runs
                .partition_point(|run| run.final_end() <= range.start);
            let within = self.runs[at..].iter().map(|run| {
                let end = run.final_end().min(range.end);
                end.saturating_sub(run.final_start.max(range.start))
            });
            // Runs of one range are side by side.
            within.take_while(|&count| count > 0).take(2).sum::<u32>() > 1
        })
    }

    /// The nearest lines of the final image before and after the place between two lines of the
    /// version, `gap` of which are before it.
    pub(crate) fn neighbours(&self, gap: u32) -> (Option<u32>, Option<u32>) {
        let at = self.runs.partition_point(|run| run.start < gap);
        let before = at.checked_sub(1).map(|last| {
            let run = self.runs[last];
            run.final_start + (gap.min(run.end()) - run.start - 1)
        });
        let at = self.runs.partition_point(|run| run.end() <= gap);
        let after = self.runs.get(at);
        let after = after.map(|run| run.final_start + gap.saturating_sub(run.start));
        (before, after)
    }

    /// The parts of a range of the version that are not in the final image.
    pub(crate) fn missing(&self, lines: Range<u32>) -> Vec<Range<u32>> {
        let mut missing = Vec::new();
        let mut from = lines.start;
        let at = self.runs.partition_point(|run| run.end() <= lines.start);
        for run in &self.runs[at..] {
            if run.start >= lines.end {
                break;
            }
            if from < run.start {
                missing.push(from..run.start);
            }
            from = run.end();
        }
        if from < lines.end {
            missing.push(from..lines.end);
        }
        missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line of the final image of each line of a version.
    fn lines(positions: &LinePositions, count: u32) -> Vec<Option<u32>> {
        let of_line = |line| {
            let run = positions
                .runs
                .iter()
                .find(|run| (run.start..run.end()).contains(&line));
            run.map(|run| run.final_start + line - run.start)
        };
        (0..count).map(of_line).collect()
    }

    fn missing(positions: &LinePositions, lines: Range<u32>) -> String {
        let missing = positions.missing(lines).into_iter();
        let missing: Vec<String> = missing.map(|range| format!("{range:?}")).collect();
        missing.join(" ")
    }

    fn hunk(old: Range<u32>, new: Range<u32>) -> Hunk {
        Hunk { old, new }
    }

    #[test]
    fn lines_keep_their_places_through_hunks() {
        // The newer version has 6 lines: line 1 is new, lines 3 and 4 replaced one, and two lines
        // were deleted before the last.
        let hunks = [hunk(1..1, 1..2), hunk(2..3, 3..5), hunk(3..5, 5..5)];
        let newest = LinePositions::of_final_image(6);
        let older = newest.before(&hunks);
        assert_eq!(
            lines(&older, 6),
            [Some(0), Some(2), None, None, None, Some(5)]
        );
        assert_eq!(older.neighbours(3), (Some(2), Some(5)));
        assert_eq!(older.neighbours(0), (None, Some(0)));
        for (range, expected) in [
            (0..2, false),
            (0..3, true),
            (2..5, false),
            (2..6, true),
            (3..5, false),
        ] {
            assert_eq!(older.have_two_lines_of_one(&[1..1, range]), expected);
        }
        assert_eq!(older.neighbours(6), (Some(5), None));
        assert_eq!(missing(&older, 1..6), "2..5");
        assert_eq!(missing(&older, 0..2), "");
        // One step further back, the second line is gone, and a new first one came.
        let oldest = older.before(&[hunk(0..1, 0..0), hunk(2..2, 1..2)]);
        assert_eq!(
            lines(&oldest, 6),
            [None, Some(0), None, None, None, Some(5)]
        );
        assert_eq!(oldest.neighbours(1), (None, Some(0)));
    }

    #[test]
    fn nothing_is_left_of_a_rewritten_file() {
        let positions = LinePositions::of_final_image(3).before(&[hunk(0..9, 0..3)]);
        assert_eq!(positions, LinePositions::default());
        assert_eq!(positions.neighbours(4), (None, None));
        assert_eq!(missing(&positions, 2..4), "2..4");
    }
}
