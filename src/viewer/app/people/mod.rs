//! The list of people, and the choice of one whose lines stand out.

mod people_actions;
pub mod people_page;
