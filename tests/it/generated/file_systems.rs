//! Searches for a repository that end where another file system begins.

use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use crate::harness::repository::{ObjectFormat, TestRepo};

use super::Cases;

/// Places of temporary files that may be file systems of their own.
const PLACES: [&str; 4] = ["/dev/shm", "/tmp", "/var/tmp", "/run/lock"];

/// A place where files can be written, on another file system than the directory above.
fn mount_point() -> Option<PathBuf> {
    PLACES.into_iter().map(PathBuf::from).find(|place| {
        let device = |path: &Path| Some(fs::metadata(path).ok()?.dev());
        let own = device(place);
        let above = device(place.parent().expect("it is not the root"));
        own.is_some() && own != above && tempfile::tempdir_in(place).is_ok()
    })
}

/// What makes a repository none, as the text of a file in it.
const DAMAGE: [(&str, &str); 4] = [
    ("HEAD", "garbage"),
    ("HEAD", ""),
    ("commondir", "missing"),
    ("commondir", "missing/too"),
];

/// Directories that nobody writes to, on file systems of their own.
const MOUNTED: [&str; 3] = ["/proc/self", "/sys/kernel", "/dev"];

#[test]
fn searches_end_where_another_file_system_begins() {
    let mut cases = Cases::new("the boundary of a file system");
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for directory in MOUNTED.map(Path::new) {
        if !directory.is_dir() {
            continue;
        }
        for environment in [
            &[][..],
            &[("GIT_DISCOVERY_ACROSS_FILESYSTEM", "1")],
            &[("GIT_CEILING_DIRECTORIES", "/")],
            &[("GIT_OBJECT_DIRECTORY", "missing")],
        ] {
            let case = format!("{} {environment:?}", directory.display());
            cases.compare_in(&repository, directory, environment, &case, &["f"]);
        }
    }
    cases.finish(4);
}

#[test]
fn damaged_repositories_at_the_boundary_of_a_file_system() {
    let Some(place) = mount_point() else {
        println!("no file system of its own among {PLACES:?}");
        return;
    };
    let repository = TestRepo::below(&place, ObjectFormat::Sha1, "files");
    repository.write(b"f", b"1\n");
    repository.write(b"sub/f", b"1\n");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "one"]);
    let root = repository.root();
    let above = root.parent().expect("the temporary directory");
    let [place, root_text, above_text] =
        [&*place, root, above].map(|path| path.to_str().expect("it is ASCII"));
    let outside = place.rsplit_once('/').expect("it is absolute").0;
    let sub = root.join("sub");
    let environments = [
        vec![],
        vec![("GIT_DISCOVERY_ACROSS_FILESYSTEM", "1")],
        vec![("GIT_DISCOVERY_ACROSS_FILESYSTEM", "no")],
        vec![("GIT_DISCOVERY_ACROSS_FILESYSTEM", "")],
        vec![("GIT_DISCOVERY_ACROSS_FILESYSTEM", "x")],
        vec![("GIT_CEILING_DIRECTORIES", "/")],
        vec![("GIT_CEILING_DIRECTORIES", outside)],
        vec![("GIT_CEILING_DIRECTORIES", place)],
        vec![("GIT_CEILING_DIRECTORIES", above_text)],
        vec![("GIT_CEILING_DIRECTORIES", root_text)],
        vec![("GIT_OBJECT_DIRECTORY", "missing")],
        vec![("GIT_OBJECT_DIRECTORY", "")],
        vec![
            ("GIT_OBJECT_DIRECTORY", "missing"),
            ("GIT_CEILING_DIRECTORIES", above_text),
        ],
        vec![("GIT_DIR", "missing")],
        vec![("GIT_WORK_TREE", "")],
    ];
    let mut cases = Cases::new("repositories at the boundary of a file system");
    for directory in [root, &sub, above] {
        for environment in &environments {
            let case = format!("{} {environment:?}", directory.display());
            cases.compare_in(&repository, directory, environment, &case, &["f"]);
        }
    }
    for (name, text) in DAMAGE {
        let path = root.join(".git").join(name);
        let before = fs::read(&path).ok();
        fs::write(&path, text).expect("it is writable");
        for directory in [root, &sub] {
            for environment in &environments {
                let case = format!("{name} {text:?} {} {environment:?}", directory.display());
                cases.compare_in(&repository, directory, environment, &case, &["f"]);
            }
        }
        match before {
            Some(bytes) => fs::write(&path, bytes),
            None => fs::remove_file(&path),
        }
        .expect("it was written");
    }
    cases.finish(165);
}
