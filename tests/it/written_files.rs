//! Files that are written, with whatever can be in their place or on the way to it. `docs/security.md` has the rules.

use std::{
    fmt, fs,
    os::unix::{
        fs::{MetadataExt, PermissionsExt, chown, lchown, symlink},
        net::UnixListener,
    },
    path::{Path, PathBuf},
    process::Command,
    sync::mpsc,
};

use tblame::internals::{
    objects::ObjectId,
    repository::{Repository, request::ignored_revisions},
    viewer::{
        config::{edit, setting_change::SettingChange},
        external::run_external::{self, CommandEnd},
        hint_history,
        model::{
            external_commands::{EditRequest, ExternalCommand},
            texts::text::Text,
        },
    },
};

use crate::{
    cache::{TestCache, git_blame, set_mode, small_history},
    harness::{
        command_lines::two_commits,
        fifo::make_fifo,
        git::git_program,
        program::{ProgramOutput, tblame_program},
        repository::{ObjectFormat, TestRepo},
        session::TIMEOUT,
    },
};

/// What is in the place of a file, or on the way to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Obstacle {
    Nothing,
    File,
    FileWithOtherName,
    ReadOnlyFile,
    Link,
    DanglingLink,
    LinkToItself,
    LinkedDirectory,
    Directory,
    Fifo,
    Socket,
    FileAsDirectory,
    /// Only an administrator can make these three.
    FileOfAnother,
    LinkOfAnother,
    LinkedDirectoryOfAnother,
    /// An administrator can write to it.
    ReadOnlyDirectory,
}

use Obstacle::*;

const ALL: [Obstacle; 16] = [
    Nothing,
    File,
    FileWithOtherName,
    ReadOnlyFile,
    Link,
    DanglingLink,
    LinkToItself,
    LinkedDirectory,
    Directory,
    Fifo,
    Socket,
    FileAsDirectory,
    FileOfAnother,
    LinkOfAnother,
    LinkedDirectoryOfAnother,
    ReadOnlyDirectory,
];

/// The number of a user who is neither the tests' nor the administrator.
const ANOTHER: u32 = 54_321;

/// The permissions of files that are there before.
const MODE: u32 = 0o640;

impl Obstacle {
    /// Whether this user can make it.
    fn is_possible(self, scratch: &Path) -> bool {
        let probe = scratch.join("probe");
        fs::write(&probe, "").expect("a new file");
        let is_administrator = chown(&probe, Some(ANOTHER), None).is_ok();
        fs::remove_file(probe).expect("it is in one's own directory");
        match self {
            FileOfAnother | LinkOfAnother | LinkedDirectoryOfAnother => is_administrator,
            ReadOnlyDirectory => !is_administrator,
            _ => true,
        }
    }

    /// Makes it at `place`, whose directory exists; links lead into the directory `elsewhere`.
    fn make(self, place: &Path, elsewhere: &Path, old: &str) {
        let write = |path: &Path| {
            fs::write(path, old).expect("its directory exists");
            // Only an administrator can give it another group than one's own.
            chown(path, None, Some(ANOTHER)).ok();
            set_mode(path, MODE);
        };
        let link = |target: &Path, link: &Path| symlink(target, link).expect("a new name");
        let directory = place.parent().expect("a directory");
        let target = elsewhere.join("target");
        write(&target);
        match self {
            Nothing => {}
            File => write(place),
            FileWithOtherName => {
                write(place);
                fs::hard_link(place, elsewhere.join("other")).expect("a new name");
            }
            ReadOnlyFile => {
                write(place);
                set_mode(place, 0o444);
            }
            Link => link(&target, place),
            DanglingLink => link(&elsewhere.join("missing"), place),
            LinkToItself => link(place, place),
            LinkedDirectory | LinkedDirectoryOfAnother => {
                let real = elsewhere.join("directory");
                fs::rename(directory, &real).expect("a new name");
                link(&real, directory);
                write(place);
                if self == LinkedDirectoryOfAnother {
                    lchown(directory, Some(ANOTHER), None).expect("an administrator may");
                }
            }
            Directory => fs::create_dir(place).expect("a new name"),
            Fifo => make_fifo(place),
            Socket => drop(UnixListener::bind(place).expect("a new name")),
            FileAsDirectory => {
                fs::remove_dir_all(directory).expect("it is one's own");
                write(directory);
            }
            FileOfAnother => {
                write(place);
                chown(place, Some(ANOTHER), None).expect("an administrator may");
            }
            LinkOfAnother => {
                link(&target, place);
                lchown(place, Some(ANOTHER), None).expect("an administrator may");
            }
            ReadOnlyDirectory => set_mode(directory, 0o555),
        }
    }
}

/// All below a directory: kinds, owners, permissions, and what files contain and links lead to.
fn snapshot(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut paths = vec![directory.to_owned()];
    while let Some(path) = paths.pop() {
        let Ok(metadata) = fs::symlink_metadata(&path) else {
            continue;
        };
        let kind = metadata.file_type();
        let contents = match (kind.is_file(), kind.is_symlink()) {
            (true, _) => fs::read(&path).expect("it is readable"),
            (_, true) => {
                let target = fs::read_link(&path).expect("a link");
                target.into_os_string().into_encoded_bytes()
            }
            _ => Vec::new(),
        };
        let (mode, owner) = (metadata.mode(), metadata.uid());
        let contents = contents.escape_ascii();
        found.push(format!("{} {mode:o} {owner} {contents}", path.display()));
        if kind.is_dir() {
            let entries = fs::read_dir(&path).expect("it is readable");
            paths.extend(entries.map(|entry| entry.expect("an entry").path()));
        }
    }
    found.sort();
    found
}

/// What writing comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// The file has the new text.
    Written,
    /// The link stays, and the file that it leads to has the new text.
    WrittenThrough,
    /// Nothing is changed, and the message has this word.
    Refused(&'static str),
}

use Outcome::*;

/// Which links on the way to a file are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Links {
    /// Those of the user.
    Followed,
    /// None.
    Refused,
}

impl Links {
    fn outcome(self, obstacle: Obstacle) -> Outcome {
        match obstacle {
            Nothing | File | FileWithOtherName => Written,
            ReadOnlyFile => Refused("it is read-only"),
            Link | DanglingLink | LinkedDirectory if self == Links::Followed => WrittenThrough,
            Link | DanglingLink | LinkToItself | LinkedDirectory => Refused("is a link to '/"),
            LinkOfAnother | LinkedDirectoryOfAnother => Refused("is a link to '/"),
            Directory => Refused("it is a directory"),
            Fifo | Socket => Refused("it is not a regular file"),
            FileAsDirectory => Refused("Not a directory"),
            FileOfAnother => Refused("it belongs to another user"),
            ReadOnlyDirectory => Refused("Permission denied"),
        }
    }
}

/// Writes a file. Returns the error, where there is a message.
type Write = dyn FnOnce(&Path) -> Result<(), Option<String>> + Send;

/// A file that is written, below a directory of a test. It is in a directory that has nothing else.
struct Place {
    name: &'static str,
    file: PathBuf,
    links: Links,
    /// The text before, and a part of the new one.
    texts: [&'static str; 2],
    /// The repository that it is written for.
    repository: Option<TestRepo>,
    /// Called after the obstacle was made.
    write: Box<Write>,
}

/// A list of ignored revisions: the one that the configuration names, relative to the root of the work tree, or the usual one.
fn list(name: &'static str, configured: Option<&Path>, links: Links) -> Place {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    if let Some(configured) = configured {
        let configured = configured.to_str().expect("UTF-8");
        repository.git(&["config", "blame.ignoreRevsFile", configured]);
    }
    let path = configured.unwrap_or(Path::new(".git-blame-ignore-revs"));
    let root = repository.root().to_owned();
    Place {
        name,
        file: root.join(path),
        links,
        texts: ["# mine\n", "1111111111"],
        repository: Some(repository),
        write: Box::new(move |file| {
            let opened = Repository::open_own(&root).expect("a repository");
            let list = ignored_revisions::list_to_save_to(&opened).expect("a work tree");
            let id = ObjectId::from_bytes_or_panic(&[0x11; 20]);
            let saved = ignored_revisions::save(&list, &id, b"A subject");
            if saved.is_ok() {
                // The user was asked about the file that was written.
                assert_eq!(list, file.canonicalize().expect("a file"));
            }
            saved.map(drop).map_err(|err| Some(err.to_string()))
        }),
    }
}

fn places(root: &Path) -> Vec<Place> {
    vec![
        list("the usual list", None, Links::Refused),
        list("a list", Some(Path::new("lists/list")), Links::Refused),
        list(
            "a list elsewhere",
            Some(&root.join("lists/list")),
            Links::Followed,
        ),
        Place {
            name: "the configuration",
            file: root.join("config/tblame/config.toml"),
            links: Links::Followed,
            texts: ["# mine\n", "theme = \"light\""],
            repository: None,
            write: Box::new(|file| {
                let change = SettingChange {
                    tables: &[],
                    key: "theme",
                    value: "\"light\"".to_owned(),
                };
                edit::save(file, &[change]).map(drop).map_err(Some)
            }),
        },
        Place {
            name: "the keys that were used",
            file: root.join("state/tblame/used"),
            links: Links::Followed,
            texts: ["before\n", "after\n"],
            repository: None,
            write: Box::new(|file| {
                hint_history::load(file);
                hint_history::save(file, "after\n");
                Err(None)
            }),
        },
    ]
}

/// Waits for `work`, which must not wait for a named pipe.
fn in_time<T: Send + 'static>(
    what: &dyn fmt::Debug,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(work()));
    let done = receiver.recv_timeout(TIMEOUT);
    done.unwrap_or_else(|err| panic!("{what:?}: {err}"))
}

#[test]
fn files_of_others_are_replaced_by_the_rules() {
    let mut compared = 0;
    for obstacle in ALL {
        for index in 0..5 {
            let scratch = tempfile::tempdir().expect("a temporary directory");
            let root = scratch.path().canonicalize().expect("it was just made");
            let place = places(&root).swap_remove(index);
            if !obstacle.is_possible(&root) {
                continue;
            }
            let directory = place.file.parent().expect("a directory");
            let is_root = directory.join(".git").exists();
            let of_directory = [LinkedDirectory, LinkedDirectoryOfAnother, FileAsDirectory];
            if is_root && of_directory.contains(&obstacle) {
                continue;
            }
            assert_place(place, obstacle, &root);
            compared += 1;
        }
    }
    assert!(compared >= 59, "{compared}");
}

fn assert_place(place: Place, obstacle: Obstacle, root: &Path) {
    let Place {
        name,
        file,
        links,
        texts: [old, new],
        write,
        repository: _repository,
    } = place;
    let what = format!("{name}, {obstacle:?}");
    let elsewhere = root.join("elsewhere");
    fs::create_dir(&elsewhere).expect("a new name");
    let directory = file.parent().expect("a directory").to_owned();
    fs::create_dir_all(&directory).expect("a new name");
    obstacle.make(&file, &elsewhere, old);
    let snapshots = || (snapshot(&directory), snapshot(&elsewhere));
    let before = snapshots();
    let written = file.clone();
    let result = in_time(&what, move || write(&written));
    let after = snapshots();
    set_mode(&directory, 0o755);
    let outcome = links.outcome(obstacle);
    if let (Refused(word), Err(Some(message))) = (outcome, &result) {
        assert!(message.contains(word), "{what}: {message}");
    }
    if let Refused(_) = outcome {
        assert!(result.is_err(), "{what}");
        assert_eq!(before, after, "{what}");
        return;
    }
    assert!(!matches!(result, Err(Some(_))), "{what}: {result:?}");
    let text = fs::read_to_string(&file).expect("it was written");
    assert!(text.contains(new), "{what}: {text}");
    let is_new = matches!(obstacle, Nothing | DanglingLink);
    let is_replaced = is_new || new == "after\n";
    assert!(is_replaced || text.contains(old), "{what}: {text}");
    let metadata = fs::metadata(&file).expect("a file");
    let mode = metadata.permissions().mode() & 0o777;
    assert!(is_new || mode == MODE, "{what}: {mode:o}");
    let group = fs::metadata(elsewhere.join("target"))
        .expect("a file")
        .gid();
    assert!(is_new || metadata.gid() == group, "{what}");
    let kind = fs::symlink_metadata(&file).expect("a file").file_type();
    let is_link = matches!(obstacle, Link | DanglingLink);
    assert_eq!(kind.is_symlink(), is_link, "{what}");
    // No temporary file is left, and nothing else is changed.
    let count = |entries: &[String]| entries.len();
    let added = usize::from(obstacle == Nothing);
    assert_eq!(
        count(&after.0),
        count(&before.0) + added,
        "{what}: {after:?}"
    );
    match outcome {
        Written => assert_eq!(before.1, after.1, "{what}"),
        _ => assert_ne!(before.1, after.1, "{what}"),
    }
}

/// The log is added to a log of the user, and to nothing else.
#[test]
fn the_log_is_added_to_logs() {
    const OLD: &str = "tblame log\nold\n";
    let repository = two_commits();
    let mut compared = 0;
    for obstacle in ALL {
        for (links, is_log) in [
            (Links::Followed, true),
            (Links::Refused, true),
            (Links::Followed, false),
        ] {
            let scratch = tempfile::tempdir().expect("a temporary directory");
            let root = scratch.path().canonicalize().expect("it was just made");
            if !obstacle.is_possible(&root) {
                continue;
            }
            let [directory, elsewhere] = ["logs", "elsewhere"].map(|name| root.join(name));
            for path in [&directory, &elsewhere] {
                fs::create_dir(path).expect("a new name");
            }
            if links == Links::Refused {
                // A work tree.
                fs::create_dir(root.join(".git")).expect("a new name");
            }
            let file = directory.join("log");
            obstacle.make(&file, &elsewhere, if is_log { OLD } else { "other\n" });
            let before = (snapshot(&directory), snapshot(&elsewhere));
            let mut command = repository.command(tblame_program().as_os_str());
            command.arg("--log").arg(&file).arg("a.txt");
            let what = format!("{obstacle:?}, {links:?}, {is_log}");
            let output = in_time(&what, move || ProgramOutput::of(&mut command));
            let after = (snapshot(&directory), snapshot(&elsewhere));
            set_mode(&directory, 0o755);
            let errors = String::from_utf8_lossy(&output.stderr);
            let is_there = !matches!(obstacle, Nothing | DanglingLink);
            let outcome = match links.outcome(obstacle) {
                Written | WrittenThrough if is_there && !is_log => Refused("something else in it"),
                outcome => outcome,
            };
            if let Refused(word) = outcome {
                assert_eq!(output.status, Some(128), "{what}: {errors}");
                assert!(
                    errors.contains("fatal: cannot write the log '") && errors.contains(word),
                    "{what}: {errors}"
                );
                assert_eq!(before, after, "{what}");
            } else {
                assert_eq!((output.status, &*errors), (Some(0), ""), "{what}");
                let text = fs::read_to_string(&file).expect("a log");
                let old = if is_there { OLD } else { "" };
                let new = text
                    .strip_prefix(old)
                    .unwrap_or_else(|| panic!("{what}: {text}"));
                assert!(
                    new.starts_with("tblame log\n") && new.contains(" end "),
                    "{what}: {text}"
                );
                let mode = fs::metadata(&file).expect("a log").permissions().mode() & 0o777;
                assert_eq!(mode, if is_there { MODE } else { 0o600 }, "{what}");
            }
            compared += 1;
        }
    }
    assert!(compared >= 36, "{compared}");
}

#[test]
fn the_cache_writes_nothing_elsewhere() {
    let repository = small_history(10);
    let git = git_blame(&repository, "a.txt");
    let cache = TestCache::new();
    cache.assert_blame(&repository, "a.txt", &git);
    let saved = cache.place().with_file_name("saved");
    let copy = |from: &Path, to: &Path| {
        let status = Command::new("cp").arg("-a").args([from, to]).status();
        assert!(status.expect("cp runs").success());
    };
    copy(&cache.place(), &saved);
    let mut paths = vec![cache.place().join("tblame"), cache.root()];
    paths.extend(cache.repositories());
    let files = cache.files();
    paths.extend(
        files
            .iter()
            .filter_map(|file| Some(file.parent()?.to_owned())),
    );
    paths.extend(files);
    paths.sort();
    paths.dedup();
    let mut compared = 0;
    for path in &paths {
        for obstacle in [File, Link, DanglingLink, Directory, Fifo] {
            fs::remove_dir_all(cache.place()).expect("it is one's own");
            copy(&saved, &cache.place());
            let elsewhere = tempfile::tempdir().expect("a temporary directory");
            let elsewhere = elsewhere.path();
            // A link leads to what was there.
            fs::rename(path, elsewhere.join("original")).expect("a new name");
            match obstacle {
                Link => symlink(elsewhere.join("original"), path).expect("a new name"),
                _ => obstacle.make(path, elsewhere, "old\n"),
            }
            let before = snapshot(elsewhere);
            cache.assert_blame(&repository, "a.txt", &git);
            cache.run(&repository, &["--cache-clear"]);
            assert_eq!(before, snapshot(elsewhere), "{path:?}, {obstacle:?}");
            compared += 1;
        }
    }
    assert!(compared >= 5 * 9, "{compared}");
}

#[test]
fn the_shim_replaces_nothing() {
    let repository = two_commits();
    let mut compared = 0;
    for obstacle in ALL {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        if !obstacle.is_possible(scratch.path()) {
            continue;
        }
        let [directory, elsewhere] = ["bin", "elsewhere"].map(|name| scratch.path().join(name));
        for path in [&directory, &elsewhere] {
            fs::create_dir(path).expect("a new name");
        }
        obstacle.make(&directory.join("git"), &elsewhere, "old\n");
        let before = (snapshot(&directory), snapshot(&elsewhere));
        let run = |option: &str| {
            let mut command = repository.command(tblame_program().as_os_str());
            let option = format!("{option}={}", directory.display());
            ProgramOutput::of(command.arg(option)).status
        };
        let is_installed = obstacle == Nothing;
        let status = if is_installed { Some(0) } else { Some(128) };
        assert_eq!(run("--install-shim"), status, "{obstacle:?}");
        let is_there = directory.join("git").is_file() && is_installed;
        assert_eq!(is_there, is_installed, "{obstacle:?}");
        assert_eq!(run("--remove-shim"), status, "{obstacle:?}");
        let after = (snapshot(&directory), snapshot(&elsewhere));
        set_mode(&directory, 0o755);
        assert_eq!(before, after, "{obstacle:?}");
        compared += 1;
    }
    assert!(compared >= 12, "{compared}");
}

#[test]
fn temporary_directories_are_new() {
    let repository = two_commits();
    repository.write(b".gitattributes", b"*.txt diff=upper\n");
    repository.git(&["config", "diff.upper.textconv", "tr a-z A-Z <"]);
    let mut compared = 0;
    for obstacle in ALL {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        if !obstacle.is_possible(scratch.path()) {
            continue;
        }
        let [directory, elsewhere] = ["temporary", "elsewhere"].map(|it| scratch.path().join(it));
        for path in [&directory, &elsewhere] {
            fs::create_dir(path).expect("a new name");
        }
        let place = directory.join("place");
        obstacle.make(&place, &elsewhere, "old\n");
        let before = snapshot(scratch.path());
        let run = |program: &std::ffi::OsStr, arguments: &[&str]| {
            let mut command = repository.command(program);
            command.env("TMPDIR", &place).args(arguments);
            ProgramOutput::of(&mut command)
        };
        let ours = run(tblame_program().as_os_str(), &["-p", "HEAD", "--", "a.txt"]);
        let git = run(git_program(), &["blame", "-p", "HEAD", "--", "a.txt"]);
        let is_possible = obstacle == Directory;
        assert_eq!(
            git.status,
            Some(if is_possible { 0 } else { 128 }),
            "{obstacle:?}"
        );
        // The words of the error are others.
        assert_eq!((ours.status, ours.stdout), (git.status, git.stdout));
        let after = snapshot(scratch.path());
        set_mode(&directory, 0o755);
        assert_eq!(before, after, "{obstacle:?}");
        compared += 1;
    }
    assert!(compared >= 12, "{compared}");
}

/// The editor gets files of the work tree only: a repository can have links that lead anywhere.
#[test]
fn the_editor_gets_no_file_elsewhere() {
    let edited = |root: &Path, path: &str| {
        let edit = EditRequest {
            root: root.to_owned(),
            paths: vec![path.into()],
            text: Text::new(b"one\n".as_slice().into()).into(),
            line: 0,
            configured: Some("sh -c 'echo edited >>\"$1\"'".into()),
        };
        match run_external::run(&ExternalCommand::Edit(edit)) {
            CommandEnd::Message(message) => message,
            CommandEnd::Signal(number) => panic!("signal {number}"),
        }
    };
    let mut compared = 0;
    for obstacle in ALL {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let root = scratch.path().canonicalize().expect("it was just made");
        if !obstacle.is_possible(&root) {
            continue;
        }
        let (work_tree, elsewhere) = (root.join("tree"), root.join("elsewhere"));
        for path in [&work_tree.join("dir"), &elsewhere] {
            fs::create_dir_all(path).expect("a new name");
        }
        obstacle.make(&work_tree.join("dir/f"), &elsewhere, "old\n");
        let before = (snapshot(&work_tree), snapshot(&elsewhere));
        let tree = work_tree.clone();
        let message = in_time(&obstacle, move || edited(&tree, "dir/f"));
        let after = (snapshot(&work_tree), snapshot(&elsewhere));
        set_mode(&work_tree.join("dir"), 0o755);
        let word = match obstacle {
            File | FileWithOtherName | FileOfAnother => "edited dir/f at line 1",
            ReadOnlyFile | ReadOnlyDirectory => "",
            Link | LinkOfAnother | LinkedDirectory | LinkedDirectoryOfAnother => {
                "which is not in the work tree"
            }
            _ => "dir/f is not in the work tree",
        };
        assert!(message.contains(word), "{obstacle:?}: {message}");
        if !word.is_empty() && !word.starts_with("edited") {
            assert_eq!(before, after, "{obstacle:?}");
        }
        compared += 1;
    }
    // A link in the work tree that stays in it, and one that leads to git's own files.
    let scratch = tempfile::tempdir().expect("a temporary directory");
    fs::create_dir(scratch.path().join(".git")).expect("a new name");
    for (name, word) in [
        ("f", "edited link"),
        (".git/config", "is not in the work tree"),
    ] {
        fs::write(scratch.path().join(name), "one\n").expect("a new name");
        symlink(name, scratch.path().join("link")).expect("a new name");
        let message = edited(scratch.path(), "link");
        assert!(message.contains(word), "{name}: {message}");
        fs::remove_file(scratch.path().join("link")).expect("it was just made");
        compared += 1;
    }
    assert!(compared >= 14, "{compared}");
}

/// What a repository puts in the place of the list that is read without being named.
#[test]
fn the_usual_list_is_read_only_if_it_is_a_file() {
    let repository = two_commits();
    let list = repository.root().join(".git-blame-ignore-revs");
    let run = || {
        let mut command = repository.command(tblame_program().as_os_str());
        ProgramOutput::of(command.args(["--auto-ignore-revs", "a.txt"]))
    };
    let plain = run();
    make_fifo(&list);
    let with_fifo = run();
    fs::remove_file(&list).expect("it was just made");
    symlink("/dev/zero", &list).expect("a new name");
    for output in [with_fifo, run()] {
        assert_eq!((output.status, &output.stdout), (Some(0), &plain.stdout));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains("not a regular file"), "{errors}");
    }
}
