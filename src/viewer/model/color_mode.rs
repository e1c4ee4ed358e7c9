//! Color modes: what the background color of a line stands for.

/// The meaning of the background color of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColorMode {
    /// Alternating shades of adjacent groups.
    #[default]
    Shades,
    /// The age of a line.
    Age,
    /// The author of a line.
    Author,
    /// The commit of a line.
    Commit,
    /// The request or the merge that brought the commit of a line.
    Request,
    /// The AI agent that is recorded to have written a line.
    Agent,
}

impl ColorMode {
    /// All modes with their names in the configuration, in the order in which the key cycles
    /// through them.
    pub const ALL: [(&'static str, ColorMode); 6] = [
        ("shades", ColorMode::Shades),
        ("age", ColorMode::Age),
        ("author", ColorMode::Author),
        ("commit", ColorMode::Commit),
        ("request", ColorMode::Request),
        ("agent", ColorMode::Agent),
    ];

    /// The mode after this one.
    pub fn next(self) -> Self {
        let at = ColorMode::ALL.iter().position(|(_, mode)| *mode == self);
        let next = at.map_or(0, |at| at + 1) % ColorMode::ALL.len();
        ColorMode::ALL[next].1
    }
}
