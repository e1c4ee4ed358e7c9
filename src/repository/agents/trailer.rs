//! Trailers that name an agent.
//!
//! Those are `Co-authored-by`, `Assisted-by` and `Generated-by`, if the name that they begin with is one of those below. `Claude` is
//! a first name, too: as a co-author it counts only alone, before a word for a model or with an address of its maker.

use bstr::ByteSlice;

use crate::repository::{agents::agent::Agent, commits::trailers};

/// The keys, in lower case.
const KEYS: [&[u8]; 3] = [b"co-authored-by", b"assisted-by", b"generated-by"];

/// First words in lower case, and the agents that they name.
const NAMES: [(&str, &str); 13] = [
    ("aider", "Aider"),
    ("chatgpt", "ChatGPT"),
    ("claude", "Claude"),
    ("codex", "Codex"),
    ("copilot", "Copilot"),
    ("copilot-swe-agent", "Copilot"),
    ("cursor", "Cursor"),
    ("cursoragent", "Cursor"),
    ("devin-ai-integration", "Devin"),
    ("gemini", "Gemini"),
    ("google-labs-jules", "Jules"),
    ("opencode", "opencode"),
    ("windsurf", "Windsurf"),
];

/// Second words of names of Claude's versions, in lower case.
const MODELS: [&str; 5] = ["code", "opus", "sonnet", "haiku", "ai"];

/// The agent that the trailers of a commit's message name; the first of several.
pub fn agent(message: &[u8]) -> Option<Agent> {
    // Most messages have none, and need no search for their trailers.
    let may_have = message.lines().any(|line| {
        let key = line
            .find_byte(b':')
            .map(|end| line[..end].to_ascii_lowercase());
        key.is_some_and(|key| KEYS.contains(&key.as_slice()))
    });
    if !may_have {
        return None;
    }
    let trailers = trailers::of_message(message).into_iter();
    trailers
        .filter(|(key, _)| KEYS.contains(&key.to_ascii_lowercase().as_slice()))
        .find_map(|(key, value)| named(&value, key.eq_ignore_ascii_case(KEYS[0])))
}

fn named(value: &[u8], is_co_author: bool) -> Option<Agent> {
    let value = value.to_str_lossy();
    let (name, address) = value.split_once('<').unwrap_or((&value, ""));
    let name = name.trim();
    let name = match name.get(..7) {
        Some(start) if start.eq_ignore_ascii_case("github ") => &name[7..],
        _ => name,
    };
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let end = name.find(|c| !is_part(c)).unwrap_or(name.len());
    let (first, rest) = name.split_at(end);
    let first = first.to_lowercase();
    let (_, tool) = NAMES.iter().find(|(known, _)| *known == first)?;
    let rest = rest.trim_start_matches("[bot]");
    let model = rest.trim_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '(' | ')'));
    let second = model.split_whitespace().next().unwrap_or_default();
    let is_model = second.starts_with(|c: char| c.is_ascii_digit())
        || MODELS.contains(&second.to_lowercase().as_str());
    let is_of_maker = address.trim_end_matches('>').ends_with("@anthropic.com");
    let is_name = first == "claude" && is_co_author;
    let is_agent = !is_name || model.is_empty() || is_model || is_of_maker;
    is_agent.then(|| Agent {
        tool: Some((*tool).to_owned()),
        model: (!model.is_empty()).then(|| model.to_owned()),
        human: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailers_name_agents() {
        let found = |trailer: &str| {
            let agent = agent(format!("Subject\n\nText\n\n{trailer}\n").as_bytes())?;
            Some((agent.tool?, agent.model))
        };
        let named =
            |tool: &str, model: Option<&str>| Some((tool.to_owned(), model.map(str::to_owned)));
        for (trailer, expected) in [
            (
                "Co-authored-by: Claude <a@example.org>",
                named("Claude", None),
            ),
            (
                "co-authored-by: Claude Opus 4 <a@example.org>",
                named("Claude", Some("Opus 4")),
            ),
            ("Co-Authored-By: Claude Lambert <a@example.org>", None),
            (
                "Assisted-by: Claude:claude-3-opus",
                named("Claude", Some("claude-3-opus")),
            ),
            ("Generated-by: GitHub Copilot", named("Copilot", None)),
            (
                "Co-authored-by: copilot-swe-agent[bot] <a@example.org>",
                named("Copilot", None),
            ),
            (
                "Co-authored-by: aider (some model) <a@example.org>",
                named("Aider", Some("some model")),
            ),
            ("Co-authored-by: Gemini", named("Gemini", None)),
            ("Signed-off-by: Claude <a@example.org>", None),
            ("Co-authored-by: Ann Cursor <a@example.org>", None),
            ("Co-authored-by: Cursory", None),
            ("Assisted-by: ", None),
        ] {
            assert_eq!(found(trailer), expected, "{trailer}");
        }
        assert_eq!(agent(b"Co-authored-by: Claude"), None);
    }
}
