//! The chooser of themes.

/// The list of themes, while it is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThemeChooser {
    /// The themes that there are.
    pub names: Vec<String>,
    /// The one that is selected and, unless there is a problem with it, on the screen.
    pub row: usize,
    /// The one to return to.
    pub(crate) before: usize,
    /// Why the selected one cannot be shown.
    pub problem: Option<String>,
}
