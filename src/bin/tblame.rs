//! The program `tblame`.

use std::process::ExitCode;

fn main() -> ExitCode {
    tblame::program()
}
