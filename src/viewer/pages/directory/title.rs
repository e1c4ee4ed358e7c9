//! Which directory a page is about, and how its header says so.

use std::sync::Arc;

use bstr::BString;

use crate::{
    sanitize,
    viewer::{
        app::state::App,
        model::file_version::FileVersion,
        pages::page::PageKind,
        theme::styles::Theme,
        ui::{header::thousands, paint::RowWriter},
    },
};

/// The columns that the name of a directory keeps beside the options of its blames.
const MIN_NAME: usize = 12;

/// A directory that a page is about.
#[derive(Debug, Clone)]
pub(crate) struct NamedDirectory {
    /// Its version.
    pub(crate) version: FileVersion,
    /// Its path from the root; empty for the root.
    pub(crate) path: Arc<BString>,
    /// The revision as it was named; `None` in the work tree.
    pub(crate) revision: Option<Arc<str>>,
}

impl App {
    /// Draws the header of a list about a directory: its title, and of `count` items, whose noun
    /// follows, the selected one. Without items the list itself says why.
    pub(crate) fn directory_header(
        &self,
        title: (&str, &NamedDirectory, &str),
        (selected, count): (usize, usize),
        noun: &str,
        theme: &Theme,
        row: &mut RowWriter<'_>,
    ) {
        let at = match count {
            0 | 1 => String::new(),
            _ if self.is_answered() => String::new(),
            _ => format!("{} of ", thousands(selected + 1)),
        };
        if count > 0 {
            row.put_right(&format!(" {at}{}{noun} ", thousands(count)), theme.bar());
        }
        self.directory_title(title, theme, row);
    }

    /// True if an answer is above the list that covers the screen: none of its items is selected then.
    pub(super) fn is_answered(&self) -> bool {
        let mut above = self.all_pages().take_while(|page| !page.covers());
        above.any(|page| page.kind() == PageKind::Answer)
    }

    /// Draws which directory a page is about, after its words, and the options with which its lines
    /// are blamed, if it counts them.
    pub(crate) fn directory_title(
        &self,
        (words, directory, options): (&str, &NamedDirectory, &str),
        theme: &Theme,
        row: &mut RowWriter<'_>,
    ) {
        row.put(&format!(" {words}"), theme.bar());
        if !words.is_empty() {
            row.put(" ", theme.bar());
        }
        let room = usize::from(row.remaining());
        let revision = directory
            .revision
            .as_ref()
            .map_or_else(String::new, |name| {
                let name = sanitize::line(name.as_bytes());
                format!(" @ {}", sanitize::clip(name.as_bytes(), room / 3))
            });
        let room = room.saturating_sub(sanitize::width(revision.as_bytes()) + 1);
        let name = self.directory_name(&directory.path);
        let options = match options {
            "" => String::new(),
            options => format!("  {options}"),
        };
        let least = sanitize::width(name.as_bytes()).min(MIN_NAME);
        let (options, room) = match room.checked_sub(options.len()) {
            Some(left) if left >= least => (options, left),
            _ => (String::new(), room),
        };
        row.put(&sanitize::clip_left(&name, room), theme.bar_emphasis());
        row.put(&revision, theme.bar());
        row.put(&options, theme.bar());
    }

    /// The name of a directory for a header, with a slash at its end.
    pub(crate) fn directory_name(&self, path: &[u8]) -> String {
        let root = self.environment.repository.root.as_ref();
        let name = match root.and_then(|root| root.file_name()) {
            Some(name) if path.is_empty() => sanitize::line(name.as_encoded_bytes()),
            _ => sanitize::line(path),
        };
        name + "/"
    }
}
