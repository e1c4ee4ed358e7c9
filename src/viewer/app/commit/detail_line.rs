//! Lines of the details pane, and of the header of a diff.

use std::ops::Range;

use crate::sanitize;

/// A line of the details pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetailLine {
    /// Sanitized text.
    pub text: String,
    /// Its kind.
    pub kind: DetailKind,
    /// Links by byte range of the text.
    pub links: Vec<(Range<usize>, Link)>,
}

/// The target of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// A file of the commit, by its index in the list.
    File(usize),
    /// A reference in the commit message, by index.
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

    /// The link at a column of the screen; the text starts in the second column.
    pub fn link_at(&self, x: u16) -> Option<Link> {
        let mut glyphs = sanitize::Glyphs::new(self.text.as_bytes());
        let column = usize::from(x).checked_sub(1)?;
        let byte = glyphs
            .find(|glyph| (glyph.column..glyph.column + glyph.columns).contains(&column))?
            .start;
        let found = self.links.iter().find(|(range, _)| range.contains(&byte));
        found.map(|&(_, link)| link)
    }

    /// A labelled fact, clipped to a width in columns.
    pub fn fact(text: &str, width: usize) -> Self {
        DetailLine::new(sanitize::clip(text.as_bytes(), width), DetailKind::Fact)
    }
}

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetailKind {
    /// A label with a value.
    Fact,
    /// The first paragraph of the message, and the file that is shown.
    Summary,
    /// What brought the commit, and the like.
    Provenance,
    /// The rest of the message.
    Body,
    /// A trailer: a name, a colon and a value.
    Trailer,
}
