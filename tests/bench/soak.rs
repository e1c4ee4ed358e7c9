//! Uses the viewer roughly: random keys with changes of the size, and signals at random moments.
//!
//! `cargo bench --bench soak -- REPOSITORY=FILE,FILE…` presses `--keys` random keys in each file, with another size now
//! and then, compares who wrote lines with git after that, and interrupts it at the end; `--kills N` opens the files N times in turn, presses some keys and sends
//! TERM, INT, HUP or QUIT after the terminal was taken over; `--flood SECONDS` presses 500 keys a second before one that ends it;
//! `--storms N` stops and continues it in a shell while the size changes; `--quits N` quits N times while it blames, highlights,
//! compares or searches, and measures the time. The program must go on after every key, end soon, with
//! the right status, leave the terminal as it was, and leave no file.

#[path = "../harness/mod.rs"]
mod harness;

use std::{
    ffi::{OsStr, OsString},
    fs,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::Parser;
use harness::{
    linear_history::{self, ChangingFile},
    program::tblame_program,
    rng::Rng,
    session::{Session, tblame_command},
};
use portable_pty::CommandBuilder;

/// Uses the viewer roughly.
#[derive(Debug, Parser)]
#[command(name = "soak")]
struct Arguments {
    /// A repository and some of its files, separated by commas
    #[arg(value_name = "REPOSITORY=FILE,FILE…")]
    lists: Vec<OsString>,
    /// Keys pressed in each file
    #[arg(long, default_value_t = 2000)]
    keys: usize,
    /// How often it is ended by a signal
    #[arg(long, default_value_t = 0)]
    kills: usize,
    /// For how many seconds 500 keys a second are pressed in each file
    #[arg(long, default_value_t = 0)]
    flood: u64,
    /// How often it is opened in a storm of signals that stop and continue it, and of sizes
    #[arg(long, default_value_t = 0)]
    storms: usize,
    /// How often it is quit while it works; a generated file of 500,000 lines is opened too
    #[arg(long, default_value_t = 0)]
    quits: usize,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Passed by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

/// All keys but those that quit, suspend, start programs or write files.
const KEYS: [&str; 62] = [
    "j",
    "k",
    " ",
    "\x04",
    "\x15",
    "g",
    "G",
    "h",
    "l",
    "$",
    "0",
    ",",
    "b",
    "<",
    ">",
    "(",
    ")",
    "F",
    ".",
    "L",
    "v",
    "V",
    "A",
    "a",
    "\r",
    "\x1b",
    "\x1b",
    "?",
    "i",
    "w",
    "M",
    "C",
    "c",
    "n",
    "N",
    "/the\r",
    "/if\r",
    "/\tif\r",
    "|",
    "\t",
    "120G",
    "[",
    "]",
    "{",
    "}",
    "x",
    "X",
    "D",
    "s",
    "t",
    "W",
    "z",
    "H",
    "m",
    "'",
    "\x1b[A",
    "\x1b[B",
    "\x1b[5~",
    "\x1b[6~",
    "\x1b[<0;20;5M\x1b[<0;20;5m",
    "\x1b[<64;20;5M",
    "\x1b[<65;20;5M",
];

const SIGNALS: [(&str, u32); 4] = [("TERM", 15), ("INT", 2), ("HUP", 1), ("QUIT", 3)];

/// The time between two keys of a flood.
const KEY_INTERVAL: Duration = Duration::from_millis(2);

/// How many lines are compared with git after the keys.
const COMPARED: usize = 25;

/// What the program is asked to work on, the keys for that, and those that quit then: on a page above the blame the
/// first one closes it.
const WORK: [(&str, &[&str], &str); 20] = [
    ("blame", &[], "q"),
    ("blame, ^C", &[], "\x03"),
    ("highlighting", &["G"], "q"),
    ("highlighting in the middle", &["50%"], "\x03"),
    ("wrapping", &["G", "W"], "q"),
    ("blame with -w", &["w"], "q"),
    ("blame with -M", &["M"], "q"),
    ("blame with -C", &["C"], "\x03"),
    ("blame with -C -C -C", &["C", "C", "C"], "q"),
    ("blame before a commit", &["20%", ","], "q"),
    ("older version", &["("], "\x03"),
    ("what became of a line", &["20%", "b", "."], "q"),
    ("deleted lines", &["D"], "q"),
    ("moved lines", &["O"], "q"),
    ("search", &["/[a-z]+[0-9]x?y?zz\r"], "q"),
    ("history of a line", &["40%", "L"], "qq"),
    ("history of the file", &["F"], "qq"),
    ("diff", &["30%", "\r"], "qq"),
    ("diff of a commit", &["30%", "a"], "qq"),
    ("choice of a file", &["f"], "\x03\x03"),
];

/// The answer to the question for the color of the background.
const BACKGROUND: &str = "\x1b]11;rgb:0000/0000/0000\x07";

/// The lines of the generated file, and how often it changes.
const GENERATED: (u32, u32) = (500_000, 40);

/// The longest time from a signal or an interrupt to the end.
const END: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut files = Vec::new();
    for list in &arguments.lists {
        let bytes = list.as_bytes();
        let equals = bytes
            .iter()
            .position(|&byte| byte == b'=')
            .expect("REPOSITORY=FILE,FILE…");
        let repository = PathBuf::from(OsStr::from_bytes(&bytes[..equals]));
        for file in bytes[equals + 1..].split(|&byte| byte == b',') {
            files.push((repository.clone(), OsStr::from_bytes(file).to_owned()));
        }
    }
    if files.is_empty() {
        println!("Give repositories and files.");
        return ExitCode::SUCCESS;
    }
    let mut rng = Rng::new(arguments.seed);
    if arguments.kills > 0 {
        kill(&files, arguments.kills, &mut rng);
    } else if arguments.flood > 0 {
        println!("| file | keys | frames | key to end, ms |");
        println!("| --- | ---: | ---: | ---: |");
        for (nth, (repository, file)) in files.iter().enumerate() {
            let end = ["\x03", "q"][nth % 2];
            flood(repository, file, Duration::from_secs(arguments.flood), end);
        }
    } else if arguments.quits > 0 {
        quit(&mut files, arguments.quits, &mut rng);
    } else if arguments.storms > 0 {
        storm(&files, arguments.storms, &mut rng);
    } else {
        println!(
            "| file | keys | resizes | peak MB halfway | peak MB | lines compared | interrupt to end, ms |"
        );
        println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
        for (repository, file) in &files {
            press(repository, file, arguments.keys, &mut rng);
        }
    }
    ExitCode::SUCCESS
}

fn open(repository: &Path, file: &OsStr, temporary: &Path) -> Session {
    let mut command = tblame_command();
    let options = ["--no-auto-ignore-revs", "HEAD", "--"];
    command.args(options.map(OsStr::new).into_iter().chain([file]));
    command.cwd(repository);
    command.env("TMPDIR", temporary);
    // Letters of a searched text may be typed where nothing can be searched.
    command.env("GIT_EDITOR", "true");
    command.env("BROWSER", "true");
    Session::run(command, (100, 30))
}

fn is_open(screen: &vt100::Screen) -> bool {
    screen.alternate_screen()
}

/// The most memory that a process has used, in kB.
fn peak_memory(id: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn press(repository: &Path, file: &OsStr, keys: usize, rng: &mut Rng) {
    let temporary = tempfile::tempdir().expect("a temporary directory can be made");
    let mut session = open(repository, file, temporary.path());
    session.wait("the viewer", is_open);
    let (mut resizes, mut halfway) = (0, None);
    for nth in 0..keys {
        if nth == keys / 2 {
            halfway = session.process_id().and_then(peak_memory);
        }
        if rng.chance(3) {
            session.resize(rng.between(4, 220) as u16, rng.between(2, 70) as u16);
            resizes += 1;
        }
        session.press(rng.pick::<&str>(&KEYS));
        session.wait_until(Duration::from_millis(rng.below(6) as u64), |_| false);
        assert!(
            !session.has_exited(),
            "{}: it ended: {}",
            file.display(),
            session.screen().contents()
        );
    }
    let memory = session.process_id().and_then(peak_memory);
    let compared = compare_with_git(&mut session, repository, file, rng);
    let begun = Instant::now();
    session.press("\x03");
    // What is on top of the file is left first.
    while !session.has_exited() && begun.elapsed() < END {
        session.wait_until(Duration::from_millis(20), |_| false);
        if !session.has_exited() {
            session.press("\x03");
        }
    }
    assert!(
        session.has_exited(),
        "{}: it does not end: {}",
        file.display(),
        session.screen().contents()
    );
    let time = begun.elapsed();
    session.end();
    session.assert_restored();
    assert_empty(temporary.path());
    println!(
        "| {} | {keys} | {resizes} | {:.0} | {:.0} | {compared} | {:.0} |",
        file.display(),
        halfway.unwrap_or(0) as f64 / 1024.0,
        memory.unwrap_or(0) as f64 / 1024.0,
        time.as_secs_f64() * 1000.0
    );
}

/// Goes back to the first blame, and compares the commits of some lines, and the text of these lines, with git's. Returns how many.
fn compare_with_git(
    session: &mut Session,
    repository: &Path,
    file: &OsStr,
    rng: &mut Rng,
) -> usize {
    const SETTLED: Duration = Duration::from_millis(400);
    let mut git = std::process::Command::new("git");
    let git = git
        .args(["blame", "--line-porcelain", "HEAD", "--"])
        .arg(file);
    let output = git.current_dir(repository).output().expect("git runs");
    assert!(output.status.success(), "{output:?}");
    let (mut ids, mut texts) = (Vec::new(), Vec::new());
    for line in output.stdout.split(|&byte| byte == b'\n') {
        match line.strip_prefix(b"\t") {
            Some(text) => texts.push(text),
            None if ids.len() == texts.len() => ids.push(line.split(|&byte| byte == b' ').next()),
            None => {}
        }
    }
    session.resize(160, 45);
    let shows = |session: &Session, words: &str| session.screen().contents().contains(words);
    for _ in 0..100 {
        if shows(session, "nothing to go back to") {
            break;
        }
        // It closes what lies above, one at a time; the terminal's escape sequences begin with it too.
        for _ in 0..3 {
            session.press("\x1b");
            session.wait_until(Duration::from_millis(80), |_| false);
        }
        session.press("9999<");
        session.wait_until(SETTLED, |screen| {
            screen.contents().contains("nothing to go back to")
        });
    }
    let screen = session.screen().contents();
    assert!(
        shows(session, "nothing to go back to"),
        "{}: {screen}",
        file.display()
    );
    let mut compared = 0;
    for _ in 0..COMPARED {
        let line = rng.below(texts.len());
        session.press(&format!("0:{}\r", line + 1));
        // What was peeled from the line is put back.
        for _ in 0..20 {
            session.press("X");
            let done = session.wait_until(SETTLED, |screen| {
                screen.contents().contains("nothing is peeled")
            });
            if done.is_some() {
                break;
            }
        }
        let before = session.output.len();
        session.press("y");
        let expected = std::str::from_utf8(ids[line].expect("lines follow their headers"))
            .expect("it is an id");
        let words = format!("copied {expected}");
        let shown = session.wait_until(END * 4, |screen| screen.contents().contains(&words));
        let screen = session.screen().contents();
        assert!(
            shown.is_some(),
            "{}:{}: not {expected}: {screen}",
            file.display(),
            line + 1
        );
        assert!(session.output.len() > before, "the id is copied");
        let text = String::from_utf8_lossy(texts[line]);
        let word = text
            .split(|char: char| !char.is_ascii_graphic())
            .find(|word| word.len() > 2);
        if let Some(word) = word.map(|word| &word[..word.len().min(8)]) {
            assert!(
                screen.contains(word),
                "{}:{}: no {word}: {screen}",
                file.display(),
                line + 1
            );
        }
        compared += 1;
    }
    compared
}

fn kill(files: &[(PathBuf, OsString)], count: usize, rng: &mut Rng) {
    let mut longest = Duration::ZERO;
    for nth in 0..count {
        let (repository, file) = &files[nth % files.len()];
        let temporary = tempfile::tempdir().expect("a temporary directory can be made");
        let mut session = open(repository, file, temporary.path());
        session.wait("the viewer", is_open);
        for _ in 0..rng.below(8) {
            session.press(rng.pick::<&str>(&KEYS));
            session.wait_until(Duration::from_millis(rng.below(40) as u64), |_| false);
        }
        let (name, number) = *rng.pick(&SIGNALS);
        session.signal(name);
        let begun = Instant::now();
        session.wait_until(END, |_| false);
        assert!(
            session.has_exited(),
            "{name}: it does not end: {}",
            session.screen().contents()
        );
        longest = longest.max(begun.elapsed());
        let status = session.end().exit_code();
        assert!(
            [number, 128 + number, 1].contains(&status),
            "{name}: status {status}"
        );
        session.assert_restored();
        assert_empty(temporary.path());
    }
    println!(
        "{count} times ended by a signal, within {:.0} ms",
        longest.as_secs_f64() * 1000.0
    );
}

/// Quits at random moments of each kind of work, and prints the times from the key to the end.
fn quit(files: &mut Vec<(PathBuf, OsString)>, count: usize, rng: &mut Rng) {
    let generated = tempfile::tempdir().expect("a temporary directory can be made");
    let directory = generated.path().join("generated");
    let (lines, changes) = GENERATED;
    let mut text = ChangingFile::new(lines);
    linear_history::import(Path::new("git"), &directory, 1, |stream| {
        for _ in 0..changes {
            stream.commit()?;
            stream.file("generated.c", &text.lines.concat())?;
            (0..100).for_each(|_| text.change());
        }
        Ok(())
    });
    linear_history::repack(Path::new("git"), &directory);
    files.push((directory, "generated.c".into()));
    let mut times: Vec<(Duration, &str, String)> = Vec::new();
    for nth in 0..count {
        // Every kind of work comes with every file.
        let (repository, file) = &files[nth / WORK.len() % files.len()];
        let (work, keys, end) = WORK[nth % WORK.len()];
        let temporary = tempfile::tempdir().expect("a temporary directory can be made");
        let mut session = open(repository, file, temporary.path());
        session.wait("the viewer", is_open);
        // As terminals do.
        session.press(BACKGROUND);
        let most = [20, 600][usize::from(rng.chance(50))];
        for key in keys {
            session.wait_until(Duration::from_millis(rng.below(most) as u64), |_| false);
            session.press(key);
        }
        session.wait_until(Duration::from_millis(rng.below(most) as u64), |_| false);
        assert!(!session.has_exited(), "{work}: it has ended before");
        let begun = Instant::now();
        session.press(end);
        session.wait_until(END, |_| false);
        let time = begun.elapsed();
        let screen = session.screen().contents();
        assert!(session.has_exited(), "{work}: it does not end: {screen}");
        assert!(session.end().success(), "{work}: its status is not 0");
        session.assert_restored();
        assert_empty(temporary.path());
        times.push((time, work, file.to_string_lossy().into_owned()));
    }
    times.sort();
    let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
    let late = times.iter().filter(|(time, ..)| time.as_millis() >= 50);
    println!(
        "{count} times quit: median {:.1} ms, longest {:.1} ms, {} of 50 ms or more",
        milliseconds(times[count / 2].0),
        milliseconds(times[count - 1].0),
        late.count()
    );
    for (time, work, file) in times.iter().rev().take(12) {
        println!("{:.1} ms: {work}, {file}", milliseconds(*time));
    }
}

/// Presses 500 keys a second, then one that ends it, and others after it.
fn flood(repository: &Path, file: &OsStr, duration: Duration, end: &str) {
    const KEYS: [&str; 6] = ["j", "j", "k", "\x04", "\x15", "l"];
    let temporary = tempfile::tempdir().expect("a temporary directory can be made");
    let mut session = open(repository, file, temporary.path());
    session.wait("the viewer", is_open);
    let begun = Instant::now();
    let mut keys = 0u32;
    while begun.elapsed() < duration {
        session.press(KEYS[keys as usize % KEYS.len()]);
        keys += 1;
        let next = begun + KEY_INTERVAL * keys;
        session.wait_until(next.saturating_duration_since(Instant::now()), |_| false);
    }
    let begun = Instant::now();
    session.press(end);
    session.wait_until(END, |_| false);
    let time = begun.elapsed();
    assert!(session.has_exited(), "{}: it does not end", file.display());
    assert!(session.end().success());
    session.assert_restored();
    let frame = b"\x1b[?2026h";
    let frames = session.output.windows(frame.len());
    let frames = frames.filter(|bytes| bytes == frame).count();
    println!(
        "| {} | {keys} | {frames} | {:.0} |",
        file.display(),
        time.as_secs_f64() * 1000.0
    );
}

/// Sends stops, continuations and sizes in quick succession, at random moments from the start on. A shell continues it.
fn storm(files: &[(PathBuf, OsString)], count: usize, rng: &mut Rng) {
    let mut sent = 0;
    for nth in 0..count {
        let (repository, file) = &files[nth % files.len()];
        let mut shell = CommandBuilder::new("sh");
        // The status tells that it was stopped, by SIGSTOP or SIGTSTP, or because it used the terminal after it was
        // continued in the background (SIGTTIN, SIGTTOU).
        let script = "set -m; \"$0\" HEAD -- \"$1\"; s=$?; while [ $s -ge 147 ] && [ $s -le 150 ]; do fg >/dev/null; s=$?; done; exit $s";
        shell.args(["-c", script]);
        shell.arg(tblame_program());
        shell.arg(file);
        shell.cwd(repository);
        shell.env("GIT_EDITOR", "true");
        shell.env("BROWSER", "true");
        let mut session = Session::run(shell, (100, 30));
        session.wait_until(Duration::from_millis(rng.below(300) as u64), |_| false);
        for _ in 0..rng.between(5, 40) {
            match rng.below(4) {
                0 => sent += usize::from(signal_child(&session, "TSTP")),
                1 => sent += usize::from(signal_child(&session, "CONT")),
                2 => session.press(rng.pick::<&str>(&KEYS)),
                _ => session.resize(rng.between(4, 220) as u16, rng.between(2, 70) as u16),
            }
            session.wait_until(Duration::from_millis(rng.below(8) as u64), |_| false);
        }
        session.resize(100, 30);
        signal_child(&session, "CONT");
        session.press_until_exit(Duration::from_millis(50), END * 2);
        let status = session.end();
        assert_eq!(status.exit_code(), 0, "storm {nth}");
        session.assert_restored();
    }
    println!("{count} storms with {sent} stops and continuations");
}

/// Sends a signal to the program that the shell of a session runs; false if there is none.
fn signal_child(session: &Session, name: &str) -> bool {
    let id = session.process_id().expect("it runs");
    let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
    let children = children.unwrap_or_default();
    let Some(child) = children.split_whitespace().next() else {
        return false;
    };
    let mut kill = std::process::Command::new("kill");
    let sent = kill.args(["-s", name, child]).output();
    sent.expect("kill runs").status.success()
}

fn assert_empty(directory: &Path) {
    let left: Vec<_> = fs::read_dir(directory).expect("it is there").collect();
    assert!(left.is_empty(), "{left:?}");
}
