//! A note in the format of the Git AI Standard, version 3.
//!
//! It begins with the attestations: a path, and below it the sessions that wrote lines of this file, indented by two blanks, each
//! with the ranges of its lines. Below a line `---` is a JSON object, whose `prompts` have the agent of each session.
//!
//! ```text
//! src/main.rs
//!   abcdef0123456789 1-4,9
//! "a b"
//!   abcdef0123456789 2
//! ---
//! {"schema_version": "authorship/3.0.0",
//!  "prompts": {"abcdef0123456789": {"agent_id": {"tool": "cursor", "model": "m"}, "human_author": "A <a@b>"}}}
//! ```

use std::{collections::BTreeSet, ops::Range};

use bstr::{BStr, BString, ByteSlice};
use rustc_hash::FxHashMap;

use crate::repository::agents::{
    agent::{Agent, AgentLines, AgentSource},
    json::Json,
};

/// Most ranges of a note.
const MAX_RANGES: usize = 1 << 16;

/// What a note tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Note {
    /// By path: lines (0-based, half-open) with the index of their agent, in the order of the lines, and without common ones.
    files: FxHashMap<BString, Vec<(Range<u32>, usize)>>,
    agents: Vec<Agent>,
}

impl Note {
    /// Reads a note. What is not as described is left out; a session that the metadata do not have is an agent without names.
    pub(super) fn read(bytes: &[u8]) -> Note {
        let mut note = Note::default();
        let mut sessions: FxHashMap<&[u8], usize> = FxHashMap::default();
        let mut path: Option<BString> = None;
        let mut count = 0;
        let mut rest = bytes;
        while !rest.is_empty() {
            let end = rest.find_byte(b'\n').unwrap_or(rest.len());
            let line = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
            rest = rest.get(end + 1..).unwrap_or_default();
            if line == b"---" {
                break;
            }
            let Some(attestation) = line.strip_prefix(b"  ") else {
                path = (!line.is_empty()).then(|| unquoted(line).into());
                continue;
            };
            let parts = attestation.split_once_str(" ");
            let (Some((session, ranges)), Some(path)) = (parts, &path) else {
                continue;
            };
            let next = sessions.len();
            let agent = *sessions.entry(session).or_insert(next);
            for range in ranges
                .split_str(",")
                .filter_map(|it| lines(it.trim_ascii()))
            {
                if count == MAX_RANGES {
                    break;
                }
                count += 1;
                let list = note.files.entry(path.clone()).or_default();
                list.push((range, agent));
            }
        }
        for ranges in note.files.values_mut() {
            *ranges = separated(ranges);
        }
        let metadata = Json::read(&rest.to_str_lossy());
        let prompts = metadata.as_ref().and_then(|it| it.get("prompts"));
        note.agents = vec![Agent::default(); sessions.len()];
        for (id, prompt) in prompts.map_or(&[][..], Json::members) {
            if let Some(&at) = sessions.get(id.as_bytes())
                && let Some(agent) = note.agents.get_mut(at)
            {
                *agent = agent_of(prompt);
            }
        }
        note
    }

    /// What agents wrote of some lines (0-based, half-open) of a file. Of several agents of a line, the last one in the note counts.
    pub(super) fn lines(&self, path: &BStr, lines: Range<u32>) -> Vec<AgentLines> {
        let ranges = self.files.get(path).map_or(&[][..], Vec::as_slice);
        let first = ranges.partition_point(|(range, _)| range.end <= lines.start);
        let inside = ranges[first..].iter();
        let inside = inside.take_while(|(range, _)| range.start < lines.end);
        let found = inside.filter_map(|(range, at)| {
            Some(AgentLines {
                lines: range.start.max(lines.start)..range.end.min(lines.end),
                agent: self.agents.get(*at)?.clone(),
                source: AgentSource::Note,
            })
        });
        found.collect()
    }
}

/// The same lines without common ones: the last of several ranges has a line.
fn separated(ranges: &[(Range<u32>, usize)]) -> Vec<(Range<u32>, usize)> {
    let mut bounds: Vec<(u32, bool, usize)> = Vec::new();
    for (at, (range, _)) in ranges.iter().enumerate() {
        bounds.push((range.start, true, at));
        bounds.push((range.end, false, at));
    }
    bounds.sort_unstable();
    let mut open: BTreeSet<usize> = BTreeSet::new();
    let mut result: Vec<(Range<u32>, usize)> = Vec::new();
    let mut start = 0;
    for (line, opens, at) in bounds {
        if let Some(&last) = open.last().filter(|_| start < line) {
            let agent = ranges[last].1;
            match result.last_mut() {
                Some((range, before)) if range.end == start && *before == agent => range.end = line,
                _ => result.push((start..line, agent)),
            }
        }
        start = line;
        match opens {
            true => open.insert(at),
            false => open.remove(&at),
        };
    }
    result
}

fn agent_of(prompt: &Json) -> Agent {
    let id = prompt.get("agent_id");
    let text = |value: Option<&Json>| value.and_then(Json::text).map(str::to_owned);
    Agent {
        tool: text(id.and_then(|id| id.get("tool"))),
        model: text(id.and_then(|id| id.get("model"))),
        human: text(prompt.get("human_author")),
    }
}

/// The lines `3` or `3-7`, both ends included, as 0-based and half-open.
fn lines(text: &[u8]) -> Option<Range<u32>> {
    let (first, last) = text.split_once_str("-").unwrap_or((text, text));
    let number = |digits: &[u8]| -> Option<u32> {
        let is_number = digits.iter().all(u8::is_ascii_digit);
        digits.to_str().ok().filter(|_| is_number)?.parse().ok()
    };
    let (first, last) = (number(first)?, number(last)?);
    (1 <= first && first <= last).then(|| first - 1..last)
}

/// A path without the quotes that paths with blanks have.
fn unquoted(line: &[u8]) -> &[u8] {
    let inner = line
        .strip_prefix(b"\"")
        .and_then(|it| it.strip_suffix(b"\""));
    inner.unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(note: &Note, path: &str, line: u32) -> Option<Agent> {
        let found = note.lines(path.into(), line..line + 1);
        assert!(found.len() < 2);
        found.into_iter().next().map(|it| it.agent)
    }

    #[test]
    fn lines_have_agents() {
        let note = Note::read(
            b"src/a.rs\n  s1 1-2,4\n  s2 4-5\n\"b c\"\n  s3 3\n---\n\
              {\"prompts\":{\"s1\":{\"agent_id\":{\"tool\":\"t\",\"id\":\"i\",\"model\":\"m\"},\
              \"human_author\":\"A <a@b>\"},\"s2\":{\"agent_id\":{\"tool\":\"u\"}},\"x\":{}}}",
        );
        let tools = |path: &str| -> Vec<_> {
            (0..6)
                .map(|line| agent(&note, path, line).map(|it| it.tool))
                .collect()
        };
        let tool = |name: &str| Some(Some(name.to_owned()));
        let (t, u) = (tool("t"), tool("u"));
        assert_eq!(tools("src/a.rs"), [t.clone(), t, None, u.clone(), u, None]);
        assert_eq!(tools("b c"), [None, None, Some(None), None, None, None]);
        assert_eq!(tools("a"), [const { None }; 6]);
        let first = agent(&note, "src/a.rs", 0).expect("an agent");
        assert_eq!(first.model.as_deref(), Some("m"));
        assert_eq!(first.human.as_deref(), Some("A <a@b>"));
    }

    #[test]
    fn hostile_notes_are_read_as_far_as_they_go() {
        let mut read = 0;
        for note in [
            &b""[..],
            b"---",
            b"  s 1-2\n",
            b"a\n  s\n  s x\n  s 0\n  s 5-4\n  s 99999999999\n  s 1-\n  s -1\n---\n{\"prompts\":3}",
            b"a\n  s +1\n---\n[[[[",
        ] {
            let note = Note::read(note);
            assert!((0..9).all(|line| agent(&note, "a", line).is_none()));
            read += 1;
        }
        assert_eq!(read, 5);
        let long = format!("a\n  s 1{}\n", ",1".repeat(MAX_RANGES + 9));
        assert_eq!(
            Note::read(long.as_bytes()).files[&BString::from("a")],
            [(0..1, 0)]
        );
        let last = Note::read(b"a\n  s 4294967295\n");
        assert!(agent(&last, "a", u32::MAX - 1).is_some());
    }
}
