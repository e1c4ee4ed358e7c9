//! External programs: clipboard, browser, editor and the configured command.
//!
//! Values from a repository are passed as arguments, never through a shell, and never as something
//! that starts with a dash.

use std::{
    env,
    ffi::{OsStr, OsString},
    io::{self, Write},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    sync::mpsc,
    time::{Duration, Instant},
};

use bstr::{BString, ByteSlice};
use crossterm::{
    cursor,
    event::{self, Event, KeyEventKind},
    terminal,
};

use crate::{
    diff,
    error::os_message,
    repository::request::ignored_revisions,
    system::{self, ForegroundSignals},
    text::thousands::line_number,
    viewer::model::{
        external_commands::{EditRequest, ExternalCommand, IgnoreEntry},
        texts::line_map,
    },
};

/// Largest work tree file, in bytes, in which the edited line is located by a diff.
const MAX_FILE_LEN: u64 = 1 << 30;

/// How long a program may take to end after a signal was forwarded to it.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// How an external command ended.
#[derive(Debug)]
pub enum CommandEnd {
    /// A message for the status line, on success or failure.
    Message(String),
    /// Number of a signal that asks the viewer to end.
    Signal(i32),
}

impl CommandEnd {
    fn failed(name: &str, error: &io::Error) -> Self {
        CommandEnd::Message(not_started(name, error))
    }
}

/// Runs an external command in the terminal.
pub fn run(command: &ExternalCommand) -> CommandEnd {
    let done = match command {
        ExternalCommand::Edit(edit) => edit.run(),
        ExternalCommand::Run(words) => run_command(words),
    };
    done.map_or_else(|outcome| outcome, CommandEnd::Message)
}

/// A message of a waiting thread.
enum WaitEvent<T> {
    Done(T),
    Signal(i32),
}

/// Runs `work` on a thread and waits for it. Signals that end a program are forwarded to `child`,
/// which gets [`EXIT_TIMEOUT`] to end.
fn wait<T: Send + 'static>(
    signals: ForegroundSignals,
    child: Option<u32>,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<io::Result<T>, i32> {
    let (sender, receiver) = mpsc::channel();
    let done = sender.clone();
    std::thread::spawn(move || done.send(WaitEvent::Done(work())).ok());
    let _watch = signals.watch(move |signal| drop(sender.send(WaitEvent::Signal(signal))));
    match receiver.recv() {
        Ok(WaitEvent::Done(done)) => Ok(done),
        Ok(WaitEvent::Signal(signal)) => {
            if let Some(child) = child {
                system::forward_signal(child, signal);
            }
            let end = Instant::now() + EXIT_TIMEOUT;
            // Further signals are ignored.
            while let Ok(WaitEvent::Signal(_)) =
                receiver.recv_timeout(end.saturating_duration_since(Instant::now()))
            {}
            Err(signal)
        }
        Err(mpsc::RecvError) => Ok(Err(io::Error::other("a thread ended unexpectedly"))),
    }
}

/// Runs a program to its end.
fn run_to_end(name: &str, command: &mut Command) -> Result<ExitStatus, CommandEnd> {
    let failed = |error| CommandEnd::failed(name, &error);
    let signals = ForegroundSignals::new().map_err(failed)?;
    let mut child = command.spawn().map_err(failed)?;
    let status =
        wait(signals, Some(child.id()), move || child.wait()).map_err(CommandEnd::Signal)?;
    status.map_err(|error| CommandEnd::failed(name, &error))
}

fn run_command(command_line: &[OsString]) -> Result<String, CommandEnd> {
    let Some((program, arguments)) = command_line.split_first() else {
        return Err(CommandEnd::Message("no command is configured".to_owned()));
    };
    let name = program.to_string_lossy().into_owned();
    let before = cursor_above_last_row();
    let status = run_to_end(&name, system::foreground_command(program).args(arguments))?;
    let moved = before.is_none() || cursor::position().ok() != before;
    if moved {
        // Its output would disappear with the next frame.
        let signals =
            ForegroundSignals::new().map_err(|error| CommandEnd::failed(&name, &error))?;
        // Without it, a line is waited for, and `^C` is a signal, which this ignores.
        let is_raw = terminal::enable_raw_mode().is_ok();
        let mut out = io::stdout();
        out.write_all(b"\r\n[any key returns to tblame] ").ok();
        out.flush().ok();
        let read = wait(signals, None, wait_for_key);
        if is_raw {
            terminal::disable_raw_mode().ok();
        }
        read.map_err(CommandEnd::Signal)?.ok();
    }
    Ok(if status.success() {
        format!("{name} finished")
    } else {
        format!("{name}: {status}")
    })
}

/// The position of the cursor, moved off the last row, so that any line that a command writes moves
/// it. `None` if the terminal does not tell.
fn cursor_above_last_row() -> Option<(u16, u16)> {
    let (column, row) = cursor::position().ok()?;
    let (_, rows) = terminal::size().ok()?;
    if row + 1 < rows {
        return Some((column, row));
    }
    let mut out = io::stdout();
    out.write_all(b"\n\x1b[A").ok()?;
    out.flush().ok()?;
    cursor::position().ok()
}

/// Waits until a key is pressed.
fn wait_for_key() -> io::Result<()> {
    loop {
        match event::read()? {
            Event::Key(key) if key.kind == KeyEventKind::Press => return Ok(()),
            _ => {}
        }
    }
}

fn not_started(name: &str, error: &io::Error) -> String {
    format!("cannot run {name}: {}", os_message(error))
}

impl EditRequest {
    fn run(&self) -> Result<String, CommandEnd> {
        let (path, shown) = self.path().map_err(CommandEnd::Message)?;
        let (line, mapped) = self.mapped(&path);
        let editor = editor(self.configured.as_ref(), |name| env::var_os(name));
        let arguments = arguments(&editor, &path, line);
        let name = editor.to_string_lossy();
        let status = run_to_end(&name, shell(&editor).args(arguments))?;
        if !status.success() {
            return Err(CommandEnd::Message(format!("{name}: {status}")));
        }
        Ok(format!(
            "edited {shown} at line {}{mapped}",
            line_number(line)
        ))
    }

    /// The first of the paths that exists, and its name in the work tree. A link that leads out of
    /// the work tree is an error: the repository chose it.
    fn path(&self) -> Result<(PathBuf, String), String> {
        let name = |path: &BString| path.to_str_lossy().into_owned();
        for path in self.paths.iter().filter(|path| is_inside(path)) {
            let full = self.root.join(path.to_path_lossy());
            let Some(real) = full.canonicalize().ok().filter(|real| real.is_file()) else {
                continue;
            };
            let root = self.root.canonicalize().unwrap_or_default();
            let below = real.strip_prefix(root).map(system::path_bytes);
            return if below.is_ok_and(|below| is_inside(&below)) {
                Ok((full, name(path)))
            } else {
                Err(format!(
                    "{} leads to {}, which is not in the work tree",
                    name(path),
                    real.display()
                ))
            };
        }
        let path = self.paths.first().map(name).unwrap_or_default();
        Err(format!("{path} is not in the work tree"))
    }

    /// The line (0-based) in the work tree file, and a note if it differs from the viewed line.
    fn mapped(&self, path: &Path) -> (u32, String) {
        let small = std::fs::metadata(path).is_ok_and(|file| file.len() <= MAX_FILE_LEN);
        let now = small.then(|| std::fs::read(path).ok()).flatten();
        let Some(now) = now.filter(|now| now[..] != self.text.bytes()[..]) else {
            return (self.line, String::new());
        };
        let options = diff::DiffOptions::default();
        match line_map::map(self.line, self.text.bytes(), &now, &options) {
            Ok(mapped_line) if mapped_line.line == self.line => (self.line, String::new()),
            Ok(mapped_line) => (
                mapped_line.line,
                format!(" (line {} here)", line_number(self.line)),
            ),
            Err(_) => (self.line, String::new()),
        }
    }
}

/// True if a path from a tree stays below the root and outside of `.git`.
fn is_inside(path: &[u8]) -> bool {
    let is_name = |part: &[u8]| {
        let special = [&b""[..], b".", b".."].contains(&part);
        let separator = |byte: &u8| *byte == 0 || cfg!(windows) && *byte == b'\\';
        !special && !part.eq_ignore_ascii_case(b".git") && !part.iter().any(separator)
    };
    path.split(|&byte| byte == b'/').all(is_name)
}

/// The editor, by git's rules: `GIT_EDITOR`, `core.editor`, `VISUAL`, `EDITOR`, `vi`.
fn editor(configured: Option<&BString>, var: impl Fn(&str) -> Option<OsString>) -> OsString {
    let set = |name: &str| var(name).filter(|value| !value.is_empty());
    let configured = configured.map(|editor| editor.to_os_str_lossy().into_owned());
    let editor = set("GIT_EDITOR").or(configured.filter(|editor| !editor.is_empty()));
    let editor = editor.or_else(|| set("VISUAL")).or_else(|| set("EDITOR"));
    editor.unwrap_or_else(|| "vi".into())
}

/// Runs a user's command line through the shell as git does; the arguments are not expanded.
fn shell(command_line: &OsStr) -> Command {
    let mut script = command_line.to_owned();
    script.push(" \"$@\"");
    let mut command = system::foreground_command("sh");
    command.arg("-c").arg(script).arg(command_line);
    command
}

/// Editor-specific arguments for a file at a line (0-based).
fn arguments(editor: &OsStr, path: &Path, line: u32) -> Vec<OsString> {
    let line = u64::from(line) + 1;
    let shown = editor.to_string_lossy();
    let program = shown.split_whitespace().next().unwrap_or_default();
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let path = path.as_os_str();
    let with_line = || {
        let mut with_line = path.to_owned();
        with_line.push(format!(":{line}"));
        with_line
    };
    match name {
        "code" | "code-insiders" | "codium" | "cursor" | "windsurf" => {
            vec!["--goto".into(), with_line()]
        }
        "hx" | "helix" | "subl" | "zed" | "zeditor" => vec![with_line()],
        "idea" | "clion" | "pycharm" | "rustrover" | "goland" | "kate" => {
            vec!["--line".into(), line.to_string().into(), path.to_owned()]
        }
        "ed" | "ex" | "true" | "cat" | "notepad" => vec![path.to_owned()],
        _ => vec![format!("+{line}").into(), path.to_owned()],
    }
}

/// True if a program is in `PATH`.
fn in_path(name: &str) -> bool {
    let paths = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&paths).any(|directory| directory.join(name).is_file())
}

/// The command that copies its standard input to the clipboard, if there is one.
fn clipboard_program(
    set: impl Fn(&str) -> bool,
    in_path: impl Fn(&str) -> bool,
) -> Option<&'static [&'static str]> {
    let (wayland, x) = (set("WAYLAND_DISPLAY"), set("DISPLAY"));
    let all: [(bool, &[&str]); 6] = [
        (wayland, &["wl-copy"]),
        (x, &["xclip", "-selection", "clipboard"]),
        (x, &["xsel", "--clipboard", "--input"]),
        (cfg!(target_os = "macos"), &["pbcopy"]),
        (set("WSL_DISTRO_NAME"), &["clip.exe"]),
        (cfg!(windows), &["clip.exe"]),
    ];
    let usable = all
        .into_iter()
        .find(|(there, command)| *there && in_path(command[0]));
    usable.map(|(_, command)| command)
}

/// Appends a commit to an ignore list. Returns whether it was not in the list.
///
/// # Errors
/// A message, if the list cannot be read or written.
pub fn save(entry: &IgnoreEntry) -> Result<bool, String> {
    let saved = ignored_revisions::save(&entry.list, &entry.id, &entry.summary);
    saved.map_err(|error| format!("{}: {}", entry.list.display(), os_message(&error)))
}

/// Removes a commit from an ignore list. Returns the message for the status line.
pub fn remove_saved(entry: &IgnoreEntry) -> String {
    let (list, id) = (entry.list.display(), entry.id.to_hex_with_len(8));
    match ignored_revisions::remove(&entry.list, &entry.id, &entry.summary) {
        Ok(true) => format!("took {id} out of {list}"),
        Ok(false) => format!("{id} is no longer in {list}"),
        Err(error) => format!("{list}: {}", os_message(&error)),
    }
}

/// Copies text with the system's clipboard command, in the background, if there is one.
pub fn copy(text: &str) {
    let set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let Some(words) = clipboard_program(set, in_path) else {
        return;
    };
    let text = text.to_owned();
    let mut command = system::command(words[0]);
    command.args(&words[1..]);
    detach(&mut command).stdin(Stdio::piped());
    // Errors are ignored: OSC 52 is the other way to the clipboard.
    std::thread::Builder::new()
        .name("tblame-clipboard".to_owned())
        .spawn(move || {
            if let Ok(mut child) = command.spawn() {
                if let Some(mut stdin) = child.stdin.take() {
                    stdin.write_all(text.as_bytes()).ok();
                }
                child.wait().ok();
            }
        })
        .ok();
}

/// Lets a command read and write nothing.
fn detach(command: &mut Command) -> &mut Command {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
}

/// The browser command, if one is configured or detected.
fn browser_program(
    configured: &[String],
    var: impl Fn(&str) -> Option<OsString>,
    in_path: impl Fn(&str) -> bool,
) -> Option<Vec<String>> {
    if !configured.is_empty() {
        return Some(configured.to_vec());
    }
    let set = |name: &str| var(name).filter(|value| !value.is_empty());
    let named = set("BROWSER").and_then(|value| value.into_string().ok());
    let named = named.and_then(|value| {
        let mut programs = value.split(':').map(str::trim);
        let program = programs.find(|program| {
            let name = program.split_whitespace().next().unwrap_or_default();
            !program.contains('%') && (name.contains('/') || in_path(name))
        })?;
        Some(program.split_whitespace().map(str::to_owned).collect())
    });
    if named.is_some() {
        return named;
    }
    let screen = set("DISPLAY").is_some() || set("WAYLAND_DISPLAY").is_some();
    let all: [(bool, &[&str]); 5] = [
        (cfg!(target_os = "macos"), &["open"]),
        (cfg!(windows), &["explorer.exe"]),
        (set("WSL_DISTRO_NAME").is_some(), &["wslview"]),
        (set("WSL_DISTRO_NAME").is_some(), &["explorer.exe"]),
        (screen, &["xdg-open"]),
    ];
    let usable = all
        .into_iter()
        .find(|(there, command)| *there && in_path(command[0]));
    usable.map(|(_, command)| command.iter().map(|&word| word.to_owned()).collect())
}

/// Opens a URL in the browser without waiting for it.
///
/// # Errors
/// A message, if there is no browser or it cannot be run.
pub fn browse(page: &str, configured: &[String]) -> Result<(), String> {
    let browser = browser_program(configured, |name| env::var_os(name), in_path);
    let browser = browser.ok_or_else(|| "no browser found".to_owned())?;
    let mut command = system::command(&browser[0]);
    let mut child = detach(command.args(&browser[1..]).arg(page))
        .spawn()
        .map_err(|error| not_started(&browser[0], &error))?;
    // A thread waits for the child, so that it does not become a zombie.
    std::thread::Builder::new()
        .name("tblame-browser".to_owned())
        .spawn(move || child.wait())
        .ok();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editors_get_the_line_in_their_own_syntax() {
        let args = |editor: &str| {
            let command = arguments(OsStr::new(editor), Path::new("/r/a b"), 4);
            command.join(OsStr::new("|")).into_string().expect("text")
        };
        assert_eq!(args("vi"), "+5|/r/a b");
        assert_eq!(args("/usr/bin/nvim -R"), "+5|/r/a b");
        assert_eq!(args("emacsclient -t"), "+5|/r/a b");
        assert_eq!(args("code --wait"), "--goto|/r/a b:5");
        assert_eq!(args("hx"), "/r/a b:5");
        assert_eq!(args("kate"), "--line|5|/r/a b");
        assert_eq!(args("ed"), "/r/a b");
    }

    #[test]
    fn the_editor_is_found_by_git_rules() {
        let with = |pairs: &'static [(&str, &str)], configured: Option<&str>| {
            let configured = configured.map(BString::from);
            let var = |name: &str| {
                let found = pairs.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| OsString::from(value))
            };
            editor(configured.as_ref(), var)
                .into_string()
                .expect("text")
        };
        let all = &[("GIT_EDITOR", "a"), ("VISUAL", "c"), ("EDITOR", "d")];
        assert_eq!(with(all, Some("b")), "a");
        assert_eq!(with(&all[1..], Some("b")), "b");
        assert_eq!(with(&all[1..], None), "c");
        assert_eq!(with(&all[2..], Some("")), "d");
        assert_eq!(with(&[], None), "vi");
    }

    #[test]
    fn paths_cannot_leave_the_work_tree() {
        for path in ["a", "a/b", "..a", "-x"] {
            assert!(is_inside(path.as_bytes()), "{path}");
        }
        for path in [
            "",
            "/a",
            "../a",
            "a/../b",
            ".git/config",
            "a/.GIT/x",
            "a//b",
        ] {
            assert!(!is_inside(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn clipboard_commands_need_a_display_and_a_program() {
        let program = |set: &[&str], in_path: &[&str]| {
            clipboard_program(|name| set.contains(&name), |name| in_path.contains(&name))
        };
        let xclip: &[&str] = &["xclip", "-selection", "clipboard"];
        assert_eq!(program(&["DISPLAY"], &["xclip", "wl-copy"]), Some(xclip));
        assert_eq!(
            program(&["DISPLAY", "WAYLAND_DISPLAY"], &["xclip", "wl-copy"]),
            Some(&["wl-copy"] as &[&str])
        );
        assert_eq!(program(&["DISPLAY"], &["wl-copy"]), None);
        assert_eq!(program(&[], &["xclip"]), None);
    }

    #[test]
    fn browsers_are_tried_in_order() {
        let program = |set: &'static [(&str, &str)], configured: &[&str]| {
            let configured: Vec<String> = configured.iter().map(|&it| it.to_owned()).collect();
            let var = |name: &str| {
                let found = set.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| OsString::from(value))
            };
            let in_path = |name: &str| ["w3m", "xdg-open"].contains(&name);
            browser_program(&configured, var, in_path).map(|command| command.join(" "))
        };
        assert_eq!(program(&[], &["b", "-x"]), Some("b -x".to_owned()));
        let named = &[("BROWSER", "none:w3m -T"), ("DISPLAY", ":0")];
        assert_eq!(program(named, &[]), Some("w3m -T".to_owned()));
        #[cfg(target_os = "linux")]
        assert_eq!(program(&named[1..], &[]), Some("xdg-open".to_owned()));
        #[cfg(target_os = "linux")]
        assert_eq!(program(&[], &[]), None);
    }
}
