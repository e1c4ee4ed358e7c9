//! The width of tabs.

use crate::{
    sanitize,
    text::thousands::counted,
    viewer::{app::state::App, config::settings::MAX_TAB_WIDTH},
};

/// The width where nothing sets another one.
const DEFAULT: u8 = 8;

impl App {
    /// Wraps long lines or cuts them; with a number before the key, sets the width of tabs.
    pub(crate) fn wrap_or_set_tabs(&mut self, count: Option<u32>) {
        let Some(count) = count else {
            return self.toggle_wrap();
        };
        let width = u8::try_from(count).ok();
        match width.filter(|width| (1..=MAX_TAB_WIDTH).contains(width)) {
            Some(width) => {
                self.display.tab_width = Some(width);
                let columns = counted(width, "column");
                self.show_message(format!("tabs are {columns} wide"));
            }
            None => self.show_message(format!("tabs can be 1 to {MAX_TAB_WIDTH} columns wide")),
        }
    }

    /// Shows tabs as wide as the visible file wants them, or as is chosen for all.
    pub(crate) fn apply_tab_width(&mut self) {
        let own = || self.view().and_then(|view| view.declared_tab_width);
        let width = self.display.tab_width.or_else(own).unwrap_or(DEFAULT);
        if sanitize::tab_width() == usize::from(width) {
            return;
        }
        sanitize::set_tab_width(width.into());
        for view in &mut self.history.views {
            view.pager.clear_caches();
        }
        for diff in self.pages.all_diffs_mut() {
            diff.pager.clear_caches();
        }
    }
}
