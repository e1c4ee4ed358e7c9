//! The program and its surroundings.

use std::{
    env,
    ffi::OsStr,
    io::{self, IsTerminal},
    path::Path,
    thread,
};

use crate::{
    repository::charsets,
    run::{diagnosis::Fact, program_name},
    sanitize, sorting, system,
};

/// Variables of terminals, with their values.
const TERMINAL: [&str; 8] = [
    "TERM",
    "COLORTERM",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "VTE_VERSION",
    "KONSOLE_VERSION",
    "NO_COLOR",
    "LINES",
];

/// Variables whose values may be names.
const TERMINAL_SET: [&str; 5] = [
    "TMUX",
    "STY",
    "SSH_CONNECTION",
    "WT_SESSION",
    "INSIDE_EMACS",
];

/// Beginnings of variables that change what a blame is.
const PREFIXES: [&str; 2] = ["GIT_", "TBLAME_"];

/// What is known before there is a repository.
pub(super) fn facts(program: &OsStr) -> Vec<Fact> {
    vec![
        Fact::new("tblame", build(program)),
        Fact::new("system", surroundings()),
        Fact::new("terminal", terminal()),
        Fact::new("variables", variables()),
    ]
}

fn build(program: &OsStr) -> String {
    let libc = if cfg!(target_env = "musl") {
        " (musl)"
    } else if cfg!(target_env = "gnu") {
        " (gnu)"
    } else if cfg!(target_env = "msvc") {
        " (msvc)"
    } else {
        ""
    };
    let quality = if cfg!(debug_assertions) {
        "debug build"
    } else {
        "optimized"
    };
    let linked = if cfg!(target_feature = "crt-static") {
        ", static"
    } else {
        ""
    };
    let (version, os, arch) = (
        env!("CARGO_PKG_VERSION"),
        env::consts::OS,
        env::consts::ARCH,
    );
    // A user may have renamed it for a reason.
    let name = program_name(program).to_str();
    let known = name.filter(|name| ["tblame", "git", "git-tblame"].contains(name));
    let name = known.unwrap_or("another name");
    format!("{version} for {os} {arch}{libc}, {quality}{linked}, started as {name}")
}

fn surroundings() -> String {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let mut set = names.into_iter().filter_map(|name| {
        let value = env::var_os(name).filter(|value| !value.is_empty())?;
        Some(format!("{name}={}", shown(&value)))
    });
    let locale = set.next().unwrap_or_else(|| "no locale".to_owned());
    let utf8 = if charsets::is_utf8_locale() {
        "UTF-8"
    } else {
        "not UTF-8"
    };
    let name = system::system_name();
    let name = shown(OsStr::new(&name));
    format!("{name}; {processors} processors; {locale}, {utf8}")
}

fn terminal() -> String {
    let size = terminal_size().map(|(columns, rows)| format!("{columns}x{rows}"));
    let mut words = vec![size.unwrap_or_else(|| "no size".to_owned())];
    for name in TERMINAL {
        if let Some(value) = env::var_os(name) {
            words.push(format!("{name}={}", shown(&value)));
        }
    }
    let set = TERMINAL_SET.into_iter();
    words.extend(
        set.filter(|name| env::var_os(name).is_some())
            .map(str::to_owned),
    );
    let streams = [
        kind(io::stdin().is_terminal(), "/dev/stdin"),
        kind(io::stdout().is_terminal(), "/dev/stdout"),
        kind(io::stderr().is_terminal(), "/dev/stderr"),
    ];
    format!("{}; streams: {}", words.join(" "), streams.join(", "))
}

/// Columns and rows of the terminal, if there is one that says them: on a serial line they are 0.
pub(in crate::run) fn terminal_size() -> Option<(u16, u16)> {
    let (columns, rows) = if cfg!(windows) {
        crossterm::terminal::size().ok()?
    } else {
        // `size` would start a program where there is none, which takes longer than many blames.
        let size = crossterm::terminal::window_size().ok()?;
        (size.columns, size.rows)
    };
    (columns > 0).then_some((columns, rows))
}

/// What a standard stream is, where the system has the file `path` for it.
fn kind(is_terminal: bool, path: &str) -> &'static str {
    if is_terminal {
        return "terminal";
    }
    // It is not opened, which could wait.
    match Path::new(path).metadata() {
        Ok(metadata) if metadata.is_file() => "file",
        Ok(metadata) if system::is_null_device(&metadata) => "null",
        Ok(_) => "pipe or device",
        Err(_) => "closed or unknown",
    }
}

/// The names of the variables that are set.
fn variables() -> String {
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let is_meant = |name: &String| PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let mut names: Vec<String> = names.filter(is_meant).collect();
    sorting::sort(&mut names);
    match &names[..] {
        [] => "none of git's and tblame's are set".to_owned(),
        names => format!("set: {}", shown(OsStr::new(&names.join(" ")))),
    }
}

fn shown(text: &OsStr) -> String {
    sanitize::clip(text.as_encoded_bytes(), 200)
}
