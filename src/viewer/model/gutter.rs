//! The gutter: the columns left of the code, as they are laid out.

/// A column of the gutter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Column {
    /// The commit's id.
    Id,
    /// The author's name.
    Author,
    /// The author's address.
    Email,
    /// The author date.
    Date,
    /// The first line of the commit's message.
    Summary,
    /// The file's path in the commit if it differs from the blamed one.
    Path,
    /// The line number in the commit.
    OriginalLine,
    /// The first release that contains the commit.
    Release,
    /// The request that brought the commit, or else the merge.
    Request,
    /// Who wrote the line, where another commit touched it last.
    Origin,
    /// The AI agent that is recorded to have written the line.
    Agent,
    /// The id of the change that the commit is a version of.
    Change,
    /// The line number.
    Line,
}

impl Column {
    /// All values with their names in the configuration.
    pub const ALL: [(&'static str, Column); 13] = [
        ("id", Column::Id),
        ("author", Column::Author),
        ("email", Column::Email),
        ("date", Column::Date),
        ("summary", Column::Summary),
        ("path", Column::Path),
        ("original-line", Column::OriginalLine),
        ("release", Column::Release),
        ("request", Column::Request),
        ("origin", Column::Origin),
        ("agent", Column::Agent),
        ("change", Column::Change),
        ("line", Column::Line),
    ];

    /// The columns that are kept longest on a narrow screen, first: who and when outlive the id.
    pub(super) const KEPT: [Column; 13] = [
        Column::Line,
        Column::Date,
        Column::Author,
        Column::Origin,
        Column::Release,
        Column::Request,
        Column::Agent,
        Column::Id,
        Column::Change,
        Column::OriginalLine,
        Column::Email,
        Column::Path,
        Column::Summary,
    ];

    /// The columns by the order in which they get more than their smallest width.
    pub(super) const PRIORITY: [Column; 13] = [
        Column::Line,
        Column::Id,
        Column::Change,
        Column::Date,
        Column::Release,
        Column::Request,
        Column::Author,
        Column::Origin,
        Column::Agent,
        Column::OriginalLine,
        Column::Email,
        Column::Path,
        Column::Summary,
    ];

    /// Name in the configuration.
    pub fn name(self) -> &'static str {
        let found = Column::ALL.iter().find(|(_, column)| *column == self);
        found.map_or("", |(name, _)| name)
    }
}

/// The laid out columns with their widths, from left to right.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gutter {
    pub(super) columns: Vec<(Column, u16)>,
}

impl Gutter {
    /// The columns before the mark of the selected commit, with their widths. A blank follows each.
    pub fn columns_before_mark(&self) -> &[(Column, u16)] {
        match self.columns.split_last() {
            Some(((Column::Line, _), before)) => before,
            _ => &self.columns,
        }
    }

    /// The width of the line number after the mark, if it is the last column.
    pub fn line_number_width(&self) -> Option<u16> {
        match self.columns.last() {
            Some(&(Column::Line, width)) => Some(width),
            _ => None,
        }
    }

    /// True if there is room for the separator between columns and code.
    pub fn has_separator(&self) -> bool {
        !self.columns.is_empty()
    }

    /// Total width, including blanks, mark and separator.
    pub fn width(&self) -> u16 {
        let before = self
            .columns_before_mark()
            .iter()
            .map(|(_, width)| width + 1)
            .sum::<u16>();
        // The separator with its blanks.
        let end = match self.line_number_width() {
            Some(width) => width + 3,
            None => 2 * u16::from(self.has_separator()),
        };
        before + 1 + end
    }

    /// The width of a column; 0 if it is not shown.
    pub fn width_of(&self, column: Column) -> u16 {
        let found = self.columns.iter().find(|(other, _)| *other == column);
        found.map_or(0, |&(_, width)| width)
    }

    /// The column before the mark at a horizontal position.
    pub fn column_at(&self, x: u16) -> Option<Column> {
        let mut end = 0;
        let found = self.columns_before_mark().iter().find(|(_, width)| {
            end += width + 1;
            x < end
        });
        found.filter(|_| x + 1 < end).map(|&(column, _)| column)
    }
}
