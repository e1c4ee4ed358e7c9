//! The lines that commits deleted, compared with a replay of the history.

mod command_line;
mod generated;
mod rules;
