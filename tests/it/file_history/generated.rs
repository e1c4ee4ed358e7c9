//! Generated histories: as sets of commits with merges, and first parents alone beside `git log --follow`.

use std::{collections::BTreeMap, sync::Arc};

use bstr::{BString, ByteSlice};
use tblame::internals::{
    engine::{Engine, Request, Start},
    objects::ObjectId,
    repository::Repository,
};

use crate::{
    file_history::{git_asked_once, versions_of_tblame},
    harness::{
        compare::{count_from, seed_count},
        file_versions::{RunGit, file_versions, followed},
        random_history::{History, STORAGES},
        repository::{ObjectFormat, TestRepo},
        rng::Rng,
    },
};

const SEEDS: u64 = 40;
/// Files of each history.
const FILES: usize = 8;

/// What was compared.
#[derive(Debug, Default)]
struct Compared {
    files: usize,
    versions: usize,
    renamed: usize,
    merged: usize,
    followed: usize,
    followed_versions: usize,
    copies: usize,
}

impl Compared {
    /// Compares all versions with those that git's commands tell.
    fn compare(
        &mut self,
        (repository, git): (&TestRepo, &RunGit<'_>),
        merges: &str,
        (revision, path): (&str, &[u8]),
        threads: &str,
    ) {
        let git = file_versions(git, revision, path);
        let tblame = versions_of_tblame(repository, revision, path, &[threads]);
        self.files += 1;
        self.versions += git.len();
        self.renamed += git.iter().filter(|(_, other)| other != path).count();
        let mut ids: Vec<String> = git.into_iter().map(|(id, _)| id).collect();
        let mut found: Vec<String> = tblame.into_iter().map(|version| version.id).collect();
        self.merged += found.iter().filter(|id| merges.contains(*id)).count();
        ids.sort();
        found.sort();
        assert_eq!(found, ids, "{} at {revision}", path.escape_ascii());
    }

    /// Compares the first parents with `git log --follow`.
    fn compare_followed(
        &mut self,
        (repository, git): (&TestRepo, &RunGit<'_>),
        (revision, path): (&str, &[u8]),
        threads: &str,
    ) {
        let Some(mut git) = followed(git, revision, path) else {
            self.copies += 1;
            return;
        };
        let options = [threads, "--first-parent"];
        let mut tblame = versions_of_tblame(repository, revision, path, &options);
        self.followed += 1;
        self.followed_versions += git.len();
        for (git, tblame) in git.iter_mut().zip(&mut tblame) {
            // git counts no lines of binary files, and all lines where the type changes.
            if git.counts.is_none() || git.status == b'T' {
                (git.counts, tblame.counts) = (None, None);
            }
        }
        assert_eq!(tblame, git, "{} at {revision}", path.escape_ascii());
    }
}

#[test]
fn histories_with_merges_and_renames_have_the_commits_of_git() {
    let mut compared = Compared::default();
    let wide = count_from("TBLAME_TEST_WIDE", 1);
    for seed in 30_000..30_000 + seed_count(SEEDS) * wide {
        let storage = STORAGES[(seed % STORAGES.len() as u64) as usize];
        eprintln!("seed {seed}, {storage:?}");
        let history = History::generate(seed, ObjectFormat::Sha1, storage);
        let merges = history
            .repository
            .git_text(&["rev-list", "--merges", "--all"]);
        let git = git_asked_once(&history.repository);
        let programs = (&history.repository, &git as &RunGit<'_>);
        let mut rng = Rng::new(seed);
        for (nth, (revision, path)) in history.samples(&mut rng, FILES).iter().enumerate() {
            let threads = ["--threads=1", "--threads=2"][nth % 2];
            compared.compare(programs, &merges, (revision, path), threads);
            compared.compare_followed(programs, (revision, path), threads);
        }
    }
    eprintln!("{compared:?}");
    assert!(compared.files >= 200, "{compared:?}");
    assert!(compared.followed >= 100, "{compared:?}");
    assert!(
        compared.renamed >= 20 && compared.merged >= 20,
        "{compared:?}"
    );
}

/// The files of a tree, with their modes, types and ids.
type Listed = BTreeMap<BString, BString>;

fn listed(repository: &TestRepo, commit: &str) -> Listed {
    let listed = repository.git(&["ls-tree", "-rz", commit]);
    let entries = listed
        .split_str("\0")
        .filter_map(|it| it.split_once_str("\t"));
    entries
        .map(|(mode, name)| (name.into(), mode.into()))
        .collect()
}

/// The path of a merge's file in a parent: the same one, unless that is a directory or a submodule
/// there or is missing, or else that of which git says that it was renamed.
fn path_in_parent(
    repository: &TestRepo,
    files: &Listed,
    (parent, files_of_parent): (&str, &Listed),
    path: &BString,
) -> Option<BString> {
    if let Some(mode) = files_of_parent.get(path) {
        return (!mode.starts_with(b"160000")).then(|| path.clone());
    }
    // As a blame does, git looks at one renamed file alone: the merge's tree without other new ones.
    let mut kept = Vec::new();
    for (name, entry) in files {
        if name == path || files_of_parent.contains_key(name) {
            kept.extend_from_slice(&[entry, &b"\t"[..], name, b"\0"].concat());
        }
    }
    drop(std::fs::remove_file(repository.root().join(".git/index")));
    repository.git_with_input(&["update-index", "-z", "--index-info"], &kept);
    let tree = repository.git_text(&["write-tree", "--missing-ok"]);
    let filter = "--diff-filter=R";
    let arguments = [
        "diff-tree",
        "-r",
        "-z",
        "-M",
        filter,
        "--name-status",
        parent,
        &tree,
    ];
    let renames = repository.git(&arguments);
    let words: Vec<&[u8]> = renames.split_str("\0").collect();
    let mut renames = words.chunks_exact(3);
    let renamed = renames.find(|words| words[2] == path.as_slice());
    renamed.map(|words| words[1].into())
}

#[test]
fn the_file_before_a_merge_is_where_git_says() {
    let (mut same, mut renamed, mut absent) = (0, 0, 0);
    for seed in 31_000..31_000 + seed_count(SEEDS) {
        let storage = STORAGES[(seed % STORAGES.len() as u64) as usize];
        eprintln!("seed {seed}, {storage:?}");
        let history = History::generate(seed, ObjectFormat::Sha1, storage);
        let git = |arguments: &[&str]| history.repository.git_text(arguments);
        let repository =
            Arc::new(Repository::open_own(history.repository.root()).expect("it is one"));
        let mut engine = Engine::new(Arc::clone(repository.store()), 1);
        for merge in git(&["rev-list", "--merges", "--parents", "--all"])
            .lines()
            .take(6)
        {
            let mut ids = merge.split(' ');
            let merge = ids.next().expect("an id");
            let parents: Vec<(&str, Listed)> = ids
                .map(|parent| (parent, listed(&history.repository, parent)))
                .collect();
            let files = listed(&history.repository, merge);
            let blobs = files.iter().filter(|(_, mode)| mode.starts_with(b"100"));
            for (path, _) in blobs.take(FILES) {
                let id = ObjectId::from_hex(merge.as_bytes()).expect("an id");
                let request = Request::new(Start::Commit(id), path.clone());
                let found = engine
                    .parent_files(&request)
                    .expect("everything can be read");
                let found: Vec<(String, BString)> = found
                    .into_iter()
                    .map(|(parent, path)| (parent.to_string(), path.as_ref().clone()))
                    .collect();
                let expected: Vec<(String, BString)> = parents
                    .iter()
                    .filter_map(|(parent, of_parent)| {
                        let before =
                            path_in_parent(&history.repository, &files, (parent, of_parent), path)?;
                        Some(((*parent).to_owned(), before))
                    })
                    .collect();
                assert_eq!(found, expected, "{path} in {merge}");
                absent += parents.len() - found.len();
                let others = found.iter().filter(|(_, other)| other != path).count();
                renamed += others;
                same += found.len() - others;
            }
        }
    }
    eprintln!("{same} at the same path, {renamed} renamed, {absent} absent");
    assert!(
        same >= 200 && renamed >= 5 && absent >= 5,
        "{same} {renamed} {absent}"
    );
}
