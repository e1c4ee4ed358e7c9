//! The program: maps the result of a run to an exit status.

use std::{
    io::{self, IsTerminal},
    process::ExitCode,
};

fn main() -> ExitCode {
    match tblame::run::run(std::env::args_os().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(err) => {
            let mut stderr = io::stderr().lock();
            let terminal = io::stderr().is_terminal();
            // Nobody is left to hear of it if this fails.
            err.report(&mut stderr, terminal).ok();
            ExitCode::from(err.exit_status())
        }
    }
}
