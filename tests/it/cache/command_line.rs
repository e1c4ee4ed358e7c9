//! Options, variables and settings of the cache.

use std::{fs, path::Path};

use tblame::internals::objects::ObjectId;

use super::{TestCache, git_blame, in_process, small_history};
use crate::harness::{
    program::{ProgramOutput, Stderr, tblame_program},
    repository::TestRepo,
};

const BLAME: [&str; 4] = ["--porcelain", "HEAD", "--", "a.txt"];

fn text(output: &ProgramOutput) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status, text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_cache_is_listed_and_cleared() {
    let (one, two) = (small_history(10), small_history(20));
    let cache = TestCache::new();
    let nothing = (
        Some(0),
        "        0 KiB      0 files  in all\n".to_owned(),
        String::new(),
    );
    assert_eq!(text(&cache.run(&one, &["--cache"])), nothing);
    cache.run(&one, &BLAME);
    cache.run(&two, &BLAME);
    cache.run(&two, &["HEAD", "--", "b.txt"]);
    let (status, listed, _) = text(&cache.run(&one, &["--cache"]));
    assert_eq!(status, Some(0));
    let rows: Vec<_> = listed.lines().collect();
    assert_eq!(rows.len(), 3, "{listed}");
    for (row, repository) in rows.iter().zip([&two, &one]) {
        let place = repository.root().join(".git");
        assert!(row.ends_with(&*place.to_string_lossy()), "{listed}");
    }
    assert!(rows[2].ends_with(" in all"), "{listed}");
    let kib: Vec<u64> = rows
        .iter()
        .map(|row| {
            let number = row.split_whitespace().next();
            number
                .and_then(|number| number.parse().ok())
                .expect("a number")
        })
        .collect();
    assert!(kib[0] > kib[1] && kib[0] + kib[1] == kib[2], "{listed}");

    // By any name of the repository's place.
    let cleared = cache.run(&one, &["--cache-clear", "."]);
    assert_eq!(text(&cleared), (Some(0), String::new(), String::new()));
    let (_, listed, _) = text(&cache.run(&one, &["--cache"]));
    assert_eq!(listed.lines().count(), 2, "{listed}");
    let again = cache.run(&one, &["--cache-clear", "."]);
    assert_eq!(again.status, Some(128));
    let said = text(&again).2;
    assert!(
        said.starts_with("fatal: nothing is kept of a repository at"),
        "{said}"
    );
    let git = two.root().join(".git");
    let git = git.to_str().expect("a path in UTF-8");
    assert_eq!(cache.run(&one, &["--cache-clear", git]).status, Some(0));
    assert_eq!(cache.blames().len(), 0);

    cache.run(&one, &BLAME);
    cache.run(&two, &BLAME);
    assert_ne!(cache.blames().len(), 0);
    // Of a repository that is gone, and of all.
    let gone = two.root().with_file_name("gone");
    fs::rename(two.root(), &gone).expect("it is one's own");
    let path = two.root().to_str().expect("a path in UTF-8");
    let cleared = cache.run(&one, &["--cache-clear", path]);
    assert_eq!(text(&cleared), (Some(0), String::new(), String::new()));
    let cleared = cache.run(&one, &["--cache-clear"]);
    assert_eq!(text(&cleared), (Some(0), String::new(), String::new()));
    assert_eq!(cache.files().len(), 0);
    assert_eq!(text(&cache.run(&one, &["--cache"])), nothing);
    let cleared = cache.run(&one, &["--cache-clear"]);
    assert_eq!(text(&cleared), (Some(0), String::new(), String::new()));
}

#[test]
fn the_cache_is_listed_outside_of_repositories() {
    let repository = small_history(5);
    let cache = TestCache::new();
    cache.run(&repository, &BLAME);
    for argument in ["--cache", "--cache-clear"] {
        let mut command = cache.command(&repository, &[argument]);
        let output = ProgramOutput::of(command.current_dir(cache.config_home()));
        assert_eq!((output.status, output.stderr), (Some(0), Vec::new()));
    }
    assert_eq!(cache.blames().len(), 0);
}

/// Runs `--verify-cache`.
fn verify(repository: &TestRepo, cache: &TestCache) -> (Option<i32>, String, String) {
    text(&cache.run(repository, &["--verify-cache", "HEAD", "--", "a.txt"]))
}

#[test]
fn all_that_is_kept_of_a_file_is_verified() {
    let repository = small_history(10);
    let cache = TestCache::new();
    let lines = repository.git_text(&["show", "HEAD:a.txt"]).lines().count();
    let nothing = "fatal: a.txt: no blame of it is kept: nothing of it was compared\n";
    let refused = (Some(128), String::new(), nothing.to_owned());
    assert_eq!(verify(&repository, &cache), refused);
    assert_eq!(cache.blames().len(), 0, "verifying keeps nothing");
    cache.run(&repository, &BLAME);
    let (status, said, _) = verify(&repository, &cache);
    assert_eq!(status, Some(0));
    let said: Vec<_> = said.lines().collect();
    let of_head = format!("a.txt: {lines} of {lines} lines from the cache, all as blamed anew");
    assert_eq!(said[0], of_head);
    // An older version is known as far as its lines are left.
    assert!(
        said[1].starts_with("a.txt: ") && said[1].ends_with(" kept versions, all as blamed anew")
    );
    assert!(
        said[2].starts_with("a.txt: names, dates and summaries of "),
        "{said:?}"
    );
    assert_eq!(said.len(), 3, "{said:?}");
    cache.run(&repository, &["--warm"]);
    let (status, said, _) = verify(&repository, &cache);
    assert_eq!(status, Some(0));
    let history =
        "10 remembered commits, 10 of them with the paths that they change, all as stored";
    assert_eq!(said.lines().nth(3), Some(history));
    // What is kept of other options does not count as a comparison.
    let (status, said, stderr) = text(&cache.run(
        &repository,
        &["--verify-cache", "-w", "HEAD", "--", "a.txt"],
    ));
    assert_eq!((status, &*stderr), (Some(128), nothing));
    assert_eq!(said.lines().collect::<Vec<_>>(), [history]);
    let (status, _, stderr) = text(&cache.run(
        &repository,
        &["--verify-cache", "HEAD~3..HEAD", "--", "a.txt"],
    ));
    assert_eq!(
        (status, &*stderr),
        (Some(128), "fatal: such blames are not kept\n")
    );
}

#[test]
fn what_keeps_a_history_from_being_remembered_is_said() {
    let not_remembered = "the history is not remembered with replaced, grafted or shallow commits, in a partial \
                          clone, or where core.commitGraph is off";
    let graph = "the repository has a commit-graph, which is read in place of a remembered history";
    let cases: [(&[&str], &str); 4] = [
        (&["config", "tblame.cache", "false"], "the cache is off"),
        (&["config", "core.commitGraph", "false"], not_remembered),
        (&["replace", "HEAD~2", "HEAD~3"], not_remembered),
        (&["commit-graph", "write", "--reachable"], graph),
    ];
    for (change, reason) in cases {
        let (repository, cache) = (small_history(10), TestCache::new());
        repository.git(change);
        let refused = (Some(128), String::new(), format!("fatal: {reason}\n"));
        assert_eq!(text(&cache.run(&repository, &["--warm"])), refused);
    }
}

#[test]
fn what_is_kept_wrongly_is_found() {
    let repository = small_history(10);
    let cache = TestCache::new();
    // Well-formed and wrong.
    let words = [
        "a.txt: the kept blame is wrong from line ",
        "a.txt: the kept blame is wrong from line ",
        "a.txt: the kept blame is wrong from line ",
        " the kept blame is wrong from line ",
        "the kept text of commit ",
        "the remembered history is wrong at commit ",
        "the remembered history is wrong at commit ",
    ];
    for (change, words) in words.into_iter().enumerate() {
        cache.run(&repository, &["--cache-clear"]);
        let mut blames = in_process::Blames::open(&repository, &cache, "a.txt");
        if change == 4 {
            let commit = b"\nauthor Eve <a@b> 1 +0000\ncommitter Eve <a@b> 1 +0000\n\nother";
            let head = repository.git_text(&["rev-parse", "HEAD"]);
            let head = ObjectId::from_hex(head.as_bytes()).expect("an id");
            blames.texts.insert(head, commit.to_vec().into());
        }
        blames.keep_changed(|blame| match change {
            0 => blame.entries[0].source_start += 1,
            1 => {
                let first = blame.entries[0].origin;
                let other = blame.entries.iter().find(|entry| entry.origin != first);
                blame.entries[0].origin = other.expect("there are several").origin;
            }
            2 => {
                let at = blame
                    .origins
                    .iter()
                    .position(|origin| origin.previous.is_some());
                blame.origins[at.expect("most have one")].previous = None;
            }
            3 => {
                let older = blame.older.last_mut().expect("there are some");
                let lines = older.lines.iter_mut().find(|lines| lines.len > 1);
                lines.expect("most are more than one").len -= 1;
                older.lines.last_mut().expect("there are some").old += 1;
            }
            _ => {}
        });
        if change > 4 {
            blames.remember_changed(&cache, |commits| match change {
                5 => commits.records[1].as_mut().expect("it was read").time += 1,
                _ => commits.records[1].as_mut().expect("it was read").parents = 0..0,
            });
        }
        let (status, _, stderr) = verify(&repository, &cache);
        assert_eq!(status, Some(128), "change {change}");
        assert!(stderr.contains(words), "change {change}: {stderr}");
        assert!(
            stderr.ends_with("remove it with --cache-clear\n"),
            "{stderr}"
        );
    }
}

/// Whether a run keeps its blame, and whether one after it uses what another has kept.
fn keeps_and_uses(
    repository: &TestRepo,
    cache: &TestCache,
    arguments: &[&str],
    environment: &[(&str, &str)],
) -> (bool, bool) {
    let git = git_blame(repository, "a.txt");
    let run = || {
        let mut command = cache.command(repository, arguments);
        command.args(["--stats"]).args(BLAME);
        let output = ProgramOutput::of(command.envs(environment.iter().copied()));
        let (output, stats) = super::without_stats(output);
        if let Some(difference) = output.difference(&git, Stderr::Whole) {
            panic!("{arguments:?}, {environment:?}: {difference}");
        }
        stats.expect("it was asked for").kept_lines
    };
    assert_eq!(run(), 0);
    let keeps = !cache.blames().is_empty();
    let mut plain = cache.command(repository, &BLAME);
    plain.env("TBLAME_CACHE", "on");
    ProgramOutput::of(&mut plain);
    let uses = run() > 0;
    cache.run(repository, &["--cache-clear"]);
    (keeps, uses)
}

#[test]
fn the_cache_is_turned_off() {
    let repository = small_history(10);
    let cache = TestCache::new();
    let with = |arguments: &[&str], environment: &[(&str, &str)]| {
        keeps_and_uses(&repository, &cache, arguments, environment)
    };
    assert_eq!(with(&[], &[]), (true, true));
    assert_eq!(with(&["--no-cache"], &[]), (false, false));
    for off in ["off", "false", "no", "0"] {
        assert_eq!(with(&[], &[("TBLAME_CACHE", off)]), (false, false), "{off}");
    }
    for on in ["on", "true", "1", ""] {
        assert_eq!(with(&[], &[("TBLAME_CACHE", on)]), (true, true), "{on}");
    }
    for (value, expected) in [
        ("false", false),
        ("0", false),
        ("true", true),
        ("junk", false),
    ] {
        repository.git(&["config", "tblame.cache", value]);
        assert_eq!(with(&[], &[]), (expected, expected), "{value}");
    }
    repository.git(&["config", "--unset", "tblame.cache"]);
    for (settings, expected) in [
        ("min-time = 0\nenabled = false", (false, false)),
        ("min-time = 0\nenabled = true", (true, true)),
        // Short blames are used all the same; but nothing was kept here.
        ("min-time = 3600000", (false, false)),
        // What cannot be read.
        ("min-time = -1", (false, false)),
        ("min-time = 0\nnonsense = 1", (false, false)),
        ("min-time = 0\nenabled = 3", (false, false)),
        ("min-time = 0\ndirectory = \"relative\"", (false, false)),
        ("min-time = 0\n[", (false, false)),
    ] {
        cache.configure(settings);
        assert_eq!(with(&[], &[]), expected, "{settings}");
    }
}

#[test]
fn what_others_kept_is_used_whatever_the_shortest_time_is() {
    let repository = small_history(10);
    let cache = TestCache::new();
    cache.run(&repository, &BLAME);
    cache.configure("min-time = 3600000");
    let git = git_blame(&repository, "a.txt");
    assert!(cache.assert_blame(&repository, "a.txt", &git) > 0);
    cache.run(&repository, &["-w", "HEAD", "--", "a.txt"]);
    cache.only_blame();
}

#[test]
fn the_directory_is_chosen() {
    let repository = small_history(10);
    let git = git_blame(&repository, "a.txt");
    let cache = TestCache::new();
    let chosen = cache.place().with_file_name("chosen");
    cache.configure(&format!("min-time = 0\ndirectory = {:?}", chosen.display()));
    cache.assert_blame(&repository, "a.txt", &git);
    assert!(cache.assert_blame(&repository, "a.txt", &git) > 0);
    assert!(!cache.place().exists());
    assert!(chosen.join("tblame/v1").is_dir());
    // Another file of settings.
    let file = cache.place().with_file_name("settings");
    fs::write(&file, "[cache]\nmin-time = 0\nenabled = false\n").expect("it is writable");
    let file = file.to_str().expect("a path in UTF-8");
    let (output, stats) = super::without_stats(cache.run(
        &repository,
        &[
            "--config",
            file,
            "--porcelain",
            "--stats",
            "HEAD",
            "--",
            "a.txt",
        ],
    ));
    assert_eq!(output.difference(&git, Stderr::Whole), None);
    assert_eq!(stats.expect("it was asked for").kept_lines, 0);
    // The home directory's, without a variable.
    cache.configure("min-time = 0");
    let mut command = cache.command(&repository, &BLAME);
    ProgramOutput::of(command.env_remove("XDG_CACHE_HOME"));
    assert!(repository.root().join("../.cache/tblame/v1").is_dir());
}

fn contains(file: &Path, wanted: &str) -> bool {
    let bytes = fs::read(file).expect("it is readable");
    bytes
        .windows(wanted.len())
        .any(|window| window == wanted.as_bytes())
}

#[test]
fn texts_are_left_out() {
    let repository = small_history(10);
    let git = git_blame(&repository, "a.txt");
    let cache = TestCache::new();
    cache.assert_blame(&repository, "a.txt", &git);
    assert!(contains(&cache.only_blame(), "Ann Lee"));
    assert!(contains(&cache.only_blame(), "commit 9"));
    cache.run(&repository, &["--cache-clear"]);
    cache.configure("min-time = 0\ntexts = false");
    cache.assert_blame(&repository, "a.txt", &git);
    assert!(!contains(&cache.only_blame(), "Ann Lee"));
    assert!(!contains(&cache.only_blame(), "commit 9"));
    assert!(cache.assert_blame(&repository, "a.txt", &git) > 0);
    // Lines of the file are not kept at all.
    assert!(!contains(&cache.only_blame(), "new in"));
}

#[test]
fn what_is_not_kept() {
    let repository = small_history(10);
    let cache = TestCache::new();
    let not_kept: [&[&str]; 7] = [
        &["HEAD~3..HEAD"],
        &["--since=2017-07-14", "HEAD"],
        &["--reverse", "HEAD~3..HEAD"],
        &["--show-stats", "HEAD"],
        &["--score-debug", "HEAD"],
        &["-L3,5", "HEAD"],
        &["-L3,5", "-M", "HEAD"],
    ];
    for arguments in not_kept {
        let mut command = cache.command(&repository, arguments);
        let output = ProgramOutput::of(command.args(["--", "a.txt"]));
        assert_eq!(output.status, Some(0), "{arguments:?}");
        assert_eq!(cache.blames().len(), 0, "{arguments:?}");
    }
    for arguments in [&["HEAD"][..], &["-M", "HEAD"], &["-C", "-C", "HEAD"], &[]] {
        let mut command = cache.command(&repository, arguments);
        ProgramOutput::of(command.args(["--", "a.txt"]));
        assert_ne!(cache.blames().len(), 0, "{arguments:?}");
        cache.run(&repository, &["--cache-clear"]);
    }
    // Nor one whose reader went away.
    let mut command = cache.command(&repository, &BLAME);
    command.stdout(std::process::Stdio::piped());
    let mut child = command.spawn().expect("it can be started");
    drop(child.stdout.take());
    child.wait().expect("it ends");
    assert_eq!(cache.blames().len(), 0);
}

/// jj records the id of a change in a header, Gerrit in a trailer.
#[test]
fn json_has_the_same_change_ids_from_the_cache() {
    let repository = small_history(5);
    let commit = |text: &str, message: &str| {
        repository.write(b"a.txt", text.as_bytes());
        repository.git(&["commit", "-q", "-a", "-m", message]);
    };
    commit("of jj\n", "of jj");
    let stored = repository.git_text(&["cat-file", "commit", "HEAD"]) + "\n";
    let with_id = stored.replacen("\n\n", "\nchange-id kxyzlmno\n\n", 1);
    let arguments = ["hash-object", "-t", "commit", "-w", "--stdin"];
    let id = repository.git_with_input(&arguments, with_id.as_bytes());
    let id = std::str::from_utf8(&id).expect("an id").trim();
    repository.git(&["reset", "-q", "--hard", id]);
    commit("of jj\nof Gerrit\n", "of Gerrit\n\nChange-Id: I0123456789");
    commit("of jj\nof Gerrit\nof nobody\n", "of nobody");
    let arguments = ["--json", "HEAD", "--", "a.txt"];
    let mut command = repository.command(tblame_program().as_os_str());
    let plain = ProgramOutput::of(command.args(arguments)).stdout;
    let said = String::from_utf8_lossy(&plain);
    for (summary, id) in [
        ("of jj", ",\"changeId\":\"kxyzlmno\"}"),
        ("of Gerrit", ",\"changeId\":\"I0123456789\"}"),
        ("of nobody", "}"),
    ] {
        let end = format!("\"summary\":\"{summary}\"{id}\n");
        assert!(said.contains(&end), "{said}");
    }
    let cache = TestCache::new();
    for round in ["first", "second"] {
        let output = cache.run(&repository, &arguments);
        assert_eq!(String::from_utf8_lossy(&output.stdout), said, "{round}");
    }
    assert_ne!(cache.blames().len(), 0);
}
