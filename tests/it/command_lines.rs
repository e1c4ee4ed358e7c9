//! A small repository, and lists of command lines that are put to both programs in it.

use crate::{
    compare::assert_same,
    import::{Commit, File, Ident, Import, Tree},
    scratch::{Hash, Scratch},
};

/// Two commits of people whose names and zones are not plain.
///
/// ```text
/// first (Ann Lee, +0100, tag v2) ─ second (Bö Ünal, -0330, tag v1, branch main)
/// ```
pub fn two_commits() -> Scratch {
    let repository = Scratch::new(Hash::Sha1);
    let mut import = Import::default();
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

/// Every line is put to both programs in the repository of [`two_commits`].
pub fn same(repository: &Scratch, lines: &str) {
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line
            .split(' ')
            .map(|word| if word == "''" { "" } else { word })
            .collect();
        assert_same(repository, &words);
    }
}
