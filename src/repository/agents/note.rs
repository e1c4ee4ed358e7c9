//! A note in the format of the Git AI Standard, version 3.
//!
//! It begins with the attestations: a path, and below it keys for those who wrote lines of this
//! file, indented by two blanks, each with the ranges of the lines. Below a line `---` is a JSON
//! object with a record for each key. The beginning of a key says of what it is and where its
//! record is:
//!
//! | key | of | record in |
//! | --- | --- | --- |
//! | `s_…::t_…` | a session of an agent, and a step of it | `sessions`, below the part before `::` |
//! | `h_…` | a known person | `humans` |
//! | without `_` | a session of an agent, before version 1.4 of Git AI | `prompts` |
//!
//! Other keys may mean anything: their lines, as those of people and those without a record, are
//! nobody's.
//!
//! ```text
//! src/main.rs
//!   s_0123456789abcd::t_00112233445566 1-4,9
//!   h_fedcba98765432 5-8
//! "a b"
//!   abcdef0123456789 2
//! ---
//! {"schema_version": "authorship/3.0.0",
//!  "humans": {"h_fedcba98765432": {"author": "A <a@b>"}},
//!  "sessions": {"s_0123456789abcd": {"agent_id": {"tool": "cursor", "model": "m"},
//!     "human_author": "A <a@b>"}},
//!  "prompts": {"abcdef0123456789": {"agent_id": {"tool": "cursor", "model": "m"}}}}
//! ```

use std::{collections::BTreeSet, ops::Range};

use bstr::{BStr, BString, ByteSlice};
use rustc_hash::FxHashMap;

use crate::{
    repository::agents::agent::{Agent, AgentLines, AgentSource},
    sorting,
    text::json::Json,
};

/// Most ranges of a note.
const MAX_RANGES: usize = 1 << 16;

/// The beginning of the version of notes that are read.
const VERSION: &str = "authorship/3.";

/// The statements of a note.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Note {
    files: FxHashMap<BString, NotedFile>,
    /// The agents of the files' lines; `None` for lines of people and of unknown writers.
    agents: Vec<Option<Agent>>,
    /// The commit that the note says it was made for.
    pub(super) base: Option<String>,
}

/// The statements of a note on a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct NotedFile {
    /// Lines (0-based, half-open) with the index of their agent, in the order of the lines, and
    /// without common ones.
    ranges: Vec<(Range<u32>, usize)>,
    /// The least number of lines of the file.
    pub(super) len: u32,
    /// True if the file has so many lines, once known.
    pub(super) is_true: Option<bool>,
}

/// The record of an agent's session: in which part of the metadata, and its key there.
type RecordKey<'a> = (&'static str, &'a [u8]);

/// The record of the agent that an attestation's key stands for; `None` if it stands for a person
/// or is unknown.
fn record_of(key: &[u8]) -> Option<RecordKey<'_>> {
    match key.split_once_str("_") {
        None => Some(("prompts", key)),
        Some((b"s", _)) => Some(("sessions", key.split_once_str("::").map_or(key, |it| it.0))),
        Some(_) => None,
    }
}

impl Note {
    /// Reads a note; `None` if it is of another version. What is not as described is left out.
    pub(super) fn read(bytes: &[u8]) -> Option<Note> {
        let mut note = Note::default();
        // All lines that are nobody's have the first index.
        let mut records: FxHashMap<Option<RecordKey<'_>>, usize> =
            FxHashMap::from_iter([(None, 0)]);
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
            let (Some((key, ranges)), Some(path)) = (parts, &path) else {
                continue;
            };
            let next = records.len();
            let writer = *records.entry(record_of(key)).or_insert(next);
            for range in ranges
                .split_str(",")
                .filter_map(|it| lines(it.trim_ascii()))
            {
                if count == MAX_RANGES {
                    break;
                }
                count += 1;
                let file = note.files.entry(path.clone()).or_default();
                file.len = file.len.max(range.end);
                file.ranges.push((range, writer));
            }
        }
        for file in note.files.values_mut() {
            file.ranges = separated(&file.ranges);
        }
        let metadata = Json::read(&rest.to_str_lossy()).unwrap_or(Json::Other);
        let text = |key: &str| metadata.get(key).and_then(Json::text);
        if text("schema_version").is_some_and(|version| !version.starts_with(VERSION)) {
            return None;
        }
        note.base = text("base_commit_sha").map(str::to_owned);
        note.agents = vec![None; records.len()];
        for part in ["sessions", "prompts"] {
            for (key, record) in metadata.get(part).map_or(&[][..], Json::members) {
                let at = records.get(&Some((part, key.as_bytes())));
                if let Some(agent) = at.and_then(|&at| note.agents.get_mut(at)) {
                    *agent = agent_of(record);
                }
            }
        }
        Some(note)
    }

    /// The statements on a file.
    pub(super) fn file_mut(&mut self, path: &BStr) -> Option<&mut NotedFile> {
        self.files.get_mut(path)
    }

    /// Those of some lines (0-based, half-open) of a file that agents wrote. Of several writers of
    /// a line, the last one in the note counts.
    pub(super) fn lines(&self, path: &BStr, lines: Range<u32>) -> Vec<AgentLines> {
        let ranges = self.files.get(path).map_or(&[][..], |file| &file.ranges);
        let first = ranges.partition_point(|(range, _)| range.end <= lines.start);
        let inside = ranges[first..].iter();
        let inside = inside.take_while(|(range, _)| range.start < lines.end);
        let found = inside.filter_map(|(range, at)| {
            Some(AgentLines {
                lines: range.start.max(lines.start)..range.end.min(lines.end),
                agent: self.agents.get(*at)?.clone()?,
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
    sorting::sort(&mut bounds);
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
        if opens {
            open.insert(at)
        } else {
            open.remove(&at)
        };
    }
    result
}

/// The agent of a session's record; `None` if the record names none.
fn agent_of(record: &Json) -> Option<Agent> {
    let id = record.get("agent_id")?;
    let text = |value: Option<&Json>| value.and_then(Json::text).map(str::to_owned);
    Some(Agent {
        tool: text(id.get("tool")),
        model: text(id.get("model")),
        human: text(record.get("human_author")),
    })
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

    /// The tools of the first lines of a file, `.` where no agent is told.
    fn tools(note: &str, path: &str) -> String {
        let note = Note::read(note.as_bytes()).expect("a note");
        let tool = |line| agent(&note, path, line).map(|it| it.tool.unwrap_or_default());
        let tools: Vec<_> = (0..6)
            .map(|line| tool(line).unwrap_or_else(|| ".".to_owned()))
            .collect();
        tools.join(" ")
    }

    #[test]
    fn lines_have_agents() {
        let note = "src/a.rs\n  1a 1-2,4\n  2b 4-5\n\"b c\"\n  3c 3\n---\n\
              {\"prompts\":{\"1a\":{\"agent_id\":{\"tool\":\"t\",\"id\":\"i\",\"model\":\"m\"},\
              \"human_author\":\"A <a@b>\"},\"2b\":{\"agent_id\":{\"tool\":\"u\"}},\"x\":{}}}";
        assert_eq!(tools(note, "src/a.rs"), "t t . u u .");
        // Without a record.
        assert_eq!(tools(note, "b c"), ". . . . . .");
        assert_eq!(tools(note, "a"), ". . . . . .");
        let note = Note::read(note.as_bytes()).expect("a note");
        let first = agent(&note, "src/a.rs", 0).expect("an agent");
        assert_eq!(first.model.as_deref(), Some("m"));
        assert_eq!(first.human.as_deref(), Some("A <a@b>"));
    }

    #[test]
    fn keys_lead_to_their_records() {
        // Every part of the metadata has a record for every key, so that only the right part gives
        // the right tool.
        let record = |tool: &str, keys: &[&str]| {
            let record = |key| format!("\"{key}\":{{\"agent_id\":{{\"tool\":\"{tool}\"}}}}");
            keys.iter().map(record).collect::<Vec<_>>().join(",")
        };
        let keys = ["s_a", "h_a", "a0", "x_a", "s_b::t_b", "7-u-i-d"];
        let metadata = |version: &str| {
            format!(
                "---\n{{\"schema_version\":\"{version}\",\"sessions\":{{{}}},\"humans\":{{{}}},\"prompts\":{{{}}}}}",
                record("session", &keys),
                record("person", &keys),
                record("prompt", &keys)
            )
        };
        let three = metadata("authorship/3.0.0");
        for (key, tool) in [
            ("s_a::t_1", "session"),
            ("s_a::t_2", "session"),
            ("s_a", "session"),
            ("s_b::t_b", "."),
            ("s_c::t_1", "."),
            ("h_a", "."),
            ("h_z", "."),
            ("a0", "prompt"),
            ("7-u-i-d", "prompt"),
            ("a1", "."),
            ("x_a", "."),
            ("t_a", "."),
            ("_a", "."),
        ] {
            let found = tools(&format!("f\n  {key} 1\n{three}"), "f");
            assert_eq!(found.split(' ').next(), Some(tool), "{key}");
        }
        // Who comes last counts, an agent or not.
        let all = format!("f\n  s_a::t_1 1-5\n  h_a 2\n  x_y 3\n  a0 4\n  a1 5\n{three}");
        assert_eq!(tools(&all, "f"), "session . . prompt . .");
        let four = metadata("authorship/4.0.0");
        assert_eq!(Note::read(format!("f\n  a0 1\n{four}").as_bytes()), None);
    }

    #[test]
    fn hostile_notes_are_read_as_far_as_they_go() {
        let prompts = "---\n{\"prompts\":{\"a\":{\"agent_id\":{}}}}";
        for text in [
            "",
            "---",
            "  a 1-2\n",
            "f\n  a\n  a x\n  a 0\n  a 5-4\n  a 99999999999\n  a 1-\n  a -1\n",
            "f\n  a +1\n",
        ] {
            for end in [prompts, "---\n{\"prompts\":3}", "---\n[[[["] {
                let note = Note::read(format!("{text}{end}").as_bytes()).expect("a note");
                assert!((0..9).all(|line| agent(&note, "f", line).is_none()));
            }
        }
        let long = format!("f\n  a 1{}\n", ",1".repeat(MAX_RANGES + 9));
        let note = Note::read(long.as_bytes()).expect("a note");
        assert_eq!(note.files[&BString::from("f")].ranges, [(0..1, 1)]);
        let last = format!("f\n  a 4294967295\n{prompts}");
        let last = Note::read(last.as_bytes()).expect("a note");
        assert!(agent(&last, "f", u32::MAX - 1).is_some());
    }
}
