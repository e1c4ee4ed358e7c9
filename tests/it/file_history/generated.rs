//! Generated histories: as sets of commits with merges, and first parents alone beside `git log --follow`.

use crate::{
    file_history::{git_in, versions_of_tblame},
    harness::{
        compare::{count_from, seed_count},
        file_versions::{file_versions, followed},
        random_history::{History, STORAGES},
        repository::ObjectFormat,
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
    fn compare(&mut self, history: &History, revision: &str, path: &[u8], threads: &str) {
        let repository = &history.repository;
        let git = file_versions(&git_in(repository), revision, path);
        let tblame = versions_of_tblame(repository, revision, path, &[threads]);
        self.files += 1;
        self.versions += git.len();
        self.renamed += git.iter().filter(|(_, other)| other != path).count();
        let mut ids: Vec<String> = git.into_iter().map(|(id, _)| id).collect();
        let mut found: Vec<String> = tblame.into_iter().map(|version| version.id).collect();
        let all = repository.git_text(&["rev-list", "--merges", revision]);
        self.merged += found.iter().filter(|id| all.contains(*id)).count();
        ids.sort();
        found.sort();
        assert_eq!(found, ids, "{} at {revision}", path.escape_ascii());
    }

    /// Compares the first parents with `git log --follow`.
    fn compare_followed(&mut self, history: &History, revision: &str, path: &[u8], threads: &str) {
        let repository = &history.repository;
        let Some(mut git) = followed(&git_in(repository), revision, path) else {
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
        let mut rng = Rng::new(seed);
        for (nth, (revision, path)) in history.samples(&mut rng, FILES).iter().enumerate() {
            let threads = ["--threads=1", "--threads=2"][nth % 2];
            compared.compare(&history, revision, path, threads);
            compared.compare_followed(&history, revision, path, threads);
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
