//! The commands below an answer: what they write is all of what it leaves out.

use std::{collections::BTreeSet, ffi::OsStr, ops::RangeInclusive, os::unix::ffi::OsStrExt};

use bstr::ByteSlice;

use crate::{
    harness::{
        fast_import::{Commit, FastImport, File, Ident},
        program::{ProgramOutput, tblame_program},
        repository::{ObjectFormat, TestRepo},
    },
    json::schema::records_of,
};

use super::{ids, number, run};

/// A history of one commit for each number, which has the text in files of these names and its committer dates a day
/// apart.
fn write_history(
    names: &[&[u8]],
    numbers: RangeInclusive<u64>,
    text: impl Fn(u64) -> String,
    message: impl Fn(u64) -> String,
    author_day: impl Fn(u64) -> u64,
) -> (TestRepo, Vec<String>) {
    let (repository, mut import) = (TestRepo::new(ObjectFormat::Sha1), FastImport::default());
    let ident = |day| Ident {
        name: b"A U Thor".to_vec(),
        mail: b"author@example.com".to_vec(),
        time: 1_600_000_000 + day * 86_400,
        zone: "+0000",
    };
    let mut parents = Vec::new();
    for nth in numbers {
        let file = File::text(text(nth));
        let commit = import.commit(Commit {
            parents,
            tree: names
                .iter()
                .map(|name| (name.to_vec(), file.clone()))
                .collect(),
            author: ident(author_day(nth)),
            committer: ident(nth),
            encoding: None,
            message: message(nth).into_bytes(),
        });
        parents = vec![commit];
    }
    let (ids, _) = import.write(&repository);
    repository.git(&["reset", "-q", "--hard"]);
    (repository, ids)
}

/// A file of several names whose second line is changed, deleted and indented again and again. Each commit has a tag.
fn repository(names: &[&[u8]]) -> TestRepo {
    let text = |nth: u64| {
        let blanks = " ".repeat((nth / 3 % 4) as usize);
        let deleted = match nth % 2 {
            0 => format!("deleted {nth}\n"),
            _ => String::new(),
        };
        format!("first\n{blanks}line {}\n{deleted}last\n", nth / 2)
    };
    let message = |nth| format!("c{nth}\n\nWhy {nth}.\n\nOnce\nmore.\n");
    let (repository, ids) = write_history(names, 1..=80, text, message, |_| 0);
    let tags = (1..).zip(ids);
    let tags: String = tags
        .map(|(nth, id)| format!("create refs/tags/r{nth} {id}\n"))
        .collect();
    repository.git_with_input(&["update-ref", "--stdin"], tags.as_bytes());
    repository
}

fn command_below(output: &ProgramOutput, command: &str) -> String {
    assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
    let rows = output.stdout.lines();
    let row = rows
        .filter_map(|row| row.get("All: ".len()..))
        .find(|row| row.starts_with(command.as_bytes()));
    let row = row.unwrap_or_else(|| panic!("no {command} in {}", output.stdout.as_bstr()));
    row.to_str().expect("UTF-8").to_owned()
}

#[test]
fn commands_below_an_answer_ask_for_the_same() {
    let names: [&[u8]; 8] = [
        b"f",
        b"a b",
        b"it's!",
        b"$HOME",
        b"~",
        "\u{e9}`ls`".as_bytes(),
        b"-w",
        b"f:2",
    ];
    let repository = repository(&names);
    let option_sets: [&[&str]; 8] = [
        &["HEAD"],
        &["r3..r75"],
        &["-w", "HEAD"],
        &["-C", "-C", "--first-parent", "r78"],
        &["--ignore-rev", "r60", "--ignore-rev=r62", "--min", "HEAD"],
        &["--since", "2020-09-30 12:00", "HEAD"],
        &["--no-follow", "--default=r75", "^r5"],
        &["--git-compat=2.40", "-M4", "HEAD", "^r2"],
    ];
    let (mut compared, mut changes, mut deletions) = (0, 0, 0);
    for (nth, name) in names.into_iter().enumerate() {
        for options in [option_sets[nth], option_sets[(nth + 3) % option_sets.len()]] {
            let end = [b"--".as_slice(), name];
            let with = |before: &[&str]| {
                let before = before.iter().chain(options).map(|it| it.as_bytes());
                let words = before.chain(end);
                words
                    .map(|word| OsStr::from_bytes(word).to_owned())
                    .collect::<Vec<_>>()
            };
            let place = format!("{options:?} {}", name.as_bstr());
            let answer = run(&repository, &with(&["-L2,3"]));
            let all = run(&repository, &with(&["-L2,3", "--json", "--budget=1000000"]));
            let all = records_of(&all.stdout);
            for (kind, record, moves, lines) in [
                ("--line-history", "reason", &["-M"][..], "-L2,3"),
                ("--deletions", "deletedLines", &[], "-L1,4"),
            ] {
                let command = command_below(&answer, &format!("tblame {kind}"));
                let command = command.replacen("tblame", "\"$TBLAME\"", 1);
                let mut shell = repository.command("sh".as_ref());
                shell.env("TBLAME", tblame_program());
                let found = ProgramOutput::of(shell.args(["-c", &command]));
                let mut direct = repository.command(tblame_program().as_os_str());
                direct.args([kind]).args(moves).args(with(&[lines]));
                let direct = ProgramOutput::of(&mut direct);
                assert_eq!(found.stderr.as_bstr(), direct.stderr.as_bstr(), "{command}");
                assert_eq!(found.stdout.as_bstr(), direct.stdout.as_bstr(), "{command}");
                assert!(found.stdout.lines().count() > 5, "{place}: {command}");
                let listed: BTreeSet<&[u8]> = found
                    .stdout
                    .lines()
                    .filter_map(|row| row.trim_start_with(|c| c == '^').get(..7))
                    .collect();
                let known = ids(&all, record);
                let is_listed = |id: &&String| listed.contains(&id.as_bytes()[..7]);
                let count = known.iter().filter(is_listed).count();
                // A boundary of the blame is no change.
                assert!(
                    count + 1 >= known.len(),
                    "{place}: {count} of {}",
                    known.len()
                );
                *(if kind == "--deletions" {
                    &mut deletions
                } else {
                    &mut changes
                }) += count;
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 2 * names.len());
    assert!(changes > 500 && deletions > 300, "{changes} {deletions}");
}

#[test]
fn commands_repeat_the_options_of_git() {
    let repository = repository(&[b"f"]);
    let root = repository.root().to_str().expect("UTF-8").to_owned();
    repository.write(b"ignored revisions", b"");
    let setting = "blame.ignoreRevsFile=ignored revisions";
    let git_dir = format!("--git-dir={root}/.git");
    let option_sets: [&[&str]; 4] = [
        &["-C", &root],
        &["-c", setting],
        &["-C", &root, "-c", setting],
        &[&git_dir],
    ];
    for options in option_sets {
        let elsewhere = if options[0] == "-c" { &root } else { "/" };
        let mut command = repository.command(tblame_program().as_os_str());
        command.current_dir(elsewhere).args(options);
        let end = ["HEAD", "--", "f"];
        let answer = ProgramOutput::of(command.args(["--why", "-L2,3"]).args(end));
        let row = command_below(&answer, "tblame -");
        let mut shell = repository.command("sh".as_ref());
        shell.current_dir(elsewhere).env("TBLAME", tblame_program());
        let row = row.replacen("tblame", "\"$TBLAME\"", 1);
        let found = ProgramOutput::of(shell.args(["-c", &row]));
        let mut direct = repository.command(tblame_program().as_os_str());
        direct.current_dir(elsewhere).args(options);
        direct.args(["--line-history", "-M", "-L2,3"]).args(end);
        let direct = ProgramOutput::of(&mut direct);
        assert_eq!(found.status, Some(0), "{row}: {}", found.stderr.as_bstr());
        assert_eq!(found.stdout.as_bstr(), direct.stdout.as_bstr(), "{row}");
        assert!(found.stdout.lines().count() > 5, "{row}");
        for option in options {
            let word = option.replace(setting, &format!("'{setting}'"));
            assert!(row.contains(&word), "{row}");
        }
    }
}

#[test]
fn names_that_cannot_be_shown_are_left_out_of_commands() {
    let names: [&[u8]; 3] = [b"a\x01b", b"\xff", "a\u{202e}b".as_bytes()];
    let repository = repository(&names);
    for name in names {
        let arguments = [b"-L2,3".as_slice(), b"-w", b"r3..", b"--", name];
        let output = run(&repository, &arguments.map(OsStr::from_bytes));
        let (history, deletions) = (
            command_below(&output, "tblame --line-history"),
            command_below(&output, "tblame --deletions"),
        );
        assert_eq!(
            history,
            "tblame --line-history -M -w -L 2,3 r3.. of this file"
        );
        assert_eq!(deletions, "tblame --deletions -w -L 1,4 r3.. of this file");
    }
    let arguments = [
        b"-L2,3".as_slice(),
        b"--ignore-revs-file=\xff",
        b"--",
        b"\xff",
    ];
    repository.write(b"\xff", b"");
    let output = run(&repository, &arguments.map(OsStr::from_bytes));
    assert_eq!(output.status, Some(128), "an empty file has no line 3");
    repository.git(&["checkout", "-q", "."]);
    repository.write(b"\xfe", b"");
    let arguments = [
        b"-L2,3".as_slice(),
        b"--ignore-revs-file=\xfe",
        b"--",
        b"\xff",
    ];
    let output = run(&repository, &arguments.map(OsStr::from_bytes));
    let history = command_below(&output, "tblame --line-history");
    let expected =
        "tblame --line-history -M -L 2,3, and the options and revisions given, of this file";
    assert_eq!(history, expected);
}

#[test]
fn what_is_last_in_its_list_is_left_out_first() {
    let text = |nth| match nth % 2 {
        0 => format!("first\nline {nth}\nlast\n"),
        _ => format!("first\nline {nth}\ndeleted {nth}\nlast\n"),
    };
    // Author dates tell nothing about the order.
    let author_day = |nth| nth * 17 % 41;
    let message = |nth| format!("c{nth}\n");
    let (repository, _) = write_history(&[b"f"], 1..=40, text, message, author_day);
    let records = |budget: usize| {
        let budget = format!("--budget={budget}");
        let output = run(&repository, &["--json", &budget, "f:2"]);
        assert!(output.stdout.len() <= 1_000_000);
        (output.stdout.len(), records_of(&output.stdout))
    };
    let (_, all) = records(1_000_000);
    let mut dropped = 0;
    for budget in (2000..9000).step_by(100) {
        let (len, kept) = records(budget);
        for kind in ["reason", "deletedLines"] {
            let (all, kept) = (ids(&all, kind), ids(&kept, kind));
            assert!(
                all.starts_with(&kept),
                "{budget}: {kind} of {all:?}, not {kept:?}"
            );
            dropped += all.len() - kept.len();
        }
        // What is left has no room for another one, even brief.
        let is_brief = |line: &&[u8]| line.contains_str("\"shortened\":true");
        let output = run(
            &repository,
            &["--json", &format!("--budget={budget}"), "f:2"],
        );
        let brief = output
            .stdout
            .lines()
            .filter(is_brief)
            .map(<[u8]>::len)
            .max();
        let brief = brief.expect("a shortened one");
        assert!(
            budget - len < brief + 20,
            "{} of {budget} bytes are left",
            budget - len
        );
        let end = kept.last().expect("an end");
        assert_eq!(number(end, "reasons"), ids(&kept, "reason").len() as u64);
    }
    assert!(dropped > 1000, "{dropped}");
}
