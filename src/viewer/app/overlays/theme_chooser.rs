//! The theme chooser.

use crate::{
    sanitize,
    viewer::{
        pages::list::{ItemList, Items, KeyHelp, ListRow},
        theme::roles::Foreground,
    },
};

/// The keys of the chooser.
const KEYS: &[KeyHelp] = &[
    ("Enter", "keep"),
    ("{close}  {theme}", "return: to the theme before"),
    ("{help}", "keys"),
];

/// An open theme chooser.
#[derive(Debug, Clone)]
pub struct ThemeChooser {
    /// The names of all themes.
    pub names: Vec<String>,
    /// The list. The selected theme is previewed unless it is invalid.
    pub list: ItemList,
    /// The row of the theme to restore on cancel.
    pub(crate) before: usize,
    /// Why the selected theme is invalid.
    pub problem: Option<String>,
}

impl Items for ThemeChooser {
    fn count(&self) -> usize {
        self.names.len()
    }

    fn rows(&self, at: usize, _width: usize) -> Vec<ListRow> {
        let name = self.names.get(at).map_or("", String::as_str);
        let is_invalid = at == self.list.selected && self.problem.is_some();
        let row = ListRow::new(" ").put(sanitize::line(name.as_bytes()), Foreground::Text);
        vec![row.right(if is_invalid { "invalid " } else { "" })]
    }

    fn title(&self) -> Option<String> {
        Some(" Theme".to_owned())
    }

    fn help(&self) -> (&'static str, &'static [KeyHelp]) {
        ("Theme", KEYS)
    }
}
