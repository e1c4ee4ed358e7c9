//! Changes of settings, to be saved to the configuration file.

/// A new value for a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingChange {
    /// The tables around the key, from the outermost.
    pub tables: &'static [&'static str],
    /// The key.
    pub key: &'static str,
    /// The value, as TOML in one line.
    pub value: String,
}

impl SettingChange {
    /// The setting as `KEY = VALUE` with the full dotted key.
    pub fn description(&self) -> String {
        let path: Vec<&str> = self.tables.iter().copied().chain([self.key]).collect();
        format!("{} = {}", path.join("."), self.value)
    }
}

/// A string as a TOML value.
pub fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}
