//! What the environment says: variables of the configuration, directories of objects.

use std::{ffi::OsString, path::PathBuf, sync::Arc};

use bstr::{BStr, BString, ByteSlice, ByteVec};
use tempfile::TempDir;

/// The value of an environment variable as bytes.
pub(crate) fn variable(name: &str) -> Option<BString> {
    let value: OsString = std::env::var_os(name)?;
    Vec::from_os_string(value).ok().map(BString::from)
}

/// The variables that the environment gives, with their values, in git's order.
pub(crate) fn configuration() -> Vec<(BString, Option<BString>)> {
    let count = std::env::var("GIT_CONFIG_COUNT").ok();
    let count = count.and_then(|count| count.parse().ok()).unwrap_or(0_u32);
    let numbered = (0..count).map_while(|nth| {
        let key = variable(&format!("GIT_CONFIG_KEY_{nth}"))?;
        let value = variable(&format!("GIT_CONFIG_VALUE_{nth}"))?;
        Some((key, Some(value)))
    });
    let on_command_line = command_line_configuration();
    let on_command_line = on_command_line
        .iter()
        .map(|one| match one.split_once_str("=") {
            Some((key, value)) => (key.into(), Some(value.into())),
            None => (one.clone(), None),
        });
    numbered.chain(on_command_line).collect()
}

/// `git -c key=value` hands its settings to the commands that it starts in a variable.
pub(crate) fn command_line_configuration() -> Vec<BString> {
    let Some(text) = std::env::var_os("GIT_CONFIG_PARAMETERS") else {
        return Vec::new();
    };
    Vec::from_os_string(text)
        .map(|text| parse_parameters(text.as_bstr()))
        .unwrap_or_default()
}

/// `'key=value'` or `'key'='value'`, quoted for a shell and separated by blanks.
fn parse_parameters(text: &BStr) -> Vec<BString> {
    let mut all = Vec::new();
    let mut one: Option<BString> = None;
    let mut quoted = false;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\'' => {
                quoted = !quoted;
                one.get_or_insert_default();
            }
            b'\\' if !quoted => one.get_or_insert_default().extend(bytes.next()),
            b' ' if !quoted => all.extend(one.take()),
            byte => one.get_or_insert_default().push(byte),
        }
    }
    all.extend(one);
    all
}

pub(crate) fn objects_directory(gix: &gix::Repository) -> PathBuf {
    match std::env::var_os("GIT_OBJECT_DIRECTORY") {
        Some(directory) => PathBuf::from(directory),
        None => gix.common_dir().join("objects"),
    }
}

/// Make `gix` look for objects where the environment says. It reads one directory and the file in
/// it that names others, so one is made that names them all.
pub(crate) fn objects(gix: &mut gix::Repository) -> std::io::Result<Option<TempDir>> {
    let others = alternates();
    if others.is_empty() && std::env::var_os("GIT_OBJECT_DIRECTORY").is_none() {
        return Ok(None);
    }
    let made = tempfile::Builder::new().prefix("tblame-odb-").tempdir()?;
    let mut list = Vec::new();
    for directory in std::iter::once(objects_directory(gix)).chain(others) {
        let Ok(directory) = directory.canonicalize() else {
            continue;
        };
        list.push_str(directory.as_os_str().as_encoded_bytes());
        list.push(b'\n');
    }
    std::fs::create_dir(made.path().join("info"))?;
    std::fs::write(made.path().join("info/alternates"), list)?;
    let store = gix::odb::Store::at_opts(
        made.path().to_owned(),
        gix.object_hash(),
        &mut std::iter::empty(),
        gix::odb::store::init::Options::default(),
    )?;
    let handle = gix::odb::Cache::from(Arc::new(store).to_handle());
    gix.objects = gix::odb::memory::Proxy::from(handle).with_write_passthrough();
    Ok(Some(made))
}

/// The objects directories that the environment adds.
pub(crate) fn alternates() -> Vec<PathBuf> {
    match std::env::var_os("GIT_ALTERNATE_OBJECT_DIRECTORIES") {
        Some(list) => std::env::split_paths(&list)
            .filter(|directory| !directory.as_os_str().is_empty())
            .collect(),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_the_command_line() {
        let parsed = parse_parameters(r"'a.b=c d' 'e.f'='g'\''h' 'i.j'".into());
        assert_eq!(parsed, ["a.b=c d", "e.f=g'h", "i.j"]);
    }
}
