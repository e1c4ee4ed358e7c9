//! The files of classes, which stack traces name without their directories.

use std::{collections::HashMap, ops::ControlFlow};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    objects::{ObjectId, Reader, file_type},
    repository::{
        Repository,
        content::tree_files,
        places::frames::{is_class_file, split_path},
    },
};

/// The tracked files with classes, by their names without directories.
#[derive(Debug, Default)]
pub(super) struct ClassFiles(HashMap<BString, Vec<BString>>);

impl ClassFiles {
    /// Those of a commit, or without one of the index. What cannot be read is left out.
    pub(super) fn read(
        repository: &Repository,
        commit: Option<ObjectId>,
        reader: &mut Reader,
    ) -> ClassFiles {
        let mut files = ClassFiles::default();
        match commit {
            None => {
                let paths = repository.index_paths().into_iter();
                let paths = paths.filter(|indexed| file_type(indexed.mode) == 0o100_000);
                paths.for_each(|indexed| files.add(indexed.path));
            }
            Some(commit) => {
                let root = reader.commit_head(&commit).map(|head| head.tree);
                let _ = root.and_then(|root| {
                    tree_files::list(reader, repository.hash(), &root, |path, _| {
                        files.add(path.to_owned());
                        ControlFlow::Continue(())
                    })
                });
            }
        }
        files
    }

    fn add(&mut self, path: BString) {
        if is_class_file(&path) {
            let (_, name) = split_path(&path);
            self.0.entry(name.to_owned()).or_default().push(path);
        }
    }

    /// The only file called `name`, in a directory that ends with `package` if that is not empty: another
    /// class may have a file of the same name.
    pub(super) fn find(&self, package: &BStr, name: &BStr) -> Option<&BString> {
        let named = self.0.get(name)?;
        let is_in_package = |path: &&BString| {
            let (directory, _) = split_path(path);
            let above = directory.strip_suffix(package.as_bytes());
            above.is_some_and(|above| above.is_empty() || above.ends_with(b"/"))
        };
        let mut fitting = named
            .iter()
            .filter(|path| package.is_empty() || is_in_package(path));
        fitting.next().filter(|_| fitting.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_fits_or_none() {
        let mut files = ClassFiles::default();
        for path in [
            "one/src/com/example/Foo.java",
            "two/src/com/example/Bar.java",
            "three/com/example/Bar.java",
            "org/Bar.java",
            "xcom/example/Baz.java",
            "com/example/Baz.java",
            "src/main/kotlin/Main.kt",
            "Root.java",
            "sub/Root.java",
            "a/Foo.txt",
        ] {
            files.add(path.into());
        }
        let find = |package: &str, name: &str| files.find(package.into(), name.into()).cloned();
        for (package, name, path) in [
            ("com/example", "Foo.java", "one/src/com/example/Foo.java"),
            ("org", "Bar.java", "org/Bar.java"),
            ("com/example", "Baz.java", "com/example/Baz.java"),
            ("", "Main.kt", "src/main/kotlin/Main.kt"),
            ("sub", "Root.java", "sub/Root.java"),
        ] {
            assert_eq!(find(package, name), Some(path.into()), "{package} {name}");
        }
        for (package, name) in [
            ("com/example", "Bar.java"),
            ("elsewhere", "Bar.java"),
            ("elsewhere", "Foo.java"),
            ("com/example", "Main.kt"),
            ("", "Root.java"),
            ("elsewhere", "Root.java"),
            ("a", "Foo.txt"),
            ("com/example", "Thread.java"),
        ] {
            assert_eq!(find(package, name), None, "{package} {name}");
        }
    }
}
