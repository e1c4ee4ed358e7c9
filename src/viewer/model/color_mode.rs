//! What the background colours of lines show.

/// What line backgrounds show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colouring {
    /// Alternating shades of adjacent groups.
    #[default]
    Shades,
    /// The age of a line.
    Age,
    /// The author of a line.
    Author,
    /// The commit of a line.
    Commit,
}

impl Colouring {
    /// All modes in the order in which the key goes through them, with their names in the
    /// configuration.
    pub const ALL: [(&'static str, Colouring); 4] = [
        ("shades", Colouring::Shades),
        ("age", Colouring::Age),
        ("author", Colouring::Author),
        ("commit", Colouring::Commit),
    ];

    /// The mode after this one.
    pub fn next(self) -> Self {
        let at = Colouring::ALL.iter().position(|(_, mode)| *mode == self);
        let next = at.map_or(0, |at| at + 1) % Colouring::ALL.len();
        Colouring::ALL[next].1
    }
}
