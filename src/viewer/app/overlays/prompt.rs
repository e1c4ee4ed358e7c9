//! The prompt: an input line in the status line.

/// An open prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// What the prompt asks for.
    pub kind: PromptKind,
    /// The input so far.
    pub text: String,
}

/// What a prompt asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptKind {
    /// The line to go to.
    Goto,
    /// A pattern to search for.
    Search,
    /// The encoding to show files in.
    Encoding,
}

/// What to do with the mark that the next key names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkAction {
    /// Set the mark at the selected line.
    Set,
    /// Go to the mark.
    Go,
}
