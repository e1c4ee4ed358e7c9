//! How the viewer ends: soon, whatever runs, with the terminal as it was, and with nothing left
//! behind.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use portable_pty::{CommandBuilder, native_pty_system};

use crate::harness::{
    program::tblame_program,
    repository::{ObjectFormat, TestRepo},
    session::{Session, TIMEOUT, contains, pty_size, tblame_command},
};

/// Much longer than the end takes, as tests run side by side.
const SOON: Duration = Duration::from_secs(5);

/// Waits for the end.
fn assert_it_ends(session: &mut Session) {
    session.wait_until(SOON, |_| false);
    assert!(
        session.has_exited(),
        "it goes on: {}",
        session.screen().contents()
    );
}

/// A repository with a file whose text conversion succeeds once and hangs then, and where it writes
/// the path that it got and its process.
struct HangingConversion {
    repository: TestRepo,
    note: PathBuf,
}

impl HangingConversion {
    fn new() -> HangingConversion {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        repository.write(b".gitattributes", b"*.doc diff=doc\n");
        for text in ["one\n", "one\ntwo\n"] {
            repository.write(b"a.doc", text.as_bytes());
            repository.git(&["add", "."]);
            repository.git(&["commit", "-q", "-m", "a version"]);
        }
        let above = repository.root().join("..");
        // The first conversion succeeds, so that there is something to show.
        let (flag, note) = (above.join("flag"), above.join("note"));
        let script = above.join("convert");
        let text = format!(
            "if mkdir {}; then cat \"$1\"; else echo \"$$ $1\" > {}; exec sleep 60; fi",
            flag.display(),
            note.display()
        );
        std::fs::write(&script, text).expect("it is writable");
        let textconv = format!("sh {}", script.display());
        repository.git(&["config", "diff.doc.textconv", &textconv]);
        HangingConversion { repository, note }
    }

    /// The process and its file, once it hangs.
    fn process_and_file(&self) -> Option<(String, PathBuf)> {
        let note = std::fs::read_to_string(&self.note).ok()?;
        let (id, file) = note.strip_suffix('\n')?.split_once(' ')?;
        Some((id.to_owned(), file.into()))
    }
}

/// Waits until a process does not exist any more.
fn assert_gone(id: &str) {
    let process = Path::new("/proc").join(id);
    if cfg!(target_os = "linux") {
        let begun = Instant::now();
        while process.exists() && begun.elapsed() < SOON {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(!process.exists(), "{id} goes on");
    }
}

/// Ends a process, which may have ended already.
#[cfg(unix)]
fn end_process(id: &str) {
    let output = Command::new("kill").arg(id).output();
    output.expect("kill runs");
}

/// Nothing is in a directory.
fn assert_empty(directory: &Path) {
    let left: Vec<_> = std::fs::read_dir(directory).expect("it is there").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_conversion_that_hangs_does_not_keep_it() {
    for end in ["q", "TERM", "INT", "HUP", "QUIT"] {
        let conversion = HangingConversion::new();
        let temporary = tempfile::tempdir().expect("a temporary directory can be made");
        let mut command = tblame_command();
        command.args(["HEAD", "a.doc"]);
        command.cwd(conversion.repository.root());
        command.env("TMPDIR", temporary.path());
        command.env("XDG_CONFIG_HOME", "/dev/null/none");
        // What is saved there at the end is made beside the conversion's file.
        let state = tempfile::tempdir().expect("a temporary directory can be made");
        command.env("XDG_STATE_HOME", state.path());
        command.env("TBLAME_CACHE", "off");
        let mut session = Session::run_unisolated(command, (80, 24));
        session.wait_for("of 2");
        let begun = Instant::now();
        while conversion.process_and_file().is_none() && begun.elapsed() < SOON {
            session.wait_until(Duration::from_millis(10), |_| false);
        }
        let (id, _) = conversion.process_and_file().expect("it hangs");
        match end {
            // The first key is one of those whose use is saved.
            "q" => session.press("cq"),
            signal => session.signal(signal),
        }
        assert_it_ends(&mut session);
        assert_eq!(session.end().success(), end == "q", "{end}");
        session.assert_restored();
        assert_empty(temporary.path());
        assert_gone(&id);
        let saved = state.path().join("tblame/used");
        assert_eq!(saved.exists(), end == "q", "{end}");
    }
}

/// Where nothing is shown, too.
#[test]
#[cfg(unix)]
fn temporary_files_are_private_and_removed_by_every_signal() {
    use std::os::unix::{fs::PermissionsExt, process::ExitStatusExt};
    for (name, number) in [("TERM", 15), ("INT", 2), ("HUP", 1), ("QUIT", 3)] {
        // nohup and the background of a script, where these tests may run, have some ignored by
        // what they start too.
        if is_ignored("self", number) {
            continue;
        }
        let conversion = HangingConversion::new();
        let temporary = tempfile::tempdir().expect("a temporary directory can be made");
        let mut command = conversion.repository.command(tblame_program().as_os_str());
        command.args(["--porcelain", "HEAD", "a.doc"]);
        command.env("TMPDIR", temporary.path());
        command.stdout(Stdio::null());
        let mut child = command.spawn().expect("it starts");
        let begun = Instant::now();
        let (id, file) = loop {
            if let Some(found) = conversion.process_and_file() {
                break found;
            }
            assert!(begun.elapsed() < SOON, "the conversion does not start");
            std::thread::sleep(Duration::from_millis(5));
        };
        let directory = file.parent().expect("it is in a directory");
        assert_eq!(directory.parent(), Some(temporary.path()));
        let mode = |path: &Path| {
            let metadata = std::fs::metadata(path).expect("it is there");
            metadata.permissions().mode() & 0o7777
        };
        assert_eq!((mode(directory), mode(&file)), (0o700, 0o600));
        signal(name, &child.id().to_string());
        let status = child.wait().expect("it is a child");
        assert_eq!(status.signal(), Some(number), "{name}: {status}");
        assert_empty(temporary.path());
        // The shell was asked to end, but not what it has started.
        end_process(&id);
    }
}

/// Whether a process ignores a signal, where the system tells.
#[cfg(unix)]
fn is_ignored(process: &str, number: i32) -> bool {
    let status = format!("/proc/{process}/status");
    let status = std::fs::read_to_string(status).unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (number - 1) & 1 == 1)
}

/// What nohup lets a program ignore does not end it.
#[test]
#[cfg(target_os = "linux")]
fn ignored_signals_stay_ignored() {
    use std::os::unix::process::ExitStatusExt;
    let conversion = HangingConversion::new();
    let temporary = tempfile::tempdir().expect("a temporary directory can be made");
    let mut command = conversion.repository.command("sh".as_ref());
    command.args(["-c", "trap '' HUP; exec \"$0\" --porcelain HEAD a.doc"]);
    command.arg(tblame_program());
    command.env("TMPDIR", temporary.path());
    command.stdout(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    let begun = Instant::now();
    while conversion.process_and_file().is_none() {
        assert!(begun.elapsed() < SOON, "the conversion does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    let process = child.id().to_string();
    assert!(is_ignored(&process, 1));
    // It would end by the first that it does not ignore.
    signal("HUP", &process);
    signal("TERM", &process);
    let status = child.wait().expect("it is a child");
    assert_eq!(status.signal(), Some(15), "{status}");
    assert_empty(temporary.path());
    let (id, _) = conversion.process_and_file().expect("it hung");
    end_process(&id);
}

#[test]
#[cfg(unix)]
fn the_demonstration_leaves_nothing_when_it_is_killed() {
    let temporary = tempfile::tempdir().expect("a temporary directory can be made");
    let start = || {
        let mut command = tblame_command();
        command.arg("--demo");
        command.env("TMPDIR", temporary.path());
        Session::run(command, (80, 24))
    };
    for name in ["TERM", "INT", "HUP", "QUIT"] {
        // From before the repository is made to after the viewer is open.
        for wait in (0..60).step_by(6) {
            let mut session = start();
            session.wait_until(Duration::from_millis(wait), |_| false);
            session.signal(name);
            assert_it_ends(&mut session);
            assert!(!session.end().success(), "{name} after {wait} ms");
            session.assert_restored();
            assert_empty(temporary.path());
        }
    }
    // One that is used stays, and one that was killed does not.
    let mut used = start();
    used.wait_for("tally.py");
    let mut killed = start();
    killed.wait_for("tally.py");
    let count = || std::fs::read_dir(temporary.path()).expect("there").count();
    assert_eq!(count(), 2);
    killed.signal("KILL");
    assert_it_ends(&mut killed);
    assert_eq!(count(), 2);
    let mut next = start();
    next.wait_for("tally.py");
    assert_eq!(count(), 2);
    next.press("q");
    assert_it_ends(&mut next);
    assert_eq!(count(), 1);
    used.press("q");
    assert_it_ends(&mut used);
    assert_empty(temporary.path());
}

/// The modes of a terminal as `stty` writes them.
fn modes(terminal: &Path) -> String {
    let output = Command::new("stty")
        .arg("-g")
        .arg("-F")
        .arg(terminal)
        .output();
    String::from_utf8(output.expect("stty runs").stdout).expect("it is text")
}

#[test]
#[cfg(target_os = "linux")]
fn a_terminal_that_reads_nothing_does_not_keep_it() {
    for end in ["^C", "q", "TERM", "HUP"] {
        let pair = native_pty_system()
            .openpty(pty_size(200, 60))
            .expect("a pseudo-terminal");
        let terminal = pair.master.tty_name().expect("it has a name");
        let before = modes(&terminal);
        let mut command = tblame_command();
        command.arg("--demo");
        for (name, value) in [
            ("TERM", "xterm"),
            ("COLORTERM", "truecolor"),
            ("XDG_CONFIG_HOME", "/dev/null/none"),
            ("XDG_STATE_HOME", "/dev/null"),
        ] {
            command.env(name, value);
        }
        let mut child = pair.slave.spawn_command(command).expect("it starts");
        let mut keys = pair.master.take_writer().expect("a writer");
        let begun = Instant::now();
        while modes(&terminal) == before && begun.elapsed() < SOON {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_ne!(modes(&terminal), before, "it takes the terminal over");
        // More frames than the terminal has room for.
        for _ in 0..100 {
            keys.write_all(b"?q").expect("there is room for keys");
            std::thread::sleep(Duration::from_millis(3));
        }
        match end {
            "^C" => keys.write_all(b"\x03\x03").expect("there is room for keys"),
            "q" => keys.write_all(b"qqq").expect("there is room for keys"),
            signal => {
                let id = child.process_id().expect("it runs").to_string();
                let status = Command::new("kill").args(["-s", signal, &id]).status();
                assert!(status.expect("kill runs").success());
            }
        }
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().expect("it is a child") {
                break status;
            }
            if begun.elapsed() > SOON {
                child.kill().ok();
                panic!("{end}: it goes on");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let expected = match end {
            "TERM" => 128 + 15,
            "HUP" => 128 + 1,
            _ => 0,
        };
        assert_eq!(status.exit_code(), expected, "{end}");
        assert_eq!(modes(&terminal), before, "{end}");
    }
}

#[test]
fn standard_input_need_not_be_the_terminal() {
    let run = |words: &[&str]| {
        let mut command = CommandBuilder::new(words[0]);
        command.args(&words[1..]);
        command.arg(tblame_program());
        Session::run(command, (80, 24))
    };
    for redirection in ["</dev/null", "<&-"] {
        let script = format!("\"$0\" --demo {redirection}");
        let mut session = run(&["sh", "-c", &script]);
        session.wait_for("of 37");
        // Longer than the time between looks whether the terminal is there.
        session.wait_until(Duration::from_millis(2300), |_| false);
        session.press("jq");
        assert_it_ends(&mut session);
        assert_eq!(session.end().exit_code(), 0, "{redirection}");
        session.assert_restored();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn without_a_keyboard_there_is_an_error() {
    let script = "setsid --wait \"$0\" --demo </dev/null";
    let mut shell = CommandBuilder::new("sh");
    shell.args(["-c", script]);
    shell.arg(tblame_program());
    let mut session = Session::run(shell, (80, 24));
    assert_eq!(session.end().exit_code(), 128);
    let text = session.screen().contents();
    assert!(
        text.contains("cannot use the terminal: there is no keyboard"),
        "{text}"
    );
    assert!(!contains(&session.output, b"\x1b[?1049h"));
}

/// A program in a shell that continues it whenever it is suspended.
fn continued(environment: &str, arguments: &str) -> Session {
    let mut shell = CommandBuilder::new("sh");
    // The status tells that it was stopped, by SIGSTOP or SIGTSTP.
    let script = format!(
        "set -m; {environment} \"$0\" {arguments}; s=$?; while [ $s = 147 ] || [ $s = 148 ]; \
         do echo suspended; fg >/dev/null; s=$?; done; echo over"
    );
    shell.args(["-c", &script]);
    shell.arg(tblame_program());
    Session::run(shell, (80, 24))
}

#[cfg(target_os = "linux")]
fn child_of(session: &Session) -> Option<String> {
    let id = session.process_id()?;
    let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).ok()?;
    children.split_whitespace().next().map(str::to_owned)
}

#[cfg(target_os = "linux")]
fn signal(name: &str, id: &str) {
    // It may have ended.
    Command::new("kill")
        .args(["-s", name, id])
        .output()
        .expect("kill runs");
}

#[test]
#[cfg(target_os = "linux")]
fn it_is_suspended_while_a_reply_is_awaited() {
    let mut session = continued("SSH_TTY=x", "--demo");
    session.wait("the first frame", |screen| {
        screen.contents().contains("USAGE")
    });
    session.press("q");
    let child = child_of(&session).expect("it runs");
    signal("TSTP", &child);
    session.wait_for("suspended");
    session.wait_for("over");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_restored();
}

#[test]
#[cfg(target_os = "linux")]
fn storms_of_signals_and_sizes_do_no_harm() {
    for keys in ["", "\r", "/a", "L"] {
        let mut session = continued("", "--demo");
        session.wait("the viewer", |screen| screen.alternate_screen());
        let child = child_of(&session).expect("it runs");
        for nth in 0..40u16 {
            if nth == 5 {
                session.press(keys);
            }
            match nth % 4 {
                0 => signal("TSTP", &child),
                1 => signal("CONT", &child),
                _ => session.resize(20 + nth * 3, 5 + nth),
            }
            session.wait_until(Duration::from_millis(u64::from(nth % 7)), |_| false);
        }
        session.resize(100, 30);
        signal("CONT", &child);
        session.press_until_exit(Duration::from_millis(100), SOON * 4);
        session.end();
        session.assert_restored();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn the_terminal_has_time_to_read_what_restores_it() {
    // A busy machine only makes the time longer.
    let shortest = (0..5).map(|_| time_in_raw_mode_after_quitting()).min();
    assert!(shortest >= Some(Duration::from_millis(10)), "{shortest:?}");
}

/// How long raw mode stays on after the key that ends it.
#[cfg(target_os = "linux")]
fn time_in_raw_mode_after_quitting() -> Duration {
    let mut session = Session::start(&["--demo"], (80, 24));
    session.wait_for("of 37");
    let raw = session.local_modes();
    let begun = Instant::now();
    session.press("q");
    while session.local_modes() == raw {
        assert!(begun.elapsed() < SOON, "raw mode stays on");
        std::thread::sleep(Duration::from_micros(200));
    }
    let time = begun.elapsed();
    session.end();
    session.assert_restored();
    time
}

#[test]
fn a_panic_of_any_thread_leaves_the_terminal_as_it_was() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file_of = |place: &str| directory.path().join(place);
    let run = |place: &str| {
        let mut command = tblame_command();
        command.args(["--demo", "-C"]);
        let value = format!("{place} {}", file_of(place).display());
        command.env("TBLAME_TEST_PANIC", value);
        command.env("RUST_BACKTRACE", "0");
        Session::run(command, (100, 30))
    };
    for (place, status, words) in [
        ("main", 101, "a panic in main for a test"),
        ("output", 128, "the thread that writes to it has failed"),
        ("reader", 128, "the terminal is gone"),
    ] {
        let mut session = run(place);
        session.wait_until(SOON, |screen| {
            let text = screen.contents();
            text.contains(words) || place == "reader" && text.contains("USAGE")
        });
        if place == "reader" {
            session.press("j");
        }
        let ended = session.end().exit_code();
        let text = session.screen().contents();
        assert_eq!(ended, status, "{place}: {text}");
        assert!(text.contains(words), "{place}: {text}");
        assert!(file_of(place).exists(), "{place}: no panic");
        session.assert_restored();
    }
    // Without a blame there is nothing to show.
    let mut session = run("BlameRequest");
    assert_eq!(session.end().exit_code(), 128);
    session.assert_restored();
    let text = session.screen().contents();
    assert!(
        text.contains("internal error: a panic in BlameRequest"),
        "{text}"
    );
    // The viewer goes on without the others.
    for (place, keys, words) in [
        ("prefetch", "j", "line 2 of 37"),
        ("DiffJob", "\r", "internal error: the diff failed"),
        ("CommitContext", "j", "line 2 of 37"),
        ("Stamp", "j", "line 2 of 37"),
        ("Provenance", "j", "line 2 of 37"),
        ("LineHistory", "L", "a panic in LineHistory"),
        ("FileHistory", "F", "a panic in FileHistory"),
        ("LineOutcome", ".", "a panic in LineOutcome"),
        ("Deletions", "D", "a panic in Deletions"),
        ("Origins", "O", "a panic in Origins"),
        ("FileList", "f", "a panic in FileList"),
        ("Place", ":v1\r", "a panic in Place"),
        ("HighlightJob", "G", "internal error: no syntax colors"),
    ] {
        let mut session = run(place);
        session.wait_for("USAGE");
        session.press(keys);
        session.wait_for(words);
        let begun = Instant::now();
        while !file_of(place).exists() && begun.elapsed() < TIMEOUT {
            session.wait_until(Duration::from_millis(10), |_| false);
        }
        assert!(file_of(place).exists(), "{place}: no panic");
        let begun = Instant::now();
        while !session.has_exited() && begun.elapsed() < SOON {
            session.press("\x03");
            session.wait_until(Duration::from_millis(100), |_| false);
        }
        assert_eq!(session.end().exit_code(), 0, "{place}");
        session.assert_restored();
    }
}

/// 500 keys a second, to which no frame of their own is drawn for each.
#[test]
fn a_flood_of_keys_does_not_delay_the_end() {
    for end in ["\x03", "q"] {
        let mut session = Session::start(&["--demo"], (100, 30));
        session.wait_for("of 37");
        let begun = Instant::now();
        let mut keys = 0;
        while begun.elapsed() < Duration::from_secs(2) {
            session.press(["j", "k", "\x04", "\x15"][keys % 4]);
            keys += 1;
            session.wait_until(Duration::from_millis(2), |_| false);
        }
        session.press(end);
        session.press("jjkk");
        assert_it_ends(&mut session);
        assert_eq!(session.end().exit_code(), 0);
        session.assert_restored();
        let frames = session
            .output
            .windows(8)
            .filter(|it| it == b"\x1b[?2026h")
            .count();
        assert!(frames < keys, "{frames} frames for {keys} keys");
    }
}

/// Runs the viewer in a shell that writes the terminal's modes before and after, and the viewer's
/// process, into `directory`. `limit` is a command of the shell.
#[cfg(unix)]
fn run_in_shell(directory: &Path, repository: &TestRepo, limit: &str) -> Session {
    let mut command = CommandBuilder::new("sh");
    // The modes are restored soon after it has ended, by another process where it was killed.
    let script = "cd \"$1\"; stty -g > \"$2\"/before; sh -c \"$3\" \"$2\" \"$0\"; for i in $(seq 100); \
        do stty -g > \"$2\"/after; cmp -s \"$2\"/before \"$2\"/after && break; sleep 0.02; done";
    let viewer = format!("echo $$ > \"$0\"/process; {limit} exec \"$1\" HEAD a.txt");
    command.args(["-c", script]);
    command.arg(tblame_program());
    command.args([repository.root(), directory]);
    command.arg(viewer);
    Session::run(command, (80, 24))
}

/// The terminal's modes are as they were.
#[cfg(unix)]
fn assert_same_modes(directory: &Path) {
    let [before, after] = ["before", "after"].map(|file| {
        let modes = std::fs::read_to_string(directory.join(file));
        modes.expect("stty writes the modes")
    });
    assert!(!before.is_empty());
    assert_eq!(before, after);
}

#[cfg(unix)]
fn repository_with_lines() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for text in ["one\n", "one\ntwo\n"] {
        repository.write(b"a.txt", text.as_bytes());
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", "a version"]);
    }
    repository
}

/// No code of the viewer runs then.
#[test]
#[cfg(unix)]
fn the_terminal_of_a_viewer_that_is_killed_is_restored() {
    let repository = repository_with_lines();
    for signal in ["KILL", "ABRT"] {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let mut session = run_in_shell(directory.path(), &repository, "");
        session.wait_for("of 2");
        let process = std::fs::read_to_string(directory.path().join("process"));
        let status = Command::new("kill")
            .args([&format!("-{signal}"), process.expect("it runs").trim()])
            .status();
        assert!(status.expect("kill runs").success(), "{signal}");
        assert_it_ends(&mut session);
        session.end();
        session.assert_restored();
        let words = b"fatal: the viewer was killed, or ran out of memory";
        assert!(contains(&session.output, words), "{signal}");
        assert_same_modes(directory.path());
    }
}

/// The allocator ends the process where memory runs out in an allocation that is not checked.
#[test]
#[cfg(target_os = "linux")]
fn the_terminal_is_restored_where_memory_runs_out() {
    let repository = repository_with_lines();
    let (mut aborted, mut ended, mut shown) = (0, 0, 0);
    // Too little to begin, too little to go on, and enough.
    for mib in (20..400).step_by(4) {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let limit = format!("ulimit -c 0; ulimit -v {};", mib << 10);
        let mut session = run_in_shell(directory.path(), &repository, &limit);
        session.wait_until(Duration::from_secs(3), |screen| {
            screen.contents().contains("of 2")
        });
        let is_shown = session.screen().contents().contains("of 2");
        shown += usize::from(is_shown);
        session.press("G");
        session.press("q");
        assert_it_ends(&mut session);
        session.end();
        session.assert_restored();
        assert_same_modes(directory.path());
        let words = b"fatal: the viewer was killed, or ran out of memory";
        if contains(&session.output, words) {
            aborted += 1
        } else {
            ended += 1
        }
        if shown == 8 {
            break;
        }
    }
    assert!(aborted > 0, "no limit ends the process");
    assert!(ended > 0, "no limit lets it end");
    assert_eq!(shown, 8);
}
