//! What the background of a line and the foreground of a text mean; the theme has a colour for each.

use std::fmt;

use crate::viewer::{
    model::{attribution::Shade, syntax::SyntaxClass},
    theme::tint,
};

/// What the background of a line shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineBackground {
    /// The terminal's background: the line has no attribution yet.
    Plain,
    /// The shade that sets its group of lines apart from its neighbours.
    Shade(Shade),
    /// The age of its group as a step of [`tint::age_step`], and its shade.
    Age(u8, Shade),
    /// The hue of its group (taken modulo the number of hues), and its shade.
    Hue(u8, Shade),
    /// A line of a diff.
    Diff(DiffSide, DiffPart),
    /// A line of the selected commit.
    SelectedCommit,
    /// The selected line.
    SelectedLine,
}

/// Whether a line of a diff is added or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffSide {
    /// An added line.
    Added,
    /// A removed line.
    Removed,
}

/// A part of an added or removed line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffPart {
    /// Text that it shares with its counterpart, or the whole line if it has none.
    Common,
    /// The words that differ from the counterpart.
    Words,
}

/// What the foreground of some text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreground {
    /// Source code of a syntax class.
    Code(SyntaxClass),
    /// Normal text, such as ids and names.
    Text,
    /// Less important text: dates, line numbers, rules.
    Faint,
    /// Marks of the selected commit, and placeholders for unprintable characters.
    Mark,
}

impl LineBackground {
    /// Every background, for measuring contrast.
    pub(super) fn all() -> Vec<LineBackground> {
        let mut all = vec![
            LineBackground::Plain,
            LineBackground::SelectedCommit,
            LineBackground::SelectedLine,
        ];
        for side in [DiffSide::Added, DiffSide::Removed] {
            all.extend(
                [DiffPart::Common, DiffPart::Words].map(|part| LineBackground::Diff(side, part)),
            );
        }
        for shade in Shade::all() {
            all.push(LineBackground::Shade(shade));
            all.extend((0..tint::AGE_STEPS as u8).map(|step| LineBackground::Age(step, shade)));
            all.extend((0..tint::HUE_COUNT as u8).map(|hue| LineBackground::Hue(hue, shade)));
        }
        all
    }

    /// Index of a diff background, 0 to 3.
    pub(super) fn index(self) -> Option<usize> {
        match self {
            LineBackground::Diff(side, part) => Some(2 * side as usize + part as usize),
            _ => None,
        }
    }
}

/// Number of foregrounds.
pub(super) const FOREGROUNDS: usize = SyntaxClass::ALL.len() + 3;

impl Foreground {
    /// Index below [`FOREGROUNDS`].
    pub(super) fn index(self) -> usize {
        match self {
            Foreground::Code(class) => class as usize,
            Foreground::Text => FOREGROUNDS - 3,
            Foreground::Faint => FOREGROUNDS - 2,
            Foreground::Mark => FOREGROUNDS - 1,
        }
    }

    /// Every foreground.
    pub(super) fn all() -> impl Iterator<Item = Foreground> {
        let code = SyntaxClass::ALL.into_iter().map(Foreground::Code);
        code.chain([Foreground::Text, Foreground::Faint, Foreground::Mark])
    }
}

impl fmt::Display for LineBackground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LineBackground::Plain => "terminal-background",
            LineBackground::Shade(_) => "background.shades",
            LineBackground::Age(..) | LineBackground::Hue(..) => "tint",
            LineBackground::Diff(DiffSide::Added, DiffPart::Common) => "pair.added",
            LineBackground::Diff(DiffSide::Added, DiffPart::Words) => "pair.added-words",
            LineBackground::Diff(DiffSide::Removed, DiffPart::Common) => "pair.removed",
            LineBackground::Diff(DiffSide::Removed, DiffPart::Words) => "pair.removed-words",
            LineBackground::SelectedCommit => "background.selected-commit",
            LineBackground::SelectedLine => "background.selected-line",
        })
    }
}

impl fmt::Display for Foreground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Foreground::Text => f.write_str("text.plain"),
            Foreground::Code(SyntaxClass::Heading) => f.write_str("text.function"),
            Foreground::Code(class) => write!(f, "text.{}", format!("{class:?}").to_lowercase()),
            Foreground::Faint => f.write_str("text.faint"),
            Foreground::Mark => f.write_str("text.mark"),
        }
    }
}
