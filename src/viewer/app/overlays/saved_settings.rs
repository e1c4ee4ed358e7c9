//! Settings that can be saved to the configuration file.

use std::path::PathBuf;

use crate::viewer::{config::setting_change::SettingChange, model::columns::Columns};

/// What the configuration file says, as far as it can be changed from here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedSettings {
    /// The file; none if there is no place for one.
    pub file: Option<PathBuf>,
    /// The theme's name, as it is written there.
    pub theme: String,
    /// The columns.
    pub columns: Columns,
}

/// What could be written to the configuration file, and the question whether it is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaveOffer {
    pub(crate) changes: Vec<SettingChange>,
    pub(crate) question: String,
}
