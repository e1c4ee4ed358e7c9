//! How an option that was given is written again, for commands that are printed.

use bstr::BString;

use crate::cli::options::{ATTRIBUTION, INPUT, Occurrence, OptionSpec};

impl OptionSpec {
    /// True if it says what is blamed or how. The lines of `-L` are not among it.
    pub fn changes_answers(&self) -> bool {
        let is_of_blame = matches!(self.heading, INPUT | ATTRIBUTION) && self.name != "L";
        is_of_blame || self.name == "git-compat"
    }

    /// An occurrence as one word, with the whole name.
    pub fn word(&self, given: Occurrence<'_>) -> BString {
        let (dashes, between) = match self.long() {
            Some(_) => ("--", "="),
            None => ("-", ""),
        };
        let negation = if given.is_on() { "" } else { "no-" };
        let mut word = format!("{dashes}{negation}{}", self.name).into_bytes();
        if let Occurrence::Value(value) = given {
            word.extend_from_slice(between.as_bytes());
            word.extend_from_slice(value);
        }
        word.into()
    }
}
