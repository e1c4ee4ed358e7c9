//! The agents that are known, and the names and addresses with which they sign commits.
//!
//! An agent is told by what only it uses: its address, or its account of GitHub. Its name tells
//! less, since people have some of these names, too; [`signature`](super::signature) says where a
//! name counts.

/// An agent, or one of its products. Texts to compare with are in lower case.
#[derive(Debug)]
pub(super) struct KnownAgent {
    /// The name that is shown.
    pub(super) tool: &'static str,
    /// Its addresses.
    pub(super) addresses: &'static [&'static str],
    /// Its accounts of GitHub, as in `ACCOUNT@users.noreply.github.com`.
    pub(super) accounts: &'static [&'static str],
    /// How its names in trailers begin.
    pub(super) names: &'static [&'static str],
    /// People are called so, or call themselves so.
    pub(super) is_name_of_people: bool,
}

const fn agent(
    tool: &'static str,
    addresses: &'static [&'static str],
    accounts: &'static [&'static str],
    names: &'static [&'static str],
) -> KnownAgent {
    KnownAgent {
        tool,
        addresses,
        accounts,
        names,
        is_name_of_people: false,
    }
}

/// An agent whose name people have, too.
const fn namesake(
    tool: &'static str,
    addresses: &'static [&'static str],
    accounts: &'static [&'static str],
    names: &'static [&'static str],
) -> KnownAgent {
    KnownAgent {
        is_name_of_people: true,
        ..agent(tool, addresses, accounts, names)
    }
}

/// All of them: what is shown, addresses, accounts, names.
#[rustfmt::skip]
const AGENTS: &[KnownAgent] = &[
    agent("Aider", &["aider@aider.chat", "noreply@aider.chat", "noreply@aider.dev"], &[], &["aider"]),
    agent("Amazon Q", &[], &["amazon-q-developer[bot]"], &["amazon q"]),
    namesake("Amp", &["amp@ampcode.com"], &[], &["amp"]),
    agent("Antigravity", &[], &[], &["antigravity"]),
    agent("Augment", &[], &["augmentcode[bot]"], &["augment code", "augment agent"]),
    agent("ChatGPT", &[], &[], &["chatgpt"]),
    namesake("Claude", &["noreply@anthropic.com"], &["claude[bot]"], &["claude"]),
    agent("Claude Code", &[], &[], &["claude code", "claude-code"]),
    namesake("Cline", &[], &[], &["cline"]),
    agent("CodeRabbit", &[], &["coderabbitai[bot]"], &["coderabbit"]),
    agent("Codeflash", &[], &["codeflash-ai[bot]"], &[]),
    agent("Codex", &["codex@openai.com", "noreply@openai.com"], &["chatgpt-codex-connector[bot]"], &["codex"]),
    namesake("Continue", &["noreply@continue.dev"], &["continue[bot]"], &["continue"]),
    agent("Copilot", &["copilot@github.com"], &["copilot", "copilot-swe-agent[bot]", "copilot-pull-request-reviewer[bot]"],
        &["copilot", "copilot-swe-agent", "copilot swe agent", "copilot coding agent", "copilot autofix powered by ai"]),
    namesake("Crush", &["crush@charm.land"], &[], &["crush"]),
    agent("Cursor", &["cursoragent@cursor.com"], &["cursor[bot]"], &["cursor", "cursoragent"]),
    namesake("Devin", &[], &["devin-ai-integration[bot]"], &["devin"]),
    namesake("Droid", &["droid@factory.ai"], &["factory-droid[bot]"], &["droid", "factory droid"]),
    agent("Ellipsis", &[], &["ellipsis-dev[bot]"], &[]),
    namesake("Gemini", &[], &["gemini-code-assist[bot]"], &["gemini"]),
    agent("Gemini CLI", &[], &[], &["gemini cli", "gemini-cli"]),
    agent("Gemini Code Assist", &[], &[], &["gemini code assist"]),
    namesake("goose", &[], &[], &["goose"]),
    agent("Greptile", &[], &["greptile-apps[bot]"], &["greptile"]),
    namesake("Jules", &[], &["google-labs-jules[bot]"], &["jules"]),
    namesake("Junie", &[], &["jetbrains-junie[bot]"], &["junie"]),
    agent("Kilo Code", &[], &["kiloconnect[bot]"], &["kilo code", "kilocode"]),
    namesake("Kiro", &["noreply@kiro.dev"], &["kiro-agent"], &["kiro"]),
    agent("Lovable", &[], &["lovable-dev[bot]", "gpt-engineer-app[bot]"], &[]),
    agent("Mentat", &[], &["mentatbot"], &[]),
    agent("Mintlify", &[], &[], &["mintlify-agent"]),
    agent("opencode", &["noreply@opencode.ai", "opencode@noreply.opencode.ai"], &["opencode-agent[bot]"], &["opencode"]),
    agent("OpenHands", &["openhands@all-hands.dev", "openhands-claude@all-hands.dev", "opendevin@all-hands.dev", "opendevin@opendevin.ai"],
        &["openhands-ai[bot]"], &["openhands", "opendevin"]),
    namesake("Pi", &[], &[], &["pi"]),
    agent("Qwen Code", &["qwen-coder@alibabacloud.com"], &[], &["qwen code", "qwen-coder"]),
    agent("Replit Agent", &["agent@replit.com"], &[], &["replit agent"]),
    agent("Roo Code", &["roomote@roocode.com"], &["roomote[bot]"], &["roo code", "roomote"]),
    agent("Sourcery", &[], &["sourcery-ai[bot]"], &[]),
    namesake("Sweep", &[], &["sweep-ai[bot]", "sweep-nightly[bot]"], &["sweep"]),
    agent("Tabnine", &["noreply@tabnine.com"], &[], &["tabnine"]),
    agent("TRAE", &["traecli@bytedance.com"], &[], &["trae cli"]),
    namesake("Warp", &["agent@warp.dev", "oz-agent@warp.dev"], &[], &["warp"]),
    agent("Windsurf", &["cascade@windsurf.ai"], &["windsurf-bot[bot]"], &["windsurf", "windsurf cascade"]),
];

/// How the names of models begin that stand without an agent, and the agent if they are only its
/// own.
const MODELS: &[(&str, Option<&str>)] = &[
    ("claude-", Some("Claude")),
    ("deepseek", None),
    ("fable", Some("Claude")),
    ("gemini-", Some("Gemini")),
    ("glm", None),
    ("gpt", None),
    ("grok", None),
    ("haiku", Some("Claude")),
    ("kimi", None),
    ("opus", Some("Claude")),
    ("qwen", None),
    ("sonnet", Some("Claude")),
];

/// The beginning of a text.
#[derive(Debug, Clone, Copy)]
pub(super) enum Beginning {
    /// The name of an agent, with its length in bytes.
    Agent(&'static KnownAgent, usize),
    /// The name of a model, and whose it is.
    Model(Option<&'static str>),
}

/// The beginning of the name in `text`, in any case: the longest that is known.
pub(super) fn beginning(text: &str) -> Option<Beginning> {
    let text = text.to_ascii_lowercase();
    let rest = |known: &str| text.strip_prefix(known);
    let ends_word = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let agents = AGENTS
        .iter()
        .flat_map(|agent| agent.names.iter().map(move |name| (agent, *name)))
        .filter(|(_, name)| rest(name).is_some_and(ends_word))
        .map(|(agent, name)| (name.len(), Beginning::Agent(agent, name.len())));
    let ends_letters = |name: &str, rest: &str| {
        name.ends_with('-') || !rest.starts_with(|c: char| c.is_alphabetic() || c == '_')
    };
    let models = MODELS
        .iter()
        .filter(|(name, _)| rest(name).is_some_and(|rest| ends_letters(name, rest)))
        .map(|(name, tool)| (name.len(), Beginning::Model(*tool)));
    let longest = agents.chain(models).max_by_key(|(len, _)| *len);
    longest.map(|(_, found)| found)
}

/// The agent that has this address, or whose account has this name. Only names with `[bot]` are
/// certainly those of accounts.
pub(super) fn signer(name: &str, mail: &str) -> Option<&'static KnownAgent> {
    let mail = mail.trim().to_ascii_lowercase();
    let name = name.trim().to_ascii_lowercase();
    let account = match mail.strip_suffix("@users.noreply.github.com") {
        Some(account) => account.split_once('+').map_or(account, |(_, name)| name),
        None if name.ends_with("[bot]") => &name,
        None => "",
    };
    AGENTS
        .iter()
        .find(|agent| agent.addresses.contains(&mail.as_str()) || agent.accounts.contains(&account))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_name_and_address_is_that_of_one_agent() {
        let mut seen = BTreeSet::new();
        for agent in AGENTS {
            let texts = [agent.addresses, agent.accounts, agent.names].into_iter();
            for (kind, text) in texts
                .enumerate()
                .flat_map(|(k, it)| it.iter().map(move |t| (k, t)))
            {
                assert_eq!(*text, text.to_ascii_lowercase());
                assert!(seen.insert((kind, text)), "{text} comes twice");
            }
        }
        assert!(seen.len() > 80, "{}", seen.len());
    }
}
