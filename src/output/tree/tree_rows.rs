//! Rows for people: one line for each entry of a directory.

use crate::{
    output::{
        buffer::OutputBuffer, commit_columns, commit_provider::CommitProvider, error::OutputError,
        people::year_bars::YearBars, plain::PlainOptions,
    },
    repository::{
        commits::people,
        tree::node::{Node, NodeKind},
    },
    sanitize,
};

/// Room for the bars of the years, in columns.
const YEARS_WIDTH: usize = 20;
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
}

#[derive(Debug)]
struct Row {
    last: [String; 3],
    node: Node,
}

impl TreeRows {
    /// Without entries. If a format of dates was chosen, it is that of `dates`.
    pub fn new(dates: Option<PlainOptions>) -> TreeRows {
        TreeRows {
            rows: Vec::new(),
            dates,
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
        if let Some(id) = &node.last_commit {
            let text = commits.text(id).map_err(OutputError::Commit)?;
            let day = match &self.dates {
                Some(options) => {
                    let date = commit_columns::shown_date(&text.author, options)?;
                    sanitize::line(&date)
                }
                None => text.author.date().format("%Y-%m-%d").unwrap_or_default(),
            };
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
        self.rows.push(Row { last, node });
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
        let bars = YearBars::new(counted.iter(), YEARS_WIDTH);
        let width = |column: usize| {
            let widths = self.rows.iter().map(|row| row.last[column].chars().count());
            widths.max().unwrap_or(0)
        };
        let (date, author) = (width(0).max(10), width(2).min(20));
        for (row, years) in self.rows.iter().zip(&counted) {
            let [day, id, name] = &row.last;
            let name: String = name.chars().take(author).collect();
            let node = &row.node;
            let lines = match node.kind {
                NodeKind::Submodule => String::new(),
                _ => node.counts.lines().to_string(),
            };
            let path = node.path.strip_prefix(above).unwrap_or(&node.path);
            let path = sanitize::line(path);
            let slash = if node.kind == NodeKind::Directory {
                "/"
            } else {
                ""
            };
            let mut text = format!(
                "{day:date$} {id:ID_DIGITS$} {name:author$} {lines:>9} {} {path}{slash}",
                bars.bars(years)
            );
            let people = shares(node);
            if !people.is_empty() {
                text.push_str(&format!("  ({people})"));
            }
            if node.generated_lines > 0 {
                text.push_str(&format!(
                    "  [+{} generated or binary]",
                    node.generated_lines
                ));
            }
            if node.is_uncommitted == Some(true) {
                text.push_str("  [uncommitted changes]");
            }
            if node.failed > 0 {
                let files = if node.failed == 1 { "file" } else { "files" };
                text.push_str(&format!("  [{} {files} could not be read]", node.failed));
            }
            out.bytes(text.trim_end().as_bytes());
            out.byte(b'\n');
        }
    }
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
