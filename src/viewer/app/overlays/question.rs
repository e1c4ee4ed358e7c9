//! A question that is answered with yes or no.

use crate::{objects::ObjectId, viewer::protocol::Effect};

/// An open question. `y` means yes, any other key no.
#[derive(Debug, Clone)]
pub struct Question {
    /// The question.
    pub title: String,
    /// What it is about.
    pub lines: Vec<String>,
    /// What yes means, in one or two words.
    pub yes: &'static str,
    /// What yes does.
    pub(crate) effects: Vec<Effect>,
    /// A commit that yes ignores in the visible view.
    pub(crate) ignore: Option<ObjectId>,
}
