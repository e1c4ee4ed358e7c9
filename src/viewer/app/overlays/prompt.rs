//! A line of input in the status line.

/// The prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// What the input is for.
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

/// What the letter of a mark is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkAction {
    /// To set the mark.
    Set,
    /// To go to it.
    Go,
}
