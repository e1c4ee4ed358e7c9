//! Options: every one of git's is known, and random sets of them give git's bytes and errors.

use std::{ffi::OsString, os::unix::ffi::OsStringExt};

use crate::{
    compare::{assert_same_in, tblame_program},
    history::{History, STORAGES},
    option_sets::{KINDS, Kind, OptionSet, Subject},
    program::{Outcome, git_version},
    rng::Rng,
    scratch::{Hash, git_program},
};

/// Blames files of generated histories with random options of these kinds.
fn sets(first: u64, kinds: &[Kind]) {
    let count = std::env::var("TBLAME_TEST_OPTION_SETS").ok();
    let count: u64 = count.map_or(40, |n| {
        n.parse().expect("TBLAME_TEST_OPTION_SETS is a number")
    });
    for seed in first..first + count.div_ceil(10) {
        let storage = STORAGES[seed as usize % STORAGES.len()];
        let history = History::generate(seed, Hash::Sha1, storage);
        let repository = &history.repository;
        repository.git(&["reset", "-q", "--hard"]);
        let mut rng = Rng::new(seed);
        for (revision, path) in history.samples(&mut rng, 10) {
            let number = history.ids.iter().position(|id| *id == revision);
            let file = &history.trees[number.expect("a sample is of a commit")][&path];
            let subject = Subject {
                revision: (!rng.chance(10)).then_some(&*revision),
                commits: &history.ids,
                text: &file.bytes,
                git: git_version(git_program()),
            };
            let set = OptionSet::draw(&mut rng, &subject, kinds);
            eprintln!("seed {seed}: {set:?}");
            let mut arguments: Vec<_> = set.words.iter().map(OsString::from).collect();
            arguments.extend(["--".into(), OsString::from_vec(path)]);
            let environment = set.environment();
            let environment: Vec<_> = environment.iter().map(|(k, v)| (&**k, &**v)).collect();
            assert_same_in(repository, repository.root(), &environment, &arguments);
        }
    }
}

#[test]
fn option_sets_of_ranges_are_blamed_as_git_does() {
    sets(10000, &[Kind::Ranges]);
}

#[test]
fn option_sets_of_limits_are_blamed_as_git_does() {
    sets(11000, &[Kind::Limits]);
}

#[test]
fn option_sets_of_reverse_are_blamed_as_git_does() {
    sets(12000, &[Kind::Reverse]);
}

#[test]
fn option_sets_of_movement_are_blamed_as_git_does() {
    sets(13000, &[Kind::Movement]);
}

#[test]
fn option_sets_of_diff_are_blamed_as_git_does() {
    sets(14000, &[Kind::Diff]);
}

#[test]
fn option_sets_of_ignore_are_blamed_as_git_does() {
    sets(15000, &[Kind::Ignore]);
}

#[test]
fn option_sets_of_presentation_are_blamed_as_git_does() {
    sets(16000, &[Kind::Presentation]);
}

#[test]
fn option_sets_of_colours_are_blamed_as_git_does() {
    sets(17000, &[Kind::Colours]);
}

#[test]
fn option_sets_of_counters_are_blamed_as_git_does() {
    sets(18000, &[Kind::Counters]);
}

#[test]
fn option_sets_of_accepted_are_blamed_as_git_does() {
    sets(19000, &[Kind::Accepted]);
}

#[test]
fn mixed_option_sets_are_blamed_as_git_does() {
    sets(90_000, &KINDS.map(|(_, kind)| kind));
}

/// The options in the installed git's own usage text, which a new git may add to.
#[test]
fn every_option_in_gits_usage_is_known() {
    let mut help = std::process::Command::new(git_program());
    let help = help.args(["blame", "-h"]).output().expect("git runs");
    let text = [help.stdout, help.stderr].concat();
    let text = String::from_utf8(text).expect("the usage is ASCII");
    let mut options = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("    -")) {
        let line = format!("-{line}");
        for word in line
            .split_whitespace()
            .take_while(|word| word.starts_with('-'))
        {
            let end = word.find(['=', '<', ',']).unwrap_or(word.len());
            let word = word[..end].trim_end_matches("[");
            match word.strip_prefix("--[no-]") {
                Some(name) => options.extend([format!("--{name}"), format!("--no-{name}")]),
                None => options.push(word.to_owned()),
            }
        }
    }
    assert!(options.len() > 30, "the usage was not understood: {text}");
    for option in options {
        let mut command = std::process::Command::new(tblame_program());
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        command.current_dir(directory.path());
        command.env("GIT_CEILING_DIRECTORIES", directory.path());
        let outcome = Outcome::of(command.args([&option, "1", "--", "file"]));
        let complaint = outcome.complaint.escape_ascii().to_string();
        let unknown = complaint.contains("unknown") || complaint.contains("unexpected");
        assert!(!unknown, "{option}: {complaint}");
    }
}
