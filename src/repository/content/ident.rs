//! The attribute `ident`: `$Id$` becomes `$Id: <blob> $` on checkout (gitattributes(5)).

use memchr::memchr;

use crate::objects::ObjectId;

/// `contents` as they are checked out of the blob `id`, or `None` if nothing changes.
pub(super) fn expand(contents: &[u8], id: &ObjectId) -> Option<Vec<u8>> {
    let keyword = format!("$Id: {id} $");
    let mut expanded = Vec::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(dollar) = memchr(b'$', &contents[at..]).map(|offset| at + offset) {
        at = match keyword_length(&contents[dollar..]) {
            Some(length) => {
                expanded.extend_from_slice(&contents[copied..dollar]);
                expanded.extend_from_slice(keyword.as_bytes());
                copied = dollar + length;
                copied
            }
            None => dollar + 1,
        };
    }
    (copied > 0).then(|| {
        expanded.extend_from_slice(&contents[copied..]);
        expanded
    })
}

/// The length of the keyword at the start of `text`, which git replaces. Another version control
/// system's keyword, with several words, stays.
fn keyword_length(text: &[u8]) -> Option<usize> {
    const START: &[u8] = b"$Id:";
    if text.starts_with(b"$Id$") {
        return Some(4);
    }
    let value = text.strip_prefix(START)?;
    let end = memchr(b'$', value)?;
    let value = &value[..end];
    if value.contains(&b'\n') {
        return None;
    }
    let inner = value.get(1..value.len().saturating_sub(1));
    if inner.is_some_and(|inner| inner.contains(&b' ')) {
        None
    } else {
        Some(START.len() + end + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bstr::{BString, ByteSlice};

    fn expanded(contents: &str) -> BString {
        let id = ObjectId::null(gix_hash::Kind::Sha1);
        let contents = str::replace(contents, "#", &id.to_string());
        expand(contents.as_bytes(), &id).map_or_else(
            || "unchanged".into(),
            |text| text.replace(id.to_string(), "#").into(),
        )
    }

    // Compared with git in tests/it/generated/checkout.rs.
    #[test]
    fn keywords_are_replaced() {
        assert_eq!(expanded("a $Id$ b"), "a $Id: # $ b");
        assert_eq!(expanded("$Id: old $\n$Id:$"), "$Id: # $\n$Id: # $");
        assert_eq!(expanded("$Id$ $Id: a b $"), "$Id: # $ $Id: a b $");
        assert_eq!(expanded("$Id: a\n$"), "unchanged");
        assert_eq!(expanded("$$Id$"), "$$Id: # $");
        assert_eq!(expanded("$Id: $Id$"), "$Id: # $Id$");
    }
}
