//! The paths that the names of a file in a patch may stand for.

use bstr::{BStr, BString, ByteSlice};

use crate::patch::file::{PatchName, PrefixUse};

/// Most directories that are taken off a path whose prefix is not known.
const MAX_STRIPPED: usize = 8;

/// The paths from the root of the tree that the names of a file may stand for, likeliest first.
#[derive(Debug, Default)]
pub(super) struct NamePaths {
    pub(super) all: Vec<BString>,
    /// Those that what is known of the first directories allows.
    pub(super) likely: Vec<BString>,
    /// The first directory is known to be a prefix.
    pub(super) is_prefix_known: bool,
}

impl NamePaths {
    /// The paths of the old name of a file, whose new one is `new`. `prefix` is the current directory
    /// with a slash at its end, or empty.
    pub(super) fn of(name: &PatchName, new: Option<&PatchName>, prefix: &BStr) -> NamePaths {
        // `diff -u` compares files of any two names.
        let new = new.filter(|_| name.prefix == PrefixUse::Unknown);
        let mut paths = NamePaths {
            is_prefix_known: name.prefix == PrefixUse::First,
            ..NamePaths::default()
        };
        if let Some(path) = new.and_then(|new| common_end(&name.path, &new.path)) {
            let path = PatchName {
                path: path.into(),
                prefix: PrefixUse::None,
            };
            paths.add(&path, prefix);
        }
        for name in [name].into_iter().chain(new) {
            paths.add(name, prefix);
        }
        paths
    }

    fn add(&mut self, name: &PatchName, prefix: &BStr) {
        let whole = name.path.as_slice();
        let mut stripped: Vec<&[u8]> = Vec::new();
        let mut rest = whole;
        while let Some(end) = rest
            .find_byte(b'/')
            .filter(|_| stripped.len() < MAX_STRIPPED)
        {
            rest = &rest[end + 1..];
            stripped.push(rest);
        }
        let first = stripped.first().copied();
        let others = stripped.into_iter().skip(1);
        let (likely, unlikely) = match name.prefix {
            PrefixUse::None => (vec![whole], first),
            PrefixUse::First => (vec![first.unwrap_or(whole)], Some(whole)),
            PrefixUse::Unknown => (first.into_iter().chain([whole]).collect(), None),
        };
        let with_prefix = |path: &[u8]| {
            let below = (!prefix.is_empty()).then(|| [prefix.as_bytes(), path].concat().into());
            [Some(BString::from(path)), below].into_iter().flatten()
        };
        let likely: Vec<BString> = likely.into_iter().flat_map(with_prefix).collect();
        self.all.extend(likely.iter().cloned());
        self.likely.extend(likely);
        self.all
            .extend(unlikely.into_iter().chain(others).flat_map(with_prefix));
    }
}

/// The directories and the name that two names end with, where they begin with different ones: the
/// path, whatever stands before it.
fn common_end<'n>(one: &'n [u8], other: &[u8]) -> Option<&'n [u8]> {
    let parts = one.rsplit(|&byte| byte == b'/');
    let mut pairs = parts.zip(other.rsplit(|&byte| byte == b'/'));
    let mut len = 0;
    while let Some((part, _)) = pairs.next().filter(|(part, same)| part == same) {
        len += part.len() + 1;
    }
    let start = one.len().checked_sub(len.checked_sub(1)?)?;
    Some(&one[start..])
}
