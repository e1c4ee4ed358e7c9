//! Rows of lists that people read: cells with colors, on a terminal within its width.

use std::collections::BTreeMap;

use crate::{
    output::{
        buffer::OutputBuffer,
        color::{AgeColors, QUIET, push_colored},
        people::year_bars::YearBars,
    },
    sanitize,
};

/// Fewest columns of a terminal on which the columns of lists are as wide as in a pipe.
const MIN_WIDE: usize = 120;

/// How a list is shown.
#[derive(Debug, Clone, Default)]
pub struct ListStyle {
    /// The columns of the terminal, if that is where it goes. Then a head names the columns, and rows are cut to fit.
    pub terminal: Option<usize>,
    /// The colors of ages; without them there are no colors at all.
    pub ages: Option<AgeColors>,
}

impl ListStyle {
    /// True for a terminal that has not the columns of a pipe.
    pub(super) fn is_narrow(&self) -> bool {
        self.terminal.is_some_and(|columns| columns < MIN_WIDE)
    }

    /// The sequence for the color of an age, in seconds since the epoch; empty for none.
    pub(super) fn of_age(&self, time: u64) -> &[u8] {
        self.ages.as_ref().map_or(&[], |ages| ages.color(time))
    }

    /// A color, or none.
    pub(super) fn color(&self, color: &'static [u8]) -> &'static [u8] {
        match self.ages {
            Some(_) => color,
            None => &[],
        }
    }

    /// The bars of a row, as wide as their head on a terminal.
    pub(super) fn bars(&self, years: YearBars, lines: &BTreeMap<i32, u32>) -> String {
        let bars = years.bars(lines);
        match self.terminal {
            Some(_) => format!("{bars:0$}", years.width()),
            None => bars,
        }
    }

    /// The head of the bars.
    pub(super) fn head_of_bars(years: YearBars) -> String {
        format!("{:1$}", years.title(), years.width())
    }

    /// Writes the head of a list on a terminal.
    pub(super) fn push_head(&self, out: &mut OutputBuffer<'_>, head: String) {
        if self.terminal.is_some() {
            let mut row = FittedRow::default();
            row.add(head, self.color(QUIET));
            row.push(out, self);
        }
    }
}

/// A row, as far as it is made.
#[derive(Debug, Default)]
pub(super) struct FittedRow<'s> {
    /// Texts with the sequences of their colors.
    cells: Vec<(Vec<u8>, &'s [u8])>,
}

impl<'s> FittedRow<'s> {
    /// Adds a text with the sequence for its color, empty for none.
    pub(super) fn add(&mut self, text: impl Into<Vec<u8>>, color: &'s [u8]) {
        self.cells.push((text.into(), color));
    }

    /// Names above the cells, the first one above the first cell; each cell ends with a blank.
    pub(super) fn heads(&self, names: &[&str]) -> String {
        let named = self.cells.iter().zip(names);
        let heads = named.map(|((text, _), name)| {
            let width = sanitize::width(text).saturating_sub(1);
            cell(name.as_bytes(), width) + " "
        });
        heads.collect()
    }

    /// Writes it: as it is, or on a terminal cut with an ellipsis.
    pub(super) fn push(&self, out: &mut OutputBuffer<'_>, style: &ListStyle) {
        match style.terminal {
            Some(columns) => self.push_fitted(out, columns),
            None => {
                let cells = self.cells.iter();
                cells.for_each(|(text, color)| push_colored(out, color, text));
            }
        }
        out.byte(b'\n');
    }

    fn push_fitted(&self, out: &mut OutputBuffer<'_>, columns: usize) {
        let widths: Vec<usize> = self
            .cells
            .iter()
            .map(|(text, _)| sanitize::width(text))
            .collect();
        let is_whole = widths.iter().sum::<usize>() <= columns;
        let mut room = columns;
        for ((text, color), width) in self.cells.iter().zip(widths) {
            if !is_whole && width >= room {
                let more = [text.as_slice(), "…".as_bytes()].concat();
                return push_colored(out, color, sanitize::clip(&more, room).as_bytes());
            }
            room -= width;
            push_colored(out, color, sanitize::line(text).as_bytes());
        }
    }
}

/// A text in a column: clipped, and filled with blanks.
pub(super) fn cell(text: &[u8], columns: usize) -> String {
    let mut shown = if sanitize::width(text) > columns {
        sanitize::clip(text, columns)
    } else {
        sanitize::line(text)
    };
    let width = sanitize::width(shown.as_bytes());
    shown.push_str(&" ".repeat(columns.saturating_sub(width)));
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(cells: &[&str], terminal: Option<usize>) -> String {
        let mut row = FittedRow::default();
        for text in cells {
            row.add(*text, b"");
        }
        let style = ListStyle {
            terminal,
            ages: None,
        };
        let mut bytes = Vec::new();
        let mut out = OutputBuffer::new(&mut bytes);
        row.push(&mut out, &style);
        out.flush().expect("memory takes everything");
        drop(out);
        String::from_utf8(bytes).expect("text in UTF-8")
    }

    #[test]
    fn rows_fit_terminals() {
        let cells = ["abc", " ", "日本", "\u{1b}x"];
        assert_eq!(shown(&cells, None), "abc 日本\u{1b}x\n");
        assert_eq!(shown(&cells, Some(11)), "abc 日本^[x\n");
        for (columns, expected) in [
            (10, "abc 日本…"),
            (9, "abc 日本…"),
            (8, "abc 日…"),
            (7, "abc 日…"),
            (4, "abc…"),
            (3, "ab…"),
            (1, "…"),
        ] {
            let shown = shown(&cells, Some(columns));
            assert!(sanitize::width(shown.trim_end().as_bytes()) <= columns);
            assert_eq!(shown.trim_end(), expected, "{columns}");
        }
    }
}
