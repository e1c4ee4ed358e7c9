//! The meanings of the background of a line and the foreground of a text; the theme has a color for
//! each.

use std::fmt;

use crate::viewer::{
    model::{attribution::Shade, color_mode::HUE_COUNT, texts::syntax::SyntaxClass},
    theme::tint,
};

/// A meaning of the background of a line.
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

/// A line of a diff: added or removed.
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

/// A meaning of the foreground of some text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreground {
    /// Source code of a syntax class.
    Code(SyntaxClass),
    /// Normal text, such as ids and names.
    Text,
    /// Less important text: line numbers, summaries, rules.
    Faint,
    /// The name of an author.
    Author,
    /// A date.
    Date,
    /// The id of a commit, the least important.
    Id,
    /// Marks of the selected commit, and placeholders for unprintable characters.
    Mark,
    /// The sign and the line number of an added line in a diff.
    Added,
    /// The sign and the line number of a removed line in a diff.
    Removed,
    /// Text in the color of an age, as a step of [`tint::age_step`], where backgrounds cannot show
    /// it.
    Age(u8),
    /// Text in the hue of an author or a commit, where backgrounds cannot show it.
    Hue(u8),
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
            all.extend((0..HUE_COUNT as u8).map(|hue| LineBackground::Hue(hue, shade)));
        }
        all
    }

    /// Index below [`CHECKED_BACKGROUNDS`] of a background on which text without enough contrast is
    /// drawn as normal text: those of diffs, of the selected commit and of the selected line.
    pub(super) fn checked_index(self) -> Option<usize> {
        match self {
            LineBackground::Diff(side, part) => Some(2 * side as usize + part as usize),
            LineBackground::SelectedCommit => Some(CHECKED_BACKGROUNDS - 2),
            LineBackground::SelectedLine => Some(CHECKED_BACKGROUNDS - 1),
            _ => None,
        }
    }
}

/// Number of backgrounds with an index.
pub(super) const CHECKED_BACKGROUNDS: usize = 6;

/// Number of foregrounds that are neither code, nor ages, nor hues.
const OTHERS: usize = 8;

/// Number of foregrounds.
pub(super) const FOREGROUNDS: usize = SyntaxClass::ALL.len() + OTHERS + tint::AGE_STEPS + HUE_COUNT;

impl Foreground {
    /// Index below [`FOREGROUNDS`].
    pub(super) fn index(self) -> usize {
        match self {
            Foreground::Code(class) => class as usize,
            Foreground::Text => SyntaxClass::ALL.len(),
            Foreground::Faint => SyntaxClass::ALL.len() + 1,
            Foreground::Mark => SyntaxClass::ALL.len() + 2,
            Foreground::Added => SyntaxClass::ALL.len() + 3,
            Foreground::Removed => SyntaxClass::ALL.len() + 4,
            Foreground::Author => SyntaxClass::ALL.len() + 5,
            Foreground::Date => SyntaxClass::ALL.len() + 6,
            Foreground::Id => SyntaxClass::ALL.len() + 7,
            Foreground::Age(step) => {
                SyntaxClass::ALL.len() + OTHERS + usize::from(step).min(tint::AGE_STEPS - 1)
            }
            Foreground::Hue(hue) => {
                let first = SyntaxClass::ALL.len() + OTHERS + tint::AGE_STEPS;
                first + usize::from(hue) % HUE_COUNT
            }
        }
    }

    /// Every foreground.
    pub(super) fn all() -> impl Iterator<Item = Foreground> {
        let code = SyntaxClass::ALL.into_iter().map(Foreground::Code);
        code.chain([
            Foreground::Text,
            Foreground::Faint,
            Foreground::Mark,
            Foreground::Added,
            Foreground::Removed,
            Foreground::Author,
            Foreground::Date,
            Foreground::Id,
        ])
        .chain((0..tint::AGE_STEPS as u8).map(Foreground::Age))
        .chain((0..HUE_COUNT as u8).map(Foreground::Hue))
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
            Foreground::Author => f.write_str("text.author"),
            Foreground::Date => f.write_str("text.date"),
            Foreground::Id => f.write_str("text.id"),
            Foreground::Mark => f.write_str("text.mark"),
            Foreground::Added => f.write_str("text.added"),
            Foreground::Removed => f.write_str("text.removed"),
            Foreground::Age(_) => f.write_str("tint.ages-256"),
            Foreground::Hue(_) => f.write_str("tint.hues-256"),
        }
    }
}
