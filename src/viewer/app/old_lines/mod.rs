//! Who wrote the lines of the old side of a diff. The rule is that of `--patch`: those that are
//! removed, and those beside insertions.

pub mod blamed_old_sides;
mod old_line_actions;
