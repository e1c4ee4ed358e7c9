//! The diff view.

use std::ops::Range;

use ratatui::{
    buffer::Buffer,
    style::{Modifier, Style},
};

use crate::{
    sanitize::{self, GlyphKind, Glyphs},
    text::thousands::{line_number, thousands},
    viewer::{
        app::{
            commit::detail_line::DetailLine, diff_view::DiffView, display::layout::Area, state::App,
        },
        model::{
            diff::DiffRow,
            texts::{
                syntax::SyntaxClass,
                word_diff,
                wrap::{Piece, Wrap},
            },
        },
        pages::diff::{header, old_side::OldGutter},
        theme::{
            roles::{DiffPart, DiffSide, Foreground, LineBackground},
            styles::Theme,
        },
        ui::{
            code, details,
            paint::{self, RowWriter, VisiblePart},
        },
    },
};

/// Draws the diff between header and footer.
pub(crate) fn screen(app: &App, diff: &DiffView, theme: &Theme, area: Area, buffer: &mut Buffer) {
    let text = theme.line(LineBackground::Plain, Foreground::Text);
    paint::fill(buffer, area, text);
    let wrap = app.diff_wrapping(diff);
    let lines = diff.lines();
    let (mut line, mut part) = diff.pager.top();
    for y in area.y..area.y + area.height {
        let row = area.row(y);
        let selected = line == diff.pager.position.line;
        let Some(at) = diff.row_at(line) else {
            if let Some(text) = diff.header.get(line as usize) {
                let selected_reference = app.selected_reference();
                head_line(text, (selected_reference, selected), theme, row, buffer);
            }
            (line, part) = (line + 1, 0);
            continue;
        };
        let words = |words: &str, buffer: &mut Buffer| {
            let words = sanitize::line(words.as_bytes());
            paint::text(buffer, (row.x + 1, y), row.width, &words, text);
        };
        let mut height = 1;
        match &diff.comparison {
            None if at == 0 => words("comparing…", buffer),
            Some(Err(failure)) if at == 0 => words(&failure.0, buffer),
            Some(Ok(comparison)) if at == 0 && comparison.rows.is_empty() => {
                words("no differences in the text", buffer);
            }
            _ => {
                if let Some(&diff_row) = diff.rows().get(at) {
                    let bytes = diff.line(diff_row);
                    height = wrap.map_or(1, |wrap| diff.pager.height(&lines, line, wrap));
                    let is_topmost = line == diff.pager.top().0;
                    let drawn = DrawnRow {
                        diff,
                        old: OldGutter::new(app, diff, at, (part, is_topmost)),
                        line,
                        at,
                        row: diff_row,
                        bytes,
                        part,
                        wrap,
                        selected,
                        theme,
                    };
                    drawn.draw(row, buffer);
                }
            }
        }
        part += 1;
        if part >= height {
            (line, part) = (line.saturating_add(1), 0);
        }
    }
}

fn head_line(
    line: &DetailLine,
    (selected_reference, selected): (Option<usize>, bool),
    theme: &Theme,
    row: Area,
    buffer: &mut Buffer,
) {
    let background = if selected {
        LineBackground::SelectedLine
    } else {
        LineBackground::Plain
    };
    paint::fill(buffer, row, theme.line(background, Foreground::Text));
    details::line(line, selected_reference, background, theme, row, buffer);
}

/// A row of the diff, or one row of a wrapped line.
struct DrawnRow<'a> {
    diff: &'a DiffView,
    old: OldGutter,
    /// The line of the pager.
    line: u32,
    /// The row of the diff.
    at: usize,
    row: DiffRow,
    bytes: &'a [u8],
    part: u32,
    wrap: Option<Wrap>,
    selected: bool,
    theme: &'a Theme,
}

impl DrawnRow<'_> {
    fn background(&self, part: DiffPart) -> LineBackground {
        match self.row {
            _ if self.selected => LineBackground::SelectedLine,
            DiffRow::Removed(_) => LineBackground::Diff(DiffSide::Removed, part),
            DiffRow::Added(_) => LineBackground::Diff(DiffSide::Added, part),
            DiffRow::Context { .. }
            | DiffRow::HunkHeader { .. }
            | DiffRow::File(_)
            | DiffRow::OmittedFiles => LineBackground::Plain,
        }
    }

    fn draw(&self, area: Area, buffer: &mut Buffer) {
        let background = self.background(DiffPart::Common);
        let text = self.theme.line(background, Foreground::Text);
        if self.row.is_heading() {
            let style = if self.selected {
                text
            } else {
                self.theme.bar()
            };
            paint::fill(buffer, area, style);
            return self.heading(style, RowWriter::new(buffer, area));
        }
        paint::fill(
            buffer,
            area,
            self.theme
                .line(background, Foreground::Code(SyntaxClass::Plain)),
        );
        let mut row = RowWriter::new(buffer, area);
        let (olds, news) = self.diff.numbers(area.width);
        let shown = self.diff.in_file(self.at, self.row);
        let lines = [shown.old_line(), shown.new_line()];
        let (sign, colored) = match self.row {
            DiffRow::Removed(_) => ("- ", Foreground::Removed),
            DiffRow::Added(_) => ("+ ", Foreground::Added),
            DiffRow::Context { .. }
            | DiffRow::HunkHeader { .. }
            | DiffRow::File(_)
            | DiffRow::OmittedFiles => ("  ", Foreground::Faint),
        };
        let colored = self.theme.line(background, colored);
        let faint = self.theme.line(background, Foreground::Faint);
        self.old.put(&mut row, faint);
        for (columns, line) in [olds, news].into_iter().zip(lines) {
            if columns > 0 {
                let line = line.filter(|_| self.part == 0);
                let number = line.map_or(String::new(), |line| (line + 1).to_string());
                row.put(&format!("{number:>0$} ", usize::from(columns)), colored);
            }
        }
        row.put(sign, colored.add_modifier(Modifier::BOLD));
        let width = row.remaining();
        let code = Area {
            x: area.x + area.width - width,
            width,
            ..area
        };
        self.code(code, buffer);
    }

    /// Draws the start of a hunk, with the function that it is in, or of a file.
    fn heading(&self, style: Style, mut row: RowWriter<'_>) {
        let (old, new) = match self.diff.in_file(self.at, self.row) {
            DiffRow::HunkHeader { old, new, .. } => (old, new),
            DiffRow::File(at) => {
                let strong = style.add_modifier(Modifier::BOLD);
                let Some(part) = self.diff.parts().get(at as usize) else {
                    return;
                };
                row.put(&format!("═ {} ", header::in_words(&part.file)), strong);
                if let Some(failure) = &part.failure {
                    let reason = sanitize::line(failure.0.as_bytes());
                    row.put(&format!("({reason}) "), style);
                }
                let rest = "═".repeat(usize::from(row.remaining()));
                return row.put(&rest, style);
            }
            DiffRow::OmittedFiles => {
                let count = self.diff.omitted_files();
                let files_are = if count == 1 { "file is" } else { "files are" };
                row.put(
                    &format!("═ {} more {files_are} not shown ", thousands(count)),
                    style,
                );
                let rest = "═".repeat(usize::from(row.remaining()));
                return row.put(&rest, style);
            }
            _ => return,
        };
        let words = match self.diff.paths() {
            (None, _) => format!(" line {} ─", line_number(new)),
            (_, None) => format!(" line {} (old) ─", line_number(old)),
            _ => format!(" line {} (old: {}) ─", line_number(new), line_number(old)),
        };
        row.put(&words, style);
        let function = self.diff.function(self.row).map(sanitize::line);
        if let Some(function) = function.filter(|function| !function.is_empty()) {
            let room = usize::from(row.remaining()).saturating_sub(3);
            let function = sanitize::clip(function.as_bytes(), room);
            row.put(&format!(" {function} "), style.add_modifier(Modifier::BOLD));
        }
        row.dash(style);
    }

    fn code(&self, area: Area, buffer: &mut Buffer) {
        let piece = match self.wrap {
            None => None,
            Some(wrap) => {
                let row = (self.line, self.part);
                let lines = self.diff.lines();
                let Some(piece) = self.diff.pager.piece(&lines, row, wrap) else {
                    return;
                };
                Some(piece)
            }
        };
        let seen = VisiblePart::new(piece, self.diff.pager.position.left, area);
        seen.draw_continuation_sign(
            self.theme
                .line(self.background(DiffPart::Common), Foreground::Faint),
            buffer,
        );
        let glyphs = seen.glyphs(self.glyphs(piece));
        let len = self.bytes.len();
        let faint = self
            .theme
            .line(self.background(DiffPart::Common), Foreground::Faint);
        let (Some(first), Some(last)) = (glyphs.first(), glyphs.last()) else {
            return seen.draw_cut_signs(0..0, len, faint, buffer);
        };
        let words = self.words();
        let search = self.diff.search.get();
        let found = code::matches(search, self.bytes, first.start..last.end);
        let mut found = found.iter().peekable();
        let mut classes = paint::ClassCursor::new(self.diff.spans(self.at, self.row), first.start);
        for glyph in &glyphs {
            let class = classes.at(glyph.start);
            while found.next_if(|range| range.end <= glyph.start).is_some() {}
            let foreground = match glyph.kind {
                GlyphKind::Escape => self.escape_color(glyph.start),
                GlyphKind::Text => Foreground::Code(class),
            };
            let style = match found.peek() {
                Some(range) if range.start < glyph.end => {
                    self.theme.search_match(self.background(DiffPart::Common))
                }
                _ => self.style(foreground, words.iter().any(|it| it.contains(&glyph.start))),
            };
            seen.draw(glyph, style, buffer);
        }
        seen.draw_cut_signs(first.start..last.end, len, faint, buffer);
    }

    /// The color of a character that is shown by another one: a carriage return at the end of a changed
    /// line has that of the sign, as it may be all that differs.
    fn escape_color(&self, at: usize) -> Foreground {
        let is_end = self.bytes.get(at..) == Some(b"\r");
        match self.row {
            DiffRow::Removed(_) if is_end => Foreground::Removed,
            DiffRow::Added(_) if is_end => Foreground::Added,
            _ => Foreground::Mark,
        }
    }

    fn glyphs(&self, piece: Option<Piece>) -> Glyphs<'_> {
        match piece {
            Some(piece) => Glyphs::from_position(self.bytes, piece.start),
            None => Glyphs::from_column(self.bytes, self.diff.pager.position.left),
        }
    }

    fn style(&self, foreground: Foreground, differs: bool) -> Style {
        let part = if differs {
            DiffPart::Words
        } else {
            DiffPart::Common
        };
        let style = self.theme.line(self.background(part), foreground);
        if differs && self.selected {
            self.theme.emphasized(style)
        } else {
            style
        }
    }

    /// The bytes that differ from the counterpart in the other version.
    fn words(&self) -> Vec<Range<usize>> {
        let counterparts = self.diff.comparison().map(|it| it.counterparts.as_slice());
        let counterpart = counterparts.and_then(|counterparts| *counterparts.get(self.at)?);
        let counterpart =
            counterpart.and_then(|counterpart| self.diff.rows().get(counterpart as usize));
        let found = counterpart
            .and_then(|counterpart| word_diff::differing(self.bytes, self.diff.line(*counterpart)));
        found.unwrap_or_default()
    }
}
