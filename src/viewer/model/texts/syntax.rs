//! Syntax classes of code.

use std::sync::Arc;

/// The start of each syntax class in a line: ascending byte offsets.
pub type Spans = Arc<[(u32, SyntaxClass)]>;

/// A syntax class, which determines the color of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyntaxClass {
    Plain,
    Comment,
    String,
    Number,
    Keyword,
    Type,
    Function,
    Constant,
    Meta,
    Heading,
}

impl SyntaxClass {
    /// Every class.
    pub const ALL: [SyntaxClass; 10] = [
        SyntaxClass::Plain,
        SyntaxClass::Comment,
        SyntaxClass::String,
        SyntaxClass::Number,
        SyntaxClass::Keyword,
        SyntaxClass::Type,
        SyntaxClass::Function,
        SyntaxClass::Constant,
        SyntaxClass::Meta,
        SyntaxClass::Heading,
    ];
}
