//! Links in the terminal (OSC 8): which terminals have them, and where they are on the screen.

use std::{ops::Range, sync::Arc};

use crate::viewer::model::hyperlink::Hyperlink;

/// What `TERM` begins with in terminals that have links.
const TERMS: [&str; 9] = [
    "alacritty",
    "contour",
    "foot",
    "ghostty",
    "wezterm",
    "xterm-contour",
    "xterm-ghostty",
    "xterm-kitty",
    "xterm-wezterm",
];

/// What `TERM_PROGRAM` says in terminals that have links.
const PROGRAMS: [&str; 5] = ["WezTerm", "ghostty", "iTerm.app", "mintty", "vscode"];

/// The first version of tmux that passes links on.
const TMUX: (u32, u32) = (3, 4);

/// The first version of VTE, as `VTE_VERSION` says it, in which links are free of known faults.
const VTE: u32 = 5_002;

/// True if the terminal is known to have links. `var` reads environment variables.
pub(crate) fn are_known(var: impl Fn(&str) -> Option<String>) -> bool {
    let value = |name: &str| var(name).unwrap_or_default();
    let (term, program) = (value("TERM"), value("TERM_PROGRAM"));
    // The variables of the terminal around these are still set.
    if term.starts_with("tmux") || term.starts_with("screen") {
        let version = value("TERM_PROGRAM_VERSION");
        let mut numbers = version.split('.').map(|part| {
            let digits = part.trim_end_matches(|c: char| !c.is_ascii_digit());
            digits.parse().unwrap_or(0)
        });
        let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        return program == "tmux" && version >= TMUX;
    }
    if term.is_empty() || term == "dumb" || term == "linux" {
        return false;
    }
    let begins = |name: &&str| {
        let rest = term.strip_prefix(*name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']))
    };
    TERMS.iter().any(begins)
        || PROGRAMS.contains(&program.as_str())
        || !value("WT_SESSION").is_empty()
        || value("VTE_VERSION")
            .parse()
            .is_ok_and(|version: u32| version >= VTE)
}

/// The links on a screen, by its rows.
#[derive(Debug, Default)]
pub(crate) struct LinkedRows(Vec<Vec<Hyperlink>>);

impl LinkedRows {
    /// The links of a screen of so many rows.
    pub(crate) fn new(links: Vec<Hyperlink>, rows: u16) -> LinkedRows {
        if links.is_empty() {
            return LinkedRows::default();
        }
        let mut found = vec![Vec::new(); rows.into()];
        for link in links {
            if let Some(row) = found.get_mut(usize::from(link.row)) {
                row.push(link);
            }
        }
        LinkedRows(found)
    }

    /// The links of a row.
    pub(crate) fn row(&self, y: u16) -> &[Hyperlink] {
        self.0.get(usize::from(y)).map_or(&[], Vec::as_slice)
    }

    /// Moves rows up by `by`, or down if it is negative. The new ones have no links.
    pub(crate) fn scroll(&mut self, rows: Range<u16>, by: i32) {
        let rows = usize::from(rows.start)..usize::from(rows.end).min(self.0.len());
        let Some(rows) = self.0.get_mut(rows) else {
            return;
        };
        let count = (by.unsigned_abs() as usize).min(rows.len());
        let len = rows.len();
        if by > 0 {
            rows.rotate_left(count);
            rows[len - count..].fill(Vec::new());
        } else {
            rows.rotate_right(count);
            rows[..count].fill(Vec::new());
        }
        for (links, y) in self.0.iter_mut().zip(0..) {
            links.iter_mut().for_each(|link| link.row = y);
        }
    }
}

/// The URL of a column among the links of its row.
pub(crate) fn url_at(links: &[Hyperlink], x: u16) -> Option<&Arc<str>> {
    let found = links.iter().find(|link| link.columns.contains(&x));
    found.map(|link| &link.url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_with_links_are_known() {
        let known = |pairs: &[(&str, &str)]| {
            are_known(|name| {
                let found = pairs.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        for pairs in [
            &[("TERM", "xterm-kitty")][..],
            &[("TERM", "foot-extra")],
            &[("TERM", "xterm-256color"), ("VTE_VERSION", "7600")],
            &[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")],
            &[("TERM", "xterm-256color"), ("WT_SESSION", "1")],
            &[
                ("TERM", "tmux-256color"),
                ("TERM_PROGRAM", "tmux"),
                ("TERM_PROGRAM_VERSION", "3.5a"),
            ],
        ] {
            assert!(known(pairs), "{pairs:?}");
        }
        for pairs in [
            &[][..],
            &[("TERM", "dumb"), ("WT_SESSION", "1")],
            &[("TERM", "linux"), ("VTE_VERSION", "7600")],
            &[("TERM", "xterm-256color")],
            &[("TERM", "st-256color")],
            &[("TERM", "footer")],
            &[("TERM", "xterm-256color"), ("VTE_VERSION", "4800")],
            &[
                ("TERM", "xterm-256color"),
                ("TERM_PROGRAM", "Apple_Terminal"),
            ],
            // What the terminal around tmux and screen has says nothing.
            &[("TERM", "screen"), ("VTE_VERSION", "7600")],
            &[("TERM", "tmux-256color"), ("VTE_VERSION", "7600")],
            &[
                ("TERM", "screen-256color"),
                ("TERM_PROGRAM", "tmux"),
                ("TERM_PROGRAM_VERSION", "3.3a"),
            ],
        ] {
            assert!(!known(pairs), "{pairs:?}");
        }
    }

    #[test]
    fn links_scroll_with_their_rows() {
        let link = |row| Hyperlink::new(1..3, row, &format!("https://example.org/{row}"));
        let links = || LinkedRows::new((0..6).filter_map(link).collect(), 6);
        let urls = |links: &LinkedRows| -> Vec<String> {
            let row = |y| match links.row(y) {
                [] => String::new(),
                [link] => {
                    assert_eq!(link.row, y);
                    link.url
                        .trim_start_matches("https://example.org/")
                        .to_owned()
                }
                _ => "several".to_owned(),
            };
            (0..6).map(row).collect()
        };
        let mut up = links();
        up.scroll(1..5, 2);
        assert_eq!(urls(&up), ["0", "3", "4", "", "", "5"]);
        let mut down = links();
        down.scroll(1..5, -1);
        assert_eq!(urls(&down), ["0", "", "1", "2", "3", "5"]);
        down.scroll(1..5, 9);
        assert_eq!(urls(&down), ["0", "", "", "", "", "5"]);
        assert_eq!(url_at(down.row(0), 0), None);
        assert!(url_at(down.row(0), 2).is_some());
        assert_eq!(url_at(down.row(0), 3), None);
        LinkedRows::default().scroll(1..5, 2);
    }
}
