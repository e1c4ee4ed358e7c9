//! The program `git-tblame`: a launcher of tblame.

use std::process::ExitCode;

fn main() -> ExitCode {
    tblame::launcher()
}
