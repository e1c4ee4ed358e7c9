//! Says what became of a path that the command line names, and opens the version before.

use std::sync::Arc;

use bstr::BString;
use ratatui::buffer::Buffer;

use crate::{
    sanitize,
    viewer::{
        app::{display::layout::Area, state::App},
        model::{
            abbreviation::short,
            file_version::{FileVersion, version_of},
            keys::bindings::Action,
            missing_path::MissingPath,
        },
        pages::{
            list::KeyHelp,
            page::{Handled, Page, PageKind, WhenLeft},
        },
        theme::styles::Theme,
        ui::{
            footer::Footer,
            paint::{self, RowWriter},
        },
    },
};

/// Fewest columns of a screen for what the keys do in full.
const MIN_WIDTH_FOR_WORDS: u16 = 60;

/// All keys.
const KEYS: &[KeyHelp] = &[
    (
        "{diff}",
        "open what it is renamed to now, or the version before it was deleted, or that of HEAD",
    ),
    ("{blame-parent}", "open the version before, or that of HEAD"),
    ("{next-change}", "open what it was renamed to"),
    ("{commit-diff}", "the commit that deleted or renamed it"),
    ("{copy-id}", "copy the id of this commit"),
    ("{browse}", "open this commit in the browser"),
    ("{close}", "close this answer, and stay in the directory"),
    ("{quit}", "quit"),
];

/// The open page, above the directory where the path was.
#[derive(Debug)]
struct MissingPathPage {
    missing: MissingPath,
}

impl Page<App> for MissingPathPage {
    fn kind(&self) -> PageKind {
        PageKind::Answer
    }

    fn when_left(&self) -> WhenLeft {
        WhenLeft::Returns
    }

    fn action(&mut self, action: Action, _: Option<u32>, app: &mut App) -> Handled {
        let deletion = self.missing.deletion();
        match (action, deletion) {
            (Action::Diff | Action::Right, _) => match self.missing.renamed_now() {
                Some(path) => self.open_renamed(path, app),
                None => app.open_missing(&self.missing),
            },
            (Action::BlameParent, _) => app.open_missing(&self.missing),
            (Action::CommitDiff, Some(deletion)) => {
                let path = Arc::new(self.missing.path.clone());
                if self.missing.is_directory {
                    app.open_commit_below(deletion.commit, path);
                } else {
                    let at = deletion.renamed_to.clone().map(Arc::new);
                    app.open_commit_at(deletion.commit, at.unwrap_or(path), None);
                }
            }
            (Action::NextChange, _) => match self.missing.renamed_to() {
                Some(path) => self.open_renamed(path, app),
                None => return Handled::Pass,
            },
            (Action::CopyId, Some(deletion)) => app.copy(deletion.commit.to_string()),
            (Action::Browse, Some(deletion)) => app.browse_commit(&deletion.commit),
            (Action::Close, _) => app.pages.close_acting(),
            _ => return Handled::Pass,
        }
        Handled::Yes
    }

    fn help(&self) -> Option<(&'static str, &'static [KeyHelp])> {
        Some(("A path that is not there", KEYS))
    }

    /// Draws it over the last rows of the body.
    fn draw(&self, _: &App, theme: &Theme, body: Area, buffer: &mut Buffer) {
        let missing = &self.missing;
        let path = sanitize::line(&missing.path);
        let lines = [Some(path), Some(missing.fate()), missing.commit()];
        let lines: Vec<String> = lines.into_iter().flatten().collect();
        let count = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        let height = body.height.min(count);
        let top = body.y + body.height - height;
        for (text, y) in lines.iter().zip(top..top + height) {
            let (blanks, style) = if y == top {
                (" ", theme.bar_emphasis())
            } else {
                ("   ", theme.bar())
            };
            let area = body.row(y);
            paint::fill(buffer, area, theme.bar());
            let mut row = RowWriter::new(buffer, area);
            row.put(blanks, style);
            // What differs from other paths is at the end.
            let room = usize::from(row.remaining());
            let text = if y == top {
                sanitize::clip_left(text, room)
            } else {
                text.clone()
            };
            row.put(&text, style);
            // Without a background a line sets it apart from the list above.
            if theme.needs_marks() && y == top {
                row.put(" ", style);
                row.dash(style);
            }
        }
    }

    /// Those that open something, in fewer words where the screen is narrow.
    fn hints(&self, app: &App, footer: &mut Footer<'_>) -> bool {
        let deletion = self.missing.deletion();
        let words = match deletion {
            Some(_) => ["open the version before", "before"],
            None => ["open the version of HEAD", "HEAD"],
        };
        let renamed = ["open the renamed one", "renamed"];
        let [first, second] = match self.missing.renamed_now() {
            Some(_) => [(Action::Diff, renamed), (Action::BlameParent, words)],
            None => [(Action::Diff, words), (Action::NextChange, renamed)],
        };
        let all = [
            Some(first),
            self.missing.renamed_to().map(|_| second),
            deletion.map(|_| (Action::CommitDiff, ["the commit", "commit"])),
            Some((Action::Help, ["keys"; 2])),
            Some((Action::Close, ["close"; 2])),
            Some((Action::Quit, ["quit"; 2])),
        ];
        let is_narrow = app.size.0 < MIN_WIDTH_FOR_WORDS;
        let hints = all.into_iter().flatten();
        let hints = hints.map(|(action, words)| (action, words[usize::from(is_narrow)]));
        footer.actions(&hints.collect::<Vec<_>>());
        true
    }
}

impl MissingPathPage {
    /// Opens what it was renamed to.
    fn open_renamed(&self, path: &BString, app: &mut App) {
        let version = app.pages.iter().rev().find_map(Page::version);
        let commit = match version {
            Some(FileVersion::Commit { commit, .. }) => Some(commit),
            _ => None,
        };
        if self.missing.is_directory {
            let revision = commit.map_or("work tree".to_owned(), |id| short(&id));
            app.open_directory_above(commit, path.clone(), revision);
        } else {
            app.open_chosen(commit, path.clone());
        }
    }
}

impl App {
    /// Says what became of a path, above the directory where it was.
    pub(crate) fn open_missing_path(&mut self, missing: MissingPath) {
        self.pages.open(MissingPathPage { missing });
    }

    /// Opens the version that has the path.
    fn open_missing(&mut self, missing: &MissingPath) {
        let path: BString = missing.path.clone();
        if missing.is_directory {
            return self.open_directory_above(Some(missing.version), path, missing.revision());
        }
        let version = version_of(Some(missing.version), path);
        self.open(version, missing.line.or(Some(0)), None);
        if let Some(pending) = &mut self.history.pending {
            pending.revision = missing.revision();
        }
    }
}
