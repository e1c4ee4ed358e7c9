//! Copying what is under the mouse as text.

use bstr::ByteSlice;

use crate::{
    sanitize,
    viewer::{
        app::{
            blame::line_selection::{MAX_COPIED, plain_text},
            commit::detail_line::{DetailLine, Link},
            state::App,
        },
        model::{gutter::Column, relative_dates},
        pages::page::PageKind,
    },
};

/// The width for which the rows of lists are copied, in columns: more than any screen has, so that
/// nothing is cut off.
const ROW_WIDTH: usize = 1000;

impl App {
    /// Copies what is under the mouse: the selected lines, a line, what a column says of a line, a
    /// row of a list, a reference.
    pub(crate) fn copy_under(&mut self, at: (u16, u16)) {
        self.clear_message();
        if self.is_on_chosen_lines(at) {
            self.copy_lines();
            return;
        }
        let text = self.text_under(at).filter(|text| !text.trim().is_empty());
        match text {
            Some(text) if text.len() > MAX_COPIED => {
                self.show_message("too long to be copied: more than 75 kB");
            }
            Some(text) => {
                let words = format!("copied {}", sanitize::line(text.trim().as_bytes()));
                self.put_on_clipboard(text, words);
            }
            None => self.show_message("nothing to copy here"),
        }
    }

    /// True if the blame is under the mouse, at a line of several that are being selected.
    fn is_on_chosen_lines(&self, (x, y): (u16, u16)) -> bool {
        let chosen = self.view().and_then(|view| view.chosen_lines());
        let on_code = x >= self.gutter().width() && self.pages.len() == 0;
        let line = self.line_at(y).map(|(line, _)| line);
        on_code
            && line
                .zip(chosen)
                .is_some_and(|(line, chosen)| chosen.contains(&line))
    }

    /// What is under the mouse.
    fn text_under(&self, at: (u16, u16)) -> Option<String> {
        for layer in self.pages.layers().iter().rev() {
            let page = layer.page()?;
            if let Some(list) = page.list()
                && let Some((item, row)) = list.item_at(at)
            {
                let rows = page.rows(item, ROW_WIDTH, self);
                return rows.get(row).map(|row| without_gaps(&row.text()));
            }
            if page.kind() == PageKind::Diff {
                return self.diff_text_under(at);
            }
            if layer.covers() || page.kind() == PageKind::Help {
                return None;
            }
        }
        self.blame_text_under(at)
    }

    fn diff_text_under(&self, (x, y): (u16, u16)) -> Option<String> {
        let (diff, area) = (self.diff()?, self.layout().body());
        let row = y.checked_sub(area.y).filter(|row| *row < area.height)?;
        let wrap = self.diff_wrapping(diff);
        let (line, _) = diff.pager.row_at(&diff.lines(), wrap, row.into())?;
        if let Some(line) = diff.header.get(line as usize) {
            return Some(self.detail_text(line, x));
        }
        let row = diff.rows().get(diff.row_at(line)?)?;
        Some(plain_text(diff.line(*row)))
    }

    /// The page or the name of a reference at a column, or else the line.
    fn detail_text(&self, line: &DetailLine, x: u16) -> String {
        let reference = match line.link_at(x) {
            Some(Link::Reference(at)) => self.shown_references().into_iter().nth(at),
            _ => None,
        };
        match reference {
            Some(it) => match it.commit {
                Some(id) => id.to_string(),
                None => it.url.unwrap_or(it.name),
            },
            None => line.text.trim().to_owned(),
        }
    }

    fn blame_text_under(&self, (x, y): (u16, u16)) -> Option<String> {
        let (layout, view) = (self.layout(), self.view()?);
        if layout.header.contains((x, y)) {
            return Some(plain_text(&view.path));
        }
        if layout.details_title.contains((x, y)) {
            let id = view.selected()?.commit.id;
            return (!id.is_null()).then(|| id.to_string());
        }
        if layout.details.contains((x, y)) {
            let row = self.details.pager.position.top as usize + usize::from(y - layout.details.y);
            let lines = self.detail_lines();
            return lines.get(row).map(|line| self.detail_text(line, x));
        }
        let (line, _) = self.line_at(y)?;
        let gutter = self.gutter();
        match gutter.column_at(x) {
            Some(column) => self.column_text_of(line, column),
            None if x < gutter.width() => Some(self.name_of_line(line)),
            None => Some(plain_text(view.text.line(line))),
        }
    }

    /// A line (0-based) as compilers name it.
    fn name_of_line(&self, line: u32) -> String {
        let path = self.view().map(|view| plain_text(&view.path));
        format!("{}:{}", path.unwrap_or_default(), u64::from(line) + 1)
    }

    /// What a column of the gutter says of a line, in full.
    fn column_text_of(&self, line: u32, column: Column) -> Option<String> {
        let view = self.view()?;
        let facts = view.attribution_of(line)?;
        let id = facts.commit.id;
        let commit = facts.commit.metadata.as_ref().ok();
        let author = commit.map(|commit| &commit.author);
        match column {
            Column::Line | Column::OriginalLine => Some(self.name_of_line(line)),
            Column::Id => (!id.is_null()).then(|| id.to_string()),
            Column::Author => author.map(|author| plain_text(&author.name)),
            Column::Email => author.map(|author| plain_text(&author.mail)),
            Column::Date if id.is_null() => None,
            Column::Date => author.map(|it| relative_dates::moment(it.time, it.offset)),
            Column::Summary => commit.map(|commit| plain_text(&commit.summary())),
            Column::Path => Some(plain_text(facts.origin.path.as_bytes())),
            Column::Change => Some(plain_text(commit?.change_id.as_ref()?)),
            Column::Release => self.provenance.release(&id).map(|name| plain_text(name)),
            Column::Request => {
                let arrival = self.provenance.arrival(&id)?;
                let request = arrival.request.map(|request| request.to_string());
                request.or_else(|| Some(arrival.merge?.to_string()))
            }
            Column::Agent => {
                let agent = self.agent_of_line(view, line)?;
                Some(plain_text(agent.name().as_bytes()))
            }
            Column::Origin => {
                let other = self.second_answer()?.other(view, line)?;
                let commit = other.commit.metadata.as_ref().ok()?;
                Some(plain_text(&commit.author.name))
            }
        }
    }
}

/// The text of a row with no more than two blanks side by side: columns are wide here.
fn without_gaps(text: &str) -> String {
    let cells = text
        .split("  ")
        .map(str::trim)
        .filter(|cell| !cell.is_empty());
    cells.collect::<Vec<_>>().join("  ")
}
