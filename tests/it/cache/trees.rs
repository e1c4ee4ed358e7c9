//! What is kept of whole directories.

use std::{fs, ops::Range, path::PathBuf, process::Stdio, sync::Arc};

use jiff::Timestamp;
use tblame::internals::{
    cache::TreeBlames,
    engine::{Request, Start},
    objects::ObjectId,
    repository::Repository,
};

use super::{
    TestCache,
    faults::forge,
    git_blame,
    growing_trees::{TreeStats, of_one_second, without_stats},
    rules::{convert, renamed_twice},
    small_history,
};
use crate::{
    generated::breadth,
    harness::{
        git::git_program,
        program::{ProgramOutput, Stderr},
        repository::{ObjectFormat, TestRepo},
        tree_answers::{TreeAnswer, origins_by_git},
    },
};

const RECURSIVE: [&str; 4] = ["--tree", "-r", "--json", "--json-fields=lines"];

/// Runs `--tree` with the cache, and compares its output with the one without.
fn tree(repository: &TestRepo, cache: &TestCache, words: &[&str]) -> TreeStats {
    let start = Timestamp::now();
    let mut command = cache.command(repository, words);
    let anew = ProgramOutput::of(command.arg("--no-cache"));
    let mut command = cache.command(repository, words);
    let (output, stats) = without_stats(ProgramOutput::of(command.arg("--stats")));
    let (output, anew) = (of_one_second(&output, start), of_one_second(&anew, start));
    if let Some(difference) = output.difference(&anew, Stderr::Whole) {
        panic!("{words:?}: {difference}");
    }
    stats.expect("there are figures")
}

fn kept_trees(cache: &TestCache) -> Vec<PathBuf> {
    let files = cache.files().into_iter();
    let is_tree = |path: &PathBuf| path.components().any(|part| part.as_os_str() == "trees");
    files.filter(is_tree).collect()
}

fn commit(repository: &TestRepo, path: &str, text: &str, message: &str) {
    repository.write(path.as_bytes(), text.as_bytes());
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "-m", message]);
}

fn is_whole(stats: &TreeStats) -> bool {
    stats.compared == 0 && stats.lines > 0
}

/// What is read for a commit.
fn opened(repository: &TestRepo, cache: &TestCache, commit: ObjectId) -> TreeBlames {
    let opened = Repository::open_own(repository.root()).expect("it is a repository");
    let files = cache.blame_files(&opened);
    let request = Request::new(Start::Commit(commit), "".into());
    TreeBlames::open(Some(&files), &opened, &request, Arc::default())
}

#[test]
fn a_tree_with_any_byte_changed_or_missing_is_not_used() {
    let repository = small_history(6);
    let cache = TestCache::new();
    tree(&repository, &cache, &["--tree"]);
    let files = kept_trees(&cache);
    let [file] = &files[..] else {
        panic!("one is kept: {files:?}");
    };
    let id = |revision: &str| {
        let id = repository.git_text(&["rev-parse", revision]);
        ObjectId::from_hex(id.as_bytes()).expect("it is an id")
    };
    let (this, other) = (id("HEAD"), id("HEAD~2"));
    let original = fs::read(file).expect("it is readable");
    // What is kept of versions is read for another commit.
    let is_used = |bytes: &[u8]| {
        fs::write(file, bytes).expect("it is writable");
        let blames = opened(&repository, &cache, other);
        blames.kept().is_some()
    };
    assert!(is_used(&original));
    let whole = opened(&repository, &cache, this);
    assert!(whole.is_known() && whole.last_commits().is_some_and(|it| it.len() == 2));
    let mut tried = 0;
    let mut bytes = original.clone();
    for at in 0..original.len() {
        let flip = [0x01, 0x80, 0xff][at % 3];
        bytes[at] ^= flip;
        assert!(!is_used(&bytes), "byte {at} changed by {flip}");
        bytes[at] ^= flip;
        assert!(!is_used(&original[..at]), "cut after {at} bytes");
        tried += 2;
    }
    bytes.push(0);
    assert!(!is_used(&bytes), "a byte more");
    assert!(is_used(&original));
    assert!(tried > 2000, "{tried} tried");
    // Damage does not show, and is mended.
    bytes.truncate(original.len() / 2);
    fs::write(file, &bytes).expect("it is writable");
    assert_eq!(tree(&repository, &cache, &["--tree"]).lines, 0);
    assert!(is_whole(&tree(&repository, &cache, &["--tree"])));
}

#[test]
fn only_what_changed_is_done_for_another_commit() {
    let repository = small_history(12);
    let cache = TestCache::new();
    assert_eq!(tree(&repository, &cache, &RECURSIVE).lines, 0);
    assert!(is_whole(&tree(&repository, &cache, &RECURSIVE)));
    // The last commits of the entries are added.
    tree(&repository, &cache, &["--tree"]);
    let id = repository.git_text(&["rev-parse", "HEAD"]);
    let id = ObjectId::from_hex(id.as_bytes()).expect("it is an id");
    assert!(opened(&repository, &cache, id).last_commits().is_some());
    assert!(is_whole(&tree(&repository, &cache, &["--tree"])));
    // A branch that began before the kept commit.
    repository.git(&["checkout", "-q", "-b", "topic", "HEAD~4"]);
    let a = fs::read_to_string(repository.root().join("a.txt")).expect("it is a text");
    commit(&repository, "a.txt", &format!("first\n{a}"), "topic");
    repository.git(&["checkout", "-q", "-"]);
    commit(&repository, "c.txt", "one\ntwo\n", "new");
    repository.git(&["merge", "-q", "-X", "ours", "-m", "merge", "topic"]);
    repository.git(&["mv", "b.txt", "d.txt"]);
    repository.git(&["commit", "-q", "-m", "rename"]);
    let stats = tree(&repository, &cache, &RECURSIVE);
    assert!(stats.met > 1 && stats.lines > 10, "{stats:?}");
    assert!(is_whole(&tree(&repository, &cache, &RECURSIVE)));
    // What is kept of a commit that was rewritten has versions of older ones.
    repository.git(&["reset", "-q", "--hard", "HEAD~3"]);
    commit(&repository, "a.txt", &format!("{a}last\n"), "another");
    let stats = tree(&repository, &cache, &RECURSIVE);
    assert!(stats.met > 0, "{stats:?}");
}

#[test]
fn changed_files_of_the_work_tree_stand_beside_kept_ones() {
    let repository = small_history(12);
    commit(&repository, "z.txt", "one\ntwo\n", "last by name");
    let cache = TestCache::new();
    tree(&repository, &cache, &["--tree"]);
    let change = |path: &str| {
        let text = fs::read_to_string(repository.root().join(path)).expect("it is a text");
        repository.write(path.as_bytes(), format!("{text}more\n").as_bytes());
    };
    // One is blamed while others are known; later, some between and after these.
    change("a.txt");
    let forms: [&[&str]; 3] = [&["--tree"], &RECURSIVE, &["--people", "."]];
    for words in forms {
        assert!(tree(&repository, &cache, words).lines > 0, "{words:?}");
    }
    repository.write(b"ab.txt", b"new\n");
    repository.git(&["add", "ab.txt"]);
    repository.write(b"ab.txt", b"new\nnewer\n");
    change("z.txt");
    for words in forms {
        assert!(tree(&repository, &cache, words).lines > 0, "{words:?}");
    }
    fs::remove_file(repository.root().join("a.txt")).expect("it can be removed");
    for words in forms {
        assert!(tree(&repository, &cache, words).lines > 0, "{words:?}");
    }
}

#[test]
fn a_single_file_is_blamed_from_a_kept_directory() {
    let repository = small_history(12);
    let cache = TestCache::new();
    tree(&repository, &cache, &RECURSIVE);
    let git = git_blame(&repository, "a.txt");
    let lines = git.stdout.iter().filter(|&&byte| byte == b'\t').count();
    assert!(cache.assert_blame(&repository, "a.txt", &git) >= lines.min(20));
    assert_eq!(cache.blames().len(), kept_trees(&cache).len());
    let a = fs::read_to_string(repository.root().join("a.txt")).expect("it is a text");
    commit(&repository, "a.txt", &format!("first\n{a}"), "more");
    let git = git_blame(&repository, "a.txt");
    assert!(cache.assert_blame(&repository, "a.txt", &git) > 20);
}

#[test]
fn a_text_conversion_of_any_path_of_a_kept_directory_counts() {
    let repository = renamed_twice();
    let cache = TestCache::new();
    tree(&repository, &cache, &RECURSIVE);
    assert!(is_whole(&tree(&repository, &cache, &RECURSIVE)));
    let files = repository.git_text(&["ls-tree", "-r", "--name-only", "HEAD~2"]);
    let first = files.lines().next().expect("it has a file");
    let now = repository.git_text(&["ls-tree", "-r", "--name-only", "HEAD"]);
    let now = now.lines().next().expect("it has a file");
    assert_ne!(first, now);
    convert(&repository, first);
    let stats = tree(&repository, &cache, &RECURSIVE);
    assert_eq!((stats.alone, stats.lines), (1, 0));
    let git = git_blame(&repository, now);
    assert_eq!(cache.assert_blame(&repository, now, &git), 0);
}

fn line_count(repository: &TestRepo, path: &str) -> usize {
    let text = fs::read_to_string(repository.root().join(path));
    text.expect("it is a text").lines().count()
}

/// Compares every line of every file of a tree with git's, and returns how many these are.
fn lines_of_git(repository: &TestRepo, cache: &TestCache, options: &[&str]) -> usize {
    let words = [&RECURSIVE, options].concat();
    let answer = TreeAnswer::read(&cache.run(repository, &words).stdout);
    let mut count = 0;
    for path in answer.files.keys() {
        let mut git = repository.command(git_program());
        git.args(["blame", "--line-porcelain"]).args(options);
        let git = ProgramOutput::of(git.args(["--", path]));
        let expected = origins_by_git(&git.stdout);
        assert_eq!(answer.origins(path), expected, "{options:?} {path}");
        count += expected.len();
    }
    count
}

#[test]
fn a_directory_takes_the_kept_blames_of_single_files() {
    let repository = small_history(12);
    let cache = TestCache::new();
    let blame = |words: &[&str]| {
        let output = cache.run(&repository, &[&["--porcelain"], words].concat());
        assert_eq!(output.status, Some(0));
    };
    blame(&["a.txt"]);
    let of_a = line_count(&repository, "a.txt");
    assert!(of_a > 20);
    assert_eq!(tree(&repository, &cache, &RECURSIVE).lines, of_a);
    // Blames of an older commit, under any of their names.
    cache.run(&repository, &["--cache-clear"]);
    blame(&["HEAD~3", "--", "b.txt"]);
    blame(&["HEAD~3", "--", "a.txt"]);
    let stats = tree(&repository, &cache, &["--tree"]);
    assert!(stats.lines > of_a && stats.met == 0, "{stats:?}");
    // What is taken is kept with the rest.
    assert!(is_whole(&tree(&repository, &cache, &RECURSIVE)));
    // Blames with other options are not taken, and neither are those of other versions.
    cache.run(&repository, &["--cache-clear"]);
    blame(&["-w", "a.txt"]);
    assert_eq!(
        tree(&repository, &cache, &["--tree", "--first-parent"]).lines,
        0
    );
    assert_eq!(tree(&repository, &cache, &["--tree", "HEAD~1"]).lines, 0);
    // Those of a directory serve the one above.
    cache.run(&repository, &["--cache-clear"]);
    fs::create_dir(repository.root().join("d")).expect("it is new");
    repository.git(&["mv", "a.txt", "d"]);
    repository.git(&["commit", "-q", "-m", "moved"]);
    tree(&repository, &cache, &["--tree", "HEAD", "d"]);
    assert_eq!(tree(&repository, &cache, &["--tree", "HEAD"]).lines, of_a);
    assert!(lines_of_git(&repository, &cache, &["HEAD"]) > of_a);
}

#[test]
fn what_is_kept_of_single_files_is_kept_of_directories() {
    let repository = small_history(12);
    let lines = |range: Range<u32>| -> String {
        range
            .map(|n| format!("a line of some length, number {n}\n"))
            .collect()
    };
    let (text, first, rest) = (lines(0..30), lines(0..15), lines(15..30));
    commit(&repository, "moved.txt", &text, "a text");
    commit(
        &repository,
        "moved.txt",
        &format!("{rest}{first}"),
        "turned",
    );
    repository.write(b"copied.txt", format!("new\n{first}").as_bytes());
    commit(&repository, "moved.txt", &rest, "to another file");
    let crs = text.replace('\n', "\r\n");
    commit(&repository, "old.txt", &crs, "with CR LF");
    repository.git(&["mv", "old.txt", "renamed.txt"]);
    commit(
        &repository,
        "renamed.txt",
        &(crs + "one more\r\n"),
        "renamed and changed",
    );
    let cache = TestCache::new();
    for options in [
        &["-M", "HEAD"][..],
        &["-C", "-C", "HEAD"],
        &["-w", "-M3", "HEAD"],
    ] {
        let words = [&["--tree"], options].concat();
        let single = [&["--porcelain"], options, &["--", "moved.txt"]].concat();
        assert_eq!(cache.run(&repository, &single).status, Some(0));
        // One file at first; then all but that whose attributes count.
        let stats = tree(&repository, &cache, &words);
        assert_eq!((stats.alone, stats.lines), (5, 15), "{options:?}");
        let stats = tree(&repository, &cache, &words);
        assert_eq!(stats.alone, 1, "{options:?}");
        let lines = lines_of_git(&repository, &cache, options);
        assert_eq!(stats.lines, lines - 31, "{options:?}");
        let single = [&["--porcelain", "--stats"], options, &["--", "copied.txt"]].concat();
        let (_, stats) = super::without_stats(cache.run(&repository, &single));
        assert_eq!(
            stats.expect("it was asked for").kept_lines,
            16,
            "{options:?}"
        );
        let words = [&["--verify-cache", "--tree"], options].concat();
        let verified = cache.run(&repository, &words);
        assert_eq!(verified.status, Some(0), "{verified:?}");
    }
    commit(&repository, "moved.txt", &format!("{rest}more\n"), "more");
    // Files that are the same are taken whole.
    let stats = tree(&repository, &cache, &["--tree", "-M", "HEAD"]);
    assert!(stats.lines > 16 && stats.alone == 5, "{stats:?}");
    assert!(lines_of_git(&repository, &cache, &["-M", "HEAD"]) > 100);
    // Lines that are moved in the work tree are searched in the commit too.
    let again = lines(15..25);
    repository.write(b"moved.txt", format!("{rest}more\n{again}").as_bytes());
    for options in [&["-M"][..], &["-C", "-C"], &["-w", "-M"]] {
        tree(
            &repository,
            &cache,
            &[&["--tree"], options, &["HEAD"]].concat(),
        );
        assert!(
            lines_of_git(&repository, &cache, options) > 110,
            "{options:?}"
        );
    }
}

#[test]
fn a_text_conversion_of_a_file_does_not_count_for_others() {
    let repository = small_history(12);
    let cache = TestCache::new();
    convert(&repository, "b.txt");
    let of_b = line_count(&repository, "b.txt");
    for is_kept in [false, true] {
        let stats = tree(&repository, &cache, &RECURSIVE);
        assert_eq!((stats.alone, stats.lines > 20), (1, is_kept));
    }
    assert!(lines_of_git(&repository, &cache, &["HEAD"]) > of_b + 20);
    for is_kept in [false, true] {
        let stats = tree(&repository, &cache, &["--tree", "-M"]);
        assert_eq!(
            (stats.alone, stats.lines > 20),
            (2 - usize::from(is_kept), is_kept)
        );
    }
    assert!(lines_of_git(&repository, &cache, &["-M", "HEAD"]) > of_b + 20);
}

/// git reads a file of the work tree with the attributes of today, though its state is that of the index.
#[test]
fn attributes_of_yesterday_do_not_count() {
    let repository = small_history(4);
    let cache = TestCache::new();
    let lines = "one\r\ntwo\r\nthree\r\n";
    repository.write(b".gitattributes", b"*.crlf text\n");
    repository.write(b"a.crlf", lines.as_bytes());
    // An index that is as old as a file says nothing of it.
    let file = fs::File::options()
        .write(true)
        .open(repository.root().join("a.crlf"));
    let past = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_500_000_000);
    let set = file.expect("it was written").set_modified(past);
    set.expect("the time can be set");
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "-m", "with attributes"]);
    repository.write(b".gitattributes", b"");
    repository.git(&["commit", "-q", "-m", "without", ".gitattributes"]);
    assert!(repository.git_text(&["status", "--short"]).is_empty());
    let uncommitted = repository.git_text(&["blame", "-s", "a.crlf"]);
    assert_eq!(uncommitted.matches("00000000").count(), 3, "{uncommitted}");
    assert!(lines_of_git(&repository, &cache, &[]) > 10);
}

/// An older version had another path, the text of which is converted.
#[test]
fn a_file_that_had_a_converted_path_is_blamed_as_that_of_the_work_tree() {
    let repository = small_history(4);
    let cache = TestCache::new();
    repository.git(&["config", "diff.sorted.textconv", "sort"]);
    repository.write(b".gitattributes", b"*.sorted diff=sorted\n");
    let lines: String = (1..20).rev().map(|n| format!("{n}\n")).collect();
    commit(&repository, "a.sorted", &lines, "converted");
    commit(
        &repository,
        "a.sorted",
        &lines.replace("7\n", "seven\n"),
        "changed",
    );
    repository.git(&["mv", "a.sorted", "a.plain"]);
    repository.git(&["commit", "-q", "-m", "renamed"]);
    for options in [&["HEAD"][..], &[], &["-M"]] {
        for _ in 0..2 {
            assert!(
                lines_of_git(&repository, &cache, options) > 20,
                "{options:?}"
            );
        }
    }
}

#[test]
fn all_that_is_kept_of_a_directory_is_verified() {
    let repository = small_history(10);
    let cache = TestCache::new();
    let verify = || {
        let output = cache.run(&repository, &["--verify-cache", "--tree", "HEAD"]);
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).expect("it is UTF-8");
        (output.status, said)
    };
    let (status, said) = verify();
    assert_eq!(status, Some(128));
    assert!(said.contains("nothing of it is kept"), "{said}");
    tree(&repository, &cache, &["--tree", "HEAD~3"]);
    tree(&repository, &cache, &["--tree"]);
    let (status, said) = verify();
    assert_eq!(status, Some(0), "{said}");
    assert!(
        said.contains(" in 2 kept commits, all as blamed anew"),
        "{said}"
    );
    let id = repository.git_text(&["rev-parse", "HEAD~5"]);
    forge(&repository, &id);
    let (status, said) = verify();
    assert_eq!(status, Some(128));
    assert!(said.contains("what is kept is wrong: "), "{said}");
}

#[test]
fn few_commits_of_a_directory_are_kept() {
    let repository = small_history(9);
    let cache = TestCache::new();
    for back in 0..7 {
        tree(&repository, &cache, &["--tree", &format!("HEAD~{back}")]);
    }
    assert_eq!(kept_trees(&cache).len(), 4);
    assert_eq!(tree(&repository, &cache, &["--tree", "HEAD~6"]).compared, 0);
    cache.run(&repository, &["--cache-clear"]);
    assert_eq!(kept_trees(&cache).len(), 0);
}

#[test]
fn co_authors_are_kept() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let message = "one\n\nMore.\n\nCo-authored-by: B <b@x>\nFixes: #1\nco-authored-by: C";
    commit(&repository, "a", "one\ntwo\n", message);
    let cache = TestCache::new();
    for _ in 0..2 {
        tree(&repository, &cache, &["--tree"]);
    }
    let output = cache.run(&repository, &["--tree", "--json"]);
    let text = String::from_utf8(output.stdout).expect("it is UTF-8");
    assert!(text.contains("\"name\":\"B\"") && text.contains("\"name\":\"C\""));
}

#[test]
fn what_cannot_be_kept_is_not() {
    let repository = small_history(6);
    let cache = TestCache::new();
    for words in [
        &["--tree", "HEAD~3.."][..],
        &["--tree", "--since=2 weeks ago"],
        &["--tree", "--no-cache"],
    ] {
        cache.run(&repository, words);
        assert!(kept_trees(&cache).is_empty(), "{words:?}");
    }
    // A directory that cannot be read: which files it has is not known.
    let words = ["hash-object", "-w", "-t", "tree", "--literally", "--stdin"];
    let missing = [b"40000 gone\0".as_slice(), &[1; 20]].concat();
    let tree_id = repository.git_output(&words, &missing).stdout;
    let tree_id = String::from_utf8(tree_id).expect("it is an id");
    let commit = repository.git_text(&["commit-tree", "-m", "gone", tree_id.trim()]);
    let output = cache.run(&repository, &["--tree", &commit]);
    assert_eq!(output.status, Some(128));
    assert!(kept_trees(&cache).is_empty());
}

#[test]
fn files_that_cannot_be_read_are_tried_again_beside_kept_ones() {
    let repository = small_history(12);
    let cache = TestCache::new();
    let objects = repository.root().join(".git/objects");
    let loose = |revision: &str| {
        let id = repository.git_text(&["rev-parse", revision]);
        let (directory, name) = id.trim().split_at(2);
        objects.join(directory).join(name)
    };
    // One lacks its contents, the other an older version.
    commit(&repository, "c.txt", "one\ntwo\n", "contents");
    commit(&repository, "d.txt", "one\n", "an older version");
    commit(&repository, "d.txt", "one\ntwo\n", "a newer version");
    let lost = [loose("HEAD:c.txt"), loose("HEAD~1:d.txt")];
    let contents = lost
        .each_ref()
        .map(|path| fs::read(path).expect("it is loose"));
    let remove = |path: &PathBuf| fs::remove_file(path).expect("it can be removed");
    lost.iter().for_each(remove);
    let (of_a, of_b) = (
        line_count(&repository, "a.txt"),
        line_count(&repository, "b.txt"),
    );
    for words in [
        &["--tree", "HEAD"][..],
        &RECURSIVE,
        &["--people", "HEAD", "."],
    ] {
        for is_kept in [false, true] {
            let stats = tree(&repository, &cache, words);
            let lines = if is_kept { of_a + of_b } else { 0 };
            assert_eq!(stats.lines, lines, "{words:?}");
            let output = cache.run(&repository, words);
            let said = String::from_utf8(output.stderr).expect("it is UTF-8");
            assert_eq!(output.status, Some(128), "{said}");
            assert!(said.contains("2 of 4 files could not be blamed"), "{said}");
        }
        let verified = cache.run(&repository, &["--verify-cache", "--tree", "HEAD"]);
        assert_eq!(verified.status, Some(0), "{words:?}: {verified:?}");
        cache.run(&repository, &["--cache-clear"]);
    }
    tree(&repository, &cache, &RECURSIVE);
    for (path, contents) in lost.iter().zip(contents) {
        fs::write(path, contents).expect("it is writable");
    }
    let stats = tree(&repository, &cache, &RECURSIVE);
    assert_eq!((stats.lines, stats.alone), (of_a + of_b, 2));
    assert!(lines_of_git(&repository, &cache, &[]) > of_a + of_b);
    // Those of the next commit are all kept.
    commit(&repository, "c.txt", "one\ntwo\nthree\n", "next");
    tree(&repository, &cache, &RECURSIVE);
    assert!(is_whole(&tree(&repository, &cache, &RECURSIVE)));
    assert!(lines_of_git(&repository, &cache, &[]) > of_a + of_b);
}

#[test]
fn any_number_of_processes_may_keep_trees_at_once() {
    let repository = small_history(12);
    let cache = TestCache::new();
    let mut command = cache.command(&repository, &RECURSIVE);
    let anew = ProgramOutput::of(command.arg("--no-cache"));
    let mut children = Vec::new();
    for number in 0..20 * breadth() {
        let mut command = cache.command(&repository, &RECURSIVE);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        children.push(command.spawn().expect("it can be started"));
        if number % 10 == 9 {
            // Some of them find the cache removed.
            cache.run(&repository, &["--cache-clear"]);
        }
    }
    for child in children {
        let output: ProgramOutput = child.wait_with_output().expect("it ends").into();
        if let Some(difference) = output.difference(&anew, Stderr::Whole) {
            panic!("{difference}");
        }
    }
    tree(&repository, &cache, &RECURSIVE);
    assert!(is_whole(&tree(&repository, &cache, &RECURSIVE)));
    assert_eq!(cache.temporary_files().len(), 0);
}
