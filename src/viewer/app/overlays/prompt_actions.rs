//! Typing into the prompt: editing, earlier inputs, and searching while the pattern is typed.

use crate::viewer::{
    app::{
        blame::search::{Direction, Search},
        overlays::{
            overlay::Overlay,
            prompt::{Prompt, PromptKind, Recalled, SearchOrigin},
        },
        state::App,
    },
    model::{
        encodings,
        key::{Key, KeyCode},
        names::first_name,
    },
    pages::page::{Handled, PageKind},
};

/// Maximum length of a prompt's input, in bytes.
const MAX_INPUT_LEN: usize = 1000;

impl App {
    /// Opens an empty prompt.
    pub(crate) fn open_prompt(&mut self, kind: PromptKind) {
        // Lists and the help are searched once the pattern is complete.
        let is_text = matches!(self.overlays.top_kind(), None | Some(PageKind::Diff));
        let origin = (kind.is_search() && is_text).then(|| self.search_origin());
        let origin = origin.flatten();
        self.overlays.push(Overlay::Prompt(Prompt {
            kind,
            text: String::new(),
            recalled: None,
            in_all_versions: false,
            origin,
            completion: None,
        }));
    }

    pub(crate) fn prompt_mut(&mut self) -> Option<&mut Prompt> {
        match self.overlays.top_mut() {
            Some(Overlay::Prompt(prompt)) => Some(prompt),
            _ => None,
        }
    }

    /// Handles a key while a prompt is open.
    pub(crate) fn prompt_key(&mut self, key: Key) {
        let is_tab = matches!(key.code, KeyCode::Tab | KeyCode::BackTab);
        if self.overlays.list().is_some() && !is_tab && self.typed_list_key(key) {
            return;
        }
        let Some(prompt) = self.prompt_mut().filter(|_| !key.alt) else {
            return;
        };
        if prompt.kind == PromptKind::Encoding && encodings::complete(key, &mut prompt.text) {
            return;
        }
        match (key.code, key.ctrl) {
            (KeyCode::Escape, _) | (KeyCode::Char('c'), true) => return self.cancel_prompt(),
            (KeyCode::Backspace, _) if prompt.text.is_empty() => return self.cancel_prompt(),
            (KeyCode::Enter, _) => return self.accept_prompt(),
            (KeyCode::Tab | KeyCode::BackTab, _) if prompt.kind == PromptKind::Goto => {
                return self.complete_place(key.code == KeyCode::Tab);
            }
            (KeyCode::Tab | KeyCode::BackTab, _) if prompt.kind.is_search() => {
                return self.switch_searched_versions();
            }
            (KeyCode::Up, _) | (KeyCode::Char('p'), true) => return self.recall_input(1),
            (KeyCode::Down, _) | (KeyCode::Char('n'), true) => return self.recall_input(-1),
            (KeyCode::Backspace, _) | (KeyCode::Char('h'), true) => {
                prompt.text.pop();
            }
            (KeyCode::Char('u'), true) => prompt.text.clear(),
            (KeyCode::Char('w'), true) => {
                let kept = prompt.text.trim_end().rfind(' ');
                prompt.text.truncate(kept.map_or(0, |space| space + 1));
            }
            (KeyCode::Char(c), false) if prompt.text.len() < MAX_INPUT_LEN => prompt.text.push(c),
            _ => return,
        }
        prompt.recalled = None;
        self.prompt_edited();
    }

    /// Adds pasted text to the prompt.
    pub(crate) fn paste_into_prompt(&mut self, text: &str) {
        let Some(prompt) = self.prompt_mut() else {
            return;
        };
        let free = MAX_INPUT_LEN.saturating_sub(prompt.text.len());
        let text = text.chars().filter(|c| !c.is_control());
        prompt.text.extend(text.take(free));
        prompt.recalled = None;
        self.prompt_edited();
    }

    fn prompt_edited(&mut self) {
        if let Some(prompt) = self.prompt_mut() {
            prompt.completion = None;
        }
        self.search_while_typing();
    }

    fn cancel_prompt(&mut self) {
        self.return_to_search_origin();
        self.overlays.pop();
    }

    pub(crate) fn accept_prompt(&mut self) {
        self.return_to_search_origin();
        let Some(Overlay::Prompt(prompt)) = self.overlays.pop() else {
            return;
        };
        let Prompt {
            kind,
            text,
            in_all_versions,
            ..
        } = prompt;
        self.prompt_history.add(kind, text.trim());
        if in_all_versions {
            return self.search_versions(&text);
        }
        let is_page = self.overlays.top().is_some_and(|top| top.page().is_some());
        if kind.is_search() && !is_page && self.overlays.list().is_some() {
            return self.search_list(&text, kind == PromptKind::Search);
        }
        match kind {
            PromptKind::Goto => self.goto_input(text.trim()),
            PromptKind::Encoding => self.choose_encoding(&text),
            PromptKind::Filter => self.type_filter(&text),
            PromptKind::Search => self.search_for(&text, Direction::Forward),
            PromptKind::SearchBackward => self.search_for(&text, Direction::Backward),
        }
    }

    /// Switches between the lines of this version and the commits that added or removed a text, where that is possible: on
    /// the blame.
    fn switch_searched_versions(&mut self) {
        if self.overlays.len() > 1 || self.view().is_none() {
            return;
        }
        if let Some(prompt) = self.prompt_mut() {
            prompt.in_all_versions = !prompt.in_all_versions;
        }
        self.search_while_typing();
    }

    /// Puts an earlier input into the prompt, or a later one for a negative step.
    fn recall_input(&mut self, step: isize) {
        let Some(Overlay::Prompt(prompt)) = self.overlays.top_mut() else {
            return;
        };
        match (&mut prompt.recalled, step > 0) {
            (None, false) => return,
            (None, true) => {
                let typed = prompt.text.clone();
                let inputs = self.prompt_history.beginning_with(prompt.kind, &typed);
                let Some(latest) = inputs.first() else {
                    return;
                };
                prompt.text.clone_from(latest);
                let at = 0;
                prompt.recalled = Some(Recalled { typed, inputs, at });
            }
            (Some(recalled), _) => match recalled.at.checked_add_signed(step) {
                Some(at) => {
                    recalled.at = at.min(recalled.inputs.len() - 1);
                    prompt.text.clone_from(&recalled.inputs[recalled.at]);
                }
                None => {
                    prompt.text.clone_from(&recalled.typed);
                    prompt.recalled = None;
                }
            },
        }
        self.prompt_edited();
    }

    fn search_origin(&self) -> Option<SearchOrigin> {
        if let Some(diff) = self.overlays.diff() {
            return Some(SearchOrigin {
                id: diff.job.id,
                position: diff.pager.position,
                search: diff.search.clone(),
            });
        }
        self.view().map(|view| SearchOrigin {
            id: view.id,
            position: view.pager.position,
            search: self.search.clone(),
        })
    }

    /// Returns to the position and the search from which the prompt was opened.
    fn return_to_search_origin(&mut self) {
        let origin = self
            .overlays
            .prompt()
            .and_then(|prompt| prompt.origin.clone());
        let Some(origin) = origin else { return };
        if let Some(diff) = self.overlays.diff_mut() {
            if diff.job.id == origin.id {
                diff.pager.position = origin.position;
                diff.search = origin.search;
            }
            return;
        }
        self.search = origin.search;
        match self.view_mut().filter(|view| view.id == origin.id) {
            Some(view) => view.pager.position = origin.position,
            // The prompt was opened above another view.
            None => self.search_again(),
        }
    }

    /// Searches what was typed so far from where the prompt was opened.
    fn search_while_typing(&mut self) {
        let Some(prompt) = self.overlays.prompt().filter(|it| it.kind.is_search()) else {
            return;
        };
        if prompt.origin.is_none() {
            return;
        }
        let direction = match prompt.kind {
            PromptKind::SearchBackward => Direction::Backward,
            _ => Direction::Forward,
        };
        let (pattern, in_all_versions) = (prompt.text.clone(), prompt.in_all_versions);
        self.return_to_search_origin();
        if pattern.is_empty() || in_all_versions {
            return;
        }
        if let Some(diff) = self.overlays.diff_mut() {
            let rows = u32::try_from(diff.rows().len()).unwrap_or(u32::MAX);
            diff.search.set(Search::new(&pattern, rows));
            diff.search.want_jump(direction);
            return self.advance_diff_search();
        }
        let lines = self.view().map_or(0, |view| view.text.line_count());
        self.search.set(Search::new(&pattern, lines));
        self.search.want_jump(direction);
        self.advance_search();
    }

    /// Searches the help, the diff or the blame.
    pub(crate) fn search_for(&mut self, pattern: &str, direction: Direction) {
        if self.offer_search(pattern, direction) == Handled::Yes {
            return;
        }
        match self.overlays.diff().is_some() {
            true => self.search_diff(pattern, direction),
            false => self.start_search(pattern, direction),
        }
    }

    /// Searches the first name in the selected line, or its commit's id if there is none.
    pub(crate) fn search_word(&mut self, direction: Direction) {
        let found = match (self.overlays.diff(), self.view()) {
            (Some(diff), _) => diff
                .selected()
                .and_then(|row| first_name(diff.line(row), &[])),
            (None, Some(view)) => {
                let line = view.pager.position.line;
                let name = first_name(view.text.line(line), view.highlights.line(line));
                let id = view.selected().map(|facts| facts.commit.id);
                let id = id.filter(|id| !id.is_null()).map(|id| id.to_string());
                name.or(id)
            }
            (None, None) => None,
        };
        let Some(pattern) = found else {
            return self.show_message("this line has no name to search for");
        };
        self.prompt_history.add(PromptKind::Search, &pattern);
        self.search_for(&pattern, direction);
    }
}
