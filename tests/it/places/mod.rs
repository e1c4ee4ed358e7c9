//! `--places`: who wrote the lines that other programs name.

mod command_line;
mod finder;
mod mutated;
mod terminal;

use crate::harness::{
    program::{ProgramOutput, tblame_program},
    repository::TestRepo,
};

/// Runs `tblame --places` with an input.
fn run(repository: &TestRepo, arguments: &[&str], input: &[u8]) -> ProgramOutput {
    let mut command = repository.command(tblame_program().as_os_str());
    ProgramOutput::with_input(command.arg("--places").args(arguments), input)
}
