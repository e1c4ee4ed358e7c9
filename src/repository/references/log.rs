//! Entries of reflogs.

use bstr::{BString, ByteSlice};

use crate::objects::ObjectId;

/// One change of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReflogEntry {
    /// The value before; null for a new reference.
    pub(crate) old: ObjectId,
    /// The value after; null for a deleted reference.
    pub(crate) new: ObjectId,
    /// Seconds since the epoch.
    pub(crate) time: u64,
    /// The time zone, in the digits of `+0100`.
    pub(crate) zone: i32,
    /// Why it changed.
    pub(crate) message: BString,
}

impl ReflogEntry {
    /// Reads a line of a log file; `None` if it is malformed, which git skips.
    pub(crate) fn parse(line: &[u8]) -> Option<ReflogEntry> {
        let (old, rest) = line.split_once_str(" ")?;
        let (new, rest) = rest.split_once_str(" ")?;
        let at = rest.find("> ")?;
        let (date, message) = match rest[at + 2..].split_once_str("\t") {
            Some((date, message)) => (date, message),
            None => (&rest[at + 2..], &b""[..]),
        };
        let (time, zone) = date.split_once_str(" ")?;
        let ([sign @ (b'+' | b'-'), digits @ ..], 5) = (zone, zone.len()) else {
            return None;
        };
        let zone: i32 = digits.to_str().ok()?.parse().ok()?;
        Some(ReflogEntry {
            old: ObjectId::from_hex(old).ok()?,
            new: ObjectId::from_hex(new).ok()?,
            time: time.to_str().ok()?.parse().ok().filter(|time| *time > 0)?,
            zone: if *sign == b'-' { -zone } else { zone },
            message: message.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_log_files() {
        let (a, b) = ("a".repeat(40), "b".repeat(40));
        let line = format!("{a} {b} A <a@x> 1600000000 -0330\tcommit: x");
        let entry = ReflogEntry::parse(line.as_bytes()).expect("well-formed");
        assert_eq!((entry.time, entry.zone), (1_600_000_000, -330));
        assert_eq!(entry.message, "commit: x");
        assert!(ReflogEntry::parse(format!("{a} {b} A <a@x> 16 +0100").as_bytes()).is_some());
        for line in [
            format!("{a} {b}"),
            format!("{a} x A <a@x> 16 +0100\t"),
            format!("{a} {b} A <a@x> 16 0100\t"),
            format!("{a} {b} A <a@x> 16 +010\t"),
            String::new(),
        ] {
            assert!(ReflogEntry::parse(line.as_bytes()).is_none(), "{line}");
        }
    }
}
