//! The arenas of glibc's allocator.
//!
//! glibc has an arena for each thread and keeps the memory that was freed in it: three long
//! sessions of the viewer grew to 679, 786 and 981 MB where what was allocated levelled off at 265.
//! The number of arenas can be bounded by a variable of the environment, which glibc reads when the
//! program starts.

use std::{
    ffi::{OsStr, OsString},
    process::Command,
};

/// The variable that bounds the number of arenas.
const VARIABLE: &str = "MALLOC_ARENA_MAX";

/// The bound, two arenas. glibc takes it for a number of base 8; nobody else writes it like this,
/// which tells this program that it has set the variable itself.
const BOUND: &str = "02";

/// The variable to start this program with where its arenas are to be bounded, unless that is so
/// already, or the user has chosen another bound.
pub fn arena_bound(
    variable: impl Fn(&str) -> Option<OsString>,
) -> Option<(&'static str, &'static str)> {
    let has_arenas = cfg!(all(target_os = "linux", target_env = "gnu"));
    let is_bounded = variable(VARIABLE).is_some() || variable("GLIBC_TUNABLES").is_some();
    (has_arenas && !is_bounded).then_some((VARIABLE, BOUND))
}

/// A command that runs another program in the terminal. It does not get the bound that this program
/// has set for itself.
pub fn foreground_command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    if std::env::var_os(VARIABLE).is_some_and(|value| value == BOUND) {
        command.env_remove(VARIABLE);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn a_bound_of_the_user_stays() {
        let with = |name: &'static str| move |asked: &str| (asked == name).then(|| "4".into());
        assert_eq!(arena_bound(with("HOME")), Some((VARIABLE, BOUND)));
        assert_eq!(arena_bound(with(VARIABLE)), None);
        assert_eq!(arena_bound(with("GLIBC_TUNABLES")), None);
    }
}
