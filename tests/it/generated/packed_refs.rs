//! Files `packed-refs` as git has not written them. Exit statuses and outputs are compared, messages are not.

use std::fs;

use super::Cases;
use crate::harness::repository::{ObjectFormat, TestRepo};

const NAMES: [&str; 13] = [
    "HEAD",
    "main",
    "side",
    "tag",
    "light",
    "x",
    "refs/heads/side",
    "--branches",
    "--tags",
    "FOO_HEAD",
    "ORIG_HEAD",
    "FETCH_HEAD",
    "MERGE_HEAD",
];

#[test]
fn odd_files_of_packed_references() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for text in ["1\n", "1\n2\n", "1\n2\n3\n"] {
        repository.write(b"f", text.as_bytes());
        repository.git(&["add", "f"]);
        repository.git(&["commit", "-q", "-m", "a version"]);
    }
    repository.git(&["branch", "side", "HEAD~1"]);
    repository.git(&["tag", "-m", "a tag", "tag", "HEAD~1"]);
    repository.git(&["tag", "light", "HEAD~2"]);
    for number in 0..40 {
        repository.git(&["branch", &format!("some-{number:02}"), "HEAD~1"]);
    }
    repository.git(&["pack-refs", "--all"]);
    let path = repository.root().join(".git/packed-refs");
    let whole = fs::read_to_string(&path).expect("git has written it");
    let (header, body) = whole.split_once('\n').expect("it has a first line");
    let old = repository.git_text(&["rev-parse", "HEAD~2"]);
    let reversed: Vec<_> = body
        .lines()
        .filter(|line| !line.starts_with('^'))
        .rev()
        .collect();
    let reversed = reversed.join("\n") + "\n";
    let long = "x".repeat(400);
    let mut texts = Vec::new();
    // Said to be in order, or not.
    for header in [&format!("{header}\n"), "", "# pack-refs with: peeled \n"] {
        texts.extend([
            format!("{header}{body}"),
            format!("{header}{reversed}"),
            header.to_owned(),
            format!("{header}{}", body.trim_end()),
            format!("{header}{body}\n"),
            format!("{header}\n{body}"),
            format!("{header}{body}garbage\n"),
            format!("{header}garbage\n{body}"),
            format!("{header}# a comment\n{body}"),
            format!("{header}{body}# a comment\n"),
            format!("{header}{}", body.replace('\n', "\r\n")),
            format!("{header}{}", body.replace('\n', " \n")),
            format!("{header}{}", body.replace(' ', "  ")),
            format!("{header}{old} refs/heads/main\n{body}"),
            format!("{header}{body}{old} refs/heads/main\n"),
            format!("{header}{old} refs/heads/side\n{body}"),
            format!("{header}{old} refs/tags/z\n{body}"),
            format!("{header}{body}{old} refs/heads/a\n"),
            format!("{header}{old} HEAD\n{body}"),
            format!("{header}^{old}\n{body}"),
            format!("{header}{body}^{old}\n"),
            format!("{header}{body}^{}\n", &old[1..]),
            format!("{header}{old}0 refs/heads/side\n"),
            format!("{header}{} refs/heads/side\n", &old[1..]),
            format!("{header}{old} refs/heads/..\n{body}"),
            format!("{header}{old} FETCH_HEAD\n{old} FOO_HEAD\n{body}"),
            format!("{header}{old} MERGE_HEAD\n{old} ORIG_HEAD\n{body}"),
            format!("{header}{old} refs/heads/x\0y\n{body}"),
            format!("{header}{old} refs/heads/{}\n{body}", "a".repeat(3000)),
        ]);
    }
    texts.extend([
        whole.replacen(header, "#", 1),
        whole.replacen(header, "# other", 1),
        whole.replacen(header, "# pack-refs with:sorted ", 1),
        whole.replacen(header, &format!("# pack-refs with: {long} sorted "), 1),
        whole.replacen(header, &format!("# pack-refs with: sorted {long} "), 1),
        String::new(),
        header.to_owned(),
    ]);
    let mut cases = Cases::new("odd files of packed references");
    let mut answered = 0;
    for text in &texts {
        fs::write(&path, text).expect("it is writable");
        for name in NAMES {
            let case = format!("{} and {name}", text.escape_debug());
            let arguments = ["-s", name, "--", "f"];
            let root = repository.root();
            let answers = cases.compare_output(&repository, root, &[], &case, &arguments);
            answered += usize::from(answers);
        }
    }
    assert!(answered > 200, "{answered}");
    cases.finish(texts.len() * NAMES.len());
}

/// Names that no reference can have: git takes them for broken references where it lists them.
#[test]
fn invalid_names_of_packed_references() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"f", b"1\n");
    repository.git(&["add", "f"]);
    repository.git(&["commit", "-q", "-m", "a version"]);
    let id = repository.git_text(&["rev-parse", "HEAD"]);
    let mut cases = Cases::new("invalid names of packed references");
    let mut answered = 0;
    for header in ["", "# pack-refs with: peeled fully-peeled sorted \n"] {
        for name in [
            "heads/a..b",
            "heads/x y",
            "heads/z.lock",
            "tags/a..b",
            "remotes/o/^",
            "z~",
        ] {
            let text = format!("{header}{id} refs/{name}\n");
            repository.write(b".git/packed-refs", text.as_bytes());
            for option in [
                "--branches",
                "--branches=a*",
                "--branches=m*",
                "--tags",
                "--tags=a*",
                "--remotes",
                "--all",
                "--glob=refs/heads/*",
                "--glob=x*",
                "--exclude=a..b",
                "main",
            ] {
                let arguments = ["-s", option, "--branches=main", "--", "f"];
                let root = repository.root();
                let answers = cases.compare_output(&repository, root, &[], &text, &arguments);
                answered += usize::from(answers);
            }
        }
    }
    cases.finish(132);
    assert!((60..120).contains(&answered), "{answered}");
}
