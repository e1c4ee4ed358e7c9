//! Replacement objects (git-replace(1)).

use std::collections::HashMap;

use bstr::{ByteSlice, ByteVec};

use crate::{
    error::{Error, Result, os_message},
    objects::ObjectId,
    repository::{
        open::{
            environment::EnvironmentUse, git_config::GitConfig, layout::Layout, paths::FileNames,
        },
        references::{References, packed::PackedProblem},
    },
};

/// The replacement of each object, from the references of `git replace`. The null id replaces an
/// object whose reference is broken: git then takes the object for missing.
///
/// # Errors
///
/// If `packed-refs` is a directory or has a line that git refuses: this is where git first reads
/// it.
pub(super) fn replacements(
    layout: &Layout,
    settings: &GitConfig,
    names: &FileNames,
    environment: EnvironmentUse,
) -> Result<HashMap<ObjectId, ObjectId>> {
    if !settings.use_replace_refs || environment.var_os("GIT_NO_REPLACE_OBJECTS").is_some() {
        return Ok(HashMap::new());
    }
    let references = References::with_packed(layout);
    let mut references = references.map_err(|problem| {
        let file = names.of(&layout.common_dir.join("packed-refs"));
        Error::fatal(match problem {
            PackedProblem::Unreadable(err) => format!("couldn't read {file}: {}", os_message(&err)),
            PackedProblem::Line(problem, line) => format!("{problem} line in {file}: {line}"),
        })
    })?;
    let base = environment
        .var_os("GIT_REPLACE_REF_BASE")
        .and_then(|base| Vec::from_os_string(base).ok())
        .unwrap_or_else(|| b"refs/replace/".to_vec());
    let names = references.names(base.as_bstr()).into_iter();
    let pairs = names.filter_map(|name| {
        let replaced = ObjectId::from_hex(name.strip_prefix(base.as_slice())?).ok()?;
        let replacement = references.object(name.as_bstr());
        Some((replaced, replacement.unwrap_or(ObjectId::null(layout.hash))))
    });
    Ok(pairs.collect())
}
