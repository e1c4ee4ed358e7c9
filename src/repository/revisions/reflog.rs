//! Names with `@{…}`: earlier values of references, earlier branches, and upstreams.

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    dates::{
        approxidate,
        calendar::Clock,
        date_format::{DateMode, DateNotation},
    },
    error::{Error, Result, noted, quoted},
    objects::ObjectId,
    repository::{
        references::ReflogEntry,
        revisions::{resolver::RevisionResolver, upstream::Followed},
    },
};

/// From this number on, `@{number}` is a time.
const FIRST_TIME: i32 = 100_000_000;
/// Message of a reflog entry for a changed branch.
const CHECKOUT: &[u8] = b"checkout: moving from ";

/// A place in a reflog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Selector {
    /// So many changes ago.
    Nth(i64),
    /// The value at this time.
    Time(i64),
}

impl RevisionResolver<'_> {
    /// Resolves a name without suffixes, apart from `@{…}`.
    ///
    /// # Errors
    ///
    /// Where git ends at once, as for a log that is too short.
    pub(super) fn basic(&mut self, name: &BStr) -> Result<Option<ObjectId>> {
        let hex_len = self.repository.hash().len_in_hex();
        if name.len() == hex_len
            && let Ok(id) = ObjectId::from_hex(name)
        {
            return Ok(Some(id));
        }
        let (base, inside) = match split_selector(name) {
            Some((base, inside)) => (base, Some(inside)),
            None => (name, None),
        };
        if base.is_empty() && inside.is_none() {
            return Ok(None);
        }
        // An earlier checkout may have been of a commit; git ignores what follows it then.
        if last_mark(name) == Some(0)
            && let Some(nth) = earlier_checkout(name)
            && let Some(id) = self.earlier_branch(nth)
            && id.len() == hex_len
            && let Ok(id) = ObjectId::from_hex(&id)
        {
            return Ok(Some(id));
        }
        let Some(inside) = inside else {
            let Some(full) = self.expanded(base)? else {
                return Ok(None);
            };
            return self.reference(full.as_bstr(), name);
        };
        let log = if base.is_empty() {
            let head = self.references.resolve("HEAD".into());
            head.filter(|it| it.id().is_some()).map(|it| it.name)
        } else {
            match self.expanded(base)? {
                Some(full) => self.name_of_log(full.as_bstr(), base)?,
                None => None,
            }
        };
        let Some(log) = log else {
            return Ok(None);
        };
        let clock = Clock::system().with_older_dates(self.repository.has_older_dates());
        let Some(selector) = selector(inside, &clock) else {
            return Ok(None);
        };
        let shown = if base.is_empty() {
            let branch = log.strip_prefix(b"refs/heads/");
            branch.unwrap_or(b"HEAD").as_bstr()
        } else {
            base
        };
        self.earlier_value(log.as_bstr(), shown, selector)
    }

    /// Replaces `@`, `@{-n}`, `@{upstream}` and `@{push}` by the names that they stand for. `None`
    /// if there was no such checkout, or something else follows.
    fn expanded(&mut self, name: &BStr) -> Result<Option<BString>> {
        let mut name = name.to_owned();
        if let Some(rest) = name.strip_prefix(b"@{-") {
            if let Some(nth) = earlier_checkout(name.as_bstr()) {
                let end = rest.find_byte(b'}').map_or(rest.len(), |end| end + 1);
                let after = rest[end..].to_vec();
                let Some(mut earlier) = self.earlier_branch(nth) else {
                    return Ok(None);
                };
                earlier.push_str(after);
                name = earlier;
            }
        } else if name == "@" || name.starts_with(b"@@{") {
            name = [b"HEAD", &name[1..]].concat().into();
        }
        let mark = name.find_iter(b"@{").find_map(|at| {
            let word = name[at + 2..].split(|byte| *byte == b'}').next()?;
            Some((at, word.len(), Followed::from_word(word)?))
        });
        match mark {
            Some((at, len, what)) => {
                let branch = name[..at].as_bstr().to_owned();
                let followed = self.followed(branch.as_bstr(), what)?;
                // Nothing may follow it.
                Ok((at + len + 3 == name.len()).then_some(followed))
            }
            None => Ok(Some(name)),
        }
    }

    /// The branch or commit that was checked out `nth` checkouts ago.
    fn earlier_branch(&mut self, nth: usize) -> Option<BString> {
        let log = self.references.log("HEAD".into()).unwrap_or_default();
        let from = log.iter().rev().filter_map(|entry| {
            let moved = entry.message.strip_prefix(CHECKOUT)?;
            let end = moved.find(b" to ")?;
            Some(&moved[..end])
        });
        from.into_iter().nth(nth - 1).map(BString::from)
    }

    /// The full name of the reference with a log that `name` stands for; warns, calling it `shown`,
    /// if it may stand for several.
    fn name_of_log(&mut self, name: &BStr, shown: &BStr) -> Result<Option<BString>> {
        let mut found = None;
        let mut count = 0;
        for full in self.full_names(name) {
            let Some(resolved) = self.references.resolve(full.as_bstr()) else {
                continue;
            };
            if resolved.id().is_none() {
                continue;
            }
            let log = if self.references.has_log(full.as_bstr()) {
                full
            } else if resolved.name != full && self.references.has_log(resolved.name.as_bstr()) {
                resolved.name
            } else {
                continue;
            };
            found.get_or_insert(log);
            count += 1;
            if !self.repository.config().warn_ambiguous_refs {
                break;
            }
        }
        self.note_if_ambiguous(count, shown)?;
        Ok(found)
    }

    /// The value that the reference `log` had; messages call it `shown`.
    fn earlier_value(
        &mut self,
        log: &BStr,
        shown: &BStr,
        selector: Selector,
    ) -> Result<Option<ObjectId>> {
        let entries = self.references.log(log).unwrap_or_default();
        let current = self.references.object(log);
        let Some(oldest) = entries.first() else {
            return match selector {
                Selector::Nth(0) => Ok(current),
                _ => Err(Error::fatal(format!("log for {log} is empty"))),
            };
        };
        match selector {
            Selector::Nth(nth) => {
                let nth = usize::try_from(nth).unwrap_or(usize::MAX);
                if nth == entries.len() && !oldest.old.is_null() {
                    return Ok(Some(oldest.old));
                }
                if let Some(at) = entries.len().checked_sub(nth.saturating_add(1)) {
                    return Ok(Some(self.value_after(log, &entries, at, current, None)));
                }
                let problem = format!(" only has {} entries", entries.len());
                Err(Error::fatal(quoted("log for ", shown, &problem)))
            }
            Selector::Time(time) => {
                let before = |entry: &ReflogEntry| i128::from(entry.time) <= i128::from(time);
                let Some(at) = entries.iter().rposition(before) else {
                    let date = date_of(oldest);
                    let mut note = quoted("warning: log for ", shown, " only goes back to ");
                    note.push_str(date);
                    self.notes.push(noted(note.into()));
                    return Ok(Some(if oldest.old.is_null() {
                        oldest.new
                    } else {
                        oldest.old
                    }));
                };
                Ok(Some(self.value_after(
                    log,
                    &entries,
                    at,
                    current,
                    Some(time),
                )))
            }
        }
    }

    /// The value after the entry `at`; warns if the next entry or the current value do not follow.
    fn value_after(
        &mut self,
        log: &BStr,
        entries: &[ReflogEntry],
        at: usize,
        current: Option<ObjectId>,
        time: Option<i64>,
    ) -> ObjectId {
        let entry = &entries[at];
        let next = entries.get(at + 1).filter(|next| !next.old.is_null());
        if let Some(next) = next {
            if next.old != entry.new {
                self.note_log(log, " has gap after ", entry);
            }
            return entry.new;
        }
        let is_then = time.is_some_and(|time| i128::from(entry.time) == i128::from(time));
        match current.filter(|current| !is_then && *current != entry.new) {
            Some(current) => {
                self.note_log(log, " unexpectedly ended on ", entry);
                current
            }
            None => entry.new,
        }
    }

    fn note_log(&mut self, log: &BStr, problem: &str, entry: &ReflogEntry) {
        let mut note = BString::from("warning: log for ref ");
        note.push_str(log);
        note.push_str(problem);
        note.push_str(date_of(entry));
        self.notes.push(noted(note));
    }
}

/// The number in `@{-n}` at the start of `name`.
fn earlier_checkout(name: &BStr) -> Option<usize> {
    let rest = name.strip_prefix(b"@{-")?;
    let number = rest[..rest.find_byte(b'}')?].to_str().ok()?;
    number.parse().ok().filter(|number| *number > 0)
}

/// Where the last `@{` of a name that ends with `}` is, with something between them.
fn last_mark(name: &BStr) -> Option<usize> {
    let before = name.strip_suffix(b"}")?;
    before[..before.len().saturating_sub(1)].rfind(b"@{")
}

/// Splits `BASE@{INSIDE}` where it selects an entry of a log.
fn split_selector(name: &BStr) -> Option<(&BStr, &BStr)> {
    let at = last_mark(name)?;
    let inside = &name[at + 2..name.len() - 1];
    let word = inside.split(|byte| *byte == b'}').next()?;
    let selects = !inside.starts_with(b"-") && Followed::from_word(word).is_none();
    selects.then(|| (name[..at].as_bstr(), inside.as_bstr()))
}

/// The meaning of the text in `@{text}`.
fn selector(inside: &BStr, clock: &Clock) -> Option<Selector> {
    if inside.is_empty() {
        return None;
    }
    if inside.iter().all(u8::is_ascii_digit) {
        // git counts in 32 bits.
        let number = inside.iter().fold(0i32, |number, digit| {
            let digit = i32::from(digit - b'0');
            number.wrapping_mul(10).wrapping_add(digit)
        });
        return Some(if number >= FIRST_TIME {
            Selector::Time(number.into())
        } else {
            Selector::Nth(number.into())
        });
    }
    approxidate::parse_known(inside, clock).map(Selector::Time)
}

/// The date of an entry as in messages.
fn date_of(entry: &ReflogEntry) -> Vec<u8> {
    let mode = DateMode {
        notation: DateNotation::Rfc,
        local: false,
    };
    let mut date = Vec::new();
    // A time that cannot be shown leaves the date empty.
    mode.push(&mut date, entry.time, entry.zone, &Clock::system())
        .ok();
    date
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_dates_select() {
        let selector = |inside: &str| selector(inside.into(), &Clock::system());
        assert_eq!(selector("0"), Some(Selector::Nth(0)));
        assert_eq!(selector("00012"), Some(Selector::Nth(12)));
        assert_eq!(selector("100000000"), Some(Selector::Time(100_000_000)));
        let wrapped = Some(Selector::Time(1_215_752_191));
        assert_eq!(selector("99999999999"), wrapped);
        assert_eq!(selector(""), None);
        assert_eq!(selector("foo"), None);
        assert!(matches!(selector("yesterday"), Some(Selector::Time(_))));
    }

    #[test]
    fn selectors_are_split_off() {
        let of = |name: &'static str| split_selector(name.into());
        assert_eq!(of("a@{1}"), Some(("a".into(), "1".into())));
        assert_eq!(of("@{u}@{1}"), Some(("@{u}".into(), "1".into())));
        for name in ["a@{u}", "a@{u}3}", "@{-1}", "a", "a}", "a@{1}b"] {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
