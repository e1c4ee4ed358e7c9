//! The refspecs of remotes: which are valid, and how they map names, as gitrevisions and git-fetch
//! describe them and as `git rev-parse @{upstream}` answers.

use bstr::{BStr, BString, ByteSlice};

use crate::repository::references::names;

/// Which variable a refspec is the value of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RefspecUse {
    /// `remote.*.fetch`
    Fetch,
    /// `remote.*.push`
    Push,
}

/// A valid refspec, split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refspec<'a> {
    /// `^`: names that match are left out.
    is_negative: bool,
    source: &'a [u8],
    /// After the last colon, if there is one.
    destination: Option<&'a [u8]>,
}

impl<'a> Refspec<'a> {
    /// Splits `text`; `None` if it is invalid in a repository whose object ids have `hex_len`
    /// digits.
    pub(super) fn parse(text: &'a [u8], of: RefspecUse, hex_len: usize) -> Option<Refspec<'a>> {
        let (is_negative, rest) = match text.first() {
            Some(b'^') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let (source, destination) = match rest.rfind_byte(b':') {
            Some(at) => (&rest[..at], Some(&rest[at + 1..])),
            None => (rest, None),
        };
        let spec = Refspec {
            is_negative,
            source,
            destination,
        };
        let is_valid = match (is_negative, of) {
            (true, _) => spec.is_valid_negative(hex_len),
            (false, RefspecUse::Fetch) => spec.is_valid_fetch(hex_len),
            (false, RefspecUse::Push) => spec.is_valid_push(),
        };
        is_valid.then_some(spec)
    }

    fn is_valid_negative(&self, hex_len: usize) -> bool {
        self.destination.is_none() && !is_id(self.source, hex_len) && is_valid_source(self.source)
    }

    fn is_valid_fetch(&self, hex_len: usize) -> bool {
        let destination = self.destination.unwrap_or_default();
        has_star(self.source) == has_star(destination)
            && (self.source.is_empty()
                || is_id(self.source, hex_len)
                || is_valid_source(self.source))
            && (destination.is_empty() || is_valid_side(destination))
    }

    fn is_valid_push(&self) -> bool {
        match self.destination {
            // The source is the destination, too.
            None => is_valid_source(self.source),
            // `:`, all branches that both sides have.
            Some(b"") => self.source.is_empty(),
            // The source may be any expression, or empty to remove the destination.
            Some(destination) => {
                has_star(self.source) == has_star(destination)
                    && (!has_star(self.source) || is_valid_source(self.source))
                    && is_valid_side(destination)
            }
        }
    }

    /// The name that `name` is stored or pushed as.
    fn mapped(&self, name: &BStr) -> Option<BString> {
        let destination = self.destination.filter(|it| !it.is_empty())?;
        translated(self.source, destination, name)
    }
}

/// The name that the first refspec that matches maps `name` to; `None` if none does or if a
/// negative one excludes it.
pub(super) fn mapped(specs: &[Refspec<'_>], name: &BStr) -> Option<BString> {
    let is_excluded = |name: &BStr| {
        let mut negative = specs.iter().filter(|spec| spec.is_negative);
        negative.any(|spec| part_of_pattern(spec.source, name).is_some())
    };
    let positive = || specs.iter().filter(|spec| !spec.is_negative);
    // git takes the name for the destination of patterns, and excludes the sources that they have
    // for it.
    let excluded = positive().any(|spec| {
        if has_star(spec.source) {
            let destination = spec.destination.unwrap_or_default();
            let source = translated(destination, spec.source, name);
            source.is_some_and(|source| is_excluded(source.as_bstr()))
        } else {
            spec.source == name.as_bytes() && is_excluded(name)
        }
    });
    if excluded {
        return None;
    }
    positive().find_map(|spec| spec.mapped(name))
}

fn has_star(side: &[u8]) -> bool {
    side.contains(&b'*')
}

fn is_id(text: &[u8], hex_len: usize) -> bool {
    text.len() == hex_len && text.iter().all(u8::is_ascii_hexdigit)
}

/// True if `side` is the name of a reference in which one `*` may be any text.
fn is_valid_side(side: &[u8]) -> bool {
    match side.find_byte(b'*') {
        Some(at) => names::is_valid(&[&side[..at], b"x", &side[at + 1..]].concat()),
        None => names::is_valid(side),
    }
}

/// Also `@`, which stands for `HEAD`.
fn is_valid_source(side: &[u8]) -> bool {
    side == b"@" || is_valid_side(side)
}

/// `name`, if `from` matches it, with the part that is the `*` of `from` in place of that of `to`.
fn translated(from: &[u8], to: &[u8], name: &BStr) -> Option<BString> {
    let matched = part_of_pattern(from, name)?;
    Some(match to.find_byte(b'*') {
        Some(at) => [&to[..at], matched, &to[at + 1..]].concat().into(),
        None => to.into(),
    })
}

/// The part of `name` that the `*` of `pattern` stands for; empty for equal texts.
fn part_of_pattern<'a>(pattern: &[u8], name: &'a BStr) -> Option<&'a [u8]> {
    match pattern.find_byte(b'*') {
        Some(at) => {
            let rest = name.strip_prefix(&pattern[..at])?;
            rest.strip_suffix(&pattern[at + 1..])
        }
        None => (pattern == name.as_bytes()).then_some(b""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected values are those of `git rev-parse --symbolic-full-name @{upstream}` and `@{push}`.
    #[test]
    fn refspecs_map_names() {
        let of = |specs: &[&str], name: &str, of| {
            let specs = specs.iter();
            let specs = specs.map(|spec| Refspec::parse(spec.as_bytes(), of, 40));
            let specs: Vec<_> = specs.map(|spec| spec.expect("is valid")).collect();
            mapped(&specs, name.into())
        };
        let fetch = |specs: &[&str], name| of(specs, name, RefspecUse::Fetch);
        let all = "+refs/heads/*:refs/remotes/o/*";
        let found = Some("refs/remotes/o/a/b".into());
        assert_eq!(fetch(&[all], "refs/heads/a/b"), found);
        assert_eq!(fetch(&[all], "refs/tags/a"), None);
        assert_eq!(fetch(&["a:b"], "a"), Some("b".into()));
        assert_eq!(fetch(&["a"], "a"), None);
        // Negative refspecs exclude what a pattern has for the name as its destination.
        let ab = "refs/heads/ab";
        assert!(fetch(&[all, "^refs/heads/a*"], ab).is_some());
        let same = "refs/heads/*:refs/heads/*";
        assert_eq!(fetch(&[all, same, "^refs/heads/a*"], ab), None);
        assert!(fetch(&[all, same, "^refs/heads/b*"], ab).is_some());
        let single = "refs/heads/ab:x";
        assert_eq!(fetch(&[all, single, "^refs/heads/ab"], ab), None);

        let push = |specs: &[&str]| of(specs, ab, RefspecUse::Push);
        assert_eq!(push(&[ab]), None);
        assert_eq!(push(&["refs/heads/ab:x"]), Some("x".into()));
        assert_eq!(push(&["refs/heads/ab:x", "^refs/heads/a*"]), None);
        assert!(push(&["refs/heads/*:x/*", "^refs/heads/a*"]).is_some());
    }
}
