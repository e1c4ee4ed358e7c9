//! Work trees that are not where the program is started: which files are read from the work tree, and which from the
//! directory that git works in.

use std::fs;

use super::Cases;
use crate::harness::repository::{ObjectFormat, TestRepo};

/// Where the programs are started, from the directory above the repository `repo`. Each place has a work tree's files.
const PLACES: [&str; 5] = ["repo", "repo/sub", "repo/.git", "away", "."];

/// A way to name a work tree: variables, and what `config` and `config.worktree` get. `ROOT` is the repository's root.
type Way = (
    &'static [(&'static str, &'static str)],
    &'static str,
    &'static str,
);

const OWN_FILE: &str = "[core]\nrepositoryformatversion = 1\n[extensions]\nworktreeConfig\n";

const WAYS: [Way; 13] = [
    (&[], "", ""),
    (&[], "[core]\nbare\n", ""),
    (&[("GIT_DIR", "ROOT/.git")], "", ""),
    (&[("GIT_WORK_TREE", "ROOT")], "", ""),
    (&[("GIT_WORK_TREE", "ROOT/sub")], "", ""),
    (
        &[("GIT_DIR", "ROOT/.git"), ("GIT_WORK_TREE", "ROOT")],
        "",
        "",
    ),
    (
        &[("GIT_DIR", "ROOT/.git"), ("GIT_WORK_TREE", "ROOT/sub")],
        "",
        "",
    ),
    (&[], "[core]\nworktree = ../sub\n", ""),
    (&[], "[core]\nworktree = ROOT/sub\n", ""),
    (&[], "[core]\nworktree = ../../away\n", ""),
    (
        &[("GIT_DIR", "ROOT/.git")],
        "[core]\nworktree = ../sub\n",
        "",
    ),
    (&[], OWN_FILE, "[core]\nworktree = ../sub\n"),
    (&[], OWN_FILE, "[core]\nworktree = ..\n"),
];

/// Settings with relative names of files.
const SETTINGS: [(&str, &str); 3] = [
    ("blame.ignoreRevsFile", "ignored"),
    ("core.attributesFile", "attributes"),
    ("mailmap.file", "mailmap"),
];

/// Command lines; true with [`SETTINGS`].
const ARGUMENTS: [(bool, &str); 14] = [
    (false, "f"),
    (false, "HEAD -- f"),
    (false, "sub/f"),
    (false, "ROOT/sub/f"),
    (false, "HEAD -- ROOT/f"),
    (false, "--ignore-revs-file ignored f"),
    (false, "--ignore-revs-file ignored -S grafts HEAD -- f"),
    (false, "-S grafts f"),
    (false, "--contents text f"),
    (false, "--contents text HEAD -- f"),
    (false, "--reverse HEAD~1..HEAD -- f"),
    (true, "g"),
    (true, "HEAD -- g"),
    (true, "--contents text g"),
];

/// A history in which each commit changes a line of all files, and in each place other attributes, mailmaps, lists and
/// contents.
fn fixture() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let mut lines = ["x"; 4];
    for line in 0..4 {
        lines[line] = ["a", "b", "c", "d"][line];
        for file in ["f", "g", "sub/f", "sub/g"] {
            repository.write(file.as_bytes(), (lines.join("\n") + "\n").as_bytes());
        }
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", "change"]);
    }
    let commits = repository.git_text(&["rev-list", "HEAD"]);
    let commits: Vec<&str> = commits.lines().collect();
    for (number, place) in PLACES.iter().enumerate() {
        for driver in ["of-tree", "configured"] {
            let name = format!("diff.{driver}{number}.textconv");
            // In the shell itself: `sed` would be one more program for each version of a file.
            let text = format!("{driver}{number} $GIT_PREFIX$line");
            let command = format!("while read -r line; do echo \"{text}\"; done <");
            repository.git(&["config", &name, &command]);
        }
        let ignored = commits[..3].iter().enumerate();
        let ignored = ignored.filter(|(bit, _)| (number + 1) >> bit & 1 == 1);
        let ignored: Vec<&str> = ignored.map(|(_, commit)| *commit).collect();
        let grafts = [
            (0, Some(2)),
            (0, Some(3)),
            (1, Some(3)),
            (0, None),
            (1, None),
        ][number];
        let parent = grafts.1.map_or("", |parent: usize| commits[parent]);
        let mailmap = |who: &str| format!("{who}{number} <{number}@x> <author@example.com>\n");
        for (name, text) in [
            ("f", format!("a\nb\nc\nof {number}\n")),
            ("g", "a\nb\nc\nd\n".to_owned()),
            ("text", format!("a\nb\nc\ntext {number}\n")),
            (".gitattributes", format!("f diff=of-tree{number}\n")),
            ("attributes", format!("g diff=configured{number}\n")),
            (".mailmap", mailmap("of the tree ")),
            ("mailmap", mailmap("configured ")),
            ("ignored", ignored.join("\n") + "\n"),
            ("grafts", format!("{} {parent}\n", commits[grafts.0])),
        ] {
            repository.write(format!("../{place}/{name}").as_bytes(), text.as_bytes());
        }
    }
    repository
}

#[test]
fn files_beside_and_in_work_trees() {
    let repository = fixture();
    let root = repository.root().to_str().expect("it is ASCII");
    let git_dir = repository.root().join(".git");
    let config = fs::read_to_string(git_dir.join("config")).expect("it is there");
    let settings = SETTINGS.iter().enumerate().flat_map(|(number, setting)| {
        [
            (format!("GIT_CONFIG_KEY_{number}"), setting.0.to_owned()),
            (format!("GIT_CONFIG_VALUE_{number}"), setting.1.to_owned()),
        ]
    });
    let count = ("GIT_CONFIG_COUNT".to_owned(), SETTINGS.len().to_string());
    let settings: Vec<(String, String)> = settings.chain([count]).collect();
    let mut cases = Cases::new("files beside and in work trees");
    let mut found = 0;
    for (variables, of_all, of_one) in WAYS {
        let text = config.clone() + &of_all.replace("ROOT", root);
        fs::write(git_dir.join("config"), text).expect("it is writable");
        fs::write(git_dir.join("config.worktree"), of_one).expect("it is writable");
        let variables: Vec<(&str, String)> = variables
            .iter()
            .map(|(name, value)| (*name, value.replace("ROOT", root)))
            .collect();
        for (place, (is_configured, arguments)) in PLACES
            .iter()
            .flat_map(|place| ARGUMENTS.map(|arguments| (place, arguments)))
        {
            let directory = repository.root().join("..").join(place);
            let directory = directory.canonicalize().expect("it was made");
            let mut environment: Vec<(&str, &str)> = variables
                .iter()
                .map(|(name, value)| (*name, value.as_str()))
                .collect();
            if is_configured {
                let settings = settings.iter();
                environment.extend(settings.map(|(name, value)| (name.as_str(), value.as_str())));
            }
            let arguments = arguments.replace("ROOT", root);
            let arguments: Vec<&str> = arguments.split(' ').collect();
            let case = format!("{variables:?}, {of_all:?}, {of_one:?}, {is_configured}");
            let answers =
                cases.compare_output(&repository, &directory, &environment, &case, &arguments);
            found += usize::from(answers);
        }
    }
    cases.finish(910);
    assert!(found > 400, "{found} found");
}
