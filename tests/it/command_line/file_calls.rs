//! How often a blame asks the system for files.

use std::{collections::BTreeMap, ffi::OsStr, fs};

use crate::harness::{
    program::tblame_program,
    repository::{ObjectFormat, TestRepo},
};

/// A blame opens each file of a plain clone once, but for `HEAD`, by which the repository is recognized first, the index,
/// of which most blames need only the header and a search for attributes, and `packed-refs`, which may have changed since
/// the repository was opened with its replacements.
#[test]
fn files_of_a_plain_clone_are_opened_once() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for text in ["a\n", "a\nb\n", "a\nb\nc\n"] {
        repository.write(b"sub/f", text.as_bytes());
        repository.write(b".gitattributes", b"*.txt text\n");
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", text.trim()]);
    }
    repository.git(&["gc", "-q"]);
    let list = repository.root().with_file_name("calls");
    let mut command = repository.command(OsStr::new("strace"));
    command.args(["-f", "-e", "trace=%file", "-o"]).arg(&list);
    command.arg(tblame_program());
    command.args(["--threads=1", "sub/f"]);
    let Ok(output) = command.output() else {
        eprintln!("skipped: there is no strace");
        return;
    };
    assert!(output.status.success(), "{output:?}");
    let list = fs::read_to_string(list).expect("it was written");
    let root = format!("{}/", repository.root().display());
    let mut calls = 0;
    let mut opened = BTreeMap::new();
    for line in list.lines() {
        let name = line.split('"').nth(1).unwrap_or_default();
        if let Some(name) = name.strip_prefix(&root) {
            calls += 1;
            *opened.entry(name).or_insert(0) += usize::from(line.contains("openat("));
        }
    }
    opened.retain(|_, times| *times > 1);
    assert_eq!(
        Vec::from_iter(opened),
        [(".git/HEAD", 2), (".git/index", 2), (".git/packed-refs", 2)],
        "{list}"
    );
    println!("{calls} calls");
    assert!((20..=44).contains(&calls), "{calls} calls:\n{list}");
}
