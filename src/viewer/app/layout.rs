//! Where everything is on a screen of a given size.

/// A rectangle on the screen, in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Area {
    /// Columns from the left.
    pub x: u16,
    /// Rows from the top.
    pub y: u16,
    /// Columns.
    pub width: u16,
    /// Rows; 0 where the part does not fit.
    pub height: u16,
}

/// How much room the commit's pane is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    /// None.
    Hidden,
    /// Its share, or the rows the person chose.
    Open(Option<u16>),
    /// As much as the code can spare.
    Focused,
}

/// The columns left of the code; a width of 0 means that there is no room for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gutter {
    /// The commit's id.
    pub id: u16,
    /// The author's name.
    pub author: u16,
    /// The date.
    pub date: u16,
    /// The line number.
    pub number: u16,
}

impl Gutter {
    /// The columns on a screen of `width` columns for a file of `lines` lines. They yield to the
    /// code where it is narrow.
    pub fn new(width: u16, lines: u32) -> Self {
        let (id, author, date) = match width {
            0..34 => (0, 0, 0),
            34..56 => (7, 0, 0),
            56..72 => (7, 0, 4),
            72..100 => (7, 9, 4),
            100..140 => (8, 14, 9),
            _ => (8, 20, 9),
        };
        let digits = u16::try_from(lines.max(1).ilog10() + 1).unwrap_or(10);
        Gutter {
            id,
            author,
            date,
            number: if width < 26 { 0 } else { digits.max(3) },
        }
    }

    /// Its width in all, with the marks and lines between the columns.
    pub fn width(&self) -> u16 {
        let spaced = |width: u16| if width == 0 { 0 } else { width + 1 };
        let words = spaced(self.id) + spaced(self.author) + spaced(self.date);
        // The mark, and the line before the code with a space on each side.
        let number = if self.number == 0 { 0 } else { self.number + 3 };
        words + 1 + number
    }
}

/// The parts of the screen, from top to bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layout {
    /// What is shown and how far the blame is.
    pub header: Area,
    /// The file with its gutter.
    pub code: Area,
    /// The line that names the selected commit.
    pub rule: Area,
    /// The selected commit's words.
    pub details: Area,
    /// Hints, messages, prompts.
    pub footer: Area,
}

impl Layout {
    /// Divides a screen.
    pub fn new(width: u16, height: u16, pane: Pane) -> Self {
        let header = u16::from(height >= 3);
        let footer = u16::from(height >= 2);
        let free = height - header - footer;
        let pane = match pane {
            _ if free < 6 => 0,
            Pane::Open(_) if free < 9 => 0,
            Pane::Hidden => 0,
            Pane::Open(None) => (height / 5).clamp(2, 12) + 1,
            Pane::Open(Some(rows)) => rows.saturating_add(1).min(free - 3),
            Pane::Focused => free - (free / 4).clamp(3, 8),
        };
        let rule = u16::from(pane > 0);
        let mut y = 0;
        let mut take = |height| {
            let area = Area {
                x: 0,
                y,
                width,
                height,
            };
            y += height;
            area
        };
        Layout {
            header: take(header),
            code: take(free - pane),
            rule: take(rule),
            details: take(pane - rule),
            footer: take(footer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_size_is_divided_without_loss() {
        for height in 0..80 {
            for pane in [
                Pane::Hidden,
                Pane::Open(None),
                Pane::Open(Some(70)),
                Pane::Focused,
            ] {
                let layout = Layout::new(80, height, pane);
                let parts = [layout.header, layout.code, layout.rule, layout.details];
                let sum: u16 = parts.iter().map(|area| area.height).sum();
                assert_eq!(sum + layout.footer.height, height);
                assert!(height == 0 || layout.code.height > 0, "{height} {pane:?}");
            }
        }
    }

    #[test]
    fn the_gutter_leaves_most_of_the_screen_to_the_code() {
        for width in 20..300 {
            let gutter = Gutter::new(width, 5000).width();
            assert!(gutter * 2 < width, "{gutter} of {width}");
        }
    }
}
