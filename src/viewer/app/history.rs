//! The steps through history: the views that were visited, and the one that is being opened.

use std::{collections::BTreeMap, sync::Arc};

use bstr::BString;

use crate::viewer::{
    app::{blame::view::View, pager::Position},
    model::{
        source::{FileVersion, Stamp},
        switches::Switches,
    },
};

/// The letter of the bookmark that every jump sets.
pub(crate) const BEFORE_JUMP: char = '\'';

/// The views that were visited.
#[derive(Debug, Default)]
pub struct History {
    /// Every step, the oldest first.
    pub views: Vec<View>,
    /// The step on the screen.
    pub current: usize,
    /// The file that is being opened.
    pub pending: Option<Pending>,
    /// Positions by letter.
    pub(crate) bookmarks: BTreeMap<char, Bookmark>,
}

impl History {
    /// The view on the screen; none before the first file is there.
    pub fn view(&self) -> Option<&View> {
        self.views.get(self.current)
    }

    pub(crate) fn view_mut(&mut self) -> Option<&mut View> {
        self.views.get_mut(self.current)
    }
}

/// A file that was asked for and is not on the screen yet.
#[derive(Debug, Clone)]
pub struct Pending {
    pub(crate) version: FileVersion,
    pub(crate) path: Arc<BString>,
    /// What is being opened, for the header.
    pub revision: String,
    pub(crate) switches: Arc<Switches>,
    pub(crate) line: Option<u32>,
    /// The new stamp and the position in the old view, when a file is read again.
    pub(crate) reread: Option<(Stamp, Position)>,
}

/// A position in a view.
#[derive(Debug, Clone)]
pub(crate) struct Bookmark {
    /// The view's number.
    pub(crate) view: u64,
    pub(crate) version: FileVersion,
    pub(crate) position: Position,
}

impl Bookmark {
    /// The present position in a view.
    pub(crate) fn of(view: &View) -> Self {
        Bookmark {
            view: view.number,
            version: view.version.clone(),
            position: view.pager.position,
        }
    }
}
