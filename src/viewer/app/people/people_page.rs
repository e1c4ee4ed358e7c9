//! The list of people.

use crate::repository::commits::people::Person;

/// An open list of people.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PeoplePage {
    /// The people, most lines first.
    pub people: Vec<Person>,
    /// The selected row: 0 stands for everybody, 1 for the first of the people.
    pub row: usize,
    /// The number of the view and the number of its lines that the people are of.
    pub(crate) of: (u64, u32),
}

impl PeoplePage {
    /// The number of rows.
    pub fn row_count(&self) -> usize {
        self.people.len() + 1
    }
}
