//! Lines of the details pane, and of the header of a diff.

use std::ops::Range;

use crate::sanitize;

/// A line of the commit's pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetailLine {
    /// Safe text.
    pub text: String,
    /// What it is.
    pub kind: DetailKind,
    /// What in it leads elsewhere, by bytes of the text.
    pub links: Vec<(Range<usize>, Link)>,
}

/// Where something in a line of the commit's words leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// To a file of the commit, by its number in the list.
    File(usize),
    /// To what the commit's words refer to, by its number in them.
    Reference(usize),
}

impl DetailLine {
    /// A line without links.
    pub fn new(text: String, kind: DetailKind) -> Self {
        DetailLine {
            text,
            kind,
            links: Vec::new(),
        }
    }

    /// What leads elsewhere in a column of the screen; the text begins in the second one.
    pub fn link_at(&self, x: u16) -> Option<Link> {
        let mut glyphs = sanitize::Glyphs::new(self.text.as_bytes());
        let column = usize::from(x).checked_sub(1)?;
        let byte = glyphs
            .find(|glyph| (glyph.column..glyph.column + glyph.columns).contains(&column))?
            .start;
        let found = self.links.iter().find(|(range, _)| range.contains(&byte));
        found.map(|&(_, link)| link)
    }

    /// A fact, cut to so many columns.
    pub fn fact(text: &str, width: usize) -> Self {
        DetailLine::new(sanitize::clip(text.as_bytes(), width), DetailKind::Fact)
    }
}

/// What a line of the commit's pane is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetailKind {
    /// A fact: a label and what it is.
    Fact,
    /// The first paragraph of the message.
    Subject,
    /// The rest of the message.
    Body,
    /// A trailer: a name, a colon and what it is.
    Trailer,
}
