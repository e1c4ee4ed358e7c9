//! `--search`: the commits of `git log -S`.

use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

use bstr::ByteSlice;

use crate::{
    file_history::{git_asked_once, versions_of_tblame},
    harness::{
        compare::{count_from, seed_count},
        file_versions::followed,
        named_history::{DELETED, HistoryBuilder},
        program::{ProgramOutput, tblame_program},
        random_history::{History, STORAGES},
        repository::{ObjectFormat, TestRepo},
        rng::Rng,
        string_search::{commits_of_path, followed_commits, random_text},
    },
};

/// The ids that tblame lists.
fn commits_of_tblame(
    repository: &TestRepo,
    revision: &str,
    path: &[u8],
    text: &[u8],
    options: &[&str],
) -> Vec<String> {
    let mut command = repository.command(tblame_program().as_os_str());
    command.args(["--file-history", "-l", "-s", "--search"]);
    command.arg(OsStr::from_bytes(text)).args(options);
    command.args([revision, "--"]).arg(OsStr::from_bytes(path));
    let output = ProgramOutput::of(&mut command);
    assert_eq!(output.stderr.as_bstr(), b"");
    let text = output.stdout.to_str_lossy();
    let ids = text.lines().filter_map(|row| row.split(' ').next());
    ids.map(str::to_owned).collect()
}

#[test]
fn the_commits_of_generated_histories_are_those_of_git() {
    let (mut compared, mut found, mut compared_followed, mut merges) = (0, 0, 0, 0);
    let wide = count_from("TBLAME_TEST_WIDE", 1);
    for seed in 50_000..50_000 + seed_count(24) * wide {
        let storage = STORAGES[(seed % STORAGES.len() as u64) as usize];
        eprintln!("seed {seed}, {storage:?}");
        let history = History::generate(seed, ObjectFormat::Sha1, storage);
        let repository = &history.repository;
        let git = git_asked_once(repository);
        let all_merges = repository.git_text(&["rev-list", "--merges", "--all"]);
        let mut rng = Rng::new(seed);
        for (revision, path) in history.samples(&mut rng, 6) {
            let number = history.ids.iter().position(|id| *id == revision);
            // A text of another version is often missing here.
            let other = rng.below(number.expect("a commit of the history") + 1);
            let file = history.trees[other].get(&path);
            let file = file.unwrap_or(&history.trees[number.unwrap_or(0)][&path]);
            // Beyond the commit that added the file is another file of the same name.
            let versions = versions_of_tblame(repository, &revision, &path, &["--no-follow"]);
            for nth in 0..2 {
                let Some(text) = random_text(&mut rng, &file.bytes) else {
                    continue;
                };
                let threads = ["--threads=1", "--threads=2"][nth];
                let place = format!(
                    "{} in {} at {revision}",
                    text.escape_ascii(),
                    path.escape_ascii()
                );
                let options = [threads, "--no-follow"];
                let tblame = commits_of_tblame(repository, &revision, &path, &text, &options);
                merges += tblame.iter().filter(|id| all_merges.contains(*id)).count();
                let mut tblame_ids = tblame.clone();
                tblame_ids.sort();
                let mut expected = commits_of_path(&git, &revision, &path, &text);
                expected.retain(|id| versions.iter().any(|version| version.id == *id));
                let expected: Vec<String> = expected.into_iter().collect();
                assert_eq!(tblame_ids, expected, "{place}");
                (compared, found) = (compared + 1, found + expected.len());
                // With renames, on first parents.
                let Some(versions) = followed(&git, &revision, &path) else {
                    continue;
                };
                let mut expected = followed_commits(&git, &revision, &path, &text);
                expected.retain(|id| versions.iter().any(|version| version.id == *id));
                let options = [threads, "--first-parent"];
                let tblame = commits_of_tblame(repository, &revision, &path, &text, &options);
                assert_eq!(tblame, expected, "{place}, followed");
                compared_followed += 1;
            }
        }
    }
    eprintln!(
        "{compared} searches, {found} commits, {merges} merges, {compared_followed} followed"
    );
    assert!(compared >= 200 && found >= 200, "{compared}, {found}");
    assert!(compared_followed >= 100, "{compared_followed}");
}

#[test]
fn renames_are_followed() {
    let text = "1\n2\n3\n4\n5\n6\n7\n8\nneedle\n";
    let without = text.replace("needle", "thread");
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", &without)])
        .commit("add", 2, &["base"], &[("f", text)])
        .commit("rename", 3, &["add"], &[("f", DELETED), ("g", text)])
        .commit("remove", 4, &["rename"], &[("g", &without)])
        .build();
    let repository = &history.repository;
    let names = |text: &str| {
        let found = commits_of_tblame(repository, "HEAD", b"g", text.as_bytes(), &[]);
        let names = found.iter().map(|id| history.name(id).to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names("needle"), ["remove", "add"]);
    assert_eq!(names("thread"), ["remove", "add", "base"]);
    assert_eq!(names("Needle"), [] as [&str; 0]);
    let mut command = repository.command(tblame_program().as_os_str());
    let options = ["--file-history", "--json", "--search=needle", "HEAD"];
    let output = ProgramOutput::of(command.args(options).args(["--", "g"]));
    let text = output.stdout.to_str_lossy();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[1].contains(",\"occurrences\":{\"count\":0,\"previous\":1},"));
    assert!(lines[2].contains(",\"occurrences\":{\"count\":1,\"previous\":0},"));
    assert_eq!(
        lines[3],
        "{\"type\":\"end\",\"commits\":2,\"limited\":false}"
    );
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "a\n")])
        .build();
    for (options, words) in [
        (&["--search=a"][..], "--search needs --file-history"),
        (
            &["--search=a", "--line-history"],
            "--search needs --file-history",
        ),
        (
            &["--search=", "--file-history"],
            "--search needs a text within a line",
        ),
        (
            &["--search=a\nb", "--file-history"],
            "--search needs a text within a line",
        ),
    ] {
        let mut command = history.repository.command(tblame_program().as_os_str());
        let output = ProgramOutput::of(command.args(options).args(["HEAD", "--", "f"]));
        assert_eq!(output.stderr.to_str_lossy(), format!("fatal: {words}\n"));
        assert_eq!(output.status, Some(128));
    }
}
