//! The stack of overlays: what is open on top of the blame.
//!
//! The stack alone decides who receives input and what is drawn. Keys go to the topmost overlay;
//! actions and mouse events go from the top down until one takes them, and at last to the blame.
//! Drawing goes from the bottom up.

use crate::viewer::app::{
    diff::diff_view::DiffView,
    overlays::{
        finder::Finder,
        prompt::{MarkAction, Prompt},
        theme_chooser::ThemeChooser,
    },
    pager::Pager,
};

/// Diffs below the topmost one that are kept to return to.
const DIFFS: usize = 20;

/// Something that is open on top of the blame.
#[derive(Debug)]
pub enum Overlay {
    /// The details pane, enlarged to read it.
    Details(DetailsPage),
    /// The diff of a commit.
    Diff(Box<DiffView>),
    /// The table of keys.
    Help(Pager),
    /// A line of input.
    Prompt(Prompt),
    /// Waits for the letter of a mark.
    MarkName(MarkAction),
    /// The search for another file.
    Finder(Box<Finder>),
    /// The chooser of columns: its selected row.
    Columns(usize),
    /// The chooser of themes.
    Themes(ThemeChooser),
}

/// What the enlarged details pane shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetailsPage {
    /// The selected commit.
    Commit,
    /// The profile of the blame.
    Profile,
}

/// What is open on top of the blame, the topmost last.
#[derive(Debug, Default)]
pub struct Overlays(Vec<Overlay>);

impl Overlays {
    /// The overlays from the bottom up.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Overlay> + ExactSizeIterator {
        self.0.iter()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The overlay at a height (0 is the lowest).
    pub(crate) fn get(&self, at: usize) -> Option<&Overlay> {
        self.0.get(at)
    }

    /// The topmost overlay.
    pub fn top(&self) -> Option<&Overlay> {
        self.0.last()
    }

    pub(crate) fn top_mut(&mut self) -> Option<&mut Overlay> {
        self.0.last_mut()
    }

    /// Opens an overlay on top of all others.
    pub(crate) fn push(&mut self, overlay: Overlay) {
        let is_diff = |overlay: &Overlay| matches!(overlay, Overlay::Diff(_));
        self.0.push(overlay);
        if self.0.iter().filter(|it| is_diff(it)).count() > DIFFS + 1
            && let Some(oldest) = self.0.iter().position(is_diff)
        {
            self.0.remove(oldest);
        }
    }

    /// Closes the topmost overlay.
    pub(crate) fn pop(&mut self) -> Option<Overlay> {
        self.0.pop()
    }

    /// Closes all overlays that a function names.
    pub(crate) fn close(&mut self, which: impl Fn(&Overlay) -> bool) {
        self.0.retain(|overlay| !which(overlay));
    }

    /// Closes all diffs.
    pub(crate) fn close_diffs(&mut self) {
        self.close(|overlay| matches!(overlay, Overlay::Diff(_)));
    }

    /// The topmost diff.
    pub fn diff(&self) -> Option<&DiffView> {
        self.0.iter().rev().find_map(|overlay| match overlay {
            Overlay::Diff(diff) => Some(diff.as_ref()),
            _ => None,
        })
    }

    pub(crate) fn diff_mut(&mut self) -> Option<&mut DiffView> {
        self.0.iter_mut().rev().find_map(|overlay| match overlay {
            Overlay::Diff(diff) => Some(diff.as_mut()),
            _ => None,
        })
    }

    /// The enlarged details pane.
    pub fn details(&self) -> Option<DetailsPage> {
        self.0.iter().find_map(|overlay| match overlay {
            Overlay::Details(page) => Some(*page),
            _ => None,
        })
    }

    /// Enlarges the details pane, or changes what it shows.
    pub(crate) fn show_details(&mut self, page: DetailsPage) {
        let open = self.0.iter_mut().find_map(|overlay| match overlay {
            Overlay::Details(page) => Some(page),
            _ => None,
        });
        match open {
            Some(open) => *open = page,
            None => self.push(Overlay::Details(page)),
        }
    }

    /// Returns the details pane to its size. False if it was not enlarged.
    pub(crate) fn close_details(&mut self) -> bool {
        let before = self.0.len();
        self.close(|overlay| matches!(overlay, Overlay::Details(_)));
        self.0.len() < before
    }

    /// The help, if it is open.
    pub fn help(&self) -> Option<&Pager> {
        self.0.iter().find_map(|overlay| match overlay {
            Overlay::Help(pager) => Some(pager),
            _ => None,
        })
    }

    pub(crate) fn help_mut(&mut self) -> Option<&mut Pager> {
        self.0.iter_mut().find_map(|overlay| match overlay {
            Overlay::Help(pager) => Some(pager),
            _ => None,
        })
    }

    /// The prompt, if it is open.
    pub fn prompt(&self) -> Option<&Prompt> {
        match self.top() {
            Some(Overlay::Prompt(prompt)) => Some(prompt),
            _ => None,
        }
    }

    /// The search for a file, if it is open.
    pub fn finder(&self) -> Option<&Finder> {
        self.0.iter().find_map(|overlay| match overlay {
            Overlay::Finder(finder) => Some(finder.as_ref()),
            _ => None,
        })
    }

    pub(crate) fn finder_mut(&mut self) -> Option<&mut Finder> {
        self.0.iter_mut().find_map(|overlay| match overlay {
            Overlay::Finder(finder) => Some(finder.as_mut()),
            _ => None,
        })
    }

    pub(crate) fn themes_mut(&mut self) -> Option<&mut ThemeChooser> {
        match self.top_mut() {
            Some(Overlay::Themes(chooser)) => Some(chooser),
            _ => None,
        }
    }
}
