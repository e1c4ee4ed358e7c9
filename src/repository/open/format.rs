//! The format of a repository: its version and extensions.

use bstr::{BString, ByteSlice};

use crate::{
    error::{Error, Result, quoted},
    repository::open::configuration::{
        sources::Configuration,
        variable::{Located, Scope},
    },
};

/// Checks the settings of the repository's own file.
///
/// # Errors
///
/// Invalid values, and formats that cannot be read, in git's words.
pub(super) fn check(configuration: &Configuration) -> Result<()> {
    let mut version = 0;
    let (mut unknown, mut version_one) = (Vec::new(), Vec::new());
    let mut references_elsewhere = None;
    let is_own = |it: &Located<'_>| it.origin.scope == Scope::Local && !it.origin.included;
    for it in configuration.variables().filter(is_own) {
        match it.key().as_bytes() {
            b"core.repositoryformatversion" => version = it.int()?,
            b"core.bare" => drop(it.boolean()?),
            // The work tree is known by now; only a variable without a value is refused.
            b"core.worktree" => drop(line_text(&it)?),
            key => {
                let Some(name) = key.strip_prefix(b"extensions.") else {
                    continue;
                };
                match name {
                    b"noop" => {}
                    b"partialclone" => drop(line_text(&it)?),
                    b"preciousobjects" | b"worktreeconfig" => drop(it.boolean()?),
                    b"noop-v1" => version_one.push(name),
                    b"relativeworktrees" | b"submodulepathconfig" => {
                        it.boolean()?;
                        version_one.push(name);
                    }
                    b"objectformat" | b"compatobjectformat" => {
                        one_of(&it, &["sha1", "sha256"])?;
                        version_one.push(name);
                    }
                    b"refstorage" => {
                        references_elsewhere =
                            Some(references(&it)?).filter(|name| name.contains_str("://"));
                        version_one.push(name);
                    }
                    _ => unknown.push(name),
                }
            }
        }
    }
    if version > 1 {
        let message = format!("Expected git repo version <= 1, found {version}");
        return Err(Error::fatal(message));
    }
    if version == 1 && !unknown.is_empty() {
        return Err(listed("unknown repository extension", &unknown));
    }
    if version <= 0 && !version_one.is_empty() {
        let start = "repo version is 0, but v1-only extension";
        return Err(listed(start, &version_one));
    }
    match references_elsewhere {
        None => Ok(()),
        Some(name) => Err(Error::fatal(format!(
            "references stored at '{name}' are not supported"
        ))),
    }
}

/// The format of references; it may be followed by `://` and a place.
fn references(it: &Located<'_>) -> Result<BString> {
    let value = line_text(it)?;
    match value.split_once_str("://") {
        Some((b"files" | b"reftable", _)) => Ok(value),
        _ => one_of(it, &["files", "reftable"]),
    }
}

fn line_text(it: &Located<'_>) -> Result<BString> {
    let missing = || it.refuse_line(quoted("missing value for ", it.key(), ""));
    it.variable.value.clone().ok_or_else(missing)
}

fn one_of(it: &Located<'_>, known: &[&str]) -> Result<BString> {
    let value = line_text(it)?;
    if known.iter().any(|&known| value == known) {
        Ok(value)
    } else {
        let mut reason = quoted("invalid value for ", it.key(), ": ");
        reason.extend(quoted("", value.as_bstr(), ""));
        Err(it.refuse_line(reason))
    }
}

fn listed(start: &str, names: &[&[u8]]) -> Error {
    let plural = if names.len() == 1 { "" } else { "s" };
    let mut message = format!("{start}{plural} found:").into_bytes();
    for name in names {
        message.extend_from_slice(b"\n\t");
        message.extend_from_slice(name);
    }
    Error::fatal(message)
}
