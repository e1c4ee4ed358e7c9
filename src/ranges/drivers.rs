//! The rules that come with the names of `diff` attributes that git knows (gitattributes(5)).

use bstr::BStr;

/// The lines that begin a function (or a section) in one language.
pub(super) struct Driver {
    pub(super) name: &'static str,
    /// Extended regular expressions, one a line; those after a `!` decide against.
    pub(super) patterns: &'static str,
    pub(super) ignore_case: bool,
}

/// The driver of a name, if git knows it.
pub(super) fn find(name: &BStr) -> Option<&'static Driver> {
    DRIVERS.iter().find(|driver| name == driver.name)
}

const DRIVERS: &[Driver] = &[];
