//! The stack of open pages, and the pages from which views were left.
//!
//! A key, an action or a mouse event is offered to the pages from the top down until one handles
//! it, and then to the blame. Pages are drawn from the bottom up. The page that acts is out of the
//! stack meanwhile, so that it can change itself and the state that has the stack. Its layer stays,
//! with what others may ask of it.

use std::collections::BTreeMap;

use crate::viewer::{
    app::diff_view::DiffView,
    pages::{
        list::ItemList,
        page::{Page, PageKind, WhenLeft},
    },
};

/// Stands for the view before the first one, in place of a view's number.
pub(crate) const BEFORE_VIEWS: u64 = 0;

/// The place of a page in the stack.
#[derive(Debug)]
pub struct Layer<Cx> {
    id: u64,
    kind: PageKind,
    covers: bool,
    when_left: WhenLeft,
    /// `None` while the page acts.
    page: Option<Box<dyn Page<Cx>>>,
}

impl<Cx> Layer<Cx> {
    /// True if its page hides what is below it.
    pub fn covers(&self) -> bool {
        self.covers
    }

    /// Its page, unless that acts.
    pub fn page(&self) -> Option<&dyn Page<Cx>> {
        self.page.as_deref()
    }
}

/// The pages from which a view was left, the topmost last, with the diffs that they show.
#[derive(Debug)]
struct LeftPages<Cx> {
    layers: Vec<Layer<Cx>>,
    diffs: Vec<DiffView>,
}

/// The open pages, the topmost last, and those from which views were left.
#[derive(Debug)]
pub struct Pages<Cx> {
    layers: Vec<Layer<Cx>>,
    /// The diffs of the open diff pages, the topmost last.
    pub(crate) diffs: Vec<DiffView>,
    /// The pages that are opened again when a step back returns to a view, by its number.
    left: BTreeMap<u64, LeftPages<Cx>>,
    last_id: u64,
}

impl<Cx> Default for Pages<Cx> {
    fn default() -> Self {
        Pages {
            layers: Vec::new(),
            diffs: Vec::new(),
            left: BTreeMap::new(),
            last_id: 0,
        }
    }
}

impl<Cx> Pages<Cx> {
    /// The layers from the bottom up.
    pub fn layers(&self) -> &[Layer<Cx>] {
        &self.layers
    }

    /// The pages from the bottom up, but for the one that acts.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &dyn Page<Cx>> {
        self.layers.iter().filter_map(Layer::page)
    }

    /// As [`iter`](Pages::iter).
    pub(crate) fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Box<dyn Page<Cx>>> {
        self.layers
            .iter_mut()
            .filter_map(|layer| layer.page.as_mut())
    }

    /// The number of open pages.
    pub(crate) fn len(&self) -> usize {
        self.layers.len()
    }

    /// The topmost page, unless it acts.
    pub fn top(&self) -> Option<&dyn Page<Cx>> {
        self.layers.last()?.page()
    }

    /// The number of the topmost page.
    pub(crate) fn top_id(&self) -> Option<u64> {
        self.layers.last().map(|layer| layer.id)
    }

    /// The kind of the topmost page.
    pub fn top_kind(&self) -> Option<PageKind> {
        self.layers.last().map(|layer| layer.kind)
    }

    /// The list of the topmost page.
    pub fn list(&self) -> Option<&ItemList> {
        self.top()?.list()
    }

    /// True if a page of a kind is open.
    pub fn has(&self, kind: PageKind) -> bool {
        self.layers.iter().any(|layer| layer.kind == kind)
    }

    /// True if a page of a kind is above the one that acts.
    pub(crate) fn has_above_acting(&self, kind: PageKind) -> bool {
        let above = self.layers.iter().rev();
        let mut above = above.take_while(|layer| layer.page.is_some());
        above.any(|layer| layer.kind == kind)
    }

    /// True if something is typed into a prompt.
    pub fn is_typing(&self) -> bool {
        let kind = self.top_kind();
        matches!(kind, Some(PageKind::Prompt | PageKind::SearchPrompt))
    }

    /// True if the blame is hidden.
    pub fn cover_blame(&self) -> bool {
        self.layers.iter().any(Layer::covers)
    }

    /// The kind of the page that hides all below it, if there is one.
    pub(crate) fn covering_kind(&self) -> Option<PageKind> {
        let layer = self.layers.iter().rfind(|layer| layer.covers());
        layer.map(|layer| layer.kind)
    }

    /// Opens a page above all others.
    pub(crate) fn open(&mut self, page: impl Page<Cx> + 'static) {
        self.last_id += 1;
        self.layers.push(Layer {
            id: self.last_id,
            kind: page.kind(),
            covers: page.covers(),
            when_left: page.when_left(),
            page: Some(Box::new(page)),
        });
    }

    /// The layers of all pages, open or left.
    fn all(&self) -> impl Iterator<Item = &Layer<Cx>> {
        let left = self.left.values().flat_map(|left| &left.layers);
        self.layers.iter().chain(left)
    }

    /// As [`all`](Pages::all).
    fn all_mut(&mut self) -> impl Iterator<Item = &mut Layer<Cx>> {
        let left = self.left.values_mut().flat_map(|left| &mut left.layers);
        self.layers.iter_mut().chain(left)
    }

    /// The diffs of all pages, open or left.
    pub(crate) fn all_diffs_mut(&mut self) -> impl Iterator<Item = &mut DiffView> {
        let left = self.left.values_mut().flat_map(|left| &mut left.diffs);
        self.diffs.iter_mut().chain(left)
    }

    /// True if a page awaits the query of this number, open or left.
    pub(crate) fn await_query(&self, id: u64) -> bool {
        let mut pages = self.all().filter_map(Layer::page);
        pages.any(|page| page.awaits(id))
    }

    /// Takes the page out that awaits the query of this number, open or left.
    pub(crate) fn take_awaiting(&mut self, id: u64) -> Option<(u64, Box<dyn Page<Cx>>)> {
        let awaits = |layer: &&mut Layer<Cx>| layer.page().is_some_and(|page| page.awaits(id));
        let layer = self.all_mut().find(awaits)?;
        Some((layer.id, layer.page.take()?))
    }

    /// Takes a page out, which is about to act. Its layer stays.
    pub(crate) fn take(&mut self, at: usize) -> Option<(u64, Box<dyn Page<Cx>>)> {
        let layer = self.layers.get_mut(at)?;
        Some((layer.id, layer.page.take()?))
    }

    /// Puts a page back that has acted, unless it has been closed.
    pub(crate) fn put_back(&mut self, id: u64, page: Box<dyn Page<Cx>>) {
        if let Some(layer) = self.all_mut().find(|layer| layer.id == id) {
            layer.page = Some(page);
        }
    }

    /// Closes the page that acts. What it does afterwards is done without it.
    pub(crate) fn close_acting(&mut self) {
        let acting = self.layers.iter().rposition(|layer| layer.page.is_none());
        if let Some(at) = acting {
            self.layers.remove(at);
        }
    }

    /// Closes the pages of a kind. Returns whether there was one.
    pub(crate) fn close_kind(&mut self, kind: PageKind) -> bool {
        let before = self.layers.len();
        self.layers.retain(|layer| layer.kind != kind);
        self.layers.len() < before
    }

    /// Closes the lowest page of a kind.
    pub(crate) fn close_lowest(&mut self, kind: PageKind) {
        if let Some(at) = self.layers.iter().position(|layer| layer.kind == kind) {
            self.layers.remove(at);
        }
    }

    /// Closes the pages that do not stay when a view is left, and returns their layers.
    pub(crate) fn close_leaving(&mut self) -> Vec<Layer<Cx>> {
        self.diffs.clear();
        let is_leaving = |layer: &mut Layer<Cx>| layer.when_left != WhenLeft::Stays;
        self.layers.extract_if(.., is_leaving).collect()
    }

    /// Closes the pages that do not stay when a view is left, and keeps those that return for when
    /// it is returned to. Without any, those stay kept from which another view was requested.
    pub(crate) fn leave(&mut self, view: u64) {
        let diffs = std::mem::take(&mut self.diffs);
        let mut layers = self.close_leaving();
        layers.retain(|layer| layer.when_left == WhenLeft::Returns);
        for page in layers.iter_mut().filter_map(|layer| layer.page.as_mut()) {
            page.on_left();
        }
        if !layers.is_empty() {
            self.left.insert(view, LeftPages { layers, diffs });
        }
    }

    /// Opens the pages again from which a view was left. Returns whether there are any.
    pub(crate) fn reopen(&mut self, view: u64) -> bool {
        let left = self.left.remove(&view);
        left.is_some_and(|left| {
            self.layers.extend(left.layers);
            self.diffs.extend(left.diffs);
            true
        })
    }

    /// Drops the pages from which views were left, but for the views that are wanted, and for what
    /// was there before all views.
    pub(crate) fn retain_left(&mut self, is_wanted: impl Fn(u64) -> bool) {
        self.left
            .retain(|view, _| *view == BEFORE_VIEWS || is_wanted(*view));
    }

    /// Drops the pages from which a view was left.
    pub(crate) fn forget_left(&mut self, view: u64) {
        self.left.remove(&view);
    }

    /// About how many bytes the pages have in memory from which a view was left.
    pub(crate) fn left_memory_len(&self, view: u64) -> usize {
        self.left.get(&view).map_or(0, |left| {
            let pages = left.layers.iter().filter_map(Layer::page);
            let diffs = left.diffs.iter().map(DiffView::memory_len);
            pages.map(|page| page.memory_len()).chain(diffs).sum()
        })
    }

    /// Drops what the pages can get again from which a view was left.
    pub(crate) fn drop_left_contents(&mut self, view: u64) {
        if let Some(left) = self.left.get_mut(&view) {
            let pages = left.layers.iter_mut();
            for page in pages.filter_map(|layer| layer.page.as_mut()) {
                page.drop_contents();
            }
            for diff in &mut left.diffs {
                diff.drop_contents();
            }
        }
    }
}
