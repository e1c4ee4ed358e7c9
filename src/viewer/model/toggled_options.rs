//! Blame options that can be toggled in the viewer.

use std::{collections::BTreeSet, fmt};

use crate::objects::ObjectId;

/// The toggled options of a view.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToggledOptions {
    /// `-w`: ignore whitespace.
    pub whitespace: bool,
    /// `-M`: detect lines moved within the file.
    pub moves: bool,
    /// Number of `-C` options, 0 to 3.
    pub copies: u8,
    /// Ignore the commits of `.git-blame-ignore-revs`.
    pub ignore_revs_file: bool,
    /// Further ignored commits.
    pub ignored: BTreeSet<ObjectId>,
}

impl fmt::Display for ToggledOptions {
    /// The options that are on: `-w -C -C 2 ignored`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut options = Vec::new();
        if self.whitespace {
            options.push("-w".to_owned());
        }
        if self.moves && self.copies == 0 {
            options.push("-M".to_owned());
        }
        options.extend((0..self.copies).map(|_| "-C".to_owned()));
        if !self.ignored.is_empty() {
            options.push(format!("{} ignored", self.ignored.len()));
        }
        f.write_str(&options.join(" "))
    }
}

/// The work tree's `.git-blame-ignore-revs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoreRevsFile {
    /// Number of commits that it names.
    pub count: usize,
    /// Why it cannot be used.
    pub problem: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_are_displayed_as_options() {
        assert_eq!(ToggledOptions::default().to_string(), "");
        let options = ToggledOptions {
            whitespace: true,
            moves: true,
            ..ToggledOptions::default()
        };
        assert_eq!(options.to_string(), "-w -M");
        let options = ToggledOptions {
            moves: true,
            copies: 2,
            ignored: [ObjectId::null(gix_hash::Kind::Sha1)].into(),
            ..ToggledOptions::default()
        };
        assert_eq!(options.to_string(), "-C -C 1 ignored");
    }
}
