//! Pages on which a line of text is typed, or a key is awaited.

mod mark_name;
mod prompt;
mod words;
