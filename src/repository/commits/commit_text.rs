//! What the formats print of a commit: idents, summary and message, after mailmap and encoding.

use bstr::BString;

/// The author or the committer of a commit, as printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ident {
    /// The name after the mailmap; `(unknown)` where the commit has no such line.
    pub name: BString,
    /// The mail after the mailmap with its angle brackets; `(unknown)`, without brackets, where
    /// the commit has none.
    pub mail: BString,
    /// Seconds since the epoch; 0 where the stored date cannot be read, `u64::MAX` where it is too
    /// large.
    pub time: u64,
    /// The time zone as stored, for example `+0100` or `+05`; `(unknown)` where there is none.
    pub zone: BString,
}

/// The parts of a commit that a blame shows, in the output encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitText {
    /// Who wrote the change.
    pub author: Ident,
    /// Who committed it.
    pub committer: Ident,
    /// The first line of the message that is not blank; the id in parentheses where there is none.
    pub summary: BString,
    /// The whole message.
    pub message: BString,
}
