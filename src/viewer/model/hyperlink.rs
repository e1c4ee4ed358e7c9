//! Links of the screen, which terminals open (OSC 8).

use std::{ops::Range, sync::Arc};

/// The longest URL of a link, in bytes. VTE, which is the strictest known terminal, takes no more.
const MAX_URL_LEN: usize = 2083;

/// Columns of a row of the screen that are a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hyperlink {
    /// The columns.
    pub columns: Range<u16>,
    /// The row.
    pub row: u16,
    /// The page: printable ASCII.
    pub url: Arc<str>,
}

impl Hyperlink {
    /// A link to a web page. `None` for any other URL, one of more than 2083 bytes, and one with
    /// characters that a URL cannot have, which may come from a commit message: in a terminal they
    /// would end the URL, and what follows could be a command.
    pub(crate) fn new(columns: Range<u16>, row: u16, url: &str) -> Option<Hyperlink> {
        let is_web = url.starts_with("https://") || url.starts_with("http://");
        let is_clean = url.bytes().all(|byte| byte.is_ascii_graphic());
        let is_link = is_web && is_clean && url.len() <= MAX_URL_LEN && !columns.is_empty();
        is_link.then(|| Hyperlink {
            columns,
            row,
            url: url.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clean_urls_of_web_pages_are_links() {
        let is_link = |url: &str| Hyperlink::new(0..8, 0, url).is_some();
        for url in ["https://example.org/a?b=c&d#e;f", "http://example.org"] {
            assert!(is_link(url), "{url}");
        }
        for url in [
            "",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "https://example.org/a b",
            "https://example.org/\u{1b}\\",
            "https://example.org/\u{7}",
            "https://example.org/\u{9c}",
            "https://example.org/\u{e4}",
            "https://example.org/\n",
        ] {
            assert!(!is_link(url), "{url:?}");
        }
        let longest = format!("https://example.org/{}", "x".repeat(MAX_URL_LEN - 20));
        assert!(is_link(&longest));
        assert!(!is_link(&(longest + "x")));
        assert_eq!(Hyperlink::new(3..3, 0, "https://example.org/"), None);
    }
}
