//! The questions for the change of the selected line and for the functions of its file.

use std::sync::Arc;

use crate::{
    sanitize,
    viewer::{
        app::{blame::view::View, state::App},
        model::{
            background::line_change::{FunctionsQuery, LineChangeQuery, LineChangeRows},
            diff::{FunctionName, VersionPair},
            source::Failure,
            texts::{function_names, text::SharedText},
        },
        pages::page::PageKind,
    },
};

/// Bytes of the heading of a function that are looked at.
const MAX_HEADING_LEN: usize = 1 << 10;

impl App {
    /// Asks whether the uncommitted lines differ in white space alone, for the change of the
    /// selected line if the details have room for it, and for the functions of the file. The blame
    /// needs the processors first.
    pub(crate) fn request_line_change(&mut self) {
        if self.diff().is_some() || self.view().is_none_or(View::is_running) {
            return;
        }
        self.request_functions();
        let cache = &self.line_changes;
        let whitespace = self.whitespace_query();
        let query = match whitespace.filter(|query| cache.of(query).is_none()) {
            Some(query) => query,
            None => match self.line_change_query() {
                Some(query) if self.room_in_details() > 0 => query,
                _ => return,
            },
        };
        if cache.knows(&query) {
            return;
        }
        let id = self.ask(query.clone());
        self.line_changes.ask(id, query);
    }

    /// Stores the change of a line.
    pub(crate) fn on_line_change(&mut self, id: u64, found: Result<LineChangeRows, Failure>) {
        let asked = self.line_changes.insert(id, found);
        if asked.is_some() && asked == self.whitespace_query() {
            self.hint_at_whitespace();
        }
    }

    /// The rows below the details that are empty, or that they can have if they are enlarged.
    fn room_in_details(&self) -> usize {
        let layout = self.layout();
        let rows = usize::from(layout.details.height);
        match layout.message_and_change() {
            (_, Some(_)) => rows,
            _ if self.pages.has(PageKind::Details) => rows,
            (_, None) => rows.saturating_sub(self.detail_lines().len()),
        }
    }

    /// The question for the change of the selected line; `None` if there are no two versions.
    fn line_change_query(&self) -> Option<LineChangeQuery> {
        let (view, facts) = self
            .selected_attribution()
            .filter(|_| !self.is_reversed())?;
        Some(LineChangeQuery {
            line: Self::source_line(view, &facts),
            versions: VersionPair {
                old: Some(facts.origin.previous.clone()?),
                new: Some(Self::version_of(view, &facts)),
            },
            whitespace: view.options.whitespace,
        })
    }

    /// The change of the selected line, once it is known.
    pub(crate) fn line_change(&self) -> Option<&LineChangeRows> {
        self.line_changes.of(&self.line_change_query()?)
    }

    fn request_functions(&mut self) {
        let Some(view) = self.view() else { return };
        let asked = self.line_changes.functions;
        if view.functions.is_some() || asked.is_some_and(|(text, _)| text == view.text_id) {
            return;
        }
        let (text_id, query) = (
            view.text_id,
            FunctionsQuery {
                text: SharedText(view.text.clone()),
                place: view.version.clone(),
            },
        );
        let id = self.ask(query);
        self.line_changes.functions = Some((text_id, id));
    }

    /// Stores the functions of a text.
    pub(crate) fn on_functions(&mut self, id: u64, found: Result<Vec<FunctionName>, Failure>) {
        let Some((text_id, asked)) = self.line_changes.functions else {
            return;
        };
        let mut views = self.history.views.iter_mut();
        if let Some(view) = views.find(|view| asked == id && view.text_id == text_id) {
            view.functions = Some(Arc::from(found.unwrap_or_default()));
        }
    }

    /// The name of the function that the selected line is in, by git's rule: that of the last line
    /// up to it that starts one, without labels and prose where a file has no driver.
    pub fn enclosing_function(&self) -> Option<String> {
        let view = self.view()?;
        let (functions, line) = (view.functions.as_ref()?, view.pager.position.line);
        let after = functions.partition_point(|function| function.line <= line);
        let function = functions.get(after.checked_sub(1)?)?;
        let name = function.start as usize..function.end as usize;
        let heading = view.text.line(function.line).get(name)?;
        let heading = &heading[..heading.len().min(MAX_HEADING_LEN)];
        Some(sanitize::line(function_names::short(heading)))
    }
}
