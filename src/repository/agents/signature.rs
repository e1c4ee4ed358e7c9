//! Which agent signed a commit: as its author, or in a trailer of its message.
//!
//! An author is an agent only by its address or its account. In a trailer a name counts as well, in
//! these places:
//!
//! | trailer | an agent's name counts |
//! | --- | --- |
//! | `Generated-by`, `Generated-with`, `Made-with`, `Entire-Agent` | always: people are not named there |
//! | `Assisted-by` | alone or before a model; if people have this name, only without an address |
//! | `Co-authored-by` | alone or before a model; if people have this name, only before a model |
//!
//! Some write `Assisted by` and `Co Authored By` without hyphens, and the latter without a colon. That is
//! no trailer, but counts at the beginning of a line of the last paragraph, where no trailer names an agent.
//!
//! Who committed does not count: agents also commit what others wrote, as in a rebase.

use bstr::ByteSlice;

use crate::repository::{
    agents::{
        agent::{Agent, AgentSource},
        known_agent::{self, Beginning, KnownAgent},
    },
    commits::trailers,
};

/// The statements of a commit on who made it. Names and addresses are those after the mailmap.
#[derive(Debug, Clone, Copy)]
pub struct CommitSignature<'a> {
    /// The author's name.
    pub name: &'a [u8],
    /// The author's address, without angle brackets.
    pub mail: &'a [u8],
    /// The message.
    pub message: &'a [u8],
}

/// Where a name stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SignaturePlace {
    Author,
    CoAuthor,
    Assistant,
    Tool,
}

/// The keys of trailers in lower case, and who is named there.
const KEYS: [(&[u8], SignaturePlace); 6] = [
    (b"co-authored-by", SignaturePlace::CoAuthor),
    (b"assisted-by", SignaturePlace::Assistant),
    (b"generated-by", SignaturePlace::Tool),
    (b"generated-with", SignaturePlace::Tool),
    (b"made-with", SignaturePlace::Tool),
    (b"entire-agent", SignaturePlace::Tool),
];

/// What stands for a key in lines that are no trailers, in lower case.
const LOOSE_KEYS: [(&str, SignaturePlace); 2] = [
    ("assisted by", SignaturePlace::Assistant),
    ("co authored by", SignaturePlace::CoAuthor),
];

/// Makers, which names may begin with or have in brackets, in lower case.
const MAKERS: [&str; 4] = ["anthropic", "github", "google", "openai"];

/// Words in lower case after the name of an agent that are not a model.
const PRODUCT_WORDS: [&str; 6] = ["agent", "ai", "app", "assistant", "bot", "cli"];

/// Follows the name of an author whose change Aider wrote.
const BY_AIDER: &str = " (aider)";

/// The agent that signed a commit, and where: its author, or the first one that the trailers name.
pub fn of_commit(commit: CommitSignature<'_>) -> Option<(Agent, AgentSource)> {
    let mut named = named_in_trailers(commit.message);
    let (name, mail) = (commit.name.to_str_lossy(), commit.mail.to_str_lossy());
    let Some(mut author) = author(&name, &mail) else {
        let first = (!named.is_empty()).then(|| named.swap_remove(0));
        return first.map(|agent| (agent, AgentSource::Trailer));
    };
    if author.model.is_none() {
        let same = named.into_iter().find(|other| other.tool == author.tool);
        author.model = same.and_then(|same| same.model);
    }
    Some((author, AgentSource::Author))
}

/// True if a person is an agent, by the name and address of an author or else of a co-author.
pub fn is_agent(name: &[u8], mail: &[u8], is_author: bool) -> bool {
    let place = if is_author {
        SignaturePlace::Author
    } else {
        SignaturePlace::CoAuthor
    };
    read(&name.to_str_lossy(), &mail.to_str_lossy(), place).is_some()
}

fn author(name: &str, mail: &str) -> Option<Agent> {
    match name.strip_suffix(BY_AIDER) {
        Some(human) => Some(Agent {
            tool: Some("Aider".to_owned()),
            model: None,
            human: Some(human.to_owned()),
        }),
        None => read(name, mail, SignaturePlace::Author),
    }
}

fn named_in_trailers(message: &[u8]) -> Vec<Agent> {
    let place = |key: &[u8]| {
        let found = KEYS
            .iter()
            .find(|(known, _)| key.eq_ignore_ascii_case(known));
        found.map(|(_, place)| *place)
    };
    // Most messages have none, and need no search for their trailers.
    let has_key = |line: &[u8]| line.find_byte(b':').and_then(|end| place(&line[..end]));
    let mut agents = Vec::new();
    if message.lines().any(|line| has_key(line).is_some()) {
        let trailers = trailers::of_message(message).into_iter();
        agents.extend(trailers.filter_map(|(key, value)| read_value(&value, place(&key)?)));
    }
    if agents.is_empty() && message.lines().any(|line| loose_value(line).is_some()) {
        let last = trailers::last_paragraph(message.trim_ascii()).unwrap_or_default();
        let values = last.lines().filter_map(loose_value);
        agents.extend(values.filter_map(|(value, place)| read_value(value, place)));
    }
    agents
}

/// The agent that the value of a trailer names.
fn read_value(value: &[u8], place: SignaturePlace) -> Option<Agent> {
    let value = value.to_str_lossy();
    let (name, mail) = match value.split_once('<') {
        Some((name, mail)) => (name, mail.split('>').next().unwrap_or_default()),
        // Some write addresses without brackets.
        None => match value.rsplit_once(' ') {
            Some((name, mail)) if mail.contains('@') => (name, mail),
            _ => (&*value, ""),
        },
    };
    read(name, mail, place)
}

/// What follows the words for a key in a line that is no trailer.
fn loose_value(line: &[u8]) -> Option<(&[u8], SignaturePlace)> {
    LOOSE_KEYS.iter().find_map(|(words, place)| {
        let (key, value) = line.split_at_checked(words.len())?;
        let value = value.strip_prefix(b":").unwrap_or(value);
        let is_key = key.eq_ignore_ascii_case(words.as_bytes()) && value.starts_with(b" ");
        is_key.then_some((value, *place))
    })
}

/// The parts of a name that tell of an agent.
#[derive(Debug, Default)]
struct AgentName<'a> {
    /// The agent that it begins with, or that follows `via`.
    agent: Option<&'static KnownAgent>,
    /// The model as written; empty if there is none.
    model: &'a str,
    /// Whose models are called so.
    tool_of_model: Option<&'static str>,
    /// Nobody but an agent is named with such words after it.
    is_certain: bool,
    /// Nothing but the agent's name, or a model in brackets or behind a colon.
    is_plain: bool,
    /// The agent follows `via`.
    is_via: bool,
}

impl<'a> AgentName<'a> {
    fn read(name: &'a str) -> AgentName<'a> {
        let mut name = name.trim();
        while let Some((maker, rest)) = name.split_once(' ')
            && MAKERS.contains(&maker.to_ascii_lowercase().as_str())
        {
            name = rest.trim_start();
        }
        if let Some((model, tool)) = name.rsplit_once(" via ")
            && let Some(Beginning::Agent(agent, _)) = known_agent::beginning(tool)
        {
            return AgentName {
                agent: Some(agent),
                model,
                is_certain: is_model(model),
                is_via: true,
                ..AgentName::default()
            };
        }
        match known_agent::beginning(name) {
            Some(Beginning::Agent(agent, len)) => AgentName::of(agent, &name[len..]),
            Some(Beginning::Model(tool_of_model)) => AgentName {
                model: name,
                tool_of_model,
                is_certain: name.contains(|c: char| c.is_ascii_digit()),
                ..AgentName::default()
            },
            None => AgentName::default(),
        }
    }

    /// Of what follows an agent's name.
    fn of(agent: &'static KnownAgent, rest: &'a str) -> AgentName<'a> {
        let separators = [' ', ':', '-', '/', ','];
        let is_marked = rest.trim_start().starts_with(['(', ':']);
        let mut model = rest.trim_matches(separators);
        let mut has_product_word = false;
        while !is_marked && let Some(rest) = after_product_word(model) {
            has_product_word = true;
            model = rest.trim_start_matches(separators);
        }
        // Brackets around all of it, but not those of `Opus 5 (1M context)`.
        if let Some(inner) = model.strip_prefix('(').and_then(|it| it.strip_suffix(')'))
            && !inner.contains(['(', ')'])
        {
            model = inner.trim();
        }
        if MAKERS.contains(&model.to_ascii_lowercase().as_str()) {
            model = "";
        }
        AgentName {
            agent: Some(agent),
            model,
            tool_of_model: None,
            is_certain: match model {
                "" => has_product_word,
                model => is_model(model),
            },
            is_plain: model.is_empty() || is_marked,
            is_via: false,
        }
    }
}

/// The rest of a text that begins with a word such as `agent`.
fn after_product_word(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_alphanumeric());
    let (word, rest) = text.split_at(end.unwrap_or(text.len()));
    let is_product = PRODUCT_WORDS.contains(&word.to_ascii_lowercase().as_str());
    is_product.then_some(rest)
}

/// True if a text begins like the name of a model or with a version.
fn is_model(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) || known_agent::beginning(text).is_some()
}

fn read(name: &str, mail: &str, place: SignaturePlace) -> Option<Agent> {
    let signer = known_agent::signer(name, mail);
    // Those of accounts only identify them.
    let read = if signer.is_some() && name.trim_end().ends_with("[bot]") {
        AgentName::default()
    } else {
        AgentName::read(name)
    };
    let counts = match (place, read.agent) {
        _ if signer.is_some() => true,
        (SignaturePlace::Author, _) => false,
        (SignaturePlace::Tool, Some(_)) => true,
        (_, Some(agent)) if !agent.is_name_of_people => read.is_certain || read.is_plain,
        (SignaturePlace::Assistant, Some(_)) if mail.is_empty() => {
            read.is_certain || read.is_plain || read.is_via
        }
        _ => read.is_certain,
    };
    if !counts {
        return None;
    }
    let (tool, model) = match (signer, read.agent) {
        // Another agent's name at the address is that of a model, unless it is a product without an
        // address of its own.
        (Some(signer), Some(named))
            if named.tool != signer.tool
                && !(named.addresses.is_empty() && named.accounts.is_empty()) =>
        {
            (Some(signer.tool), name.trim())
        }
        (_, Some(named)) => (Some(named.tool), read.model),
        (Some(signer), None) => (Some(signer.tool), read.model),
        (None, None) => (read.tool_of_model, read.model),
    };
    Some(Agent {
        tool: tool.map(str::to_owned),
        model: (!model.is_empty()).then(|| model.to_owned()),
        human: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tool and the model; `-` where one is not recorded.
    fn shown(agent: Option<Agent>) -> Option<String> {
        let agent = agent?;
        let word = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        Some(format!("{} | {}", word(agent.tool), word(agent.model)))
    }

    #[test]
    fn trailers_name_agents() {
        let mut compared = 0;
        for line in include_str!("signatures.txt").lines() {
            let Some((trailer, expected)) = line.split_once(" => ") else {
                assert!(line.is_empty() || line.starts_with('#'), "{line}");
                continue;
            };
            let message = format!("Subject\n\nText\n\nFixes: 1\n{trailer}\n");
            let signature = CommitSignature {
                name: b"Ann",
                mail: b"ann@example.org",
                message: message.as_bytes(),
            };
            let found = of_commit(signature);
            assert!(
                found
                    .iter()
                    .all(|(_, source)| *source == AgentSource::Trailer)
            );
            let expected = (expected != "nobody").then(|| expected.to_owned());
            assert_eq!(shown(found.map(|it| it.0)), expected, "{trailer}");
            compared += 1;
        }
        assert!(compared > 70, "{compared}");
    }

    #[test]
    fn spellings_that_are_no_trailers_name_agents_of_the_table() {
        let agent = |message: &str| {
            let found = of_commit(CommitSignature {
                name: b"Ann",
                mail: b"ann@example.org",
                message: message.as_bytes(),
            });
            found.and_then(|(agent, _)| shown(Some(agent)))
        };
        let opus = Some("Claude | Opus 4.6".to_owned());
        for (last, expected) in [
            ("Assisted by: Claude Opus 4.6", opus.clone()),
            ("ASSISTED BY Claude Opus 4.6", opus.clone()),
            ("Closes #1\nAssisted by: Claude Opus 4.6", opus.clone()),
            ("Some text\nCo Authored By: Claude Opus 4.6", opus.clone()),
            (
                "Co Authored By Claude Opus 4.6 (1M context)",
                Some("Claude | Opus 4.6 (1M context)".to_owned()),
            ),
            ("Assisted by: Ben", None),
            ("Assisted by the neighbours", None),
            ("Co Authored By Claude Monet <claude@example.org>", None),
            ("It was assisted by: Claude Opus 4.6", None),
            ("Assisted byClaude Opus 4.6", None),
            ("Assisted by: Claude Opus 4.6\n\nThe end", None),
        ] {
            assert_eq!(agent(&format!("Subject\n\n{last}")), expected, "{last}");
        }
        // A subject is no last paragraph, and trailers come first.
        assert_eq!(agent("Assisted by: Claude Opus 4.6"), None);
        let both = "Subject\n\nAssisted by: Claude Opus 4.6\n\nAssisted-by: Codex:m-2";
        assert_eq!(agent(both), Some("Codex | m-2".to_owned()));
    }

    #[test]
    fn authors_are_agents_by_address_and_account() {
        let found = |name: &str, mail: &str, trailer: &str| {
            let message = format!("Subject\n\n{trailer}");
            let (agent, source) = of_commit(CommitSignature {
                name: name.as_bytes(),
                mail: mail.as_bytes(),
                message: message.as_bytes(),
            })?;
            assert_eq!(source, AgentSource::Author);
            Some((agent.human.clone(), shown(Some(agent))?))
        };
        let agent = |text: &str| Some((None, text.to_owned()));
        let github = "users.noreply.github.com";
        for (name, mail, expected) in [
            ("Codex", "codex@openai.com", agent("Codex | -")),
            ("GPT 5.6", "CODEX@OpenAI.com", agent("Codex | GPT 5.6")),
            ("Codex GPT-5", "codex@openai.com", agent("Codex | GPT-5")),
            ("Claude", "noreply@anthropic.com", agent("Claude | -")),
            (
                "copilot-swe-agent[bot]",
                &format!("1+Copilot@{github}"),
                agent("Copilot | -"),
            ),
            (
                "x",
                &format!("copilot-swe-agent[bot]@{github}"),
                agent("Copilot | -"),
            ),
            (
                "devin-ai-integration[bot]",
                "a@example.org",
                agent("Devin | -"),
            ),
            (
                "Devin AI",
                &format!("2+devin-ai-integration[bot]@{github}"),
                agent("Devin | -"),
            ),
            (
                "Cursor Agent",
                "cursoragent@cursor.com",
                agent("Cursor | -"),
            ),
            ("Amp", "amp@ampcode.com", agent("Amp | -")),
            ("factory-droid[bot]", "", agent("Droid | -")),
            (
                "openhands",
                "openhands@all-hands.dev",
                agent("OpenHands | -"),
            ),
            (
                "Ann (aider)",
                "ann@example.org",
                Some((Some("Ann".to_owned()), "Aider | -".to_owned())),
            ),
            ("Jules", "jules@example.org", None),
            ("Claude", "claude@example.org", None),
            ("Codex", "codex@example.org", None),
            ("Claude Opus 5", "claude@example.org", None),
            ("copilot-swe-agent", "a@example.org", None),
            ("Copilot", "1+copilots@users.noreply.github.com", None),
            (
                "dependabot[bot]",
                "3+dependabot[bot]@users.noreply.github.com",
                None,
            ),
            ("", "", None),
        ] {
            assert_eq!(found(name, mail, ""), expected, "{name} <{mail}>");
        }
        // Only a trailer of the same agent adds the model.
        let trailer =
            "Co-authored-by: Copilot <a@copilot>\nAssisted-by: Claude Opus 5 (1M context)";
        let named = found("Claude", "noreply@anthropic.com", trailer);
        assert_eq!(named, agent("Claude | Opus 5 (1M context)"));
        assert_eq!(
            found("Codex", "codex@openai.com", trailer),
            agent("Codex | -")
        );
    }
}
