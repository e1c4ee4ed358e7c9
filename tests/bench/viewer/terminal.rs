//! The real program in a pseudo-terminal.

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use portable_pty::{CommandBuilder, MasterPty};

use super::{SIZE, milliseconds, pty::Pty, quantile};

const RUNS: usize = 5;
/// The longest wait for anything.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two keys.
const PAUSE: Duration = Duration::from_millis(7);

struct Session {
    pty: Pty,
    _master: Box<dyn MasterPty + Send>,
    begun: Instant,
    bytes: usize,
    frames: usize,
}

impl Session {
    fn start(directory: &Path, arguments: &[&OsStr]) -> Session {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_tblame"));
        command.args(arguments);
        command.cwd(directory);
        let begun = Instant::now();
        let (pty, _master) = Pty::run(command, SIZE);
        Session {
            pty,
            _master,
            begun,
            bytes: 0,
            frames: 0,
        }
    }

    /// Takes output until the screen is as wanted; says when it was written, or nothing after a
    /// while.
    fn until(
        &mut self,
        patience: Duration,
        mut wanted: impl FnMut(&vt100::Screen) -> bool,
    ) -> Option<Instant> {
        let now = Instant::now();
        if wanted(self.pty.screen.screen()) {
            return Some(now);
        }
        let end = now + patience;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let (at, bytes) = self.pty.output.recv_timeout(left).ok()?;
            self.bytes += bytes.len();
            self.frames += count(&bytes, b"\x1b[?2026l");
            self.pty.screen.process(&bytes);
            if wanted(self.pty.screen.screen()) {
                return Some(at);
            }
        }
    }

    fn press(&mut self, keys: &str) {
        self.pty.press(keys);
    }

    fn quit(mut self) {
        self.press("q");
        self.until(PATIENCE, |_| false);
        self.pty.child.wait().expect("the program");
    }
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
    left.split_whitespace().last()?.parse().ok()
}

fn has_text(screen: &vt100::Screen) -> bool {
    top(screen).is_some()
}

/// Every line on the screen has its commit.
fn is_attributed(screen: &vt100::Screen) -> bool {
    has_text(screen) && !rows(screen).iter().any(|row| row.contains("····"))
}

fn is_done(screen: &vt100::Screen) -> bool {
    let head = screen.rows(0, SIZE.0).next().unwrap_or_default();
    head.contains(" lines") && head.contains(" s ") && !head.contains("older than")
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
    for list in lists {
        let list = list.as_bytes();
        let equals = list.iter().position(|&byte| byte == b'=');
        let equals = equals.expect("REPOSITORY=FILE,FILE…");
        let repository = Path::new(OsStr::from_bytes(&list[..equals]));
        for file in list[equals + 1..].split(|&byte| byte == b',') {
            measure_file(repository, OsStr::from_bytes(file));
        }
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
    let mut session = Session::start(repository, &arguments);
    let text = session.until(PATIENCE, has_text).expect("the text");
    times.text.push(text - session.begun);
    let attributed = session.until(PATIENCE, is_attributed);
    let attributed = attributed.unwrap_or(text);
    times.attributed[at].push(attributed - session.begun);
    if let Some(all) = session.until(PATIENCE, is_done) {
        times.all.push(all - session.begun);
    }
    times.bytes.push(session.bytes / session.frames.max(1));
    session.quit();
}

/// Turns pages for as long as the blame runs.
fn stream(repository: &Path, file: &OsStr, times: &mut Times) {
    let arguments = ["HEAD".as_ref(), "--".as_ref(), file];
    let mut session = Session::start(repository, &arguments);
    session.until(PATIENCE, has_text).expect("the text");
    let mut down = true;
    while !is_done(session.pty.screen.screen()) {
        let before = top(session.pty.screen.screen());
        let begun = Instant::now();
        session.press(if down { " " } else { "\x02" });
        let moved = session.until(PATIENCE, |screen| top(screen) != before && has_text(screen));
        times.keys.push(moved.expect("a page turns") - begun);
        down = !down;
        // Not in step with the frames.
        let pause = PAUSE + Duration::from_micros(times.keys.len() as u64 * 379 % 5000);
        session.until(pause, |_| false);
    }
    session.quit();
}
