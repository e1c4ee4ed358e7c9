//! An agent, and the lines that it wrote.

use std::ops::Range;

/// An agent that wrote lines, as far as it is recorded. Texts are as recorded, and can have control
/// characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Agent {
    /// The program, such as `cursor`.
    pub tool: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// Who used it.
    pub human: Option<String>,
}

impl Agent {
    /// Its name: that of its program, else that of its model.
    pub fn name(&self) -> &str {
        let name = self.tool.as_deref().or(self.model.as_deref());
        name.unwrap_or("agent")
    }

    /// Its name and its model, if that is another word.
    pub fn name_and_model(&self) -> String {
        let name = self.name();
        match self.model.as_deref().filter(|model| *model != name) {
            Some(model) => format!("{name}, {model}"),
            None => name.to_owned(),
        }
    }
}

/// Where an agent is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentSource {
    /// In a note on the commit.
    Note,
    /// It is the author of the commit.
    Author,
    /// In a trailer of its message.
    Trailer,
}

impl AgentSource {
    /// Its name in outputs.
    pub fn name(self) -> &'static str {
        match self {
            AgentSource::Note => "note",
            AgentSource::Author => "author",
            AgentSource::Trailer => "trailer",
        }
    }
}

/// Lines that an agent wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentLines {
    /// The lines (0-based, half-open) of the file as it is in the commit.
    pub lines: Range<u32>,
    /// The agent.
    pub agent: Agent,
    /// Where it is recorded.
    pub source: AgentSource,
}
