//! `diff.<driver>.textconv`: commands that fail, and what they made before.

use bstr::ByteSlice;

use crate::harness::{
    compare::{assert_same, assert_same_in},
    program::tblame_program,
    repository::{ObjectFormat, TestRepo},
};

/// A file whose second version alone has an `x`.
fn repository() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b".gitattributes", b"*.d diff=d\n");
    repository.write(b"f.d", b"one\n");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "first"]);
    repository.write(b"f.d", b"one\nx\n");
    repository.git(&["commit", "-q", "-a", "-m", "second"]);
    repository
}

fn same(repository: &TestRepo) {
    for line in [
        "f.d",
        "HEAD f.d",
        "HEAD~1 f.d",
        "--incremental HEAD f.d",
        "-L1 HEAD f.d",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        assert_same(repository, &words);
    }
}

#[test]
fn a_command_may_fail_at_any_version() {
    let repository = repository();
    for command in [
        "false",
        "no-such-program",
        "no-such-program with words",
        "sh -c 'grep x \"$1\"' -",
        "tr a-z A-Z <",
    ] {
        repository.git(&["config", "diff.d.textconv", command]);
        same(&repository);
    }
}

/// git skips a byte order mark at the beginning of attributes files, but not of those of the index or a tree.
#[test]
fn a_byte_order_mark_in_attributes() {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    let repository = repository();
    repository.git(&["config", "diff.d.textconv", "tr a-z A-Z <"]);
    let tree = |source| ("GIT_ATTR_SOURCE", source);
    let mut converted = 0;
    for marks in 0..3 {
        let attributes = [MARK.repeat(marks).as_slice(), b"*.d diff=d\n"].concat();
        repository.write(b".gitattributes", &attributes);
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "--amend", "-m", "second"]);
        let mut same = |variables: &[(&str, &str)]| {
            for arguments in [&["f.d"][..], &["HEAD", "--", "f.d"]] {
                let output = assert_same_in(&repository, repository.root(), variables, arguments);
                converted += usize::from(output.stdout.contains_str("ONE"));
            }
        };
        same(&[]);
        same(&[tree("HEAD")]);
        repository.write(b".git/attributes", &attributes);
        std::fs::remove_file(repository.root().join(".gitattributes")).expect("it is there");
        same(&[]);
        same(&[tree("HEAD")]);
        repository.git(&["config", "core.attributesFile", ".git/attributes"]);
        same(&[]);
        repository.git(&["config", "--unset", "core.attributesFile"]);
        repository.write(b".git/info/attributes", &attributes);
        same(&[]);
        repository.write(b".git/info/attributes", b"");
    }
    assert!((12..24).contains(&converted), "{converted} converted");
}

#[test]
fn notes_remember_what_a_command_made() {
    let repository = repository();
    repository.git(&["config", "diff.d.cachetextconv", "true"]);
    repository.git(&["config", "diff.d.textconv", "tr a-z A-Z <"]);
    let blob = repository.git_text(&["rev-parse", "HEAD:f.d"]);
    let note = repository.git_with_input(&["hash-object", "-w", "--stdin"], b"ONE\nNOTED\n");
    let note = String::from_utf8(note).expect("an id");
    let tree = |entry: String| {
        let tree = repository.git_with_input(&["mktree"], entry.as_bytes());
        String::from_utf8(tree).expect("an id")
    };
    let flat = tree(format!("100644 blob {note}\t{blob}\n"));
    let below = tree(format!("100644 blob {note}\t{}\n", &blob[2..]));
    let deep = tree(format!("040000 tree {below}\t{}\n", &blob[..2]));
    for (tree, maker) in [
        (&flat, "tr a-z A-Z <"),
        (&deep, "tr a-z A-Z <\n"),
        (&flat, "tr a-z A-Z < \n\nmore"),
        (&flat, "another command"),
    ] {
        let commit = repository.git_text(&["commit-tree", tree, "-m", maker]);
        repository.git(&["update-ref", "refs/notes/textconv/d", &commit]);
        // tblame goes first: git would renew notes that another command made.
        let mut command = repository.command(tblame_program().as_os_str());
        let ours = command
            .args(["-s", "HEAD", "f.d"])
            .output()
            .expect("it runs");
        let noted = ours.stdout.windows(5).any(|word| word == b"NOTED");
        assert_eq!(noted, maker.starts_with("tr"), "{maker}");
        same(&repository);
    }
}
