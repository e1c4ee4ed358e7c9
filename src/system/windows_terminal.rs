//! The modes of the terminal on Windows, whose console gives a program that ended its modes back.

/// The settings of a terminal that raw mode changes: nothing that outlives the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalModes(());

impl TerminalModes {
    /// None: there is nothing to restore.
    pub fn read() -> Option<TerminalModes> {
        None
    }

    /// No words.
    pub fn to_words(self) -> [String; 0] {
        []
    }

    /// None.
    pub fn from_words<'a>(_words: impl Iterator<Item = &'a str>) -> Option<TerminalModes> {
        None
    }

    /// Nothing.
    pub fn restore(self) {}
}
