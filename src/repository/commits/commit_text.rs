//! Commit texts as printed: idents, summary and message, after mailmap and re-encoding.

use bstr::BString;

use crate::dates::{calendar, moment::Moment};

/// The author or the committer of a commit, as printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ident {
    /// The name after the mailmap; `(unknown)` if the commit has no such line.
    pub name: BString,
    /// The mail after the mailmap, in angle brackets; `(unknown)`, without brackets, if the commit
    /// has none.
    pub mail: BString,
    /// Seconds since the epoch; 0 if the stored date is invalid, `u64::MAX` if it is too large.
    pub time: u64,
    /// The time zone as stored, for example `+0100` or `+05`; `(unknown)` if there is none.
    pub zone: BString,
}

impl Ident {
    /// The mail without angle brackets.
    pub fn address(&self) -> &[u8] {
        let mail = self.mail.as_slice();
        let mail = mail.strip_prefix(b"<").unwrap_or(mail);
        mail.strip_suffix(b">").unwrap_or(mail)
    }

    /// When it was, by the clock of the person.
    pub fn date(&self) -> Moment {
        Moment {
            time: self.seconds(),
            offset: self.offset(),
        }
    }

    /// Seconds since the epoch, at most the largest number.
    pub fn seconds(&self) -> i64 {
        i64::try_from(self.time).unwrap_or(i64::MAX)
    }

    /// The time zone in seconds ahead of UTC.
    pub fn offset(&self) -> i32 {
        let zone = calendar::parse_zone(&self.zone);
        (zone / 100 * 60 + zone % 100).saturating_mul(60)
    }
}

/// The parts of a commit that a blame shows, in the output encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitText {
    /// The author.
    pub author: Ident,
    /// The committer.
    pub committer: Ident,
    /// The first non-blank line of the message, else the id in parentheses.
    pub summary: BString,
    /// The whole message.
    pub message: BString,
    /// The id of the change that the commit is a version of.
    pub change_id: Option<BString>,
}
