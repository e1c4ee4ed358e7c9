//! The prompt: an input line in the status line.

use crate::{
    sanitize,
    viewer::{
        app::{blame::search::ActiveSearch, pager::Position},
        pages::list::{ItemList, Items, KeyHelp, ListRow},
        theme::roles::Foreground,
    },
};

/// An open prompt.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// What the prompt asks for.
    pub kind: PromptKind,
    /// The input so far.
    pub text: String,
    /// The earlier inputs that are offered, and the index of the one in `text`.
    pub(crate) recalled: Option<Recalled>,
    /// For a search: whether it is for the commits that added or removed the text, not for lines of this version.
    pub in_all_versions: bool,
    /// For a search: where it was started.
    pub(crate) origin: Option<SearchOrigin>,
    /// The completions of the input, if any were asked for.
    pub completion: Option<Box<Completion>>,
}

impl Prompt {
    /// Puts the selected completion into the input.
    pub(crate) fn take_completion(&mut self) {
        let completion = self.completion.as_ref();
        let selected = completion.and_then(|it| it.candidates.get(it.list.selected));
        if let Some(text) = selected {
            self.text.clone_from(text);
        }
    }
}

/// What a prompt asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptKind {
    /// The line, revision or file to go to.
    Goto,
    /// A pattern to search for.
    Search,
    /// A pattern to search for, towards the start.
    SearchBackward,
    /// The encoding to show files in.
    Encoding,
    /// Which lines stand out.
    Filter,
}

impl PromptKind {
    /// Whether the prompt asks for a pattern.
    pub fn is_search(self) -> bool {
        matches!(self, PromptKind::Search | PromptKind::SearchBackward)
    }
}

/// Earlier inputs that begin with what was typed.
#[derive(Debug, Clone)]
pub(crate) struct Recalled {
    /// What was typed.
    pub(crate) typed: String,
    /// The inputs, the latest first.
    pub(crate) inputs: Vec<String>,
    /// The index of the one in the prompt.
    pub(crate) at: usize,
}

/// Where a search was started, to return there.
#[derive(Debug, Clone)]
pub(crate) struct SearchOrigin {
    /// The number of the view or diff.
    pub(crate) id: u64,
    pub(crate) position: Position,
    pub(crate) search: ActiveSearch,
}

/// The keys of the completions.
const COMPLETION_KEYS: &[KeyHelp] = &[
    ("Tab  BackTab", "next and previous one, around the ends"),
    ("Enter", "go there"),
    ("Esc", "leave the prompt"),
];

/// Completions of the input.
#[derive(Debug, Clone)]
pub struct Completion {
    /// What was typed, and then what begins with it.
    pub candidates: Vec<String>,
    /// The list of candidates. The selected one is in the prompt.
    pub list: ItemList,
}

impl Items for Completion {
    fn count(&self) -> usize {
        self.candidates.len()
    }

    fn rows(&self, at: usize, _width: usize) -> Vec<ListRow> {
        let name = self.candidates.get(at).map_or("", String::as_str);
        vec![ListRow::new(" ").put(sanitize::line(name.as_bytes()), Foreground::Text)]
    }

    fn title(&self) -> Option<String> {
        Some(" Completions".to_owned())
    }

    fn ending(&self) -> String {
        match self.candidates.is_empty() {
            true => "nothing begins with this".to_owned(),
            false => String::new(),
        }
    }

    fn is_typed(&self) -> bool {
        true
    }

    fn help(&self) -> (&'static str, &'static [KeyHelp]) {
        ("Completions", COMPLETION_KEYS)
    }
}

/// The inputs of this session, the latest last.
#[derive(Debug, Default)]
pub(crate) struct PromptHistory {
    searches: Vec<String>,
    places: Vec<String>,
    filters: Vec<String>,
}

/// Most inputs that are kept.
const MAX_INPUTS: usize = 100;

impl PromptHistory {
    fn list(&mut self, kind: PromptKind) -> Option<&mut Vec<String>> {
        match kind {
            PromptKind::Search | PromptKind::SearchBackward => Some(&mut self.searches),
            PromptKind::Goto => Some(&mut self.places),
            PromptKind::Filter => Some(&mut self.filters),
            PromptKind::Encoding => None,
        }
    }

    /// Adds an input.
    pub(crate) fn add(&mut self, kind: PromptKind, input: &str) {
        if let Some(list) = self.list(kind).filter(|_| !input.is_empty()) {
            list.retain(|other| other != input);
            list.push(input.to_owned());
            if list.len() > MAX_INPUTS {
                list.remove(0);
            }
        }
    }

    /// The inputs that begin with `typed`, the latest first.
    pub(crate) fn beginning_with(&mut self, kind: PromptKind, typed: &str) -> Vec<String> {
        let list = self.list(kind).into_iter().flatten();
        let found = list.filter(|input| input.starts_with(typed) && *input != typed);
        let mut found: Vec<String> = found.map(|input| input.clone()).collect();
        found.reverse();
        found
    }
}
