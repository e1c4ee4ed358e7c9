//! The object directories that an object directory borrows from.

use std::path::{Path, PathBuf};

use crate::{system, text::c_quotes::unquote};

/// Maximum nesting of alternates, as in git.
const MAX_ALTERNATES_DEPTH: usize = 5;

/// Adds the alternates of `dir` to `dirs`, recursively.
pub(super) fn add_alternates(
    dir: &Path,
    depth: usize,
    dirs: &mut Vec<PathBuf>,
    warnings: &mut Vec<String>,
) {
    let Ok(text) = system::read_file(&dir.join("info/alternates")) else {
        return;
    };
    for path in alternate_paths(&text, b'\n') {
        if depth > MAX_ALTERNATES_DEPTH {
            warnings.push(format!(
                "error: {}: ignoring alternate object stores, nesting too deep",
                dir.display()
            ));
            return;
        }
        let path = dir.join(path);
        add_alternate(&path, &path, depth, dirs, warnings);
    }
}

/// Adds the objects directory `path` and its alternates to `dirs`, unless it is there already.
/// Warnings call it `name`.
pub(super) fn add_alternate(
    path: &Path,
    name: &Path,
    depth: usize,
    dirs: &mut Vec<PathBuf>,
    warnings: &mut Vec<String>,
) {
    let Some(path) = real_path(path) else {
        let name = name.display();
        warnings.push(format!(
            "error: unable to normalize alternate object path: {name}"
        ));
        return;
    };
    if !path.is_dir() {
        warnings.push(format!(
            "error: object directory {} does not exist; check .git/objects/info/alternates",
            path.display()
        ));
        return;
    }
    let is_same =
        |known: &PathBuf| known == &path || known.canonicalize().is_ok_and(|known| known == path);
    if !dirs.iter().any(is_same) {
        dirs.push(path.clone());
        add_alternates(&path, depth + 1, dirs, warnings);
    }
}

/// Resolves symbolic links and dots. All but the last component must exist.
fn real_path(path: &Path) -> Option<PathBuf> {
    if let Ok(path) = path.canonicalize() {
        return Some(path);
    }
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return None;
    }
    let parent = path.parent()?;
    let parent = if parent.as_os_str().is_empty() {
        Path::new(".")
    } else {
        parent
    };
    Some(parent.canonicalize().ok()?.join(path.file_name()?))
}

/// The paths in `info/alternates` or in a variable of the environment. An entry that begins with a
/// double quote has C escapes, one that begins with `#` is a comment.
pub(crate) fn alternate_paths(text: &[u8], separator: u8) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (entry, end) = match rest.strip_prefix(b"\"").and_then(unquote) {
            Some((entry, length)) => (entry, 1 + length),
            None => {
                let end = rest.iter().position(|&byte| byte == separator);
                let entry = &rest[..end.unwrap_or(rest.len())];
                let is_comment = entry.starts_with(b"#");
                let path = if is_comment { &[] } else { entry };
                (path.to_vec(), entry.len())
            }
        };
        if !entry.is_empty() {
            paths.extend(system::path_from_bytes(entry));
        }
        // git skips any byte after a quoted entry, and so does this.
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_alternates_are_unquoted() {
        let paths = |text: &str| alternate_paths(text.as_bytes(), b':');
        assert_eq!(paths("\"a b\\\"\\303\\244\\n:\""), [Path::new("a b\"ä\n:")]);
        let all = ["a", "\"open", "b", "\"\\9\""].map(Path::new);
        assert_eq!(paths("a:#comment::\"open"), all[..2]);
        assert_eq!(paths("\"a\"xb:\"\\9\":\"\""), [all[0], all[2], all[3]]);
    }
}
