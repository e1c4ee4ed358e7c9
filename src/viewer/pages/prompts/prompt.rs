//! The prompt in the status line: editing, earlier inputs, completions, and searching while the
//! pattern is typed.

use bstr::{BString, ByteSlice};

use crate::{
    sanitize,
    viewer::{
        app::{
            blame::search::{ActiveSearch, Direction, Search},
            display::{layout::Area, pager::Position},
            prompt_history::PromptKind,
            state::App,
        },
        model::{
            background::{queries::CompletionQuery, queries::PageAnswer},
            keys::key::{Key, KeyCode},
            source::Failure,
            texts::{
                encodings,
                names::{common_start, first_name},
                pattern::PATTERN_WORDS,
            },
        },
        pages::{
            dispatch,
            list::{ItemList, KeyHelp, ListRow, match_words},
            page::{Handled, ListPlace, Page, PageKind},
            prompts::words::words_of,
        },
        protocol::{Gesture, Mouse},
        theme::roles::Foreground,
        ui::{footer::Footer, header::thousands, status::search_words},
    },
};

/// Maximum length of the input, in bytes.
const MAX_INPUT_LEN: usize = 1000;

/// Most rows of the completions.
const MAX_COMPLETION_ROWS: u16 = 8;

/// The keys of the completions.
const COMPLETION_KEYS: &[KeyHelp] = &[
    ("Tab  BackTab", "next and previous one, around the ends"),
    ("Enter", "go there"),
    ("Esc", "leave the prompt"),
];

/// An open prompt.
#[derive(Debug)]
struct Prompt {
    /// The kind of input that it asks for.
    kind: PromptKind,
    /// The input so far.
    text: String,
    /// The earlier inputs that are offered, and the index of the one in `text`.
    recalled: Option<Recalled>,
    /// For a search: whether it is for the commits that added or removed the text, not for lines of
    /// this version.
    in_all_versions: bool,
    /// For a search of the blame or a diff: where it was started.
    origin: Option<SearchOrigin>,
    /// For a search of a list or of the help: how often what was typed matches, if that is counted.
    matches: Option<(usize, Search)>,
    /// The number of the query for completions, and the input that they are for.
    asked: Option<(u64, BString)>,
    /// The completions of the input, if any were asked for.
    completion: Option<Completion>,
}

/// Earlier inputs that begin with what was typed.
#[derive(Debug)]
struct Recalled {
    /// The input as typed.
    typed: String,
    /// The inputs, the latest first.
    inputs: Vec<String>,
    /// The index of the one in the prompt.
    at: usize,
}

/// Where a search was started, to return there.
#[derive(Debug, Clone)]
struct SearchOrigin {
    /// The number of the view or diff.
    id: u64,
    position: Position,
    search: ActiveSearch,
}

/// Completions of the input.
#[derive(Debug)]
struct Completion {
    /// The input as typed, unless that is a name, and then the names that begin with it.
    candidates: Vec<String>,
    /// The number of the names.
    names: usize,
    /// The list of candidates. The selected one is in the prompt.
    list: ItemList,
}

impl Page<App> for Prompt {
    fn kind(&self) -> PageKind {
        match self.kind {
            PromptKind::Search => PageKind::SearchPrompt,
            _ => PageKind::Prompt,
        }
    }

    fn key(&mut self, key: Key, app: &mut App) -> Handled {
        let is_tab = matches!(key.code, KeyCode::Tab | KeyCode::BackTab);
        let is_for_list = self.completion.is_some() && !is_tab;
        if is_for_list && dispatch::typed_key(self, key, app) == Handled::Yes {
            return Handled::Yes;
        }
        if !key.alt {
            self.typed(key, app);
        }
        Handled::Yes
    }

    fn mouse(&mut self, mouse: Mouse, app: &mut App) -> Handled {
        match mouse.gesture {
            Gesture::Press if self.completion.is_none() => {
                app.clear_message();
                Handled::Yes
            }
            _ => Handled::Pass,
        }
    }

    fn paste(&mut self, text: &str, app: &mut App) {
        let free = MAX_INPUT_LEN.saturating_sub(self.text.len());
        let text = text.chars().filter(|c| !c.is_control());
        self.text.extend(text.take(free));
        self.recalled = None;
        self.edited(app);
    }

    fn awaits(&self, id: u64) -> bool {
        self.asked.as_ref().is_some_and(|(asked, _)| *asked == id)
    }

    fn on_answer(&mut self, answer: PageAnswer, _: &mut App) {
        if let PageAnswer::Completions(answer) = answer {
            self.on_completions(answer.end());
        }
    }

    fn list(&self) -> Option<&ItemList> {
        self.completion.as_ref().map(|it| &it.list)
    }

    fn list_mut(&mut self) -> Option<&mut ItemList> {
        self.completion.as_mut().map(|it| &mut it.list)
    }

    fn count(&self, _: &App) -> usize {
        let completion = self.completion.as_ref();
        completion.map_or(0, |it| it.candidates.len())
    }

    fn rows(&self, at: usize, _: usize, _: &App) -> Vec<ListRow> {
        let completion = self.completion.as_ref();
        let name = completion.and_then(|it| it.candidates.get(at));
        let name = sanitize::line(name.map_or("", String::as_str).as_bytes());
        vec![ListRow::new(" ").put(name, Foreground::Text)]
    }

    fn title(&self, _: &App) -> Option<String> {
        let completion = self.completion.as_ref()?;
        let count = thousands(completion.names);
        // What was typed is no completion.
        let typed = completion.candidates.len() - completion.names;
        Some(match (completion.list.selected + 1).checked_sub(typed) {
            _ if completion.names == 0 => " Completions".to_owned(),
            None | Some(0) => format!(" Completions: {count}"),
            Some(number) => format!(" Completions: {} of {count}", thousands(number)),
        })
    }

    fn ending(&self, app: &App) -> String {
        match self.count(app) {
            0 => "nothing begins with this".to_owned(),
            _ => String::new(),
        }
    }

    fn is_typed(&self) -> bool {
        true
    }

    fn help(&self) -> Option<(&'static str, &'static [KeyHelp])> {
        let completion = self.completion.as_ref();
        completion.map(|_| ("Completions", COMPLETION_KEYS))
    }

    fn list_place(&self, _: Area) -> ListPlace {
        ListPlace::Foot(MAX_COMPLETION_ROWS)
    }

    /// Does what the input says.
    fn open_item(&mut self, app: &mut App) {
        self.return_to_origin(app);
        app.pages.close_acting();
        let text = self.text.as_str();
        app.prompt_history.add(self.kind, text.trim());
        if self.in_all_versions {
            return app.search_versions(text);
        }
        match self.kind {
            PromptKind::Goto => app.go_to(text.trim()),
            PromptKind::Encoding => app.choose_encoding(text),
            PromptKind::Filter => app.type_filter(text),
            PromptKind::Search => app.search_for(text, Direction::Forward),
            PromptKind::SearchBackward => app.search_for(text, Direction::Backward),
        }
    }

    fn list_used(&mut self, is_moved: bool, _: &mut App) {
        if is_moved {
            self.take_completion();
        }
    }

    fn input(&self, app: &App, footer: &mut Footer<'_>) -> bool {
        let (theme, row) = (footer.theme, &mut footer.row);
        let sign = match self.kind {
            PromptKind::Goto => ":",
            PromptKind::Search => "/",
            PromptKind::SearchBackward => "?",
            PromptKind::Encoding => "encoding: ",
            PromptKind::Filter => "lines of: ",
        };
        // What is typed, and the cursor, come before the label, and this before what stands at the right.
        let typed = sanitize::width(self.text.as_bytes()) + 1;
        let room = usize::from(row.remaining());
        let sign = match room {
            _ if !self.in_all_versions => sign,
            80.. => "added or removed in any version: ",
            _ => "in any version: ",
        };
        let sign = if self.text.is_empty() || sign.len() + typed <= room {
            sign
        } else {
            ""
        };
        let is_search = self.kind.is_search();
        let right = if self.in_all_versions {
            let found = app.search.get().filter(|_| !self.text.is_empty());
            let found = found.map_or_else(String::new, |search| {
                let more = if search.is_complete() { "" } else { "+" };
                format!("({}{more}) ", thousands(search.count()))
            });
            format!(" Tab: in this version {found}")
        } else if is_search && app.pages.len() == 1 && self.text.is_empty() {
            " Tab: in all versions ".to_owned()
        } else if is_search && !self.text.is_empty() && self.origin.is_some() {
            let words = search_words(app, room.saturating_sub(sign.len() + typed + 1));
            words.map_or_else(String::new, |words| format!(" {words}"))
        } else {
            let matches = self.matches.as_ref();
            let words = matches.map(|(count, search)| match_words(None, *count, search));
            words.unwrap_or_default()
        };
        // How to search for plain text comes before what stands at the right.
        let shortest = match PATTERN_WORDS {
            [.., plain, _] if is_search && self.text.is_empty() => 2 + plain.len(),
            _ => 0,
        };
        if sign.len() + typed + shortest + sanitize::width(right.as_bytes()) <= room {
            row.put_right(&right, theme.bar());
        }
        row.put(sign, theme.bar_emphasis());
        footer.typed(&self.text);
        footer.row.put("  ", theme.bar());
        let room = usize::from(footer.row.remaining());
        let words = match self.text.as_str() {
            "" => words_of(self.kind, room, app),
            _ => String::new(),
        };
        if !words.is_empty() {
            footer.row.put(&words, theme.bar());
            footer.row.put_whole("  ", theme.bar());
        }
        // Where nothing is typed, the words at the right name this key.
        let has_versions = is_search && !self.in_all_versions && app.pages.len() == 1;
        let tab = ("Tab", "all versions");
        let tab = Some(tab).filter(|_| has_versions && !self.text.is_empty());
        let enter = ("Enter", if is_search { "search" } else { "go" });
        let keys = [enter, ("Esc", "leave"), ("Up", "earlier")];
        // It is wanted most where this version has no match.
        let is_found = app.search.get().is_some_and(|search| search.count() > 0);
        let (first, last) = if is_found { (None, tab) } else { (tab, None) };
        // Completions have keys of their own.
        let keys = first.into_iter().chain(keys).chain(last);
        let mut keys = keys.filter(|_| self.completion.is_none());
        keys.all(|(key, words)| footer.key(key, words, None));
        true
    }
}

impl Prompt {
    fn new(kind: PromptKind, text: String) -> Prompt {
        Prompt {
            kind,
            text,
            recalled: None,
            in_all_versions: false,
            origin: None,
            matches: None,
            asked: None,
            completion: None,
        }
    }

    /// Handles a key that is for the input.
    fn typed(&mut self, key: Key, app: &mut App) {
        if self.kind == PromptKind::Encoding && encodings::complete(key, &mut self.text) {
            return;
        }
        match (key.code, key.ctrl) {
            (KeyCode::Escape, _) | (KeyCode::Char('c'), true) => return self.cancel(app),
            (KeyCode::Backspace, _) if self.text.is_empty() => return self.cancel(app),
            (KeyCode::Enter, _) => return self.open_item(app),
            (KeyCode::Tab | KeyCode::BackTab, _) if self.kind == PromptKind::Goto => {
                return self.complete(key.code == KeyCode::Tab, app);
            }
            (KeyCode::Tab | KeyCode::BackTab, _) if self.kind.is_search() => {
                return self.switch_searched_versions(app);
            }
            (KeyCode::Up, _) | (KeyCode::Char('p'), true) => return self.recall(1, app),
            (KeyCode::Down, _) | (KeyCode::Char('n'), true) => return self.recall(-1, app),
            (KeyCode::Backspace, _) | (KeyCode::Char('h'), true) => {
                self.text.pop();
            }
            (KeyCode::Char('u'), true) => self.text.clear(),
            (KeyCode::Char('w'), true) => {
                let kept = self.text.trim_end().rfind(' ');
                self.text.truncate(kept.map_or(0, |space| space + 1));
            }
            (KeyCode::Char(c), false) if self.text.len() < MAX_INPUT_LEN => self.text.push(c),
            _ => return,
        }
        self.recalled = None;
        self.edited(app);
    }

    fn edited(&mut self, app: &mut App) {
        self.completion = None;
        self.search_while_typing(app);
    }

    fn cancel(&mut self, app: &mut App) {
        self.return_to_origin(app);
        app.pages.close_acting();
    }

    /// Switches between the lines of this version and the commits that added or removed a text,
    /// where that is possible: on the blame.
    fn switch_searched_versions(&mut self, app: &mut App) {
        if app.pages.len() == 1 && app.view().is_some() {
            self.in_all_versions = !self.in_all_versions;
            self.search_while_typing(app);
        }
    }

    /// Puts an earlier input into the prompt, or a later one for a negative step.
    fn recall(&mut self, step: isize, app: &mut App) {
        match (&mut self.recalled, step > 0) {
            (None, false) => return,
            (None, true) => {
                let typed = self.text.clone();
                let inputs = app.prompt_history.beginning_with(self.kind, &typed);
                let Some(latest) = inputs.first() else {
                    return;
                };
                self.text.clone_from(latest);
                let at = 0;
                self.recalled = Some(Recalled { typed, inputs, at });
            }
            (Some(recalled), _) => match recalled.at.checked_add_signed(step) {
                Some(at) => {
                    recalled.at = at.min(recalled.inputs.len() - 1);
                    self.text.clone_from(&recalled.inputs[recalled.at]);
                }
                None => {
                    self.text.clone_from(&recalled.typed);
                    self.recalled = None;
                }
            },
        }
        self.edited(app);
    }

    /// Completes the input with the names of references and files.
    fn complete(&mut self, forward: bool, app: &mut App) {
        let of_page = app.pages.iter().rev().find_map(Page::version);
        let of_view = || app.view().map(|view| view.version.clone());
        let Some(version) = of_page.or_else(of_view) else {
            return;
        };
        if let Some(completion) = &mut self.completion {
            let count = completion.candidates.len();
            let step = if forward { 1 } else { count.saturating_sub(1) };
            let at = (completion.list.selected + step).checked_rem(count);
            completion.list.selected = at.unwrap_or(0);
            return self.take_completion();
        }
        let input = BString::from(self.text.as_str());
        let query = CompletionQuery {
            version,
            input: input.clone(),
        };
        self.asked = Some((app.ask(query), input));
    }

    /// Completes the input as far as the found names agree; the next key chooses among them.
    fn on_completions(&mut self, found: Result<Vec<BString>, Failure>) {
        let input = self.asked.take().map(|(_, input)| input);
        if input.is_none_or(|input| self.text.as_bytes() != *input) {
            return;
        }
        let found = found.unwrap_or_default();
        let names = found.iter().filter_map(|name| name.to_str().ok());
        let mut candidates: Vec<String> = names.map(str::to_owned).collect();
        let common = common_start(&candidates);
        let is_longer = common.len() > self.text.len();
        if is_longer {
            self.text = common;
        }
        let names = candidates.len();
        let mut list = ItemList::default();
        if candidates.first().is_some_and(|first| *first != self.text) {
            candidates.insert(0, self.text.clone());
            list.selected = usize::from(!is_longer);
        }
        // A single name is complete, so that the next key completes what follows it.
        self.completion = (candidates.len() != 1).then_some(Completion {
            candidates,
            names,
            list,
        });
        self.take_completion();
    }

    /// Puts the selected completion into the input.
    fn take_completion(&mut self) {
        let completion = self.completion.as_ref();
        let selected = completion.and_then(|it| it.candidates.get(it.list.selected));
        if let Some(text) = selected {
            self.text.clone_from(text);
        }
    }

    /// Returns to the position and the search from which the prompt was opened.
    fn return_to_origin(&self, app: &mut App) {
        let Some(origin) = self.origin.clone() else {
            return;
        };
        if let Some(diff) = app.diff_mut() {
            if diff.job.id == origin.id {
                diff.pager.position = origin.position;
                diff.search = origin.search;
            }
            return;
        }
        app.search = origin.search;
        match app.view_mut().filter(|view| view.id == origin.id) {
            Some(view) => view.pager.position = origin.position,
            // The prompt was opened above another view.
            None => app.search_again(),
        }
    }

    /// Searches what was typed so far from where the prompt was opened.
    fn search_while_typing(&mut self, app: &mut App) {
        if self.origin.is_none() {
            let search = Search::new(&self.text, 0).filter(|_| self.kind.is_search());
            let count = |search: &Search| app.count_in_pages(search);
            let search = search.map(|it| it.or_as_text(|it| count(it) > Some(0)));
            self.matches = search.and_then(|search| Some((count(&search)?, search)));
            return;
        }
        let direction = match self.kind {
            PromptKind::SearchBackward => Direction::Backward,
            _ => Direction::Forward,
        };
        self.return_to_origin(app);
        if self.text.is_empty() {
            return;
        }
        if let Some(diff) = app.diff_mut() {
            let rows = u32::try_from(diff.rows().len()).unwrap_or(u32::MAX);
            diff.search.set(Search::new(&self.text, rows));
            diff.search.want_jump(direction);
            return app.advance_diff_search();
        }
        let lines = app.view().map_or(0, |view| view.text.line_count());
        app.search.set(Search::new(&self.text, lines));
        if !self.in_all_versions {
            app.search.want_jump(direction);
        }
        app.advance_search();
    }
}

impl App {
    /// Opens an empty prompt.
    pub(crate) fn open_prompt(&mut self, kind: PromptKind) {
        self.open_prompt_with(kind, String::new());
    }

    /// Opens a prompt with an input.
    pub(crate) fn open_prompt_with(&mut self, kind: PromptKind, text: String) {
        let mut prompt = Prompt::new(kind, text);
        // Lists and the help are searched once the pattern is complete.
        if kind.is_search() && matches!(self.pages.top_kind(), None | Some(PageKind::Diff)) {
            prompt.origin = self.search_origin();
        }
        self.pages.open(prompt);
    }

    fn search_origin(&self) -> Option<SearchOrigin> {
        if let Some(diff) = self.diff() {
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

    /// Searches the first name in the selected line, or its commit's id if there is none.
    pub(crate) fn search_word(&mut self, direction: Direction) {
        let found = match (self.diff(), self.view()) {
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
        if self.diff().is_some() {
            self.search_diff(&pattern, direction)
        } else {
            self.start_search(&pattern, direction)
        }
        let wrapped = self.status.message.take().map(|words| format!(": {words}"));
        let wrapped = wrapped.unwrap_or_default();
        self.show_message(format!("search for “{pattern}”{wrapped}"));
    }
}
