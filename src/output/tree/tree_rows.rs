//! Rows for people: one line for each entry of a directory.

use crate::{
    output::{
        buffer::OutputBuffer,
        color::{BOLD, GREEN, QUIET, RED},
        commit_columns,
        commit_provider::CommitProvider,
        error::OutputError,
        list_row::{FittedRow, ListStyle, cell},
        people::year_bars::YearBars,
        plain::PlainOptions,
    },
    repository::{
        commits::people,
        tree::node::{Node, NodeKind},
    },
    sanitize, sorting,
    text::decimal::digits,
};

/// Room for the bars of the years, in columns.
const YEARS_WIDTH: usize = 20;
/// The same on narrow terminals.
const NARROW_YEARS_WIDTH: usize = 10;
/// Most columns of authors.
const AUTHOR_COLUMNS: usize = 20;
/// The same on narrow terminals.
const NARROW_AUTHOR_COLUMNS: usize = 10;
/// Fewest columns of a terminal on which there are authors of last commits beside those of lines.
const MIN_WITH_AUTHORS: usize = 100;
/// The digits of the id of a last commit. A boundary's begins with `^` instead, as in a blame.
const ID_DIGITS: usize = 10;

/// The format of `--tree` for people: the day, the id and the author of the last commit, the number
/// of lines, a bar for each year, the name, and who wrote most of it.
///
/// The rows are written at the end: the bars stand for the same years in all of them.
#[derive(Debug)]
pub struct TreeRows {
    rows: Vec<Row>,
    /// Those of dates count, if a format of dates was chosen.
    dates: Option<PlainOptions>,
    style: ListStyle,
}

#[derive(Debug)]
struct Row {
    /// The day, the id and the author of the last commit.
    last: [String; 3],
    /// The author date of that in seconds since the epoch.
    time: u64,
    node: Node,
}

impl TreeRows {
    /// Without entries. If a format of dates was chosen, it is that of `dates`.
    pub fn new(dates: Option<PlainOptions>, style: ListStyle) -> TreeRows {
        TreeRows {
            rows: Vec::new(),
            dates,
            style,
        }
    }

    /// Adds an entry of the directory.
    ///
    /// # Errors
    ///
    /// If its last commit cannot be read.
    pub fn node(
        &mut self,
        node: Node,
        commits: &mut impl CommitProvider,
    ) -> Result<(), OutputError> {
        let mut last: [String; 3] = Default::default();
        let mut time = 0;
        if let Some(id) = &node.last_commit {
            let text = commits.text(id).map_err(OutputError::Commit)?;
            let day = match &self.dates {
                Some(options) => {
                    let date = commit_columns::shown_date(&text.author, options)?;
                    sanitize::line(&date)
                }
                None => text.author.date().format("%Y-%m-%d").unwrap_or_default(),
            };
            time = text.author.time;
            last = [
                day,
                if node.is_boundary {
                    format!("^{}", id.to_hex_with_len(ID_DIGITS - 1))
                } else {
                    id.to_hex_with_len(ID_DIGITS).to_string()
                },
                sanitize::line(&text.author.name).to_string(),
            ];
        }
        self.rows.push(Row { last, time, node });
        Ok(())
    }

    /// Writes the rows of entries below the directory `above`, whose path ends with a slash or is
    /// empty.
    pub fn end(&self, out: &mut OutputBuffer<'_>, above: &[u8]) {
        let counted: Vec<_> = self
            .rows
            .iter()
            .map(|row| row.node.counts.years())
            .collect();
        let style = &self.style;
        let (years_width, most_author) = match style.terminal {
            Some(..MIN_WITH_AUTHORS) => (NARROW_YEARS_WIDTH, 0),
            _ if style.is_narrow() => (NARROW_YEARS_WIDTH, NARROW_AUTHOR_COLUMNS),
            _ => (YEARS_WIDTH, AUTHOR_COLUMNS),
        };
        let bars = YearBars::new(counted.iter(), years_width);
        let width = |column: usize| {
            let widths = self.rows.iter().map(|row| row.last[column].chars().count());
            widths.max().unwrap_or(0)
        };
        let (date, author) = (width(0).max(10), width(2).min(most_author));
        let is_table = style.terminal.is_some();
        let number = if is_table { self.number_columns() } else { 9 };
        let names = self.rows.iter().map(|row| shown_name(&row.node, above));
        let names: Vec<String> = names.collect();
        let has_author = !is_table || author > 0;
        let author_cell = |text: &[u8]| {
            if has_author {
                cell(text, author) + " "
            } else {
                String::new()
            }
        };
        let author_width = author_cell(b"").len();
        let before = date + ID_DIGITS + author_width + number + bars.width() + 4;
        let room = style.terminal.map(|columns| columns.saturating_sub(before));
        let name_columns = room.map_or(0, |room| {
            let widths = names.iter().map(|name| sanitize::width(name.as_bytes()));
            widths.max().unwrap_or(0).min(room * 2 / 3).max(4)
        });
        if !self.rows.is_empty() {
            let head = format!(
                "{:date$} {:ID_DIGITS$} {}{:>number$} {} {:name_columns$}  people",
                "changed",
                "commit",
                author_cell(b"author"),
                "lines",
                ListStyle::head_of_bars(bars),
                "name"
            );
            style.push_head(out, head);
        }
        for ((row, years), name) in self.rows.iter().zip(&counted).zip(&names) {
            let [day, id, by] = &row.last;
            let by = if is_table {
                author_cell(by.as_bytes())
            } else {
                let by: String = by.chars().take(author).collect();
                format!("{by:author$} ")
            };
            let node = &row.node;
            let lines = match node.kind {
                NodeKind::Submodule => String::new(),
                _ => node.counts.lines().to_string(),
            };
            let mut shown = FittedRow::default();
            let last = format!("{day:date$} {id:ID_DIGITS$} {by}");
            shown.add(last, style.of_age(row.time));
            let bars = style.bars(bars, years);
            shown.add(format!("{lines:>number$} {bars} "), b"");
            let mut remarks = remarks(node, is_table);
            // What is wrong is not cut with the people.
            sorting::sort_by_key(&mut remarks, |(is_late, ..)| is_table && *is_late);
            let mut name = if is_table {
                cell(
                    sanitize::clip_left(name, name_columns).as_bytes(),
                    name_columns,
                )
            } else {
                name.clone()
            };
            if remarks.is_empty() {
                name.truncate(name.trim_end().len());
            }
            let is_directory = node.kind == NodeKind::Directory;
            shown.add(name, style.color(if is_directory { BOLD } else { b"" }));
            for (_, text, color) in remarks {
                shown.add(format!("  {text}"), style.color(color));
            }
            shown.push(out, style);
        }
    }

    /// The columns of the numbers of lines with their head.
    fn number_columns(&self) -> usize {
        let most = self.rows.iter().map(|row| row.node.counts.lines()).max();
        digits(most.unwrap_or(0)).max("lines".len())
    }
}

/// The name of an entry below the directory `above`.
fn shown_name(node: &Node, above: &[u8]) -> String {
    let path = node.path.strip_prefix(above).unwrap_or(&node.path);
    let slash = match node.kind {
        NodeKind::Directory => "/",
        _ => "",
    };
    format!("{}{slash}", sanitize::line(path))
}

/// What is said of an entry behind its name, each with its color; first whether it can be cut.
fn remarks(node: &Node, is_table: bool) -> Vec<(bool, String, &'static [u8])> {
    let mut remarks: Vec<(bool, String, &'static [u8])> = Vec::new();
    let people = shares(node);
    if !people.is_empty() {
        let people = if is_table {
            people
        } else {
            format!("({people})")
        };
        remarks.push((true, people, b""));
    }
    if node.generated_lines > 0 {
        let text = format!("[+{} generated or binary]", node.generated_lines);
        remarks.push((true, text, QUIET));
    }
    if node.is_uncommitted == Some(true) {
        remarks.push((false, "[uncommitted changes]".to_owned(), GREEN));
    }
    if node.failed > 0 {
        let files = if node.failed == 1 { "file" } else { "files" };
        let text = format!("[{} {files} could not be read]", node.failed);
        remarks.push((false, text, RED));
    }
    remarks
}

/// Who wrote most of an entry, with their shares.
fn shares(node: &Node) -> String {
    let people = node.main_people();
    let named = people.iter().map(|person| {
        let share = people::share(person.lines.into(), node.counts.lines());
        format!("{} {share}", sanitize::line(person.shown_name()))
    });
    named.collect::<Vec<_>>().join(", ")
}
