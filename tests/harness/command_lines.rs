//! Lists of command lines that both programs run, and a small repository for them.

use std::path::Path;

use super::{
    compare::Run,
    fast_import::{Commit, FastImport, File, Ident, Tree},
    program::Stderr,
    repository::{ObjectFormat, TestRepo},
};

/// Two commits with a non-ASCII name and with time zones.
///
/// ```text
/// first (Ann Lee, +0100, tag v2) ─ second (Bö Ünal, -0330, tag v1, branch main)
/// ```
pub fn two_commits() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let mut import = FastImport::default();
    let committer = |time, zone| Ident {
        name: b"Com Mitter".to_vec(),
        mail: b"c@example.com".to_vec(),
        time,
        zone,
    };
    let text = |text: &str| File::text(text);
    let mut tree = Tree::new();
    tree.insert(b"a.txt".to_vec(), text("one\ntwo\nthree\n"));
    tree.insert(b"sub/b.txt".to_vec(), text("s1\ns2\n"));
    tree.insert(b"empty".to_vec(), text(""));
    let first = import.commit(Commit {
        parents: Vec::new(),
        tree: tree.clone(),
        author: Ident {
            name: b"Ann Lee".to_vec(),
            mail: b"ann@example.com".to_vec(),
            time: 1_577_869_200,
            zone: "+0100",
        },
        committer: committer(1_577_869_200, "+0100"),
        encoding: None,
        message: b"first".to_vec(),
    });
    tree.insert(b"a.txt".to_vec(), text("one\ntwo and more\nthree\nfour\n"));
    import.commit(Commit {
        parents: vec![first],
        tree,
        author: Ident {
            name: "Bö Ünal".into(),
            mail: b"bo@example.com".to_vec(),
            time: 1_612_337_706,
            zone: "-0330",
        },
        committer: committer(1_612_337_706, "-0330"),
        encoding: None,
        message: b"second".to_vec(),
    });
    import.write(&repository);
    repository.git(&["reset", "-q", "--hard"]);
    repository.git(&["tag", "v1", "main"]);
    repository.git(&["tag", "-a", "-m", "annotated", "v2", "main~1"]);
    repository
}

/// Runs each line, split at blanks, in both programs in the repository's root. `''` is an empty
/// argument.
pub fn assert_all_same(repository: &TestRepo, lines: &str) {
    assert_all_same_in(repository, repository.root(), &[], lines);
}

/// As [`assert_all_same`], in a given directory and with additional environment variables.
pub fn assert_all_same_in(
    repository: &TestRepo,
    directory: &Path,
    environment: &[(&str, &str)],
    lines: &str,
) {
    let mut differences = Vec::new();
    let lines = lines.lines().map(str::trim);
    for (nth, line) in lines.filter(|line| !line.is_empty()).enumerate() {
        let arguments: Vec<&str> = line
            .split(' ')
            .map(|word| if word == "''" { "" } else { word })
            .collect();
        let run = Run {
            repository,
            directory,
            environment,
            arguments: &arguments,
            stderr: Stderr::Whole,
        };
        differences.extend(run.compare_in_turn(nth).err());
    }
    assert!(
        differences.is_empty(),
        "{} different:\n{}",
        differences.len(),
        differences.join("\n")
    );
}
