//! What lists show, where they stand, and what keys and the mouse do in them.

use crate::viewer::{
    app::{
        blame::{
            search::Search,
            search_actions::{NO_PATTERN, TOO_LARGE_PATTERN},
        },
        display::layout::Area,
        file_history::file_history_page::VersionRows,
        overlays::{finder_actions::MIN_PREVIEW_WIDTH, overlay::Overlay, prompt::PromptKind},
        state::App,
    },
    model::{
        bindings::Action,
        key::{Key, KeyCode},
    },
    pages::list::{ItemList, Items, ListShape, typed_list_action},
    protocol::{Gesture, Mouse},
};

/// Most rows of the completions.
const MAX_COMPLETION_ROWS: u16 = 8;

impl App {
    /// Calls a function with what the list of an overlay shows; `None` if it has none.
    pub fn with_items<R>(
        &self,
        overlay: &Overlay<App>,
        f: impl FnOnce(&dyn Items) -> R,
    ) -> Option<R> {
        Some(match overlay {
            Overlay::LineHistory(page) => f(page.as_ref()),
            Overlay::FileHistory(page) => {
                let known = self.history.versions.as_ref()?;
                let visible = self.view().and_then(|view| known.position_of_view(view));
                f(&VersionRows {
                    page,
                    known,
                    visible,
                })
            }
            Overlay::Finder(finder) => f(finder.as_ref()),
            Overlay::Prompt(prompt) => f(prompt.completion.as_deref()?),
            Overlay::Page(layer) => return layer.page()?.items(self, f),
            _ => return None,
        })
    }

    /// Where the list of an overlay stands.
    fn list_shape(&self, overlay: &Overlay<App>, items: &dyn Items) -> ListShape {
        let body = self.layout().body();
        let rows = u16::try_from(items.count()).unwrap_or(u16::MAX).max(1);
        let rows = rows.saturating_add(items.title().is_some().into());
        let area = match overlay {
            Overlay::LineHistory(_) => self.line_history_layout().list,
            Overlay::Finder(_) if body.width >= MIN_PREVIEW_WIDTH => Area {
                width: body.width * 2 / 5,
                ..body
            },
            Overlay::Prompt(_) => {
                let height = body.height.min(rows).min(MAX_COMPLETION_ROWS);
                Area {
                    y: body.y + body.height - height,
                    height,
                    ..body
                }
            }
            _ => body,
        };
        ListShape::new(area, false, items)
    }

    /// Gives the lists their places on the screen, and the number of their items.
    pub(crate) fn fit_lists(&mut self) {
        for at in 0..self.overlays.len() {
            let overlay = self.overlays.get(at).filter(|it| it.page().is_none());
            let shape = overlay.and_then(|overlay| {
                self.with_items(overlay, |items| self.list_shape(overlay, items))
            });
            let list = self.overlays.get_mut(at).and_then(Overlay::list_mut);
            if let (Some(shape), Some(list)) = (shape, list) {
                list.fit(shape);
            }
        }
    }

    /// Handles a key that the list on top has for itself. False if it is as bound.
    pub(crate) fn list_key(&mut self, key: Key) -> bool {
        if self.overlays.list().is_none() || key.ctrl || key.alt {
            return false;
        }
        let is_handled = match (self.overlays.top(), key.code) {
            // As a rule it is bound to this.
            (_, KeyCode::Enter) if self.keymap.action(key) != Some(Action::Diff) => {
                self.open_item();
                true
            }
            _ => false,
        };
        if is_handled {
            self.status.count = None;
            self.status.prefix.clear();
        }
        is_handled
    }

    /// Handles a key for a list below a typed input. False if it is for the input.
    pub(crate) fn typed_list_key(&mut self, key: Key) -> bool {
        let Some(action) = typed_list_action(key) else {
            return false;
        };
        match action {
            Action::Help => self.open_help(),
            _ => {
                self.change_list(|list| list.perform(action, None));
            }
        }
        true
    }

    /// Performs an action that the list on top has for itself. False for others.
    pub(crate) fn own_list_action(&mut self, action: Action, times: u32) -> bool {
        match (self.overlays.top(), action) {
            (Some(Overlay::LineHistory(_)), _) => self.line_history_action(action, times),
            (Some(Overlay::FileHistory(_)), _) => self.file_history_action(action),
            _ => false,
        }
    }

    /// Performs an action on the list of an overlay. False if it is for the overlays below.
    pub(crate) fn list_action(&mut self, action: Action, count: Option<u32>) -> bool {
        let motion = match (self.overlays.top(), action) {
            (Some(Overlay::FileHistory(_)), Action::OlderVersion) => Action::Down,
            (Some(Overlay::FileHistory(_)), Action::NewerVersion) => Action::Up,
            (_, action) => action,
        };
        if self.change_list(|list| list.perform(motion, count)) {
            return true;
        }
        match action {
            Action::Search => self.open_prompt(PromptKind::Search),
            Action::SearchBackward => self.open_prompt(PromptKind::SearchBackward),
            Action::NextMatch | Action::PreviousMatch => {
                let is_backward = self.overlays.list().is_some_and(|list| list.backward);
                let forward = (action == Action::NextMatch) != is_backward;
                self.next_in_list(forward, count.unwrap_or(1));
            }
            Action::Diff => self.open_item(),
            Action::Help => self.open_help(),
            Action::Redraw | Action::Reload | Action::Suspend | Action::Print | Action::Theme => {
                return false;
            }
            _ => self.nothing_here(),
        }
        true
    }

    /// Handles a mouse event over the list of an overlay.
    pub(crate) fn list_mouse(&mut self, mouse: Mouse) {
        if mouse.gesture == Gesture::Press {
            self.clear_message();
        }
        if self.change_list(|list| list.mouse(mouse)) {
            self.open_item();
        }
    }

    /// Changes the list on top, and lets its page follow the selection. Returns what the change returns.
    fn change_list(&mut self, change: impl FnOnce(&mut ItemList) -> bool) -> bool {
        let Some(overlay) = self.overlays.with_list_mut() else {
            return false;
        };
        let Some(list) = overlay.list_mut() else {
            return false;
        };
        let before = list.selected;
        let is_changed = change(list);
        let is_moved = list.selected != before;
        match overlay {
            Overlay::LineHistory(page) if is_moved => page.scroll = 0,
            Overlay::Prompt(prompt) if is_moved => prompt.take_completion(),
            _ => {}
        }
        is_changed
    }

    /// What Enter and a double click do.
    fn open_item(&mut self) {
        match self.overlays.top() {
            Some(Overlay::LineHistory(_)) => self.blame_at_change(),
            Some(Overlay::FileHistory(_)) => self.go_to_selected_revision(),
            Some(Overlay::Finder(_)) => self.open_found(),
            Some(Overlay::Prompt(_)) => self.accept_prompt(),
            _ => {}
        }
    }

    /// Searches the list on top; without a pattern, repeats the last search.
    pub(crate) fn search_list(&mut self, pattern: &str, forward: bool) {
        let list = self.overlays.with_list_mut().and_then(Overlay::list_mut);
        if let Some(list) = list {
            list.backward = !forward;
            if !pattern.is_empty() {
                match Search::new(pattern, 0) {
                    Some(search) => list.search = Some(search),
                    None => return self.show_message(TOO_LARGE_PATTERN),
                }
            }
        }
        self.next_in_list(forward, 1);
    }

    /// Selects the next match, or the previous one.
    fn next_in_list(&mut self, forward: bool, times: u32) {
        let (Some(overlay), Some(list)) = (self.overlays.top(), self.overlays.list()) else {
            return;
        };
        let Some(search) = &list.search else {
            return self.show_filled(NO_PATTERN);
        };
        let times = times as usize;
        let found = self.with_items(overlay, |items| list.nth_match(items, forward, times));
        let Some((at, around)) = found.flatten() else {
            return self.show_message(format!("nothing matches “{}”", search.pattern()));
        };
        self.change_list(|list| {
            list.select(at);
            true
        });
        if around {
            self.show_message("the search wrapped around");
        }
    }
}
