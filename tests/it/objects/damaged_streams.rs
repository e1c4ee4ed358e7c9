//! Bytes of packs and loose objects changed: the answer is that of the pristine repository or git's, or an error.
//!
//! Streams are stored without compression, so that a changed byte changes the object and nothing but the checksum at
//! the end of its stream tells.

use std::{
    ffi::OsStr,
    fs::{self, File, OpenOptions},
    os::unix::fs::{FileExt, PermissionsExt},
};

use crate::{
    generated::breadth,
    harness::{
        faults::{Fixture, Outcomes, changed},
        git::git_program,
        program::{ProgramOutput, tblame_program},
        repository::{ObjectFormat, TestRepo},
        rng::Rng,
        stored_history::{FORMS, Form, PATH, files_below, make_history},
    },
};

/// A history whose streams are stored without compression.
fn history(hash: ObjectFormat) -> TestRepo {
    let repository = TestRepo::new(hash);
    repository.git(&["config", "core.compression", "0"]);
    make_history(&repository);
    repository
}

fn blame(repository: &TestRepo, program: &OsStr) -> ProgramOutput {
    let mut command = repository.command(program);
    if program == git_program() {
        command.arg("blame");
    }
    ProgramOutput::of(command.args(["--porcelain", "HEAD", "--", PATH]))
}

/// Changes bytes of every file, each by itself. `share` of 1000 bytes are tried.
fn assert_no_lie(
    repository: &TestRepo,
    name: &str,
    share: usize,
    is_wanted: fn(&[u8]) -> bool,
) -> (usize, usize) {
    let git = git_program();
    let pristine = blame(repository, git);
    assert_eq!(pristine.status, Some(0), "{pristine:?}");
    let mut rng = Rng::new(name.len() as u64);
    let (mut right, mut errors, mut as_git) = (0, 0, 0);
    let mut files = files_below(&repository.root().join(".git/objects")).expect("it is readable");
    files.retain(|path| is_wanted(path.file_name().unwrap_or_default().as_encoded_bytes()));
    for path in files {
        let bytes = fs::read(&path).expect("it is readable");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("it is one's own");
        let file = OpenOptions::new().write(true).open(&path);
        let file = file.expect("it is writable");
        let put = |file: &File, at: usize, byte: u8| {
            file.write_all_at(&[byte], at as u64)
                .expect("it is writable");
        };
        for (at, &byte) in bytes.iter().enumerate() {
            if rng.below(1000) >= share {
                continue;
            }
            let other = changed(byte, &mut rng);
            put(&file, at, other);
            let output = blame(repository, tblame_program().as_os_str());
            if output.signal.is_some() || output.status == Some(101) {
                panic!("{name}: {}: byte {at}: {output:?}", path.display());
            }
            if output.status != Some(0) {
                errors += 1;
            } else if output.stdout == pristine.stdout {
                right += 1;
            } else {
                let git = blame(repository, git);
                assert!(
                    git.status == Some(0) && git.stdout == output.stdout,
                    "{name}: {}: byte {at}, {byte} made {other}: another answer than git's\n{}\ngit: {}",
                    path.display(),
                    String::from_utf8_lossy(&output.stdout),
                    String::from_utf8_lossy(&git.stderr),
                );
                as_git += 1;
            }
            put(&file, at, byte);
        }
    }
    if breadth() > 1 {
        println!("{name}: {right} right, {errors} errors, {as_git} as git");
    }
    (right, errors)
}

/// Changes bytes of packs and loose objects, each by itself.
fn assert_no_lie_of_objects(repository: &TestRepo, name: &str) {
    let (right, errors) = assert_no_lie(repository, name, share(), |name| {
        name.ends_with(b".pack") || name.iter().all(u8::is_ascii_hexdigit)
    });
    assert!(
        right > 0 && errors > 30,
        "{name}: {right} right, {errors} errors"
    );
}

/// How many of 1000 bytes are tried in a pack of some 25,000 bytes.
fn share() -> usize {
    (30 * breadth()).min(1000)
}

#[test]
fn changed_bytes_of_a_pack_are_noticed() {
    let repository = history(ObjectFormat::Sha1);
    repository.git(&["repack", "-adfq", "--depth=10", "--window=10"]);
    assert_no_lie_of_objects(&repository, "pack");
}

#[test]
fn changed_bytes_of_a_pack_without_deltas_are_noticed() {
    let repository = history(ObjectFormat::Sha1);
    repository.git(&["repack", "-adfq", "--window=0"]);
    assert_no_lie_of_objects(&repository, "no deltas");
}

#[test]
fn changed_bytes_of_a_pack_with_a_commit_graph_are_noticed() {
    let repository = history(ObjectFormat::Sha256);
    repository.git(&["repack", "-adfq"]);
    repository.git(&["commit-graph", "write", "--reachable", "--changed-paths"]);
    assert_no_lie_of_objects(&repository, "commit-graph");
}

#[test]
fn changed_bytes_of_loose_objects_are_noticed() {
    let repository = history(ObjectFormat::Sha1);
    assert_no_lie_of_objects(&repository, "loose");
}

#[test]
fn changed_bytes_of_a_commit_graph_are_noticed() {
    let repository = history(ObjectFormat::Sha1);
    repository.git(&["repack", "-adfq"]);
    repository.git(&["commit-graph", "write", "--reachable", "--changed-paths"]);
    let (right, _) = assert_no_lie(&repository, "graph", 2 * share(), |name| {
        name == b"commit-graph"
    });
    assert!(right > 30, "{right} right");
}

#[test]
fn changed_bytes_of_an_index_are_noticed() {
    let repository = history(ObjectFormat::Sha1);
    repository.git(&["repack", "-adfq"]);
    let (right, _) = assert_no_lie(&repository, "index", 2 * share(), |name| {
        name.ends_with(b".idx")
    });
    assert!(right > 30, "{right} right");
}

#[test]
fn changed_bytes_of_a_multi_pack_index_are_noticed() {
    let repository = history(ObjectFormat::Sha1);
    repository.git(&["repack", "-adfq"]);
    repository.git(&["multi-pack-index", "write"]);
    let (right, _) = assert_no_lie(&repository, "midx", 2 * share(), |name| {
        name == b"multi-pack-index"
    });
    assert!(right > 30, "{right} right");
}

/// A slice of what `cargo bench --bench faults` runs.
#[test]
fn damage_never_gives_another_answer_than_git() {
    let mut outcomes = Outcomes::default();
    for (nth, form) in FORMS.into_iter().enumerate() {
        let fixture = Fixture::new(form, nth % 2 == 0);
        let mut rng = Rng::new(nth as u64);
        for _ in 0..20 * breadth() {
            let outcome = fixture.case(&mut rng, &mut outcomes);
            outcome.unwrap_or_else(|failure| panic!("{failure}"));
        }
    }
    assert_eq!(outcomes.cases(), FORMS.len() * 20 * breadth());
    assert!(
        outcomes.pristine > 50 && outcomes.errors > 30,
        "{outcomes:?}"
    );
}

/// An index with the right checksum, but offsets that lead to other objects, as in a pack that was exchanged.
#[test]
fn exchanged_offsets_of_an_index_are_noticed() {
    let mut outcomes = Outcomes::default();
    let forms = [
        Form::Pack,
        Form::Packs,
        Form::MultiPackIndex,
        Form::Sha256,
        // With filters of changed paths, which a tree in another's place contradicts.
        Form::CommitGraph,
    ];
    for (nth, form) in forms.into_iter().enumerate() {
        let fixture = Fixture::new(form, nth % 2 == 0);
        let mut rng = Rng::new(nth as u64);
        for _ in 0..30 * breadth() {
            let outcome = fixture.exchanged_offsets(&mut rng, &mut outcomes);
            outcome.unwrap_or_else(|failure| panic!("{failure}"));
        }
    }
    assert_eq!(outcomes.cases(), forms.len() * 30 * breadth());
    assert!(
        outcomes.pristine > 0 && outcomes.errors > 50,
        "{outcomes:?}"
    );
}

/// Ids of a commit-graph overwritten by zeros: no line is attributed to a commit that does not exist.
#[test]
fn ids_of_a_commit_graph_that_are_zeros_are_noticed() {
    let mut outcomes = Outcomes::default();
    for form in [Form::CommitGraph, Form::GraphChain] {
        for only_trees in [false, true] {
            let mut fixture = Fixture::new(form, true);
            if only_trees {
                fixture.only_trees();
            }
            let mut rng = Rng::new(1);
            let outcome = fixture.zeroed_graph_ids(&mut rng, &mut outcomes);
            outcome.unwrap_or_else(|failure| panic!("{failure}"));
        }
    }
    assert!(outcomes.cases() > 40 && outcomes.errors > 5, "{outcomes:?}");
}

/// A multi-pack-index with the right checksum that has another id in place of one: the packs' own indexes have it.
#[test]
fn objects_that_a_multi_pack_index_lacks_are_found() {
    let repository = history(ObjectFormat::Sha1);
    repository.git(&["repack", "-adq"]);
    repository.git(&["multi-pack-index", "write"]);
    let pristine = blame(&repository, git_program()).stdout;
    let path = repository.root().join(".git/objects/pack/multi-pack-index");
    let original = fs::read(&path).expect("it is readable");
    let objects = repository.git_text(&["rev-list", "--objects", "HEAD"]);
    let mut count = 0;
    for object in objects.lines() {
        let id = gix_hash::ObjectId::from_hex(&object.as_bytes()[..40]).expect("git says ids");
        let at = memchr::memmem::find(&original, id.as_slice()).expect("it has all objects");
        let mut bytes = original.clone();
        bytes[at + 19] ^= 1;
        let end = bytes.len() - 20;
        let mut hasher = gix_hash::hasher(gix_hash::Kind::Sha1);
        hasher.update(&bytes[..end]);
        let sum = hasher.try_finalize().expect("no collision");
        bytes[end..].copy_from_slice(sum.as_slice());
        fs::remove_file(&path).expect("it is one's own");
        fs::write(&path, &bytes).expect("it is writable");
        let output = blame(&repository, tblame_program().as_os_str());
        assert_eq!(output.status, Some(0), "{object}: {output:?}");
        assert_eq!(output.stdout, pristine, "{object}");
        count += 1;
    }
    assert!(count > 50, "{count} objects");
}

/// git does not end here.
#[test]
fn a_commit_that_is_its_own_ancestor_is_an_error() {
    let repository = history(ObjectFormat::Sha1);
    let ids = ["HEAD^1~1", "HEAD^1~3"].map(|name| repository.git_text(&["rev-parse", name]));
    repository.write(
        b".git/info/grafts",
        format!("{} {}\n{} {}\n", ids[0], ids[1], ids[1], ids[0]).as_bytes(),
    );
    let output = blame(&repository, tblame_program().as_os_str());
    assert_eq!(output.status, Some(128));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        error.ends_with("\nfatal: the history has a cycle\n"),
        "{error}"
    );
}
