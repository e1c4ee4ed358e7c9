//! The remembered history of all commits: `--warm` writes it, a plan of all files, and the idle viewer.

use std::{
    cell::Cell,
    fs,
    path::PathBuf,
    thread::sleep,
    time::{Duration, Instant},
};

use tblame::internals::{
    cache::{CacheDirectory, CacheSettings, HistoryFile, Warming},
    repository::Repository,
};

use super::{TestCache, viewer};
use crate::harness::{
    fast_import::{Commit, FastImport, File, Ident, Tree, insert_file},
    program::{ProgramOutput, tblame_program},
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
    session::{Session, TIMEOUT},
};

/// Commits with side branches, merges, renames, links, and directories that come and go.
pub fn long_history(format: ObjectFormat, count: usize) -> TestRepo {
    let repository = TestRepo::new(format);
    let mut import = FastImport::default();
    let mut rng = Rng::new(7);
    let mut heads: Vec<(usize, Tree)> = Vec::new();
    let mut tree = Tree::new();
    tree.insert(b"a.txt".to_vec(), File::text("one\ntwo\n"));
    for nth in 0..count {
        let name = format!("d{}/e{}/f{}", rng.below(4), rng.below(3), rng.below(5));
        match rng.below(12) {
            0 => {
                let gone = format!("d{}/", rng.below(4));
                tree.retain(|path, _| !path.starts_with(gone.as_bytes()));
            }
            1 => {
                if let Some(path) = tree.keys().next_back().cloned() {
                    let file = tree.remove(&path).expect("it is there");
                    insert_file(&mut tree, format!("d0/renamed{nth}").as_bytes(), file);
                }
            }
            2 => {
                let mode = *rng.pick(&[0o100755, 0o120000]);
                let bytes = "a.txt".as_bytes().into();
                insert_file(&mut tree, name.as_bytes(), File { mode, bytes });
            }
            _ => insert_file(
                &mut tree,
                name.as_bytes(),
                File::text(format!("{nth}\nx\n")),
            ),
        }
        tree.insert(b"a.txt".to_vec(), File::text(format!("one\n{nth}\n")));
        let mut parents: Vec<usize> = heads.last().iter().map(|head| head.0).collect();
        if heads.len() > 1 && rng.chance(30) {
            let (other, files) = heads.swap_remove(rng.below(heads.len() - 1));
            parents.push(other);
            for (path, file) in files {
                if rng.chance(50) {
                    insert_file(&mut tree, &path, file);
                }
            }
        }
        let ident = Ident {
            name: b"Ann Lee".to_vec(),
            mail: b"a@example.com".to_vec(),
            // Dates are equal, and some go backwards.
            time: 1_500_000_000 + (nth as u64 / 3) * 50 - rng.below(60) as u64,
            zone: "+0000",
        };
        let number = import.commit(Commit {
            parents,
            tree: tree.clone(),
            author: ident.clone(),
            committer: ident,
            encoding: None,
            message: format!("commit {nth}").into_bytes(),
        });
        if heads.len() < 4 && rng.chance(15) {
            heads.push((number, tree.clone()));
        } else {
            heads.pop();
            heads.push((number, tree.clone()));
            if rng.chance(20) {
                let last = heads.len() - 1;
                heads.swap(0, last);
                tree = heads[last].1.clone();
            }
        }
    }
    import.write(&repository);
    repository.git(&["reset", "-q", "--hard"]);
    repository
}

fn remembered(cache: &TestCache) -> Option<Vec<u8>> {
    let files = cache.files();
    let history = files.iter().find(|file| file.ends_with("history"));
    history.map(|file| fs::read(file).expect("it is readable"))
}

#[test]
fn a_plan_of_all_files_remembers_what_warm_does() {
    for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
        let repository = long_history(format, 2500);
        let reachable = repository.git_text(&["rev-list", "--count", "HEAD"]);
        assert!(
            reachable.parse::<usize>().is_ok_and(|it| it > 1200),
            "{reachable}"
        );
        let warmed = TestCache::new();
        assert_eq!(warmed.run(&repository, &["--warm"]).status, Some(0));
        let expected = remembered(&warmed).expect("it was written");
        let plain = ProgramOutput::of(
            repository
                .command(tblame_program().as_os_str())
                .arg("--tree"),
        );
        for arguments in [
            &["--tree"][..],
            &["--tree", "-r", "--json", "HEAD"],
            &["--tree", "-w", "--threads=1"],
        ] {
            let cache = TestCache::new();
            for again in [false, true] {
                let output = cache.run(&repository, arguments);
                assert_eq!(output.status, Some(0), "{arguments:?}: {output:?}");
                if arguments.len() == 1 {
                    assert_eq!(output.stdout, plain.stdout);
                }
                assert!(
                    remembered(&cache) == Some(expected.clone()),
                    "{arguments:?} {again}"
                );
            }
            let verified = cache.run(&repository, &["--verify-cache", "a.txt"]);
            let text = String::from_utf8_lossy(&verified.stdout).into_owned();
            assert!(
                text.contains(&format!("{reachable} of them with the paths")),
                "{verified:?}"
            );
        }
        // Parts of the history, or of the files.
        for arguments in [
            &["--tree", "HEAD", "--", "d1"][..],
            &["--tree", "HEAD~5"],
            &["--tree", "HEAD~5..HEAD"],
            &["--tree", "--since=2017-07-15"],
            &["--tree", "--first-parent"],
            &["--tree", "-M", "-C", "HEAD", "--", "d0"],
            &["--tree", "--no-cache"],
        ] {
            let cache = TestCache::new();
            let output = cache.run(&repository, arguments);
            assert_eq!(output.status, Some(0), "{arguments:?}: {output:?}");
            // The commits that were read may be there, without the paths that they change.
            let whole = remembered(&cache) == Some(expected.clone());
            assert!(!whole, "{arguments:?}");
        }
    }
}

#[test]
fn a_short_history_is_not_remembered_as_a_whole() {
    let repository = long_history(ObjectFormat::Sha1, 300);
    let [cache, warmed] = [(); 2].map(|()| TestCache::new());
    assert_eq!(warmed.run(&repository, &["--warm"]).status, Some(0));
    assert_eq!(cache.run(&repository, &["--tree"]).status, Some(0));
    assert_ne!(remembered(&cache), remembered(&warmed));
}

/// However often it is interrupted, the file is the same, and it is written once all is known.
#[test]
fn an_interrupted_warming_goes_on_where_it_was() {
    let repository = long_history(ObjectFormat::Sha1, 900);
    let warmed = TestCache::new();
    assert_eq!(warmed.run(&repository, &["--warm"]).status, Some(0));
    let expected = remembered(&warmed).expect("it was written");
    let mut interruptions = 0;
    for most in [1, 7, 100, 1000] {
        let cache = TestCache::new();
        let settings = CacheSettings {
            directory: Some(cache.place()),
            ..CacheSettings::default()
        };
        let opened = Repository::open_own(repository.root()).expect("it is a repository");
        let directory = CacheDirectory::new(&settings, |_| None).expect("it has a place");
        let directory = directory
            .of_repository(&opened, &settings)
            .expect("it is on");
        let file = HistoryFile::new(&opened, &directory, &settings).expect("no graph");
        let heads = [opened.head_commit().expect("it has a commit")];
        let mut warming = Warming::new(&file, &opened, &heads);
        let mut rng = Rng::new(most as u64);
        loop {
            let left = Cell::new(rng.between(1, most));
            let stop = || left.replace(left.get().saturating_sub(1)) == 0;
            if warming
                .run(&opened, &mut opened.reader(), &stop)
                .expect("no damage")
            {
                break;
            }
            interruptions += 1;
            assert!(remembered(&cache).is_none());
        }
        assert!(remembered(&cache) == Some(expected.clone()), "{most}");
    }
    assert!(interruptions > 1000, "{interruptions}");
}

fn wait_for_history(cache: &TestCache, time: Duration) -> Option<Vec<u8>> {
    let deadline = Instant::now() + time;
    while Instant::now() < deadline {
        if let Some(found) = remembered(cache) {
            return Some(found);
        }
        sleep(Duration::from_millis(20));
    }
    None
}

fn view(cache: &TestCache, repository: &TestRepo, arguments: &[&str]) -> Session {
    let mut session = viewer::view(cache, repository, arguments);
    session.wait("the blame", |screen| screen.contents().contains("Ann Lee"));
    session
}

/// Blames alone remember commits without the paths that they change, so that files differ.
#[test]
fn the_idle_viewer_remembers_the_history() {
    let repository = long_history(ObjectFormat::Sha1, 2500);
    let warmed = TestCache::new();
    assert_eq!(warmed.run(&repository, &["--warm"]).status, Some(0));
    let paths = |file: &[u8]| file.windows(4).take(200).any(|it| it == b"PREC");
    assert!(paths(&remembered(&warmed).expect("it was written")));
    let has_paths = |cache: &TestCache, time: Duration| {
        let deadline = Instant::now() + time;
        loop {
            let found = remembered(cache).is_some_and(|file| paths(&file));
            if found || Instant::now() > deadline {
                return found;
            }
            sleep(Duration::from_millis(20));
        }
    };
    let cache = TestCache::new();
    let mut session = view(&cache, &repository, &["HEAD", "--", "a.txt"]);
    // Keys hold it up.
    let until = Instant::now() + Duration::from_secs(3);
    while Instant::now() < until {
        session.press("j");
        sleep(Duration::from_millis(100));
        assert!(!has_paths(&cache, Duration::ZERO));
    }
    assert!(has_paths(&cache, TIMEOUT));
    let begun = Instant::now();
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    assert!(begun.elapsed() < Duration::from_secs(2));
    let verified = cache.run(&repository, &["--verify-cache", "a.txt"]);
    let reachable = repository.git_text(&["rev-list", "--count", "HEAD"]);
    let text = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert!(
        text.contains(&format!("{reachable} of them with the paths")),
        "{verified:?}"
    );
    // Nothing is left to be done by the next one.
    let file = |cache: &TestCache| -> PathBuf {
        let files = cache.files();
        files
            .into_iter()
            .find(|file| file.ends_with("history"))
            .expect("it is there")
    };
    let modified = |path: &PathBuf| {
        fs::metadata(path)
            .and_then(|it| it.modified())
            .expect("a time")
    };
    let before = modified(&file(&cache));
    let mut session = view(&cache, &repository, &["HEAD", "--", "a.txt"]);
    sleep(Duration::from_secs(2));
    session.press("q");
    session.end();
    assert_eq!(modified(&file(&cache)), before);
}

#[test]
fn an_idle_viewer_without_a_cache_remembers_nothing() {
    let repository = long_history(ObjectFormat::Sha1, 2500);
    let cache = TestCache::new();
    let mut session = view(&cache, &repository, &["--no-cache", "HEAD", "--", "a.txt"]);
    assert!(wait_for_history(&cache, Duration::from_secs(3)).is_none());
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    assert!(cache.files().is_empty());
}
