//! `--places`: who wrote the lines that other programs name.

mod finder;
