//! Differential output: writes only the cells that changed since the last frame.
//!
//! Where rows scrolled, a scrolling region (DECSTBM) moves them in the terminal first; the cells
//! that still differ, such as the new rows and the scrollbar, are then written as usual.
//!
//! Links are no part of the cells: a cell is also written when its link changes.

use std::{
    hash::{Hash, Hasher},
    io::{self, Write},
    ops::Range,
};

use ratatui::{
    buffer::{Buffer, Cell},
    layout::{Rect, Size},
};
use rustc_hash::{FxHashMap, FxHasher};
use unicode_width::UnicodeWidthStr;

use crate::viewer::{
    model::hyperlink::Hyperlink,
    terminal::{
        ascii,
        cell_writer::CellWriter,
        hyperlinks::{LinkedRows, url_at},
    },
};

/// Fewest rows that are scrolled with a region.
const MIN_SCROLL_ROWS: u16 = 4;

/// True if the terminal named by `TERM` is known to implement scrolling regions as a VT100 does.
pub fn has_scroll_regions(term: &str) -> bool {
    const KNOWN: [&str; 19] = [
        "alacritty",
        "contour",
        "foot",
        "ghostty",
        "gnome",
        "iterm",
        "kitty",
        "konsole",
        "linux",
        "mintty",
        "putty",
        "rio",
        "rxvt",
        "screen",
        "st",
        "tmux",
        "vte",
        "wezterm",
        "xterm",
    ];
    let first = term.split(['-', '.']).next().unwrap_or_default();
    KNOWN.contains(&first)
}

/// The cells that a terminal shows, and the writer that changes them.
#[derive(Debug)]
pub struct Canvas<W> {
    out: W,
    /// The cells that the terminal shows.
    shown: Buffer,
    next: Buffer,
    /// The links that the terminal shows.
    links: LinkedRows,
    /// True if the terminal's contents are unknown, so that the next frame clears it.
    is_invalid: bool,
    has_scroll_regions: bool,
    /// Marks and lines are shown in ASCII.
    is_ascii: bool,
}

impl<W: Write> Canvas<W> {
    /// Creates a canvas for a terminal with unknown contents.
    pub fn new(out: W, has_scroll_regions: bool) -> Self {
        Canvas {
            out,
            shown: Buffer::empty(Rect::ZERO),
            next: Buffer::empty(Rect::ZERO),
            links: LinkedRows::default(),
            is_invalid: true,
            has_scroll_regions,
            is_ascii: false,
        }
    }

    /// Shows marks and lines in ASCII from the next frame on.
    pub(crate) fn set_ascii(&mut self) {
        self.is_ascii = true;
    }

    /// The writer below.
    pub fn out(&mut self) -> &mut W {
        &mut self.out
    }

    /// The writer below, to look at.
    pub fn output(&self) -> &W {
        &self.out
    }

    /// Makes the next frame clear the terminal and write every cell.
    pub fn invalidate(&mut self) {
        self.is_invalid = true;
    }

    /// Draws the frame that `paint` makes in an empty buffer, with the links that it returns, without
    /// flushing. `scrolling` are the rows (half-open) that may have scrolled together.
    ///
    /// # Errors
    /// If writing fails; the terminal's contents are unknown then.
    pub fn draw(
        &mut self,
        size: Size,
        scrolling: Range<u16>,
        paint: &mut dyn FnMut(&mut Buffer) -> Vec<Hyperlink>,
    ) -> io::Result<()> {
        let area = Rect::from((ratatui::layout::Position::ORIGIN, size));
        if self.shown.area != area {
            self.shown = Buffer::empty(area);
            self.next = Buffer::empty(area);
            self.is_invalid = true;
        }
        self.next.reset();
        let links = LinkedRows::new(paint(&mut self.next), size.height);
        if self.is_ascii {
            ascii::replace(&mut self.next);
        }
        let known = !std::mem::replace(&mut self.is_invalid, true);
        if !known {
            self.out.write_all(b"\x1b[0m\x1b[2J")?;
            self.shown.reset();
            self.links = LinkedRows::default();
        }
        let mut changed = self.changed_rows(&links);
        if known
            && self.has_scroll_regions
            // Most frames change the selected row, the header and the foot alone.
            && changed.iter().filter(|&y| scrolling.contains(y)).count() >= MIN_SCROLL_ROWS.into()
            && let Some(by) = scrolled_by(&self.shown, &self.next, scrolling.clone())
        {
            self.scroll(scrolling, by)?;
            changed = self.changed_rows(&links);
        }
        let mut writer = CellWriter::new(&mut self.out);
        let mut dirty = Vec::new();
        for y in changed {
            let (shown, next) = (row(&self.shown, y), row(&self.next, y));
            let (shown_links, next_links) = (self.links.row(y), links.row(y));
            let has_same_link = |x| url_at(shown_links, x) == url_at(next_links, x);
            mark_dirty(shown, next, has_same_link, &mut dirty);
            let mut covered = 0;
            for ((cell, &dirty), x) in next.iter().zip(&dirty).zip(0..) {
                if usize::from(x) >= covered {
                    covered = usize::from(x) + cell_width(cell);
                    if dirty {
                        writer.link(url_at(next_links, x))?;
                        writer.put((x, y), cell)?;
                    }
                }
            }
        }
        writer.reset()?;
        std::mem::swap(&mut self.shown, &mut self.next);
        self.links = links;
        self.is_invalid = false;
        Ok(())
    }

    /// The rows of the next frame, with these links, that differ from those shown.
    fn changed_rows(&self, links: &LinkedRows) -> Vec<u16> {
        let is_changed =
            |y| row(&self.shown, y) != row(&self.next, y) || self.links.row(y) != links.row(y);
        (0..self.next.area.height)
            .filter(|&y| is_changed(y))
            .collect()
    }

    /// Scrolls rows up by `by`, or down if it is negative.
    fn scroll(&mut self, rows: Range<u16>, by: i32) -> io::Result<()> {
        self.links.scroll(rows.clone(), by);
        let (first, last) = (rows.start + 1, rows.end);
        write!(self.out, "\x1b[0m\x1b[{first};{last}r")?;
        // Line feed and reverse index are universal; SU and SD, which scroll by several rows, are
        // not.
        let (at, one) = if by > 0 {
            (last, "\n")
        } else {
            (first, "\x1bM")
        };
        let count = by.unsigned_abs() as usize;
        write!(self.out, "\x1b[{at};1H{}\x1b[r", one.repeat(count))?;
        let width = usize::from(self.shown.area.width);
        let cells = usize::from(rows.start) * width..usize::from(rows.end) * width;
        let cells = &mut self.shown.content[cells];
        let gone = (count * width).min(cells.len());
        let new = if by > 0 {
            cells.rotate_left(gone);
            cells.len() - gone..cells.len()
        } else {
            cells.rotate_right(gone);
            0..gone
        };
        cells[new].fill(Cell::EMPTY);
        Ok(())
    }
}

/// The cells of a row.
fn row(buffer: &Buffer, y: u16) -> &[Cell] {
    let width = usize::from(buffer.area.width);
    let start = usize::from(y) * width;
    &buffer.content[start..start + width]
}

/// Number of columns of a cell's text, at least 1.
fn cell_width(cell: &Cell) -> usize {
    match cell.symbol() {
        text if text.len() == 1 => 1,
        text => text.width().max(1),
    }
}

/// Marks the cells of a row to be written: those that changed, or whose link did, and every cell of
/// a wide character, old or new, of which one changed. Terminals differ in what remains of a wide
/// character that is half overwritten.
fn mark_dirty(
    shown: &[Cell],
    next: &[Cell],
    has_same_link: impl Fn(u16) -> bool,
    dirty: &mut Vec<bool>,
) {
    dirty.clear();
    let cells = shown.iter().zip(next).zip(0..);
    dirty.extend(cells.map(|((shown, next), x)| shown != next || !has_same_link(x)));
    let is_wide = |cell: &Cell| cell.symbol().len() > 1 && cell_width(cell) > 1;
    if !shown.iter().chain(next).any(is_wide) {
        return;
    }
    loop {
        let mut grew = false;
        for row in [shown, next] {
            let mut at = 0;
            while at < row.len() {
                let end = (at + cell_width(&row[at])).min(row.len());
                let glyph = &mut dirty[at..end];
                if glyph.contains(&true) && glyph.contains(&false) {
                    glyph.fill(true);
                    grew = true;
                }
                at = end;
            }
        }
        if !grew {
            return;
        }
    }
}

/// How many rows up (down if negative) the contents of `rows` scrolled; `None` if scrolling them
/// would not save a quarter of the cells.
fn scrolled_by(shown: &Buffer, next: &Buffer, rows: Range<u16>) -> Option<i32> {
    let rows = rows.start..rows.end.min(next.area.height);
    let width = usize::from(next.area.width);
    if rows.len() < usize::from(MIN_SCROLL_ROWS) || width < 2 {
        return None;
    }
    // The last column holds the scrollbar, which does not scroll.
    let digest = |buffer: &Buffer, y: u16| {
        let mut hasher = FxHasher::default();
        for cell in &row(buffer, y)[..width - 1] {
            cell.symbol().hash(&mut hasher);
        }
        hasher.finish()
    };
    let mut places: FxHashMap<u64, Option<u16>> = FxHashMap::default();
    for y in rows.clone() {
        let place = places.entry(digest(shown, y)).or_insert(Some(y));
        // Repeated rows are ambiguous.
        *place = place.filter(|&other| other == y);
    }
    let mut votes: FxHashMap<i32, usize> = FxHashMap::default();
    for y in rows.clone() {
        if let Some(&Some(place)) = places.get(&digest(next, y)) {
            *votes.entry(i32::from(place) - i32::from(y)).or_default() += 1;
        }
    }
    let best = votes
        .into_iter()
        .max_by_key(|&(by, count)| (count, -by.abs()));
    let (by, _) = best.filter(|&(by, _)| by != 0)?;
    let cost = |by: i32| {
        let costs = rows.clone().map(|y| {
            let from = u16::try_from(i32::from(y) + by);
            let from = from.ok().filter(|from| rows.contains(from));
            let cells = row(next, y).iter();
            match from {
                Some(from) => cells.zip(row(shown, from)).filter(|(a, b)| a != b).count(),
                None => cells.filter(|cell| **cell != Cell::EMPTY).count(),
            }
        });
        costs.sum::<usize>()
    };
    (4 * cost(by) < 3 * cost(0)).then_some(by)
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use proptest::prelude::*;
    use ratatui::style::{Color, Modifier, Style};

    use super::*;

    const SIZE: Size = Size {
        width: 24,
        height: 12,
    };

    /// Paints numbered lines from `top` in many colors, some with wide characters, below a header
    /// and beside a scrollbar.
    fn paint(buffer: &mut Buffer, top: u32, cursor: u16) {
        buffer.set_string(0, 0, format!("header {top}"), Style::new().bg(Color::Blue));
        for y in 1..SIZE.height - 2 {
            let line = top + u32::from(y);
            let text = match line % 4 {
                0 => format!("{line:>3} 日本語 wide"),
                1 => format!("{line:>3} e\u{301} {}", "x".repeat(line as usize % 9)),
                2 => format!("{line:>3}"),
                _ => format!("{line:>3} 👩‍👩‍👧 family {line}"),
            };
            let ground = if y == cursor {
                Color::Rgb(90, 80, 20)
            } else {
                Color::Indexed((line % 5) as u8 + 20)
            };
            let style = Style::new()
                .fg(Color::Rgb(200, (line % 250) as u8, 3))
                .bg(ground);
            buffer.set_stringn(0, y, text, 20, style);
            let bold = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
            buffer.set_string(4, y, "k", bold);
            let thumb = if u32::from(y) == top % 8 { "█" } else { " " };
            buffer.set_string(SIZE.width - 1, y, thumb, Style::new().fg(Color::Yellow));
        }
        buffer.set_string(0, SIZE.height - 1, "footer", Style::new());
    }

    fn terminal() -> vt100::Parser {
        let cells = |count| NonZero::new(count).unwrap();
        vt100::Parser::new(cells(SIZE.height), cells(SIZE.width), 0)
    }

    /// Draws pages one after the other. Returns the resulting screen and the bytes written after
    /// the first page.
    fn show(pages: &[(u32, u16)], has_scroll_regions: bool) -> (vt100::Parser, usize) {
        let mut screen = terminal();
        let mut canvas = Canvas::new(Vec::new(), has_scroll_regions);
        let mut bytes = 0;
        for (number, &(top, cursor)) in pages.iter().enumerate() {
            let rows = 1..SIZE.height - 2;
            canvas
                .draw(SIZE, rows, &mut |buffer| {
                    paint(buffer, top, cursor);
                    Vec::new()
                })
                .unwrap();
            screen.process(canvas.out());
            bytes += if number == 0 { 0 } else { canvas.out().len() };
            canvas.out().clear();
        }
        (screen, bytes)
    }

    /// The visible state of each cell, without the foreground of blanks.
    fn state(screen: &vt100::Parser) -> Vec<String> {
        let places = (0..SIZE.height).flat_map(|y| (0..SIZE.width).map(move |x| (x, y)));
        let cells = places.map(|(x, y)| {
            let cell = screen.screen().cell(y, x).unwrap();
            let text = cell.contents().trim();
            let color = (!text.is_empty()).then(|| cell.fgcolor());
            format!(
                "{x} {y} {text} {color:?} {:?} {}",
                cell.bgcolor(),
                cell.bold()
            )
        });
        cells.collect()
    }

    proptest! {
        #[test]
        fn a_differential_frame_equals_a_full_one(
            pages in prop::collection::vec((0u32..40, 0u16..12), 1..8),
        ) {
            let alone = show(&pages[pages.len() - 1..], false).0;
            for has_scroll_regions in [true, false] {
                let shown = show(&pages, has_scroll_regions).0;
                prop_assert_eq!(state(&shown), state(&alone));
            }
        }
    }

    #[test]
    fn wide_characters_are_rewritten_whole() {
        let row = |text: &str| {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 7, 1));
            buffer.set_string(0, 0, text, Style::new());
            buffer.content
        };
        let mut dirty = Vec::new();
        let mut find = |shown: &str, next: &str| {
            mark_dirty(&row(shown), &row(next), |_| true, &mut dirty);
            dirty
                .iter()
                .map(|&it| if it { 'x' } else { '.' })
                .collect::<String>()
        };
        assert_eq!(find("abcdefg", "abXdefg"), "..x....");
        assert_eq!(find("a日本de", "a b本de"), ".xx....");
        // The rewrite spreads through overlapping wide characters.
        assert_eq!(find("日本語g", "x日本語"), "xxxxxxx");
        assert_eq!(find("日本語g", "日本語h"), "......x");
    }

    #[test]
    fn scrolling_saves_bytes() {
        for pages in [[(5, 3), (6, 3)], [(6, 3), (5, 3)], [(5, 3), (8, 3)]] {
            let (with, without) = (show(&pages, true).1, show(&pages, false).1);
            assert!(with * 4 < without * 3, "{with} of {without}");
        }
        assert_eq!(show(&[(5, 3), (5, 3)], true).1, 0);
        // Pages without common rows are not scrolled.
        assert_eq!(
            show(&[(5, 3), (90, 3)], true).1,
            show(&[(5, 3), (90, 3)], false).1
        );
    }

    #[test]
    fn links_are_written_with_their_cells_and_ended() {
        let mut canvas = Canvas::new(Vec::new(), true);
        let mut draw = |links: &[(Range<u16>, &str)]| {
            let links = links.iter().filter_map(|(columns, page)| {
                Hyperlink::new(columns.clone(), 2, &format!("https://example.org/{page}"))
            });
            let links: Vec<Hyperlink> = links.collect();
            canvas.out().clear();
            let drawn = canvas.draw(SIZE, 1..SIZE.height - 2, &mut |buffer| {
                buffer.set_string(0, 2, "abcdef", Style::new());
                links.clone()
            });
            drawn.unwrap();
            String::from_utf8(canvas.out().clone()).unwrap()
        };
        let link = |page, text| format!("\x1b]8;;https://example.org/{page}\x1b\\{text}");
        let end = "\x1b]8;;\x1b\\";
        let first = draw(&[(1..3, "x"), (4..6, "y")]);
        let expected = format!("a{}{end}d{}{end}", link("x", "bc"), link("y", "ef"));
        assert!(first.contains(&expected), "{first:?}");
        // Cells whose link is the same are not written again.
        assert_eq!(draw(&[(1..3, "x"), (4..6, "y")]), "");
        let changed = draw(&[(2..3, "x"), (4..6, "z")]);
        let expected = format!("\x1b[3;2Hb{}ef{end}", link("z", "\x1b[3;5H"));
        assert_eq!(changed, expected);
        assert_eq!(draw(&[]), "\x1b[3;3Hc\x1b[3;5Hef");
    }

    #[test]
    fn terminals_with_scrolling_regions_are_recognized() {
        for term in [
            "xterm-256color",
            "tmux-256color",
            "screen.xterm",
            "linux",
            "foot",
        ] {
            assert!(has_scroll_regions(term), "{term}");
        }
        for term in ["", "dumb", "ansi", "eterm-color", "stv52"] {
            assert!(!has_scroll_regions(term), "{term}");
        }
    }
}
