//! A damaged helper makes a blame careful: the answer is the undamaged repository's, git's, or an error, and there is one line about it.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use bstr::ByteSlice;

use crate::{
    generated::breadth,
    harness::{
        compare::assert_same_first_error,
        faults::{Fixture, Outcomes},
        git::git_program,
        program::{ProgramOutput, tblame_program},
        repository::{ObjectFormat, TestRepo},
        rng::Rng,
        stored_history::{Form, PATH, files_below, make_history},
    },
};

const WARNING: &str = "warning: the repository is damaged: ";

fn packed_history() -> (TestRepo, PathBuf) {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    make_history(&repository);
    repository.write(b"unrelated", b"of another file\n");
    repository.git(&["add", "unrelated"]);
    repository.git(&["commit", "-q", "-m", "unrelated"]);
    repository.git(&["repack", "-adfq"]);
    let files = files_below(&repository.root().join(".git/objects/pack")).expect("it is readable");
    let mut indexes = files
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ext| ext == "idx"));
    let index = indexes.next().expect("it was packed");
    fs::set_permissions(&index, Permissions::from_mode(0o600)).expect("it is one's own");
    (repository, index)
}

fn tblame(repository: &TestRepo, arguments: &[&str]) -> ProgramOutput {
    let mut command = repository.command(tblame_program().as_os_str());
    ProgramOutput::of(command.args(arguments).args(["HEAD", "--", PATH]))
}

fn git(repository: &TestRepo, arguments: &[&str]) -> ProgramOutput {
    let mut command = repository.command(git_program());
    ProgramOutput::of(
        command
            .arg("blame")
            .args(arguments)
            .args(["HEAD", "--", PATH]),
    )
}

fn flip(path: &Path, original: &[u8], at: usize, bit: u8) {
    let mut bytes = original.to_vec();
    bytes[at] ^= bit;
    fs::write(path, bytes).expect("it is writable");
}

/// The index with the record of an object that the blame does not need in the place of each in turn, so that ids are not in order.
fn disordered(repository: &TestRepo, original: &[u8]) -> Vec<Vec<u8>> {
    let unrelated = repository.git_text(&["rev-parse", "HEAD:unrelated"]);
    let ids: Vec<&[u8]> = original[1032..].chunks(20).collect();
    let unrelated = gix_hash::ObjectId::from_hex(unrelated.as_bytes()).expect("git says ids");
    let nth = ids.iter().position(|id| *id == unrelated.as_slice());
    let nth = nth.expect("it is packed");
    let count = u32::from_be_bytes(original[1028..1032].try_into().expect("four bytes")) as usize;
    let exchanged = |other: usize| {
        let mut bytes = original.to_vec();
        for (table, len) in [(1032, 20), (1032 + 24 * count, 4)] {
            for byte in 0..len {
                bytes.swap(table + nth * len + byte, table + other * len + byte);
            }
        }
        bytes
    };
    (0..count).map(exchanged).collect()
}

/// A slice of what `cargo bench --bench faults -- --index-bits` tries.
#[test]
fn one_bit_of_an_index_never_makes_a_blame_wrong() {
    let mut outcomes = Outcomes::default();
    let mut tried = 0;
    for (nth, form) in [Form::Pack, Form::Sha256, Form::MultiPackIndex]
        .into_iter()
        .enumerate()
    {
        let fixture = Fixture::new(form, nth % 2 == 0);
        let mut rng = Rng::new(nth as u64);
        let bits = fixture.index_bits();
        for bit in bits.iter().skip(nth).step_by(23 / breadth().min(23)) {
            let outcome = fixture.index_bit(bit, &mut rng, &mut outcomes);
            outcome.unwrap_or_else(|failure| panic!("{failure}"));
            tried += 1;
        }
    }
    assert!(tried > 100 && outcomes.cases() == tried, "{outcomes:?}");
    assert!(
        outcomes.pristine > 50 && outcomes.errors > 10,
        "{outcomes:?}"
    );
}

/// What a suffix follows is the commit that is named, not another one in its place.
#[test]
fn a_suffix_follows_no_other_commit_than_the_named_one() {
    let (repository, index) = packed_history();
    let original = fs::read(&index).expect("it is readable");
    let count = u32::from_be_bytes(original[1028..1032].try_into().expect("four bytes")) as usize;
    let ids: Vec<&[u8]> = original[1032..][..20 * count].chunks(20).collect();
    let commits = repository.git_text(&["rev-list", "HEAD"]);
    let commits = commits.lines().take(8).map(|commit| {
        let id = gix_hash::ObjectId::from_hex(commit.as_bytes()).expect("git says ids");
        let nth = ids.iter().position(|other| *other == id.as_slice());
        1032 + 24 * count + 4 * nth.expect("it is packed")
    });
    let offsets: Vec<usize> = commits.collect();
    let ranges = [
        "HEAD~1",
        "HEAD^",
        "HEAD^{commit}~2",
        "HEAD^@",
        "HEAD^!",
        "HEAD^-",
        "HEAD~1...HEAD",
    ];
    let blame = |range| {
        let mut command = repository.command(tblame_program().as_os_str());
        ProgramOutput::of(command.args(["--porcelain", range, "--", PATH]))
    };
    let pristine = ranges.map(blame);
    let (mut answers, mut errors) = (0, 0);
    for other in &offsets[1..] {
        let mut bytes = original.clone();
        for byte in 0..4 {
            bytes.swap(offsets[0] + byte, other + byte);
        }
        fs::write(&index, bytes).expect("it is writable");
        for (range, pristine) in ranges.iter().zip(&pristine) {
            let output = blame(range);
            match output.status {
                Some(0) => {
                    assert_eq!(output.stdout, pristine.stdout, "{range}");
                    answers += 1;
                }
                status => {
                    assert_eq!(status, Some(128), "{range}: {output:?}");
                    errors += 1;
                }
            }
        }
    }
    assert_eq!(answers + errors, 7 * ranges.len());
    assert!(pristine.iter().all(|output| output.status == Some(0)));
}

/// git does not read it in a blame.
#[test]
fn a_wrong_checksum_at_the_end_of_an_index_changes_nothing() {
    let (repository, index) = packed_history();
    let original = fs::read(&index).expect("it is readable");
    flip(&index, &original, original.len() - 3, 1);
    for arguments in [&["--porcelain"][..], &["--incremental"], &["-s", "-C"]] {
        let (git, tblame) = (git(&repository, arguments), tblame(&repository, arguments));
        assert_eq!(tblame.status, Some(0), "{tblame:?}");
        assert_eq!(tblame.stdout, git.stdout);
        assert!(tblame.stderr.is_empty(), "{tblame:?}");
    }
}

/// An id that became a large one hides others after it, which the blame needs: they are found, and it is said once.
#[test]
fn a_blame_through_a_damaged_index_is_right_and_says_so() {
    let (repository, index) = packed_history();
    let original = fs::read(&index).expect("it is readable");
    // What is said anyway is said as often as by git.
    repository.write(b".git/objects/info/alternates", b"missing\n");
    let pristine = git(&repository, &["--porcelain"]);
    assert!(!pristine.stderr.is_empty());
    let damaged = disordered(&repository, &original);
    let mut careful = 0;
    for bytes in &damaged {
        fs::write(&index, bytes).expect("it is writable");
        let output = tblame(&repository, &["--porcelain"]);
        assert_eq!(output.status, Some(0), "{output:?}");
        assert_eq!(output.stdout, pristine.stdout);
        let is_damage = |line: &&[u8]| line.starts_with(WARNING.as_bytes());
        let (damage, others): (Vec<_>, Vec<_>) = output.stderr.lines().partition(is_damage);
        careful += damage.len();
        assert!(damage.len() < 2, "{output:?}");
        assert!(others.into_iter().eq(pristine.stderr.lines()), "{output:?}");
    }
    let count = damaged.len();
    assert!(careful > count / 4, "{careful} of {count}");
}

/// What a pipe gave the first time is not there for a blame that begins again.
#[test]
fn a_blame_whose_input_is_gone_does_not_begin_again() {
    let (repository, index) = packed_history();
    let original = fs::read(&index).expect("it is readable");
    let text = repository.git(&["show", &format!("HEAD:{PATH}")]);
    let ignored = repository.git(&["rev-list", "-3", "--skip=2", "HEAD", "--", PATH]);
    let grafts = repository.git(&["rev-list", "-1", "--skip=3", "HEAD", "--", PATH]);
    let cases: [(&[&str], &[u8]); 3] = [
        (&["-s", "--contents", "-"], &text),
        (&["-s", "--ignore-revs-file", "/dev/stdin"], &ignored),
        (&["-s", "-S", "/dev/stdin"], &grafts),
    ];
    let (mut right, mut errors) = (0, 0);
    for (arguments, input) in cases {
        let run = |program: &std::ffi::OsStr| {
            let mut command = repository.command(program);
            if program == git_program() {
                command.arg("blame");
            }
            command.args(arguments).args(["HEAD", "--", PATH]);
            ProgramOutput::with_input(&mut command, input)
        };
        fs::write(&index, &original).expect("it is writable");
        let pristine = run(git_program());
        assert!(pristine.status == Some(0) && !pristine.stdout.is_empty());
        for bytes in disordered(&repository, &original).iter().step_by(3) {
            fs::write(&index, bytes).expect("it is writable");
            let output = run(tblame_program().as_os_str());
            match output.status {
                Some(0) => assert_eq!(output.stdout, pristine.stdout, "{arguments:?}"),
                _ => assert!(output.stdout.is_empty(), "{arguments:?}: {output:?}"),
            }
            *(if output.status == Some(0) {
                &mut right
            } else {
                &mut errors
            }) += 1;
        }
        fs::write(&index, &original).expect("it is writable");
    }
    assert!(right > 20 && errors > 20, "{right} right, {errors} errors");
}

/// Loose objects are compared with their ids when they are read.
#[test]
fn a_loose_object_with_the_contents_of_another_is_an_error() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    make_history(&repository);
    let objects = repository.root().join(".git/objects");
    let path = |name: &str| {
        let id = repository.git_text(&["rev-parse", name]);
        objects.join(&id[..2]).join(&id[2..])
    };
    let names = [
        "HEAD",
        "HEAD~1",
        "HEAD^{tree}",
        "HEAD~1^{tree}",
        "HEAD:src",
        "HEAD:other.txt",
    ];
    let file = format!("HEAD:{PATH}");
    let names: Vec<PathBuf> = names.into_iter().chain([&*file]).map(path).collect();
    let (mut tried, mut errors) = (0, 0);
    for one in &names {
        let original = fs::read(one).expect("they are loose");
        fs::set_permissions(one, Permissions::from_mode(0o600)).expect("it is one's own");
        for other in names.iter().filter(|other| *other != one) {
            fs::copy(other, one).expect("it is writable");
            for arguments in [
                &["--porcelain", "HEAD", "--", PATH][..],
                &["--porcelain", PATH],
            ] {
                let run = |program: &std::ffi::OsStr| {
                    let mut command = repository.command(program);
                    if program == git_program() {
                        command.arg("blame");
                    }
                    ProgramOutput::of(command.args(arguments))
                };
                let tblame = run(tblame_program().as_os_str());
                tried += 1;
                if tblame.status == Some(128) {
                    // git may go round in a circle then.
                    errors += 1;
                    continue;
                }
                // Not all of them are needed.
                let git = run(git_program());
                assert!(
                    (tblame.status, &tblame.stdout) == (git.status, &git.stdout),
                    "{one:?} as {other:?}: {git:?} {tblame:?}"
                );
            }
        }
        fs::write(one, original).expect("it is writable");
    }
    assert!(errors > tried / 2, "{errors} of {tried}");
    assert_same_first_error(&repository, &["--porcelain", "main", "--", PATH]);
}

/// Each number of open files, from too few to begin to enough.
#[test]
fn too_few_open_files_are_no_damage() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for version in 0..12 {
        repository.write(PATH.as_bytes(), "line\n".repeat(version + 1).as_bytes());
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", "a version"]);
        repository.git(&["repack", "-dq"]);
    }
    // Ids are abbreviated as far as no object of any pack has the same.
    repository.git(&["config", "core.abbrev", "4"]);
    let pristine = git(&repository, &["--porcelain"]);
    let plain = git(&repository, &["-f"]);
    let (mut right, mut told) = (0, 0);
    for (limit, format) in (4..50).flat_map(|limit| [(limit, "--porcelain"), (limit, "-f")]) {
        let mut command = repository.command("sh".as_ref());
        let script = format!("ulimit -n {limit}; exec \"$0\" {format} HEAD -- {PATH}");
        command.arg("-c").arg(script).arg(tblame_program());
        let output = ProgramOutput::of(&mut command);
        if output.status == Some(0) {
            let expected = if format == "-f" { &plain } else { &pristine };
            assert_eq!(output.stdout, expected.stdout, "{limit}");
            right += 1;
            continue;
        }
        assert!(output.stdout.is_empty(), "{limit}: {output:?}");
        assert!(
            !output.stderr.contains_str("damaged"),
            "{limit}: {output:?}"
        );
        told += usize::from(output.stderr.contains_str("Too many open files"));
    }
    assert!(right > 5 && told > 5, "{right} right, {told} errors");
    // A limit that may be raised is raised.
    for limit in (4..32).rev() {
        let mut command = repository.command("sh".as_ref());
        let script = format!("ulimit -S -n {limit}; exec \"$0\" --porcelain HEAD -- {PATH}");
        command.arg("-c").arg(script).arg(tblame_program());
        let output = ProgramOutput::of(&mut command);
        let is_right = output.status == Some(0) && output.stdout == pristine.stdout;
        assert!(is_right || limit < 20, "{limit}: {output:?}");
    }
}
