//! The real program in a pseudo-terminal.

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use portable_pty::CommandBuilder;

use super::{
    SIZE,
    caches::Caches,
    cpu_time,
    harness::program::tblame_program,
    harness::session::{Session, TIMEOUT, tblame_command},
    milliseconds, quantile,
};

const RUNS: usize = 5;
const KEPT_RUNS: usize = 15;
/// Between two keys.
const PAUSE: Duration = Duration::from_millis(7);

/// Runs tblame in a directory.
pub fn start(directory: &Path, arguments: &[&OsStr]) -> Session {
    let mut command = tblame_command();
    command.args(arguments);
    command.cwd(directory);
    Session::run(command, SIZE)
}

pub fn quit(mut session: Session) {
    session.press("q");
    session.end();
}

fn count(bytes: &[u8], what: &[u8]) -> usize {
    let windows = bytes.windows(what.len());
    windows.filter(|window| *window == what).count()
}

fn rows(screen: &vt100::Screen) -> Vec<String> {
    screen.rows(0, SIZE.0).collect()
}

/// The number of the first line on the screen.
fn top(screen: &vt100::Screen) -> Option<u32> {
    let row = screen.rows(0, SIZE.0).nth(1)?;
    let (left, _) = row.split_once(['│', '┃', '┊'])?;
    // The mark of a selected group stands beside the number.
    let number = left
        .trim_end()
        .rsplit(|it: char| !it.is_ascii_digit())
        .next();
    number?.parse().ok()
}

fn has_text(screen: &vt100::Screen) -> bool {
    top(screen).is_some()
}

/// Every line on the screen has its commit.
fn is_attributed(screen: &vt100::Screen) -> bool {
    has_text(screen) && !rows(screen).iter().any(|row| row.contains("····"))
}

pub fn is_done(screen: &vt100::Screen) -> bool {
    let head = screen.rows(0, SIZE.0).next().unwrap_or_default();
    head.contains("line ")
        && head.contains(" of ")
        && !head.contains('%')
        && !head.contains("looking")
}

#[derive(Default)]
struct Times {
    git: Vec<Duration>,
    text: Vec<Duration>,
    /// Every line of the first screen, of one in the middle, and of the last.
    attributed: [Vec<Duration>; 3],
    all: Vec<Duration>,
    keys: Vec<Duration>,
    bytes: Vec<usize>,
}

pub fn measure(lists: &[OsString]) {
    println!("{}×{}, medians of {RUNS} runs.\n", SIZE.0, SIZE.1);
    println!(
        "| file | git blame ms | text ms | first screen | middle | end | most ÷ git | all ms \
         | key to frame: median | 99 % | bytes a frame |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for_each_file(lists, measure_file);
}

/// Calls `measure` with the repositories and files of `lists`.
pub fn for_each_file(lists: &[OsString], measure: impl Fn(&Path, &OsStr)) {
    for list in lists {
        let list = list.as_bytes();
        let equals = list.iter().position(|&byte| byte == b'=');
        let equals = equals.expect("REPOSITORY=FILE,FILE…");
        let repository = Path::new(OsStr::from_bytes(&list[..equals]));
        for file in list[equals + 1..].split(|&byte| byte == b',') {
            measure(repository, OsStr::from_bytes(file));
        }
    }
}

/// Opens files whose blame was kept.
pub fn measure_kept(lists: &[OsString]) {
    println!("{}×{}, medians of {KEPT_RUNS} runs.\n", SIZE.0, SIZE.1);
    println!("| file | text ms | first screen | all | frames until then |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    for_each_file(lists, measure_kept_file);
}

fn measure_kept_file(repository: &Path, file: &OsStr) {
    let cache = tempfile::tempdir().expect("a temporary directory can be made");
    let arguments = ["HEAD".as_ref(), "--".as_ref(), file];
    let open = || {
        let mut command = tblame_command();
        command.args(arguments);
        command.cwd(repository);
        command.env("TBLAME_CACHE", "on");
        command.env("XDG_CACHE_HOME", cache.path());
        command.env("XDG_CONFIG_HOME", "/dev/null/none");
        command.env("XDG_STATE_HOME", "/dev/null");
        Session::run_unisolated(command, SIZE)
    };
    let mut first = open();
    first.wait_until(TIMEOUT, is_done).expect("the blame ends");
    // It is kept when nothing else is to be done.
    first.wait_until(Duration::from_secs(2), |_| false);
    quit(first);
    let (mut text, mut screen, mut all) = (Vec::new(), Vec::new(), Vec::new());
    let mut frames = Vec::new();
    for _ in 0..KEPT_RUNS {
        let mut session = open();
        let mut wait = |until: fn(&vt100::Screen) -> bool, times: &mut Vec<Duration>| {
            let reached = session.wait_until(TIMEOUT, until).expect("the blame ends");
            times.push(reached - session.started);
        };
        wait(has_text, &mut text);
        wait(is_attributed, &mut screen);
        wait(is_done, &mut all);
        frames.push(count(&session.output, b"\x1b[?2026l"));
        quit(session);
    }
    println!(
        "| {} | {:.1} | {:.1} | {:.1} | {} |",
        file.display(),
        milliseconds(quantile(&mut text, 0.5)),
        milliseconds(quantile(&mut screen, 0.5)),
        milliseconds(quantile(&mut all, 0.5)),
        quantile(&mut frames, 0.5),
    );
}

/// Opens files of repositories whose commits an earlier run has remembered.
pub fn measure_remembered(lists: &[OsString]) {
    println!("{}×{}, medians of {RUNS} runs.\n", SIZE.0, SIZE.1);
    println!("| file | text ms | first screen | all |");
    println!("| --- | ---: | ---: | ---: |");
    for_each_file(lists, measure_remembered_file);
}

fn measure_remembered_file(repository: &Path, file: &OsStr) {
    let caches = Caches::new();
    // With another option, the blame that is kept does not answer.
    let mut first = Command::new(tblame_program());
    first.args(["-w", "--porcelain", "HEAD", "--"]).arg(file);
    first.current_dir(repository).envs(caches.first());
    first.stdout(Stdio::null());
    assert!(first.status().expect("tblame runs").success());
    let (mut text, mut screen, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let mut command = tblame_command();
        command.args(["HEAD".as_ref(), "--".as_ref(), file]);
        command.cwd(repository);
        for (name, value) in caches.copy() {
            command.env(name, value);
        }
        command.env("XDG_CONFIG_HOME", "/dev/null/none");
        command.env("XDG_STATE_HOME", "/dev/null");
        let mut session = Session::run_unisolated(command, SIZE);
        let mut wait = |until: fn(&vt100::Screen) -> bool, times: &mut Vec<Duration>| {
            let reached = session.wait_until(TIMEOUT, until).expect("the blame ends");
            times.push(reached - session.started);
        };
        wait(has_text, &mut text);
        wait(is_attributed, &mut screen);
        wait(is_done, &mut all);
        quit(session);
    }
    println!(
        "| {} | {:.1} | {:.0} | {:.0} |",
        file.display(),
        milliseconds(quantile(&mut text, 0.5)),
        milliseconds(quantile(&mut screen, 0.5)),
        milliseconds(quantile(&mut all, 0.5)),
    );
}

/// A blame into a pipe, without a cache.
fn pipe(repository: &Path, file: &OsStr) -> Command {
    let mut command = Command::new(tblame_program());
    command.args(["--porcelain", "HEAD", "--"]).arg(file);
    command.current_dir(repository);
    command.env("TBLAME_CACHE", "off");
    command
}

/// Compares the viewer's CPU time, until the blame is complete and the viewer has quit, with that of a pipe.
pub fn measure_cpu(lists: &[OsString]) {
    println!(
        "{}×{}, medians of {RUNS} runs. CPU milliseconds of whole processes.\n",
        SIZE.0, SIZE.1
    );
    println!("| file | pipe | viewer | viewer ÷ pipe |");
    println!("| --- | ---: | ---: | ---: |");
    for_each_file(lists, measure_cpu_of_file);
}

fn measure_cpu_of_file(repository: &Path, file: &OsStr) {
    let (mut pipes, mut viewers) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        pipes.push((cpu_time::time(&pipe(repository, file), 1).cpu * 1000.0) as u64);
        viewers.push(viewer_cpu(repository, file));
    }
    let (pipe, viewer) = (quantile(&mut pipes, 0.5), quantile(&mut viewers, 0.5));
    println!(
        "| {} | {:.0} | {:.0} | {:.2} |",
        file.display(),
        pipe as f64 / 1000.0,
        viewer as f64 / 1000.0,
        viewer as f64 / pipe as f64
    );
}

/// Microseconds.
fn viewer_cpu(repository: &Path, file: &OsStr) -> u64 {
    let mut command = CommandBuilder::new("bash");
    command.args(["-c", "TIMEFORMAT='cpu %3U %3S cpu'; time \"$@\"", "bash"]);
    command.arg(tblame_program());
    command.args(["HEAD".as_ref(), "--".as_ref(), file]);
    command.cwd(repository);
    let mut session = Session::run(command, SIZE);
    session
        .wait_until(TIMEOUT, is_done)
        .expect("the blame ends");
    session.press("q");
    session.end();
    let output = String::from_utf8_lossy(&session.output);
    let mut words = output
        .rsplit("cpu")
        .nth(1)
        .unwrap_or_default()
        .split_whitespace();
    let mut seconds = || words.next().and_then(|word| word.parse::<f64>().ok());
    match (seconds(), seconds()) {
        (Some(user), Some(system)) => ((user + system) * 1e6) as u64,
        _ => panic!("bash prints the time: {output}"),
    }
}

fn measure_file(repository: &Path, file: &OsStr) {
    let mut times = Times::default();
    let lines = line_count(repository, file);
    for _ in 0..RUNS {
        times.git.push(git_blame(repository, file));
        for (at, place) in [1, lines / 2, lines].into_iter().enumerate() {
            watch(repository, file, (at, place), &mut times);
        }
        stream(repository, file, &mut times);
    }
    let git = milliseconds(quantile(&mut times.git, 0.5));
    let attributed = times.attributed.each_mut();
    let attributed = attributed.map(|times| milliseconds(quantile(times, 0.5)));
    println!(
        "| {} | {git:.0} | {:.1} | {:.0} | {:.0} | {:.0} | {:.2} | {:.0} | {:.1} | {:.1} of {} | {} |",
        file.display(),
        milliseconds(quantile(&mut times.text, 0.5)),
        attributed[0],
        attributed[1],
        attributed[2],
        attributed.into_iter().fold(0.0, f64::max) / git,
        milliseconds(quantile(&mut times.all, 0.5)),
        milliseconds(quantile(&mut times.keys, 0.5)),
        milliseconds(quantile(&mut times.keys, 0.99)),
        times.keys.len(),
        quantile(&mut times.bytes, 0.5),
    );
}

fn line_count(repository: &Path, file: &OsStr) -> usize {
    let mut name = OsString::from("HEAD:");
    name.push(file);
    let mut command = Command::new("git");
    command.current_dir(repository).arg("show").arg(name);
    let output = command.output().expect("git runs");
    count(&output.stdout, b"\n")
}

fn git_blame(repository: &Path, file: &OsStr) -> Duration {
    let mut command = Command::new("git");
    command.current_dir(repository);
    command.args(["blame", "--porcelain", "HEAD", "--"]);
    let begun = Instant::now();
    let status = command.arg(file).stdout(Stdio::null()).status();
    assert!(status.expect("git runs").success());
    begun.elapsed()
}

/// Opens the file at a line and waits.
fn watch(repository: &Path, file: &OsStr, (at, line): (usize, usize), times: &mut Times) {
    let place = format!("+{line}");
    let arguments = [OsStr::new(&place), "HEAD".as_ref(), "--".as_ref(), file];
    let mut session = start(repository, &arguments);
    let text = session.wait_until(TIMEOUT, has_text).expect("the text");
    times.text.push(text - session.started);
    let attributed = session.wait_until(TIMEOUT, is_attributed);
    let attributed = attributed.unwrap_or(text);
    times.attributed[at].push(attributed - session.started);
    if let Some(all) = session.wait_until(TIMEOUT, is_done) {
        times.all.push(all - session.started);
    }
    let frames = count(&session.output, b"\x1b[?2026l");
    times.bytes.push(session.output.len() / frames.max(1));
    quit(session);
}

/// Turns pages for as long as the blame runs.
fn stream(repository: &Path, file: &OsStr, times: &mut Times) {
    let arguments = ["HEAD".as_ref(), "--".as_ref(), file];
    let mut session = start(repository, &arguments);
    session.wait_until(TIMEOUT, has_text).expect("the text");
    let mut down = true;
    while !is_done(session.screen()) {
        let before = top(session.screen());
        let begun = Instant::now();
        session.press(if down { " " } else { "\x02" });
        let moved = session.wait_until(TIMEOUT, |screen| top(screen) != before && has_text(screen));
        times.keys.push(moved.expect("a page turns") - begun);
        down = !down;
        // Not in step with the frames.
        let pause = PAUSE + Duration::from_micros(times.keys.len() as u64 * 379 % 5000);
        session.wait_until(pause, |_| false);
    }
    quit(session);
}
