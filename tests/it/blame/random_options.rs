//! Random sets of options: the same bytes and errors as git's. Every option of git's is known.

use crate::harness::{
    git::git_program,
    option_sets::{OPTION_KINDS, OptionKind, assert_same_option_sets},
    program::{ProgramOutput, tblame_program},
};

#[test]
fn option_sets_of_ranges_are_blamed_as_git_does() {
    assert_same_option_sets(10000, &[OptionKind::Ranges]);
}

#[test]
fn option_sets_of_limits_are_blamed_as_git_does() {
    assert_same_option_sets(11000, &[OptionKind::Limits]);
}

#[test]
fn option_sets_of_reverse_are_blamed_as_git_does() {
    assert_same_option_sets(12000, &[OptionKind::Reverse]);
}

#[test]
fn option_sets_of_movement_are_blamed_as_git_does() {
    assert_same_option_sets(13000, &[OptionKind::Movement]);
}

#[test]
fn option_sets_of_diff_are_blamed_as_git_does() {
    assert_same_option_sets(14000, &[OptionKind::Diff]);
}

#[test]
fn option_sets_of_ignore_are_blamed_as_git_does() {
    assert_same_option_sets(15000, &[OptionKind::Ignore]);
}

#[test]
fn option_sets_of_presentation_are_blamed_as_git_does() {
    assert_same_option_sets(16000, &[OptionKind::Presentation]);
}

#[test]
fn option_sets_of_colors_are_blamed_as_git_does() {
    assert_same_option_sets(17000, &[OptionKind::Colors]);
}

#[test]
fn option_sets_of_counters_are_blamed_as_git_does() {
    assert_same_option_sets(18000, &[OptionKind::Counters]);
}

#[test]
fn option_sets_of_accepted_are_blamed_as_git_does() {
    assert_same_option_sets(19000, &[OptionKind::Accepted]);
}

#[test]
fn mixed_option_sets_are_blamed_as_git_does() {
    assert_same_option_sets(90_000, &OPTION_KINDS.map(|(_, kind)| kind));
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
        let outcome = ProgramOutput::of(command.args([&option, "1", "--", "file"]));
        let error = outcome.first_error_line().escape_ascii().to_string();
        let unknown = error.contains("unknown") || error.contains("unexpected");
        assert!(!unknown, "{option}: {error}");
    }
}
