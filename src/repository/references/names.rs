//! Names of references: what is valid, and which work tree they belong to.

use bstr::{BStr, BString, ByteSlice};

/// Names with these prefixes belong to one work tree, as do names outside of `refs/`.
const OF_WORK_TREES: [&str; 3] = ["refs/bisect/", "refs/worktree/", "refs/rewritten/"];

/// The work tree that a reference belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Owner {
    /// All work trees share it.
    Shared,
    /// The current work tree.
    Current,
    /// The main work tree, whichever is the current one.
    Main,
    /// The linked work tree with this id.
    Linked(BString),
}

/// Splits a full name into its owner and the name there.
pub(crate) fn owner(name: &BStr) -> (Owner, &BStr) {
    if let Some(rest) = name.strip_prefix(b"main-worktree/") {
        return (Owner::Main, rest.as_bstr());
    }
    if let Some(rest) = name.strip_prefix(b"worktrees/")
        && let Some(at) = rest.find_byte(b'/')
    {
        return (Owner::Linked(rest[..at].into()), rest[at + 1..].as_bstr());
    }
    if is_of_work_tree(name) {
        (Owner::Current, name)
    } else {
        (Owner::Shared, name)
    }
}

/// True if each work tree has its own reference of this name.
pub(crate) fn is_of_work_tree(name: &[u8]) -> bool {
    let mut own = OF_WORK_TREES.iter();
    !name.starts_with(b"refs/") || own.any(|own| name.starts_with(own.as_bytes()))
}

/// True if `name` is well-formed by the rules of git-check-ref-format, one component allowed.
pub(crate) fn is_valid(name: &[u8]) -> bool {
    let bad = |byte: &u8| {
        matches!(
            byte,
            0..=0x20 | 0x7f | b'~' | b'^' | b':' | b'?' | b'*' | b'[' | b'\\'
        )
    };
    let bad_component = |component: &[u8]| {
        component.is_empty() || component.starts_with(b".") || component.ends_with(b".lock")
    };
    !(name == b"@"
        || name.iter().any(bad)
        || name.ends_with(b".")
        || name.windows(2).any(|pair| matches!(pair, b".." | b"@{"))
        || name.split(|byte| *byte == b'/').any(bad_component))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_of_references() {
        let of = |name: &'static str| {
            let (owner, name) = owner(name.into());
            (owner, name.to_str().expect("ASCII"))
        };
        assert_eq!(of("HEAD"), (Owner::Current, "HEAD"));
        assert_eq!(of("refs/heads/a"), (Owner::Shared, "refs/heads/a"));
        assert_eq!(of("refs/bisect/bad"), (Owner::Current, "refs/bisect/bad"));
        assert_eq!(of("main-worktree/HEAD"), (Owner::Main, "HEAD"));
        assert_eq!(of("worktrees/x/HEAD"), (Owner::Linked("x".into()), "HEAD"));
        assert_eq!(of("worktrees/x"), (Owner::Current, "worktrees/x"));
    }

    #[test]
    fn names_that_git_refuses() {
        for name in ["HEAD", "refs/heads/a", "a/b@c", "a@", "{a}"] {
            assert!(is_valid(name.as_bytes()), "{name}");
        }
        for name in [
            "", "@", "a..b", "a/", "/a", "a//b", ".a", "a/.b", "a.lock", "a.lock/b", "a.", "a b",
            "a@{b", "a^", "a~", "a:", "a?", "a*", "a[", "a\\", "a\x7f",
        ] {
            assert!(!is_valid(name.as_bytes()), "{name}");
        }
    }
}
