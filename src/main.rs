//! The program: maps the result of a run to an exit status.

fn main() {}
