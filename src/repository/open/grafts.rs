//! Parents that override the stored ones: shallow commits, grafts, and the file of `-S`.

use std::{collections::HashMap, io, path::Path};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    error::{Error, Result, noted, os_message, quoted, until_nul},
    objects::{CommitHead, HashKind, ObjectId},
    repository::open::{
        environment::EnvironmentUse, layout::Layout, optional_file::read_if_present,
        paths::FileNames,
    },
    system,
};

/// git's advice when there is a graft file, as git 2.48 and newer write it.
const DEPRECATED: &str = "\
Support for <GIT_DIR>/info/grafts is deprecated
and will be removed in a future Git version.

Please use \"git replace --convert-graft-file\"
to convert the grafts into replace refs.

Turn this message off by running
\"git config set advice.graftFileDeprecated false\"";

/// Overriding parents by commit.
pub type Grafts = HashMap<ObjectId, Vec<ObjectId>>;

/// The parents of the commit `id` with the head `head`, grafts applied.
pub fn parents(grafts: &Grafts, id: &ObjectId, head: &CommitHead) -> Vec<ObjectId> {
    match grafts.get(id) {
        Some(parents) => parents.clone(),
        None => head.parents.to_vec(),
    }
}

/// The repository's own grafts: `info/grafts`, and the shallow commits, which get no parents.
/// `root` is where git works; `advises` is `advice.graftFileDeprecated`.
pub(crate) fn stored(
    layout: &Layout,
    advises: bool,
    environment: EnvironmentUse,
    root: &Path,
    names: &FileNames,
    notes: &mut Vec<BString>,
) -> Result<Grafts> {
    let mut grafts = Grafts::new();
    let named = environment.path("GIT_GRAFT_FILE", root);
    let file = named.unwrap_or_else(|| layout.common_dir.join("info/grafts"));
    let text = system::read_file(&file);
    if let Err(err) = &text
        && !is_absence(err)
    {
        let named = environment.variable("GIT_GRAFT_FILE");
        let name = named.unwrap_or_else(|| names.of(&file));
        let end = format!(": {}", os_message(err));
        notes.push(noted(
            quoted("warning: unable to access ", name.as_bstr(), &end).into(),
        ));
    }
    if let Ok(text) = text {
        if advises {
            notes.extend(
                DEPRECATED
                    .lines()
                    .map(|line| format!("hint: {line}").trim_end().into()),
            );
        }
        let repeated = Repeated::Rejected;
        parse(text.as_bstr(), layout.hash, repeated, &mut grafts, notes);
    }
    let named = environment.path("GIT_SHALLOW_FILE", root);
    let file = named.unwrap_or_else(|| layout.common_dir.join("shallow"));
    if let Some(text) = read_if_present(&file)? {
        let digits = layout.hash.len_in_hex();
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let id = line.get(..digits);
            let id = id.and_then(|hex| ObjectId::from_hex(hex).ok());
            let id = id.ok_or_else(|| {
                // The message shows the line with its newline, as git's does, but nothing after a
                // NUL.
                Error::fatal([b"bad shallow line: ", until_nul(line)].concat())
            })?;
            grafts.insert(id, Vec::new());
        }
    }
    Ok(grafts)
}

/// Adds the grafts of the file `path` (`-S`), called `name` in messages.
///
/// # Errors
///
/// If it cannot be read. Malformed lines are skipped with a note, as in git.
pub fn read(
    path: &Path,
    name: &BStr,
    hash: HashKind,
    grafts: &mut Grafts,
    notes: &mut Vec<BString>,
) -> Result<()> {
    let text = std::fs::read(path).map_err(|err| {
        let mut message = b"reading graft file '".to_vec();
        message.push_str(name);
        message.push_str(format!("' failed: {}", os_message(&err)));
        Error::fatal(message)
    })?;
    parse(text.as_bstr(), hash, Repeated::Replaces, grafts, notes);
    Ok(())
}

/// The effect of a further line for the same commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repeated {
    /// It is skipped with a note: `info/grafts`.
    Rejected,
    /// It replaces the earlier one: `-S`.
    Replaces,
}

fn is_absence(err: &io::Error) -> bool {
    matches!(
        err.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn parse(
    text: &BStr,
    hash: HashKind,
    repeated: Repeated,
    grafts: &mut Grafts,
    notes: &mut Vec<BString>,
) {
    let mut note = |problem: &str, line: &[u8]| {
        let mut note = BString::from(format!("error: {problem} graft data: "));
        note.push_str(until_nul(line));
        notes.push(noted(note));
    };
    for line in text.lines() {
        let line = line.trim_end();
        if line.is_empty() || line[0] == b'#' {
            continue;
        }
        let ids: Option<Vec<ObjectId>> = line
            .split(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
            .map(|word| ObjectId::from_hex(word).ok().filter(|id| id.kind() == hash))
            .collect();
        match ids.as_deref() {
            Some([commit, ..]) if repeated == Repeated::Rejected && grafts.contains_key(commit) => {
                note("duplicate", line);
            }
            Some([commit, parents @ ..]) => {
                grafts.insert(*commit, parents.to_vec());
            }
            _ => note("bad", line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_lines_are_skipped() {
        let a = "a".repeat(40);
        let b = "b".repeat(40);
        let text = format!("# comment\n\n{a} {b}\nzz\n{b}\n");
        let mut grafts = Grafts::new();
        let mut notes = Vec::new();
        parse(
            text.as_str().into(),
            HashKind::Sha1,
            Repeated::Rejected,
            &mut grafts,
            &mut notes,
        );
        let id = |hex: &str| ObjectId::from_hex(hex.as_bytes()).unwrap();
        assert_eq!(grafts[&id(&a)], [id(&b)]);
        assert!(grafts[&id(&b)].is_empty());
        assert_eq!(notes, ["error: bad graft data: zz"]);
    }
}
