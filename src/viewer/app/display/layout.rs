//! The layout of the screen.

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

impl Area {
    /// True if it has this column and row of the screen.
    pub fn contains(self, (x, y): (u16, u16)) -> bool {
        (self.x..self.x + self.width).contains(&x) && (self.y..self.y + self.height).contains(&y)
    }

    /// The row of the screen `y`, as wide as the area.
    pub fn row(self, y: u16) -> Area {
        Area {
            y,
            height: 1,
            ..self
        }
    }
}

/// Screen columns from which on what is else below each other is side by side: there both have room
/// for whole lines.
pub const WIDE: u16 = 160;

/// The height of the details pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaneHeight {
    /// It is hidden.
    Hidden,
    /// The rows that were chosen, or a share of the screen.
    Rows(Option<u16>),
    /// So many rows, or else the share of the screen if that is more, but a few rows are left to the code.
    Enlarged(u16),
}

/// Rows between the details and the status line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FootRows {
    /// Those of the scale of versions.
    pub scale: u16,
    /// Those of the tour.
    pub tour: u16,
}

/// The parts of the screen, from top to bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScreenLayout {
    /// The header: file, revision and progress.
    pub header: Area,
    /// The file with its gutter.
    pub code: Area,
    /// The title line of the details pane.
    pub details_title: Area,
    /// The details of the selected commit.
    pub details: Area,
    /// The scale of versions, while steps are taken through them.
    pub scale: Area,
    /// The text of the tour, if it is on.
    pub tour: Area,
    /// The status line: hints, messages, prompts.
    pub status_line: Area,
}

impl ScreenLayout {
    /// Divides a screen. The rows at the foot are omitted on a small screen.
    pub fn new(width: u16, height: u16, pane: PaneHeight, foot: FootRows) -> Self {
        let header = u16::from(height >= 3);
        let status_line = u16::from(height >= 2);
        let tour = if height >= 6 + foot.tour {
            foot.tour
        } else {
            0
        };
        let scale = if height >= 8 + tour + foot.scale {
            foot.scale
        } else {
            0
        };
        let free = height - header - status_line - tour - scale;
        let share = (height / 5).clamp(2, 12);
        let pane = match pane {
            _ if free < 6 => 0,
            PaneHeight::Rows(_) if free < 9 => 0,
            PaneHeight::Hidden => 0,
            PaneHeight::Rows(None) => share + 1,
            PaneHeight::Rows(Some(rows)) => rows.saturating_add(1).min(free - 3),
            PaneHeight::Enlarged(rows) => {
                let needed = rows.max(share).saturating_add(1);
                needed.min(free - (free / 4).clamp(3, 8))
            }
        };
        let details_title = u16::from(pane > 0);
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
        ScreenLayout {
            header: take(header),
            code: take(free - pane),
            details_title: take(details_title),
            details: take(pane - details_title),
            scale: take(scale),
            tour: take(tour),
            status_line: take(status_line),
        }
    }

    /// The part of the details for the message, and the part for the change, which is what the message
    /// leaves of it where there is no room for both side by side.
    pub(crate) fn message_and_change(&self) -> (Area, Option<Area>) {
        let area = self.details;
        if area.width < WIDE {
            return (area, None);
        }
        let width = area.width / 2;
        let right = Area {
            x: area.x + width,
            width: area.width - width,
            ..area
        };
        (Area { width, ..area }, Some(right))
    }

    /// Everything between header and tour or status line.
    pub fn body(&self) -> Area {
        Area {
            height: self.code.height + self.details_title.height + self.details.height,
            ..self.code
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
                PaneHeight::Hidden,
                PaneHeight::Rows(None),
                PaneHeight::Rows(Some(70)),
                PaneHeight::Enlarged(3),
                PaneHeight::Enlarged(u16::MAX),
            ] {
                let foot = FootRows {
                    scale: height % 5,
                    tour: height % 3,
                };
                let layout = ScreenLayout::new(80, height, pane, foot);
                let parts = [
                    layout.header,
                    layout.code,
                    layout.details_title,
                    layout.details,
                ];
                let sum: u16 = parts.iter().map(|area| area.height).sum();
                let foot = layout.scale.height + layout.tour.height;
                assert_eq!(sum + foot + layout.status_line.height, height);
                assert!(height == 0 || layout.code.height > 0, "{height} {pane:?}");
            }
        }
    }
}
