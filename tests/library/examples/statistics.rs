//! Whose lines there are in all files of a repository, and how old they are:
//!
//! ```sh
//! cargo run --release --example statistics -- DIRECTORY
//! ```
//!
//! All files are blamed in one walk through the history. Each entry of the directory is counted as
//! soon as its files are.

use std::{collections::BTreeMap, error::Error, ops::ControlFlow};

use tblame::{Repository, TreeItem, TreeNode};

/// The sums over all files.
#[derive(Debug, Default)]
pub struct Statistics {
    /// Files that are counted.
    pub files: u64,
    /// Lines of these files.
    pub lines: u64,
    /// Files that could not be blamed.
    pub failed: u64,
    /// Lines by mail address, with a name. A line may have several authors.
    pub people: BTreeMap<String, (String, u64)>,
    /// Lines by the year in which they were written.
    pub years: BTreeMap<i32, u64>,
}

impl Statistics {
    /// Blames all files of `HEAD`.
    pub fn of(repository: &Repository) -> tblame::Result<Statistics> {
        let mut sums = Statistics::default();
        repository.tree("HEAD").stream(|item| {
            if let TreeItem::Node(node) = item {
                sums.add(&node);
            }
            ControlFlow::Continue(())
        })?;
        Ok(sums)
    }

    fn add(&mut self, node: &TreeNode) {
        self.files += node.file_count();
        self.lines += node.lines();
        self.failed += node.failed_files();
        for person in node.people() {
            let named = || (person.name().into_owned(), 0);
            let sum = self.people.entry(person.email().into_owned());
            sum.or_insert_with(named).1 += u64::from(person.lines());
        }
        for (year, lines) in node.years() {
            *self.years.entry(year).or_default() += u64::from(lines);
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args_os().nth(1).unwrap_or(".".into());
    let sums = Statistics::of(&Repository::discover(&directory)?)?;
    println!("{} lines in {} files", sums.lines, sums.files);
    if sums.failed > 0 {
        println!("{} files could not be blamed", sums.failed);
    }
    let mut people: Vec<_> = sums.people.values().collect();
    people.sort_by_key(|(_, lines)| std::cmp::Reverse(*lines));
    for (name, lines) in people.into_iter().take(10) {
        println!("{lines:9} {name}");
    }
    for (year, lines) in &sums.years {
        println!("{year:9} {lines} lines");
    }
    Ok(())
}
