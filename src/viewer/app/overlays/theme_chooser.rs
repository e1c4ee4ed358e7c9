//! The theme chooser.

/// An open theme chooser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThemeChooser {
    /// The names of all themes.
    pub names: Vec<String>,
    /// The selected row (0-based). Its theme is previewed unless it is invalid.
    pub row: usize,
    /// The row of the theme to restore on cancel.
    pub(crate) before: usize,
    /// Why the selected theme is invalid.
    pub problem: Option<String>,
}
