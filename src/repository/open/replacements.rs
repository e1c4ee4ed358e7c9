//! Replacement objects (git-replace(1)).

use std::collections::HashMap;

use bstr::{BString, ByteSlice, ByteVec};

use crate::{
    error::{Error, Result},
    objects::ObjectId,
    repository::{
        open::{
            configuration_files::FileNames, environment::EnvironmentUse, git_config::GitConfig,
            layout::Layout,
        },
        references::{self, References},
    },
};

/// The replacement of each object, from the references of `git replace`. The null id replaces an object whose
/// reference is broken: git then takes the object for missing.
///
/// # Errors
///
/// If `packed-refs` is a directory or has a line that git refuses: this is where git first reads it.
pub(super) fn replacements(
    layout: &Layout,
    settings: &GitConfig,
    names: &FileNames,
    environment: EnvironmentUse,
) -> Result<HashMap<ObjectId, ObjectId>> {
    if !settings.use_replace_refs || environment.var_os("GIT_NO_REPLACE_OBJECTS").is_some() {
        return Ok(HashMap::new());
    }
    if layout.common_dir.join("packed-refs").is_dir() {
        let mut message = BString::from("couldn't read ");
        message.push_str(names.of(&layout.common_dir.join("packed-refs")));
        message.push_str(": Is a directory");
        return Err(Error::fatal(message));
    }
    if let Some((problem, line)) = references::files::packed_problem(&layout.common_dir) {
        let file = layout.common_dir.join("packed-refs");
        let mut message = BString::from(format!("{problem} line in "));
        message.push_str(names.of(&file));
        message.push_str(": ");
        message.push_str(line);
        return Err(Error::fatal(message));
    }
    let base = environment
        .var_os("GIT_REPLACE_REF_BASE")
        .and_then(|base| Vec::from_os_string(base).ok())
        .unwrap_or_else(|| b"refs/replace/".to_vec());
    let mut references = References::new(layout);
    let names = references.names(base.as_bstr()).into_iter();
    let pairs = names.filter_map(|name| {
        let replaced = ObjectId::from_hex(name.strip_prefix(base.as_slice())?).ok()?;
        let replacement = references.object(name.as_bstr());
        Some((replaced, replacement.unwrap_or(ObjectId::null(layout.hash))))
    });
    Ok(pairs.collect())
}
