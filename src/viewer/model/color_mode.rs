//! What the background colours of lines show.

/// What the grounds of the lines tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colouring {
    /// Where groups begin and end.
    #[default]
    Shades,
    /// How old a line is.
    Age,
    /// Who wrote it.
    Author,
    /// Which commit it is from.
    Commit,
}
