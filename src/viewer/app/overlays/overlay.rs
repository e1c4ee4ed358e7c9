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
        line_history::line_history_page::LineHistoryPage,
        overlays::{finder::Finder, prompt::Prompt},
    },
    pages::{
        list::ItemList,
        page::{Layer, Page, PageKind},
    },
};

/// Maximum number of diffs kept below the topmost one.
const MAX_DIFFS_BELOW: usize = 20;

/// A component above the blame view.
#[derive(Debug)]
pub enum Overlay<Cx> {
    /// The diff of a commit.
    Diff(Box<DiffView>),
    /// The history of lines.
    LineHistory(Box<LineHistoryPage>),
    /// The versions of a file.
    FileHistory(FileHistoryPage),
    /// A prompt in the status line.
    Prompt(Prompt),
    /// A page.
    Page(Layer<Cx>),
    /// The file finder.
    Finder(Box<Finder>),
}

impl<Cx> Overlay<Cx> {
    /// What others ask about it.
    pub fn kind(&self) -> PageKind {
        match self {
            Overlay::Diff(_) => PageKind::Diff,
            Overlay::LineHistory(_) => PageKind::LineHistory,
            Overlay::FileHistory(_) => PageKind::FileHistory,
            Overlay::Page(layer) => layer.kind(),
            Overlay::Prompt(_) | Overlay::Finder(_) => PageKind::Other,
        }
    }

    /// The page, unless it acts.
    pub fn page(&self) -> Option<&dyn Page<Cx>> {
        match self {
            Overlay::Page(layer) => layer.page(),
            _ => None,
        }
    }

    /// The list that it has.
    pub fn list(&self) -> Option<&ItemList> {
        match self {
            Overlay::LineHistory(page) => Some(&page.list),
            Overlay::FileHistory(page) => Some(&page.list),
            Overlay::Prompt(prompt) => prompt.completion.as_deref().map(|it| &it.list),
            Overlay::Finder(finder) => Some(&finder.list),
            Overlay::Page(layer) => layer.page()?.list(),
            Overlay::Diff(_) => None,
        }
    }

    /// The list that it has, if it is not a page.
    pub(crate) fn list_mut(&mut self) -> Option<&mut ItemList> {
        match self {
            Overlay::LineHistory(page) => Some(&mut page.list),
            Overlay::FileHistory(page) => Some(&mut page.list),
            Overlay::Prompt(prompt) => prompt.completion.as_deref_mut().map(|it| &mut it.list),
            Overlay::Finder(finder) => Some(&mut finder.list),
            Overlay::Page(_) | Overlay::Diff(_) => None,
        }
    }

    /// Whether it hides what is below it.
    pub(crate) fn covers(&self) -> bool {
        match self {
            Overlay::Page(layer) => layer.covers(),
            Overlay::Prompt(_) => false,
            _ => true,
        }
    }
}

/// The open overlays, the topmost last.
#[derive(Debug)]
pub struct Overlays<Cx> {
    layers: Vec<Overlay<Cx>>,
    last_id: u64,
}

impl<Cx> Default for Overlays<Cx> {
    fn default() -> Self {
        Overlays {
            layers: Vec::new(),
            last_id: 0,
        }
    }
}

impl<Cx> Overlays<Cx> {
    /// Opens a page above all others.
    pub(crate) fn open(&mut self, page: impl Page<Cx> + 'static) {
        self.last_id += 1;
        let layer = Layer::new(self.last_id, Box::new(page));
        self.layers.push(Overlay::Page(layer));
    }

    /// Takes a page out, which is about to act. Its layer stays.
    pub(crate) fn take(&mut self, at: usize) -> Option<(u64, Box<dyn Page<Cx>>)> {
        match self.layers.get_mut(at)? {
            Overlay::Page(layer) => Some((layer.id(), layer.take()?)),
            _ => None,
        }
    }

    /// Puts a page back that has acted, unless it has been closed.
    pub(crate) fn put_back(&mut self, id: u64, page: Box<dyn Page<Cx>>) {
        for overlay in &mut self.layers {
            if let Overlay::Page(layer) = overlay
                && layer.id() == id
            {
                return layer.put_back(page);
            }
        }
    }

    /// Closes the page that acts. What it does afterwards is done without it.
    pub(crate) fn close_acting(&mut self) {
        let acts = |overlay: &Overlay<Cx>| matches!(overlay, Overlay::Page(layer) if layer.page().is_none());
        if let Some(at) = self.layers.iter().rposition(acts) {
            self.layers.remove(at);
        }
    }

    /// Closes the pages of a kind. Returns whether there was one.
    pub(crate) fn close_kind(&mut self, kind: PageKind) -> bool {
        let before = self.layers.len();
        self.close(|overlay| overlay.kind() == kind);
        self.layers.len() < before
    }

    /// Whether a page of a kind is open.
    pub fn has(&self, kind: PageKind) -> bool {
        self.layers.iter().any(|overlay| overlay.kind() == kind)
    }

    /// The kind of the topmost page.
    pub fn top_kind(&self) -> Option<PageKind> {
        self.layers.last().map(Overlay::kind)
    }

    /// The overlays from the bottom up.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Overlay<Cx>> + ExactSizeIterator {
        self.layers.iter()
    }

    /// Number of open overlays.
    pub(crate) fn len(&self) -> usize {
        self.layers.len()
    }

    /// An overlay by its position (0 is the bottom).
    pub(crate) fn get(&self, at: usize) -> Option<&Overlay<Cx>> {
        self.layers.get(at)
    }

    /// The topmost overlay.
    pub fn top(&self) -> Option<&Overlay<Cx>> {
        self.layers.last()
    }

    /// The list of the topmost overlay.
    pub fn list(&self) -> Option<&ItemList> {
        self.top()?.list()
    }

    /// The topmost overlay with a list, which may be below the help.
    pub(crate) fn with_list_mut(&mut self) -> Option<&mut Overlay<Cx>> {
        let mut overlays = self.layers.iter_mut().rev();
        overlays.find(|overlay| overlay.list().is_some())
    }

    /// An overlay by its position (0 is the bottom).
    pub(crate) fn get_mut(&mut self, at: usize) -> Option<&mut Overlay<Cx>> {
        self.layers.get_mut(at)
    }

    pub(crate) fn top_mut(&mut self) -> Option<&mut Overlay<Cx>> {
        self.layers.last_mut()
    }

    /// Opens an overlay above all others. Beyond [`MAX_DIFFS_BELOW`], the oldest diff is closed.
    pub(crate) fn push(&mut self, overlay: Overlay<Cx>) {
        let is_diff = |overlay: &Overlay<Cx>| matches!(overlay, Overlay::Diff(_));
        self.layers.push(overlay);
        if self.layers.iter().filter(|it| is_diff(it)).count() > MAX_DIFFS_BELOW + 1
            && let Some(oldest) = self.layers.iter().position(is_diff)
        {
            self.layers.remove(oldest);
        }
    }

    /// Closes the topmost overlay.
    pub(crate) fn pop(&mut self) -> Option<Overlay<Cx>> {
        self.layers.pop()
    }

    /// Closes all overlays that match a predicate.
    pub(crate) fn close(&mut self, matches: impl Fn(&Overlay<Cx>) -> bool) {
        self.layers.retain(|overlay| !matches(overlay));
    }

    /// Closes all diffs and returns them, the topmost last.
    pub(crate) fn take_diffs(&mut self) -> Vec<DiffView> {
        let (mut diffs, mut kept) = (Vec::new(), Vec::new());
        for overlay in self.layers.drain(..) {
            match overlay {
                Overlay::Diff(diff) => diffs.push(*diff),
                overlay => kept.push(overlay),
            }
        }
        self.layers = kept;
        diffs
    }

    /// Opens diffs above all other overlays.
    pub(crate) fn open_diffs(&mut self, diffs: Vec<DiffView>) {
        let diffs = diffs.into_iter().map(Box::new);
        self.layers.extend(diffs.map(Overlay::Diff));
    }

    /// Closes all diffs.
    pub(crate) fn close_diffs(&mut self) {
        self.close(|overlay| matches!(overlay, Overlay::Diff(_)));
    }

    /// The topmost diff.
    pub fn diff(&self) -> Option<&DiffView> {
        self.layers.iter().rev().find_map(|overlay| match overlay {
            Overlay::Diff(diff) => Some(diff.as_ref()),
            _ => None,
        })
    }

    pub(crate) fn diff_mut(&mut self) -> Option<&mut DiffView> {
        self.layers
            .iter_mut()
            .rev()
            .find_map(|overlay| match overlay {
                Overlay::Diff(diff) => Some(diff.as_mut()),
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
        self.layers.iter().find_map(|overlay| match overlay {
            Overlay::LineHistory(page) => Some(page.as_ref()),
            _ => None,
        })
    }

    pub(crate) fn line_history_mut(&mut self) -> Option<&mut LineHistoryPage> {
        self.layers.iter_mut().find_map(|overlay| match overlay {
            Overlay::LineHistory(page) => Some(page.as_mut()),
            _ => None,
        })
    }

    /// The page with the versions of a file, if it is open.
    pub fn file_history(&self) -> Option<&FileHistoryPage> {
        self.layers.iter().find_map(|overlay| match overlay {
            Overlay::FileHistory(page) => Some(page),
            _ => None,
        })
    }

    /// Closes the history of lines and returns it.
    pub(crate) fn take_line_history(&mut self) -> Option<Box<LineHistoryPage>> {
        let at = self
            .layers
            .iter()
            .position(|overlay| matches!(overlay, Overlay::LineHistory(_)))?;
        match self.layers.remove(at) {
            Overlay::LineHistory(page) => Some(page),
            _ => None,
        }
    }

    /// The file finder, if it is open.
    pub fn finder(&self) -> Option<&Finder> {
        self.layers.iter().find_map(|overlay| match overlay {
            Overlay::Finder(finder) => Some(finder.as_ref()),
            _ => None,
        })
    }

    pub(crate) fn finder_mut(&mut self) -> Option<&mut Finder> {
        self.layers.iter_mut().find_map(|overlay| match overlay {
            Overlay::Finder(finder) => Some(finder.as_mut()),
            _ => None,
        })
    }
}
