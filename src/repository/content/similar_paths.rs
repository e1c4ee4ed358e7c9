//! Paths that were probably meant by one that does not exist.

use std::ops::ControlFlow;

use bstr::{BStr, BString, ByteSlice};

use crate::{
    objects::{HashKind, ObjectId, Reader},
    repository::content::tree_files,
    sorting,
    text::edit_distance::edit_distance,
};

/// Files of the commit that are compared; those beyond are not suggested.
const MAX_COMPARED: usize = 200_000;

/// Number of suggestions.
const MAX_SUGGESTIONS: usize = 3;

/// The files of `commit` that are most similar to `path`, best first; both from the root of the
/// tree.
pub(crate) fn similar_paths(
    reader: &mut Reader,
    hash: HashKind,
    commit: &ObjectId,
    path: &BStr,
) -> Vec<BString> {
    let Ok(head) = reader.commit_head(commit) else {
        return Vec::new();
    };
    let mut similar: Vec<((usize, usize), BString)> = Vec::new();
    let mut compared = 0;
    // What could be listed before an error is suggested.
    let _ = tree_files::list(reader, hash, &head.tree, |file, _| {
        similar.extend(distance(path, file).map(|distance| (distance, file.to_owned())));
        if similar.len() > 100 * MAX_SUGGESTIONS {
            keep_best(&mut similar);
        }
        compared += 1;
        match compared {
            MAX_COMPARED.. => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    });
    keep_best(&mut similar);
    similar.into_iter().map(|(_, file)| file).collect()
}

fn keep_best(similar: &mut Vec<((usize, usize), BString)>) {
    sorting::sort(similar);
    similar.truncate(MAX_SUGGESTIONS);
}

/// How far a file is from a path: by the last components first, then by the directories. `None` if
/// another file was meant.
fn distance(path: &BStr, file: &BStr) -> Option<(usize, usize)> {
    let (directory, name) = split(path);
    let (file_directory, file_name) = split(file);
    if file_name.eq_ignore_ascii_case(name) {
        // The same file in another directory; the path was abbreviated or is of another version.
        return Some((0, edit_distance(directory, file_directory).unwrap_or(100)));
    }
    let names = edit_distance(&name.to_ascii_lowercase(), &file_name.to_ascii_lowercase())?;
    if names > name.len().min(file_name.len()) / 3 {
        return None;
    }
    let directories = edit_distance(directory, file_directory)?;
    (directories <= directory.len() / 3).then_some((names, directories))
}

/// The directory and the last component.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.rfind_byte(b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (&[], path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_count_more_than_directories() {
        let distance = |path: &str, file: &str| distance(path.into(), file.into());
        assert_eq!(distance("Makefle", "Makefile"), Some((1, 0)));
        assert_eq!(distance("readme.md", "README.md"), Some((0, 0)));
        assert_eq!(distance("main.rs", "src/main.rs"), Some((0, 3)));
        assert_eq!(distance("scr/main.rs", "src/main.rs"), Some((0, 1)));
        assert_eq!(distance("src/mian.rs", "src/main.rs"), Some((1, 0)));
        assert_eq!(distance("src/mian.rs", "tests/other/main.rs"), None);
        assert_eq!(distance("a.rs", "b.rs"), Some((1, 0)));
        assert_eq!(distance("a", "b"), None);
    }
}
