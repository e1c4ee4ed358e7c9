//! The kinds of prompts, and their earlier inputs.

/// The kind of a prompt, by what it asks for.
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
    /// True if the prompt asks for a pattern.
    pub fn is_search(self) -> bool {
        matches!(self, PromptKind::Search | PromptKind::SearchBackward)
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
