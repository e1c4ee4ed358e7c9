//! The number of the pull or merge request that a commit's message names.
//!
//! The first of these that a message has:
//!
//! | where | text | written by |
//! | --- | --- | --- |
//! | first line | `Merge pull request #12` | GitHub, Gitea, Bitbucket Server |
//! | first line | `Merged in BRANCH (pull request #12)` | Bitbucket |
//! | first line | `Merged PR 12:` | Azure DevOps |
//! | end of the first line | `(#12)`, `(!12)` | squash and rebase merges |
//! | any line | `See merge request group/project!12` | GitLab |
//! | a line of the last paragraph | `PR-URL: https://…/pull/12`, `Part-of: <https://…/merge_requests/12>` | trailers |

use std::fmt;

use bstr::{BStr, ByteSlice};

/// Bytes of a message that are looked at.
const MAX_SCANNED_LEN: usize = 1 << 16;

/// The number of a request, as its forge writes it: `#12` or `!12`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RequestNumber {
    /// A pull request.
    Pull(u32),
    /// A merge request of GitLab.
    Merge(u32),
}

impl fmt::Display for RequestNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestNumber::Pull(number) => write!(f, "#{number}"),
            RequestNumber::Merge(number) => write!(f, "!{number}"),
        }
    }
}

impl RequestNumber {
    /// The abbreviation of what its forge calls it.
    pub fn kind(self) -> &'static str {
        match self {
            RequestNumber::Pull(_) => "PR",
            RequestNumber::Merge(_) => "MR",
        }
    }

    /// The number that a message names as that of the request which brought the commit.
    pub fn of_message(message: &BStr) -> Option<RequestNumber> {
        let message = message[..message.len().min(MAX_SCANNED_LEN)].trim_ascii();
        let first = message.lines().next().unwrap_or_default().trim_ascii_end();
        of_first_line(first)
            .or_else(|| message.lines().find_map(of_gitlab))
            .or_else(|| of_trailers(message))
    }
}

fn of_first_line(line: &[u8]) -> Option<RequestNumber> {
    if let Some(rest) = line.strip_prefix(b"Merge pull request #") {
        return leading(rest, b" :").map(RequestNumber::Pull);
    }
    if let Some(rest) = line.strip_prefix(b"Merged PR ") {
        return leading(rest, b":").map(RequestNumber::Pull);
    }
    let inner = line.strip_suffix(b")")?;
    let inner = &inner[inner.rfind_byte(b'(')? + 1..];
    let merged_in = line.starts_with(b"Merged in ");
    let number = inner.strip_prefix(b"pull request ").filter(|_| merged_in);
    match number.unwrap_or(inner).split_first()? {
        (b'#', digits) => whole(digits).map(RequestNumber::Pull),
        (b'!', digits) => whole(digits).map(RequestNumber::Merge),
        _ => None,
    }
}

fn of_gitlab(line: &[u8]) -> Option<RequestNumber> {
    let rest = line.strip_prefix(b"See merge request ")?.trim_ascii();
    let (project, digits) = rest.split_at(rest.rfind_byte(b'!')?);
    let is_project = !project.iter().any(u8::is_ascii_whitespace);
    whole(&digits[1..])
        .filter(|_| is_project)
        .map(RequestNumber::Merge)
}

fn of_trailers(message: &[u8]) -> Option<RequestNumber> {
    let at = message.rfind("\n\n").or_else(|| message.rfind("\n\r\n"))?;
    message[at..].lines().find_map(|line| {
        let line = line.trim_ascii();
        let (url, path, make): (_, _, fn(u32) -> RequestNumber) =
            if let Some(url) = line.strip_prefix(b"PR-URL:") {
                (url, "/pull/", RequestNumber::Pull)
            } else {
                let url = line.strip_prefix(b"Part-of:")?;
                (url, "/merge_requests/", RequestNumber::Merge)
            };
        let url = url.trim_ascii();
        let url = url.strip_prefix(b"<").unwrap_or(url);
        let url = url.strip_suffix(b">").unwrap_or(url);
        let is_url = url.starts_with(b"https://") || url.starts_with(b"http://");
        let digits = &url[url.rfind(path)? + path.len()..];
        whole(digits).filter(|_| is_url).map(make)
    })
}

/// The number that a text is.
fn whole(digits: &[u8]) -> Option<u32> {
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    digits.to_str().ok().filter(|_| is_number)?.parse().ok()
}

/// The number that a text starts with, which ends the text or is followed by one of `ends`.
fn leading(text: &[u8], ends: &[u8]) -> Option<u32> {
    let end = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let ends_there = text.get(end).is_none_or(|next| ends.contains(next));
    whole(&text[..end]).filter(|_| ends_there)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(message: &str) -> Option<String> {
        let number = RequestNumber::of_message(message.into());
        number.map(|number| number.to_string())
    }

    #[test]
    fn numbers_of_requests() {
        for (message, number) in [
            ("Merge pull request #12 from a/b\n\nTitle (#3)\n", "#12"),
            ("Merged in fix/it (pull request #45)\n\nTitle", "#45"),
            ("Merged PR 678: Title\n", "#678"),
            ("\nTitle (#9)\n", "#9"),
            ("Revert \"Title (#9)\" (#10)\n", "#10"),
            ("Title (!9)", "!9"),
            (
                "Merge branch 'x' into 'main'\n\nTitle\n\nSee merge request a/b!77\n",
                "!77",
            ),
            ("Merge branch 'x'\r\n\r\nSee merge request !7\r\n", "!7"),
            (
                "lib: do it\n\nText.\n\nPR-URL: https://example.com/o/p/pull/5\nReviewed-By: A <a@b>\n",
                "#5",
            ),
            (
                "lib: do it\n\nPart-of: <https://example.com/o/p/-/merge_requests/6>",
                "!6",
            ),
        ] {
            assert_eq!(of(message).as_deref(), Some(number), "{message:?}");
        }
    }

    #[test]
    fn other_numbers_are_not_of_requests() {
        for message in [
            "",
            "Fix #12",
            "Fix (#12) twice",
            "Merge pull request #12a",
            "Title (#)",
            "Title (#99999999999)",
            "Title (see #1)",
            "Title\n\nText (#12)",
            "Title\n\nSee merge request of last week!7",
            "PR-URL: https://example.com/o/p/pull/5",
            "Title\n\nPR-URL: https://example.com/o/p/pull/5\n\nText",
            "Title (pull request #12)",
        ] {
            assert_eq!(of(message), None, "{message:?}");
        }
    }
}
