//! Generated histories with merges and renames, replayed.

use bstr::ByteSlice;

use crate::{
    file_history::{git_asked_once, versions_of_tblame},
    harness::{
        compare::{count_from, seed_count},
        deletions::{ReplayedDeletion, replay},
        file_versions::RunGit,
        program::{ProgramOutput, tblame_program},
        random_history::{History, STORAGES},
        repository::{ObjectFormat, TestRepo},
        rng::Rng,
    },
};

use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

const SEEDS: u64 = 40;
/// Files of each history.
const FILES: usize = 8;

/// What was compared.
#[derive(Debug, Default)]
struct Compared {
    files: usize,
    versions: usize,
    deletions: usize,
    of_merges: usize,
    at_ends: usize,
}

/// The deletions that tblame finds.
pub fn deletions_of_tblame(
    repository: &TestRepo,
    revision: &str,
    path: &[u8],
    options: &[&str],
) -> Vec<ReplayedDeletion> {
    let mut command = repository.command(tblame_program().as_os_str());
    command.args(["--deletions", "--json"]).args(options);
    command.args([revision, "--"]).arg(OsStr::from_bytes(path));
    let output = ProgramOutput::of(&mut command);
    assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
    assert_eq!(output.stderr.as_bstr(), b"");
    let records = output.stdout.lines();
    records
        .filter_map(|record| ReplayedDeletion::of_record(&record.to_str_lossy()))
        .collect()
}

impl Compared {
    fn compare(
        &mut self,
        (repository, git): (&TestRepo, &RunGit<'_>),
        (revision, path): (&str, &[u8]),
        threads: &str,
    ) {
        let order = versions_of_tblame(repository, revision, path, &[threads]);
        let order: Vec<String> = order.into_iter().map(|version| version.id).collect();
        let replayed = replay(git, revision, path, &order);
        let mut found = deletions_of_tblame(repository, revision, path, &[threads]);
        found.sort();
        assert_eq!(
            found,
            replayed.deletions,
            "{} at {revision}",
            path.escape_ascii()
        );
        self.files += 1;
        self.versions += replayed.versions;
        self.deletions += found.len();
        self.of_merges += found.iter().filter(|it| it.is_merge).count();
        let is_at_end =
            |it: &&ReplayedDeletion| it.neighbours.0.is_none() || it.neighbours.1.is_none();
        self.at_ends += found.iter().filter(is_at_end).count();
    }
}

#[test]
fn the_deletions_of_generated_histories_are_those_of_a_replay() {
    let mut compared = Compared::default();
    let wide = count_from("TBLAME_TEST_WIDE", 1);
    for seed in 40_000..40_000 + seed_count(SEEDS) * wide {
        let storage = STORAGES[(seed % STORAGES.len() as u64) as usize];
        eprintln!("seed {seed}, {storage:?}");
        let history = match seed % 4 {
            0 => History::of_long_file(seed, 200, storage),
            _ => History::generate(seed, ObjectFormat::Sha1, storage),
        };
        let git = git_asked_once(&history.repository);
        let programs = (&history.repository, &git as &RunGit<'_>);
        let mut rng = Rng::new(seed);
        for (nth, (revision, path)) in history.samples(&mut rng, FILES).iter().enumerate() {
            let threads = ["--threads=1", "--threads=2"][nth % 2];
            compared.compare(programs, (revision, path), threads);
        }
    }
    eprintln!("{compared:?}");
    assert!(compared.files >= 200, "{compared:?}");
    assert!(compared.deletions >= 200, "{compared:?}");
    assert!(compared.at_ends >= 20, "{compared:?}");
}

/// The records of deletions, as written.
fn records_of_tblame(
    repository: &TestRepo,
    revision: &str,
    path: &[u8],
    options: &[&str],
) -> Vec<String> {
    let mut command = repository.command(tblame_program().as_os_str());
    command.args(["--deletions", "--json"]).args(options);
    command.args([revision, "--"]).arg(OsStr::from_bytes(path));
    let output = ProgramOutput::of(&mut command);
    assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
    let records = output.stdout.lines().map(|it| it.to_str_lossy());
    let records = records.filter(|it| it.starts_with("{\"type\":\"deletion\""));
    records.map(|it| it.into_owned()).collect()
}

/// With ranges, only as much of the history is read as they need, in the same order.
#[test]
fn the_deletions_within_ranges_are_those_of_the_whole_file() {
    let (mut compared, mut several) = (0, 0);
    let wide = count_from("TBLAME_TEST_WIDE", 1);
    for seed in 60_000..60_000 + seed_count(16) * wide {
        let storage = STORAGES[(seed % STORAGES.len() as u64) as usize];
        let history = match seed % 3 {
            0 => History::of_long_file(seed, 200, storage),
            _ => History::generate(seed, ObjectFormat::Sha1, storage),
        };
        let mut rng = Rng::new(seed);
        for (revision, path) in history.samples(&mut rng, FILES) {
            let all = records_of_tblame(&history.repository, &revision, &path, &[]);
            let places: Vec<_> = all
                .iter()
                .filter_map(|it| ReplayedDeletion::of_record(it)?.neighbours.0)
                .collect();
            for _ in 0..2 {
                if places.is_empty() {
                    break;
                }
                let first = *rng.pick(&places);
                let last = first + 1 + rng.below(60) as u32;
                let within = |it: &&String| {
                    let found = ReplayedDeletion::of_record(it).expect("a deletion");
                    let (before, after) = found.neighbours;
                    let is_in =
                        |line: Option<u32>| line.is_some_and(|it| (first..=last).contains(&it));
                    is_in(before) && is_in(after)
                };
                let expected: Vec<String> = all.iter().filter(within).cloned().collect();
                let range = format!("-L{first},{last}");
                let found = records_of_tblame(&history.repository, &revision, &path, &[&range]);
                assert_eq!(found, expected, "seed {seed} {range} {}", path.as_bstr());
                compared += found.len();
                several += usize::from(found.len() > 1);
            }
        }
    }
    eprintln!("{compared} {several}");
    assert!(compared > 40 && several > 10, "{compared} {several}");
}
