//! The public library, compared with the installed git.

mod edits;
mod examples;
mod harness;
mod hostile_strings;
mod kept_blames;
mod line_history;
mod options;
mod scratch;
mod sessions;
mod tree;

include!("example.rs");

#[test]
fn the_example_has_two_commits() {
    let directory = example_repository();
    let repository = tblame::Repository::open(directory.path()).expect("a repository");
    let blame = repository.blame("src/main.rs").run().expect("a blame");
    let summaries: Vec<_> = blame
        .entries()
        .iter()
        .map(|entry| (entry.lines(), entry.commit().summary().into_owned()))
        .collect();
    assert_eq!(
        summaries,
        [
            (0..2, "Print one".to_owned()),
            (2..3, "Print two".to_owned()),
            (3..4, "Print one".to_owned())
        ]
    );
}
