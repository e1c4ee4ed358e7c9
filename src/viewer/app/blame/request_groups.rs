//! Groups joined by what brought them, while the colors tell that.

use crate::{
    objects::ObjectId,
    repository::provenance::{finder::Arrival, request_number::RequestNumber},
    viewer::{
        app::{blame::view::View, state::App},
        model::color_mode::ColorMode,
    },
};

/// The request that brought a group, or else the merge.
#[derive(Debug, PartialEq, Eq)]
enum GroupBringer {
    Request(RequestNumber),
    Merge(ObjectId),
}

impl App {
    /// The line after a group, or after the run of groups that one request or merge brought.
    pub(crate) fn next_group(&self, view: &View, line: u32) -> Option<u32> {
        let mut next = view.attribution.next_group(line)?;
        let bringer = self.bringer_of(view, line);
        while bringer.is_some() && self.bringer_of(view, next) == bringer {
            next = view.attribution.next_group(next)?;
        }
        Some(next)
    }

    /// The first line of the group of a line, or of the run of groups that one request or merge
    /// brought; of the one before, if `line` is that line.
    pub(crate) fn previous_group(&self, view: &View, line: u32) -> Option<u32> {
        let mut start = view.attribution.previous_group(line)?;
        let bringer = self.bringer_of(view, start);
        while bringer.is_some()
            && start > 0
            && self.bringer_of(view, start - 1) == bringer
            && let Some(before) = view.attribution.previous_group(start)
        {
            start = before;
        }
        Some(start)
    }

    fn bringer_of(&self, view: &View, line: u32) -> Option<GroupBringer> {
        if self.display.color_mode != ColorMode::Request {
            return None;
        }
        let Arrival { merge, request } = self
            .provenance
            .arrival(&view.attribution_of(line)?.commit.id)?;
        let request = request.map(GroupBringer::Request);
        request.or(merge.map(GroupBringer::Merge))
    }
}
