//! The viewer: its event loop with a screen in memory, and the program in a pseudo-terminal.

mod driver;
mod fake_history;

mod answers;
mod calm_screens;
mod clicks;
mod colors;
mod commit_metadata;
mod deletions;
mod diff_view;
mod endings;
mod external_actions;
mod file_history;
mod filter;
mod function_names;
mod kept_blame;
mod kept_views;
mod keys;
mod late_answers;
mod line_history;
mod line_outcome;
mod navigation;
mod options;
mod origins;
mod peel;
mod people;
mod places;
mod prefetch;
mod provenance;
mod screens;
mod search;
mod terminal;
mod time;
mod tour;
mod unusual_input;
mod wrapping;
