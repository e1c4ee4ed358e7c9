//! `--places`: who wrote the lines that other programs name.

mod command_line;
mod finder;
mod terminal;
