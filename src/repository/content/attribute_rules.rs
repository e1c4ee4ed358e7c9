//! The lines of attributes files: which of them apply to a path, and what they say
//! (gitattributes(5)).

use std::{borrow::Cow, collections::HashMap};

use bstr::{BStr, BString, ByteSlice};
use gix_attributes::{Name, StateRef, parse::Kind};
use gix_glob::{Pattern, pattern, wildmatch};

use crate::error::until_nul;

/// The longest line that git reads, in bytes.
const MAX_LINE: usize = 2047;

/// The macro that git defines.
const BUILT_IN: &[u8] = b"[attr]binary -diff -merge -text";

/// The state of an attribute at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AttributeState {
    Set,
    Unset,
    Unspecified,
    Value(BString),
}

impl AttributeState {
    pub(super) fn is(&self, value: &str) -> bool {
        matches!(self, AttributeState::Value(own) if own == value)
    }
}

/// The states that a line gives to attributes.
type AssignedStates = Vec<(Name, AttributeState)>;

/// The lines of one file.
pub(super) struct AttributeRules {
    /// Patterns that files can match.
    patterns: Vec<(Pattern, AssignedStates)>,
    macros: Vec<(Name, AssignedStates)>,
}

impl AttributeRules {
    /// Parses a file. Lines that git refuses are passed over.
    pub(super) fn parse(text: &[u8]) -> AttributeRules {
        let mut rules = AttributeRules {
            patterns: Vec::new(),
            macros: Vec::new(),
        };
        for (kind, assignments, _) in gix_attributes::parse(&readable(text)).flatten() {
            let assignments = assignments.map(|assignment| {
                let assignment = assignment.ok()?;
                let state = match assignment.state {
                    StateRef::Set => AttributeState::Set,
                    StateRef::Unset => AttributeState::Unset,
                    StateRef::Unspecified => AttributeState::Unspecified,
                    StateRef::Value(value) => AttributeState::Value(value.as_bstr().to_owned()),
                };
                Some((assignment.name.to_owned(), state))
            });
            match (kind, assignments.collect()) {
                (_, None) => {}
                (Kind::Macro(name), Some(assignments)) => rules.macros.push((name, assignments)),
                (Kind::Pattern(pattern), Some(assignments)) => {
                    if !pattern.mode.contains(pattern::Mode::MUST_BE_DIR) {
                        rules.patterns.push((pattern, assignments));
                    }
                }
            }
        }
        rules
    }
}

/// The states of the attributes `names` at `path` by `files`, the most important first, each with
/// the directory that it is about; those below the root define no macros.
pub(super) fn states<const N: usize>(
    files: &[(&BStr, &AttributeRules)],
    path: &BStr,
    ignores_case: bool,
    names: [&str; N],
) -> [AttributeState; N] {
    let built_in = AttributeRules::parse(BUILT_IN);
    let of_root = files.iter().filter(|(directory, _)| directory.is_empty());
    let of_root = of_root.map(|(_, rules)| *rules).chain([&built_in]);
    let mut macros = HashMap::new();
    for (name, assignments) in of_root.flat_map(|rules| rules.macros.iter().rev()) {
        macros.entry(name).or_insert(assignments);
    }
    let mut found: HashMap<&str, &AttributeState> = HashMap::new();
    let lines = files.iter().flat_map(|(directory, rules)| {
        let path = path[directory.len()..].as_bstr();
        let lines = rules.patterns.iter().rev();
        lines.filter(move |(pattern, _)| matches(pattern, path, ignores_case))
    });
    for (_, assignments) in lines {
        // The last is the most important. What a macro stands for comes at once.
        let mut waiting = Vec::from_iter(assignments);
        while let Some((name, state)) = waiting.pop() {
            if found.contains_key(name.as_str()) {
                continue;
            }
            found.insert(name.as_str(), state);
            if *state == AttributeState::Set {
                waiting.extend(macros.get(name).copied().into_iter().flatten());
            }
        }
        if names.iter().all(|name| found.contains_key(name)) {
            break;
        }
    }
    names.map(|name| match found.get(name) {
        Some(state) => (*state).clone(),
        None => AttributeState::Unspecified,
    })
}

/// True if a pattern matches the file `path`, which starts where the pattern does.
fn matches(pattern: &Pattern, path: &BStr, ignores_case: bool) -> bool {
    let mode = if ignores_case {
        wildmatch::Mode::IGNORE_CASE
    } else {
        wildmatch::Mode::empty()
    };
    let has_slash = !pattern.mode.contains(pattern::Mode::NO_SUB_DIR);
    if !has_slash && !pattern.mode.contains(pattern::Mode::ABSOLUTE) {
        let name = path.rfind_byte(b'/').map_or(0, |at| at + 1);
        return wildmatch(pattern.text.as_bstr(), path[name..].as_bstr(), mode);
    }
    // git compares what is before the first wildcard by itself. Two stars after that are at the
    // start of a pattern: `/a**` matches `ab/c`.
    let literal = pattern.first_wildcard_pos.unwrap_or(pattern.text.len());
    let (start, wildcards) = pattern.text.split_at(literal);
    let Some((path_start, rest)) = path.split_at_checked(literal) else {
        return false;
    };
    let starts_so = if ignores_case {
        path_start.eq_ignore_ascii_case(start)
    } else {
        path_start == start
    };
    let mode = mode | wildmatch::Mode::NO_MATCH_SLASH_LITERAL;
    starts_so && wildmatch(wildcards.as_bstr(), rest.as_bstr(), mode)
}

/// A file without what git passes over: longer lines, and what follows a NUL in others.
fn readable(text: &[u8]) -> Cow<'_, [u8]> {
    let is_odd = |line: &[u8]| line.len() > MAX_LINE || line.contains(&0);
    if !text.lines().any(is_odd) {
        return text.into();
    }
    let lines = text.lines().map(|line| {
        if line.len() > MAX_LINE {
            &[]
        } else {
            until_nul(line)
        }
    });
    lines
        .flat_map(|line| [line, b"\n"])
        .collect::<Vec<_>>()
        .concat()
        .into()
}
