//! `-L`: its arguments, and the functions that it names.

mod function_drivers;
mod line_ranges;
