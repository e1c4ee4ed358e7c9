//! Settings that can be saved to the configuration file.

use std::path::PathBuf;

use crate::viewer::{config::setting_change::SettingChange, model::columns::Columns};

/// The values in the configuration file of the settings that the viewer can save.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedSettings {
    /// The path of the file; `None` if no configuration directory is known.
    pub file: Option<PathBuf>,
    /// The theme's name, as a TOML value.
    pub theme: String,
    /// The columns.
    pub columns: Columns,
}

/// The key of the theme in the configuration file.
pub(crate) const THEME: &str = "theme";

/// An offer to save settings, with its question in the status line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaveOffer {
    pub(crate) changes: Vec<SettingChange>,
}
