//! Variables that a blame does not use, but whose values git validates while it reads the
//! configuration.

use bstr::{BString, ByteSlice, ByteVec};

use crate::{
    error::{Error, Result, quoted},
    repository::open::configuration::variable::Located,
};

/// What a value must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueType {
    Boolean,
    /// A boolean, or one of these words.
    BooleanOr(&'static [&'static str]),
    /// As [`ValueType::BooleanOr`], in any letter case.
    BooleanOrAnyCase(&'static [&'static str]),
    /// Any value, but there must be one.
    Text,
    Path,
    UnsignedLong,
    /// A compression level, and the word for it in the message.
    Level(&'static str),
    CheckStat,
    CommentString,
    CreateObject,
    Fsync,
    FsyncMethod,
    FsyncObjectFiles,
    PushDefault,
    RebaseSetup,
    Whitespace,
}

/// The variables of sections without subsection, in lower case.
const VARIABLES: &[(&str, ValueType)] = &[
    ("attr.tree", ValueType::Text),
    ("author.email", ValueType::Text),
    ("author.name", ValueType::Text),
    (
        "branch.autosetupmerge",
        ValueType::BooleanOr(&["always", "inherit", "simple"]),
    ),
    ("branch.autosetuprebase", ValueType::RebaseSetup),
    (
        "color.advice",
        ValueType::BooleanOrAnyCase(&["always", "auto", "never"]),
    ),
    ("color.pager", ValueType::Boolean),
    ("committer.email", ValueType::Text),
    ("committer.name", ValueType::Text),
    ("core.askpass", ValueType::Text),
    ("core.attributesfile", ValueType::Path),
    ("core.autocrlf", ValueType::BooleanOrAnyCase(&["input"])),
    ("core.bare", ValueType::Boolean),
    ("core.checkroundtripencoding", ValueType::Text),
    ("core.checkstat", ValueType::CheckStat),
    ("core.commentchar", ValueType::CommentString),
    ("core.commentstring", ValueType::CommentString),
    ("core.compression", ValueType::Level("zlib")),
    ("core.createobject", ValueType::CreateObject),
    ("core.editor", ValueType::Text),
    ("core.excludesfile", ValueType::Path),
    ("core.filemode", ValueType::Boolean),
    ("core.fsync", ValueType::Fsync),
    ("core.fsyncmethod", ValueType::FsyncMethod),
    ("core.fsyncobjectfiles", ValueType::FsyncObjectFiles),
    ("core.ignorecase", ValueType::Boolean),
    ("core.ignorestat", ValueType::Boolean),
    ("core.lockfilepid", ValueType::Boolean),
    ("core.loosecompression", ValueType::Level("zlib")),
    ("core.precomposeunicode", ValueType::Boolean),
    ("core.protecthfs", ValueType::Boolean),
    ("core.protectntfs", ValueType::Boolean),
    ("core.safecrlf", ValueType::BooleanOrAnyCase(&["warn"])),
    ("core.sparsecheckout", ValueType::Boolean),
    ("core.sparsecheckoutcone", ValueType::Boolean),
    ("core.symlinks", ValueType::Boolean),
    ("core.trustctime", ValueType::Boolean),
    ("core.whitespace", ValueType::Whitespace),
    ("pack.compression", ValueType::Level("pack")),
    ("pack.packsizelimit", ValueType::UnsignedLong),
    ("push.default", ValueType::PushDefault),
    ("sparse.expectfilesoutsideofpatterns", ValueType::Boolean),
    ("user.email", ValueType::Text),
    ("user.name", ValueType::Text),
    ("user.useconfigonly", ValueType::Boolean),
];

/// The names of `advice.<name>` in lower case, all booleans; git ignores others.
const ADVICE: &[&str] = &[
    "addembeddedrepo",
    "addemptypathspec",
    "addignoredfile",
    "ambiguousfetchrefspec",
    "amworkdir",
    "checkoutambiguousremotebranchname",
    "commitbeforemerge",
    "defaultbranchname",
    "detachedhead",
    "diverging",
    "fetchremoteheadwarn",
    "fetchshowforcedupdates",
    "forcedeletebranch",
    "graftfiledeprecated",
    "hint",
    "ignoredhook",
    "implicitidentity",
    "mergeconflict",
    "nestedtag",
    "objectnamewarning",
    "pushalreadyexists",
    "pushfetchfirst",
    "pushneedsforce",
    "pushnonfastforward",
    "pushnonffcurrent",
    "pushnonffmatching",
    "pushrefneedsupdate",
    "pushrepolookslikeref",
    "pushunqualifiedrefname",
    "pushupdaterejected",
    "rebasetodoerror",
    "refsyntax",
    "resetnorefresh",
    "resolveconflict",
    "rmhints",
    "sequencerinuse",
    "setupstreamfailure",
    "skippedcherrypicks",
    "sparseindexexpanded",
    "statusaheadbehindwarning",
    "statushints",
    "statusuoption",
    "submodulealternateerrorstrategydie",
    "submodulemergeconflict",
    "submodulesnotupdated",
    "suggestdetachinghead",
    "updatesparsepath",
    "waitingforeditor",
    "worktreeaddorphan",
];

/// Validates a variable that [`GitConfig`](super::git_config::GitConfig) does not use. Warnings are
/// added to `notes`.
///
/// # Errors
///
/// In git's words.
pub(super) fn check(variable: Located<'_>, notes: &mut Vec<BString>) -> Result<()> {
    let Ok(key) = variable.key().to_str() else {
        return Ok(());
    };
    if let Some(name) = key.strip_prefix("advice.") {
        if ADVICE.binary_search(&name).is_ok() {
            variable.boolean()?;
        }
        return Ok(());
    }
    let Ok(at) = VARIABLES.binary_search_by_key(&key, |(key, _)| key) else {
        return Ok(());
    };
    check_kind(VARIABLES[at].1, variable, notes)
}

fn check_kind(kind: ValueType, variable: Located<'_>, notes: &mut Vec<BString>) -> Result<()> {
    let value = variable.variable.value.as_ref();
    match kind {
        ValueType::Boolean => drop(variable.boolean()?),
        ValueType::BooleanOr(words) => {
            if !value.is_some_and(|value| words.iter().any(|&word| value == word)) {
                variable.boolean()?;
            }
        }
        ValueType::BooleanOrAnyCase(words) => {
            let is = |word: &&str| {
                value.is_some_and(|value| value.eq_ignore_ascii_case(word.as_bytes()))
            };
            if !words.iter().any(is) {
                variable.boolean()?;
            }
        }
        ValueType::Text => drop(variable.text()?),
        ValueType::Path => drop(variable.path()?),
        ValueType::UnsignedLong => drop(variable.unsigned_long()?),
        ValueType::Level(of) => {
            let level = variable.int()?;
            if !(-1..=9).contains(&level) {
                return Err(Error::fatal(format!("bad {of} compression level {level}")));
            }
        }
        ValueType::CheckStat => {
            let value = variable.text()?;
            let known = [&b"default"[..], b"minimal"];
            if !known.iter().any(|known| value.eq_ignore_ascii_case(known)) {
                let mut reason = quoted("invalid value for ", variable.key(), ": ");
                reason.push_str(quoted("", value.as_bstr(), ""));
                return Err(variable.refuse(reason));
            }
        }
        ValueType::CommentString => {
            let value = variable.text()?;
            let mut reason = variable.key().to_vec();
            if value.is_empty() {
                reason.push_str(" must have at least one character");
                return Err(variable.refuse(reason));
            }
            if value.contains(&b'\n') {
                reason.push_str(" cannot contain newline");
                return Err(variable.refuse(reason));
            }
        }
        ValueType::CreateObject => {
            let value = variable.text()?;
            if value != "rename" && value != "link" {
                let mut message = b"invalid mode for object creation: ".to_vec();
                message.push_str(&value);
                return Err(Error::fatal(message));
            }
        }
        ValueType::Fsync => fsync(variable.text()?.as_slice(), notes),
        ValueType::FsyncMethod => {
            let value = variable.text()?;
            if !["fsync", "batch", "writeout-only"]
                .iter()
                .any(|&known| value == known)
            {
                let start = "warning: ignoring unknown core.fsyncMethod value ";
                notes.push(quoted(start, value.as_bstr(), "").into());
            }
        }
        ValueType::FsyncObjectFiles => {
            let note = "warning: core.fsyncObjectFiles is deprecated; use core.fsync instead";
            notes.push(note.into());
            variable.boolean()?;
        }
        ValueType::PushDefault => push_default(variable)?,
        ValueType::RebaseSetup => {
            let value = variable.text()?;
            if !["never", "local", "remote", "always"]
                .iter()
                .any(|&known| value == known)
            {
                return Err(variable.refuse("malformed value for branch.autosetuprebase"));
            }
        }
        ValueType::Whitespace => whitespace(variable.text()?.as_slice(), notes)?,
    }
    Ok(())
}

fn push_default(variable: Located<'_>) -> Result<()> {
    const KNOWN: [&str; 6] = [
        "nothing", "matching", "simple", "upstream", "tracking", "current",
    ];
    let value = variable.text()?;
    if KNOWN.iter().any(|&known| value == known) {
        return Ok(());
    }
    let mut reason = b"malformed value for push.default: ".to_vec();
    reason.push_str(&value);
    reason.push_str("\nerror: must be one of nothing, matching, simple, upstream or current");
    Err(variable.refuse(reason))
}

fn fsync(value: &[u8], notes: &mut Vec<BString>) {
    const KNOWN: &[&str] = &[
        "added",
        "all",
        "commit-graph",
        "committed",
        "derived-metadata",
        "index",
        "loose-object",
        "objects",
        "pack",
        "pack-metadata",
        "reference",
    ];
    if value == b"none" {
        return;
    }
    for component in value.split(|&byte| byte == b',') {
        let component = component.trim_ascii_start();
        let component = component.strip_prefix(b"-").unwrap_or(component);
        if !component.is_empty() && !KNOWN.iter().any(|known| component == known.as_bytes()) {
            let start = "warning: ignoring unknown core.fsync component ";
            notes.push(quoted(start, component.as_bstr(), "").into());
        }
    }
}

fn whitespace(value: &[u8], notes: &mut Vec<BString>) -> Result<()> {
    const RULES: [&str; 7] = [
        "trailing-space",
        "space-before-tab",
        "indent-with-non-tab",
        "cr-at-eol",
        "blank-at-eol",
        "blank-at-eof",
        "tab-in-indent",
    ];
    let (mut indent, mut tab) = (false, false);
    for word in value.split(|&byte| byte == b',') {
        let word = word.trim_ascii_start();
        let (on, name) = match word.strip_prefix(b"-") {
            Some(name) => (false, name),
            None => (true, word),
        };
        if name.is_empty() {
            continue;
        }
        match RULES.iter().find(|rule| rule.as_bytes().starts_with(name)) {
            Some(&"indent-with-non-tab") => indent = on,
            Some(&"tab-in-indent") => tab = on,
            _ => {}
        }
        if let Some(width) = word.strip_prefix(b"tabwidth=") {
            let digits = width
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            let number = width[..digits].to_str().unwrap_or_default().parse();
            if !number.is_ok_and(|width: u64| (1..64).contains(&width)) {
                let mut note = BString::from("warning: tabwidth ");
                note.push_str(width);
                note.push_str(" out of range");
                notes.push(note);
            }
        }
    }
    if indent && tab {
        let message = "cannot enforce both tab-in-indent and indent-with-non-tab";
        return Err(Error::fatal(message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(VARIABLES.is_sorted_by_key(|(key, _)| key));
        assert!(ADVICE.is_sorted());
    }
}
