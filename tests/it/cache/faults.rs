//! Damaged, foreign and unusual files in the cache: they are as good as none.

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::{Duration, SystemTime},
};

use bstr::ByteSlice;

use super::{TestCache, git_blame, in_process, set_mode, small_history, write_history};
use crate::{
    generated::breadth,
    harness::{
        fifo::make_fifo,
        program::{ProgramOutput, Stderr, tblame_program},
        repository::{ObjectFormat, TestRepo},
        rng::Rng,
    },
};

/// A repository, git's blame of `a.txt`, and a cache that has it.
fn kept() -> (TestRepo, ProgramOutput, TestCache) {
    let repository = small_history(12);
    let git = git_blame(&repository, "a.txt");
    let cache = TestCache::new();
    assert_eq!(cache.assert_blame(&repository, "a.txt", &git), 0);
    assert!(cache.assert_blame(&repository, "a.txt", &git) > 20);
    (repository, git, cache)
}

#[test]
fn a_file_with_any_byte_changed_or_missing_is_not_used() {
    let (repository, _, cache) = kept();
    let file = cache.only_blame();
    // The second name of the file must not stand in for it.
    let head = repository.git_text(&["rev-parse", "HEAD"]);
    let file = file.with_file_name(head);
    let original = fs::read(&file).expect("it is readable");
    let mut blames = in_process::Blames::open(&repository, &cache, "a.txt");
    let mut is_used = |bytes: &[u8]| {
        fs::remove_file(&file).ok();
        fs::write(&file, bytes).expect("it is writable");
        blames.get().is_some()
    };
    assert!(is_used(&original));
    let mut tried = 0;
    let mut bytes = original.clone();
    for at in 0..original.len() {
        for flip in [0x01, 0x80, 0xff] {
            bytes[at] ^= flip;
            assert!(!is_used(&bytes), "byte {at} changed by {flip}");
            bytes[at] ^= flip;
            tried += 1;
        }
        assert!(!is_used(&original[..at]), "cut after {at} bytes");
        tried += 1;
    }
    bytes.push(0);
    assert!(!is_used(&bytes), "a byte more");
    assert!(is_used(&original));
    assert!(tried > 4000, "{tried} tried");
}

#[test]
fn damage_does_not_show_and_is_mended() {
    let (repository, git, cache) = kept();
    let lines = cache.assert_blame(&repository, "a.txt", &git);
    let head = repository.git_text(&["rev-parse", "HEAD"]);
    let file = cache.only_blame().with_file_name(head);
    let original = fs::read(&file).expect("it is readable");
    let mut rng = Rng::new(1);
    for case in 0..20 * breadth() {
        let mut bytes = original.clone();
        match case % 4 {
            0 => bytes.truncate(rng.below(original.len())),
            1 => bytes.extend_from_slice(&original),
            2 => {
                let at = rng.below(bytes.len());
                bytes[at..].fill(0);
            }
            _ => {
                let at = rng.below(bytes.len());
                bytes[at] ^= 1 << rng.below(8);
            }
        }
        fs::remove_file(&file).expect("it is one's own");
        fs::write(&file, bytes).expect("it is writable");
        // The walk starts behind it, and may meet the other name of the same blame.
        for other in cache.blames() {
            if other != file {
                fs::remove_file(other).expect("it is one's own");
            }
        }
        assert_eq!(cache.assert_blame(&repository, "a.txt", &git), 0);
        assert_eq!(cache.assert_blame(&repository, "a.txt", &git), lines);
    }
}

#[test]
fn files_of_other_blames_are_not_used() {
    let repository = small_history(12);
    let other_repository = small_history(11);
    let git = git_blame(&repository, "a.txt");
    let head = repository.git_text(&["rev-parse", "HEAD"]);
    // What puts a foreign file into a cache.
    let foreign: [(&TestRepo, &[&str]); 5] = [
        (&repository, &["--porcelain", "HEAD", "--", "b.txt"]),
        (&repository, &["--porcelain", "HEAD~5", "--", "a.txt"]),
        (&repository, &["--porcelain", "-w", "HEAD", "--", "a.txt"]),
        (&repository, &["--porcelain", "-M", "HEAD", "--", "a.txt"]),
        (&other_repository, &["--porcelain", "HEAD", "--", "a.txt"]),
    ];
    for (of, arguments) in foreign {
        let cache = TestCache::new();
        cache.run(of, arguments);
        let bytes = fs::read(cache.only_blame()).expect("it is readable");
        cache.run(&repository, &["--cache-clear"]);
        cache.assert_blame(&repository, "a.txt", &git);
        let file = cache.only_blame().with_file_name(&head);
        for blame in cache.blames() {
            fs::remove_file(blame).expect("it is one's own");
        }
        fs::write(&file, bytes).expect("it is writable");
        let kept = cache.assert_blame(&repository, "a.txt", &git);
        assert_eq!(kept, 0, "{arguments:?}");
    }
}

#[test]
fn the_directory_of_another_repository_does_no_harm() {
    let (repository, git, cache) = kept();
    let other = TestRepo::new(ObjectFormat::Sha1);
    other.write(b"a.txt", b"one\ntwo\n");
    other.git(&["add", "."]);
    other.git(&["commit", "-q", "-m", "one"]);
    let other_git = git_blame(&other, "a.txt");
    cache.assert_blame(&other, "a.txt", &other_git);
    let directories = cache.repositories();
    let [one, two] = &directories[..] else {
        panic!("two repositories: {directories:?}");
    };
    let aside = cache.root().join("aside");
    fs::rename(one, &aside)
        .and_then(|()| fs::rename(two, one))
        .and_then(|()| fs::rename(&aside, two))
        .expect("they are one's own");
    for _ in 0..2 {
        cache.assert_blame(&repository, "a.txt", &git);
        cache.assert_blame(&other, "a.txt", &other_git);
    }
}

/// Puts something else in the place of a file or directory of the cache.
fn put_in_place(kind: &str, path: &Path, aside: &Path) {
    fs::rename(path, aside).expect("it is one's own");
    match kind {
        "directory" => fs::create_dir(path).expect("it is writable"),
        "file" => fs::write(path, b"file").expect("it is writable"),
        "fifo" => make_fifo(path),
        "link" => symlink(aside, path).expect("it is writable"),
        "dangling link" => symlink("nowhere", path).expect("it is writable"),
        _ => unreachable!("{kind}"),
    }
}

#[test]
fn other_kinds_of_files_are_not_used() {
    for kind in ["directory", "file", "fifo", "link", "dangling link"] {
        // The blame, the directories above it, and the files beside it.
        for place in ["blame", "0", "1", "2", "3", "4", "repository", "written"] {
            let (repository, git, cache) = kept();
            let head = repository.git_text(&["rev-parse", "HEAD"]);
            let blame = cache.only_blame().with_file_name(head);
            for other in cache.blames() {
                if other != blame {
                    fs::remove_file(other).expect("it is one's own");
                }
            }
            let of_repository = blame.ancestors().nth(3).expect("it is far below");
            let path = match place {
                "blame" => blame.clone(),
                "repository" => of_repository.join("repository"),
                "written" => cache.root().join("written"),
                depth => {
                    let depth: usize = depth.parse().expect("a number");
                    blame
                        .ancestors()
                        .nth(depth + 1)
                        .expect("it is far below")
                        .to_owned()
                }
            };
            let aside = cache.place().with_file_name("aside");
            put_in_place(kind, &path, &aside);
            let is_used = ["repository", "written"].contains(&place)
                // Links to directories below one's own are one's own doing.
                || (kind == "link" && place == "1");
            for _ in 0..2 {
                let kept = cache.assert_blame(&repository, "a.txt", &git);
                let may_be_kept = is_used || kind == "directory" || !path.is_symlink();
                assert!(kept == 0 || may_be_kept, "{kind} at {place}: {kept} lines");
            }
            let listed = cache.run(&repository, &["--cache"]);
            assert_eq!((listed.status, listed.stderr), (Some(0), Vec::new()));
            assert_eq!(cache.temporary_files(), Vec::<std::path::PathBuf>::new());
        }
    }
}

#[test]
fn what_others_may_write_to_is_not_used() {
    for depth in [0, 1, 3, 4, 5] {
        for mode in [0o020, 0o002] {
            let (repository, git, cache) = kept();
            let head = repository.git_text(&["rev-parse", "HEAD"]);
            let blame = cache.only_blame().with_file_name(head);
            for other in cache.blames() {
                if other != blame {
                    fs::remove_file(other).expect("it is one's own");
                }
            }
            let path = blame.ancestors().nth(depth).expect("it is far below");
            set_mode(path, if depth == 0 { 0o600 } else { 0o700 } | mode);
            let kept = cache.assert_blame(&repository, "a.txt", &git);
            assert_eq!(kept, 0, "mode {mode:o} at {}", path.display());
        }
    }
}

#[test]
fn nobody_else_can_read_what_is_kept() {
    use std::os::unix::fs::PermissionsExt;
    let (_repository, _, cache) = kept();
    let mode = |path: &Path| {
        let metadata = fs::symlink_metadata(path).expect("it is there");
        metadata.permissions().mode() & 0o777
    };
    let files = cache.files();
    assert!(files.len() >= 3, "{files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
        for directory in file.ancestors().skip(1) {
            if directory == cache.place() {
                break;
            }
            assert_eq!(mode(directory), 0o700, "{}", directory.display());
        }
    }
}

#[test]
fn where_nothing_can_be_written_nothing_is_said() {
    let repository = small_history(5);
    let git = git_blame(&repository, "a.txt");
    let arguments = ["--porcelain", "HEAD", "--", "a.txt"];
    let check = |command: &mut Command, what: &str| {
        let output = ProgramOutput::of(command);
        if let Some(difference) = output.difference(&git, Stderr::Whole) {
            panic!("{what}: {difference}");
        }
    };
    for place in ["", "tblame", "tblame/v1"] {
        let cache = TestCache::new();
        let path = match place {
            "" => cache.place(),
            place => cache.place().join(place),
        };
        fs::create_dir_all(path.parent().expect("it is below the root")).expect("it is writable");
        fs::write(path, b"a file").expect("it is writable");
        check(
            &mut cache.command(&repository, &arguments),
            "a file in place of a directory",
        );
    }
    for home in [
        None,
        Some(""),
        Some("relative"),
        Some("/dev/null"),
        Some("/proc/self"),
    ] {
        let cache = TestCache::new();
        let mut command = cache.command(&repository, &arguments);
        command.env_remove("XDG_CACHE_HOME").env_remove("HOME");
        if let Some(home) = home {
            command.env("HOME", home);
        }
        check(&mut command, "HOME");
        assert_eq!(cache.files().len(), 0);
    }
    for place in ["relative", "/dev/null", "/proc/self", "/dev/full"] {
        let cache = TestCache::new();
        let mut command = cache.command(&repository, &arguments);
        check(command.env("XDG_CACHE_HOME", place), place);
    }
    // A relative directory is no place for a cache.
    assert!(!repository.root().join("relative").exists());
    let cache = TestCache::new();
    cache.assert_blame(&repository, "a.txt", &git);
    let blame = cache.only_blame();
    for directory in blame.ancestors().skip(1).take(5) {
        set_mode(directory, 0o500);
    }
    let mut command = cache.command(&repository, &["--porcelain", "-w", "HEAD", "--", "a.txt"]);
    check(&mut command, "read-only directories");
    for directory in blame.ancestors().skip(1).take(5) {
        set_mode(directory, 0o700);
    }
}

#[test]
fn a_limit_of_the_size_of_files_does_not_end_the_program() {
    let repository = small_history(12);
    let git = git_blame(&repository, "a.txt");
    for limit in ["0", "1", "8"] {
        for ignored in ["", "trap '' XFSZ; "] {
            let cache = TestCache::new();
            let script = format!("{ignored}ulimit -f {limit}; exec \"$0\" \"$@\"");
            let mut command = repository.command("sh".as_ref());
            command
                .args(["-c", &script])
                .arg(tblame_program())
                .args(["--porcelain", "HEAD", "--", "a.txt"])
                .env("TBLAME_CACHE", "on")
                .env("XDG_CACHE_HOME", cache.place())
                .env("XDG_CONFIG_HOME", cache.config_home());
            let output = ProgramOutput::of(&mut command);
            assert_eq!(output.difference(&git, Stderr::Whole), None);
            assert_eq!(cache.temporary_files().len(), 0);
            cache.assert_blame(&repository, "a.txt", &git);
        }
    }
}

#[test]
fn a_clock_that_was_set_back_does_no_harm() {
    let (repository, git, cache) = kept();
    let lines = cache.assert_blame(&repository, "a.txt", &git);
    for seconds in [10, 100_000, 1_000_000_000] {
        let future = SystemTime::now() + Duration::from_secs(seconds);
        for file in cache.files() {
            let file = fs::File::options().append(true).open(file);
            let set = file.and_then(|file| file.set_modified(future));
            set.expect("it is one's own");
        }
        assert_eq!(cache.assert_blame(&repository, "a.txt", &git), lines);
    }
    // The time of use was noted.
    let used = fs::metadata(cache.only_blame()).and_then(|metadata| metadata.modified());
    assert!(used.expect("it is there") < SystemTime::now() + Duration::from_secs(5));
}

#[test]
fn any_number_of_processes_may_use_the_cache_at_once() {
    let repository = small_history(12);
    let git = git_blame(&repository, "a.txt");
    let cache = TestCache::new();
    let mut children = Vec::new();
    for number in 0..200 {
        let mut command = cache.command(&repository, &["--porcelain", "HEAD", "--", "a.txt"]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        children.push(command.spawn().expect("it can be started"));
        if number % 50 == 49 {
            // Some of them find the cache removed.
            cache.run(&repository, &["--cache-clear"]);
        }
    }
    for child in children {
        let output: ProgramOutput = child.wait_with_output().expect("it ends").into();
        if let Some(difference) = output.difference(&git, Stderr::Whole) {
            panic!("{difference}");
        }
    }
    cache.assert_blame(&repository, "a.txt", &git);
    assert!(cache.assert_blame(&repository, "a.txt", &git) > 0);
    assert_eq!(cache.temporary_files().len(), 0);
}

#[test]
fn the_cache_can_be_cleared_while_others_write() {
    let repository = &small_history(12);
    let cache = &TestCache::new();
    let done = &AtomicBool::new(false);
    let written = &AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            scope.spawn(move || {
                for round in 0.. {
                    if done.load(Ordering::Relaxed) {
                        break;
                    }
                    // Each keeps blames of its own.
                    let option = format!("-M{}", 1 + writer * 1000 + round);
                    let words = [&*option, "HEAD", "--", "a.txt"];
                    let output = cache.run(repository, &words);
                    assert_eq!((output.status, output.stderr), (Some(0), Vec::new()));
                    written.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for _ in 0..60 * breadth() {
            let cleared = cache.run(repository, &["--cache-clear"]);
            assert_eq!((cleared.status, cleared.stderr), (Some(0), Vec::new()));
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(written.load(Ordering::Relaxed) > 10);
    cache.run(repository, &["--cache-clear"]);
    assert_eq!(cache.files().len(), 0);
}

/// Puts another commit into the file of the commit `id`.
pub fn forge(repository: &TestRepo, id: &str) {
    let commit = repository.git(&["cat-file", "commit", id]);
    let commit = commit.replacen(b"author Ann", b"author Eve", 1);
    let forged =
        repository.git_with_input(&["hash-object", "-w", "-t", "commit", "--stdin"], &commit);
    let forged = String::from_utf8(forged).expect("an id");
    let file = |id: &str| {
        let objects = repository.root().join(".git/objects");
        objects.join(&id[..2]).join(&id[2..])
    };
    fs::rename(file(&forged), file(id)).expect("both are in one file system");
}

#[test]
fn nothing_is_kept_of_a_commit_with_another_hash() {
    for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
        let repository = TestRepo::new(format);
        repository.git(&["config", "fastimport.unpackLimit", "1000"]);
        let ids = write_history(&repository, 40);
        // The last ones have lines left.
        let forged = &ids[35];
        let git = git_blame(&repository, "a.txt");
        assert!(String::from_utf8_lossy(&git.stdout).contains(forged));
        let genuine = repository.git(&["cat-file", "commit", forged]);
        forge(&repository, forged);
        let cache = TestCache::new();
        cache.run(&repository, &["--porcelain", "HEAD", "--", "a.txt"]);
        cache.run(&repository, &["--warm"]);
        assert_eq!(cache.blames().len(), 0);
        let written = ["hash-object", "-w", "-t", "commit", "--stdin"];
        let objects = repository.root().join(".git/objects");
        let file = objects.join(&forged[..2]).join(&forged[2..]);
        fs::remove_file(file).expect("it is one's own");
        repository.git_with_input(&written, &genuine);
        assert_eq!(cache.assert_blame(&repository, "a.txt", &git), 0);
        assert!(cache.assert_blame(&repository, "a.txt", &git) > 0);
    }
}

#[test]
fn a_program_that_is_killed_leaves_nothing_forever() {
    let repository = small_history(40);
    let git = git_blame(&repository, "a.txt");
    let cache = TestCache::new();
    cache.assert_blame(&repository, "a.txt", &git);
    let mut rng = Rng::new(7);
    let (mut killed, mut left) = (0, 0);
    for round in 0..40 * breadth() {
        // Each keeps a blame of its own.
        let option = format!("-M{}", round % 100 + 1);
        let mut command = cache.command(&repository, &["--porcelain", &option]);
        command.args(["HEAD", "--", "a.txt"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it can be started");
        // Standard output ends when the writing begins.
        let mut output = child.stdout.take().expect("it was asked for");
        std::io::copy(&mut output, &mut std::io::sink()).expect("it is readable");
        std::thread::sleep(Duration::from_micros(rng.below(600) as u64));
        child.kill().ok();
        let status = child.wait().expect("it ends");
        killed += usize::from(!status.success());
        left = left.max(cache.temporary_files().len());
        if round % 8 == 0 {
            cache.assert_blame(&repository, "a.txt", &git);
        }
    }
    println!("{killed} were killed, at most {left} temporary files left");
    assert!(killed > 0, "none was killed");
    // What is left is removed after some time by the next that writes to the directory.
    let long_ago = SystemTime::now() - Duration::from_secs(7200);
    for file in cache.temporary_files() {
        let file = fs::File::options().append(true).open(file);
        file.and_then(|file| file.set_modified(long_ago))
            .expect("it is one's own");
    }
    for blame in cache.blames() {
        fs::remove_file(blame).expect("it is one's own");
    }
    for round in 0..100 {
        let option = format!("-M{}", round + 1);
        cache.run(
            &repository,
            &["--porcelain", &option, "HEAD", "--", "a.txt"],
        );
    }
    assert_eq!(cache.temporary_files().len(), 0);
}

#[test]
fn the_cache_stays_within_its_bound() {
    const BOUND: u64 = 1 << 20;
    let repository = small_history(60);
    let git = git_blame(&repository, "a.txt");
    let cache = TestCache::new();
    cache.configure("min-time = 0\nmax-size = 1");
    let size = || -> u64 {
        let files = cache.files();
        let blames = files.iter().filter(|file| !file.ends_with("written"));
        // A blame that has two names takes its space once.
        let bytes = blames.filter_map(|file| {
            use std::os::unix::fs::MetadataExt;
            let metadata = fs::metadata(file).ok()?;
            Some(metadata.len().next_multiple_of(4096) / metadata.nlink())
        });
        bytes.sum()
    };
    let (mut largest, mut removed, mut written) = (0, 0, 0);
    let mut last = 0;
    for round in 0..160 {
        let option = format!("-M{}", round + 1);
        cache.run(
            &repository,
            &["--porcelain", &option, "HEAD", "--", "a.txt"],
        );
        let now = size();
        largest = largest.max(now);
        written += now.saturating_sub(last);
        removed += usize::from(now < last);
        last = now;
    }
    println!("largest {largest}, {written} written, {removed} times removed");
    // The files that say which repository it is take a block each.
    assert!(largest <= BOUND + 2 * 4096, "{largest}");
    assert!(
        removed > 0 && written > BOUND,
        "{written}, {removed} times removed"
    );
    // Those that were used last are kept.
    let directories = fs::read_dir(
        cache.blames()[0]
            .ancestors()
            .nth(2)
            .expect("it is far below"),
    );
    assert!(directories.expect("it is there").count() > 20);
    let last = cache.run(&repository, &["--stats", "-M160", "HEAD", "--", "a.txt"]);
    let (_, stats) = super::without_stats(last);
    assert!(stats.expect("it was asked for").kept_lines > 0);
    cache.assert_blame(&repository, "a.txt", &git);
}
