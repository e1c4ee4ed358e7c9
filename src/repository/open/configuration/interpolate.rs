//! Paths in the configuration: `~/…`, `~user/…`, `%(prefix)/…`.

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::repository::open::environment::variable;

/// Expands a path's beginning; `None` if there is no such home directory.
pub(crate) fn expand_path(path: &BStr) -> Option<BString> {
    if let Some(rest) = path.strip_prefix(b"%(prefix)/") {
        return Some([b"/usr/", rest].concat().into());
    }
    let Some(after) = path.strip_prefix(b"~") else {
        return Some(path.to_owned());
    };
    let (user, rest) = match after.find_byte(b'/') {
        Some(at) => after.split_at(at),
        None => (after, &b""[..]),
    };
    let mut home = match user {
        b"" => variable("HOME")?,
        user => {
            let home = gix::config::path::interpolate::home_for_user(user.to_str().ok()?)?;
            Vec::from_os_string(home.into_os_string()).ok()?.into()
        }
    };
    home.push_str(rest);
    Some(home)
}
