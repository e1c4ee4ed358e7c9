//! Commits as the library returns them: id, author, committer and message.

use std::{borrow::Cow, fmt, str::FromStr, sync::Arc};

use bstr::{BStr, ByteSlice};

use super::error::{Error, Result};
use crate::{
    objects::ObjectId,
    repository::commits::{
        commit_text::{CommitText, Ident},
        commit_texts::CommitTexts,
    },
};

/// The id of a commit: a SHA-1 or SHA-256 hash. Displayed and parsed as hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommitId(ObjectId);

impl CommitId {
    pub(super) fn new(id: ObjectId) -> CommitId {
        CommitId(id)
    }

    /// The bytes of the hash: 20 for SHA-1, 32 for SHA-256.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// True if all bytes are zero, which stands for lines that are not committed yet.
    pub fn is_uncommitted(&self) -> bool {
        self.0.is_null()
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CommitId({self})")
    }
}

impl FromStr for CommitId {
    type Err = ParseCommitIdError;

    fn from_str(hex: &str) -> Result<CommitId, ParseCommitIdError> {
        let id = ObjectId::from_hex(hex.as_bytes());
        id.map(CommitId).map_err(|_| ParseCommitIdError(()))
    }
}

/// A text that is not the 40 or 64 hexadecimal digits of a commit id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseCommitIdError(());

impl fmt::Display for ParseCommitIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a commit id has 40 or 64 hexadecimal digits")
    }
}

impl std::error::Error for ParseCommitIdError {}

/// A commit that lines come from. Clones are cheap.
///
/// Names and mail addresses are those of the mailmap. Texts are converted from the commit's
/// encoding to the one asked for ([`BlameBuilder::encoding`](crate::BlameBuilder::encoding)).
#[derive(Debug, Clone)]
pub struct CommitInfo {
    id: CommitId,
    text: Arc<CommitText>,
}

impl CommitInfo {
    /// Reads a commit.
    pub(super) fn read(id: &ObjectId, texts: &mut CommitTexts) -> Result<CommitInfo> {
        let text = texts.get(id).map_err(Error::of_commit)?;
        Ok(CommitInfo {
            id: CommitId::new(*id),
            text,
        })
    }

    /// The id; all zeros for lines that are not committed yet.
    pub fn id(&self) -> CommitId {
        self.id
    }

    /// The author. For lines that are not committed yet, `Not Committed Yet` at the current time.
    pub fn author(&self) -> Identity<'_> {
        Identity(&self.text.author)
    }

    /// The committer.
    pub fn committer(&self) -> Identity<'_> {
        Identity(&self.text.committer)
    }

    /// The first line of the message that is not blank. Invalid UTF-8 is replaced by U+FFFD.
    pub fn summary(&self) -> Cow<'_, str> {
        self.text.summary.to_str_lossy()
    }

    /// The whole message. Invalid UTF-8 is replaced by U+FFFD.
    pub fn message(&self) -> Cow<'_, str> {
        self.text.message.to_str_lossy()
    }

    /// The bytes of the whole message.
    pub fn message_bytes(&self) -> &[u8] {
        &self.text.message
    }
}

/// The author or committer of a commit, and when.
#[derive(Debug, Clone, Copy)]
pub struct Identity<'a>(&'a Ident);

impl<'a> Identity<'a> {
    /// The name; `(unknown)` if the commit has none. Invalid UTF-8 is replaced by U+FFFD.
    pub fn name(&self) -> Cow<'a, str> {
        self.0.name.to_str_lossy()
    }

    /// The bytes of the name.
    pub fn name_bytes(&self) -> &'a [u8] {
        &self.0.name
    }

    /// The mail address without angle brackets; `(unknown)` if the commit has none. Invalid UTF-8
    /// is replaced by U+FFFD.
    pub fn email(&self) -> Cow<'a, str> {
        self.email_bytes().to_str_lossy()
    }

    /// The bytes of the mail address without angle brackets.
    pub fn email_bytes(&self) -> &'a [u8] {
        let mail: &BStr = self.0.mail.as_ref();
        let inner = mail.strip_prefix(b"<").unwrap_or(mail);
        inner.strip_suffix(b">").unwrap_or(inner)
    }

    /// The date in seconds since 1970-01-01 00:00 UTC; 0 if the commit has none.
    pub fn seconds(&self) -> i64 {
        i64::try_from(self.0.time).unwrap_or(i64::MAX)
    }

    /// The time zone of the date, in minutes east of UTC; 0 if the commit has none.
    pub fn offset_minutes(&self) -> i32 {
        let zone = self.0.zone.to_str().ok();
        let number: i32 = zone.and_then(|zone| zone.parse().ok()).unwrap_or(0);
        number / 100 * 60 + number % 100
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_and_addresses() {
        let of = |zone: &str, mail: &str| Ident {
            name: "A".into(),
            mail: mail.into(),
            time: u64::MAX,
            zone: zone.into(),
        };
        for (zone, minutes) in [
            ("+0100", 60),
            ("-0330", -210),
            ("+05", 5),
            ("(unknown)", 0),
            ("+99999999999", 0),
        ] {
            assert_eq!(Identity(&of(zone, "")).offset_minutes(), minutes, "{zone}");
        }
        assert_eq!(Identity(&of("", "<a@b>")).email(), "a@b");
        assert_eq!(Identity(&of("", "(unknown)")).email(), "(unknown)");
        assert_eq!(Identity(&of("", "")).seconds(), i64::MAX);
    }

    #[test]
    fn ids_are_parsed_and_shown() {
        let hex = "0123456789abcdef0123456789abcdef01234567";
        let id: CommitId = hex.parse().unwrap();
        assert_eq!(id.to_string(), hex);
        assert!(!id.is_uncommitted());
        assert!("0123".parse::<CommitId>().is_err());
    }
}
