//! The stack of overlays above the blame view.
//!
//! Overlays that read text (finder, prompt, mark name) get every key, and lists those that they have for themselves.
//! Otherwise the key bindings turn a key into an action. The tour and the references of a message handle it
//! first; then actions, as mouse events, are offered from the top down until an overlay handles them,
//! finally to the blame view. Overlays are drawn from the bottom up.

use crate::viewer::{
    app::{
        diff::diff_view::DiffView,
        file_history::file_history_page::FileHistoryPage,
        filter::date_chooser::DateChooser,
        line_history::line_history_page::LineHistoryPage,
        overlays::{
            finder::Finder,
            help_page::HelpPage,
            prompt::{MarkAction, Prompt},
            question::Question,
            theme_chooser::ThemeChooser,
        },
        people::people_page::PeoplePage,
    },
    pages::list::ItemList,
};

/// Maximum number of diffs kept below the topmost one.
const MAX_DIFFS_BELOW: usize = 20;

/// A component above the blame view.
#[derive(Debug)]
pub enum Overlay {
    /// The enlarged details pane.
    Details,
    /// The diff of a commit.
    Diff(Box<DiffView>),
    /// The history of lines.
    LineHistory(Box<LineHistoryPage>),
    /// The versions of a file.
    FileHistory(FileHistoryPage),
    /// The help page.
    Help(HelpPage),
    /// A prompt in the status line.
    Prompt(Prompt),
    /// Waits for the letter that names a mark.
    MarkName(MarkAction),
    /// The file finder.
    Finder(Box<Finder>),
    /// The column chooser.
    Columns(ItemList),
    /// The theme chooser.
    Themes(ThemeChooser),
    /// The people who wrote the lines.
    People(PeoplePage),
    /// The choice of a span of dates.
    Dates(DateChooser),
    /// A question that is answered with yes or no.
    Question(Question),
}

impl Overlay {
    /// The list that it has.
    pub fn list(&self) -> Option<&ItemList> {
        match self {
            Overlay::LineHistory(page) => Some(&page.list),
            Overlay::FileHistory(page) => Some(&page.list),
            Overlay::Prompt(prompt) => prompt.completion.as_deref().map(|it| &it.list),
            Overlay::Finder(finder) => Some(&finder.list),
            Overlay::Columns(list) => Some(list),
            Overlay::Themes(chooser) => Some(&chooser.list),
            Overlay::People(page) => Some(&page.list),
            Overlay::Dates(chooser) => Some(&chooser.list),
            Overlay::Details | Overlay::Diff(_) | Overlay::Help(_) => None,
            Overlay::MarkName(_) | Overlay::Question(_) => None,
        }
    }

    /// As [`list`](Overlay::list).
    pub(crate) fn list_mut(&mut self) -> Option<&mut ItemList> {
        match self {
            Overlay::LineHistory(page) => Some(&mut page.list),
            Overlay::FileHistory(page) => Some(&mut page.list),
            Overlay::Prompt(prompt) => prompt.completion.as_deref_mut().map(|it| &mut it.list),
            Overlay::Finder(finder) => Some(&mut finder.list),
            Overlay::Columns(list) => Some(list),
            Overlay::Themes(chooser) => Some(&mut chooser.list),
            Overlay::People(page) => Some(&mut page.list),
            Overlay::Dates(chooser) => Some(&mut chooser.list),
            Overlay::Details | Overlay::Diff(_) | Overlay::Help(_) => None,
            Overlay::MarkName(_) | Overlay::Question(_) => None,
        }
    }

    /// Whether it hides what is below it.
    pub(crate) fn covers(&self) -> bool {
        matches!(
            self,
            Overlay::Diff(_)
                | Overlay::Finder(_)
                | Overlay::LineHistory(_)
                | Overlay::FileHistory(_)
        )
    }
}

/// The open overlays, the topmost last.
#[derive(Debug, Default)]
pub struct Overlays(Vec<Overlay>);

impl Overlays {
    /// The overlays from the bottom up.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Overlay> + ExactSizeIterator {
        self.0.iter()
    }

    /// Number of open overlays.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// An overlay by its position (0 is the bottom).
    pub(crate) fn get(&self, at: usize) -> Option<&Overlay> {
        self.0.get(at)
    }

    /// The topmost overlay.
    pub fn top(&self) -> Option<&Overlay> {
        self.0.last()
    }

    /// The list of the topmost overlay.
    pub fn list(&self) -> Option<&ItemList> {
        self.top()?.list()
    }

    /// The topmost overlay with a list, which may be below the help.
    pub(crate) fn with_list_mut(&mut self) -> Option<&mut Overlay> {
        let mut overlays = self.0.iter_mut().rev();
        overlays.find(|overlay| overlay.list().is_some())
    }

    /// An overlay by its position (0 is the bottom).
    pub(crate) fn get_mut(&mut self, at: usize) -> Option<&mut Overlay> {
        self.0.get_mut(at)
    }

    pub(crate) fn top_mut(&mut self) -> Option<&mut Overlay> {
        self.0.last_mut()
    }

    /// Opens an overlay above all others. Beyond [`MAX_DIFFS_BELOW`], the oldest diff is closed.
    pub(crate) fn push(&mut self, overlay: Overlay) {
        let is_diff = |overlay: &Overlay| matches!(overlay, Overlay::Diff(_));
        self.0.push(overlay);
        if self.0.iter().filter(|it| is_diff(it)).count() > MAX_DIFFS_BELOW + 1
            && let Some(oldest) = self.0.iter().position(is_diff)
        {
            self.0.remove(oldest);
        }
    }

    /// Closes the topmost overlay.
    pub(crate) fn pop(&mut self) -> Option<Overlay> {
        self.0.pop()
    }

    /// Closes all overlays that match a predicate.
    pub(crate) fn close(&mut self, matches: impl Fn(&Overlay) -> bool) {
        self.0.retain(|overlay| !matches(overlay));
    }

    /// Closes all diffs and returns them, the topmost last.
    pub(crate) fn take_diffs(&mut self) -> Vec<DiffView> {
        let (mut diffs, mut kept) = (Vec::new(), Vec::new());
        for overlay in self.0.drain(..) {
            match overlay {
                Overlay::Diff(diff) => diffs.push(*diff),
                overlay => kept.push(overlay),
            }
        }
        self.0 = kept;
        diffs
    }

    /// Opens diffs above all other overlays.
    pub(crate) fn open_diffs(&mut self, diffs: Vec<DiffView>) {
        let diffs = diffs.into_iter().map(Box::new);
        self.0.extend(diffs.map(Overlay::Diff));
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

    /// Whether the details pane is enlarged.
    pub fn has_details(&self) -> bool {
        self.0
            .iter()
            .any(|overlay| matches!(overlay, Overlay::Details))
    }

    /// Closes the enlarged details pane. False if it was not open.
    pub(crate) fn close_details(&mut self) -> bool {
        let before = self.0.len();
        self.close(|overlay| matches!(overlay, Overlay::Details));
        self.0.len() < before
    }

    /// The help page, if that is open.
    pub fn help(&self) -> Option<&HelpPage> {
        self.0.iter().find_map(|overlay| match overlay {
            Overlay::Help(page) => Some(page),
            _ => None,
        })
    }

    pub(crate) fn help_mut(&mut self) -> Option<&mut HelpPage> {
        self.0.iter_mut().find_map(|overlay| match overlay {
            Overlay::Help(page) => Some(page),
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

    /// The history of lines, if it is open.
    pub fn line_history(&self) -> Option<&LineHistoryPage> {
        self.0.iter().find_map(|overlay| match overlay {
            Overlay::LineHistory(page) => Some(page.as_ref()),
            _ => None,
        })
    }

    pub(crate) fn line_history_mut(&mut self) -> Option<&mut LineHistoryPage> {
        self.0.iter_mut().find_map(|overlay| match overlay {
            Overlay::LineHistory(page) => Some(page.as_mut()),
            _ => None,
        })
    }

    /// The page with the versions of a file, if it is open.
    pub fn file_history(&self) -> Option<&FileHistoryPage> {
        self.0.iter().find_map(|overlay| match overlay {
            Overlay::FileHistory(page) => Some(page),
            _ => None,
        })
    }

    /// Closes the history of lines and returns it.
    pub(crate) fn take_line_history(&mut self) -> Option<Box<LineHistoryPage>> {
        let at = self
            .0
            .iter()
            .position(|overlay| matches!(overlay, Overlay::LineHistory(_)))?;
        match self.0.remove(at) {
            Overlay::LineHistory(page) => Some(page),
            _ => None,
        }
    }

    /// The file finder, if it is open.
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

    pub(crate) fn people_mut(&mut self) -> Option<&mut PeoplePage> {
        self.0.iter_mut().find_map(|overlay| match overlay {
            Overlay::People(page) => Some(page),
            _ => None,
        })
    }

    pub(crate) fn themes_mut(&mut self) -> Option<&mut ThemeChooser> {
        self.0.iter_mut().find_map(|overlay| match overlay {
            Overlay::Themes(chooser) => Some(chooser),
            _ => None,
        })
    }
}
