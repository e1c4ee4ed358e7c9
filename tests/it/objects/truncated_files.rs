//! Files of a repository that are truncated in place while they are read: an error, never a signal.

use std::{
    fmt::Write as _,
    fs::{self, OpenOptions, Permissions},
    io::Read,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use crate::harness::{
    program::tblame_program,
    repository::{ObjectFormat, TestRepo},
    session::{Session, tblame_command},
    stored_history::files_below,
};

/// A repository whose blame is longer than a pipe takes, with files of every kind, most of them longer than what is read of a file
/// at once.
///
/// The name of the blamed file is that of no language, as to color its lines after every key would take most of the time.
fn repository() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let git = |arguments: &[&str]| drop(repository.git(arguments));
    let mut lines: Vec<String> = (0..1500).map(|line| format!("line {line}\n")).collect();
    for number in 0..12 {
        for line in lines.iter_mut().skip(number).step_by(12) {
            *line = format!("changed by {number}\n");
        }
        repository.write(b"lines", lines.concat().as_bytes());
        for other in 0..60 {
            let path = format!("{}/{other}", number % 3);
            repository.write(path.as_bytes(), format!("{number} {other}\n").as_bytes());
        }
        git(&["add", "."]);
        git(&["commit", "-q", "-m", &format!("change {number}")]);
        if number % 5 == 4 {
            git(&["repack", "-dq"]);
        }
    }
    git(&["multi-pack-index", "write"]);
    git(&["commit-graph", "write", "--reachable", "--changed-paths"]);
    let mut references = String::new();
    for number in 0..800 {
        writeln!(references, "create refs/tags/{number} HEAD").expect("memory");
    }
    repository.git_with_input(&["update-ref", "--stdin"], references.as_bytes());
    git(&["pack-refs", "--all"]);
    repository
}

/// The files below `.git` but for hooks and logs, as they are.
fn files(repository: &TestRepo) -> Vec<(PathBuf, Vec<u8>)> {
    let git_dir = repository.root().join(".git");
    let is_read = |path: &PathBuf| {
        let path = path.strip_prefix(&git_dir).expect("it is below");
        !path.starts_with("hooks") && !path.starts_with("logs")
    };
    let mut files = files_below(&git_dir).expect("it is readable");
    files.retain(is_read);
    let bytes = files.into_iter().map(|path| {
        let bytes = fs::read(&path).expect("it is readable");
        fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("it is one's own");
        (path, bytes)
    });
    bytes.collect()
}

fn truncate(path: &Path, len: usize) {
    let file = OpenOptions::new().write(true).open(path);
    let truncated = file.and_then(|file| file.set_len(len as u64));
    truncated.expect("it is writable");
}

#[test]
fn a_blame_in_a_pipe_ends_without_a_signal() {
    let repository = repository();
    let files = files(&repository);
    assert!(files.len() > 20, "{}", files.len());
    let (mut tried, mut whole) = (0, 0);
    for (nth, (path, bytes)) in files.iter().enumerate() {
        let format = ["--incremental", "--line-porcelain", "-C"][nth % 3];
        let len = bytes.len() / 2 * (nth / 3 % 2);
        let mut command = repository.command(tblame_program().as_os_str());
        command.args([format, "HEAD", "--", "lines"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = child.expect("the program can be started");
        let mut output = child.stdout.take().expect("it is piped");
        // It has begun, and cannot end before the rest is read.
        let mut start = [0; 16];
        output.read_exact(&mut start).expect("there is output");
        truncate(path, len);
        let read = output.read_to_end(&mut Vec::new());
        read.expect("the pipe can be read");
        let status = child.wait().expect("it ends");
        let name = path.display();
        assert!(
            matches!(status.code(), Some(0 | 128)),
            "{format}, {name} truncated to {len}: {status}"
        );
        tried += 1;
        whole += usize::from(status.success());
        fs::write(path, bytes).expect("it is writable");
    }
    assert!(tried == files.len() && whole > 0, "{whole} of {tried}");
}

#[test]
fn the_viewer_goes_on_without_a_signal() {
    let repository = repository();
    let files = files(&repository);
    for half in [false, true] {
        let mut command = tblame_command();
        command.args(["lines"]);
        command.cwd(repository.root());
        let mut session = Session::run(command, (100, 24));
        session.wait_for("changed by");
        let mut truncated = 0;
        // Indexes first: the configuration and HEAD are read for every question.
        for (path, bytes) in files.iter().rev() {
            truncate(path, if half { bytes.len() / 2 } else { 0 });
            truncated += 1;
            for keys in ["\x06", "jjj", "\r", "\x1b", ",", "gg", "\x12", "G"] {
                session.press(keys);
                // Until a frame answers it.
                let mut looks = 0;
                session.wait_until(Duration::from_millis(20), |_| {
                    looks += 1;
                    looks > 1
                });
            }
            let is_running = !session.has_exited();
            assert!(is_running, "{}: {:?}", path.display(), session.end());
        }
        session.press_until_exit(Duration::from_millis(100), Duration::from_secs(60));
        assert_eq!(session.end().signal(), None);
        session.assert_restored();
        assert_eq!(truncated, files.len());
        for (path, bytes) in &files {
            fs::write(path, bytes).expect("it is writable");
        }
    }
}
