//! What a person can switch while looking at a blame.

use std::{collections::BTreeSet, fmt};

use crate::objects::ObjectId;

/// How a view is blamed, as far as that can be switched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Switches {
    /// `-w`: white space does not count.
    pub whitespace: bool,
    /// `-M`: lines that moved within the file are followed.
    pub moves: bool,
    /// How often `-C` is given, 0 to 3.
    pub copies: u8,
    /// The commits of the work tree's own list are looked through.
    pub ignored_file: bool,
    /// Commits that are looked through besides.
    pub ignored: BTreeSet<ObjectId>,
}

impl fmt::Display for Switches {
    /// What is on, in short: `-w -C -C  2 ignored`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        if self.whitespace {
            words.push("-w".to_owned());
        }
        if self.moves && self.copies == 0 {
            words.push("-M".to_owned());
        }
        words.extend((0..self.copies).map(|_| "-C".to_owned()));
        if !self.ignored.is_empty() {
            words.push(format!("{} ignored", self.ignored.len()));
        }
        f.write_str(&words.join(" "))
    }
}

/// The work tree's own list of commits to look through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredFile {
    /// How many commits of the repository it names.
    pub count: usize,
    /// What is wrong with it, in words.
    pub problem: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_is_said_as_options_say_it() {
        assert_eq!(Switches::default().to_string(), "");
        let switches = Switches {
            whitespace: true,
            moves: true,
            ..Switches::default()
        };
        assert_eq!(switches.to_string(), "-w -M");
        let switches = Switches {
            moves: true,
            copies: 2,
            ignored: [ObjectId::null(gix::hash::Kind::Sha1)].into(),
            ..Switches::default()
        };
        assert_eq!(switches.to_string(), "-C -C 1 ignored");
    }
}
